"""Compute what can be known of a board: mine probabilities, layouts drawn at random.

The counting itself is in `solver.exact`; this module turns boards into its arrays and back.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from solver.board import Board, Cell, Tile
from solver.counting import counted
from solver.errors import BadCell, InconsistentBoard, TooManyPlacements
from solver.exact.codes import FREE, HIDDEN, MINE

_CODE_OF_TILE = np.arange(15, dtype=np.int8)
_CODE_OF_TILE[[Tile.HIDDEN, Tile.FLAG, Tile.QUESTION]] = HIDDEN  # negative tiles index from behind
_CODE_OF_TILE[[Tile.MINE, Tile.EXPLODED]] = MINE
_CODE_OF_TILE[Tile.WRONG_FLAG] = FREE

_USUAL_DENSITY = 0.2
"""Share of mines that keeps the weights of a count of all totals near one."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """Mine probabilities of one board.

    ``probabilities`` is a read-only float64 array ``(rows, cols)``: the risk of each covered
    cell, NaN elsewhere. ``solutions_log10`` is the decimal logarithm of the number of solutions;
    without a mine total, solutions of every total are counted. ``exact`` is false if a
    probability is an estimate.
    """

    probabilities: NDArray[np.float64]
    solutions_log10: float
    exact: bool

    @cached_property
    def safe(self) -> tuple[Cell, ...]:
        """The covered cells that are certainly safe, row by row."""
        return _cells(self.probabilities == 0.0)

    @cached_property
    def mines(self) -> tuple[Cell, ...]:
        """The covered cells that are certainly mines, row by row."""
        return _cells(self.probabilities == 1.0)


def analyse(board: Board) -> Analysis:
    r"""Compute exact mine probabilities of ``board``.

    Flags and question marks count as hidden. A shown or exploded mine is a known mine, a wrong
    flag a known safe cell without a number. If the mine total is unknown, all layouts that fit
    the numbers are equally likely, whatever their total; an unconstrained cell then has risk 0.5.
    Raises `InconsistentBoard` when no layout fits the numbers and the total, `TooManyPlacements`
    when they take more than about 2 GB to count.

    >>> analysis = analyse(Board.from_text("##1\n221", mines=2))
    >>> analysis.mines, analysis.safe
    ((Cell(row=0, col=0), Cell(row=0, col=1)), ())
    >>> analyse(Board.from_text("#1#\n#1#", mines=1)).probabilities[:, 0].tolist()
    [0.25, 0.25]
    """
    risk, log_layouts = _count(board)
    probabilities = risk.reshape(board.rows + 2, board.cols + 2)[1:-1, 1:-1].copy()
    probabilities[~board.covered] = np.nan
    probabilities.setflags(write=False)
    return Analysis(probabilities, float(log_layouts / log(10)), exact=True)


def layouts_by_total(board: Board) -> NDArray[np.float64]:
    """Count the layouts that fit ``board`` with each mine total from 0 to all cells.

    Returns their natural logarithms, less one constant that is the same for all totals; minus
    infinity where no layout fits. Raises as `analyse` does.
    """
    from solver.exact.mine_totals import weigh_totals  # noqa: PLC0415  numba loads when needed

    logs = weigh_totals(field_of(board), board.cols, _USUAL_DENSITY)
    _refuse_uncountable(board, float(logs.max()))
    return logs


def sample_layouts(board: Board, count: int, *, seed: int = 0) -> NDArray[np.bool_]:
    """Draw solutions of ``board`` at random, independently and all equally likely.

    Returns a bool array ``(count, rows, cols)``, true where a mine is. If the mine total is
    unknown, solutions of every total are equally likely, as in `analyse`. Raises
    `InconsistentBoard` when no layout fits.
    """
    from solver.exact.sampling import draw_layouts  # noqa: PLC0415  numba loads when needed

    _count(board)
    state = np.array([seed % 2**64], np.uint64)
    layouts = draw_layouts(field_of(board), board.cols, _total(board), count, state)
    return layouts.reshape(count, board.rows + 2, board.cols + 2)[:, 1:-1, 1:-1].copy()


def number_chances(board: Board, cell: Cell) -> NDArray[np.float64]:
    """Compute the chance that a covered cell shows each number 0-8 if it is opened now.

    Returns a float64 array of length 9; its sum is the chance that the cell is no mine. Raises
    `BadCell` for a cell that is not on the board or not covered, `InconsistentBoard` when no
    layout fits.
    """
    row, col = cell
    if not (0 <= row < board.rows and 0 <= col < board.cols and board.covered[row, col]):
        raise BadCell(f"({row}, {col}) is not a covered cell of this board.")
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
    from solver.exact.probability import mine_risks  # noqa: PLC0415  numba loads with the first analysis

    risk, log_layouts = mine_risks(field_of(board), board.cols, _total(board))
    _refuse_uncountable(board, log_layouts)
    return risk, log_layouts


def _refuse_uncountable(board: Board, log_layouts: float) -> None:
    """Raise what the logarithm of a number of layouts means where it is not finite."""
    if log_layouts == -np.inf:
        raise InconsistentBoard(_no_layout_message(board))
    if log_layouts == np.inf:
        raise TooManyPlacements(
            "The numbers on this board leave too many placements to count: give a smaller board, "
            "or one with more cells open."
        )


def _total(board: Board) -> int:
    """Return the mine total as the kernels take it, below 0 if it is unknown."""
    return -1 if board.mines is None else board.mines


def field_of(board: Board) -> NDArray[np.int8]:
    """Return the board as the flat, bordered array of codes that the kernels work on."""
    field = np.full((board.rows + 2, board.cols + 2), FREE, dtype=np.int8)
    field[1:-1, 1:-1] = _CODE_OF_TILE[board.tiles]
    return field.ravel()


def cell_at(place: int, cols: int) -> Cell:
    """Return the cell that stands at a place of the array of `field_of`."""
    return Cell(place // (cols + 2) - 1, place % (cols + 2) - 1)


def _cells(mask: NDArray[np.bool_]) -> tuple[Cell, ...]:
    return tuple(map(Cell._make, np.argwhere(mask).tolist()))


def _no_layout_message(board: Board) -> str:
    if board.mines is None:
        return "No layout of mines fits the numbers on this board."
    return f"No layout of {counted(board.mines, 'mine')} fits the numbers on this board."
