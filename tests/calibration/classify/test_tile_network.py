"""The network names drawn tiles of each class, and its weights are checked when they are loaded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from cv2 import FONT_HERSHEY_DUPLEX, FONT_HERSHEY_SIMPLEX, LINE_AA, circle, fillPoly, line, putText
from numpy.typing import NDArray

from calibration.classify.tile_network import (
    CLASSES,
    PICTURE_SIDE,
    close_ups,
    label_scores,
)
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.tiles import cut

Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]

SIDE = 40
GREY, WHITE, BLACK, RED = (192, 192, 192), (255, 255, 255), (0, 0, 0), (230, 0, 0)


def tile(paper: Colour = GREY) -> Pixels:
    return np.full((SIDE, SIDE, 3), paper, np.uint8)


def letter(
    sign: str,
    ink: Colour,
    paper: Colour,
    font: int = FONT_HERSHEY_DUPLEX,
    scale: float = 0.9,
    thickness: int = 2,
) -> Pixels:
    picture = tile(paper)
    putText(picture, sign, (12, 29), font, scale, ink, thickness, LINE_AA)
    return picture


def flag() -> Pixels:
    picture = tile()
    line(picture, (20, 7), (20, 31), BLACK, 2, LINE_AA)
    line(picture, (13, 32), (27, 32), BLACK, 4, LINE_AA)
    fillPoly(picture, [np.array([(20, 7), (20, 19), (8, 13)])], RED, LINE_AA)
    return picture


def mine(paper: Colour = GREY) -> Pixels:
    picture = tile(paper)
    for angle in np.arange(8) * np.pi / 4:
        end = round(20 + 15 * np.cos(angle)), round(20 + 15 * np.sin(angle))
        line(picture, (20, 20), end, BLACK, 2, LINE_AA)
    circle(picture, (20, 20), 10, BLACK, -1, LINE_AA)
    circle(picture, (17, 17), 2, WHITE, -1, LINE_AA)
    return picture


def wrong_flag() -> Pixels:
    picture = mine()
    line(picture, (4, 4), (36, 36), RED, 3, LINE_AA)
    line(picture, (36, 4), (4, 36), RED, 3, LINE_AA)
    return picture


def names(pictures: list[Pixels]) -> list[str]:
    """Cut pictures from a board of one row, as the product does, and name them."""
    grid = Grid(0, 0, SIDE, SIDE, 1, len(pictures))
    tiles = cut(Frame(np.hstack(pictures)), grid, PICTURE_SIDE)
    return [CLASSES[k] for k in label_scores(tiles[0]).argmax(axis=1)]


def framed(digit: str, at: tuple[int, int], ink: Colour, paper: Colour, frame: Colour) -> Pixels:
    picture = tile(paper)
    putText(picture, digit, at, FONT_HERSHEY_DUPLEX, 0.4, ink, 1, LINE_AA)
    for side in (0, -1):
        picture[side] = picture[:, side] = frame
    return picture


BROWN, BEIGE, SIMPLEX = (138, 130, 111), (216, 210, 196), FONT_HERSHEY_SIMPLEX
DRAWN: dict[str, Callable[[str], Pixels]] = {
    "blue on grey": lambda digit: letter(digit, (0, 0, 200), GREY),
    "black on white": lambda digit: letter(digit, BLACK, WHITE, SIMPLEX),
    "light on dark": lambda digit: letter(digit, (240, 240, 240), (30, 30, 40), SIMPLEX),
    "green": lambda digit: letter(digit, (120, 160, 40), (225, 230, 235)),
    "a fifth of a tile": lambda digit: letter(digit, BLACK, WHITE, scale=0.4, thickness=1),
    "in the rim": lambda digit: framed(digit, (5, 14), (180, 30, 30), BEIGE, BROWN),
    "at a brown line": lambda digit: framed(digit, (1, 13), BLACK, WHITE, BROWN),
    "at a dark line": lambda digit: framed(digit, (1, 13), BLACK, WHITE, (30, 30, 30)),
}


@pytest.mark.parametrize("how", DRAWN)
def test_digits_are_named_however_they_are_drawn(how: str) -> None:
    assert names([DRAWN[how](digit) for digit in "12345678"]) == list("12345678")


def test_marks_mines_and_empty_tiles_are_named() -> None:
    pictures = [tile(), tile((200, 30, 30)), flag(), letter("?", BLACK, GREY),
                mine(), mine((255, 0, 0)), wrong_flag()]  # fmt: skip
    assert names(pictures) == [
        "empty", "empty", "flag", "question", "mine", "exploded", "wrong_flag",
    ]  # fmt: skip


def test_letters_are_no_digits_and_long_numbers_are_other() -> None:
    letters = names([letter(sign, BLACK, WHITE) for sign in "WKNAHY"])
    assert not set(letters) & set("12345678")
    long = [letter(sign, BLACK, WHITE, scale=0.5, thickness=1) for sign in ("12", "34", "99")]
    assert names(long) == ["other"] * 3


def test_scores_are_probabilities_whatever_is_seen() -> None:
    rng = np.random.default_rng(1)
    pictures = rng.integers(0, 256, (150, PICTURE_SIDE, PICTURE_SIDE, 3), dtype=np.uint8)
    scores = label_scores(pictures)
    assert scores.shape == (150, len(CLASSES))
    assert scores.dtype == np.float32
    np.testing.assert_allclose(np.exp(scores).sum(axis=1), 1, atol=1e-5)


def test_a_tile_is_named_alone() -> None:
    pictures = np.stack([mine(), flag(), letter("5", BLACK, WHITE)])
    pictures = pictures.repeat(2, axis=1).repeat(2, axis=2)[:, 16:64, 16:64]
    together = label_scores(pictures)
    alone = np.concatenate([label_scores(pictures[k : k + 1]) for k in range(3)])
    np.testing.assert_allclose(together, alone, atol=1e-4)


def test_no_tiles_have_no_scores() -> None:
    empty = np.empty((0, PICTURE_SIDE, PICTURE_SIDE, 3), np.uint8)
    assert label_scores(empty).shape == (0, len(CLASSES))


def test_pictures_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="48 pixels"):
        label_scores(np.zeros((2, 24, 24, 3), np.uint8))


def glyph_in_a_corner() -> Pixels:
    picture = plain(255)
    picture[0, 10:18, 30:35] = 0
    return picture


def plain(grey: int) -> Pixels:
    return np.full((1, PICTURE_SIDE, PICTURE_SIDE, 3), grey, np.uint8)


def digit_on_a_key() -> Pixels:
    picture = plain(240)
    picture[0, 9:39, 9:39] = 90, 150, 190
    picture[0, 18:30, 22:26] = 255
    return picture


def mine_on_a_gradient() -> Pixels:
    picture = plain(120)
    picture[0] += np.linspace(110, 0, PICTURE_SIDE).astype(np.uint8)[None, :, None]
    line(picture[0], (6, 24), (42, 24), BLACK, 2)
    line(picture[0], (24, 6), (24, 42), BLACK, 2)
    circle(picture[0], (24, 24), 13, BLACK, -1)
    circle(picture[0], (20, 20), 4, (225, 225, 225), -1)
    return picture


@pytest.mark.parametrize(
    ("picture", "least", "most", "middle"),
    [
        (plain(90), 1, 1, None),
        (glyph_in_a_corner(), 0.2, 0.4, (32.5 / PICTURE_SIDE, 14 / PICTURE_SIDE)),
        (digit_on_a_key(), 0.1, 0.5, (0.5, 0.5)),  # without the frame around the key
        (mine_on_a_gradient(), 0.7, 1, None),  # its light is not a frame
    ],
    ids=["plain", "corner", "key", "mine"],
)
def test_what_is_drawn_is_enlarged(
    picture: Pixels, least: float, most: float, middle: tuple[float, float] | None
) -> None:
    seen = close_ups(picture)
    assert least <= seen.hints[0, 5] <= most
    if middle is not None:
        np.testing.assert_allclose(seen.hints[0, 3:5], middle, atol=0.05)
    if most == 0.4:
        np.testing.assert_allclose(seen.hints[0, :3], 1)
        assert (seen.views[0].max(axis=2) < 128).sum() > 100
