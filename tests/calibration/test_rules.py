"""Impossible numbers and the status of the game, on boards as text; `!` is a tile not read."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.rules import UNREAD, impossible_numbers, status_of, total_fits
from solver.board import TILE_OF_TEXT


def tiles(*rows: str) -> NDArray[np.int8]:
    codes = TILE_OF_TEXT | {"!": UNREAD}
    return np.array([[codes[char] for char in row] for row in rows], np.int8)


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        (("1#", "11"), 0),
        (("2#", "11"), 1),  # two mines in one place
        (("00", "0#"), 3),  # a zero opens all cells around it
        (("00", "0F"), 0),  # but not a flag
        (("1*", "1*"), 2),  # more mines shown than the number says
        (("8!", "11"), 1),
        (("1!", "11"), 0),
    ],
)
def test_impossible_numbers(rows: list[str], wrong: list[tuple[int, int]]) -> None:
    assert impossible_numbers(tiles(*rows)).sum() == wrong


@pytest.mark.parametrize(
    ("rows", "mines", "status"),
    [
        (("##", "##"), 1, "playing"),
        (("1#", "11"), 1, "won"),
        (("1F", "11"), None, "won"),
        (("1#", "1#"), None, "playing"),
        (("1X", "11"), 1, "lost"),
        (("1W", "11"), None, "lost"),
        (("###", "###"), None, "playing"),
    ],
)
def test_status(rows: list[str], mines: int | None, status: str) -> None:
    assert status_of(tiles(*rows), mines).value == status


@pytest.mark.parametrize(
    ("rows", "mines", "fits"),
    [
        (("1F", "11"), 1, True),
        (("1F", "11"), 2, False),  # every other cell is open
        (("1#", "1#"), 1, True),
        (("1#", "1#"), 3, False),
        (("**", "*#"), 2, False),  # more mines are shown
        (("##", "##"), 2, True),
        (("1F#", "12F", "001"), 3, True),
        (("01F", "01#"), 2, True),
    ],
)
def test_a_total_fits_a_board_or_not(rows: list[str], mines: int, fits: bool) -> None:
    assert total_fits(tiles(*rows), mines) == fits
