"""Explain in a player's words why one cell is opened and not another."""

from __future__ import annotations

from collections.abc import Sequence

from solver.board import Board, Cell
from solver.candidates import Candidate

CLEARLY = 0.02
"""Least difference at which one chance is called better than another."""

LEAST_AREA = 0.05
"""From which chance on an area that a cell opens is told of, and not the cells safe after it."""

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


def what_it_opens(one: Candidate) -> str:
    """Describe how likely a cell opens an area, and how many cells are safe after it."""
    return f"{_area(one)}, {_after(one)}"


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
