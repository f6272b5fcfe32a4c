"""Which open cells cannot be right; boards drawn, `!` is a tile not read."""

import numpy as np
import pytest

from calibration.rules import UNREAD, broken, count_around, status_of
from solver.board import TILE_OF_TEXT


def tiles(*rows):
    codes = TILE_OF_TEXT | {"!": UNREAD}
    return np.array([[codes[char] for char in row] for row in rows], np.int8)


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        (("1#", "11"), 0),
        (("2#", "11"), 1),  # two mines in one place
        (("00", "0#"), 3),  # a zero opens all around it
        (("00", "0F"), 0),  # but not a flag
        (("1*", "1*"), 2),  # more mines shown than the number says
        (("8!", "11"), 1),
        (("1!", "11"), 0),
    ],
)
def test_broken_numbers(rows, wrong):
    assert broken(tiles(*rows)).sum() == wrong


def test_count_around_stops_at_the_border():
    mask = np.ones((3, 4), np.bool_)
    assert count_around(mask).tolist() == [[3, 5, 5, 3], [5, 8, 8, 5], [3, 5, 5, 3]]


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
def test_status(rows, mines, status):
    assert status_of(tiles(*rows), mines).value == status
