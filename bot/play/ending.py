"""Is the game over, and how did it end? Even if a dialog hides the board.

`EndDetector` gathers the evidence for the verdict of `calibration.verdict`. `LastFlags` handles
programs that want all mines flagged at the end, `Lives` mines that cost only one of several lives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from bot.errors import AnotherGame, ScreenGone, WindowStuck, WindowTrouble
from bot.events import Noticed, Turn
from bot.mouse.plan import ClickEffect, PlannedClick, cells_of, flag_the_mines, opened_by
from bot.play.restart import Restarter
from bot.tracking.game import Observation, status_fits_board
from bot.tracking.recovery import MOST_WITHOUT_DIALOG
from bot.tracking.target import differs_elsewhere, undimmed_frame
from bot.tracking.tracker import EndWords, Glimpse, PlayStage
from bot.tracking.waits import Waits
from calibration import LEARNED, Calibration, Frame, Theme
from calibration.errors import (
    BoardCovered,
    ImpossibleBoard,
    StatusUnclear,
    Unreadable,
    UnreadableTiles,
)
from calibration.indicators.words import life_lost
from calibration.rules import UNREAD, Tiles, mines_in, only_mines_left
from calibration.verdict import A_LIFE, DOUBT, NO_FLAGS, OTHER_MARKS, Evidence, Verdict, verdict
from solver import Action, Board, Cell, Decision, Status

HIDDEN_BOARD_ERRORS = (WindowTrouble, BoardCovered, UnreadableTiles)
"""Errors that last as long as a dialog of the program hides its board."""

BOARD_HIDDEN_NOTE = (
    "The board cannot be read as the game ended: something covers it (close it if it belongs to "
    "the program), or its end is drawn in a way that is not known."
)


class EndDetector:
    """Finds out whether a game is over and who won; ``words`` reads what the window says about it.

    ``mines`` is the mine total assumed at the moment. ``flags`` knows whether the program wants all
    mines flagged.
    """

    def __init__(
        self, stage: PlayStage, waits: Waits, restarter: Restarter, words: EndWords
    ) -> None:
        self._tracker, self._observer, self._limits = stage.tracker, stage.observer, stage.limits
        self._waits, self._words, self._restarter = waits, words, restarter
        self.mines: int | None = None
        self.flags = LastFlags(stage, waits, words)
        self._lives = Lives(stage, waits, words)
        self._opened: set[Cell] = set()
        self._flagged: set[Cell] = set()
        self._turn: Turn | None = None

    def use_program_profile(self, calibration: Calibration) -> None:
        """Use the mine total and, of a known program, the profile of a calibration."""
        self.mines = calibration.mines
        self.flags.use_profile(calibration.theme)

    def begin_game(self) -> None:
        """Forget the game before."""
        self.flags.on_trial = False
        self._words.note_start()
        self._lives.begin_game()
        self._opened.clear()
        self._turn = None

    def note_turn(self, turn: Turn) -> None:
        """Take note of a turn that begins."""
        self._turn = turn
        self._flagged.clear()

    def note_clicks(self, made: Sequence[PlannedClick]) -> None:
        """Take note of the clicks of the turn: a slow page may answer only in the next turn."""
        self._opened |= {*opened_by(made)} - self._lives.survived
        self._flagged |= {*cells_of(one for one in made if one.effect is ClickEffect.FLAG)}

    def detect(self, observation: Observation) -> tuple[Verdict, Observation]:
        """Return the verdict on a game whose board was read, and the last observation.

        An end must be read twice. It counts at once if a dialog hides the board afterwards, or if
        the board shows marks that no click set. If the game goes on after all, the observation is a
        new one.
        """
        answer = self._verdict_on(observation)
        if answer.status is not None:
            return answer, observation
        lost = observation.reading.status is Status.LOST
        seen = self._evidence(observation.board.tiles)
        painting = lost and seen.half_painted(seen.tiles)
        after = self._turn.reading.board if self._turn and painting else observation.board
        hang_s = painting * self._limits.frozen_s
        dialog = self._restarter.dialog_keys(may_win=not lost, may_lose=lost)
        try:
            last = self._waits.wait_end_confirmed(
                observation, after=after, dialog=dialog, hang_s=hang_s
            )
            if self.flags.wanted is None and self.all_safe_open(last):
                last = self._waits.wait_final_board(last, dialog=dialog)
        except (*HIDDEN_BOARD_ERRORS, AnotherGame) as trouble:
            if painting or not (observation.over and status_fits_board(observation)):
                if isinstance(trouble, AnotherGame) and (end := self.new_game_end()):
                    return end, observation
                raise
            if isinstance(trouble, AnotherGame):
                return self._verdict_on(observation, at_rest=True), observation
            self._observer(Noticed(BOARD_HIDDEN_NOTE))
            return self._verdict_on(observation, at_rest=True), observation
        return self._settled(last)

    def _settled(self, last: Observation) -> tuple[Verdict, Observation]:
        """Return the verdict on a game whose ``last`` board was read twice.

        Raises `WindowStuck` if the marks on its mines do not count as flags in this program.
        """
        answer = self._verdict_on(
            last,
            at_rest=True,
            counted=last.reading.mines_left,
            wants_flags=partial(self.flags.find_out, last, self._turn),
            runs_on=partial(self.flags.still_runs, self._turn),
            goes_on=partial(self._goes_on, last.frame),
        )
        if answer.reason == OTHER_MARKS.reason:
            raise WindowStuck(answer.reason)
        if self._took_life(answer):
            return answer, self._waits.wait_readable(after=last.board)
        return answer, last

    def _verdict_on(self, observation: Observation, **seen: Any) -> Verdict:
        """Return the verdict on a board that was read; ``seen`` is further evidence."""
        read = observation.reading.status
        return verdict(self._evidence(observation.board.tiles, read=read, **seen))

    def _evidence(self, tiles: Tiles, **seen: Any) -> Evidence:
        """Return the evidence of the game so far, with the ``tiles`` that are visible now."""
        turn = self._turn
        if turn is None:
            return Evidence(tiles, tiles, self.mines, flags=self.flags.wanted, **seen)
        moves, certain = turn.decision.moves, turn.decision.certain
        return Evidence(
            tiles,
            turn.reading.board.tiles,
            self.mines,
            words=self._words.read,
            flags=self.flags.wanted,
            moved=frozenset(move.cell for move in moves),
            to_open=frozenset(move.cell for move in moves if move.action is Action.OPEN),
            certain=certain,
            risky=not certain or turn.number == 1,
            opened=frozenset(self._opened),
            flagged=frozenset(self._flagged),
            **seen,
        )

    def _goes_on(self, frame: Frame | None) -> bool:
        """Whether the game goes on after a mine.

        No known program has lives, nor does one of which it is known whether it wants flags.
        """
        if self._turn is None or self.flags.wanted is not None:
            return False
        likely = self._evidence(self._before.tiles).mine_likely
        return self._lives.goes_on(self._turn.frame, frame, mine_likely=likely)

    def _took_life(self, answer: Verdict) -> bool:
        """Whether a mine took only a life; take note of it."""
        if answer.reason != A_LIFE.reason or answer.tiles is None:
            return False
        self._observer(Noticed(answer.reason))
        self._lives.survive(Cell(*map(int, one)) for one in np.argwhere(mines_in(answer.tiles)))
        self._opened -= self._lives.survived
        return True

    def unread_end(
        self, frame: Frame, trouble: Exception | None = None
    ) -> Verdict | Observation | None:
        """Return the verdict on a game whose last board cannot be read, None if that is not known.

        ``trouble`` is the error that reading raised. Returns a new observation if play can
        continue.
        """
        if self._turn is None or isinstance(trouble, ScreenGone):
            return None  # it was not seen whether the last clicks arrived
        one_tile = isinstance(trouble, UnreadableTiles) and len(trouble.tiles) < 2
        if self.flags.on_trial and one_tile:  # an unknown kind of flag, or the edge of a menu
            self._waits.close_menu()
            with suppress(*HIDDEN_BOARD_ERRORS):
                seen = self._waits.wait_readable(after=self._turn.reading.board)
                if seen.board.flags:
                    return seen
                one_tile = False
        if self.flags.on_trial and not (one_tile or isinstance(trouble, ImpossibleBoard)):
            self.flags.close_menu()
            return self.end_without_flags()
        answer = verdict(
            self._unclear(trouble, frame) or self._covered(trouble, frame, waited=True)
        )
        if self._took_life(answer):
            return self._waits.wait_readable(after=self._turn.reading.board.with_mines(self.mines))
        return answer if answer.over else None

    def shows_end_unread(self, frame: Frame, stays: bool) -> bool:
        """Whether ``frame``, which cannot be read, shows that the game is over: waiting stops.

        At first only the mines of a lost board count. Once the cover ``stays``, any sign of an end
        does; but if hardly more than the clicked cells look different, they may still be changing.
        """
        if stays and self.flags.on_trial:
            return True
        seen = self._covered(None, frame, at_rest=stays)
        hidden = sum(bool(self._before.open[cell]) for cell in seen.changed)
        seen = replace(seen, waited=stays and hidden > MOST_WITHOUT_DIALOG)
        return verdict(seen).over if stays else seen.revealed is not None

    def said_end(self) -> Verdict | None:
        """Return the verdict by the words in the window; None if they announce no end."""
        answer = verdict(self._evidence(self._unknown, waited=True))
        return answer if answer.over else None

    def new_game_end(self) -> Verdict | None:
        """Return the verdict on a game that a new one has replaced; None if that is not known."""
        if self._turn is None:
            return None
        answer = verdict(
            self._evidence(self._unknown, anew=True, earlier=partial(self._earlier_verdict, None))
        )
        return answer if answer.over else None

    def end_without_flags(self) -> Verdict | None:
        """Return the verdict if the last mines accept no flags; None if that was not tried."""
        flags = {*flag_the_mines(self._before).moves}
        all_tried = bool(flags) and flags == {*self._last.decision.moves}
        refused = self.flags.stop_if_refused(all_tried=all_tried)
        return verdict(self._evidence(self._before.tiles, refused=True)) if refused else None

    @property
    def _last(self) -> Turn:
        """The last turn. There must have been one."""
        assert self._turn is not None
        return self._turn

    @property
    def _before(self) -> Board:
        """The board before the last turn."""
        return self._last.reading.board

    @property
    def _unknown(self) -> Tiles:
        """A board of unknown tiles."""
        return np.full_like(self._before.tiles, UNREAD)

    def _unclear(self, trouble: Exception | None, frame: Frame) -> Evidence | None:
        """Return the evidence of a board that was read without a status, None if there is none."""
        if not isinstance(trouble, StatusUnclear | ImpossibleBoard):
            return None
        goes_on, ended = partial(self._goes_on, frame), partial(self._lives.face_changed, frame)
        if isinstance(trouble, ImpossibleBoard) or trouble.board is None:
            return self._evidence(self._unknown, waited=True)
        tiles, changing = trouble.board.tiles, trouble.may_change
        return self._evidence(tiles, changing=changing, waited=True, goes_on=goes_on, ended=ended)

    def _covered(self, trouble: Exception | None, frame: Frame, **seen: bool) -> Evidence:
        """Return the evidence of a covered board, its brightness restored if a page dimmed it."""
        tiles, before = self._unknown, self._before
        if isinstance(trouble, Unreadable) and trouble.labels is not None:
            # An open cell keeps its number, whatever covers it.
            below = (trouble.labels == UNREAD) & before.open
            tiles = np.where(below, before.tiles, trouble.labels).astype(np.int8)
        lit = undimmed_frame(self._tracker.target, self._last.frame, frame, before)
        return self._evidence(
            tiles,
            covered=True,
            dimmed=lit is not None,
            changed=self._changed(lit or frame),
            clock_runs=partial(self.flags.clock_runs, self._turn),
            confirmed=partial(self._tracker.target.reader.shown_mines, lit or frame),
            earlier=partial(self._earlier_verdict, lit),
            **({"at_rest": True} | seen),
        )

    def _changed(self, frame: Frame) -> frozenset[Cell]:
        """Return the cells that look different since the turn began."""
        every = [*self._before.cells()]
        target, before = self._tracker.target, self._last.frame
        return frozenset(target.changed_cells(before, frame, every))

    def _earlier_verdict(self, lit: Frame | None) -> Verdict:
        """Return the verdict that the frames between the last clicks and now show.

        The last one is ``lit`` if a page dimmed it: its brightness was restored.
        """
        answer = DOUBT
        for seen in self._earlier_evidence(lit):
            answer = verdict(seen)
            if answer.status is not None:
                self._took_life(answer)
                break
        return answer

    def _earlier_evidence(self, lit: Frame | None) -> Iterator[Evidence]:
        """Yield the evidence of earlier frames, the newest first."""
        board = self._before.with_mines(self.mines)
        answer = self._tracker.try_reading(lit) if lit else None
        if lit and isinstance(answer, StatusUnclear) and (unclear := self._unclear(answer, lit)):
            yield replace(unclear, waited=False)
        last = self._last.frame
        earlier = self._tracker.memory.look_back(self._tracker.target, last)
        frames = chain([lit] if lit else (), earlier)
        for frame in frames:
            seen = Glimpse(self._tracker, frame, last, board)
            yield self._evidence(
                seen.end.board.tiles if seen.end else self._unknown,
                read=seen.end.reading.status if seen.end else None,
                fleeting=True,
                changed=seen.changed,
            )

    def all_safe_open(self, observation: Observation) -> bool:
        """Whether all cells without a mine are open."""
        return only_mines_left(observation.board.tiles, self.mines)

    def at_start(self, observation: Observation) -> Verdict:
        """Return the verdict before the bot's first click."""
        ask = partial(self.flags.find_out, observation, None)
        return self._verdict_on(observation, at_rest=True, wants_flags=ask)

    def without_moves(self, observation: Observation) -> Verdict:
        """Return the verdict on a game in which the agent finds no move."""
        return self._verdict_on(observation, at_rest=True)


