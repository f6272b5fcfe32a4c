"""Estimate the mine total of a board without a mine counter, and the risks that follow from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, lgamma, log

import numpy as np
from numpy.typing import NDArray

from solver.analysis import Analysis, analyse, layouts_by_total
from solver.board import Board

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

USUAL_DENSITY, DENSITY_SPREAD = 0.15, 0.4
"""Median share of mines on other boards, and the standard deviation of its logarithm. 37 boards on
web pages, the usual levels excluded, had 0.15 and 0.38; 32 of them lie between 0.1 and 0.2."""

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
