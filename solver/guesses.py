"""Compare the candidates for a guess: their risks, win chances and the numbers they may show.

And explain in a player's words why one cell is opened and not another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from solver.analysis import (
    analyse,
    analyse_likely,
    mean_over_totals,
    mine_total_chances,
    number_chances,
    what_follows,
)
from solver.board import Board, Cell
from solver.engine import calls
from solver.engine.calls import CANDIDATES
from solver.levels import DEFAULT, limits_of, limits_on

SAMPLE = 128
"""Worlds in which each win chance is estimated, unless it is exact.

The same everywhere, so that a guess has the same win chance wherever it is shown."""

Risks = NDArray[np.float64]


@dataclass(frozen=True)
class Candidate:
    """A cell that could be opened.

    ``survival`` is the chance that it is safe. ``win`` is the estimated win chance, None if the
    mine total is unknown. ``numbers`` are the chances of the numbers 0 to 8 that it may show if it
    is opened now; their sum is ``survival``. ``safe_after`` is the mean number of certainly safe
    cells after it is opened.
    """

    cell: Cell
    survival: float
    win: float | None
    numbers: tuple[float, ...]
    safe_after: float

    @property
    def opens_area(self) -> float:
        """The chance that it shows 0 and opens an area."""
        return self.numbers[0]


def compare_guesses(
    board: Board, *, count: int = 5, also: Sequence[Cell] = ()
) -> tuple[Candidate, ...]:
    """Compare the ``count`` best cells to open on ``board``, which include those in ``also``.

    There are more than ``count`` only if ``also`` requires it. Certain mines are excluded, except
    those in ``also``. The first is the cell that the agent `deep` opens; the others are sorted by
    win chance. If the mine total is unknown, all are sorted by survival, and chances are means
    over all totals. For boards where nothing is certainly safe. Raises `InconsistentBoard`.
    """
    risks = analyse_likely(board).probabilities
    wins = _win_chances(board, risks, count, also) if board.mines is not None else {}
    if wins:
        ranked = sorted(wins, key=lambda cell: -wins[cell])
    else:
        order = np.argsort(np.where(np.isnan(risks), 2.0, risks), axis=None, kind="stable")
        ranked = [Cell(*map(int, divmod(int(at), board.cols))) for at in order]
        ranked = [cell for cell in ranked if board.covered[cell]]
    ranked = [cell for cell in ranked if risks[cell] < 1.0 or cell in also]
    first = [*ranked[:1], *(cell for cell in ranked if cell in also)]
    chosen = list(dict.fromkeys([*first, *ranked]))[: max(count, len(set(first)))]
    chosen.sort(key=ranked.index)
    return _described(board, chosen, risks, wins)


def win_chance(board: Board) -> float | None:
    """Estimate the win chance of a board on which some cells are certainly safe.

    It is the mean over `SAMPLE` fitting worlds, each played to the end from the best cell; if a
    guess is next, it is the win chance of that guess. None before the first click, if the mine
    total or a tile is unknown, and if there are too many layouts. Raises `InconsistentBoard`.
    """
    if board.mines is None or board.unknown.any() or not board.open.any():
        return None
    limits = limits_of(DEFAULT)
    try:
        if np.isin(analyse(board).probabilities[board.covered], (0.0, 1.0)).all():
            return 1.0
        _, won = calls.worlds(board.tiles, board.mines, limits, 1, 0, SAMPLE)
        if won.size:
            return float(won.mean())
        return calls.decide(board.tiles, board.mines, calls.PolicyKind.DEEP, limits).win
    except calls.TooLarge:
        return None


def describe_cells(board: Board, cells: Sequence[Cell]) -> tuple[Candidate, ...]:
    """Describe the risks of covered cells and what they may show, without win chances.

    If the mine total is unknown, chances are means over all totals. Raises `InconsistentBoard`.
    """
    return _described(board, cells, analyse_likely(board).probabilities, {})


def describe_cell(board: Board, cell: Cell, survival: float, win: float | None) -> Candidate:
    """Describe what a covered cell may show, and what follows. Raises `InconsistentBoard`."""
    numbers, safe = what_follows(board, cell)
    opened = float(numbers.sum())
    after = float(numbers @ safe) / opened if opened else 0.0
    if board.mines is None:
        totals = mine_total_chances(board)
        numbers = mean_over_totals(board, totals, partial(number_chances, cell=cell))
    return Candidate(cell, survival, win, tuple(numbers.tolist()), after)


def _described(
    board: Board, cells: Sequence[Cell], risks: Risks, wins: Mapping[Cell, float]
) -> tuple[Candidate, ...]:
    return tuple(
        describe_cell(board, cell, 1.0 - float(risks[cell]), wins.get(cell)) for cell in cells
    )


def _win_chances(board: Board, risks: Risks, count: int, also: Sequence[Cell]) -> dict[Cell, float]:
    """Estimate the win chance of each candidate and each cell in ``also``.

    Exact if few layouts are left, else by roll-outs; empty if there is nothing to guess. The guess
    of `deep` comes first, with the win chance of its decision; no other wins more.
    """
    assert board.mines is not None
    if board.unknown.any() or np.isin(risks[board.covered], (0.0, 1.0)).all():
        return {}
    try:
        found = calls.decide(
            board.tiles,
            board.mines,
            calls.PolicyKind.DEEP,
            limits_on(limits_of(DEFAULT), board.rows, board.cols, board.mines),
            compared=max(count, 2),
            estimated=CANDIDATES,
            sample=SAMPLE,
            also=[cell.row * board.cols + cell.col for cell in also if 0.0 < risks[cell] < 1.0],
        )
    except calls.TooLarge:
        return {}
    wins = {
        Cell(*divmod(one.cell, board.cols)): one.win
        for one in found.candidates
        if one.win is not None
    }
    return wins | {cell: 0.0 for cell in also if risks[cell] == 1.0} if wins else {}


# ---- the explanation in a player's words ---------------------------------------------------------


CLEARLY = 0.02
"""Least difference at which one chance is called better than another."""

LEAST_AREA = 0.05
"""Least chance of opening an area that is mentioned, in place of the cells safe after it."""

LEAST_POINTS = 0.01
"""Least difference at which one win chance is called lower than another. In 128 worlds the
difference of two cells has a standard error of 1.3 points, in 32 worlds of 3.3 (48 pairs on expert
boards, compared with 1,024 worlds)."""


def guess_words(board: Board, chosen: Candidate, rivals: Sequence[Candidate]) -> str:
    """Describe what the chosen cell opens, an area or safe cells, and what speaks against a rival.

    The rival is the one likelier to open an area, else the safer one, else the next best.

    >>> board = Board.from_text("#####", mines=2)
    >>> one = Candidate(Cell(0, 1), 0.6, 0.5, (0.0, 0.3, 0.3, 0, 0, 0, 0, 0, 0), 2.0)
    >>> other = Candidate(Cell(0, 2), 0.6, 0.44, (0.0, 0.6, 0, 0, 0, 0, 0, 0, 0), 1.0)
    >>> guess_words(board, one, [other]).split("; ")[1]
    'row 1, column 3 wins about 6 points less'
    """
    words = _area(chosen) if chosen.opens_area >= LEAST_AREA else _after(chosen)
    against = _against(board, chosen, _strongest(chosen, rivals)) if rivals else ""
    return f"{words}; {against}" if against else words


def _area(one: Candidate) -> str:
    share = f"{100 * one.opens_area:.0f}"
    return "opens no area" if share == "0" else f"opens an area in {share} % of cases"


def _after(one: Candidate) -> str:
    count = f"{one.safe_after:.1f}".removesuffix(".0")
    cells = {"0": "no more safe cell", "1": "1 more safe cell"}
    return f"{cells.get(count, f'{count} more safe cells')} after it on average"


def _strongest(chosen: Candidate, rivals: Sequence[Candidate]) -> Candidate:
    """Return the rival that a player would ask about."""
    opening = max(rivals, key=lambda one: one.opens_area)
    if opening.opens_area > chosen.opens_area + CLEARLY:
        return opening
    safer = max(rivals, key=lambda one: one.survival)
    return safer if safer.survival > chosen.survival + CLEARLY else rivals[0]


def _against(board: Board, chosen: Candidate, rival: Candidate) -> str:
    """Describe how a rival is better and how it is worse; empty if it is about the same."""
    better = []
    if rival.survival > chosen.survival + CLEARLY:
        better.append(f"is safer ({100 * rival.survival:.0f} %)")
    if rival.opens_area > chosen.opens_area + CLEARLY:
        better.append(_area(rival))
    worse = _worse(chosen, rival, needed=bool(better))
    if not (better or worse):
        return ""
    link = " and " if worse.endswith(_AS_OFTEN) else ", but "
    return f"{_place(board, rival.cell)} {link.join(filter(None, [' and '.join(better), worse]))}"


_AS_OFTEN = "about as often"


def _worse(chosen: Candidate, rival: Candidate, *, needed: bool) -> str:
    """Describe how much less a rival wins or, if that was not estimated, that it ranks lower.

    For a rival that is less safe, a lower rank is mentioned only if ``needed``, because the rival
    is better at something.
    """
    if chosen.win is None or rival.win is None:
        less_safe = rival.survival < chosen.survival
        parts = [f"is less safe ({100 * rival.survival:.0f} %)"] if less_safe else []
        return " and ".join([*parts, "is expected to win less"] if needed else parts)
    points = f"{100 * (chosen.win - rival.win):.0f}"
    if chosen.win - rival.win < LEAST_POINTS:
        return f"wins {_AS_OFTEN}"
    return f"wins about {points} point{'' if points == '1' else 's'} less"


def _place(board: Board, cell: Cell) -> str:
    """Name a place; corners are called corners."""
    corner = cell.row in (0, board.rows - 1) and cell.col in (0, board.cols - 1)
    return f"the corner at {cell.place}" if corner else cell.place
