"""The strongest agent: endgame search near the end, look-ahead with the value net before it.

The candidates of the look-ahead are then compared by roll-outs: at the default level of thought for
the later guesses of a game, at higher ones (``deep:think=high``, ``--think high``) for all. See
`solver.thinking`.
"""

from __future__ import annotations

from functools import cached_property
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solver.agents.base import Decision, Move, avoid_flags, ignore_progress
from solver.agents.opening import first_click, first_survival, untouched
from solver.agents.tank import certain_moves, least_risk
from solver.analysis import analyse, cell_at, field_of
from solver.board import Board, Cell
from solver.counting import counted
from solver.exact.cache import Part
from solver.game import Rule
from solver.mine_total import analyse_likely, mean_total, mine_total_chances
from solver.search.limit import Limit
from solver.thinking.levels import DEFAULT, with_thought

if TYPE_CHECKING:
    from solver.search.guess import Guess
    from solver.search.value_net import Net


class Deep:
    """Opens what is certain; else guesses where the chance to win is best.

    ``limit`` stands in place of that of the level of thought.
    """

    name = "deep"

    def __init__(
        self, *, rule: Rule = Rule.SAFE, limit: Limit | None = None, think: str = DEFAULT
    ) -> None:
        self._rule = rule
        self._limit = limit or with_thought(Limit(), think)
        self.on_progress = ignore_progress

    @property
    def parts(self) -> tuple[Part, ...]:
        """The kernels it needs: those of the roll-outs only at a level that has any."""
        own = (Part.ANALYSIS, Part.GUESSES)
        return (*own, Part.THINKING) if self._limit.worlds else own

    def decide(self, board: Board) -> Decision:
        """Choose the moves of the next turn; raises `InconsistentBoard`."""
        return avoid_flags(board, self._choose(board))

    def _choose(self, board: Board) -> Decision:
        known = analyse(board)
        if settled := certain_moves(board, known):
            return settled
        if untouched(board):
            return self._open_first(board)
        if board.mines is None:
            return self._choose_without_total(board)
        cell, win, how = self._guess(board)
        survival = 1.0 - float(known.probabilities[cell])
        return Decision((Move(cell),), f"nothing is certain; {how}", survival, win)

    def _choose_without_total(self, board: Board) -> Decision:
        """Guess as with the mine total that is likely; what only that total tells is no certainty.

        The chance to survive is that over all totals, by their chances; that to win is not known.

        On boards of 10x10 it wins 86 % without the total, 85 % with it; the least risk where all
        layouts of all totals are equally likely, wins 71 % (`tests.bench.bench_mine_total`).
        """
        known = analyse_likely(board)
        total = mean_total(mine_total_chances(board))
        assumed = board.with_mines(total)
        at_total = analyse(assumed)
        settled = certain_moves(assumed, at_total)
        if settled is None:
            cell, _, how = self._guess(assumed)
        elif settled.moves:
            cell, how = settled.moves[0].cell, "this cell is safe then"
        else:
            cell, how = least_risk(board, known), "all cells left would be mines"
        survival = 1.0 - float(known.probabilities[cell])
        likely = counted(total, "is likely", "are likely")
        reason = f"the mine total is unknown, {likely}; {how}"
        return Decision((Move(cell),), reason, survival)

    def _guess(self, board: Board) -> tuple[Cell, float, str]:
        from solver.search.guess import Method  # noqa: PLC0415  numba loads when needed

        assert board.mines is not None
        position = (field_of(board), board.cols, board.mines, self._net, self._limit_on(board))
        cell, win, method = self._decide(*position)
        how = {
            Method.ENDGAME: "the best of all ways to play on",
            Method.LOOK_AHEAD: "the best in view of what it may show",
            Method.INDEPENDENT: "nothing that may be learned settles this place",
            Method.ROLL_OUTS: "the best of the worlds it was tried in",
        }[method]
        return cell_at(cell, board.cols), win, how

    def _decide(
        self, field: NDArray[np.int8], cols: int, mines: int, net: Net, limit: Limit
    ) -> Guess:
        if limit.worlds == 0:
            from solver.search.guess import decide  # noqa: PLC0415  numba loads when needed

            return decide(field, cols, mines, net, limit)
        from solver.thinking.think import decide as think  # noqa: PLC0415  numba loads when needed

        return think(field, cols, mines, net, limit, on_progress=self.on_progress)

    def _open_first(self, board: Board) -> Decision:
        survival = first_survival(board, self._rule)
        if board.mines is not None and _layouts(board) <= self._limit.whole:
            from solver.search.first_click import decide_first  # noqa: PLC0415  numba loads when needed

            spared = (Rule.NONE, Rule.SAFE, Rule.ZERO).index(self._rule)
            place, win = decide_first(
                field_of(board), board.cols, board.mines, self._limit_on(board), spared
            )
            if place >= 0:
                cell = cell_at(place, board.cols)
                return Decision((Move(cell),), "the best of all first clicks", survival, win)
        return Decision((Move(first_click(board, self._rule)),), "first click", survival)

    def _limit_on(self, board: Board) -> Limit:
        """Extend the endgame search to the whole game if the board is small enough."""
        if _layouts(board) > self._limit.whole:
            return self._limit
        whole = self._limit.whole
        return self._limit._replace(layouts=whole, positions=400 * whole)

    @cached_property
    def _net(self) -> Net:
        from solver.search.value_net import load_net  # noqa: PLC0415  numba loads when needed

        return load_net()


def _layouts(board: Board) -> int:
    assert board.mines is not None
    return comb(board.rows * board.cols, board.mines)
