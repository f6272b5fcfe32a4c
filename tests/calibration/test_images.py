"""A file that is no picture ends in an error of one sentence; pictures of any kind become RGB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.calibration import calibrate
from calibration.errors import BadImage, NoGrid
from calibration.images import load_image

Pixels = NDArray[np.uint8]


def png(pixels: NDArray[Any]) -> bytes:
    return cv2.imencode(".png", pixels)[1].tobytes()


@pytest.fixture
def shot() -> Pixels:
    return np.random.default_rng(1).integers(0, 256, (60, 80, 3), dtype=np.uint8)


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_a_picture_comes_back_as_rgb(tmp_path: Path, shot: Pixels) -> None:
    frame = load_image(write(tmp_path / "a.png", png(shot[..., ::-1])))
    assert np.array_equal(frame.pixels, shot)


@pytest.mark.parametrize("kind", ["grey", "alpha", "deep"])
def test_other_kinds_of_pixels_are_converted(tmp_path: Path, shot: Pixels, kind: str) -> None:
    pixels = {
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
