"""Consistency over any combination of up to k constraints (k-RC).

Source: the thesis "Applying Constraint Satisfaction Problem and Reinforcement Learning on
Minesweeper" (2023), section 3.1.2, after K. Bayer, J. Snyder and B. Choueiry, "A Constraint-Based
Approach to Solving Minesweeper" (2006): GAC considers each constraint alone, 2-RC and 3-RC
every combination of two and three. The levels are applied in increasing order of cost; after any
new cell the agent starts again at the first level.

Where the text leaves a choice:

- Only combinations linked by shared cells are considered: others prove no more than their parts.
- A combination is solved by the number of mines in each region. A region is a set of cells in
  exactly the same constraints of the combination; nothing more can be known of its cells.
- When stuck it "can take a guess and continue": a random cell. With ``stuck="stop"`` it gives up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from solver.agents.constraint_store import ConstraintStore
from solver.agents.thesis import GUESS, Gac, partners
from solver.errors import InconsistentBoard, UnknownAgent

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
