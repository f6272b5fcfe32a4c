"""A file that is not a picture gives an error of one sentence; pictures of any kind become RGB."""

from __future__ import annotations

import io
import os
import struct
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageOps

from calibration.calibration import calibrate
from calibration.errors import BadImage, NoGrid
from calibration.frame import Frame
from calibration.images import Jpeg, is_dithered, load_image
from calibration.reader import read
from tests.calibration.screens import FIXTURES, Screen, labelled, screen_named

Pixels = NDArray[np.uint8]
Load = Callable[[bytes], Frame]

SHOT = np.random.default_rng(1).integers(0, 256, (60, 80, 3), dtype=np.uint8)

WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "png": ("PNG", {}),
    "jpeg": ("JPEG", {"quality": 90}),
    "progressive": ("JPEG", {"quality": 90, "progressive": True}),
    "restarts": ("JPEG", {"quality": 90, "restart_marker_rows": 1}),
    "progressive-restarts": (
        "JPEG",
        {"quality": 90, "progressive": True, "restart_marker_blocks": 3, "subsampling": 2},
    ),
    "webp": ("WEBP", {"lossless": True}),
    "bmp": ("BMP", {}),
    "gif": ("GIF", {}),
    "tiff": ("TIFF", {}),
    "tiff-lzw": ("TIFF", {"compression": "tiff_lzw"}),
    "tiff-deflate": ("TIFF", {"compression": "tiff_deflate"}),
    "ppm": ("PPM", {}),
}
JPEGS = [name for name, (kind, _) in WAYS.items() if kind == "JPEG"]


def png(pixels: NDArray[Any]) -> bytes:
    return cv2.imencode(".png", pixels)[1].tobytes()


def encoded(way: str, pixels: Pixels = SHOT, mode: str = "RGB") -> bytes:
    kind, options = WAYS[way]
    file = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(file, kind, **options)
    return file.getvalue()


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_of(width: int, height: int, rest: bytes, colour: int = 2, interlaced: int = 0) -> bytes:
    """Put a PNG together of its unpacked data."""
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, interlaced)
    data = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rest)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + data


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """What loads a picture from these bytes in a file."""

    def load_bytes(data: bytes) -> Frame:
        (tmp_path / "a.png").write_bytes(data)
        return load_image(tmp_path / "a.png")

    return load_bytes


# ---- what is read --------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_pictures_of_every_format_are_read(load: Load, way: str) -> None:
    frame = load(encoded(way))
    assert frame.pixels.shape == SHOT.shape
    if way not in JPEGS and way != "gif":
        assert np.array_equal(frame.pixels, SHOT)


@pytest.mark.parametrize(
    ("pixels", "wanted"),
    [
        (SHOT[..., 0], np.dstack([SHOT[..., 0]] * 3)),
        (np.dstack([SHOT[..., ::-1], np.full((60, 80), 255, np.uint8)]), SHOT),
        (SHOT[..., ::-1].astype(np.uint16) * 257, SHOT),
    ],
    ids=["grey", "alpha", "deep"],
)
def test_pixels_of_any_kind_come_back_as_rgb(
    load: Load, pixels: NDArray[Any], wanted: Pixels
) -> None:
    assert np.array_equal(load(png(pixels)).pixels, wanted)


@pytest.mark.parametrize("way", JPEGS)
def test_jpegs_of_all_colours_and_sizes_are_whole(load: Load, way: str) -> None:
    whites = [np.full((side, side, 3), 255, np.uint8) for side in (60, 100, 131)]
    for pixels, mode in ((SHOT, "L"), (SHOT, "CMYK"), *((white, "RGB") for white in whites)):
        assert load(encoded(way, pixels, mode)).pixels.shape == pixels.shape


@pytest.mark.parametrize("side", [1, 2, 5, 8, 9, 60])
@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "I;16"])
def test_pngs_of_all_kinds_are_whole(tmp_path: Path, side: int, mode: str) -> None:
    Image.new(mode, (side, side + 3)).save(tmp_path / "a.png")
    assert load_image(tmp_path / "a.png").height == side + 3


@pytest.mark.parametrize("side", [1, 3, 5, 8, 13])
def test_an_interlaced_png_is_whole_or_refused(load: Load, side: int) -> None:
    """Each line of each of the seven passes has a filter byte; Pillow writes none interlaced."""
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4)]
    passes += [(1, 0, 2, 2), (0, 1, 1, 2)]
    data = b"".join(
        (b"\0" + b"\7" * len(range(x, side, step_x))) * len(range(y, side, step_y))
        for x, y, step_x, step_y in passes
        if x < side and y < side
    )
    assert (load(png_of(side, side, data, 0, 1)).pixels == 7).all()
    with pytest.raises(BadImage):
        load(png_of(side, side, data[:-1], 0, 1))


