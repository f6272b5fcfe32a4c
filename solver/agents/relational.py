"""Consistency over any combination of up to k constraints (k-RC).

Source: the thesis "Applying Constraint Satisfaction Problem and Reinforcement Learning on
Minesweeper" (2023), section 3.1.2, after K. Bayer, J. Snyder and B. Choueiry, "A Constraint-Based
Approach to Solving Minesweeper" (2006): GAC looks at each constraint alone, 2-RC and 3-RC at
every combination of two and three. The levels are applied in increasing order of cost, and any
news sends the agent back to the first.

Choices where the text leaves one:

- Only combinations linked by shared cells are looked at: others say no more than their parts.
- A combination is solved by the number of mines in each region, a set of cells in exactly the
  same constraints of it; that is all that can be told of its cells.
- When stuck it "can take a guess and continue": a random cell; ``stuck="stop"`` gives up instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from solver.agents.knowledge import Knowledge
from solver.agents.thesis import GUESS, Gac, partners
from solver.errors import InconsistentBoard, UnknownAgent

Regions = tuple[tuple[int, int], ...]
"""Pairs of a mask, which of the combination's constraints a cell is in, and a number of cells."""


class Relational(Gac):
    """Consistency of up to ``k`` constraints together."""

    how = "follow from a few numbers together"

    def __init__(self, *, seed: int = 0, k: int = 3, stuck: str = GUESS) -> None:
        self.name = f"relational-{k}"
        super().__init__(seed=seed, stuck=stuck)
        if k < 1:
            raise UnknownAgent("Relational consistency takes at least one constraint.")
        self.k = k

    def apply(self, known: Knowledge) -> None:
        """Bring the board to consistency, level after level."""
        waiting: dict[int, dict[int, None]] = {level: {} for level in range(2, self.k + 1)}
        _note(waiting, known.settle())
        level = 2
        while level <= self.k:
            if not waiting[level]:
                level += 1
            elif _check_one(known, waiting[level], level):
                _note(waiting, known.settle())
                level = 2


def _note(waiting: dict[int, dict[int, None]], numbers: list[int]) -> None:
    """Put changed numbers on every level's list."""
    for todo in waiting.values():
        todo.update(dict.fromkeys(numbers))


def _check_one(known: Knowledge, todo: dict[int, None], level: int) -> bool:
    """Check the combinations of one waiting number; stop at the first news and keep it waiting.

    Combinations with another waiting number are left to that one.
    """
    number = next(iter(todo))
    for combination in combinations(known, number, level):
        if all(other == number or other not in todo for other in combination) and learn_from(
            known, combination
        ):
            return True
    del todo[number]
    return False


def combinations(known: Knowledge, number: int, size: int) -> Iterator[tuple[int, ...]]:
    """Yield each linked combination of ``size`` unresolved numbers that holds ``number``."""
    grown = {frozenset((number,))} if known.cells[number] else set()
    for _ in range(size - 1):
        grown = {
            group | {other}
            for group in grown
            for member in group
            for other in partners(known, member)
            if other not in group
        }
    return (tuple(sorted(group)) for group in sorted(grown, key=sorted))


def learn_from(known: Knowledge, combination: tuple[int, ...]) -> bool:
    """Learn all that some constraints say together; tell whether anything was new."""
    masks: dict[int, int] = {}
    for bit, number in enumerate(combination):
        for cell in known.cells[number]:
            masks[cell] = masks.get(cell, 0) | 1 << bit
    regions = tuple(sorted(Counter(masks.values()).items()))
    safe, mined = consequences(regions, tuple(known.need[number] for number in combination))
    if not safe and not mined:
        return False
    return known.learn_all(
        safe=[cell for cell, mask in masks.items() if mask in safe],
        mines=[cell for cell, mask in masks.items() if mask in mined],
    )


@lru_cache(maxsize=1 << 16)
def consequences(regions: Regions, needs: tuple[int, ...]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the masks of the regions that are safe, and mined, in every solution.

    The same few patterns come up over and over, hence the cache. Raises `InconsistentBoard` when
    there is no solution.
    """
    counts = list(_fillings(regions, needs))
    if not counts:
        raise InconsistentBoard("Some numbers exclude each other.")
    each = list(zip(regions, zip(*counts, strict=True), strict=True))
    safe = frozenset(mask for (mask, _), mines in each if max(mines) == 0)
    mined = frozenset(mask for (mask, size), mines in each if min(mines) == size)
    return safe, mined


def _fillings(regions: Regions, needs: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield each way to put mines into the regions that meets every need."""
    if not regions:
        if not any(needs):
            yield ()
        return
    (mask, size), rest = regions[0], regions[1:]
    inside = [need for bit, need in enumerate(needs) if mask >> bit & 1]
    for mines in range(min(size, *inside) + 1):
        left = tuple(need - mines * (mask >> bit & 1) for bit, need in enumerate(needs))
        for others in _fillings(rest, left):
            yield (mines, *others)
