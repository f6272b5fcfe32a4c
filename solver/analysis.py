"""What can be known of a board: the seam between the engine and everything that asks it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from solver.board import Board, Cell, Tile
from solver.codes import FREE, HIDDEN, MINE
from solver.errors import BadCell, InconsistentBoard

_CODE_OF_TILE = np.arange(15, dtype=np.int8)
_CODE_OF_TILE[[Tile.HIDDEN, Tile.FLAG, Tile.QUESTION]] = HIDDEN  # negative tiles index from behind
_CODE_OF_TILE[[Tile.MINE, Tile.EXPLODED]] = MINE
_CODE_OF_TILE[Tile.WRONG_FLAG] = FREE


@dataclass(frozen=True, eq=False)
class Analysis:
    """Mine probabilities of one board.

    ``probabilities`` is a read-only float64 array ``(rows, cols)``: the chance that a covered
    cell is a mine, NaN elsewhere. ``solutions_log10`` counts the layouts that fit; without a mine
    total it counts layouts of every total alike. ``exact`` is false where a probability is an
    estimate.
    """

    probabilities: NDArray[np.float64]
    solutions_log10: float
    exact: bool

    @cached_property
    def safe(self) -> tuple[Cell, ...]:
        """The covered cells that are certainly free, row by row."""
        return _cells(self.probabilities == 0.0)

    @cached_property
    def mines(self) -> tuple[Cell, ...]:
        """The covered cells that are certainly mines, row by row."""
        return _cells(self.probabilities == 1.0)


def analyse(board: Board) -> Analysis:
    """Compute exact mine probabilities of ``board``.

    Flags and question marks count as hidden; a shown or exploded mine is a known mine and
    a wrong flag a known safe cell without a number. Where the total is unknown, every layout
    that fits the numbers counts alike, whatever its total: a cell off the frontier is then even
    odds. Raises `InconsistentBoard` when no layout fits the numbers and the total.
    """
    risk, log_layouts = _count(board)
    probabilities = risk.reshape(board.rows + 2, board.cols + 2)[1:-1, 1:-1].copy()
    probabilities[~board.covered] = np.nan
    probabilities.setflags(write=False)
    return Analysis(probabilities, float(log_layouts / log(10)), exact=True)


def sample_layouts(board: Board, count: int, *, seed: int = 0) -> NDArray[np.bool_]:
    """Draw whole layouts of mines that fit ``board``, independently, each as likely as any other.

    Returns bool ``(count, rows, cols)``. Where the total is unknown, layouts of every total are
    drawn alike, as in `analyse`. Raises `InconsistentBoard` when no layout fits.
    """
    from solver.worlds import draw_many  # noqa: PLC0415  numba loads when needed

    _count(board)
    state = np.array([seed % 2**64], np.uint64)
    worlds = draw_many(field_of(board), board.cols, _total(board), count, state)
    return worlds.reshape(count, board.rows + 2, board.cols + 2)[:, 1:-1, 1:-1].copy()


def number_chances(board: Board, cell: Cell) -> NDArray[np.float64]:
    """Compute the chance of each number 0-8 that a covered cell shows if it is opened now.

    They sum to the chance that the cell is no mine. Raises `BadCell` for a cell that is not on
    the board or not covered, `InconsistentBoard` when no layout fits.
    """
    row, col = cell
    if not (0 <= row < board.rows and 0 <= col < board.cols and board.covered[row, col]):
        raise BadCell(f"({row}, {col}) is no covered cell of this board.")
    log_all = _count(board)[1]
    logs = np.full(9, -np.inf)
    tiles = board.tiles.copy()
    for number in range(len(board.neighbours(cell)) + 1):
        tiles[cell] = number
        try:
            logs[number] = _count(Board(tiles, board.mines))[1]
        except InconsistentBoard:
            continue
    return np.exp(logs - log_all)


def _count(board: Board) -> tuple[NDArray[np.float64], float]:
    """Return the chances of a bordered field and the natural log of the number of layouts."""
    from solver.probability import chances  # noqa: PLC0415  numba loads with the first analysis

    risk, log_layouts = chances(field_of(board), board.cols, _total(board))
    if log_layouts == -np.inf:
        raise InconsistentBoard(_complaint(board))
    return risk, log_layouts


def _total(board: Board) -> int:
    """Return the mine total as the kernels take it, below 0 where it is unknown."""
    return -1 if board.mines is None else board.mines


def field_of(board: Board) -> NDArray[np.int8]:
    """Return the board as the flat, bordered array of codes that the kernels work on."""
    field = np.full((board.rows + 2, board.cols + 2), FREE, dtype=np.int8)
    field[1:-1, 1:-1] = _CODE_OF_TILE[board.tiles]
    return field.ravel()


def _cells(mask: NDArray[np.bool_]) -> tuple[Cell, ...]:
    return tuple(map(Cell._make, np.argwhere(mask).tolist()))


def _complaint(board: Board) -> str:
    if board.mines is None:
        return "No layout of mines fits the numbers on this board."
    return f"No layout of {board.mines} mines fits the numbers on this board."
