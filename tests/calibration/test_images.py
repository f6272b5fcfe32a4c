"""A file that is not a picture gives an error of one sentence; pictures of any kind become RGB."""

from __future__ import annotations

import io
import os
import struct
import zlib
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
from calibration.images import Jpeg, is_dithered, load_image
from calibration.reader import read
from tests.calibration.screens import FIXTURES, Screen, labelled, screen_named

Pixels = NDArray[np.uint8]


def png(pixels: NDArray[Any]) -> bytes:
    return cv2.imencode(".png", pixels)[1].tobytes()


@pytest.fixture
def shot() -> Pixels:
    return np.random.default_rng(1).integers(0, 256, (60, 80, 3), dtype=np.uint8)


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("kind", ["plain", "grey", "alpha", "deep"])
def test_pixels_of_any_kind_come_back_as_rgb(tmp_path: Path, shot: Pixels, kind: str) -> None:
    pixels = {
        "plain": shot,
        "grey": shot[..., 0],
        "alpha": np.dstack([shot, np.full((60, 80), 255, np.uint8)]),
        "deep": shot.astype(np.uint16) * 257,
    }[kind]
    frame = load_image(write(tmp_path / "a.png", png(pixels)))
    wanted = np.dstack([shot[..., 0]] * 3) if kind == "grey" else shot[..., ::-1]
    assert np.array_equal(frame.pixels, wanted)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"hello, I am text", "is not a picture"),
        (b"\x89PNG\r\n\x1a\n", "is cut off"),
        (b"\xff\xd8\xff\xe0 and no more", "is cut off"),
    ],
)
def test_what_is_no_picture_is_said_in_one_sentence(tmp_path: Path, data: bytes, says: str) -> None:
    with pytest.raises(BadImage, match=says):
        load_image(write(tmp_path / "a.png", data))


