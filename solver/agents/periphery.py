"""The README's agent: flag and pop, then enumeration over peripheries.

Source: "Minesweeper-AI" (README). Flag step and pop step are the single-number rules. When they
find nothing, the covered squares beside numbers are split into peripheries, chains of squares
linked by shared numbers, and large ones into smaller ones. In each, every layout of mines that
fits is counted; a square mined in none is popped, one mined in all is flagged, and else the
square mined in the smallest share is popped.

Choices where the README leaves one:

- A periphery of more than ``largest`` squares is cut, in the order in which the chain is walked,
  into pieces of at most that many. A number across a cut asks of a piece no more than it must:
  at least its mines less the squares outside, at most its mines. So 0 % and 100 % stay certain.
- All layouts count alike, whatever their number of mines; the mine counter is not used.
- Squares away from all numbers are popped only when there is no periphery: at random, the first
  one too. Of equal squares the first in reading order is popped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from solver.agents.base import Decision
from solver.agents.knowledge import Knowledge
from solver.agents.reasoner import Inference, Reasoner, guessable, one_guess
from solver.agents.search import Sum, merge_solutions
from solver.board import Board, Cell
from solver.errors import InconsistentBoard


@dataclass(frozen=True)
class Counted(Inference):
    """What the counts prove, and the chance of a mine on each periphery square."""

    risks: dict[Cell, float] = field(default_factory=dict)


class Periphery(Reasoner):
    """Flag and pop, then the least probability over peripheries of at most ``largest`` squares."""

    name = "periphery"
    how = "follow from flag and pop or from all layouts"

    def __init__(self, *, seed: int = 0, largest: int = 16) -> None:
        super().__init__(seed=seed)
        self.largest = largest

    def prove(self, board: Board) -> Inference:
        """Flag and pop; only when nothing pops, enumerate."""
        known = Knowledge(board)
        known.settle()
        risks: dict[int, float] = {}
        if not known.safe:
            for piece in pieces(known, self.largest):
                risks |= count_piece(known, piece)
            known.learn_all(
                safe=[square for square, risk in risks.items() if risk == 0],
                mines=[square for square, risk in risks.items() if risk == 1],
            )
            known.settle()
        return Counted(
            known.places(known.safe),
            known.places(known.mines),
            {known.place(square): risk for square, risk in risks.items()},
        )

    def guess(self, board: Board, inference: Inference) -> Decision:
        """Pop the periphery square of least risk, a random square without a periphery."""
        risks = inference.risks if isinstance(inference, Counted) else {}
        free = guessable(board, inference)
        squares = [square for square in risks if free[square]]
        if not squares:
            return self.random_guess(board, inference, "no periphery")
        best = min(squares, key=lambda square: (risks[square], square))
        why = f"least probability on the periphery, {risks[best]:.0%}"
        return one_guess(best, why, 1 - risks[best])


def pieces(known: Knowledge, largest: int) -> Iterator[list[int]]:
    """Yield the peripheries, large ones in pieces of at most ``largest`` squares."""
    left = dict.fromkeys(square for number in known.unresolved() for square in known.cells[number])
    while left:
        chain = _walk(known, next(iter(left)))
        for square in chain:
            del left[square]
        for at in range(0, len(chain), largest):
            yield chain[at : at + largest]


def _walk(known: Knowledge, start: int) -> list[int]:
    """List the squares linked to ``start`` by shared numbers, nearest first."""
    chain = {start: None}
    waiting = [start]
    for square in waiting:
        for number in known.numbers[square]:
            fresh = [near for near in sorted(known.cells[number]) if near not in chain]
            chain.update(dict.fromkeys(fresh))
            waiting.extend(fresh)
    return waiting


def count_piece(known: Knowledge, piece: list[int]) -> dict[int, float]:
    """Return the share of a piece's layouts that mine each of its squares."""
    inside = set(piece)
    numbers = dict.fromkeys(number for square in piece for number in known.numbers[square])
    sums = []
    for number in numbers:
        here = known.cells[number] & inside
        outside = len(known.cells[number]) - len(here)
        need = known.need[number]
        sums.append(Sum(tuple(here), max(0, need - outside), min(len(here), need)))
    merged = merge_solutions(piece, sums)
    if merged.solutions == 0:
        raise InconsistentBoard("No layout of mines fits the numbers.")
    return {square: merged.risk(square) for square in piece}
