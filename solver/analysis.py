"""What can be known of a board: the seam between the engine and everything that asks it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.board import Board, Cell


@dataclass(frozen=True, eq=False)
class Analysis:
    """Mine probabilities of one board.

    ``probabilities`` is a read-only float64 array ``(rows, cols)``: the chance that a covered
    cell is a mine, NaN elsewhere. ``safe`` and ``mines`` list the covered cells that are
    certainly free and certainly mined, row by row. ``solutions_log10`` counts the layouts that
    fit; without a mine total it counts layouts of every total alike. ``exact`` is false where
    a probability is an estimate.
    """

    probabilities: NDArray[np.float64]
    safe: tuple[Cell, ...]
    mines: tuple[Cell, ...]
    solutions_log10: float
    exact: bool


def analyse(board: Board) -> Analysis:
    """Compute exact mine probabilities of ``board``.

    Flags and question marks count as hidden; a shown or exploded mine is a known mine and
    a wrong flag a known safe cell without a number. Raises `InconsistentBoard` when no layout
    fits the numbers and the total.
    """
    raise NotImplementedError