NO_FLAGS_HERE = (
    "Only mines are left, but the clock beside the board still runs, and a right click opens a "
    "menu: mark the mines by hand, or start a new game."
)

TRIAL_PATIENCE = 16
"""How many times longer than usual to wait for an answer to the first flag: a page that hangs for 2
to 8 s shows it late, and a second right click would remove it."""


class LastFlags:
    """Finds out whether the last mines must be flagged, and whether the program accepts the flags.

    ``wanted`` comes from the profile of a known program. For an unknown one it is None until all
    safe cells of a game are open. It becomes true if a clock keeps running then, or if nothing but
    the last cells changed: one flag is set on trial. If no flag is left once all are set, it was
    only the highlight of the tile under the pointer.
    """

    def __init__(self, stage: PlayStage, waits: Waits, words: EndWords) -> None:
        self._tracker, self._observer, self._limits = stage.tracker, stage.observer, stage.limits
        self._waits, self._words = waits, words
        self.wanted: bool | None = None
        self._by_clock = self._tried = False
        self.on_trial = False

    def use_profile(self, theme: Theme) -> None:
        """Use what is known of the program of a theme."""
        known = theme.program != LEARNED
        self.wanted = theme.profile.flags_to_win if known else None
        self._by_clock = self._tried = False

    def find_out(self, observation: Observation, turn: Turn | None) -> bool:
        """Find out, and remember, whether the mines that ``turn`` left hidden must be flagged."""
        if turn and self._tried and turn.reading.board.flags and not observation.board.flags:
            self._observer(Noticed(NO_FLAGS.reason))
            self.wanted = self._by_clock = self._tried = False
        if self.wanted is None:
            # The moving words of a win look like a running clock.
            said = self._words.read() if turn else None
            if said is not None and said.status is Status.WON:
                self.wanted = False
                return False
            self._by_clock = self.clock_runs(turn)
            self.wanted = self._by_clock or (
                turn is not None and not self._end_announced(observation, turn)
            )
            self._tried = self.on_trial = self.wanted
            if self._by_clock:
                self._observer(
                    Noticed("This program wants all mines flagged at the end of a game.")
                )
        return self.wanted

    def clock_runs(self, turn: Turn | None) -> bool:
        """Whether a clock beside the board keeps running: the program may want all mines flagged.

        What appeared since the last ``turn`` is not a clock.
        """
        return self._waits.wait_running_clock(self._limits.clock_s, turn.frame if turn else None)

    def still_runs(self, turn: Turn | None) -> bool:
        """Whether the clock, the reason for the flags, keeps running although all mines are marked.

        It is watched twice: a message or a list of best times that slides in moves for some
        seconds.
        """
        return self._by_clock and self.clock_runs(turn) and self.clock_runs(turn)

    def _end_announced(self, observation: Observation, turn: Turn) -> bool:
        """Whether the last mines look different since ``turn``, or words announce an end.

        Other changes do not count: a smiley may change whenever a cell is opened.
        """
        frames, boards = (turn.frame, observation.frame), (turn.reading.board, observation.board)
        differs = partial(differs_elsewhere, self._tracker.target, *frames, *boards)
        return differs() and (differs(hidden_only=True) or self._words.read() is not None)

    def decide(self, board: Board) -> Decision:
        """Decide to flag the last mines: only one, until the program has accepted it."""
        self.on_trial &= not board.flags
        decision = flag_the_mines(board)
        return replace(decision, moves=decision.moves[:1]) if self.on_trial else decision

    def patience(self, unchanged_turns: int) -> int:
        """Return how many times longer than usual to wait; each unchanged turn doubles it."""
        return TRIAL_PATIENCE if self.on_trial and not unchanged_turns else 2**unchanged_turns

    def stop_if_refused(self, *, all_tried: bool) -> bool:
        """Stop wanting flags if the mines accept none; return whether that is so.

        They accept none if the flag on trial does not stay; if a clock was the reason for the
        flags, only when ``all_tried``. The game was then won with the last safe cell.
        """
        if not (self.on_trial or (self._by_clock and all_tried)):
            return False
        self.wanted = self._by_clock = self.on_trial = False
        return True

    def close_menu(self) -> None:
        """Close the menu that the right click for the trial flag opened.

        Raises `WindowStuck` if a running clock says that the program wants flags nevertheless.
        """
        self._waits.close_menu()
        if self._by_clock:
            raise WindowStuck(NO_FLAGS_HERE)


