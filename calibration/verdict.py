"""Is a game over, and who won it? ``verdict(evidence)`` tells, as `chess.Board.outcome()` does.

`Evidence` is what one look tells, gathered once, and what follows from it. The first row of the
table that fits it speaks; a row does not fit where something that it needs is not known. The
reader asks of a mere picture; in a game, its answer is evidence for a second question, with the
clicks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from calibration.indicators.words import Said
from calibration.rules import (
    UNREAD,
    Tiles,
    leaves_safe_cells,
    lie_scattered,
    mines_in,
    only_mines_left,
    shows_win_or_loss,
    signs_of_loss,
    status_of,
)
from solver.analysis import analyse, sample_layouts
from solver.board import Board, Cell, Tile, count_neighbours, flooded, marked
from solver.errors import CannotAnalyse
from solver.game import Status

PLAYING, WON, LOST, UNKNOWN = Status.PLAYING, Status.WON, Status.LOST, None

LEAST_SHOWN = 3  # mines beside what lies over a board that show a loss, with the clicked one
LEAST_MARKED = 4  # marks that appeared at once, from which they are mines
LEAST_APART = 2  # changed cells that no opening can have reached, from which they are mines
LEAST_FITTING = 3  # open numbers that fit them, from which no mine total is needed
LAYOUTS_TRIED, LIKELY = (
    200,
    0.05,
)  # layouts drawn, and the share of them from which an end is likely
MOST_OPEN_CHANGED = 0.5  # share of the open tiles above which the board is dimmed or covered


@dataclass(frozen=True, eq=False)
class Evidence:
    """What one look tells of a game, and what follows.

    What may be called is asked once, where a row comes to it: in play an answer may take seconds,
    or a flag set on trial.
    """

    tiles: Tiles  # in sight, int8 (rows, cols), `UNREAD` where one is not known
    before: Tiles  # before the last clicks; those in sight if that was not seen
    mines: int | None = None  # the total
    words: Callable[[], Said | None] = lambda: None  # what the window says
    flags: bool | None = None  # whether the program wants all mines flagged, if that is known

    # Of a mere picture.
    first: bool | None = None  # whether the board was not seen in play; None in a game
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
    moved: Set[Cell] = frozenset()  # the cells of the last moves
    to_open: Set[Cell] = frozenset()  # those of them that are to be opened
    certain: bool = False  # they are safe for sure
    risky: bool = False  # they may hit a mine
    opened: Set[Cell] = frozenset()  # cells that clicks of the game were to open
    inferred: bool = False  # nobody saw these clicks
    flagged: Set[Cell] = frozenset()  # cells that the last clicks flagged
    # What came of it.
    changed: Set[Cell] = frozenset()  # cells that look otherwise since
    counted: int | None = None  # mines left, by the counter
    refused: bool = False  # mines take no flags
    anew: bool = False  # all is covered again: a new game began
    ended: Callable[[], bool] = lambda: False  # what stands beside the board shows an end
    wants_flags: Callable[[], bool] = lambda: False  # mines are still to be flagged
    clock_runs: Callable[[], bool] = lambda: False
    runs_on: Callable[[], bool] = lambda: False  # the clock that asked for flags, after them
    goes_on: Callable[[], bool] = lambda: False  # the game does, after a mine
    confirmed: Callable[[], Tiles | None] = lambda: None  # mines beyond doubt
    earlier: Callable[[], Verdict] = lambda: Verdict(UNKNOWN, "")  # by looks before this one

    def __post_init__(self) -> None:
        for name, value in vars(self).copy().items():
            if callable(value):
                object.__setattr__(self, name, cache(value))

    def says(self, status: Status, *, plain: bool = False) -> bool:
        """Whether the window says this in words, and ``plain``: more than that the game is over."""
        said = self.words()
        return said is not None and said.status is status and (said.plain or not plain)

    @cached_property
    def board_says(self) -> Status | None:
        """What the tiles of a picture tell; PLAYING if all is open and the mines want flags."""
        told = None if self.first is None else status_of(self.tiles, self.mines)
        unmarked = np.isin(self.tiles, (Tile.HIDDEN, Tile.QUESTION)).any()
        return PLAYING if told is WON and self.flags and unmarked else told

    @cached_property
    def clicks_tell(self) -> Status | None:
        """Who won, by the clicked cells, where all that is not open is mines; else None.

        A clicked cell is one of them if it shows a mark, or what only a mine is; or if it is
        hidden, but cells are open that no click opened: a program may open all safe cells of a lost
        board before it shows the mines. A click opens its cell and, from zero to zero, others.
        """
        if not (self.opened and self._only_mines_closed()):
            return None
        is_open, clicked = self.tiles >= 0, marked(self.tiles.shape, self.opened)
        reached = flooded(clicked & is_open, self.tiles == 0)
        others = (is_open & (self.before < 0) & ~reached).any()
        closed = self.tiles[clicked & ~is_open]
        if len(closed):
            kept = np.isin(closed, (Tile.HIDDEN, Tile.QUESTION)).all()
            return None if kept and not others else LOST
        return None if others or (self.tiles == Tile.WRONG_FLAG).any() else WON

    def _only_mines_closed(self) -> bool:
        """Whether all that is not open is mines, whatever it looks like, by every number.

        On a board that was not read, none of it may be hidden: it may be as it was.
        """
        if self.read in (PLAYING, WON):
            return True
        unsure = not self.read and (self.changing or (self.tiles == Tile.HIDDEN).any())
        if unsure or (self.tiles != self.before)[self.before >= 0].any():
            return False
        closed = np.where(self.tiles < 0, np.int8(Tile.HIDDEN), self.tiles)
        shown = np.where(self.tiles == Tile.EXPLODED, np.int8(Tile.MINE), self.tiles)
        alike = not (self.tiles == UNREAD).any() and shows_win_or_loss(shown)
        return alike or status_of(closed, self.mines) is WON

    @cached_property
    def lone_mine(self) -> bool:
        """Whether a single mine appeared; on a clicked cell and nothing else, if that is in doubt.

        Where a program shows no other mine, a loss far from every number looks like that. Mines
        that took lives before may look like the one that exploded, or be taken for flags.
        """
        mines, before = mines_in(self.tiles), mines_in(self.before)
        new, kept = mines & ~before, before & (mines | (self.tiles == Tile.FLAG))
        clicked = (new & marked(new.shape, self.opened)).any()
        others = ((self.tiles != self.before) & ~kept & ~new).any()
        alone = self.read is LOST or (self.changing and clicked and not others)
        return bool(alone) and int(new.sum()) == 1

    @cached_property
    def revealed(self) -> Tiles | None:
        """The lost board, if the tiles that changed can only be the mines that a loss reveals.

        Two signs are needed: no opening can have reached them, and as mines, with the flags, they
        fit every open number and the mine total if it is known. Where both tell little, as at the
        first click, they must lie scattered on a board at rest. None where most open tiles changed.
        """
        old, looks = self.before, marked(self.before.shape, self.changed)
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
        if last or (little and not (self.at_rest and lie_scattered(changed))):
            return None
        mines = changed | mines_in(old) | (old == Tile.FLAG)
        wrong = (old >= 0) & (count_neighbours(mines) != old)
        if wrong.any() or self.mines not in (None, int(mines.sum())):
            return None
        shown = np.where(changed, np.int8(Tile.MINE), old)
        return np.where(hit, np.int8(Tile.EXPLODED), shown)

    def half_painted(self, tiles: Tiles) -> bool:
        """Whether the mines in ``tiles`` may be open tiles that are not wholly painted yet.

        Those after a first click may be parts of its opening, which hangs together, unless all
        mines are shown. Later they are cells that were clicked and nothing else: several of them,
        though the first one ends a game, or one that was certainly safe.
        """
        shown = mines_in(tiles)
        if self.moved and not (self.before >= 0).any():
            return not (shown.sum() == self.mines or lie_scattered(shown))
        new = shown & ~mines_in(self.before)
        stray = new & ~marked(new.shape, self.to_open)
        return bool(new.any() and not stray.any() and (self.certain or new.sum() > 1))

    def clicked_among(self, tiles: Tiles | None) -> bool:
        """Whether ``tiles`` show several mines, one was clicked, and no words tell a win."""
        if tiles is None or mines_in(tiles).sum() < LEAST_SHOWN or self.half_painted(tiles):
            return False
        clicked = any(mines_in(tiles)[cell] for cell in self.opened)
        return clicked and not self.says(WON)

    @cached_property
    def moves_win(self) -> bool:
        """Whether the last moves, seen to be made before something covered the board, won the game.

        They opened all safe cells, as can be read, or since they were certain and all others are
        mines: without a mine total, certain ones. Cells count as opened that flooding reaches from
        clicked ones. Or they flagged all mines that were left, of a program that wants that.
        """
        changed = bool(self.moved) and self.moved <= self.changed
        if not (self.covered and (self.dimmed or (self.waited and changed))):
            return False
        board, safe = Board(self.before, self.mines), marked(self.before.shape, self.to_open)
        won = not (self.tiles == UNREAD).any() and status_of(self.tiles, self.mines) is WON
        if not won and self.certain and self.to_open:
            shown = int(mines_in(self.before).sum())  # those that took lives
            mines = len(analyse(board).mines) if self.mines is None else self.mines - shown
            zeros = safe & (count_neighbours(~board.open & ~safe) == 0)
            reached = flooded(marked(safe.shape, self.opened) & safe, zeros)
            won = board.covered.sum() - mines == safe.sum() and not (safe & ~reached).any()
        if won and (self.dimmed or not (self.flags or self.clock_runs())):
            return True
        return self.flags_all

    @cached_property
    def flags_all(self) -> bool:
        """Whether the last clicks flagged all mines that were left, of a program that wants it."""
        board = Board(self.before, self.mines)
        left = {cell for cell in board.cells() if board[cell] < 0 and board[cell] != Tile.FLAG}
        flagged = bool(self.flags and left) and left == self.flagged
        return flagged and left <= {*analyse(board).mines}

    @cached_property
    def end_chances(self) -> tuple[float, float]:
        """The chances that the last clicks won the game, and that they lost it.

        They are the shares of layouts, drawn among those that fit the board before, in which the
        clicks and the flooding from their zeros open all safe cells, or one is on a mine.
        """
        clicked = marked(self.before.shape, self.opened & self.to_open) & (self.before < 0)
        if not clicked.any():
            return 0.0, 0.0
        try:
            layouts = sample_layouts(Board(self.before, self.mines), LAYOUTS_TRIED)
        except CannotAnalyse:
            return 0.0, 0.0
        lost = (layouts & clicked).any(axis=(1, 2))
        won = [
            not (
                ~layout & (self.before < 0) & ~flooded(clicked, count_neighbours(layout) == 0)
            ).any()
            for layout in layouts[~lost]
        ]
        return sum(won) / LAYOUTS_TRIED, float(lost.mean())

    @cached_property
    def sure_mine(self) -> bool:
        """Whether a lone mine on the clicked cell is no doubt.

        At a first click a zero that is written, or a mark of another kind, looks like that: then
        words must say so, or what stands beside the board. The tiles of known programs are sure.
        """
        begun = (self.before >= 0).any() or mines_in(self.before).any()
        return bool(begun) or self.flags is not None or self.ended() or self.says(LOST)


@dataclass(frozen=True, eq=False)
class Verdict:
    """How a game stands, `UNKNOWN` where doubt is told, and the ``reason`` in words.

    ``may_change`` says whether a doubt may pass, None if the board tells nothing in it;
    ``in_sight``, that the end can be seen. ``tiles`` are those of the board that are known.
    """

    status: Status | None
    reason: str
    may_change: bool | None = None
    tiles: Tiles | None = None
    in_sight: bool = False

    @property
    def over(self) -> bool:
        """Whether the game is won or lost."""
        return self.status in (WON, LOST)


ALL_OPEN = Verdict(WON, "All safe cells are open.")
MINES_OF_A_WIN = Verdict(WON, "All clicked cells are open, and all others are mines.")
NO_FLAGS = Verdict(WON, "The mines take no flags, and all else is open.")
STILL_RUNS = Verdict(
    WON, "All else is open and all mines are marked: nothing is left to play, though a clock runs."
)
OPENED_ALL = Verdict(WON, "The last clicks opened all safe cells, as something came over them.")
FLAGGED_ALL = Verdict(WON, "All mines are flagged, and the tiles look different from then on.")
WON_BEFORE = Verdict(WON, "It was seen to be won before it was covered.")
BEGAN_ANEW = Verdict(
    WON, "A new game began by itself after clicks that opened the last safe cells."
)
SAYS_WON = Verdict(WON, "The window says that the game is won.")

MINE_SEEN = Verdict(LOST, "A mine is in sight.")
STRANGE_MARKS = Verdict(LOST, "Marks that nobody set are the mines of a lost game.")
STRUCK = Verdict(LOST, "A clicked cell is one of the mines that are left.")
LONE = Verdict(LOST, "Nothing but a mine appeared, on the clicked cell.")
AMONG_MINES = Verdict(LOST, "A clicked cell is among the mines in sight.")
REVEALED = Verdict(
    LOST,
    "The end of the game is drawn in a way that is not known, but the tiles that changed can only "
    "be its mines.",
)
LOST_BEFORE = Verdict(LOST, "It was seen to be lost before it was covered.")
DIMMED = Verdict(LOST, "A page dimmed its board after a guess that left safe cells.")
BROKEN_OFF = Verdict(
    LOST, "A new game began by itself after a guess that could only end the game on a mine."
)
SAYS_LOST = Verdict(LOST, "The window says that the game is lost.")

GOES_ON = Verdict(PLAYING, "Cells or mines are left to play.")
A_LIFE = Verdict(PLAYING, "A mine exploded, but the game goes on: it took a life.")

DOUBT = Verdict(UNKNOWN, "Nothing tells how the game ended.")
WORDS_DENY = Verdict(UNKNOWN, "The board says lost, but what stands beside it says won.")
FACE_DENIES = Verdict(
    UNKNOWN, "The board says {e.board_says.value}, but what stands beside it says {e.face.value}."
)
OTHER_FACE = Verdict(
    UNKNOWN,
    "All that is free is open. Whether that is a win cannot be told: the tiles are those of "
    "{e.program}, but not what stands above them.",
)
OTHER_MARKS = Verdict(
    UNKNOWN,
    "All mines are marked, but the clock beside the board runs on and its counter counts no marks: "
    "they may be no flags. Mark them by hand, or start a new game.",
)
ONE_SIGN = Verdict(UNKNOWN, "The game seems lost, but only one sign of that is seen.", True)
LIVES = Verdict(
    UNKNOWN, "A mine exploded, but lives are counted there: the game may not be lost.", True
)
ONE_MINE = Verdict(
    UNKNOWN,
    "One mine is shown, but no word says that the game is over: with a life less it may go on, or "
    "be won.",
    True,
)
ALL_SHOWN = Verdict(
    UNKNOWN,
    "The game is over, but the board does not tell whether it is won or lost: all mines are shown, "
    "and no cell is left to open.",
    False,
)

IN_SIGHT = (NO_FLAGS, MINES_OF_A_WIN, STRUCK, LONE, REVEALED, A_LIFE)


def verdict(e: Evidence) -> Verdict:
    """Tell how a game stands: as the first row of the table says that fits the evidence."""
    table = _table_of_restarts(e) if e.anew else _table(e)
    told = next((told for fits, told in table if fits), DOUBT)
    tiles: Tiles | None = e.tiles if e.read else e.before
    if told is REVEALED:
        tiles = e.revealed
    elif told in (WON_BEFORE, LOST_BEFORE):
        tiles = e.earlier().tiles
    elif told in IN_SIGHT:  # what lies over a tile there is a mine
        tiles = np.where(e.tiles == UNREAD, np.int8(Tile.MINE), e.tiles)
    reason = told.reason.format(e=e)
    return replace(told, reason=reason, tiles=tiles, in_sight=told in IN_SIGHT)


def _table_of_restarts(e: Evidence) -> Iterator[tuple[object, Verdict]]:
    """Yield the rows for a game after which a new one began: its own end is gone."""
    yield e.earlier().status is WON, WON_BEFORE
    yield e.earlier().status is LOST, LOST_BEFORE
    yield e.flags_all, BEGAN_ANEW
    won, lost = e.end_chances
    yield won >= LIKELY and lost < LIKELY * won, BEGAN_ANEW
    yield lost >= LIKELY and won < LIKELY * lost, BROKEN_OFF
    yield True, DOUBT


def _table(e: Evidence) -> Iterator[tuple[object, Verdict]]:
    """Yield the rows: what fits, and what it tells. What takes seconds is asked last in a row."""
    board, free, hidden = e.board_says, e.read in (PLAYING, WON), (e.tiles == Tile.HIDDEN).any()
    alike, lone = shows_win_or_loss(e.tiles), mines_in(e.tiles).sum() == 1

    # What speaks against an end; marks and boards that are won or lost as no mine is in sight.
    yield e.refused, NO_FLAGS
    wanted = board is PLAYING and e.flags and status_of(e.tiles, e.mines) is WON
    yield wanted and e.other_face(), OTHER_FACE
    face = None if e.new_face and board is WON and e.face is PLAYING else e.face
    yield board and face not in (None, board), FACE_DENIES
    if e.read and e.risky and len(e.moved) == len(e.to_open) == 1:
        marks = (e.tiles == Tile.FLAG) & (e.before == Tile.HIDDEN)
        yield marks.sum() >= LEAST_MARKED and all(marks[cell] for cell in e.to_open), STRANGE_MARKS
    yield board is PLAYING or (e.read is PLAYING and not only_mines_left(e.tiles, e.mines)), GOES_ON
    yield e.read is PLAYING and e.flags and hidden, GOES_ON
    yield e.read and not (e.at_rest or e.fleeting), DOUBT  # an end is to be seen twice
    yield free and hidden and only_mines_left(e.tiles, e.mines) and e.wants_flags(), GOES_ON
    yield free and e.counted and e.runs_on() and not e.says(WON), OTHER_MARKS
    yield e.read is not LOST and e.clicks_tell is LOST and not e.says(WON), STRUCK
    yield free and e.runs_on(), STILL_RUNS
    yield free or board is WON, ALL_OPEN

    # Mines are in sight, or something covers the board. Words of a win count more than tiles.
    yield e.read and e.inferred and alike and e.says(WON), SAYS_WON
    if e.clicks_tell is WON and not (e.covered and e.flags):
        yield not (e.inferred and e.says(LOST)), MINES_OF_A_WIN
    yield e.lone_mine and e.goes_on(), A_LIFE
    painting = all(e.tiles[cell] >= 0 for cell in e.opened) or e.half_painted(e.tiles)
    yield e.read and not (e.fleeting and painting), MINE_SEEN
    yield not e.read and e.lone_mine and e.sure_mine, LONE
    yield e.covered and signs_of_loss(e.tiles) > 1 and e.clicked_among(e.tiles), AMONG_MINES
    yield e.covered and e.clicked_among(e.confirmed()), AMONG_MINES
    yield e.moves_win and e.flags and e.flagged and not e.to_open, FLAGGED_ALL
    yield e.moves_win, OPENED_ALL
    yield e.revealed is not None and not e.says(WON), REVEALED
    yield e.earlier().status is WON, WON_BEFORE
    yield e.earlier().status is LOST and not e.says(WON), LOST_BEFORE
    clicked, doubt = e.opened | e.flagged, e.earlier().status is UNKNOWN
    if doubt and e.dimmed and e.risky and (e.before >= 0).any():  # at first it may ask for a name
        yield leaves_safe_cells(e.before, e.mines, clicked | e.changed) and not e.says(WON), DIMMED
    yield e.waited and e.says(WON), SAYS_WON
    over = e.risky and leaves_safe_cells(e.before, e.mines, clicked)  # it cannot have won
    yield e.waited and e.says(LOST, plain=not over), SAYS_LOST

    # Mines are in sight on a mere picture. Of an unknown program it may be in doubt what they mean.
    yield board and (e.program or e.face is LOST), MINE_SEEN
    yield e.first and (lone or not hidden) and e.lives(), LIVES
    may_be_won = e.first and (alike or (lone and not hidden))
    yield may_be_won and e.says(LOST), SAYS_LOST
    yield may_be_won and (e.says(WON) or e.sunglasses()), SAYS_WON
    yield e.first and not hidden and e.says(WON), WORDS_DENY
    signs = signs_of_loss(e.tiles, e.before)
    yield board and signs < 2 and not (signs and e.first and e.says(LOST)), ONE_SIGN
    yield e.first and alike, ALL_SHOWN
    yield e.first and lone and (e.has_face or not hidden) and not e.says(LOST), ONE_MINE
    yield board, MINE_SEEN
