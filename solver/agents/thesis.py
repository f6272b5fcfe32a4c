"""The thesis's methods: ``gac``, ``two-constraint``, ``contradiction``, ``relational-1`` to ``-3``.

Source: "Applying Constraint Satisfaction Problem and Reinforcement Learning on Minesweeper",
A. Leblebjian and J. Alakach, 2023, section 4.1. Each of its three methods adds to the one before:

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

``relational-k`` makes any combination of up to k constraints consistent (section 3.1.2, after
K. Bayer, J. Snyder and B. Choueiry, "A Constraint-Based Approach to Solving Minesweeper", 2006).
The levels are applied in increasing order of cost; after any new cell the agent starts again at the
first level. Where the text leaves a choice:

- Only combinations linked by shared cells are considered: others prove no more than their parts.
- A combination is solved by the number of mines in each region. A region is a set of cells in
  exactly the same constraints of the combination; nothing more can be known of its cells.
- When stuck it "can take a guess and continue": a random cell. With ``stuck="stop"`` it gives up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from solver.agents.base import Decision, Inference, Reasoner, blind_survival, give_up, guess_one
from solver.agents.constraints import ConstraintStore
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


# ---- relational consistency ----------------------------------------------------------------------


Regions = tuple[tuple[int, int], ...]
"""Pairs of a bit mask (the constraints of the combination that a cell is in) and how many cells."""


class Relational(Gac):
    """Makes any ``k`` constraints consistent together."""

    method = "proven by a few numbers together"

    def __init__(self, *, seed: int = 0, k: int = 3, stuck: str = GUESS) -> None:
        self.name = f"relational-{k}"
        super().__init__(seed=seed, stuck=stuck)
        if k < 1:
            raise UnknownAgent("Relational consistency takes at least one constraint.")
        self.k = k

    def apply(self, store: ConstraintStore) -> None:
        """Make the board consistent, level after level."""
        waiting: dict[int, dict[int, None]] = {level: {} for level in range(2, self.k + 1)}
        _wake(waiting, store.propagate())
        level = 2
        while level <= self.k:
            if not waiting[level]:
                level += 1
            elif _check_one(store, waiting[level], level):
                _wake(waiting, store.propagate())
                level = 2


def _wake(waiting: dict[int, dict[int, None]], numbers: list[int]) -> None:
    """Add changed numbers to the list of every level."""
    for todo in waiting.values():
        todo.update(dict.fromkeys(numbers))


def _check_one(store: ConstraintStore, todo: dict[int, None], level: int) -> bool:
    """Check the combinations of one waiting number; return whether a cell was proven.

    The check ends at the first proven cell, and the number then stays in the list. A combination
    with another waiting number is checked when that number's turn comes.
    """
    number = next(iter(todo))
    for combination in combinations(store, number, level):
        if all(other == number or other not in todo for other in combination) and propagate_jointly(
            store, combination
        ):
            return True
    del todo[number]
    return False


def combinations(store: ConstraintStore, number: int, size: int) -> Iterator[tuple[int, ...]]:
    """Yield each linked combination of ``size`` numbers that includes ``number``."""
    grown = {frozenset((number,))} if store.unresolved[number] else set()
    for _ in range(size - 1):
        grown = {
            group | {other}
            for group in grown
            for member in group
            for other in partners(store, member)
            if other not in group
        }
    return (tuple(sorted(group)) for group in sorted(grown, key=sorted))


def propagate_jointly(store: ConstraintStore, combination: tuple[int, ...]) -> bool:
    """Mark everything that the constraints prove together; return whether anything was new."""
    masks: dict[int, int] = {}
    for bit, number in enumerate(combination):
        for cell in store.unresolved[number]:
            masks[cell] = masks.get(cell, 0) | 1 << bit
    regions = tuple(sorted(Counter(masks.values()).items()))
    safe, mined = consequences(regions, tuple(store.need[number] for number in combination))
    if not safe and not mined:
        return False
    return store.mark_all(
        safe=[cell for cell, mask in masks.items() if mask in safe],
        mines=[cell for cell, mask in masks.items() if mask in mined],
    )


@lru_cache(maxsize=1 << 16)
def consequences(regions: Regions, needs: tuple[int, ...]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the masks of the regions that are all safe, and all mines, in every solution.

    Results are cached because the same patterns occur again and again. Raises `InconsistentBoard`
    when there is no solution.
    """
    counts = list(_region_counts(regions, needs))
    if not counts:
        raise InconsistentBoard("Some numbers exclude each other.")
    each = list(zip(regions, zip(*counts, strict=True), strict=True))
    safe = frozenset(mask for (mask, _), mines in each if max(mines) == 0)
    mined = frozenset(mask for (mask, size), mines in each if min(mines) == size)
    return safe, mined


def _region_counts(regions: Regions, needs: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield all numbers of mines for the regions that meet every need."""
    if not regions:
        if not any(needs):
            yield ()
        return
    (mask, size), rest = regions[0], regions[1:]
    inside = [need for bit, need in enumerate(needs) if mask >> bit & 1]
    for mines in range(min(size, *inside) + 1):
        left = tuple(need - mines * (mask >> bit & 1) for bit, need in enumerate(needs))
        for others in _region_counts(rest, left):
            yield (mines, *others)
