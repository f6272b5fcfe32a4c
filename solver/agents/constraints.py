"""The constraints of a board, and all solutions of a few cells; the papers' agents use both.

Cells are flat indices (row * cols + col). Each open number beside a covered cell is one
constraint: exactly ``need`` of its ``unresolved`` cells are mines. A proven cell leaves its
constraints, and these are checked again, as in the thesis (4.1.1). Nothing is stored twice or
undone.

`merge_solutions` finds all solutions for a few cells by backtracking and merges them as they are
found (an idea of the CSP report, "future work", item 1): it keeps only their number, and for each
cell the number of solutions in which it is a mine. The time doubles with each cell, so callers pass
few cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np

from solver.board import Board, Cell, Tile, count_neighbours
from solver.errors import InconsistentBoard


@lru_cache(maxsize=32)
def neighbour_table(rows: int, cols: int) -> tuple[tuple[int, ...], ...]:
    """List the neighbours of every cell of a board of this size, as flat indices."""
    return tuple(
        tuple(
            near_row * cols + near_col
            for near_row in range(max(0, row - 1), min(rows, row + 2))
            for near_col in range(max(0, col - 1), min(cols, col + 2))
            if (near_row, near_col) != (row, col)
        )
        for row in range(rows)
        for col in range(cols)
    )


class ConstraintStore:
    """The proven mines and safe cells of one board, and the constraints on all other cells.

    ``mines`` and ``safe`` hold covered cells only. A constraint is identified by the cell that
    shows its number: ``unresolved[number]`` are the unproven covered cells beside it, and
    ``need[number]`` is how many of them are mines. ``constraints_on[cell]`` lists the constraints
    of a covered cell. Raises `InconsistentBoard` as soon as a constraint cannot be met.
    """

    def __init__(self, board: Board) -> None:
        self.cols = board.cols
        self.mines: set[int] = set()
        self.safe: set[int] = set()
        self.unresolved: dict[int, set[int]] = {}
        self.need: dict[int, int] = {}
        self.constraints_on: dict[int, list[int]] = {}
        self._to_check: list[int] = []
        near = neighbour_table(board.rows, board.cols)
        covered_cells = board.covered
        shown = (board.tiles == Tile.MINE) | (board.tiles == Tile.EXPLODED)
        need = (board.tiles - count_neighbours(shown)).ravel().tolist()
        is_covered = covered_cells.ravel().tolist()
        for number in np.flatnonzero(board.open & (count_neighbours(covered_cells) > 0)).tolist():
            covered = {cell for cell in near[number] if is_covered[cell]}
            self.unresolved[number] = covered
            self.need[number] = need[number]
            for cell in covered:
                self.constraints_on.setdefault(cell, []).append(number)
            self._check_later(number)

    def copy(self) -> Self:
        """Return an independent copy, to try an assumption on."""
        twin = object.__new__(type(self))
        twin.cols = self.cols
        twin.mines = set(self.mines)
        twin.safe = set(self.safe)
        twin.unresolved = {number: set(cells) for number, cells in self.unresolved.items()}
        twin.need = dict(self.need)
        twin.constraints_on = self.constraints_on
        twin._to_check = list(self._to_check)
        return twin

    def mark(self, cell: int, *, mine: bool) -> None:
        """Mark ``cell`` as a proven mine, or as proven safe."""
        if cell in (self.safe if mine else self.mines):
            raise InconsistentBoard(
                f"{self.cell_at(cell)} would have to be a mine and safe at once."
            )
        known = self.mines if mine else self.safe
        if cell in known:
            return
        known.add(cell)
        for number in self.constraints_on.get(cell, ()):
            self.unresolved[number].discard(cell)
            self.need[number] -= mine
            self._check_later(number)

    def mark_all(self, *, mines: Iterable[int] = (), safe: Iterable[int] = ()) -> bool:
        """Mark several cells; return whether any of them was new."""
        before = len(self.mines) + len(self.safe)
        for cell in list(mines):
            self.mark(cell, mine=True)
        for cell in list(safe):
            self.mark(cell, mine=False)
        return len(self.mines) + len(self.safe) > before

    def propagate(self) -> list[int]:
        """Apply the single-number rules until no constraint proves more.

        If a number needs as many mines as it has unresolved cells, all of them are mines; if it
        needs none, all are safe. Returns the numbers whose constraint changed.
        """
        changed: dict[int, None] = {}
        while self._to_check:
            number = self._to_check.pop()
            changed[number] = None
            cells, need = self.unresolved[number], self.need[number]
            if cells and need in (0, len(cells)):
                self.mark_all(**{"safe" if need == 0 else "mines": cells})
        return list(changed)

    def cell_at(self, cell: int) -> Cell:
        """Turn a flat index into a Cell."""
        return Cell(*divmod(cell, self.cols))

    def cells_at(self, cells: Iterable[int]) -> tuple[Cell, ...]:
        """Turn flat indices into Cells, row by row."""
        return tuple(self.cell_at(cell) for cell in sorted(cells))

    def unsatisfied(self) -> list[int]:
        """List the numbers that still have unresolved cells, in reading order."""
        return [number for number, cells in self.unresolved.items() if cells]

    def _check_later(self, number: int) -> None:
        if not 0 <= self.need[number] <= len(self.unresolved[number]):
            raise InconsistentBoard(f"The number at {tuple(self.cell_at(number))} cannot be met.")
        self._to_check.append(number)


# ---- all solutions of a few cells ----------------------------------------------------------------


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