class Lives:
    """Keeps the mines that this game ``survived``; the tracker reads it as still in play."""

    def __init__(self, stage: PlayStage, waits: Waits, words: EndWords) -> None:
        self._tracker, self._limits = stage.tracker, stage.limits
        self._waits, self._words = waits, words
        self.survived: set[Cell] = set()

    def begin_game(self) -> None:
        """Forget the mines of the game before."""
        if self.survived:
            self.survived.clear()
            self._tracker.note_survived(())

    def survive(self, mines: Iterable[Cell]) -> None:
        """Take note that these mines ended no game."""
        self.survived.update(mines)
        self._tracker.note_survived(self.survived)

    def goes_on(self, before: Frame, after: Frame | None, *, mine_likely: bool = True) -> bool:
        """Whether the window around the board shows that the game goes on after a mine.

        Signs of that are a running clock, a count of lives, or one picture less in a row (such as
        hearts) than in the frame ``before`` the turn. Words that announce a loss outweigh them.
        Takes some seconds; half a minute if nothing, such as another face, shows an end: the
        program may hang.

        Unless the tile is ``mine_likely``, a clock does not count: it also runs if the tile is only
        a zero that is drawn in an unusual way.
        """
        grid = self._tracker.target.in_region.grid
        gone = after is not None and life_lost(before, after, grid)
        if not mine_likely:
            said = self._words.read()
            lost = said is not None and said.status is Status.LOST
            return not lost and (gone or self._words.shows_lives())
        for limit_s in (self._limits.clock_s, self._limits.frozen_s):
            runs = gone or self._waits.wait_running_clock(limit_s)
            said = self._words.read()
            if said is not None and said.status is Status.LOST:
                return False
            if runs or self._words.shows_lives():
                return True
            if after is None or self.face_changed(after):
                return False
        return False

    def face_changed(self, frame: Frame) -> bool:
        """Whether the face beside the board looks different from any face during the game."""
        smiley = self._tracker.memory.reader.smiley
        return smiley.box is not None and not smiley.is_known(frame, Status.PLAYING)
