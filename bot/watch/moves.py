"""The moves that lead from one board to the next, and how a watched game ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bot.mouse.plan import covered_cells
from bot.tracking.game import Observation, without_end_marks
from calibration.indicators.words import Said
from calibration.rules import mines_in
from calibration.verdict import Evidence, Verdict, verdict
from solver.agents.base import Action, Move
from solver.analysis import Analysis, analyse_likely
from solver.board import Board, Cell, Tile, flooded, marked
from solver.errors import CannotAnalyse

DIFFERENT = 3
"""If this many numbers differ, it is another game; fewer may be misread."""


def analysis_of(board: Board) -> Analysis | None:
    """Analyse a board; None if that is not possible, for instance if no layout fits it."""
    try:
        return analyse_likely(board)
    except CannotAnalyse:
        return None


def risk_on(board: Board, move: Move) -> float:
    """Return the risk of the riskiest cell that a move opens, 0 if it cannot be analysed."""
    opened = covered_cells(board, move)
    analysis = analysis_of(board) if opened else None
    if analysis is None:
        return 0.0
    return max(float(analysis.probabilities[cell]) for cell in opened)


def end_of(
    before: Board, shown: Observation, pointer: Cell | None, words: Callable[[], Said | None]
) -> Verdict:
    """Find out how the game on the board ``before`` ended.

    The clicked cells are inferred: the one under the ``pointer`` if it shows a mine, or those that
    the first of the moves opened. ``words`` reads what the window says.
    """
    board = without_end_marks(shown, before)
    moves = infer_moves(before, shown.board, pointer=pointer, over=True)
    opened = covered_cells(before, moves[0]) if moves else []
    if pointer is not None and before.covered[pointer] and mines_in(board.tiles)[pointer]:
        opened = [pointer]
    return verdict(
        Evidence(
            board.tiles,
            before.tiles,
            shown.board.mines,
            words=words,
            read=shown.reading.status,
            at_rest=True,
            opened=frozenset(opened),
            inferred=True,
        )
    )


def is_reset(last: Observation, now: Observation) -> bool:
    """Whether another board replaced the one under way, so that its game was given up.

    Most open cells are covered again, or several show another number. Undoing a move covers only a
    few cells and changes no number.
    """
    before, after = last.board, now.board
    closed = before.open & after.covered
    differs = before.open & after.open & (before.tiles != after.tiles)
    return bool(now.unplayed or 2 * closed.sum() > before.open.sum() or differs.sum() >= DIFFERENT)


def infer_moves(
    before: Board,
    after: Board,
    *,
    pointer: Cell | None = None,
    risk: Callable[[Cell], float] = lambda _: 0.0,
    over: bool = False,
) -> tuple[Move, ...]:
    """Find the moves that explain how ``before`` became ``after``, marks first.

    Cells that opened together by zeros are one click. If several cells may have been clicked, the
    one under ``pointer`` counts, else the one with least ``risk``. Cells that a number with all its
    flags opened are a chord. On a board that is ``over``, marks and visible mines come from the
    program and are not moves; only an exploded mine was clicked.
    """
    opened = _cells(before.covered & after.open)
    hit = _cells(before.covered & (after.tiles == Tile.EXPLODED))
    if over and not opened and not hit and pointer is not None and _is_mine(before, after, pointer):
        hit = [pointer]
    moves = [] if over else _marks(before, after)
    flags = after if not over else before
    chord = _chord(before, flags, opened + hit, pointer)
    if chord is not None:
        moves.append(Move(chord, Action.CHORD))
        around = set(before.neighbours(chord))
        started = {cell for cell in opened + hit if cell in around}
        opened = [cell for cell in opened if cell not in _reached(after, started, set(opened))]
        hit = [cell for cell in hit if cell not in started]
    moves += [Move(cell) for cell in hit]
    for area in _areas(after, opened):
        moves.append(Move(_origin(after, area, pointer, risk)))
    return tuple(moves)


def one_by_one(
    before: Board, after: Board, moves: Sequence[Move], risk_on: Callable[[Board, Move], float]
) -> Iterator[tuple[Board, Move]]:
    """Yield the moves between two boards one by one, each with the board before it.

    Their order is unknown. Marks come first, then always the move with least risk after the moves
    before it, so that the player is never blamed for a risk that may not have been taken.
    """
    board, left = before, list(moves)
    while left:
        move = next((one for one in left if one.action is Action.FLAG), None)
        if move is None:
            here = board
            move = min(left, key=lambda one: risk_on(here, one)) if len(left) > 1 else left[0]
        left.remove(move)
        yield board, move
        board = _after_move(board, after, move)


def _after_move(board: Board, after: Board, move: Move) -> Board:
    """Return ``board`` with the cells that a move changed as ``after`` shows them."""
    if move.action is Action.FLAG:
        changed = {move.cell}
    else:
        around = board.neighbours(move.cell) if move.action is Action.CHORD else [move.cell]
        started = {cell for cell in around if board.covered[cell] and after.open[cell]}
        changed = _reached(after, started, set(_cells(board.covered & after.open)))
    tiles = board.tiles.copy()
    for cell in changed:
        tiles[cell] = after[cell]
    return Board(tiles, board.mines)


def _cells(mask: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> list[Cell]:
    return [Cell(int(row), int(col)) for row, col in np.argwhere(mask)]


def _is_mine(before: Board, after: Board, cell: Cell) -> bool:
    """Whether a cell that was covered shows a mine, if no mine is marked as exploded."""
    return bool(before.covered[cell]) and after[cell] == Tile.MINE


def _marks(before: Board, after: Board) -> list[Move]:
    """List the cells whose flag or question mark changed by one or more right clicks."""
    changed = before.covered & after.covered & (before.tiles != after.tiles)
    return [Move(cell, Action.FLAG) for cell in _cells(changed)]


def _chord(before: Board, flags: Board, opened: list[Cell], pointer: Cell | None) -> Cell | None:
    """Return the number whose chord opened cells, None if no chord is needed to explain them.

    A number under the pointer with all its flags counts if one neighbour opened; any other number
    only if it explains two neighbours that do not open each other.
    """
    if not opened:
        return None
    chosen = None
    for row, col in np.argwhere(before.tiles > 0):
        number = Cell(int(row), int(col))
        around = before.neighbours(number)
        if sum(flags[cell] == Tile.FLAG for cell in around) != before[number]:
            continue
        closed = [cell for cell in around if before.covered[cell] and flags[cell] != Tile.FLAG]
        if number == pointer and set(closed) & set(opened):
            return number
        if not closed or not set(closed) <= set(opened):
            continue
        if len(closed) > 1 and chosen is None and pointer not in opened:
            chosen = number
    return chosen


def _reached(after: Board, started: set[Cell], opened: set[Cell]) -> set[Cell]:
    """Return the opened cells that zeros open after those in ``started`` are open."""
    shape = after.tiles.shape
    seen = marked(shape, started | opened)
    return set(_cells(flooded(marked(shape, started), seen & (after.tiles == 0)) & seen))


def _areas(after: Board, opened: list[Cell]) -> list[list[Cell]]:
    """Split opened cells into parts that one click opens: areas around zeros, single numbers."""
    left = set(opened)
    areas: list[list[Cell]] = []
    for zero in [cell for cell in opened if after[cell] == 0]:
        if zero in left:
            area = _reached(after, {zero}, set(opened))
            areas.append(sorted(area))
            left -= area
    areas += [[cell] for cell in opened if cell in left]
    return areas


def _origin(
    after: Board, area: list[Cell], pointer: Cell | None, risk: Callable[[Cell], float]
) -> Cell:
    """Return the cell of an area that was clicked: a zero, unless the area is one number."""
    starts = [cell for cell in area if after[cell] == 0] or area
    return pointer if pointer in starts else min(starts, key=risk)
