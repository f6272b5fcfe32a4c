"""Backtracking over a few cells: how many solutions, and in how many each cell is a mine.

Solutions are merged as they are found (the report's future work, item 1): only the counts are
kept. Cost grows with 2 to the number of cells, so callers keep that number small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Sum:
    """From ``low`` to ``high`` of ``cells`` are mines."""

    cells: tuple[int, ...]
    low: int
    high: int


@dataclass(frozen=True)
class Merged:
    """All solutions at once: their count, and in how many of them each cell is a mine."""

    solutions: int
    mined: dict[int, int]

    @property
    def safe(self) -> list[int]:
        """List the cells that no solution mines."""
        return [cell for cell, count in self.mined.items() if count == 0]

    @property
    def mines(self) -> list[int]:
        """List the cells that every solution mines."""
        return [cell for cell, count in self.mined.items() if count == self.solutions]

    def risk(self, cell: int) -> float:
        """Return the share of the solutions in which ``cell`` is a mine."""
        return self.mined[cell] / self.solutions


def merge_solutions(cells: Sequence[int], sums: Sequence[Sum]) -> Merged:
    """Find every way to lay mines on ``cells`` that meets ``sums``, in the order of ``cells``.

    A branch is cut as soon as a sum cannot be met any more.
    """
    low = [each.low for each in sums]
    high = [each.high for each in sums]
    left = [len(each.cells) for each in sums]
    sums_of = [[i for i, each in enumerate(sums) if cell in each.cells] for cell in cells]
    mined = [0] * len(cells)

    def assign(at: int) -> int:
        """Assign the cells from ``at`` on; return the number of solutions below."""
        if at == len(cells):
            return 1
        found = 0
        touched = sums_of[at]
        for value in (0, 1):
            possible = True
            for i in touched:
                low[i] -= value
                high[i] -= value
                left[i] -= 1
                possible = possible and low[i] <= left[i] and high[i] >= 0
            if possible:
                below = assign(at + 1)
                found += below
                mined[at] += value * below
            for i in touched:
                low[i] += value
                high[i] += value
                left[i] += 1
        return found

    solutions = assign(0)
    return Merged(solutions, dict(zip(cells, mined, strict=True)))
