"""What the thesis's network sees of a position, and what it learns from."""

import numpy as np

from solver.agents.csp_dqn import COVERED_CODE, MINE_CODE
from solver.arena.boards import Size
from solver.arena.training import StuckPositions
from solver.game import Rule


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
