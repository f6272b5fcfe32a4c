"""Find all solutions for a few cells by backtracking.

Solutions are merged as they are found (an idea of the CSP report, "future work", item 1): only
their number is kept, and for each cell the number of solutions in which it is a mine. The time
doubles with each cell, so callers pass few cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SumConstraint:
    """The constraint that between ``low`` and ``high`` of ``cells`` are mines."""

    cells: tuple[int, ...]
    low: int
    high: int


@dataclass(frozen=True)
class MergedSolutions:
    """The number of solutions, and for each cell in how many of them it is a mine."""

    solutions: int
    mine_counts: dict[int, int]

    @property
    def safe(self) -> list[int]:
        """List the cells that are a mine in no solution."""
        return [cell for cell, count in self.mine_counts.items() if count == 0]

    @property
    def mines(self) -> list[int]:
        """List the cells that are a mine in every solution."""
        return [cell for cell, count in self.mine_counts.items() if count == self.solutions]

    def risk(self, cell: int) -> float:
        """Return the share of the solutions in which ``cell`` is a mine."""
        return self.mine_counts[cell] / self.solutions


def merge_solutions(cells: Sequence[int], sums: Sequence[SumConstraint]) -> MergedSolutions:
    """Find all ways to lay mines on ``cells`` that meet all of ``sums``.

    Cells are assigned in the order given. A branch ends as soon as a sum cannot be met any more.
    """
    low = [each.low for each in sums]
    high = [each.high for each in sums]
    left = [len(each.cells) for each in sums]
    sums_of = [[i for i, each in enumerate(sums) if cell in each.cells] for cell in cells]
    mine_counts = [0] * len(cells)

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
                mine_counts[at] += value * below
            for i in touched:
                low[i] += value
                high[i] += value
                left[i] += 1
        return found

    solutions = assign(0)
    return MergedSolutions(solutions, dict(zip(cells, mine_counts, strict=True)))
