"""Is a game over, and who won it? ``verdict(evidence)`` answers, as `chess.Board.outcome()` does.

`Evidence` is what one frame shows, gathered once, and what follows from it. The first row of the
table that fits the evidence gives the verdict; a row does not fit if something it needs is unknown.
The reader asks about a single picture; in a game, its answer is part of the evidence for a second
question, together with the clicks.
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

LEAST_SHOWN = 3  # visible mines, the clicked one included, that show a loss on a covered board
LEAST_MARKED = 4  # marks appearing together that must be mines
LEAST_APART = 2  # changed cells out of reach of any opening that must be mines
LEAST_FITTING = 3  # open numbers they fit that make a mine total unnecessary
LAYOUTS_TRIED, LIKELY = 200, 0.05  # layouts sampled, the share that makes an end likely
MOST_OPEN_CHANGED = 0.5  # above this share of the open tiles, the board is dimmed or covered


@dataclass(frozen=True, eq=False)
class Evidence:
    """What one frame shows of a game, and what follows from it.

    Callables are evaluated once, when a row needs them: in play an answer may take seconds, or a
    flag set on trial.
    """

    tiles: Tiles  # visible now, int8 (rows, cols), `UNREAD` if unknown
    before: Tiles  # before the last clicks; the same if that was not seen
    mines: int | None = None  # the total
    words: Callable[[], Said | None] = lambda: None  # what the window says
    flags: bool | None = None  # whether the program requires all mines flagged, if known

    # For a single picture.
    first: bool | None = None  # True: never seen in play; None in a game
    program: str = ""  # name of a known program
    face: Status | None = None  # shown by the smiley beside the board
    has_face: bool = False
    new_face: bool = False  # its pictures were learned in play
    other_face: Callable[[], bool] = lambda: False  # not a smiley of this program
    sunglasses: Callable[[], bool] = lambda: False  # the smiley wears sunglasses
    lives: Callable[[], bool] = lambda: False  # lives are counted beside the board

    # For a game: how the board is seen.
    read: Status | None = None  # status by the reader, None if not the whole board was read
    changing: bool = False  # still being painted: no status yet
    covered: bool = False  # something covers it
    dimmed: bool = False  # dimmed, and read as if it were not
    at_rest: bool = False  # seen twice without a change
    waited: bool = False  # nothing more to wait for
    fleeting: bool = False  # seen only briefly, before it was covered
    # For a game: what was clicked.
    moved: Set[Cell] = frozenset()  # the cells of the last moves
    to_open: Set[Cell] = frozenset()  # those of them that the moves should open
    certain: bool = False  # the moves were certainly safe
    risky: bool = False  # the moves could hit a mine
    opened: Set[Cell] = frozenset()  # all cells that clicks of this game should open
    inferred: bool = False  # these clicks are inferred, not seen
    flagged: Set[Cell] = frozenset()  # cells that the last clicks flagged
    # For a game: what happened then.
    changed: Set[Cell] = frozenset()  # cells that look different since
    counted: int | None = None  # mines left by the counter
    refused: bool = False  # the mines accept no flags
    anew: bool = False  # all is hidden again: a new game began
    ended: Callable[[], bool] = lambda: False  # an indicator shows the end
    wants_flags: Callable[[], bool] = lambda: False  # mines must still be flagged
    clock_runs: Callable[[], bool] = lambda: False
    runs_on: Callable[[], bool] = lambda: False  # the clock still runs after all mines were flagged
    goes_on: Callable[[], bool] = lambda: False  # the game continues after a mine
    confirmed: Callable[[], Tiles | None] = lambda: None  # certain mines
    earlier: Callable[[], Verdict] = lambda: Verdict(UNKNOWN, "")  # verdict of earlier frames

    def __post_init__(self) -> None:
        for name, value in vars(self).copy().items():
            if callable(value):
                object.__setattr__(self, name, cache(value))

    def says(self, status: Status, *, plain: bool = False) -> bool:
        """Whether the window announces this status; ``plain``: more than that the game is over."""
        said = self.words()
        return said is not None and said.status is status and (said.plain or not plain)

    @cached_property
    def board_says(self) -> Status | None:
        """The status by the tiles alone; PLAYING if all is open but mines must still be flagged."""
        status = None if self.first is None else status_of(self.tiles, self.mines)
        unmarked = np.isin(self.tiles, (Tile.HIDDEN, Tile.QUESTION)).any()
        return PLAYING if status is WON and self.flags and unmarked else status

    @cached_property
    def winner_by_clicks(self) -> Status | None:
        """Who won, by the clicked cells, if every cell that is not open is a mine; else None.

        A clicked cell is a mine if it shows a mark or a sign that only mines have. It is one, too,
        if it is hidden although cells are open that no click opened: a program may open all safe
        cells of a lost board before it shows the mines. A click opens its cell and, from zero to
        zero, others.
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
        """Whether every cell that is not open is a mine, by the numbers, whatever it looks like.

        On a board that was not read, none of these cells may be hidden: it may be unchanged.
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
        """Whether exactly one mine appeared; if unsure, on a clicked cell and with no other change.

        Some programs show no other mine after a loss. Mines that took lives earlier may look like
        the exploded one, or be read as flags.
        """
        mines, before = mines_in(self.tiles), mines_in(self.before)
        new, kept = mines & ~before, before & (mines | (self.tiles == Tile.FLAG))
        clicked = (new & marked(new.shape, self.opened)).any()
        others = ((self.tiles != self.before) & ~kept & ~new).any()
        alone = self.read is LOST or (self.changing and clicked and not others)
        return bool(alone) and int(new.sum()) == 1

    @cached_property
    def revealed(self) -> Tiles | None:
        """The lost board, if the changed tiles can only be mines that a loss reveals; else None.

        Two signs are needed: no opening can have reached the tiles, and as mines, together with the
        flags, they fit every open number and the mine total if it is known. If both say little, as
        at the first click, the tiles must lie scattered on a board at rest. None if most open tiles
        changed.
        """
        old, other = self.before, marked(self.before.shape, self.changed)
        changed = other & (old == Tile.HIDDEN)
        hit = changed & marked(old.shape, self.opened)
        apart = changed & ~flooded(hit, changed)
        dimmed = (other & (old >= 0)).sum() > MOST_OPEN_CHANGED * (old >= 0).sum()
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
        """Whether the mines in ``tiles`` may be open tiles that are not completely painted yet.

        After a first click these may be parts of its opening, which is connected, unless all mines
        are shown. Later they are clicked cells and nothing else: several of them, although the
        first mine ends a game, or one that was certainly safe.
        """
        shown = mines_in(tiles)
        if self.moved and not (self.before >= 0).any():
            return not (shown.sum() == self.mines or lie_scattered(shown))
        new = shown & ~mines_in(self.before)
        stray = new & ~marked(new.shape, self.to_open)
        return bool(new.any() and not stray.any() and (self.certain or new.sum() > 1))

    def clicked_among(self, tiles: Tiles | None) -> bool:
        """Whether ``tiles`` show several mines, a clicked one among them, and no words say won."""
        if tiles is None or mines_in(tiles).sum() < LEAST_SHOWN or self.half_painted(tiles):
            return False
        clicked = any(mines_in(tiles)[cell] for cell in self.opened)
        return clicked and not self.says(WON)

    @cached_property
    def moves_win(self) -> bool:
        """Whether the last moves won the game just before something covered the board.

        Either they opened all safe cells: this can be read, or the moves were certain and all other
        cells are mines (without a mine total, certain mines); cells reached by flooding from
        clicked ones count as open. Or they flagged all remaining mines, in a program that requires
        this.
        """
        changed = bool(self.moved) and self.moved <= self.changed
        if not (self.covered and (self.dimmed or (self.waited and changed))):
            return False
        board, safe = Board(self.before, self.mines), marked(self.before.shape, self.to_open)
        won = not (self.tiles == UNREAD).any() and status_of(self.tiles, self.mines) is WON
        if not won and self.certain and self.to_open:
            shown = int(mines_in(self.before).sum())  # mines that cost lives
            mines = len(analyse(board).mines) if self.mines is None else self.mines - shown
            zeros = safe & (count_neighbours(~board.open & ~safe) == 0)
            reached = flooded(marked(safe.shape, self.opened) & safe, zeros)
            won = board.covered.sum() - mines == safe.sum() and not (safe & ~reached).any()
        said = won and (self.dimmed or self.says(WON, plain=True))  # no need to watch a clock
        if said or (won and not (self.flags or self.clock_runs())):
            return True
        return self.flags_all

    @cached_property
    def flags_all(self) -> bool:
        """Whether the last clicks flagged all remaining mines, in a program that requires it."""
        board = Board(self.before, self.mines)
        left = {cell for cell in board.cells() if board[cell] < 0 and board[cell] != Tile.FLAG}
        flagged = bool(self.flags and left) and left == self.flagged
        return flagged and left <= {*analyse(board).mines}

    @cached_property
    def end_chances(self) -> tuple[float, float]:
        """The chances that the last clicks won the game, and that they lost it.

        The shares of layouts, sampled among those that fit the board before, in which the clicks
        and the flooding from their zeros open all safe cells, or in which a clicked cell is a mine.
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
        """Whether a lone mine on the clicked cell is certain.

        A written zero, or an unusual mark, may look like a mine. At a first click, and if the cell
        was certainly safe, words or another indicator must confirm it. The tiles of known programs
        are certain.
        """
        return self.mine_likely or self.flags is not None or self.ended() or self.says(LOST)

    @property
    def mine_likely(self) -> bool:
        """Whether the last moves may well have hit a mine: neither a first click nor safe ones."""
        begun = (self.before >= 0).any() or mines_in(self.before).any()
        return bool(begun) and not self.certain