@pytest.mark.parametrize("way", JPEGS)
def test_what_a_phone_appends_is_no_part_of_the_picture(load: Load, way: str) -> None:
    more = b"\x00\x00\x01\x0a\x0e\x00\x00\x00Image_UTC_Data\xff\xd8\xff" + b"SEFT" * 1000
    assert load(encoded(way) + more) == load(encoded(way))


@pytest.mark.parametrize("turned", range(1, 9))
def test_a_jpeg_is_turned_as_its_camera_says(tmp_path: Path, turned: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = turned
    Image.fromarray(SHOT).save(tmp_path / "a.jpg", quality=95, exif=exif)
    with Image.open(tmp_path / "a.jpg") as picture:
        wanted = np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))
    assert np.array_equal(load_image(tmp_path / "a.jpg").pixels, wanted)


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"hello, I am text", "is not a picture"),
        (b"\x89PNG\r\n\x1a\n", "is cut off"),
        (b"\xff\xd8\xff\xe0 and no more", "is cut off"),
        (png(SHOT)[:-20], "is cut off"),
        (png(SHOT)[:7000] + b"wrong" + png(SHOT)[7005:], "is damaged"),
        *[(png_of(80, 60, (b"\0" + bytes(240)) * lines), "is cut off") for lines in (0, 30, 59)],
    ],
)
def test_what_is_no_picture_is_said_in_one_sentence(load: Load, data: bytes, says: str) -> None:
    with pytest.raises(BadImage, match=says):
        load(data)