def test_a_png_cut_anywhere_or_with_a_wrong_byte_is_refused(tmp_path: Path, shot: Pixels) -> None:
    data = png(shot)
    for end in range(9, len(data), len(data) // 40):
        with pytest.raises(BadImage, match="cut off"):
            load_image(write(tmp_path / "a.png", data[:end]))
    spoiled = bytearray(data)
    spoiled[len(data) // 2] ^= 0xFF
    with pytest.raises(BadImage, match="damaged"):
        load_image(write(tmp_path / "a.png", bytes(spoiled)))


def test_a_picture_too_large_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    huge = png(np.zeros((10_000, 10_000), np.uint8))
    with pytest.raises(BadImage, match="more than a screenshot"):
        load_image(write(tmp_path / "a.png", huge))


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadImage, match="cannot be read"):
        load_image(tmp_path / "none.png")
    with pytest.raises(BadImage, match="cannot be read"):
        load_image(tmp_path)


@pytest.mark.parametrize("size", [(1, 1), (1, 500), (30, 30)])
def test_a_tiny_picture_holds_no_board(tmp_path: Path, size: tuple[int, int]) -> None:
    frame = load_image(write(tmp_path / "a.png", png(np.zeros(size, np.uint8))))
    with pytest.raises(NoGrid):
        calibrate(frame)


# ---- cut off, filled up, too large ---------------------------------------------------------------

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


def encoded(pixels: Pixels, way: str, mode: str = "RGB") -> bytes:
    kind, options = WAYS[way]
    file = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(file, kind, **options)
    return file.getvalue()


@pytest.mark.parametrize("way", WAYS)
def test_pictures_of_every_format_are_read(tmp_path: Path, shot: Pixels, way: str) -> None:
    frame = load_image(write(tmp_path / "a", encoded(shot, way)))
    assert frame.pixels.shape == shot.shape
    if WAYS[way][0] not in ("JPEG", "GIF"):
        assert np.array_equal(frame.pixels, shot)


@pytest.mark.parametrize("way", JPEGS)
def test_jpegs_of_all_colours_and_sizes_are_whole(tmp_path: Path, shot: Pixels, way: str) -> None:
    whites = [np.full((side, side, 3), 255, np.uint8) for side in (60, 100, 131)]
    for pixels, mode in ((shot, "L"), (shot, "CMYK"), *((white, "RGB") for white in whites)):
        frame = load_image(write(tmp_path / "a", encoded(pixels, way, mode)))
        assert frame.pixels.shape == pixels.shape


@pytest.mark.parametrize("way", WAYS)
def test_a_picture_cut_anywhere_is_refused(
    tmp_path: Path, shot: Pixels, way: str, capfd: pytest.CaptureFixture[str]
) -> None:
    data = encoded(shot, way)
    for end in range(4, len(data) - 8, max(1, len(data) // 60)):
        with pytest.raises(BadImage):
            load_image(write(tmp_path / "a", data[:end]))
    assert capfd.readouterr() == ("", ""), "no decoder writes by itself"


@pytest.mark.parametrize("way", JPEGS)
def test_a_jpeg_cut_in_the_middle_that_ends_in_the_right_mark_is_refused(
    tmp_path: Path, shot: Pixels, way: str
) -> None:
    data = encoded(shot, way)
    begin = data.index(b"\xff\xda") + 20
    for end in range(begin, len(data) - 12, max(1, len(data) // 60)):
        for tail in (b"\xff\xd9", b"\xff\xd9" + b"SEFT" * 9):
            with pytest.raises(BadImage):
                load_image(write(tmp_path / "a", data[:end] + tail))


@pytest.mark.parametrize("way", JPEGS)
def test_what_a_phone_appends_is_no_part_of_the_picture(
    tmp_path: Path, shot: Pixels, way: str
) -> None:
    data = encoded(shot, way)
    more = b"\x00\x00\x01\x0a\x0e\x00\x00\x00Image_UTC_Data\xff\xd8\xff" + b"SEFT" * 1000
    whole = load_image(write(tmp_path / "a", data))
    assert load_image(write(tmp_path / "b", data + more)) == whole


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


@pytest.mark.parametrize("lines", [0, 30, 59])
def test_a_png_whose_data_ends_early_is_refused(tmp_path: Path, shot: Pixels, lines: int) -> None:
    header = struct.pack(">IIBBBBB", 80, 60, 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + line.tobytes() for line in shot[:lines]))
    end = chunk(b"IDAT", data) + chunk(b"IEND", b"")
    with pytest.raises(BadImage, match="cut off"):
        load_image(write(tmp_path / "a", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + end))


@pytest.mark.parametrize("side", [1, 2, 5, 8, 9, 60])
@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "I;16"])
def test_pngs_of_all_kinds_are_whole(tmp_path: Path, side: int, mode: str) -> None:
    picture = Image.new(mode, (side, side + 3))
    picture.save(tmp_path / "a.png")
    assert load_image(tmp_path / "a.png").height == side + 3


def test_an_interlaced_png_is_whole(tmp_path: Path) -> None:
    """Each line of each of the seven passes has a filter byte; Pillow writes none interlaced."""
    for side in (1, 3, 5, 8, 13):
        passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4)]
        passes += [(1, 0, 2, 2), (0, 1, 1, 2)]
        data = b"".join(
            (b"\0" + b"\7" * len(range(x, side, step_x))) * len(range(y, side, step_y))
            for x, y, step_x, step_y in passes
            if x < side and y < side
        )
        header = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 1))
        for whole in (True, False):
            body = chunk(b"IDAT", zlib.compress(data if whole else data[:-1]))
            file = b"\x89PNG\r\n\x1a\n" + header + body + chunk(b"IEND", b"")
            if whole:
                assert (load_image(write(tmp_path / "a", file)).pixels == 7).all()
            else:
                with pytest.raises(BadImage):
                    load_image(write(tmp_path / "a", file))


def test_a_gif_whose_data_ends_early_is_refused(tmp_path: Path, shot: Pixels) -> None:
    data = encoded(shot[:30], "gif")
    half, whole = struct.pack("<HH", 80, 30), struct.pack("<HH", 80, 60)
    with pytest.raises(BadImage):
        load_image(write(tmp_path / "a", data.replace(half, whole)))


def test_a_restart_that_is_missing_is_noticed(tmp_path: Path, shot: Pixels) -> None:
    data = encoded(shot, "restarts")
    second, third = data.index(b"\xff\xd1"), data.index(b"\xff\xd2")
    with pytest.raises(BadImage):
        load_image(write(tmp_path / "a", data[:second] + data[third:]))


def sized(kind: str, side: int) -> bytes:
    """Return the start of a picture that says it is ``side`` pixels high and wide."""
    small = encoded(np.zeros((16, 16, 3), np.uint8), kind)
    old = {"bmp": struct.pack("<ii", 16, 16), "gif": struct.pack("<HH", 16, 16)}
    new = {"bmp": struct.pack("<ii", side, side), "gif": struct.pack("<HH", side, side)}
    if kind in old:
        return small.replace(old[kind], new[kind])
    if kind == "ppm":
        return small.replace(b"16 16", b"%d %d" % (side, side))
    if kind == "jpeg":
        return small.replace(struct.pack(">HH", 16, 16), struct.pack(">HH", side, side))
    header = b"IHDR" + struct.pack(">II", side, side) + small[24:29]
    return small[:12] + header + struct.pack(">I", zlib.crc32(header)) + small[33:]


