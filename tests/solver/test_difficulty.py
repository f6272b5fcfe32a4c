"""Figures against boards counted by hand and another program, layouts read off finished boards."""

import numpy as np
import pytest

from solver.board import Board, Cell, count_neighbours
from solver.difficulty import difficulty_of, mines_of, three_bv, zini
from solver.game import Game, Rule


def layout(text: str) -> np.ndarray:
    """Read a layout drawn with ``*`` for mines."""
    return np.array([[char == "*" for char in row] for row in text.split()])


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        # The opening; the corner is an island of its own. Chording beside it costs as much.
        (".*.. **.. .... ....", (2, 1, 1, 2, 2)),
        # Four islands of one cell; a flag and a chord save nothing.
        ("*.* .*. *.*", (4, 0, 1, 4, 4)),
        # Opened, flagged and chorded at one edge (5 cells), two chords; from a corner it takes six.
        ("... .*. ...", (8, 0, 1, 5, 6)),
        # Eight cells with three clicks, four chords or clicks and one flag for the others.
        ("...... .*..*. ......", (16, 0, 1, 8, 10)),
        (". .", (1, 1, 0, 1, 1)),
        ("... ... ...", (1, 1, 0, 1, 1)),
        ("*.. ... ...", (1, 1, 0, 1, 1)),  # the zeros open the three numbers too
        ("*. ..", (3, 0, 1, 3, 3)),  # no zero: every number for itself
        ("..*.. ..*.. ..*..", (2, 2, 0, 2, 2)),
    ],
)
def test_figures_of_layouts_counted_by_hand(text: str, figures: tuple[int, ...]) -> None:
    found = difficulty_of(layout(text))
    assert (found.bv, found.openings, found.islands, found.zini, found.human_zini) == figures


@pytest.mark.parametrize("size", [(8, 8, 10), (16, 16, 40), (16, 30, 99)])
def test_figures_are_those_of_another_program(size: tuple[int, int, int]) -> None:
    """`ms_toollib` reads a board in one direction only; the best of eight is never more."""
    other = pytest.importorskip("ms_toollib", reason="needs the extra 'replays'")
    rows, cols, total = size
    rng = np.random.default_rng(rows + cols)
    for _ in range(5):
        mines = np.zeros(rows * cols, np.bool_)
        mines[rng.choice(rows * cols, total, replace=False)] = True
        mines = mines.reshape(rows, cols)
        board = np.where(mines, -1, count_neighbours(mines)).tolist()
        found = difficulty_of(mines)
        assert found.bv == three_bv(mines) == other.cal_bbbv(board)
        assert found.openings == other.cal_op(board)
        assert found.human_zini == other.cal_hzini(board)
        assert found.zini <= other.cal_zini(board)


def test_zini_is_the_same_however_a_board_is_turned() -> None:
    mines = np.random.default_rng(4).random((12, 9)) < 0.2
    turned = [np.rot90(one, quarter) for one in (mines, mines.T) for quarter in range(4)]
    assert len({zini(one) for one in turned}) == 1
    assert zini(mines) <= three_bv(mines)


@pytest.mark.parametrize("lost", [False, True])
def test_the_layout_of_a_finished_board(lost: bool) -> None:
    game = Game.random(8, 8, 10, rule=Rule.ZERO, seed=3)
    game.open(Cell(4, 4))
    assert game.mines is not None
    assert mines_of(game.board) is None
    for row, col in np.argwhere(game.mines == lost).tolist():
        game.open(Cell(row, col))
    found = mines_of(game.board)
    assert found is not None
    assert (found == game.mines).all()


def test_a_board_that_shows_only_one_mine_has_no_known_layout() -> None:
    assert mines_of(Board.from_text("1X#\n##1\n###", 3)) is None
