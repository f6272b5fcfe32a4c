"""The headless game against hand-drawn boards, and its rules against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.board import Cell, Tile, count_neighbours, flooded, marked
from solver.errors import BadCell, BadMineTotal
from solver.game import Game, Rule, Status


def game_of(drawing: str, rule: Rule = Rule.NONE) -> Game:
    """Lay a game out by hand: ``*`` is a mine."""
    rows = drawing.split("/")
    cells = [char for row in rows for char in row]
    order = sorted(range(len(cells)), key=lambda index: cells[index] != "*")
    return Game(len(rows), len(rows[0]), cells.count("*"), rule=rule, order=order)


def shown(game: Game) -> str:
    return "/".join(game.board.text_rows())


@pytest.mark.parametrize(
    ("drawing", "moves", "board", "status"),
    [
        ("...*/..../*...", "o00", "001#/111#/####", "playing"),  # a zero opens its area
        ("*../.../..*", "o11", "###/#2#/###", "playing"),
        ("*../.../..*", "o11 o02", "#10/#21/###", "playing"),
        ("*../...", "o02", "#10/#10", "playing"),
        ("*../...", "o02 o10", "F10/110", "won"),  # mines become flags
        # A loss shows mines, the exploded one and wrong flags; nothing happens after it.
        ("*.*/.../..*", "o11 f00 f01 o22", "FW*/#3#/##X", "lost"),
        ("*.*/.../..*", "o11 f00 f01 o22 o10 f10 c11", "FW*/#3#/##X", "lost"),
        # A flag protects its cell and comes off again; it cannot stand on an open cell.
        ("*./..", "f00 o00", "F#/##", "playing"),
        ("*./..", "f00 f00", "##/##", "playing"),
        ("*./..", "o11 f11", "##/#1", "playing"),
        # Question marks come between a flag and nothing, and can be opened.
        ("*./..", "q00", "F#/##", "playing"),
        ("*./..", "q00 q00", "?#/##", "playing"),
        ("*./..", "q00 q00 q00", "##/##", "playing"),
        ("*./..", "q00 q00 q00 q00", "F#/##", "playing"),
        ("*./..", "q11 q11 o11", "##/#1", "playing"),
        # A chord needs as many flags as its number says; with a wrong one it loses.
        ("*../.../..*", "o11 c11 f00 c11", "F##/#2#/###", "playing"),
        ("*../.../..*", "o11 f00 f22 c11", "F10/121/01F", "won"),
        ("*../.../...", "o11 f01 c11", "XW#/#1#/###", "lost"),
        ("...*/....", "f00 o11", "F01#/001#", "playing"),  # a flood leaves flags closed
    ],
)
def test_moves_by_hand(drawing: str, moves: str, board: str, status: str) -> None:
    """Of a move the first letter is what is done: open, flag, flag or question mark, chord."""
    game = game_of(drawing)
    for move in moves.split():
        cell = Cell(int(move[1]), int(move[2]))
        if move[0] == "q":
            game.flag(cell, question_marks=True)
        else:
            {"o": game.open, "f": game.flag, "c": game.chord}[move[0]](cell)
    assert (shown(game), game.status.value) == (board, status)


@pytest.mark.parametrize(
    ("rule", "spared"),
    [
        (Rule.NONE, set()),
        (Rule.SAFE, {(2, 2)}),
        (Rule.ZERO, {(row, col) for row in (1, 2, 3) for col in (1, 2, 3)}),
    ],
)
def test_the_first_click_is_spared_what_the_rule_says_and_no_more(
    rule: Rule, spared: set[tuple[int, int]]
) -> None:
    mined = np.zeros((5, 5), int)
    for seed in range(400):
        game = Game.random(5, 5, 12, rule=rule, seed=seed)
        game.open(Cell(2, 2))
        assert game.mines is not None
        assert game.mines.sum() == 12
        mined += game.mines
    assert {(int(row), int(col)) for row, col in np.argwhere(mined == 0)} == spared


def test_a_flag_before_the_first_opening_lays_no_mines() -> None:
    game = Game.random(4, 4, 5, rule=Rule.SAFE, seed=1)
    game.flag(Cell(0, 0))
    game.chord(Cell(1, 1))
    assert not game.started
    assert game.mines is None


@pytest.mark.parametrize("mines", [-1, 9, 10])
def test_a_total_without_a_free_cell_is_refused(mines: int) -> None:
    with pytest.raises(BadMineTotal):
        Game.random(3, 3, mines)


@given(st.data())
def test_a_first_click_opens_its_area_and_nothing_else(data: st.DataObject) -> None:
    rows, cols = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 7))
    mines = data.draw(st.integers(0, rows * cols - 1))
    game = Game.random(rows, cols, mines, rule=Rule.SAFE, seed=data.draw(st.integers(0, 10**6)))
    first = Cell(data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, cols - 1)))
    game.open(first)
    assert game.mines is not None
    numbers = count_neighbours(game.mines)
    opened = flooded(marked((rows, cols), [first]), (numbers == 0) & ~game.mines)
    assert (game.board.open == opened).all()
    assert (game.board.tiles[opened] == numbers[opened]).all()
    assert np.isin(game.board.tiles[~opened], (Tile.HIDDEN, Tile.FLAG)).all()
    assert game.status is (Status.WON if opened.sum() == rows * cols - mines else Status.PLAYING)


@pytest.mark.parametrize("cell", [Cell(-1, 0), Cell(0, -1), Cell(2, 0), Cell(0, 3)])
def test_no_cell_beside_the_board_is_played(cell: Cell) -> None:
    game = Game.random(2, 3, 1, seed=1)
    for act in (game.open, game.flag, game.chord, game.board.__getitem__):
        with pytest.raises(BadCell, match="rows are 0 to 1, columns 0 to 2"):
            act(cell)
    assert not game.started
    assert not game.board.open.any()


def test_a_board_takes_any_pair_and_a_game_shows_itself() -> None:
    game = Game.random(2, 3, 1, rule=Rule.SAFE, seed=1)
    assert game.board[0, 1] == game.board[Cell(0, 1)] == Tile.HIDDEN
    assert repr(game) == "Game(2x3, 1 mine, playing, '###/###')"
