"""Boards: their text round-trips, and invalid boards raise a typed error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.board import MAX_SIDE, TEXT_OF_TILE, Board, Cell, count_neighbours, flooded, marked
from solver.counting import counted
from solver.errors import BadBoardText, BadMineTotal

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


def test_a_board_says_what_its_cells_show() -> None:
    board = Board.from_text("1#F\n?*X\nW~.\n###", 3)
    assert (board.rows, board.cols, board.flags) == (4, 3, 1)
    cells = list(board.cells())
    assert cells[:4] == [Cell(0, 0), Cell(0, 1), Cell(0, 2), Cell(1, 0)]
    assert [TEXT_OF_TILE[board[cell]] for cell in cells] == list("1#F?*XW~0###")
    assert [cells[i] for i in np.flatnonzero(board.open)] == [Cell(0, 0), Cell(2, 2)]
    assert [cells[i] for i in np.flatnonzero(board.unknown)] == [Cell(2, 1)]
    covered = [Cell(0, 1), Cell(0, 2), Cell(1, 0), *cells[9:]]
    assert [cells[i] for i in np.flatnonzero(board.covered)] == covered
    assert board.hidden_cells() == [Cell(0, 1), *cells[9:]]
    assert board.neighbours(Cell(0, 0)) == [Cell(0, 1), Cell(1, 0), Cell(1, 1)]
    assert repr(board) == "Board('1#F/?*X/W~0/###', mines=3)"
    assert Cell(2, 6).place == "row 3, column 7"


def test_boards_are_values() -> None:
    board = Board.from_text("1#\n11", 1)
    assert {board, Board.from_text("1#\n11", 1)} == {board}
    others = [board.with_mines(2), Board.from_text("1#\n1#", 1), Board.from_text("1#11", 1)]
    assert len({board, *others}) == 4
    assert board != "1#\n11"
    assert board.with_mines(None).mines is None
    with pytest.raises(ValueError, match="read-only"):
        board.tiles[0, 0] = 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("\n \n", "empty"),
        ("##\n#", "Row 2 has 1 cell where row 1 has 2"),
        ("#\n##", "Row 2 has 2 cells"),
        ("1#9", "9"),
        ("ab", "a"),
        ("\u0e3f#", "\u0e3f"),
        ("#" * (MAX_SIDE + 1), "at most 400"),
        ("#\n" * (MAX_SIDE + 1), "at most 400"),
    ],
)
def test_invalid_text(text: str, says: str) -> None:
    with pytest.raises(BadBoardText, match=says):
        Board.from_text(text)
    assert Board.from_text("#" * MAX_SIDE, MAX_SIDE).cols == 400


@pytest.mark.parametrize("tiles", [[], [[]], [1, 2], [[[0]]], [[9]], [[-8]]])
def test_invalid_arrays(tiles: list) -> None:
    with pytest.raises(BadBoardText):
        Board(tiles)


@pytest.mark.parametrize(
    ("mines", "says"), [(-1, "-1 mines"), (5, "5 mines .* 4 cells"), (10**9, "4 cells")]
)
def test_invalid_totals(mines: int, says: str) -> None:
    with pytest.raises(BadMineTotal, match=says):
        Board.from_text("##\n##", mines)


def test_only_one_is_in_the_singular() -> None:
    assert [counted(n, "guess", "guesses") for n in (0, 1, 2)] == [
        "0 guesses",
        "1 guess",
        "2 guesses",
    ]
    with pytest.raises(BadMineTotal, match=r"^2 mines cannot lie on a board of 1 cell"):
        Board.from_text("#", mines=2)


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


@pytest.mark.parametrize("seed", range(6))
def test_a_flood_goes_from_zero_to_zero_and_one_cell_further(seed: int) -> None:
    rng = np.random.default_rng(seed)
    board = Board(np.zeros((9, 12), np.int8))
    zeros, opened = rng.random((9, 12)) < 0.35, rng.random((9, 12)) < 0.03
    reached = {cell for cell in board.cells() if opened[cell]}
    front = list(reached)
    while front:
        near = board.neighbours(cell) if zeros[cell := front.pop()] else []
        front += {*near} - reached
        reached |= {*near}
    assert (flooded(opened, zeros) == marked((9, 12), reached)).all()
