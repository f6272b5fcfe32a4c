"""From a decision to clicks: which cell, which button, what it must look like afterwards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from bot.ports import Button
from solver.agents.base import Action, Decision, Move
from solver.analysis import analyse
from solver.board import Board, Cell, Tile, count_neighbours


class Aim(Enum):
    """What a click is to bring about on its cell."""

    OPEN = "open"
    FLAG = "flag"
    UNFLAG = "unflag"
    UNMARK = "unmark"
    CHORD = "chord"


COVERED = frozenset(map(int, (Tile.HIDDEN, Tile.FLAG, Tile.QUESTION)))

CLEARING: dict[int, Aim] = {Tile.FLAG: Aim.UNFLAG, Tile.QUESTION: Aim.UNMARK}
"""What to do about a mark on a cell that is to be opened: a right click takes it a step on."""


@dataclass(frozen=True)
class Stroke:
    """One click to make.

    ``cells`` are those that must have changed afterwards. ``after_mark``: the stroke before
    took a mark off the same cell, so that it no longer looks as it was read.
    """

    cell: Cell
    aim: Aim
    cells: tuple[Cell, ...]
    after_mark: bool = False

    @property
    def button(self) -> Button:
        """The mouse button it takes; numbers chord on the middle one in most programs."""
        if self.aim is Aim.CHORD:
            return Button.MIDDLE
        return Button.LEFT if self.aim is Aim.OPEN else Button.RIGHT

    def missing(self, board: Board) -> list[Cell]:
        """List the cells that do not look on ``board`` as this stroke wants them."""
        if self.aim is Aim.FLAG:
            return [cell for cell in self.cells if board[cell] != Tile.FLAG]
        if self.aim in (Aim.UNFLAG, Aim.UNMARK):
            mark = Tile.FLAG if self.aim is Aim.UNFLAG else Tile.QUESTION
            return [cell for cell in self.cells if board[cell] == mark]
        return [cell for cell in self.cells if board[cell] in COVERED]


def plan(
    decision: Decision,
    board: Board,
    *,
    mines: Iterable[Cell] = (),
    flags: bool = False,
    chords: bool = False,
) -> tuple[Stroke, ...]:
    """Turn a decision into strokes.

    ``mines`` lists the certain mines; with ``flags`` they are flagged, with ``chords`` their
    flags are used to open several cells by one click. A flag or question mark on a cell to be
    opened is taken away by the click before, as some programs do not open it; both go out
    together, because a closed cell next to an open zero looks like a misread one.

    Cells that win the game are opened by as few clicks as it takes: a click after the one that
    wins would go to whatever the program opens then.

    A click on a number that a flag touches may open its neighbours, and a flag on no certain
    mine may be wrong: of the cells next to such a flag only one is opened a turn, before all
    others, while it is sure to be still closed.
    """
    certain = set(mines)
    opens = _needed([m.cell for m in decision.moves if m.action is not Action.FLAG], board)
    asked = [move.cell for move in decision.moves if move.action is Action.FLAG]
    marks = [
        cell
        for cell in dict.fromkeys([*asked, *(sorted(certain) if flags else ())])
        if board[cell] == Tile.HIDDEN
    ]
    marked = [cell for cell in (*opens, *asked) if board[cell] in CLEARING]
    closed = [cell for cell in opens if board[cell] not in CLEARING]
    risky = [cell for cell in closed if _touches_doubtful_flag(board, cell, certain)]
    rest = [cell for cell in closed if cell not in set(risky)]
    chord = _chords(board, rest, certain, flagged=set(marks)) if chords and not risky else []
    chorded = {cell for stroke in chord for cell in stroke.cells}
    return (
        *(stroke for cell in marked for stroke in _open_marked(cell, board)),
        *(Stroke(cell, Aim.OPEN, (cell,)) for cell in risky[:1]),
        *(Stroke(cell, Aim.FLAG, (cell,)) for cell in marks),
        *chord,
        *(Stroke(cell, Aim.OPEN, (cell,)) for cell in rest if cell not in chorded),
    )


def _needed(cells: list[Cell], board: Board) -> list[Cell]:
    """Leave out the cells that others flood, where these are all that is left to open."""
    mines = ~board.open
    if board.mines is None or int(mines.sum()) - board.mines != len(cells):
        return cells
    for cell in cells:
        mines[cell] = False
    safe = count_neighbours(mines) == 0
    zeros = {cell for cell in cells if safe[cell]}
    plain = {cell for cell in cells if board[cell] not in CLEARING}
    flooded: set[Cell] = set()
    starts: set[Cell] = set()
    for start in cells:
        if start not in zeros - flooded:
            continue
        starts.add(start)
        spreading = [start]
        while spreading:
            fresh = plain.intersection(board.neighbours(spreading.pop())) - flooded
            flooded |= fresh
            spreading += zeros & fresh
    return [cell for cell in cells if cell in starts or cell not in flooded]


def _open_marked(cell: Cell, board: Board) -> tuple[Stroke, Stroke]:
    """Take the mark off a cell and open it."""
    clear = Stroke(cell, CLEARING[board[cell]], (cell,))
    return clear, Stroke(cell, Aim.OPEN, (cell,), after_mark=True)


def flag_the_mines(board: Board) -> Decision:
    """Decide to flag all that is hidden, on a board with nothing else left to do."""
    hidden = [Cell(*cell) for cell in np.argwhere(board.tiles == Tile.HIDDEN).tolist()]
    moves = tuple(Move(cell, Action.FLAG) for cell in hidden)
    return Decision(moves, "flag the mines, as the program wants", 1.0)


def _touches_doubtful_flag(board: Board, cell: Cell, certain: set[Cell]) -> bool:
    return any(board[near] == Tile.FLAG and near not in certain for near in board.neighbours(cell))


def _chords(
    board: Board, cells: list[Cell], certain: set[Cell], *, flagged: set[Cell]
) -> list[Stroke]:
    """Find numbers whose mines are all flagged, and certain, and that open two cells or more."""
    left, strokes = set(cells), []
    numbers = dict.fromkeys(
        near for cell in cells for near in board.neighbours(cell) if board[near] > 0
    )
    for number in numbers:
        around = board.neighbours(number)
        flags = [near for near in around if board[near] == Tile.FLAG or near in flagged]
        closed = [near for near in around if board[near] in COVERED and near not in flags]
        if len(flags) != board[number] or not certain.issuperset(flags):
            continue
        if len(closed) >= 2 and left.issuperset(closed):
            strokes.append(Stroke(number, Aim.CHORD, tuple(closed)))
            left.difference_update(closed)
    return strokes


def may_win(board: Board, decision: Decision) -> bool:
    """Whether these moves can open all that is left: at most what could be flooded from them.

    An upper bound: a cell floods its neighbours unless one of them is a certain mine.
    """
    if board.mines is None:
        return True
    left = int((~board.open).sum()) - board.mines
    if left <= len(decision.moves):
        return True
    reached, mines = np.zeros(board.tiles.shape, np.bool_), np.zeros(board.tiles.shape, np.bool_)
    reached[tuple(zip(*(move.cell for move in decision.moves), strict=True))] = True
    for mine in analyse(board).mines:
        mines[mine] = True
    floods = count_neighbours(mines) == 0
    size = 0
    while (now := int(reached.sum())) > size:
        size = now
        reached |= board.covered & (count_neighbours(reached & floods) > 0)
    return left <= size
