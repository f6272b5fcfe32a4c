"""The report's improved agents: backtracking over the most restricted cells.

Source: "MineSweeper AI", P. Kulkarni, 2020, sections 3.4 and 3.5. When the two rules of the basic
agent find no safe cell, every hidden cell beside a number becomes a variable (0 safe, 1 mine).
The 16 variables that stand in most constraints are kept, with the constraints on them alone, and
all solutions are searched. A variable with one value in all of them is known. The single improved
agent opens a random cell when none is safe; the double improved one the cell mined in the fewest
of the same solutions.

Choices where the report leaves one:

- Variables that no kept constraint touches are dropped: they could take either value.
- Among equally restricted variables the one met first in reading order is kept.
- The report searches once a move and remembers the mines it found. These agents remember
  nothing, so they search again after each new mine, until none is new.
- When no variable is left, the double improved agent opens a random cell too.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from solver.agents.base import Decision
from solver.agents.basic import Basic
from solver.agents.knowledge import Knowledge
from solver.agents.reasoner import Inference, guessable, one_guess
from solver.agents.search import Merged, Sum, merge_solutions
from solver.board import Board, Cell, Tile
from solver.errors import InconsistentBoard


@dataclass(frozen=True)
class Solved(Inference):
    """What the search proved, and the solutions it came from."""

    merged: Merged | None = None


class SingleImproved(Basic):
    """Basic, then backtracking over the ``variables`` most restricted cells."""

    name = "single-improved"
    how = "follow from the rules or from all solutions"

    def __init__(self, *, seed: int = 0, variables: int = 16) -> None:
        super().__init__(seed=seed)
        self.variables = variables

    def prove(self, board: Board) -> Inference:
        """Apply the two rules; only when no cell is safe by them, search."""
        by_rules = super().prove(board)
        if by_rules.safe:
            return by_rules
        tiles = board.tiles.copy()
        for cell in by_rules.mines:
            tiles[cell] = Tile.MINE
        known = Knowledge(Board(tiles))
        known.settle()
        merged = self.search(known)
        while not known.safe and known.learn_all(mines=merged.mines, safe=merged.safe):
            known.settle()
            if not known.safe:
                merged = self.search(known)
        mines = sorted((*by_rules.mines, *known.places(known.mines)))
        return Solved(known.places(known.safe), tuple(mines), merged)

    def search(self, known: Knowledge) -> Merged:
        """Find all solutions for the most restricted cells."""
        cells, sums = most_restricted(known, self.variables)
        merged = merge_solutions(cells, sums)
        if merged.solutions == 0:
            raise InconsistentBoard("No layout of mines fits the numbers.")
        return merged


class DoubleImproved(SingleImproved):
    """Single-improved, then the cell mined in the fewest of those solutions."""

    name = "double-improved"

    def guess(self, board: Board, inference: Inference) -> Decision:
        """Open the searched cell of least frequency; a random one where none was searched."""
        merged = inference.merged if isinstance(inference, Solved) else None
        if merged is None:
            return self.random_guess(board, inference)
        free = guessable(board, inference).ravel()
        searched = [cell for cell in sorted(merged.mined) if free[cell]]
        if not searched:
            return self.random_guess(board, inference, "nothing to search")
        best = min(searched, key=merged.risk)
        cell = Cell(*divmod(best, board.cols))
        why = f"mined in {merged.mined[best]} of {merged.solutions} solutions, the fewest"
        return one_guess(cell, why, 1 - merged.risk(best))


def most_restricted(known: Knowledge, limit: int) -> tuple[list[int], list[Sum]]:
    """Return the ``limit`` cells in most constraints that only such cells share, and those."""
    numbers = known.unresolved()
    kept = set(_by_count(known, numbers)[:limit])
    inside = [number for number in numbers if known.cells[number] <= kept]
    sums = [
        Sum(tuple(known.cells[number]), known.need[number], known.need[number]) for number in inside
    ]
    return _by_count(known, inside), sums


def _by_count(known: Knowledge, numbers: list[int]) -> list[int]:
    """List the cells of ``numbers``, those in most of them first."""
    counts = Counter(cell for number in numbers for cell in sorted(known.cells[number]))
    return [cell for cell, _ in counts.most_common()]
