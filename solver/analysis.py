"""Compute the mine probabilities of a board, and draw random layouts.

The counting itself is done by `solver.engine`; this module converts boards to arrays and back. For
a board without a mine counter the mine total is estimated, and risks follow from all totals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import exp, lgamma, log

import numpy as np
from numpy.typing import NDArray

from solver.board import Board, Cell
from solver.counting import counted
from solver.engine import calls
from solver.errors import BadCell, InconsistentBoard, TooManyPlacements

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
    flag a known safe cell without a number. An unknown cell may or may not be a mine; its risk is
    NaN. If the mine total is unknown, all layouts that fit the numbers are equally likely,
    whatever their total; an unconstrained cell then has risk 0.5. Raises `InconsistentBoard` when
    no layout fits the numbers and the total, `TooManyPlacements` when counting them takes too much
    memory.

    >>> analysis = analyse(Board.from_text("##1\n221", mines=2))
    >>> analysis.mines, analysis.safe
    ((Cell(row=0, col=0), Cell(row=0, col=1)), ())
    >>> analyse(Board.from_text("#1#\n#1#", mines=1)).probabilities[:, 0].tolist()
    [0.25, 0.25]
    """
    probabilities, log_layouts = _count(board)
    probabilities.setflags(write=False)
    return Analysis(probabilities, log_layouts / log(10), exact=True)


