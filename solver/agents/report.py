"""The CSP report's agents: ``basic``, ``single-improved`` and ``double-improved``.

Source: "MineSweeper AI", P. Kulkarni, 2020, sections 2.3 and 3.2 to 3.5.

The basic agent knows, for each cell, its status and five counts: ``cmn`` mine neighbours (the
number shown), ``ctn`` all neighbours, ``cism`` neighbours identified as safe, ``cimn`` identified
as mines, ``chn`` hidden. Its two rules:

1. cmn = cimn + chn: every hidden neighbour is a mine.
2. ctn - cmn = cism + chn: every hidden neighbour is safe.

The improved agents search when these find no safe cell: every hidden cell beside a number becomes
a variable (0 safe, 1 mine). The 16 variables in most constraints are kept, with the constraints
that concern them alone, and all solutions are found. A variable that has one value in all solutions
is proven. If no cell is safe, the single improved agent opens a random cell, and the double
improved agent opens the cell that is a mine in the fewest of these solutions.

Where the report leaves a choice:

- The report opens its inferred cells one by one; here they are one turn.
- As in the report (section 4.2, 3), a cell that is inferred to be safe is not entered as safe
  before it is opened, while a mine is entered at once.
- The random cell is drawn from all hidden cells, also at the first click.
- Variables that no kept constraint touches are dropped: they could have either value.
- Among variables in equally many constraints, the first in reading order is kept.
- The report searches once per move and remembers the mines it found. These agents keep no state,
  so they search again after each new mine, until there is no new one.
- If no variable is left, the double improved agent opens a random cell as well.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.agents.base import Decision, Inference, Reasoner, guess_one, guessable
from solver.agents.constraints import (
    ConstraintStore,
    MergedSolutions,
    SumConstraint,
    merge_solutions,
)
from solver.board import Board, Cell, Tile, count_neighbours
from solver.errors import InconsistentBoard

Mask = NDArray[np.bool_]


class VisibleBoard:
    """The report's knowledge base: status and counts of every cell, as arrays ``(rows, cols)``."""

    def __init__(self, board: Board) -> None:
        self.shows_number: Mask = board.open
        self.hidden: Mask = board.covered
        self.safe: Mask = board.open | (board.tiles == Tile.WRONG_FLAG)
        self.mine: Mask = (board.tiles == Tile.MINE) | (board.tiles == Tile.EXPLODED)
        self.cmn = board.tiles
        self.ctn = count_neighbours(np.ones(board.tiles.shape, dtype=np.bool_))
        self.count()

    def count(self) -> None:
        """Count the neighbours of each kind."""
        self.cism = count_neighbours(self.safe)
        self.cimn = count_neighbours(self.mine)
        self.chn = count_neighbours(self.hidden)

    def beside(self, numbers: Mask) -> Mask:
        """Mark the hidden cells that touch one of ``numbers``."""
        return self.hidden & (count_neighbours(numbers) > 0)

    def enter_mines(self, cells: Mask) -> None:
        """Enter ``cells`` as identified mines."""
        self.mine = self.mine | cells
        self.hidden = self.hidden & ~cells
        self.count()


class Basic(Reasoner):
    """Applies two rules, and opens a random cell if they prove none safe."""

    name = "basic"
    method = "proven by the two rules"

    def prove(self, board: Board) -> Inference:
        """Apply the two rules until no mine is new."""
        visible = VisibleBoard(board)
        safe, mines = apply_rules(visible)
        return Inference(cells_of(safe), cells_of(mines))