@dataclass(frozen=True, eq=False)
class Verdict:
    """The status of a game, `UNKNOWN` if in doubt, and the ``reason`` in words.

    ``may_change`` says whether a doubt may pass, None if the board shows nothing about it;
    ``in_sight`` that the end itself is visible. ``tiles`` are the known tiles of the board.
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
NO_FLAGS = Verdict(WON, "The mines accept no flags, and all other cells are open.")
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
STRANGE_MARKS = Verdict(LOST, "Marks that no click set are the mines of a lost game.")
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

DOUBT = Verdict(UNKNOWN, "Nothing shows how the game ended.")
WORDS_DENY = Verdict(UNKNOWN, "The board says lost, but what stands beside it says won.")
FACE_DENIES = Verdict(
    UNKNOWN, "The board says {e.board_says.value}, but what stands beside it says {e.face.value}."
)
OTHER_FACE = Verdict(
    UNKNOWN,
    "All safe cells are open. Whether that wins is not clear: the tiles are those of {e.program}, "
    "but the smiley above them is not.",
)
OTHER_MARKS = Verdict(
    UNKNOWN,
    "All mines are marked, but the clock beside the board runs on and its counter counts no marks: "
    "they may not be flags. Mark them by hand, or start a new game.",
)
ONE_SIGN = Verdict(UNKNOWN, "The game seems lost, but only one sign of that is seen.", True)
LIVES = Verdict(
    UNKNOWN, "A mine exploded, but lives are counted there: the game may not be lost.", True
)
ONE_MINE = Verdict(
    UNKNOWN,
    "One mine is shown, but no words say that the game is over: it may continue with one life "
    "less, or be won.",
    True,
)
ALL_SHOWN = Verdict(
    UNKNOWN,
    "The game is over, but the board does not show whether it is won or lost: all mines are shown, "
    "and no cell is left to open.",
    False,
)

IN_SIGHT = (NO_FLAGS, MINES_OF_A_WIN, STRUCK, LONE, REVEALED, A_LIFE)


def verdict(e: Evidence) -> Verdict:
    """Return the verdict of the first row of the table that fits the evidence."""
    table = _table_of_restarts(e) if e.anew else _table(e)
    found = next((one for fits, one in table if fits), DOUBT)
    tiles: Tiles | None = e.tiles if e.read else e.before
    if found is REVEALED:
        tiles = e.revealed
    elif found in (WON_BEFORE, LOST_BEFORE):
        tiles = e.earlier().tiles
    elif found in IN_SIGHT:  # an unknown tile there is a mine
        tiles = np.where(e.tiles == UNREAD, np.int8(Tile.MINE), e.tiles)
    reason = found.reason.format(e=e)
    return replace(found, reason=reason, tiles=tiles, in_sight=found in IN_SIGHT)


def _table_of_restarts(e: Evidence) -> Iterator[tuple[object, Verdict]]:
    """Yield the rows for a game whose end is gone because a new one began."""
    yield e.earlier().status is WON, WON_BEFORE
    yield e.earlier().status is LOST, LOST_BEFORE
    yield e.flags_all, BEGAN_ANEW
    won, lost = e.end_chances
    yield won >= LIKELY and lost < LIKELY * won, BEGAN_ANEW
    yield lost >= LIKELY and won < LIKELY * lost, BROKEN_OFF
    yield True, DOUBT


def _table(e: Evidence) -> Iterator[tuple[object, Verdict]]:
    """Yield pairs of condition and verdict. Slow conditions come last in a row."""
    board, free, hidden = e.board_says, e.read in (PLAYING, WON), (e.tiles == Tile.HIDDEN).any()
    alike, lone = shows_win_or_loss(e.tiles), mines_in(e.tiles).sum() == 1

    # Against an end; then marks, and boards won or lost with no mine in sight.
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
    yield e.read and not (e.at_rest or e.fleeting), DOUBT  # an end must be seen twice
    yield free and hidden and only_mines_left(e.tiles, e.mines) and e.wants_flags(), GOES_ON
    yield free and e.counted and e.runs_on() and not e.says(WON), OTHER_MARKS
    yield e.read is not LOST and e.winner_by_clicks is LOST and not e.says(WON), STRUCK
    yield free and e.runs_on(), STILL_RUNS
    yield free or board is WON, ALL_OPEN

    # Mines in sight, or a covered board. Words that announce a win outweigh tiles.
    yield e.read and e.inferred and alike and e.says(WON), SAYS_WON
    if e.winner_by_clicks is WON and not (e.covered and e.flags):
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
    if (
        doubt and e.dimmed and e.risky and (e.before >= 0).any()
    ):  # at first a page may ask for a name
        yield leaves_safe_cells(e.before, e.mines, clicked | e.changed) and not e.says(WON), DIMMED
    yield e.waited and e.says(WON), SAYS_WON
    over = e.risky and leaves_safe_cells(e.before, e.mines, clicked)  # so the game cannot be won
    yield e.waited and e.says(LOST, plain=not over), SAYS_LOST

    # Mines on a single picture. In an unknown program their meaning may be unclear.
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