def certain_cells(tiles: NDArray[np.int8]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    """Mark the covered cells that are certainly mines, and those that are certainly safe.

    ``tiles`` is int8 ``(rows, cols)`` as in `Board`; the masks have the same shape. Returns None
    when no layout fits the numbers, and empty masks if counting the layouts takes over 10 ms.

    >>> mines, safe = certain_cells(Board.from_text("##1 221".replace(" ", chr(10))).tiles)
    >>> mines.tolist()[0], bool(safe.any())
    ([True, True, False], False)
    """
    try:
        risks, _ = calls.risks(tiles, None, quick=True)
    except calls.NoLayout:
        return None
    except calls.TooLarge:
        risks = np.full(tiles.shape, np.nan)
    return risks == 1.0, risks == 0.0


def layouts_by_total(board: Board) -> NDArray[np.float64]:
    """Count the layouts that fit ``board`` with each mine total from 0 to all cells.

    Returns natural logarithms up to a common constant; minus infinity where no layout fits. Raises
    the errors of `analyse`.
    """
    with Refusals(board):
        return calls.totals(board.tiles, _USUAL_DENSITY)


def sample_layouts(board: Board, count: int, *, seed: int = 0) -> NDArray[np.bool_]:
    """Draw solutions of ``board`` at random, independently and all equally likely.

    Returns a bool array ``(count, rows, cols)``, true where a mine is. If the mine total is
    unknown, solutions of every total are equally likely, as in `analyse`. Raises
    `InconsistentBoard` when no layout fits.
    """
    with Refusals(board):
        return calls.draw(board.tiles, board.mines, count, seed)


def number_chances(board: Board, cell: Cell) -> NDArray[np.float64]:
    """Compute the chance that a covered cell shows each number 0-8 if it is opened now.

    Returns a float64 array of length 9; its sum is the chance that the cell is safe. Raises
    `BadCell` for a cell that is not on the board or not covered, `InconsistentBoard` when no
    layout fits.
    """
    return what_follows(board, cell)[0]


def what_follows(board: Board, cell: Cell) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute what a covered cell may show, and how many cells are certainly safe after that.

    Returns two float64 arrays of length 9: the result of `number_chances`, and for each number the
    count of certainly safe cells if the cell shows it, 0 if it cannot. Raises the errors of
    `number_chances`.
    """
    row, col = cell
    if not (0 <= row < board.rows and 0 <= col < board.cols and board.covered[row, col]):
        raise BadCell(f"({row}, {col}) is not a covered cell of this board.")
    log_all = _count(board)[1]
    logs, safe = np.full(9, -np.inf), np.zeros(9)
    tiles = board.tiles.copy()
    for number in range(len(board.neighbours(cell)) + 1):
        tiles[cell] = number
        try:
            risks, logs[number] = _count(Board(tiles, board.mines))
        except InconsistentBoard:
            continue
        safe[number] = (risks == 0.0).sum()
    return np.exp(logs - log_all), safe


def _count(board: Board) -> tuple[NDArray[np.float64], float]:
    """Return the risks of all cells and the natural logarithm of the number of layouts."""
    with Refusals(board):
        return calls.risks(board.tiles, board.mines)


class Refusals:
    """Context manager that turns the engine's errors into errors about the board.

    A class, because a generator would cost a quarter of the time of the count itself.
    """

    def __init__(self, board: Board) -> None:
        self._board = board

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, calls.NoLayout):
            raise InconsistentBoard(_no_layout_message(self._board)) from None
        if isinstance(error, calls.TooLarge):
            raise TooManyPlacements(
                "The numbers on this board leave too many placements to count: give a smaller "
                "board, or one with more cells open."
            ) from None


def _cells(mask: NDArray[np.bool_]) -> tuple[Cell, ...]:
    return tuple(map(Cell._make, np.argwhere(mask).tolist()))


def _no_layout_message(board: Board) -> str:
    if board.mines is None:
        return "No layout of mines fits the numbers on this board."
    return f"No layout of {counted(board.mines, 'mine')} fits the numbers on this board."


USUAL_TOTALS = {
    (8, 8): 10,
    (9, 9): 10,
    (10, 10): 10,
    (16, 16): 40,
    (16, 30): 99,
    (30, 16): 99,
}
"""Mine totals of the usual levels by (rows, cols)."""

USUAL_CHANCE = 0.8
"""Chance that a board of a usual size has its usual total: true of 63 of 75 boards on web pages."""

USUAL_DENSITY = 0.15
"""Median share of mines on other boards: 37 boards on web pages, the usual levels excluded, had
0.15; 32 of them lie between 0.1 and 0.2."""

DENSITY_SPREAD = 0.4
"""Standard deviation of its logarithm, 0.38 on these boards."""

NEARLY_CERTAIN = float(np.nextafter(1.0, 0.0))
"""The largest risk, and the largest survival, of a cell that is not certain."""

MOST_TOTALS = 100
"""Most totals in a mean; an untouched board of 100x100 has 5,000 likely ones, and risks change
little from one to the next."""

LEAST_CHANCE, LEAST_SHARE = 1e-6, 1e-4
"""Least prior chance of a total that is tried, and least posterior chance of one that counts, as a
share of that of the likeliest total."""


def likely_mine_total(board: Board) -> int:
    """Estimate the mine total of a board: the mean of all totals, weighted by their chances.

    Raises `InconsistentBoard` when no layout fits.
    """
    return mean_total(mine_total_chances(board))


def mean_total(chances: Mapping[int, float]) -> int:
    """Return the mine total nearest to the mean."""
    mean = sum(total * chance for total, chance in chances.items())
    return min(chances, key=lambda total: abs(total - mean))


def mine_total_chances(board: Board) -> dict[int, float]:
    """Return the chances of the mine totals that fit a board; they sum to one.

    By Bayes' theorem the chance of a total is its prior chance times the share of its layouts that
    fit the board. Raises `InconsistentBoard` when no layout fits.
    """
    fitting = layouts_by_total(board)
    layouts = np.array([_log_layouts(board.tiles.size, total) for total in range(fitting.size)])
    prior = np.full(fitting.size, -np.inf)
    for total, chance in _prior(board.rows, board.cols):
        prior[total] = log(chance)
    if not (np.isfinite(prior) & np.isfinite(fitting)).any():  # no total that is likely fits
        prior[:] = 0.0
    logs = prior + fitting - layouts
    weights = np.exp(logs - logs.max())
    weights[weights < LEAST_SHARE] = 0.0
    weights /= weights.sum()
    return {int(total): float(weights[total]) for total in np.flatnonzero(weights)}


def _log_layouts(cells: int, mines: int) -> float:
    """Return the natural logarithm of the number of ways to place ``mines`` on ``cells``."""
    return lgamma(cells + 1) - lgamma(mines + 1) - lgamma(cells - mines + 1)


def analyse_likely(board: Board) -> Analysis:
    """Analyse a board as it is reported to the user: as `analyse` if the mine total is known.

    If it is unknown, the risks are means over the likely totals. Only what holds for every total is
    certain, and ``exact`` is false unless all cells are certain. Raises the errors of `analyse`.
    """
    known = analyse(board)
    if board.mines is not None:
        return known
    risks = mean_risks(board, mine_total_chances(board))
    certain = np.isin(known.probabilities, (0.0, 1.0))
    # A cell may be safe, or a mine, for all likely totals but not for another one.
    between = np.clip(risks, 1.0 - NEARLY_CERTAIN, NEARLY_CERTAIN)
    risks = np.where(certain, known.probabilities, between)
    risks.setflags(write=False)
    return Analysis(risks, known.solutions_log10, exact=bool((certain | ~board.covered).all()))


def mean_risks(board: Board, chances: Mapping[int, float]) -> NDArray[np.float64]:
    """Return the risks ``(rows, cols)`` of `analyse`, as means over the totals in ``chances``."""
    return mean_over_totals(board, chances, lambda one: analyse(one).probabilities)


def mean_over_totals(
    board: Board, chances: Mapping[int, float], figures: Callable[[Board], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the mean of ``figures`` of the board with each mine total, by their ``chances``.

    If there are more than `MOST_TOTALS` totals, neighbouring ones are grouped.
    """
    mean: NDArray[np.float64] | float = 0.0
    for total, chance in _grouped(chances).items():
        mean = mean + chance * figures(board.with_mines(total))
    return np.asarray(mean)


def _grouped(chances: Mapping[int, float]) -> dict[int, float]:
    """Return at most `MOST_TOTALS` of the totals, each with the chance of its neighbours too."""
    size = -(-len(chances) // MOST_TOTALS)
    totals, grouped = sorted(chances), dict[int, float]()
    for at in range(0, len(totals), max(size, 1)):
        group = {total: chances[total] for total in totals[at : at + size]}
        chance = sum(group.values())
        grouped[mean_total({total: share / chance for total, share in group.items()})] = chance
    return grouped


def _prior(rows: int, cols: int) -> list[tuple[int, float]]:
    """Return the likely mine totals of a board of this size, and their chances."""
    cells, usual = rows * cols, USUAL_TOTALS.get((rows, cols))
    weights = {
        total: exp(-0.5 * (log(total / cells / USUAL_DENSITY) / DENSITY_SPREAD) ** 2) / total
        for total in range(1, max(cells, 2))
    }
    others = (1.0 - USUAL_CHANCE if usual else 1.0) / sum(weights.values())
    chances = {total: weight * others for total, weight in weights.items()}
    if usual:
        chances[usual] += USUAL_CHANCE
    return [(total, chance) for total, chance in chances.items() if chance >= LEAST_CHANCE]
