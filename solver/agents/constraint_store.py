"""What the numbers say of the covered cells: the knowledge the papers' agents reason on.

Cells are flat indices (row * cols + col). Each open number beside a covered cell is one
constraint: exactly ``need`` of its ``open_cells`` are mines. Learning a cell takes it out of its
constraints and puts those on the list to be checked again, as the thesis (4.1.1) does; nothing
is ever stored twice or undone.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Self

import numpy as np

from solver.board import Board, Cell, Tile, count_neighbours
from solver.errors import InconsistentBoard


@lru_cache(maxsize=32)
def neighbour_table(rows: int, cols: int) -> tuple[tuple[int, ...], ...]:
    """List the neighbours of every cell of a board of that size, all as flat indices."""
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


class Knowledge:
    """Known mines and safe cells of one board, and the constraints on all others.

    ``mines`` and ``safe`` hold covered cells only. ``cells[number]`` is what the open cell
    ``number`` still touches unresolved, ``need[number]`` how many mines are among them, and
    ``numbers[cell]`` the constraints a covered cell is in. Raises `InconsistentBoard` as soon
    as a constraint cannot be met.
    """

    def __init__(self, board: Board) -> None:
        self.cols = board.cols
        self.mines: set[int] = set()
        self.safe: set[int] = set()
        self.cells: dict[int, set[int]] = {}
        self.need: dict[int, int] = {}
        self.numbers: dict[int, list[int]] = {}
        self._to_check: list[int] = []
        near = neighbour_table(board.rows, board.cols)
        covered_cells = board.covered
        shown = (board.tiles == Tile.MINE) | (board.tiles == Tile.EXPLODED)
        need = (board.tiles - count_neighbours(shown)).ravel().tolist()
        is_covered = covered_cells.ravel().tolist()
        for number in np.flatnonzero(board.open & (count_neighbours(covered_cells) > 0)).tolist():
            covered = {cell for cell in near[number] if is_covered[cell]}
            self.cells[number] = covered
            self.need[number] = need[number]
            for cell in covered:
                self.numbers.setdefault(cell, []).append(number)
            self._check_later(number)

    def copy(self) -> Self:
        """Return an independent copy to try things on."""
        twin = object.__new__(type(self))
        twin.cols = self.cols
        twin.mines = set(self.mines)
        twin.safe = set(self.safe)
        twin.cells = {number: set(cells) for number, cells in self.cells.items()}
        twin.need = dict(self.need)
        twin.numbers = self.numbers
        twin._to_check = list(self._to_check)
        return twin

    def learn(self, cell: int, *, mine: bool) -> None:
        """Take in that ``cell`` is a mine, or that it is safe."""
        if cell in (self.safe if mine else self.mines):
            raise InconsistentBoard(f"{self.place(cell)} would have to be a mine and safe at once.")
        known = self.mines if mine else self.safe
        if cell in known:
            return
        known.add(cell)
        for number in self.numbers.get(cell, ()):
            self.cells[number].discard(cell)
            self.need[number] -= mine
            self._check_later(number)

    def learn_all(self, *, mines: Iterable[int] = (), safe: Iterable[int] = ()) -> bool:
        """Take in several cells; tell whether anything was new."""
        before = len(self.mines) + len(self.safe)
        for cell in list(mines):
            self.learn(cell, mine=True)
        for cell in list(safe):
            self.learn(cell, mine=False)
        return len(self.mines) + len(self.safe) > before

    def settle(self) -> list[int]:
        """Apply the single-number rules until no number says more.

        All unresolved cells of a number are mines when as many are needed, safe when none is.
        Returns the numbers whose constraint changed on the way.
        """
        changed: dict[int, None] = {}
        while self._to_check:
            number = self._to_check.pop()
            changed[number] = None
            cells, need = self.cells[number], self.need[number]
            if cells and need in (0, len(cells)):
                self.learn_all(**{"safe" if need == 0 else "mines": cells})
        return list(changed)

    def place(self, cell: int) -> Cell:
        """Turn a flat index into a Cell."""
        return Cell(*divmod(cell, self.cols))

    def places(self, cells: Iterable[int]) -> tuple[Cell, ...]:
        """Turn flat indices into Cells, row by row."""
        return tuple(self.place(cell) for cell in sorted(cells))

    def unresolved(self) -> list[int]:
        """List the numbers that still have something open, in reading order."""
        return [number for number, cells in self.cells.items() if cells]

    def _check_later(self, number: int) -> None:
        if not 0 <= self.need[number] <= len(self.cells[number]):
            raise InconsistentBoard(f"The number at {tuple(self.place(number))} cannot be met.")
        self._to_check.append(number)
