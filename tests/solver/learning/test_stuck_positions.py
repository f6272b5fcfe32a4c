"""What the thesis's network sees of a position, and what it learns from."""

import numpy as np

from solver.agents.base import Inference
from solver.agents.csp_dqn import COVERED_CODE, MINE_CODE, stuck_windows
from solver.arena.boards import Size
from solver.arena.training import StuckPositions
from solver.board import Board, Cell
from solver.game import Rule

BOARD = Board.from_text("#2#\n#3#\n###", mines=4)
KNOWN = Inference(mines=(Cell(0, 0), Cell(0, 2)))


def test_known_mines_are_taken_off_the_numbers() -> None:
    cells = np.array([[1, 1]])
    as_shown, less = (stuck_windows(BOARD, KNOWN, cells, less)[0] for less in (False, True))
    assert as_shown[1:4, 1:4].tolist() == [
        [MINE_CODE, 2, MINE_CODE],
        [COVERED_CODE, 3, COVERED_CODE],
        [COVERED_CODE] * 3,
    ]
    assert less[1:4, 1:4].tolist() == [
        [MINE_CODE, 0, MINE_CODE],
        [COVERED_CODE, 1, COVERED_CODE],
        [COVERED_CODE] * 3,
    ]
    assert not as_shown[[0, 4]].any()
    assert not as_shown[:, [0, 4]].any()


def test_a_stuck_position_is_a_covered_cell_of_the_numbered_game() -> None:
    source = StuckPositions(Size(9, 9, 10), Rule.ZERO, seed=3)
    found = [source(number) for number in range(12)]
    assert {one.mine for one in found} == {True, False}
    for one in found:
        assert one.codes[2, 2] == one.less[2, 2] == COVERED_CODE
        assert not one.mines[one.codes >= 0].any(), "an open cell is not a mine"
        assert one.mines[one.codes == MINE_CODE].all(), "a known mine is one"
        assert (one.less <= one.codes).all()
    again = source(7)
    assert all(np.array_equal(new, old) for new, old in zip(again, found[7], strict=True))
