"""The thesis's three methods; each adds to the one before.

Source: "Applying Constraint Satisfaction Problem and Reinforcement Learning on Minesweeper",
A. Leblebjian and J. Alakach, 2023, section 4.1.

1. ``gac`` (generalised arc consistency): one number at a time. If it has as many covered cells as
   mines, all are mines; if all its mines are known, the other cells are safe. After a cell is
   proven, only the numbers beside it are checked again.
2. ``two-constraint``: two numbers that share cells, together. After any new cell the first method
   runs again.
3. ``contradiction``: assume a flag on a cell beside a number and apply the first two methods,
   without opening anything. If a number then cannot be met, the flag was wrong and the cell is
   safe; it is opened at once.

Where the thesis leaves a choice:

- When stuck these agents stop and the game counts as lost, as in table 5.1 ("without making any
  guesses"); ``stuck="guess"`` opens a random cell, where the thesis asks its learned model.
- For two numbers together, the least and the most mines that the shared cells can hold are
  computed. All that the pair proves follows from them, also the examples of figures 4.3 to 4.8.
- Only flags are assumed, never "this cell is safe", and the mine counter is not used.
- Cells to assume a flag on are taken in reading order.
"""

from __future__ import annotations

from solver.agents.base import Decision
from solver.agents.constraint_store import ConstraintStore
from solver.agents.reasoner import Inference, Reasoner, blind_survival, give_up, guess_one
from solver.board import Board, Cell, Tile
from solver.errors import InconsistentBoard, UnknownAgent

STOP, GUESS = "stop", "guess"


class Gac(Reasoner):
    """Applies the first method. Starts at the upper left cell."""

    name = "gac"
    method = "proven by single numbers"

    def __init__(self, *, seed: int = 0, stuck: str = STOP) -> None:
        super().__init__(seed=seed)
        if stuck not in (STOP, GUESS):
            raise UnknownAgent(f"{self.name} can {STOP} or {GUESS} when stuck, not {stuck!r}.")
        self.stuck = stuck

    def prove(self, board: Board) -> Inference:
        """Apply the methods until none proves more."""
        store = ConstraintStore(board)
        self.apply(store)
        return Inference(store.cells_at(store.safe), store.cells_at(store.mines))

    def apply(self, store: ConstraintStore) -> None:
        """Apply the methods of this agent."""
        store.propagate()

    def guess(self, board: Board, inference: Inference) -> Decision:
        """Open the upper left cell first; later stop, or open a random cell."""
        if (board.tiles == Tile.HIDDEN).all():
            return guess_one(Cell(0, 0), "the upper left first", blind_survival(board, inference))
        if self.stuck == STOP:
            return give_up("no cell can be proven safe by its methods")
        return self.random_guess(board, inference)


class TwoConstraint(Gac):
    """Applies the first two methods."""

    name = "two-constraint"
    method = "proven by two numbers together"

    def apply(self, store: ConstraintStore) -> None:
        """Propagate single numbers, then pairs."""
        propagate_pairs(store)


class Contradiction(TwoConstraint):
    """Applies all three methods."""

    name = "contradiction"
    method = "proven by two numbers, or by a flag that contradicts a number"

    def apply(self, store: ConstraintStore) -> None:
        """Propagate single numbers and pairs; if no cell is safe, assume flags."""
        propagate_pairs(store)
        if not store.safe:
            wrong = wrong_flag(store)
            if wrong is not None:
                store.mark(wrong, mine=False)
                propagate_pairs(store)


def wrong_flag(store: ConstraintStore) -> int | None:
    """Return the first cell where a flag contradicts a number, or None.

    Nothing is opened for this: cells proven safe under the assumption stay covered.
    """
    for cell in sorted(set().union(*store.unresolved.values())):
        trial = store.copy()
        try:
            trial.mark(cell, mine=True)
            propagate_pairs(trial)
        except InconsistentBoard:
            return cell
    return None


def propagate_pairs(store: ConstraintStore) -> None:
    """Apply the first two methods until neither proves more."""
    waiting = dict.fromkeys(store.propagate())
    while waiting:
        number = waiting.popitem()[0]
        for other in partners(store, number):
            if combine(store, number, other):
                waiting[number] = None
                waiting.update(dict.fromkeys(store.propagate()))
                break


def partners(store: ConstraintStore, number: int) -> list[int]:
    """List the numbers that share an unresolved cell with ``number``."""
    shared = {
        other: None for cell in store.unresolved[number] for other in store.constraints_on[cell]
    }
    shared.pop(number, None)
    return list(shared)


def combine(store: ConstraintStore, one: int, other: int) -> bool:
    """Mark everything that two numbers prove together; return whether anything was new."""
    first, second = store.unresolved[one], store.unresolved[other]
    shared, only_first, only_second = first & second, first - second, second - first
    need, need_other = store.need[one], store.need[other]
    least = max(0, need - len(only_first), need_other - len(only_second))
    most = min(len(shared), need, need_other)
    if least > most:
        raise InconsistentBoard(
            f"The numbers at {store.cells_at((one, other))} exclude each other."
        )
    ranges = (
        (shared, least, most),
        (only_first, need - most, need - least),
        (only_second, need_other - most, need_other - least),
    )
    news = False
    for cells, low, high in ranges:
        if high == 0:
            news |= store.mark_all(safe=cells)
        elif low == len(cells):
            news |= store.mark_all(mines=cells)
    return news
