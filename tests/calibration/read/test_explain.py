"""Why a tile was read so: its look, the numbers around, and the rival."""

from __future__ import annotations

import pytest

from calibration.read.explain import excluded_tiles, explain
from solver.board import Cell, Tile
from tests.calibration.drawing import PLAYED, drawn, tiles


def test_an_explanation_names_every_tile_its_rival_and_what_its_look_says() -> None:
    frame, grid = drawn(PLAYED)
    found = explain(frame, grid)
    assert sum(len(one.cells) for one in found) == grid.rows * grid.cols
    board = tiles(PLAYED)
    for one in found:
        assert {int(board[cell]) for cell in one.cells} == {one.label}
        assert one.rival != one.label
        assert one.chances[one.label] > one.chances[one.rival]
        assert sum(one.chances.values()) == pytest.approx(1, abs=0.1)
    ones = next(one for one in found if one.label == 1)
    assert max(ones.alone, key=ones.alone.__getitem__) == 1


@pytest.mark.parametrize(
    ("board", "cell", "excluded"),
    [
        (
            "#10 ~10 #10",
            Cell(1, 0),
            (0, 3, 4, 5, 6, 7, 8),
        ),  # the 1s need a mine here
        (
            "#10 #~0 #10",
            Cell(1, 1),
            (Tile.HIDDEN, 0, 4, 5, 6, 7, 8),
        ),  # beside zeros
        ("00~ 000 000", Cell(0, 2), (Tile.HIDDEN, *range(1, 9))),
    ],
)
def test_the_numbers_around_exclude_what_contradicts_them(
    board: str, cell: Cell, excluded: tuple[int, ...]
) -> None:
    assert excluded_tiles(tiles(board), cell) == excluded
