"""The thesis's three methods, each adding to the one before.

Source: "Applying Constraint Satisfaction Problem and Reinforcement Learning on Minesweeper",
A. Leblebjian and J. Alakach, 2023, section 4.1.

1. ``gac``: one number at a time. As many covered cells as mines: all mined; all its mines known:
   the others safe. A cell learned puts only the numbers around it back on the list.
2. ``two-constraint``: two numbers that share cells, together. Any news, and the first method goes
   again.
3. ``contradiction``: a flag on trial on a cell beside a number; the first two methods go on from
   it without opening anything. If a number can then not be met, the flag was wrong and the cell
   is safe; it is opened at once.

Choices where the thesis leaves one:

- When stuck they stop and the game counts as lost, as in table 5.1 ("without making any
  guesses"); ``stuck="guess"`` opens a random cell in place of the learned model.
- "Two numbers together" is taken in full: from the least and the most mines the shared cells can
  hold follows all that the pair says, the examples of figures 4.3 to 4.8 among it.
- Only flags are tried, never "this cell is safe", and the mine counter is not used.
- Cells for trial are taken in reading order.
"""

from __future__ import annotations

from solver.agents.base import Decision
from solver.agents.knowledge import Knowledge
from solver.agents.reasoner import Inference, Reasoner, background, give_up, one_guess
from solver.board import Board, Cell, Tile
from solver.errors import InconsistentBoard, UnknownAgent

STOP, GUESS = "stop", "guess"


class Gac(Reasoner):
    """The first method. Starts at the upper left cell."""

    name = "gac"
    how = "follow from single numbers"

    def __init__(self, *, seed: int = 0, stuck: str = STOP) -> None:
        super().__init__(seed=seed)
        if stuck not in (STOP, GUESS):
            raise UnknownAgent(f"{self.name} can {STOP} or {GUESS} when stuck, not {stuck!r}.")
        self.stuck = stuck

    def prove(self, board: Board) -> Inference:
        """Apply the methods until none brings news."""
        known = Knowledge(board)
        self.apply(known)
        return Inference(known.places(known.safe), known.places(known.mines))

    def apply(self, known: Knowledge) -> None:
        """Apply the methods this agent has."""
        known.settle()

    def guess(self, board: Board, inference: Inference) -> Decision:
        """Start at the upper left; later stop, or open a random cell."""
        if (board.tiles == Tile.HIDDEN).all():
            return one_guess(Cell(0, 0), "the upper left first", background(board, inference))
        if self.stuck == STOP:
            return give_up("no cell can be proven safe by its methods")
        return self.random_guess(board, inference)


class TwoConstraint(Gac):
    """The first two methods."""

    name = "two-constraint"
    how = "follow from two numbers together"

    def apply(self, known: Knowledge) -> None:
        """Settle single numbers, then pairs."""
        settle_pairs(known)


class Contradiction(TwoConstraint):
    """All three methods."""

    name = "contradiction"
    how = "follow from two numbers, or from a flag that breaks the board"

    def apply(self, known: Knowledge) -> None:
        """Settle single numbers and pairs; if nothing is safe, try flags."""
        settle_pairs(known)
        if not known.safe:
            wrong = wrong_flag(known)
            if wrong is not None:
                known.learn(wrong, mine=False)
                settle_pairs(known)


def wrong_flag(known: Knowledge) -> int | None:
    """Return the first cell whose flag leads to a number that cannot be met, None if there is none.

    Nothing is opened meanwhile: cells found safe under the flag stay closed.
    """
    for cell in sorted(set().union(*known.cells.values())):
        trial = known.copy()
        try:
            trial.learn(cell, mine=True)
            settle_pairs(trial)
        except InconsistentBoard:
            return cell
    return None


def settle_pairs(known: Knowledge) -> None:
    """Apply the first two methods until neither brings news."""
    waiting = dict.fromkeys(known.settle())
    while waiting:
        number = waiting.popitem()[0]
        for other in partners(known, number):
            if combine(known, number, other):
                waiting[number] = None
                waiting.update(dict.fromkeys(known.settle()))
                break


def partners(known: Knowledge, number: int) -> list[int]:
    """List the numbers that share an unresolved cell with ``number``."""
    shared = {other: None for cell in known.cells[number] for other in known.numbers[cell]}
    shared.pop(number, None)
    return list(shared)


def combine(known: Knowledge, one: int, other: int) -> bool:
    """Learn all that two numbers say together; tell whether anything was new."""
    first, second = known.cells[one], known.cells[other]
    shared, only_first, only_second = first & second, first - second, second - first
    need, need_other = known.need[one], known.need[other]
    least = max(0, need - len(only_first), need_other - len(only_second))
    most = min(len(shared), need, need_other)
    if least > most:
        raise InconsistentBoard(f"The numbers at {known.places((one, other))} exclude each other.")
    ranges = (
        (shared, least, most),
        (only_first, need - most, need - least),
        (only_second, need_other - most, need_other - least),
    )
    news = False
    for cells, low, high in ranges:
        if high == 0:
            news |= known.learn_all(safe=cells)
        elif low == len(cells):
            news |= known.learn_all(mines=cells)
    return news
