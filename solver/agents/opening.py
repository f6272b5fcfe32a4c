"""The first click of a game."""

from __future__ import annotations

from solver.board import Board, Cell
from solver.game import Rule
from solver.mine_total import analyse_likely


def untouched(board: Board) -> bool:
    """Whether every cell is still covered."""
    return bool(board.covered.all())


def first_click(board: Board, rule: Rule) -> Cell:
    """Choose the first cell for the first-click rule.

    A corner is most likely to show a zero. If the rule guarantees a zero, a cell a little inside
    opens more, because its area meets fewer edges.
    """
    if rule is not Rule.ZERO:
        return Cell(0, 0)
    inset = 3 if board.rows * board.cols > 256 else 2
    return Cell(min(inset, (board.rows - 1) // 2), min(inset, (board.cols - 1) // 2))


def first_survival(board: Board, rule: Rule) -> float:
    """Return the chance that the first click is safe."""
    if rule is not Rule.NONE:
        return 1.0
    return 1.0 - float(analyse_likely(board).probabilities[0, 0])
