"""Is a game over, and who won it? ``verdict(evidence)`` tells, as `chess.Board.outcome()` does.

`Evidence` is what one look tells, gathered once. The first row of a table that fits it speaks. The
reader asks `PICTURE`, of what a picture alone tells; in a game, its answer is evidence for a second
question, with the clicks: of `READ`, or of `NOT_READ` if the board cannot be read. What takes
seconds, as words do, is asked only when a row comes to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property

import cv2
import numpy as np

from calibration.indicators.words import Said
from calibration.rules import UNREAD, Mask, Tiles, shows_win_or_loss, signs_of_loss, status_of
from solver.analysis import analyse
from solver.board import Board, Cell, Tile, count_neighbours, flooded, marked
from solver.game import Status
from solver.mine_total import USUAL_TOTALS

PLAYING, WON, LOST, UNKNOWN = Status.PLAYING, Status.WON, Status.LOST, None

LEAST_SHOWN, LEAST_MARKED = 3, 4
"""Fewest mines beside what lies over a board that show a loss, with the one that was clicked; and
fewest marks that appeared at once, from which they are mines."""

LEAST_APART, LEAST_FITTING = 2, 3
"""Fewest changed cells that no opening can have reached, and fewest open numbers that fit them,
from which the changed cells are the mines of a loss."""

LEAST_PLACES, MOST_MINES = 4, 0.35
"""Places in which tiles changed, from which they lie scattered, and the largest share of a board
that is mines."""

MOST_OPEN_CHANGED = 0.5
"""Share of the open tiles that may look different, above which the board is dimmed or covered."""

NONE: frozenset[Cell] = frozenset()


@dataclass(frozen=True, eq=False)
class Evidence:
    """What one look tells of a game. What may be called is asked, once."""

    tiles: Tiles  # in sight, int8 (rows, cols), `UNREAD` where one is not known
    mines: int | None = None  # the total
    before: Tiles | None = None  # before the last clicks, if that was seen
    words: Callable[[], Said | None] = lambda: None  # what the window says
    flags: bool | None = None  # whether the program wants all mines flagged, if that is known

    # Of a picture.
    program: str = ""  # the name of a known one
    face: Status | None = None  # what the face beside the board shows
    has_face: bool = False
    new_face: bool = False  # what its looks mean was learned in play
    other_face: Callable[[], bool] = lambda: False  # it is none of those of the program
    sunglasses: Callable[[], bool] = lambda: False  # it wears them
    lives: Callable[[], bool] = lambda: False  # they are counted beside the board

    # Of a game: how it is seen.
    read: Status | None = None  # with which the whole board was read, None if it was not
    changing: bool = False  # it does not tell its status yet
    covered: bool = False  # something lies over it
    dimmed: bool = False  # it was read as bright as before
    at_rest: bool = False  # it is at rest, and was seen twice
    waited: bool = False  # nothing else is to be waited for
    fleeting: bool = False  # it was seen for a moment, before something covered it
    # What was done.
    moved: Set[Cell] = NONE  # the cells of the last moves
    to_open: Set[Cell] = NONE  # those of them that are to be opened
    certain: bool = False  # they are safe for sure
    risky: bool = False  # they may hit a mine
    opened: Set[Cell] = NONE  # cells that clicks of the game were to open
    inferred: bool = False  # nobody saw these clicks
    flagged: Set[Cell] = NONE  # cells that the last clicks flagged
    # What came of it.
    changed: Set[Cell] = NONE  # cells that look otherwise since
    counted: int | None = None  # mines left, by the counter
    refused: bool = False  # mines take no flags
    wants_flags: Callable[[], bool] = lambda: False  # mines are still to be flagged
    clock_runs: Callable[[], bool] = lambda: False
    runs_on: Callable[[], bool] = lambda: False  # the clock that asked for flags, after them
    goes_on: Callable[[], bool] = lambda: False  # the game does, after a mine
    confirmed: Callable[[], Tiles | None] = lambda: None  # mines beyond doubt
    earlier: Callable[[], Verdict] = lambda: Verdict(DOUBT, "")  # by looks before this one

    def __post_init__(self) -> None:
        for name, value in vars(self).copy().items():
            if callable(value):
                object.__setattr__(self, name, cache(value))

    def shows(self, *tiles: Tile) -> Mask:
        """Mark the tiles that show one of these, ``(rows, cols)``."""
        return np.isin(self.tiles, tiles)

    def says(self, status: Status, *, plain: bool = False) -> bool:
        """Whether the window says this in words, and ``plain``: more than that the game is over."""
        said = self.words()
        return said is not None and said.status is status and (said.plain or not plain)

    @property
    def old(self) -> Tiles:
        """The tiles before the last clicks; those in sight if there were none."""
        return self.tiles if self.before is None else self.before

    @cached_property
    def board_says(self) -> Status:
        """What the tiles alone tell, or PLAYING if all is open and the mines want flags."""
        told = status_of(self.tiles, self.mines)
        unmarked = self.shows(Tile.HIDDEN, Tile.QUESTION).any()
        return PLAYING if self.flags and told is WON and unmarked else told

    @cached_property
    def lone(self) -> bool:
        """Whether a single mine is shown, at the first sight of a board."""
        return self.before is None and int(mines_in(self.tiles).sum()) == 1

    @cached_property
    def finished(self) -> bool:
        """Whether no cell is hidden, at the first sight of a board."""
        return self.before is None and not self.shows(Tile.HIDDEN).any()

    @cached_property
    def may_be_won(self) -> bool:
        """Whether the mines of a first sight may be those of a win."""
        alike = self.before is None and shows_win_or_loss(self.tiles)
        return alike or (self.lone and self.finished)

    @cached_property
    def two_signs(self) -> bool:
        """Whether the tiles show two signs of a loss; a word of it, at first sight, is one more."""
        signs = signs_of_loss(self.tiles, self.before)
        return signs > 1 or (signs == 1 and self.before is None and self.says(LOST))

    @cached_property
    def unflagged(self) -> bool:
        """Whether all is open but mines, some of which have no flag."""
        return bool(self.shows(Tile.HIDDEN).any()) and only_mines_left(self.tiles, self.mines)

    @cached_property
    def all_open(self) -> bool:
        """Whether every cell that was clicked is open."""
        return all(self.tiles[cell] >= 0 for cell in self.opened)

    @cached_property
    def unclicked(self) -> bool:
        """Whether cells are open now that no click can have opened.

        A click opens its cell and, from zero to zero, those around it. A program that opens more
        shows its whole board after a loss.
        """
        clicked = marked(self.tiles.shape, self.opened) & (self.tiles >= 0)
        reached = flooded(clicked, self.tiles == 0)
        return bool(((self.tiles >= 0) & (self.old < 0) & ~reached).any())

    @cached_property
    def all_shown(self) -> bool:
        """Whether all that is not open is mines, whatever it looks like, by every number.

        On a board that was not read, none of it may be hidden: it may be as it was.
        """
        if (self.tiles != self.old)[self.old >= 0].any():
            return False
        if not self.read and (self.changing or self.shows(Tile.HIDDEN).any()):
            return False
        closed = np.where(self.tiles < 0, np.int8(Tile.HIDDEN), self.tiles)
        shown = np.where(self.tiles == Tile.EXPLODED, np.int8(Tile.MINE), self.tiles)
        alike = not self.shows(Tile.UNKNOWN).any() and shows_win_or_loss(shown)
        return alike or status_of(closed, self.mines) is WON

    @cached_property
    def revealed(self) -> Tiles | None:
        """The lost board, if the tiles that changed can only be the mines that a loss reveals.

        Two signs are needed: tiles changed that no opening can have reached, and the changed tiles,
        taken as mines together with the flags, fit every open number and the mine total if it is
        known. Where both tell little, as at the first click, the changed tiles of a board at rest
        must lie scattered. None where most open tiles changed: the board is dimmed, or covered.
        """
        old, looks = self.old, marked(self.old.shape, self.changed)
        changed = looks & (old == Tile.HIDDEN)
        hit = changed & marked(old.shape, self.opened)
        apart = changed & ~flooded(hit, changed)
        dimmed = (looks & (old >= 0)).sum() > MOST_OPEN_CHANGED * (old >= 0).sum()
        if dimmed or hit.sum() != 1 or apart.sum() < LEAST_APART:
            return None
        little = self.mines is None and (old > 0).sum() < LEAST_FITTING
        # The cell may as well be the last safe one, and the others be shown by a win.
        last = self.mines is None and (changed == (old == Tile.HIDDEN)).all()
        last &= not count_neighbours(old > 0)[hit].any()
        if last or (little and not (self.at_rest and _lie_scattered(changed))):
            return None
        mines = changed | mines_in(old) | (old == Tile.FLAG)
        wrong = (old >= 0) & (count_neighbours(mines) != old)
        if wrong.any() or self.mines not in (None, int(mines.sum())):
            return None
        shown = np.where(changed, np.int8(Tile.MINE), old)
        return np.where(hit, np.int8(Tile.EXPLODED), shown)

    @property
    def moves_seen(self) -> bool:
        """Whether each cell of the last moves looks otherwise, or a page dimmed its board since."""
        changed = bool(self.moved) and self.moved <= self.changed
        return self.covered and (self.dimmed or (self.waited and changed))


def mines_in(tiles: Tiles) -> Mask:
    """Mark the mines that are shown, exploded or not."""
    return np.isin(tiles, (Tile.MINE, Tile.EXPLODED))


def only_mines_left(tiles: Tiles, mines: int | None) -> bool:
    """Whether only mines are left covered, by the mine total and by every open number.

    The total alone is not enough: a person may have given a wrong one. If it is unknown, the usual
    one of the size takes its place, or the numbers alone tell. Mines that are shown took lives.
    """
    tiles = np.where(mines_in(tiles), np.int8(Tile.FLAG), tiles)
    if mines is None and status_of(tiles, None) is WON:
        return True
    total = USUAL_TOTALS.get(tiles.shape) if mines is None else mines
    fits = (count_neighbours(tiles < 0) == tiles) | (tiles < 0)
    return int((tiles < 0).sum()) == total and bool(fits.all())


def struck(e: Evidence) -> bool:
    """Whether a clicked cell is one of the mines that are left, and no words tell a win.

    It shows a mark, or what only a mine is; or it is hidden, but cells are open that no click
    opened: a program may open all safe cells of a lost board before it shows the mines.
    """
    clicked = marked(e.tiles.shape, e.opened) & (e.tiles < 0)
    kept = clicked & e.shows(Tile.HIDDEN, Tile.QUESTION)
    hit = (clicked & ~kept).any() or (kept.any() and e.unclicked)
    return bool(hit and (e.read or e.all_shown) and not e.says(WON))


def shows_win(e: Evidence) -> bool:
    """Whether all cells that were clicked, and no others, are open, and all that is left is mines.

    A covered board of a program that wants flags may still want them.
    """
    if not (e.opened and e.all_open and e.all_shown) or (e.covered and e.flags):
        return False
    others = e.unclicked or e.shows(Tile.WRONG_FLAG).any()
    return not (others or (e.inferred and e.says(LOST)))


def lone_mine(e: Evidence) -> bool:
    """Whether nothing changed but a clicked cell, which shows a mine, and what will not be read.

    Where a program shows no other mine, a loss far from every number looks like that. Mines that
    took lives before may look like the one that exploded, or be taken for flags.
    """
    marks = (mines_in(e.tiles) | e.shows(Tile.FLAG)) & mines_in(e.old)
    changed = (e.tiles != e.old) & ~marks
    hit = changed & mines_in(e.tiles) & marked(changed.shape, e.opened)
    return e.changing and int(changed.sum()) == int(hit.sum()) == 1


def took_life(e: Evidence) -> bool:
    """Whether a single mine appeared, after which the game goes on."""
    new = mines_in(e.tiles) & ~mines_in(e.old)
    return (e.read is LOST or lone_mine(e)) and int(new.sum()) == 1 and e.goes_on()


def half_painted(e: Evidence, tiles: Tiles) -> bool:
    """Whether the mines in ``tiles`` may be open tiles that are not wholly painted yet.

    Those after a first click may be parts of its opening, which hangs together, unless there are
    as many as the total. Later they are cells that were clicked and nothing else: several of them,
    though the first one ends a game, or one that was certainly safe.
    """
    shown = mines_in(tiles)
    if e.moved and not (e.old >= 0).any():
        return not (shown.sum() == e.mines or _lie_scattered(shown))
    new = shown & ~mines_in(e.old)
    stray = new & ~marked(new.shape, e.to_open)
    return bool(new.any() and not stray.any() and (e.certain or new.sum() > 1))


def _lie_scattered(cells: Mask) -> bool:
    """Whether marked cells lie apart like mines, in many places, and are not too many."""
    places = cv2.connectedComponents(cells.astype(np.uint8), connectivity=8)[0] - 1
    return places >= LEAST_PLACES and bool(cells.mean() <= MOST_MINES)


def marks_are_mines(e: Evidence) -> bool:
    """Whether a single risky move left marks on its cell and on others that nobody flagged.

    They are the mines of a lost game, read as flags, since all of them look alike.
    """
    new = e.shows(Tile.FLAG) & (e.old == Tile.HIDDEN)
    alone = e.risky and len(e.moved) == len(e.to_open) == 1 and new.sum() >= LEAST_MARKED
    return alone and all(new[cell] for cell in e.to_open)


def clicked_among_mines(e: Evidence) -> bool:
    """Whether several mines are in sight, beside what lies over others, and one was clicked.

    They are beyond doubt, or two signs of a loss are seen; and no words tell a win.
    """
    if not e.covered:
        return False
    tiles = e.tiles if signs_of_loss(e.tiles) > 1 and _clicked(e, e.tiles) else e.confirmed()
    return _clicked(e, tiles) and not e.says(WON)


def _clicked(e: Evidence, tiles: Tiles | None) -> bool:
    """Whether tiles show several mines, and one was clicked."""
    if tiles is None or mines_in(tiles).sum() < LEAST_SHOWN:
        return False
    return any(mines_in(tiles)[cell] for cell in e.opened) and not half_painted(e, tiles)


def opened_all(e: Evidence) -> bool:
    """Whether all safe cells are open on a board that is covered, and mines want no flags.

    That can be read, or the last moves, all certain, opened those that were left. Without a mine
    total, all others must be certain mines. A cell that was not clicked counts as opened if
    flooding reaches it from one that was.
    """
    if not e.moves_seen:
        return False
    won = not e.shows(Tile.UNKNOWN).any() and status_of(e.tiles, e.mines) is WON
    if not won and e.certain and e.to_open:
        board, safe = Board(e.old, e.mines), marked(e.old.shape, e.to_open)
        shown = int(mines_in(e.old).sum())  # those that took lives
        mines = len(analyse(board).mines) if e.mines is None else e.mines - shown
        zeros = safe & (count_neighbours(~board.open & ~safe) == 0)
        reached = flooded(marked(safe.shape, e.opened) & safe, zeros)
        won = board.covered.sum() - mines == safe.sum() and not (safe & ~reached).any()
    return bool(won) and (e.dimmed or not (e.flags or e.clock_runs()))


def flagged_all(e: Evidence) -> bool:
    """Whether only mines were left covered, and the last clicks flagged those without a flag."""
    board = Board(e.old, e.mines)
    left = {cell for cell in board.cells() if not board.open[cell] and board[cell] != Tile.FLAG}
    return bool(left) and left == e.flagged and left <= {*analyse(board).mines}


def dimmed_at_loss(e: Evidence) -> bool:
    """Whether a page dimmed its board after a guess, but cells are left that are safe for sure.

    On a first click it may ask for a name.
    """
    if not (e.dimmed and e.risky and (e.old >= 0).any()) or e.earlier().status is not UNKNOWN:
        return False
    return leaves_safe_cells(e, e.opened | e.flagged | e.changed) and not e.says(WON)


def said_lost(e: Evidence) -> bool:
    """Whether the window says lost, or only over, after a risk that cannot have won."""
    over = e.risky and leaves_safe_cells(e, e.opened | e.flagged)
    return e.says(LOST, plain=not over)


def leaves_safe_cells(e: Evidence, opened: Set[Cell]) -> bool:
    """Whether some hidden cells are safe for sure, if none but the ``opened`` ones were opened.

    Without a mine total, those left cannot all be mines if a number has too many of them around it,
    and a cell that touches no number, and none of the opened cells, cannot be known to be one.
    """
    hidden = e.old == Tile.HIDDEN
    left = hidden & ~marked(hidden.shape, opened)
    if e.mines is not None:
        return int(left.sum()) > e.mines
    too_many = (e.old >= 0) & (count_neighbours(left | (e.old == Tile.FLAG)) > e.old)
    numbers = count_neighbours((e.old > 0) | (hidden & ~left))
    return bool(too_many.any() or (left & (numbers == 0)).any())


@dataclass(frozen=True, eq=False)
class Row:
    """One row of the table: where it ``fits`` the evidence, a game has this ``status``.

    ``reason`` says why, in words; `UNKNOWN` is the status where doubt is told. ``may_change`` says
    whether a doubt may pass, None if the board tells nothing in it.
    """

    status: Status | None
    reason: str
    fits: Callable[[Evidence], object]
    may_change: bool | None = None


@dataclass(frozen=True, eq=False)
class Verdict:
    """How a game stands, `UNKNOWN` where doubt is told, and the ``row`` of the table that says it.

    ``reason`` is the row's, for this game, and ``tiles`` are those of the board as far as they are
    known.
    """

    row: Row
    reason: str
    tiles: Tiles | None = None

    @property
    def status(self) -> Status | None:
        """Whether the game goes on, is won or is lost."""
        return self.row.status

    @property
    def in_sight(self) -> bool:
        """Whether the end of the game is in sight, though it cannot be read."""
        return self.row in IN_SIGHT

    @property
    def over(self) -> bool:
        """Whether the game is won or lost."""
        return self.status in (WON, LOST)


NO_FLAGS = Row(WON, "The mines take no flags, and all else is open.", lambda e: e.refused)
OTHER_MARKS = Row(
    UNKNOWN,
    "All mines are marked, but the clock beside the board runs on and its counter counts no marks: "
    "they may be no flags. Mark them by hand, or start a new game.",
    lambda e: e.read is not LOST and e.counted and e.runs_on() and not e.says(WON),
)
STRUCK = Row(LOST, "A clicked cell is one of the mines that are left.", struck)
MINES_OF_A_WIN = Row(WON, "All clicked cells are open, and all others are mines.", shows_win)
A_LIFE = Row(PLAYING, "A mine exploded, but the game goes on: it took a life.", took_life)
LONE = Row(LOST, "Nothing but a mine appeared, on the clicked cell.", lone_mine)
REVEALED = Row(
    LOST,
    "The end of the game is drawn in a way that is not known, but the tiles that changed can only "
    "be its mines.",
    lambda e: e.revealed is not None and not e.says(WON),
)
IN_SIGHT = (NO_FLAGS, STRUCK, MINES_OF_A_WIN, A_LIFE, LONE, REVEALED)
WON_BEFORE = Row(
    WON, "It was seen to be won before it was covered.", lambda e: e.earlier().status is WON
)
LOST_BEFORE = Row(
    LOST,
    "It was seen to be lost before it was covered.",
    lambda e: e.earlier().status is LOST and not e.says(WON),
)
SAYS_WON, SAYS_LOST = (f"The window says that the game is {end}." for end in ("won", "lost"))
DOUBT: Row = Row(UNKNOWN, "Nothing tells how the game ended.", lambda e: True)

PICTURE = (
    Row(
        UNKNOWN,
        "All that is free is open. Whether that is a win cannot be told: the tiles are those of "
        "{program}, but not what stands above them.",
        lambda e: e.flags and e.board_says is not status_of(e.tiles, e.mines) and e.other_face(),
    ),
    Row(
        UNKNOWN,
        "The board says {board}, but what stands beside it says {face}.",
        lambda e: (
            e.face not in (None, e.board_says)
            and not (e.new_face and (e.face, e.board_says) == (PLAYING, WON))
        ),
    ),
    Row(PLAYING, "Cells are left to play.", lambda e: e.board_says is PLAYING),
    Row(WON, "All safe cells are open.", lambda e: e.board_says is WON),
    Row(LOST, "A mine is in sight.", lambda e: e.program or e.face is LOST),
    # A mine of an unknown program is in sight, and no face says what it means.
    Row(
        UNKNOWN,
        "A mine exploded, but lives are counted there: the game may not be lost.",
        lambda e: (e.lone or e.finished) and e.lives(),
        may_change=True,
    ),
    Row(WON, SAYS_WON, lambda e: e.may_be_won and e.says(WON)),
    Row(LOST, SAYS_LOST, lambda e: e.may_be_won and e.says(LOST)),
    Row(
        UNKNOWN,
        "The board says lost, but what stands beside it says won.",
        lambda e: e.finished and e.says(WON),
    ),
    Row(WON, "The face wears sunglasses.", lambda e: e.may_be_won and e.sunglasses()),
    Row(
        UNKNOWN,
        "The game seems lost, but only one sign of that is seen.",
        lambda e: not e.two_signs,
        may_change=True,
    ),
    Row(
        UNKNOWN,
        "The game is over, but the board does not tell whether it is won or lost: all mines are "
        "shown, and no cell is left to open.",
        lambda e: e.before is None and shows_win_or_loss(e.tiles),
        may_change=False,
    ),
    Row(
        UNKNOWN,
        "One mine is shown, but no word says that the game is over: with a life less it may go on, "
        "or be won.",
        lambda e: (e.may_be_won or (e.lone and e.has_face)) and not e.says(LOST),
        may_change=True,
    ),
    Row(LOST, "Mines are in sight.", lambda e: True),
)
"""What a single picture tells, and what stands beside its board."""

READ = (
    Row(LOST, "Marks that nobody set are the mines of a lost game.", marks_are_mines),
    Row(
        PLAYING,
        "Cells are left to play.",
        lambda e: e.read is PLAYING and not only_mines_left(e.tiles, e.mines),
    ),
    Row(
        PLAYING,
        "Mines are left to be flagged.",
        lambda e: e.read is PLAYING and e.flags and e.unflagged,
    ),
    Row(UNKNOWN, "An end counts once it was seen twice.", lambda e: not (e.at_rest or e.fleeting)),
    Row(
        PLAYING,
        "The program wants all mines flagged.",
        lambda e: e.read is not LOST and e.unflagged and e.wants_flags(),
    ),
    OTHER_MARKS,
    Row(LOST, STRUCK.reason, lambda e: e.read is not LOST and struck(e)),
    Row(
        WON,
        "All else is open and all mines are marked: nothing is left to play, though a clock runs.",
        lambda e: e.read is not LOST and e.runs_on(),
    ),
    Row(WON, "All safe cells are open.", lambda e: e.read is not LOST),
    # A mine is in sight.
    Row(WON, SAYS_WON, lambda e: e.inferred and shows_win_or_loss(e.tiles) and e.says(WON)),
    MINES_OF_A_WIN,
    A_LIFE,
    Row(
        LOST,
        "A mine is in sight.",
        lambda e: not (e.fleeting and (e.all_open or half_painted(e, e.tiles))),
    ),
    REVEALED,
)
"""What the board of a game tells that was read."""

NOT_READ = (
    NO_FLAGS,
    MINES_OF_A_WIN,
    A_LIFE,
    STRUCK,
    LONE,
    Row(LOST, "A clicked cell is among the mines in sight.", clicked_among_mines),
    Row(WON, "The last clicks opened all safe cells, as something came over them.", opened_all),
    Row(
        WON,
        "All mines are flagged, and the tiles look different from then on.",
        lambda e: e.flags and e.moves_seen and flagged_all(e),
    ),
    REVEALED,
    WON_BEFORE,
    LOST_BEFORE,
    Row(LOST, "A page dimmed its board after a guess that left safe cells.", dimmed_at_loss),
    Row(WON, SAYS_WON, lambda e: e.waited and e.says(WON)),
    Row(LOST, SAYS_LOST, lambda e: e.waited and said_lost(e)),
)
"""What is told of a game whose board cannot be read. Words of a win count more than tiles."""


def verdict(e: Evidence, rows: Sequence[Row] = ()) -> Verdict:
    """Tell how a game stands: as the first of the rows says that fits the evidence."""
    rows = rows or (READ if e.read else NOT_READ)
    row = next((row for row in rows if row.fits(e)), DOUBT)
    tiles: Tiles | None = e.tiles if e.read else e.old
    if row is REVEALED:
        tiles = e.revealed
    elif row in (WON_BEFORE, LOST_BEFORE):
        tiles = e.earlier().tiles
    elif row in IN_SIGHT:  # what lies over a tile there is a mine
        tiles = np.where(e.tiles == UNREAD, np.int8(Tile.MINE), e.tiles)
    face = e.face.value if e.face else ""
    reason = row.reason.format(board=e.board_says.value, face=face, program=e.program)
    return Verdict(row, reason, tiles)
