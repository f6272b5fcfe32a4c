"""Why a tile was read so: cues and the rival."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.classify.explain import excluded_tiles, explain, influence
from calibration.rules import UNREAD
from solver.board import Cell, Tile
from tests.calibration.drawing import IN_PART, NO_THEME, PLAYED, drawn, tiles


def test_an_explanation_names_cues_and_the_rival() -> None:
    frame, grid = drawn(PLAYED)
    found = explain(frame, grid, NO_THEME)
    counts = [len(one.cells) for one in found]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == grid.rows * grid.cols
    board = tiles(PLAYED)
    for one in found:
        assert {int(board[cell]) for cell in one.cells} == {one.label}
        assert one.rival != one.label
        assert one.confidence == one.chances[one.label] > one.chances[one.rival]
        assert [*one.chances.values()] == sorted(one.chances.values(), reverse=True)
        assert {tile for tile, chance in one.chances.items() if chance < 0.005} <= {one.rival}
        assert sum(one.chances.values()) == pytest.approx(1, abs=0.1)
        for said in one.cues.values():
            assert said.keys() == one.chances.keys()
            assert any(said.values())
    ones = next(one for one in found if one.label == 1)
    assert max(ones.cues["network"], key=ones.cues["network"].__getitem__) == 1


@pytest.mark.parametrize(
    ("board", "cell", "excluded"),
    [
        ("#10 ~10 #10", Cell(1, 0), (0, 3, 4, 5, 6, 7, 8)),  # the 1s need a mine here
        ("#10 #~0 #10", Cell(1, 1), (Tile.HIDDEN, 0, 4, 5, 6, 7, 8)),  # beside zeros
        ("00~ 000 000", Cell(0, 2), (Tile.HIDDEN, *range(1, 9))),
        ("3~ 1#", Cell(0, 1), (0, *range(2, 9))),  # the 3 is wrong whatever it is
    ],
)
def test_the_numbers_around_exclude_what_contradicts_them(
    board: str, cell: Cell, excluded: tuple[int, ...]
) -> None:
    before = tiles(board)
    assert excluded_tiles(before, cell) == excluded
    assert np.array_equal(before, tiles(board))


def test_what_decides_is_reported_of_a_single_tile() -> None:
    frame, grid = drawn(IN_PART, covered=(225, 225, 225))
    three = influence(frame, grid, NO_THEME, Cell(1, 5))
    assert (three.alone, three.without) == (3, {"drawing": UNREAD})
    frame, grid = drawn(PLAYED)
    zero = influence(frame, grid, NO_THEME, Cell(0, 6))
    assert zero.alone == Tile.HIDDEN  # both are plain; the numbers show which of them is open
    assert Tile.HIDDEN in zero.excluded
    assert zero.without == {}