@pytest.mark.parametrize("way", WAYS)
def test_a_picture_cut_anywhere_is_refused(
    load: Load, way: str, capfd: pytest.CaptureFixture[str]
) -> None:
    data = encoded(way)
    for end in range(4, len(data) - 8, max(1, len(data) // 60)):
        with pytest.raises(BadImage):
            load(data[:end])
    assert capfd.readouterr() == ("", ""), "no decoder writes by itself"


@pytest.mark.parametrize("way", JPEGS)
def test_a_jpeg_cut_in_the_middle_that_ends_in_the_right_mark_is_refused(
    load: Load, way: str
) -> None:
    data = encoded(way)
    begin = data.index(b"\xff\xda") + 20
    for end in range(begin, len(data) - 12, max(1, len(data) // 60)):
        for tail in (b"\xff\xd9", b"\xff\xd9" + b"SEFT" * 9):
            with pytest.raises(BadImage):
                load(data[:end] + tail)


def test_data_that_ends_early_and_a_missing_restart_are_noticed(load: Load) -> None:
    half, whole = struct.pack("<HH", 80, 30), struct.pack("<HH", 80, 60)
    with pytest.raises(BadImage):
        load(encoded("gif", SHOT[:30]).replace(half, whole))
    data = encoded("restarts")
    second, third = data.index(b"\xff\xd1"), data.index(b"\xff\xd2")
    with pytest.raises(BadImage):
        load(data[:second] + data[third:])


def test_a_wrong_byte_in_a_jpeg_is_often_noticed(load: Load) -> None:
    data = bytearray(encoded("jpeg", np.asarray(cv2.GaussianBlur(SHOT, (0, 0), 5), np.uint8)))
    begin, refused = data.index(b"\xff\xda") + 20, 0
    places = range(begin, len(data) - 40, 11)
    for place in places:
        spoiled = data.copy()
        spoiled[place] ^= 0x55
        try:
            load(bytes(spoiled))
        except BadImage:
            refused += 1
    assert refused > len(places) / 4


@pytest.mark.parametrize("way", ["tiff", pytest.param("tiff-lzw", marks=pytest.mark.slow)])
def test_a_damaged_tiff_writes_nothing_by_itself(
    load: Load, way: str, capfd: pytest.CaptureFixture[str]
) -> None:
    data = bytearray(encoded(way))
    for place in range(8, len(data), len(data) // 100):
        spoiled = data.copy()
        spoiled[place] ^= 0x55
        with suppress(BadImage):
            load(bytes(spoiled))
    os.write(2, b"heard")
    assert capfd.readouterr() == ("", "heard")


@pytest.mark.skipif(os.name != "posix", reason="pipes with a name")
@pytest.mark.timeout(120)
def test_what_is_no_file_is_no_picture_nor_a_link_in_a_recording(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, says in (("pipe", "pipe"), ("none.png", "cannot be read"), (".", "cannot be read")):
        with pytest.raises(BadImage, match=says):
            load_image(tmp_path / name)
    (tmp_path / "a").write_bytes(png(SHOT))
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert load_image(tmp_path / "link").width == 80
    with pytest.raises(BadImage, match="link"):
        load_image(tmp_path / "link", links=False)


@pytest.mark.parametrize("size", [(1, 1), (1, 500), (3, 40), (30, 30)])
def test_a_tiny_picture_holds_no_board(load: Load, size: tuple[int, int]) -> None:
    with pytest.raises(NoGrid):
        calibrate(load(png(np.zeros(size, np.uint8))))


# ---- what would cost time or memory --------------------------------------------------------------


def sized(kind: str, side: int) -> bytes:
    """Return the start of a picture that says it is ``side`` pixels high and wide."""
    small = encoded(kind, np.zeros((16, 16, 3), np.uint8))
    old = {"bmp": struct.pack("<ii", 16, 16), "gif": struct.pack("<HH", 16, 16)}
    new = {"bmp": struct.pack("<ii", side, side), "gif": struct.pack("<HH", side, side)}
    if kind in old:
        return small.replace(old[kind], new[kind])
    if kind == "ppm":
        return small.replace(b"16 16", b"%d %d" % (side, side))
    if kind == "jpeg":
        return small.replace(struct.pack(">HH", 16, 16), struct.pack(">HH", side, side))
    return png_of(side, side, b"")


@pytest.mark.parametrize("side", [8_000, 20_000, 60_000])
@pytest.mark.parametrize("kind", ["png", "jpeg", "bmp", "gif", "ppm"])
def test_the_size_is_known_before_a_picture_is_decoded(
    load: Load, kind: str, side: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def decode(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", decode)
    with pytest.raises(BadImage, match="more"):
        load(sized(kind, side))


def test_a_jpeg_of_many_scans_is_refused_before_it_is_decoded(load: Load) -> None:
    data = encoded("progressive")
    scan = data[data.rindex(b"\xff\xda") : -2]
    with pytest.raises(BadImage, match="damaged"):
        load(data[:-2] + scan * 200 + data[-2:])


@pytest.mark.parametrize("marker", [0xE1, 0xE2, 0xFE])
@pytest.mark.timeout(120)
def test_notes_in_a_jpeg_never_reach_a_decoder(load: Load, marker: int) -> None:
    """Pillow joins the notes of Exif one by one, in time that grows with their square."""
    data, note = encoded("jpeg"), b"Exif\0\0" + bytes(40)
    notes = (bytes((255, marker)) + struct.pack(">H", 2 + len(note)) + note) * 100_000
    noted = data[:2] + notes + data[2:]
    assert load(noted) == load(data)
    kept = len(Jpeg.parse(noted).with_filler()) - len(Jpeg.parse(data).with_filler())
    assert kept <= len(notes) // 100_000  # the first Exif block, which may turn the picture


@pytest.mark.slow
@pytest.mark.parametrize("filling", [b"\xff", b"\xff\xd0", b"\xff\xfe\0\2"])
@pytest.mark.timeout(120)
def test_a_jpeg_of_markers_costs_no_time(load: Load, filling: bytes) -> None:
    with pytest.raises(BadImage):
        load(encoded("jpeg")[:-2] + filling * 2_000_000)


# ---- dithered pictures ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name", ["30x16_late", "numbg_flags", "km_cla_beg_won", "medium_classic_mid", "sg_exp_lost"]
)
def test_a_board_in_a_dithered_gif_is_read(tmp_path: Path, name: str) -> None:
    screen = screen_named(name)
    with Image.open(screen.picture) as picture:
        few = picture.convert("RGB").convert("P", palette=Image.Palette.WEB)
    few.save(tmp_path / "a.gif")
    with Image.open(tmp_path / "a.gif") as picture:
        assert is_dithered(np.array(picture.convert("RGB")))
    frame = load_image(tmp_path / "a.gif")
    reading = read(frame, calibrate(frame))
    assert reading.board.text_rows() == screen.board.text_rows()


@pytest.mark.parametrize("screen", labelled(FIXTURES), ids=lambda screen: screen.name)
def test_a_screenshot_is_not_taken_for_a_dithered_picture(screen: Screen) -> None:
    with Image.open(screen.picture) as picture:
        assert not is_dithered(np.array(picture.convert("RGB")))


def test_grey_noise_is_not_taken_for_a_dithered_picture() -> None:
    assert not is_dithered(np.repeat(SHOT[..., :1], 3, axis=2))
