"""Compare the candidates for a guess: their risks, win chances and the numbers they may show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from solver.analysis import analyse, number_chances, what_follows
from solver.board import Board, Cell
from solver.engine import calls
from solver.engine.calls import CANDIDATES
from solver.levels import DEFAULT, limits_of, limits_on
from solver.mine_total import analyse_likely, mean_over_totals, mine_total_chances

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
