"""The candidates for a guess, side by side: what each risks, may win and may show."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solver.analysis import cell_at, field_of, number_chances
from solver.board import Board, Cell, count_neighbours
from solver.mine_total import analyse_likely, mean_over_totals, mine_total_chances

if TYPE_CHECKING:
    from solver.search.limit import Limit


Risks = NDArray[np.float64]


@dataclass(frozen=True)
class Candidate:
    """One cell that could be opened.

    ``survival`` is the chance that it is no mine; ``win`` the estimated chance to win the game
    with it, None where the mine total is not known; ``numbers`` are the chances of the numbers 0
    to 8 that it may show if it is opened now, which sum to ``survival``.
    """

    cell: Cell
    survival: float
    win: float | None
    numbers: tuple[float, ...]

    @property
    def opens_area(self) -> float:
        """The chance that it shows 0 and opens an area."""
        return self.numbers[0]


def compare_guesses(
    board: Board, *, count: int = 5, also: Sequence[Cell] = ()
) -> tuple[Candidate, ...]:
    """Compare the ``count`` best cells to open on ``board``, those in ``also`` among them.

    They are more than ``count`` only if ``also`` needs it; certain mines are none of them but in
    ``also``. The first is the cell that the agent `deep` opens; the others follow by their chance
    to win. Where the mine total is unknown, all go by survival, and chances are means over all
    totals. For a board where nothing is certainly safe. Raises `InconsistentBoard` when no layout
    fits the board.
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


def describe_cells(board: Board, cells: Sequence[Cell]) -> tuple[Candidate, ...]:
    """Say of covered cells what each risks and may show, without a chance to win.

    Where the mine total is unknown, chances are means over all totals. Raises `InconsistentBoard`.
    """
    return _described(board, cells, analyse_likely(board).probabilities, {})


def _described(
    board: Board,
    cells: Sequence[Cell],
    risks: Risks,
    wins: Mapping[Cell, float],
) -> tuple[Candidate, ...]:
    totals = mine_total_chances(board) if board.mines is None else {board.mines: 1.0}
    return tuple(
        Candidate(
            cell,
            1.0 - float(risks[cell]),
            wins.get(cell),
            tuple(
                mean_over_totals(board, totals, partial(number_chances, cell=cell)).tolist(),
            ),
        )
        for cell in cells
    )


def _win_chances(board: Board, risks: Risks, count: int, also: Sequence[Cell]) -> dict[Cell, float]:
    """Estimate the chance to win with each candidate and each cell in ``also``.

    The look-ahead names the candidates; where they are fewer than ``count``, the safest cells of
    the frontier join them. Exact where few layouts are left; else by the look-ahead. The guess of
    `deep` is never worth less than another.
    """
    from solver.search.guess import Method, begin_located  # noqa: PLC0415  numba loads when needed
    from solver.search.limit import Limit  # noqa: PLC0415
    from solver.search.lookahead import candidates, values_of_guesses  # noqa: PLC0415
    from solver.search.value_net import load_net  # noqa: PLC0415
    from solver.thinking.levels import DEFAULT, with_thought  # noqa: PLC0415
    from solver.thinking.think import think  # noqa: PLC0415

    assert board.mines is not None
    limit, net = with_thought(Limit(), DEFAULT), load_net()
    state, known = begin_located(field_of(board), board.cols, board.mines)
    guess = think(state, known, net, limit)
    places, _ = candidates(state, known, net, limit.tolerance, limit.candidates)
    width = board.cols + 2
    best = cell_at(guess.cell, board.cols)
    cells = dict.fromkeys([best, *(cell_at(int(place), board.cols) for place in places)])
    cells |= dict.fromkeys(_safest(board, risks, cells, count - len(cells)))
    cells |= dict.fromkeys(also)
    wins: dict[Cell, float] = {}
    for cell in cells:
        if risks[cell] == 1.0:  # marked in the state, so that it cannot be tried
            wins[cell] = 0.0
            continue
        exact = _exact_win(board, cell, limit) if guess.method is Method.ENDGAME else None
        if exact is None:
            place = np.array([(cell.row + 1) * width + cell.col + 1])
            # One at a time: of several, those less safe than another is worth are not looked at.
            risk = np.array([risks[cell]])
            exact = float(values_of_guesses(state, known, net, place, risk, limit)[0])
        wins[cell] = exact
    wins[best] = max(guess.win, *wins.values())
    return wins


def _safest(board: Board, risks: Risks, known: Container[Cell], count: int) -> list[Cell]:
    """Return the ``count`` safest cells of the frontier that are not known yet."""
    frontier = board.covered & (count_neighbours(board.open) > 0) & (risks < 1.0)
    places = [Cell(int(row), int(col)) for row, col in np.argwhere(frontier)]
    places = [cell for cell in places if cell not in known]
    return sorted(places, key=lambda cell: float(risks[cell]))[: max(0, count)]


def _exact_win(board: Board, cell: Cell, limit: Limit) -> float | None:
    """Compute the chance to win with best play after ``cell``; None if that is too much work."""
    from solver.search.endgame.best_play import search_endgame  # noqa: PLC0415  numba loads when needed
    from solver.search.game_state import begin_state, study_state  # noqa: PLC0415

    assert board.mines is not None
    total = 0.0
    for number, chance in enumerate(number_chances(board, cell)):
        if chance == 0.0:
            continue
        tiles = board.tiles.copy()
        tiles[cell] = number
        state = begin_state(field_of(Board(tiles, board.mines)), board.cols, board.mines)
        known = study_state(state)
        if exp(known.log_layouts) < 1.5:
            total += chance  # one layout is left: the rest is certain
            continue
        best = search_endgame(state, known, limit)
        if best is None:
            return None
        total += chance * best[1]
    return total
