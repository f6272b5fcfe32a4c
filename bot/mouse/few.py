"""Play with few clicks: flags and chords where they save some, and one step a turn.

Efficiency, as players count it, is 3BV a click. A chord opens all other neighbours of a number
whose mines are flagged; what it opens may make the next chord better, so a turn takes one step.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bot.mouse.plan import ClickEffect, Clicks, PlannedClick, may_be_zero, numbers_beside
from solver.board import Board, Cell, Tile


class Chord(NamedTuple):
    """A number to chord on: the mines to flag before, and the cells it opens."""

    number: Cell
    to_flag: tuple[Cell, ...]
    to_open: tuple[Cell, ...]

    @property
    def saved(self) -> int:
        """The clicks that it saves over opening its cells one by one."""
        return len(self.to_open) - len(self.to_flag) - 1


def plan_step(
    board: Board, safe: Iterable[Cell], mines: Iterable[Cell], *, chords: bool = True
) -> Clicks:
    """Plan the step that saves most clicks, on a board with ``safe`` cells and certain ``mines``.

    That is a chord that saves one at least. Else a cell is opened: one that may be a zero, which
    opens more, and of those the one with most safe cells around it.
    """
    safe, mines = set(safe), set(mines)
    found = [_chord(board, number, safe, mines) for number in numbers_beside(board, sorted(safe))]
    best = max((one for one in found if one), key=lambda one: one.saved, default=None)
    if chords and best is not None and best.saved > 0:
        return (
            *(PlannedClick(cell, ClickEffect.FLAG, (cell,)) for cell in best.to_flag),
            PlannedClick(best.number, ClickEffect.CHORD, best.to_open),
        )
    zero = may_be_zero(board, mines, safe)

    def promise(cell: Cell) -> tuple[bool, int]:
        return bool(zero[cell]), len(safe.intersection(board.neighbours(cell)))

    cell = max(sorted(safe), key=promise)
    return (PlannedClick(cell, ClickEffect.OPEN, (cell,)),)


def _chord(board: Board, number: Cell, safe: set[Cell], mines: set[Cell]) -> Chord | None:
    """Return the chord on a number, None where a cell around it is neither safe nor a mine."""
    covered = [cell for cell in board.neighbours(number) if board.covered[cell]]
    around = [cell for cell in covered if cell in mines]
    if len(around) != board[number] or any(cell not in safe | mines for cell in covered):
        return None
    to_flag = tuple(cell for cell in around if board[cell] != Tile.FLAG)
    return Chord(number, to_flag, tuple(cell for cell in covered if cell in safe))
