"""What can be known of a board: the seam between the engine and everything that asks it."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from solver.board import Board, Cell, Tile
from solver.codes import FREE, HIDDEN, MINE
from solver.errors import InconsistentBoard

_CODE_OF_TILE = np.arange(15, dtype=np.int8)
_CODE_OF_TILE[[Tile.HIDDEN, Tile.FLAG, Tile.QUESTION]] = HIDDEN  # negative tiles index from behind
_CODE_OF_TILE[[Tile.MINE, Tile.EXPLODED]] = MINE
_CODE_OF_TILE[Tile.WRONG_FLAG] = FREE


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
    a wrong flag a known safe cell without a number. Where the total is unknown, every layout
    that fits the numbers counts alike, whatever its total: a cell off the frontier is then even
    odds. Raises `InconsistentBoard` when no layout fits the numbers and the total.
    """
    from solver.probability import chances  # noqa: PLC0415  numba loads with the first analysis

    mines = -1 if board.mines is None else board.mines
    risk, log_layouts = chances(field_of(board), board.cols, mines)
    if log_layouts == -np.inf:
        raise InconsistentBoard(_complaint(board))
    probabilities = risk.reshape(board.rows + 2, board.cols + 2)[1:-1, 1:-1].copy()
    probabilities[~board.covered] = np.nan
    probabilities.setflags(write=False)
    return Analysis(
        probabilities,
        _cells(probabilities == 0.0),
        _cells(probabilities == 1.0),
        float(log_layouts / log(10)),
        exact=True,
    )


def field_of(board: Board) -> NDArray[np.int8]:
    """Return the board as the flat, bordered array of codes that the kernels work on."""
    field = np.full((board.rows + 2, board.cols + 2), FREE, dtype=np.int8)
    field[1:-1, 1:-1] = _CODE_OF_TILE[board.tiles]
    return field.ravel()


def _cells(mask: NDArray[np.bool_]) -> tuple[Cell, ...]:
    return tuple(Cell(row, col) for row, col in np.argwhere(mask).tolist())


def _complaint(board: Board) -> str:
    if board.mines is None:
        return "No layout of mines fits the numbers on this board."
    return f"No layout of {board.mines} mines fits the numbers on this board."
