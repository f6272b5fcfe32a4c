"""The README's agent: flag and pop, then enumeration over peripheries.

Source: "Minesweeper-AI" (README). Flag step and pop step are the single-number rules. When they
find nothing, the covered squares beside numbers are split into peripheries (chains of squares
linked by shared numbers), and large peripheries into smaller ones. In each, all fitting layouts
are counted. A square that is a mine in no layout is popped, one that is a mine in all is flagged;
otherwise the square that is a mine in the smallest share of them is popped.

Where the README leaves a choice:

- A periphery of more than ``largest`` squares is cut into pieces of at most that many, in the
  order in which the chain is walked. A number with squares on both sides of a cut constrains a
  piece loosely: at least its mines minus its squares outside the piece, at most its mines. So a
  risk of 0 % or 100 % is still certain.
- All layouts count the same, whatever their number of mines; the mine counter is not used.
- Squares that touch no number are popped only if there is no periphery, at random; so is the
  first square. Of squares with equal risk the first in reading order is popped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from solver.agents.base import Decision, Inference, Reasoner, guess_one, guessable
from solver.agents.constraints import ConstraintStore, SumConstraint, merge_solutions
from solver.board import Board, Cell
from solver.errors import InconsistentBoard


@dataclass(frozen=True)
class CountedInference(Inference):
    """What the counts prove, and the risk of each periphery square."""

    risks: dict[Cell, float] = field(default_factory=dict)


class Periphery(Reasoner):
    """Flags and pops, then takes the least risk in peripheries of at most ``largest`` squares."""

    name = "periphery"
    method = "proven by flag and pop or by all layouts"

    def __init__(self, *, seed: int = 0, largest: int = 16) -> None:
        super().__init__(seed=seed)
        self.largest = largest

    def prove(self, board: Board) -> Inference:
        """Flag and pop; enumerate layouts only if nothing can be popped."""
        store = ConstraintStore(board)
        store.propagate()
        risks: dict[int, float] = {}
        if not store.safe:
            for piece in pieces(store, self.largest):
                risks |= count_piece(store, piece)
            store.mark_all(
                safe=[square for square, risk in risks.items() if risk == 0],
                mines=[square for square, risk in risks.items() if risk == 1],
            )
            store.propagate()
        return CountedInference(
            store.cells_at(store.safe),
            store.cells_at(store.mines),
            {store.cell_at(square): risk for square, risk in risks.items()},
        )

    def guess(self, board: Board, inference: Inference) -> Decision:
        """Pop the periphery square of least risk; a random square if there is no periphery."""
        risks = inference.risks if isinstance(inference, CountedInference) else {}
        allowed = guessable(board, inference)
        squares = [square for square in risks if allowed[square]]
        if not squares:
            return self.random_guess(board, inference, "no periphery")
        best = min(squares, key=lambda square: (risks[square], square))
        why = f"least probability on the periphery, {100 * risks[best]:.0f} %"
        return guess_one(best, why, 1 - risks[best])


def pieces(store: ConstraintStore, largest: int) -> Iterator[list[int]]:
    """Yield the peripheries; large ones are cut into pieces of at most ``largest`` squares."""
    left = dict.fromkeys(
        square for number in store.unsatisfied() for square in store.unresolved[number]
    )
    while left:
        chain = _chain_from(store, next(iter(left)))
        for square in chain:
            del left[square]
        for at in range(0, len(chain), largest):
            yield chain[at : at + largest]


def _chain_from(store: ConstraintStore, start: int) -> list[int]:
    """List the squares linked to ``start`` by shared numbers, nearest first."""
    chain = {start: None}
    waiting = [start]
    for square in waiting:
        for number in store.constraints_on[square]:
            fresh = [near for near in sorted(store.unresolved[number]) if near not in chain]
            chain.update(dict.fromkeys(fresh))
            waiting.extend(fresh)
    return waiting


def count_piece(store: ConstraintStore, piece: list[int]) -> dict[int, float]:
    """Return for each square of a piece the share of the layouts in which it is a mine."""
    inside = set(piece)
    numbers = dict.fromkeys(number for square in piece for number in store.constraints_on[square])
    sums = []
    for number in numbers:
        here = store.unresolved[number] & inside
        outside = len(store.unresolved[number]) - len(here)
        need = store.need[number]
        sums.append(SumConstraint(tuple(here), max(0, need - outside), min(len(here), need)))
    merged = merge_solutions(piece, sums)
    if merged.solutions == 0:
        raise InconsistentBoard("No layout of mines fits the numbers.")
    return {square: merged.risk(square) for square in piece}