@pytest.mark.parametrize("side", [8_000, 20_000, 60_000])
@pytest.mark.parametrize("kind", ["png", "jpeg", "bmp", "gif", "ppm"])
def test_the_size_is_known_before_a_picture_is_decoded(
    tmp_path: Path, kind: str, side: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def decode(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", decode)
    with pytest.raises(BadImage, match="more"):
        load_image(write(tmp_path / "a", sized(kind, side)))


def test_a_jpeg_of_many_scans_is_refused_before_it_is_decoded(tmp_path: Path, shot: Pixels) -> None:
    data = encoded(shot, "progressive")
    scan = data[data.rindex(b"\xff\xda") : -2]
    with pytest.raises(BadImage, match="damaged"):
        load_image(write(tmp_path / "a", data[:-2] + scan * 200 + data[-2:]))


@pytest.mark.skipif(os.name != "posix", reason="pipes with a name")
@pytest.mark.timeout(120)
def test_a_pipe_and_a_link_in_a_recording_are_no_picture(tmp_path: Path, shot: Pixels) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadImage, match="pipe"):
        load_image(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(write(tmp_path / "a", png(shot)))
    assert load_image(tmp_path / "link").width == 80
    with pytest.raises(BadImage, match="link"):
        load_image(tmp_path / "link", links=False)


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


def test_grey_noise_is_not_taken_for_a_dithered_picture(shot: Pixels) -> None:
    assert not is_dithered(np.repeat(shot[..., :1], 3, axis=2))


# ---- what costs time or writes by itself ---------------------------------------------------------


def segment(marker: int, body: bytes) -> bytes:
    return bytes((255, marker)) + struct.pack(">H", 2 + len(body)) + body


@pytest.mark.parametrize("marker", [0xE1, 0xE2, 0xFE])
@pytest.mark.timeout(120)
def test_notes_in_a_jpeg_never_reach_a_decoder(tmp_path: Path, shot: Pixels, marker: int) -> None:
    """Pillow joins the notes of Exif one by one, in time that grows with their square."""
    data = encoded(shot, "jpeg")
    whole = load_image(write(tmp_path / "a", data))
    notes = segment(marker, b"Exif\0\0" + bytes(40)) * 100_000
    noted = data[:2] + notes + data[2:]
    assert load_image(write(tmp_path / "b", noted)) == whole
    kept = len(Jpeg.parse(noted).with_filler()) - len(Jpeg.parse(data).with_filler())
    assert kept <= len(notes) // 100_000  # the first Exif block, which may turn the picture


@pytest.mark.slow
@pytest.mark.parametrize("filling", [b"\xff", b"\xff\xd0", b"\xff\xfe\0\2"])
@pytest.mark.timeout(120)
def test_a_jpeg_of_markers_costs_no_time(tmp_path: Path, shot: Pixels, filling: bytes) -> None:
    data = encoded(shot, "jpeg")
    with pytest.raises(BadImage):
        load_image(write(tmp_path / "a", data[:-2] + filling * 2_000_000))


@pytest.mark.parametrize("turned", range(1, 9))
def test_a_jpeg_is_turned_as_its_camera_says(tmp_path: Path, shot: Pixels, turned: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = turned
    Image.fromarray(shot).save(tmp_path / "a.jpg", quality=95, exif=exif)
    pixels = load_image(tmp_path / "a.jpg").pixels
    with Image.open(tmp_path / "a.jpg") as picture:
        wanted = np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))
    assert np.array_equal(pixels, wanted)


def test_a_wrong_byte_in_a_jpeg_is_often_noticed(tmp_path: Path, shot: Pixels) -> None:
    data = bytearray(encoded(np.asarray(cv2.GaussianBlur(shot, (0, 0), 5), np.uint8), "jpeg"))
    begin, refused = data.index(b"\xff\xda") + 20, 0
    places = range(begin, len(data) - 40, 11)
    for place in places:
        spoiled = data.copy()
        spoiled[place] ^= 0x55
        try:
            load_image(write(tmp_path / "a", bytes(spoiled)))
        except BadImage:
            refused += 1
    assert refused > len(places) / 4


@pytest.mark.parametrize("way", ["tiff", pytest.param("tiff-lzw", marks=pytest.mark.slow)])
def test_a_damaged_tiff_writes_nothing_by_itself(
    tmp_path: Path, shot: Pixels, way: str, capfd: pytest.CaptureFixture[str]
) -> None:
    data = bytearray(encoded(shot, way))
    for place in range(8, len(data), len(data) // 100):
        spoiled = data.copy()
        spoiled[place] ^= 0x55
        with suppress(BadImage):
            load_image(write(tmp_path / "a", bytes(spoiled)))
    os.write(2, b"heard")
    assert capfd.readouterr() == ("", "heard")
