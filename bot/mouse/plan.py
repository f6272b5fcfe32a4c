"""From a decision to planned clicks: cells, buttons, flags and chords; few clicks on request.

Players measure efficiency as 3BV per click. A chord opens all other neighbours of a number whose
mines are flagged. The cells it opens may make the next chord better, so a turn with few clicks
takes only one step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bot.desktop.ports import Button
from solver import Action, Decision, Move, analyse
from solver.board import Board, Cell, Tile, count_neighbours, flooded, marked
from solver.errors import CannotAnalyse


class ClickEffect(Enum):
    """The intended effect of a click on its cell."""

    OPEN = "open"
    FLAG = "flag"
    UNFLAG = "unflag"
    UNMARK = "unmark"
    CHORD = "chord"


COVERED_TILES = frozenset(map(int, (Tile.HIDDEN, Tile.FLAG, Tile.QUESTION)))

MARK_REMOVAL: dict[int, ClickEffect] = {
    Tile.FLAG: ClickEffect.UNFLAG,
    Tile.QUESTION: ClickEffect.UNMARK,
}
"""The click that removes a mark from a cell before it is opened: a right click for both marks."""


MISSED = 3
"""After this many unanswered clicks in a row a cell comes first, even if it may open an area."""


@dataclass(frozen=True)
class PlannedClick:
    """One click to make.

    ``cells`` are the cells that the click must change. ``after_mark`` says that the previous click
    removes a mark from the same cell, which then no longer looks as it was read.
    """

    cell: Cell
    effect: ClickEffect
    cells: tuple[Cell, ...]
    after_mark: bool = False

    @property
    def button(self) -> Button:
        """The mouse button to click; most programs chord with the middle one."""
        if self.effect is ClickEffect.CHORD:
            return Button.MIDDLE
        return Button.LEFT if self.effect is ClickEffect.OPEN else Button.RIGHT

    def unanswered(self, board: Board) -> list[Cell]:
        """List the cells that this click should have changed but ``board`` shows unchanged."""
        if self.effect is ClickEffect.FLAG:
            return [cell for cell in self.cells if board[cell] != Tile.FLAG]
        if self.effect in (ClickEffect.UNFLAG, ClickEffect.UNMARK):
            mark = Tile.FLAG if self.effect is ClickEffect.UNFLAG else Tile.QUESTION
            return [cell for cell in self.cells if board[cell] == mark]
        return [cell for cell in self.cells if board[cell] in COVERED_TILES]


Clicks = tuple[PlannedClick, ...]
"""Clicks that belong together, in order."""


def cells_of(planned_clicks: Iterable[PlannedClick]) -> list[Cell]:
    """List the cells that clicks should change."""
    return [cell for planned_click in planned_clicks for cell in planned_click.cells]


def opened_by(clicks: Iterable[PlannedClick]) -> list[Cell]:
    """Return the cells that clicks should open, without those that they flag or unmark."""
    effects = (ClickEffect.OPEN, ClickEffect.CHORD)
    return cells_of(click for click in clicks if click.effect in effects)


def covered_cells(board: Board, move: Move) -> list[Cell]:
    """List the covered cells that a move opens, those of chords included."""
    if move.action is Action.OPEN:
        return [move.cell] if board.covered[move.cell] else []
    if move.action is Action.CHORD:
        return [near for near in board.neighbours(move.cell) if board[near] == Tile.HIDDEN]
    return []


def plan_clicks(
    decision: Decision,
    board: Board,
    *,
    mines: Iterable[Cell] = (),
    flags: bool = False,
    chords: bool = False,
    at_once: bool = False,
    misses: Mapping[Cell, int] | None = None,
) -> Clicks:
    """Turn a decision into planned clicks, in the order to make them.

    ``mines`` lists the certain mines. With ``flags`` they are flagged; with ``chords`` the flags
    are used to open several cells with one click. ``misses`` counts how often cells did not answer.

    1. Wrong flags are removed, and flags are set.
    2. One cell next to a flag that may be wrong is opened while it is certainly still covered. If
       an earlier click had opened it, this click would be a chord there, which may open a mine.
    3. The others are opened. Cells that did not answer come first, because a program that loses
       every other click would always lose the same ones. Cells that may open an area come last,
       until they did not answer `MISSED` times. A mark on a cell is removed by the click just
       before: if that happened in an earlier turn, the cell would count as misread.

    No click goes to a cell that an earlier click may have opened, so that no click follows a win,
    unless all are made ``at_once``.
    """
    certain, missed = set(mines), misses or {}
    to_mark = [move.cell for move in decision.moves if move.action is Action.FLAG]
    unflagged = [cell for cell in to_mark if board[cell] == Tile.FLAG]
    unflag_only = _not_to_open(board, unflagged) if decision.certain else set[Cell]()
    opens = [
        *(move.cell for move in decision.moves if move.action is not Action.FLAG),
        *(cell for cell in unflagged if cell not in unflag_only),
    ]
    to_flag = [
        cell
        for cell in dict.fromkeys([*to_mark, *(sorted(certain) if flags else ())])
        if board[cell] == Tile.HIDDEN
    ]
    with_mark = [cell for cell in opens if board[cell] in MARK_REMOVAL]
    unmarked = [cell for cell in opens if board[cell] not in MARK_REMOVAL]
    risky = [cell for cell in unmarked if _touches_doubtful_flag(board, cell, certain)]
    rest = [cell for cell in unmarked if cell not in set(risky)]
    chord = _chords(board, rest, certain, flagged=set(to_flag)) if chords and not risky else []
    chorded = {cell for planned_click in chord for cell in planned_click.cells}
    zero = may_be_zero(board, certain, opens)

    def order(clicks: Clicks) -> tuple[bool, int]:
        misses = max(missed.get(cell, 0) for cell in cells_of(clicks))
        return misses < MISSED and any(zero[cell] for cell in opened_by(clicks)), -misses

    openings = [
        *(_open_marked(cell, board) for cell in with_mark),
        *((planned_click,) for planned_click in chord),
        *((PlannedClick(cell, ClickEffect.OPEN, (cell,)),) for cell in rest if cell not in chorded),
    ]
    openings.sort(key=order)
    before = [(PlannedClick(cell, ClickEffect.OPEN, (cell,)),) for cell in risky[:1]]
    to_flag.sort(key=lambda cell: -missed.get(cell, 0))
    return (
        *(PlannedClick(cell, ClickEffect.UNFLAG, (cell,)) for cell in sorted(unflag_only)),
        *(PlannedClick(cell, ClickEffect.FLAG, (cell,)) for cell in to_flag),
        *(chain(*before, *openings) if at_once else _without_opened([*before, *openings], zero)),
    )


def certain_mines(board: Board) -> tuple[Cell, ...]:
    """Return the certain mines; none if the numbers contradict each other.

    Some agents play even then.
    """
    try:
        return analyse(board).mines
    except CannotAnalyse:
        return ()


def _not_to_open(board: Board, flagged: Sequence[Cell]) -> set[Cell]:
    """Return the flagged cells that are not certainly safe."""
    if not flagged:
        return set()
    try:
        return set(flagged) - set(analyse(board).safe)
    except CannotAnalyse:
        return set(flagged)


def _without_opened(openings: Iterable[Clicks], zero: NDArray[np.bool_]) -> Iterator[PlannedClick]:
    """Yield the clicks that open cells, but none on a cell that an earlier one may have opened.

    Some pages count an opened cell twice and then never announce a win, and a click after the last
    safe cell hits whatever the program shows then. Cells that may be zeros come last. Without this,
    8 to 20 % of clicks go to open cells; with it, games take 5 to 24 % more turns.
    """
    reached = np.zeros_like(zero)
    for clicks in openings:
        opened = marked(zero.shape, opened_by(clicks))
        if not (opened & reached).any():
            reached |= flooded(opened & zero, zero)
            yield from clicks


def may_be_zero(
    board: Board, mines: Iterable[Cell], safe: Iterable[Cell] = ()
) -> NDArray[np.bool_]:
    """Mark the covered cells that may have no mine around them, ``(rows, cols)``.

    A cell next to a visible mine or one of the certain ``mines`` has one. So does a cell that
    touches all cells in which a mine of an open number may be, ``safe`` cells excluded.
    """
    mined = np.isin(board.tiles, (Tile.MINE, Tile.EXPLODED)) | marked(board.tiles.shape, mines)
    possible = board.covered & ~mined & (count_neighbours(mined) == 0)
    unknown = board.covered & ~mined & ~marked(board.tiles.shape, safe)
    needs = board.open & (board.tiles > count_neighbours(mined))
    for row, col in np.argwhere(needs & (count_neighbours(unknown) > 0)).tolist():
        left = [near for near in board.neighbours(Cell(row, col)) if unknown[near]]
        for cell in set.intersection(*({*board.neighbours(near)} for near in left)):
            possible[cell] = False
    return np.asarray(possible, dtype=np.bool_)


def _open_marked(cell: Cell, board: Board) -> tuple[PlannedClick, PlannedClick]:
    """Remove the mark of a cell and open it."""
    remove = PlannedClick(cell, MARK_REMOVAL[board[cell]], (cell,))
    return remove, PlannedClick(cell, ClickEffect.OPEN, (cell,), after_mark=True)


def flag_the_mines(board: Board) -> Decision:
    """Decide to flag all hidden cells, on a board where only mines are left."""
    moves = tuple(Move(cell, Action.FLAG) for cell in board.hidden_cells())
    return Decision(moves, "flag the mines, as the program wants", 1.0)


def _touches_doubtful_flag(board: Board, cell: Cell, certain: set[Cell]) -> bool:
    return any(board[near] == Tile.FLAG and near not in certain for near in board.neighbours(cell))


def _chords(
    board: Board, cells: list[Cell], certain: set[Cell], *, flagged: set[Cell]
) -> list[PlannedClick]:
    """Find chords that open at least two cells: all mines of the number are certain and flagged."""
    left, planned_clicks = set(cells), []
    for number in numbers_beside(board, cells):
        around = board.neighbours(number)
        flags = [near for near in around if board[near] == Tile.FLAG or near in flagged]
        to_open = [near for near in around if board[near] in COVERED_TILES and near not in flags]
        if len(flags) != board[number] or not certain.issuperset(flags):
            continue
        if len(to_open) >= 2 and left.issuperset(to_open):
            planned_clicks.append(PlannedClick(number, ClickEffect.CHORD, tuple(to_open)))
            left.difference_update(to_open)
    return planned_clicks


def numbers_beside(board: Board, cells: Iterable[Cell]) -> list[Cell]:
    """List the open numbers next to cells, each once, in the order of the cells."""
    beside = (near for cell in cells for near in board.neighbours(cell) if board[near] > 0)
    return list(dict.fromkeys(beside))


def may_win(board: Board, decision: Decision, mines: Iterable[Cell]) -> bool:
    """Whether these moves may open all remaining safe cells, including those around zeros.

    ``mines`` are the certain ones. The answer may be wrongly True: cells that may be zeros count as
    zeros.
    """
    if board.mines is None:
        return True
    left = int((~board.open).sum()) - board.mines
    if left <= len(decision.moves):
        return True
    opened = marked(board.tiles.shape, (move.cell for move in decision.moves))
    reached = flooded(opened, may_be_zero(board, mines))
    return left <= int((reached & board.covered).sum())


class Chord(NamedTuple):
    """A number to chord on: the mines to flag first, and the cells that it opens."""

    number: Cell
    to_flag: tuple[Cell, ...]
    to_open: tuple[Cell, ...]

    @property
    def saved(self) -> int:
        """How many clicks it saves compared with opening its cells one by one."""
        return len(self.to_open) - len(self.to_flag) - 1


def plan_step(
    board: Board, safe: Iterable[Cell], mines: Iterable[Cell], *, chords: bool = True
) -> Clicks:
    """Plan the step that saves most clicks, on a board with ``safe`` cells and certain ``mines``.

    That is a chord that saves at least one click. If there is none, a cell is opened: preferably
    one that may be a zero, and among those the one with most safe cells around it.
    """
    safe, mines = set(safe), set(mines)
    found = [_chord(board, number, safe, mines) for number in numbers_beside(board, sorted(safe))]
    best = max((one for one in found if one), key=lambda one: one.saved, default=None)
    if chords and best is not None and best.saved > 0:
        return (
            *(PlannedClick(cell, ClickEffect.FLAG, (cell,)) for cell in best.to_flag),
            PlannedClick(best.number, ClickEffect.CHORD, best.to_open),
        )
    zero = may_be_zero(board, mines, safe)

    def promise(cell: Cell) -> tuple[bool, int]:
        return bool(zero[cell]), len(safe.intersection(board.neighbours(cell)))

    cell = max(sorted(safe), key=promise)
    return (PlannedClick(cell, ClickEffect.OPEN, (cell,)),)


def _chord(board: Board, number: Cell, safe: set[Cell], mines: set[Cell]) -> Chord | None:
    """Return the chord on a number, None if a cell around it is neither safe nor a certain mine."""
    covered = [cell for cell in board.neighbours(number) if board.covered[cell]]
    around = [cell for cell in covered if cell in mines]
    if len(around) != board[number] or any(cell not in safe | mines for cell in covered):
        return None
    to_flag = tuple(cell for cell in around if board[cell] != Tile.FLAG)
    return Chord(number, to_flag, tuple(cell for cell in covered if cell in safe))
