"""The network names drawn tiles of each class, alone as among others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from calibration.classify.tile_network import CLASSES, PICTURE_SIDE, label_scores
from calibration.tiles import cut
from tests.calibration.sketches import drawn

GREY: dict[str, Any] = {"hidden": "#c0c0c0", "opened": "#c0c0c0", "between": "#c0c0c0"}
WHITE = dict.fromkeys(GREY, "#ffffff")
BLACK = ["#000000"] * 8
SIMPLEX, DUPLEX = 0, 2
SMALL = {"ink": BLACK, "font": DUPLEX, "scale": 0.4, "thick": 1}
IN_THE_RIM = {**WHITE, **SMALL, "place": [0.15, 0.2]}
DRAWN: dict[str, dict[str, Any]] = {
    "blue on grey": {**GREY, "ink": ["#0000c8"] * 8, "font": DUPLEX},
    "black on white": {**WHITE, "ink": BLACK},
    "light on dark": dict.fromkeys(GREY, "#1e1e28") | {"ink": ["#f0f0f0"] * 8},
    "green": {"opened": "#e1e6eb", "ink": ["#78a028"] * 8, "font": DUPLEX},
    "a fifth of a tile": {**WHITE, **SMALL},
    "in the rim": {**IN_THE_RIM, "opened": "#d8d2c4", "raised": ["#8a826f", "#8a826f", 1]},
    "at a brown line": {**IN_THE_RIM, "raised": ["#8a826f", "#8a826f", 1]},
    "at a dark line": {**IN_THE_RIM, "raised": ["#1e1e1e", "#1e1e1e", 1]},
}


def pictures(text: str, style: dict[str, Any]) -> np.ndarray:
    """Draw a row of tiles and cut them as the product does."""
    frame, grid = drawn([text], {"tile": [40, 40], "inner": [40, 40], "scale": 0.9, **style})
    return np.asarray(cut(frame, grid, PICTURE_SIDE)[0])


def names(text: str, style: dict[str, Any]) -> list[str]:
    return [CLASSES[k] for k in label_scores(pictures(text, style)).argmax(axis=1)]


@pytest.mark.parametrize("how", DRAWN)
def test_digits_are_named_however_they_are_drawn(how: str) -> None:
    assert names("12345678", DRAWN[how]) == list("12345678")


def test_marks_mines_and_empty_tiles_are_named() -> None:
    marks = {"R": ["#", "fill #c81e1e"], "W": ["W", "bomb #0f0f0f", "cross #e60000"]}
    assert names("0RF?*XW", {**GREY, "paint": marks}) == [
        "empty", "empty", "flag", "question", "mine", "exploded", "wrong_flag",
    ]  # fmt: skip


def test_letters_are_no_digits_and_long_numbers_are_other() -> None:
    letters = {sign: ["#", f"text {sign} #000000 0.9"] for sign in "WKNAHY"}
    assert not {*names("WKNAHY", {**WHITE, "paint": letters})} & {*"12345678"}
    long = {sign: ["#", f"text {number} #000000 0.5"] for sign, number in
            zip("abc", ("12", "34", "99"), strict=True)}  # fmt: skip
    assert names("abc", {**WHITE, "paint": long}) == ["other"] * 3


def test_a_tile_is_rated_alone_as_among_others_and_scores_are_probabilities() -> None:
    three = pictures("*F5", GREY)
    scores = label_scores(three)
    alone = np.concatenate([label_scores(three[k : k + 1]) for k in range(3)])
    np.testing.assert_allclose(scores, alone, atol=1e-4)
    np.testing.assert_allclose(np.exp(scores).sum(axis=1), 1, atol=1e-5)
    none = np.empty((0, PICTURE_SIDE, PICTURE_SIDE, 3), np.uint8)
    assert label_scores(none).shape == (0, len(CLASSES))
    with pytest.raises(ValueError, match="48 pixels"):
        label_scores(np.zeros((2, 24, 24, 3), np.uint8))
