"""The CSP report's improved agents: backtracking over the most constrained cells.

Source: "MineSweeper AI", P. Kulkarni, 2020, sections 3.4 and 3.5. When the two rules of the basic
agent find no safe cell, every hidden cell beside a number becomes a variable (0 safe, 1 mine).
The 16 variables in most constraints are kept, with the constraints that concern them alone, and
all solutions are found. A variable that has one value in all solutions is proven. If no cell is
safe, the single improved agent opens a random cell, and the double improved agent opens the cell
that is a mine in the fewest of these solutions.

Where the report leaves a choice:

- Variables that no kept constraint touches are dropped: they could have either value.
- Among variables in equally many constraints, the first in reading order is kept.
- The report searches once per move and remembers the mines it found. These agents keep no state,
  so they search again after each new mine, until there is no new one.
- If no variable is left, the double improved agent opens a random cell as well.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from solver.agents.backtracking import MergedSolutions, SumConstraint, merge_solutions
from solver.agents.base import Decision
from solver.agents.basic import Basic
from solver.agents.constraint_store import ConstraintStore
from solver.agents.reasoner import Inference, guess_one, guessable
from solver.board import Board, Cell, Tile
from solver.errors import InconsistentBoard


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
