"""Boards: their text round-trips, and invalid boards raise a typed error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.agents import make_agent
from solver.analysis import analyse
from solver.board import MAX_SIDE, TEXT_OF_TILE, Board, Cell, Tile, count_neighbours
from solver.errors import BadBoardText, BadMineTotal, InconsistentBoard

TILES = st.sampled_from([int(tile) for tile in TEXT_OF_TILE])


@given(
    st.integers(1, 6).flatmap(
        lambda cols: st.lists(st.lists(TILES, min_size=cols, max_size=cols), min_size=1)
    )
)
def test_text_round_trips(rows: list[list[int]]) -> None:
    board = Board(rows, None)
    assert Board.from_text(str(board)) == board
    assert Board.from_text("\n\n  " + str(board).replace("\n", "  \n\n ") + "\n") == board


@pytest.mark.parametrize(
    "text",
    ["", "\n \n", "##\n#", "#\n##", "1#9", "ab", "\u0e3f#", "#" * (MAX_SIDE + 1)],
)
def test_invalid_text(text: str) -> None:
    with pytest.raises(BadBoardText):
        Board.from_text(text)


@pytest.mark.parametrize("tiles", [[], [[]], [1, 2], [[[0]]], [[9]], [[-8]]])
def test_invalid_arrays(tiles: list) -> None:
    with pytest.raises(BadBoardText):
        Board(tiles)


@pytest.mark.parametrize("mines", [-1, 5, 10**9])
def test_invalid_totals(mines: int) -> None:
    with pytest.raises(BadMineTotal):
        Board.from_text("##\n##", mines)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("shape", [(1, 1), (1, 200), (200, 1), (3, 5), (200, 200)])
@pytest.mark.parametrize("name", ["tank", "deep"])
def test_boards_without_a_mine_and_of_nothing_but_mines(name: str, shape: tuple[int, int]) -> None:
    hidden = np.full(shape, Tile.HIDDEN)
    cells = shape[0] * shape[1]
    none = make_agent(name).decide(Board(hidden, 0))
    assert len(none.moves) == cells
    assert none.certain
    assert make_agent(name).decide(Board(hidden, cells)).moves == ()


@pytest.mark.parametrize("text", ["1#", "#1#", "0#"])
@pytest.mark.parametrize("name", ["tank", "deep"])
def test_totals_against_the_numbers(name: str, text: str) -> None:
    board = Board.from_text(text, 1 if text == "0#" else 0)
    with pytest.raises(InconsistentBoard):
        analyse(board)
    with pytest.raises(InconsistentBoard):
        make_agent(name).decide(board)


@pytest.mark.parametrize("length", [2, 3, 30, 200])
def test_boards_of_one_row_and_of_one_column(length: int) -> None:
    """One number in the middle: a mine on either side of it, and the rest free or mined alike."""
    tiles = np.full((1, length), Tile.HIDDEN)
    tiles[0, length // 2] = 1
    for board in (Board(tiles, 1), Board(tiles.T, 1)):
        risk = analyse(board).probabilities.ravel()
        sides = [length // 2 - 1] + [length // 2 + 1] * (length > 2)
        assert risk[sides] == pytest.approx(1 / len(sides))
        assert np.nansum(risk) == pytest.approx(1.0)


def test_neighbours_are_counted_up_to_the_border() -> None:
    mask = np.ones((3, 4), np.bool_)
    assert count_neighbours(mask).tolist() == [[3, 5, 5, 3], [5, 8, 8, 5], [3, 5, 5, 3]]


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (2, 3), (16, 30)])
def test_neighbours_are_counted_cell_by_cell(shape: tuple[int, int]) -> None:
    mask = np.random.default_rng(1).random(shape) < 0.4
    board = Board(np.zeros(shape, np.int8))
    counted = [sum(bool(mask[near]) for near in board.neighbours(cell)) for cell in board.cells()]
    assert count_neighbours(mask).ravel().tolist() == counted


def test_known_mines_are_shown_where_they_are_hidden() -> None:
    board = Board.from_text("#1F\n##X", 2)
    known = board.with_known_mines([Cell(0, 0), Cell(0, 2), Cell(1, 2)])
    assert str(known) == "*1F\n##X"
    assert known.mines == 2
    assert board.with_known_mines([Cell(0, 1)]) is board