def apply_rules(visible: VisibleBoard) -> tuple[Mask, Mask]:
    """Enter all mines that rule 1 finds; return the hidden cells that are safe, and the mines."""
    found = np.zeros_like(visible.hidden)
    while True:
        full = visible.shows_number & (visible.cmn == visible.cimn + visible.chn)
        mines = visible.beside(full)
        if not mines.any():
            break
        visible.enter_mines(mines)
        found |= mines
    if (
        visible.shows_number
        & (visible.cmn != np.clip(visible.cmn, visible.cimn, visible.cimn + visible.chn))
    ).any():
        raise InconsistentBoard("A number cannot be met by the cells around it.")
    empty = visible.shows_number & (visible.ctn - visible.cmn == visible.cism + visible.chn)
    return visible.beside(empty), found


def cells_of(mask: Mask) -> tuple[Cell, ...]:
    """List the cells of a mask, row by row."""
    return tuple(Cell(row, col) for row, col in np.argwhere(mask).tolist())


@dataclass(frozen=True)
class SearchedInference(Inference):
    """What the search proved, and the solutions that prove it."""

    merged: MergedSolutions | None = None


class SingleImproved(Basic):
    """Adds to `Basic` backtracking over the ``variables`` most constrained cells."""

    name = "single-improved"
    method = "proven by the rules or by all solutions"

    def __init__(self, *, seed: int = 0, variables: int = 16) -> None:
        super().__init__(seed=seed)
        self.variables = variables

    def prove(self, board: Board) -> Inference:
        """Apply the two rules; search only if they prove no cell safe."""
        by_rules = super().prove(board)
        if by_rules.safe:
            return by_rules
        tiles = board.tiles.copy()
        for cell in by_rules.mines:
            tiles[cell] = Tile.MINE
        store = ConstraintStore(Board(tiles))
        store.propagate()
        merged = self.search(store)
        while not store.safe and store.mark_all(mines=merged.mines, safe=merged.safe):
            store.propagate()
            if not store.safe:
                merged = self.search(store)
        mines = sorted((*by_rules.mines, *store.cells_at(store.mines)))
        return SearchedInference(store.cells_at(store.safe), tuple(mines), merged)

    def search(self, store: ConstraintStore) -> MergedSolutions:
        """Find all solutions for the most constrained cells."""
        cells, sums = most_restricted(store, self.variables)
        merged = merge_solutions(cells, sums)
        if merged.solutions == 0:
            raise InconsistentBoard("No layout of mines fits the numbers.")
        return merged


class DoubleImproved(SingleImproved):
    """Adds to `SingleImproved` a guess: the cell that is a mine in the fewest solutions."""

    name = "double-improved"

    def guess(self, board: Board, inference: Inference) -> Decision:
        """Open the searched cell that is a mine least often; a random cell if none was searched."""
        merged = inference.merged if isinstance(inference, SearchedInference) else None
        if merged is None:
            return self.random_guess(board, inference)
        allowed = guessable(board, inference).ravel()
        searched = [cell for cell in sorted(merged.mine_counts) if allowed[cell]]
        if not searched:
            return self.random_guess(board, inference, "nothing to search")
        best = min(searched, key=merged.risk)
        cell = Cell(*divmod(best, board.cols))
        why = f"a mine in {merged.mine_counts[best]} of {merged.solutions} solutions, the fewest"
        return guess_one(cell, why, 1 - merged.risk(best))


def most_restricted(store: ConstraintStore, limit: int) -> tuple[list[int], list[SumConstraint]]:
    """Return the ``limit`` cells in most constraints, and the constraints on these cells alone.

    Cells in none of these constraints are left out.
    """
    numbers = store.unsatisfied()
    kept = set(_by_count(store, numbers)[:limit])
    inside = [number for number in numbers if store.unresolved[number] <= kept]
    sums = [
        SumConstraint(tuple(store.unresolved[number]), store.need[number], store.need[number])
        for number in inside
    ]
    return _by_count(store, inside), sums


def _by_count(store: ConstraintStore, numbers: list[int]) -> list[int]:
    """List the cells beside ``numbers``, those in most constraints first."""
    counts = Counter(cell for number in numbers for cell in sorted(store.unresolved[number]))
    return [cell for cell, _ in counts.most_common()]
