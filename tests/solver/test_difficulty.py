"""3BV against boards counted by hand, and layouts read off finished boards."""

import numpy as np
import pytest

from solver.board import Board, Cell
from solver.difficulty import mines_of, three_bv
from solver.game import Game, Rule


def layout(text: str) -> np.ndarray:
    """Read a layout drawn with ``*`` for mines."""
    return np.array([[char == "*" for char in row] for row in text.split()])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("... ... ...", 1),  # one opening
        ("*.. ... ...", 1),  # the zeros open the three numbers too
        ("*. ..", 3),  # no zero: every number for itself
        ("..*.. ..*.. ..*..", 2),  # two openings, all numbers beside them
        ("*.* .*. *.*", 4),
        (".*.. **.. .... ....", 2),  # the corner number is walled off
    ],
)
def test_3bv_of_layouts_counted_by_hand(text: str, value: int) -> None:
    assert three_bv(layout(text)) == value


def test_the_layout_of_a_finished_board() -> None:
    game = Game.random(8, 8, 10, rule=Rule.ZERO, seed=3)
    game.open(Cell(4, 4))
    assert game.mines is not None
    assert mines_of(game.board) is None
    for cell in game.board.cells():
        if not game.mines[cell]:
            game.open(cell)
    won = mines_of(game.board)
    assert won is not None
    assert (won == game.mines).all()
    lost = Game.random(8, 8, 10, rule=Rule.ZERO, seed=3)
    lost.open(Cell(4, 4))
    assert lost.mines is not None
    lost.open(Cell(*map(int, np.argwhere(lost.mines)[0])))
    shown = mines_of(lost.board)
    assert shown is not None
    assert (shown == lost.mines).all()


def test_a_board_that_shows_only_one_mine_has_no_known_layout() -> None:
    assert mines_of(Board.from_text("1X#\n##1\n###", 3)) is None
