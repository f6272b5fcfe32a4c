"""Why a cell is certain, or why a board cannot be: a small set of numbers that proves it.

The proof is also put into one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from solver.analysis import Analysis, analyse
from solver.board import Board, Cell, Tile, count_neighbours
from solver.counting import counted
from solver.errors import BadCell, InconsistentBoard

MOST_TRIED, MOST_NAMED = 100, 6
"""Numbers among which a contradiction is looked for, and that a sentence names at most."""


@dataclass(frozen=True)
class Proof:
    """The numbers that make one cell certain; without any one of them it is not certain.

    ``mine`` is true for a certain mine, false for a certainly safe cell. ``numbers`` are the open
    cells whose numbers are needed, nearest first. ``uses_total`` is true if the mine total is
    needed too; there are no numbers if the total alone is enough.
    """

    cell: Cell
    mine: bool
    numbers: tuple[Cell, ...]
    uses_total: bool = False


def prove(board: Board, cell: Cell) -> Proof | None:
    """Find what makes ``cell`` certain; return None if it is not certain.

    Numbers are added from near to far until the cell is certain by the exact count. Then each
    number is removed if the cell stays certain without it (the deletion method for minimal
    unsatisfiable subsets). The result is minimal: no number in it can be removed. Of the minimal
    sets found by two orders of deletion, the smaller one is returned.

    Raises `BadCell` for a cell that is not covered, `InconsistentBoard` when no layout fits.
    """
    row, col = cell
    if not (0 <= row < board.rows and 0 <= col < board.cols and board.covered[row, col]):
        raise BadCell(f"({row}, {col}) is not a covered cell of this board.")
    risk = float(analyse(board).probabilities[cell])
    if risk not in (0.0, 1.0):
        return None
    numbers = _by_distance(board, cell)
    without_total = _analysed(board, numbers, uses_total=False)
    uses_total = bool(without_total.probabilities[cell] != risk)

    def follows(chosen: Sequence[Cell]) -> bool:
        return bool(_analysed(board, chosen, uses_total=uses_total).probabilities[cell] == risk)

    single = next((number for number in board.neighbours(cell) if follows((number,))), None)
    if single is not None and not follows(()):
        return Proof(cell, bool(risk), (single,), uses_total)
    near = numbers[: _fewest(len(numbers), lambda count: follows(numbers[:count]))]
    smallest = min((_minimal(near, order, follows) for order in (near[::-1], near)), key=len)
    return Proof(cell, bool(risk), smallest, uses_total)


def explain(board: Board, proof: Proof) -> str:
    """Explain a proof in one sentence; rows and columns count from 1.

    If one number beside the cell decides, the sentence says where its mines are, and which other
    numbers show that; otherwise it lists everything the proof needs.
    """
    if not proof.numbers:
        return _say_total(board, proof)
    known = _analysed(board, proof.numbers, uses_total=proof.uses_total)
    for number in proof.numbers:
        clause = _say_number(board, proof, known, number)
        if clause:
            rest = [one for one in proof.numbers if one != number]
            support = _named(board, rest, uses_total=proof.uses_total)
            return f"{clause} (shown by {support})." if support else f"{clause}."
    named = _named(board, proof.numbers, uses_total=proof.uses_total)
    claim = "without a mine" if proof.mine else "with a mine"
    return f"No layout {claim} at {proof.cell.place} fits {named}."


def contradiction(board: Board) -> str:
    """Name a minimal set of numbers that no layout of mines fits: "the 1 at row 2, column 2".

    The mine total is named too if it is needed. Flags are not taken for mines, so that a wrong one
    contradicts nothing. Empty for a board that some layout fits, and where no few numbers show it.
    """
    numbers = _by_distance(board, Cell(0, 0))

    def fails(chosen: Sequence[Cell], *, uses_total: bool = False) -> bool:
        try:
            _analysed(board, chosen, uses_total=uses_total)
        except InconsistentBoard:
            return True
        return False

    uses_total = not fails(numbers)
    fails_so = partial(fails, uses_total=uses_total)
    if not fails_so(numbers):
        return ""
    # The last of the first numbers that cannot be: what contradicts it lies near it, as a rule.
    first = numbers[: _fewest(len(numbers), lambda count: fails_so(numbers[:count]))]
    near = sorted(first, key=lambda one: _distance(one, first[-1])) if first else []
    near = near[: _fewest(len(near), lambda count: fails_so(near[:count]))]
    if len(near) > MOST_TRIED:
        return ""
    smallest = min((_minimal(near, order, fails_so) for order in (near[::-1], near)), key=len)
    named = _named(board, sorted(smallest), uses_total=uses_total)
    return named if len(smallest) <= MOST_NAMED else ""


def _by_distance(board: Board, cell: Cell) -> tuple[Cell, ...]:
    """Return the open cells that touch a covered cell, nearest to ``cell`` first."""
    beside_covered = board.open & (count_neighbours(board.covered | board.unknown) > 0)
    numbers = [Cell(int(row), int(col)) for row, col in np.argwhere(beside_covered)]
    return tuple(sorted(numbers, key=lambda one: _distance(one, cell)))


def _distance(one: Cell, other: Cell) -> tuple[int, int]:
    rows, cols = abs(one.row - other.row), abs(one.col - other.col)
    return max(rows, cols), rows + cols


def _analysed(board: Board, numbers: Sequence[Cell], *, uses_total: bool) -> Analysis:
    """Analyse the board as if only these numbers were known; other open cells are just safe."""
    tiles = np.where(board.open, int(Tile.WRONG_FLAG), board.tiles)
    for number in numbers:
        tiles[number] = board.tiles[number]
    return analyse(Board(tiles, board.mines if uses_total else None))


def _fewest(most: int, holds: Callable[[int], bool]) -> int:
    """Return the least count for which ``holds``; it holds for ``most`` and every larger count."""
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _minimal(
    numbers: Sequence[Cell], order: Sequence[Cell], follows: Callable[[Sequence[Cell]], bool]
) -> tuple[Cell, ...]:
    """Leave out, in this order, every number without which the conclusion still follows."""
    needed = list(numbers)
    for number in order:
        without = [one for one in needed if one != number]
        if follows(without):
            needed = without
    return tuple(needed)


def _say_total(board: Board, proof: Proof) -> str:
    """Explain a cell that is certain by the mine total alone."""
    if proof.mine:
        return f"As many covered cells are left as mines, {board.mines} in all."
    known = "The only mine is" if board.mines == 1 else f"All {board.mines} mines are"
    return f"{known} known, so every other covered cell is safe."


def _say_number(board: Board, proof: Proof, known: Analysis, number: Cell) -> str:
    """Explain how one number beside the cell decides it; empty if it does not."""
    around = board.neighbours(number)
    value = board[number]
    if proof.cell not in around or board.unknown[tuple(zip(*around, strict=True))].any():
        return ""
    covered = [cell for cell in around if board.covered[cell]]
    shown = sum(board[cell] in (Tile.MINE, Tile.EXPLODED) for cell in around)
    name = f"The {value} at {number.place}"
    if proof.mine:
        free = [cell for cell in covered if known.probabilities[cell] > 0.0]
        if len(free) + shown != value:
            return ""
        left = counted(len(free), "cell")
        return f"{name} has only {left} left for its mines: {_listed(free)}"
    mines = [cell for cell in covered if known.probabilities[cell] == 1.0]
    if len(mines) + shown != value:
        return ""
    if value == 0:
        return f"{name} has no mine beside it"
    amount = {1: "its mine", 2: "both its mines"}.get(value, f"all its {value} mines")
    return f"{name} has {amount} at {_listed(mines)}" if mines else f"{name} has {amount} shown"


def _named(board: Board, numbers: Sequence[Cell], *, uses_total: bool) -> str:
    """List numbers, and the mine total if it is used: "the 2 at ... and the 1 at ..."."""
    names = [f"the {board[number]} at {number.place}" for number in numbers]
    return _joined(names + (["the mine total"] if uses_total else []))


def _listed(cells: Sequence[Cell]) -> str:
    return _joined([cell.place for cell in cells])


def _joined(parts: Sequence[str]) -> str:
    """Join parts as in "a; b and c": the parts hold commas themselves."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{'; '.join(parts[:-1])} and {parts[-1]}"
