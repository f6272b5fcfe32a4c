"""Is the game over, and how did it end? Even if a dialog hides the board.

`EndDetector` gathers the evidence for the verdict of `calibration.verdict`; `LastFlags` is about
programs that want all mines flagged at the end, `Lives` about mines that took one of several lives.
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
from bot.tracking.recovery import NO_DIALOG
from bot.tracking.target import shows_more, undimmed_frame
from bot.tracking.tracker import EndWords, PlayStage
from bot.tracking.waits import Waits
from calibration.calibration import Calibration
from calibration.errors import (
    BoardCovered,
    ImpossibleBoard,
    StatusUnclear,
    Unreadable,
    UnreadableTiles,
)
from calibration.frame import Frame
from calibration.indicators.words import life_lost
from calibration.rules import UNREAD, Tiles, mines_in, only_mines_left
from calibration.theme import LEARNED, Theme
from calibration.verdict import A_LIFE, DOUBT, NO_FLAGS, OTHER_MARKS, Evidence, Verdict, verdict
from solver.agents.base import Action, Decision
from solver.board import Board, Cell
from solver.game import Status

HIDDEN_BOARD_ERRORS = (WindowTrouble, BoardCovered, UnreadableTiles)
"""The errors that last while a dialog of the program hides its board."""

BOARD_HIDDEN_NOTE = (
    "The board cannot be read as the game ended: something covers it (close it if it belongs to "
    "the program), or its end is drawn in a way that is not known."
)


class EndDetector:
    """Asks for the `verdict` of a game. ``words`` reads what the window says of its end.

    ``mines`` is the mine total assumed at the moment; ``flags`` knows whether the program wants
    all mines flagged.
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
        """Take note of the clicks of the turn: a slow page answers in the next one."""
        self._opened |= {*opened_by(made)} - self._lives.survived
        self._flagged |= {*cells_of(one for one in made if one.effect is ClickEffect.FLAG)}

    def detect(self, observation: Observation) -> tuple[Verdict, Observation]:
        """Return how a game stands whose board was read, and its last observation.

        After a mine that took only a life, or what only looked like an end, it is a new one. The
        end must be read twice; once is enough if a dialog hides the board afterwards, or if marks
        are seen that were not set.
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
        """Return how a game stands whose ``last`` board was read twice.

        Raises `WindowStuck` if the program does not take the marks on its mines for flags.
        """
        answer = self._verdict_on(
            last,
            at_rest=True,
            counted=last.reading.mines_left,
            wants_flags=partial(self.flags.ask, last, self._turn),
            runs_on=partial(self.flags.runs_on, self._turn),
            goes_on=partial(self._goes_on, last.frame),
        )
        if answer.reason == OTHER_MARKS.reason:
            raise WindowStuck(answer.reason)
        if self._took_life(answer):
            return answer, self._waits.wait_readable(after=last.board)
        return answer, last

    def _verdict_on(self, observation: Observation, **seen: Any) -> Verdict:
        """Return how the game of a board stands that was read; ``seen`` is further evidence."""
        read = observation.reading.status
        return verdict(self._evidence(observation.board.tiles, read=read, **seen))

    def _evidence(self, tiles: Tiles, **seen: Any) -> Evidence:
        """Return the evidence of the game so far, with the ``tiles`` that are in sight."""
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
        """Whether the game goes on after a mine; known programs count no lives."""
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
        """Return how a game ended whose last board cannot be read; None if that is not known.

        ``trouble`` is why. A mine that took only a life ends no game: then returns a new
        observation.
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
            return self.refused_flags()
        answer = verdict(
            self._unclear(trouble, frame) or self._covered(trouble, frame, waited=True)
        )
        if self._took_life(answer):
            return self._waits.wait_readable(after=self._turn.reading.board.with_mines(self.mines))
        return answer if answer.over else None

    def ends_unread(self, frame: Frame, stays: bool) -> bool:
        """Whether ``frame`` shows a loss whose mines cannot be read, or any end if it ``stays``.

        A dialog that stays over a board that the last clicks have won is waited for no longer; the
        clicked cells alone may still change.
        """
        if stays and self.flags.on_trial:
            return True
        seen = self._covered(None, frame, at_rest=stays)
        hidden = sum(bool(self._before.open[cell]) for cell in seen.changed)
        seen = replace(seen, waited=stays and hidden > NO_DIALOG)
        return verdict(seen).over if stays else seen.revealed is not None

    def said_end(self) -> Verdict | None:
        """Return how the game ended by words in the window; None if it shows none."""
        answer = verdict(self._evidence(self._unknown, waited=True))
        return answer if answer.over else None

    def new_game_end(self) -> Verdict | None:
        """Return how a game ended after which a new one began; None if that is not known."""
        if self._turn is None:
            return None
        answer = verdict(
            self._evidence(self._unknown, anew=True, earlier=partial(self._earlier, None))
        )
        return answer if answer.over else None

    def refused_flags(self) -> Verdict | None:
        """Return how a game ended whose last mines take no flags; None if that was not tried."""
        flags = {*flag_the_mines(self._before).moves}
        all_tried = bool(flags) and flags == {*self._last.decision.moves}
        refused = self.flags.refused(all_tried=all_tried)
        return verdict(self._evidence(self._before.tiles, refused=True)) if refused else None

    @property
    def _last(self) -> Turn:
        """The last turn, of which this is asked only after one."""
        assert self._turn is not None
        return self._turn

    @property
    def _before(self) -> Board:
        """The board before the last turn."""
        return self._last.reading.board

    @property
    def _unknown(self) -> Tiles:
        """Tiles none of which is known."""
        return np.full_like(self._before.tiles, UNREAD)

    def _unclear(self, trouble: Exception | None, frame: Frame) -> Evidence | None:
        """Return what is seen of a board without a status; None if it cannot be read."""
        if not isinstance(trouble, StatusUnclear | ImpossibleBoard):
            return None
        goes_on, ended = partial(self._goes_on, frame), partial(self._lives.face_changed, frame)
        if isinstance(trouble, ImpossibleBoard) or trouble.board is None:
            return self._evidence(self._unknown, waited=True)
        tiles, changing = trouble.board.tiles, trouble.may_change
        return self._evidence(tiles, changing=changing, waited=True, goes_on=goes_on, ended=ended)

    def _covered(self, trouble: Exception | None, frame: Frame, **seen: bool) -> Evidence:
        """Return what is seen of a board that something covers; if dimmed, as bright as before."""
        tiles, before = self._unknown, self._before
        if isinstance(trouble, Unreadable) and trouble.labels is not None:
            # Whatever lies over an open cell, its number stays.
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
            earlier=partial(self._earlier, lit),
            **({"at_rest": True} | seen),
        )

    def _changed(self, frame: Frame) -> frozenset[Cell]:
        """Return the cells that look different from before the turn."""
        every = [*self._before.cells()]
        target, before = self._tracker.target, self._last.frame
        return frozenset(target.changed_cells(before, frame, every))

    def _earlier(self, lit: Frame | None) -> Verdict:
        """Return the verdict of earlier frames, and of the last one if it could be ``lit``."""
        answer = DOUBT
        for seen in self._looks_back(lit):
            answer = verdict(seen)
            if answer.status is not None:
                self._took_life(answer)
                break
        return answer

    def _looks_back(self, lit: Frame | None) -> Iterator[Evidence]:
        """Yield what earlier frames showed, the newest first."""
        board = self._before.with_mines(self.mines)
        answer = self._tracker.ask(lit) if lit else None
        if lit and isinstance(answer, StatusUnclear) and (unclear := self._unclear(answer, lit)):
            yield replace(unclear, waited=False)
        last = self._last.frame
        earlier = self._tracker.memory.look_back(self._tracker.target, last)
        frames = chain([lit] if lit else (), earlier)
        for seen in self._tracker.look_back(frames, last, board):
            yield self._evidence(
                seen.end.board.tiles if seen.end else self._unknown,
                read=seen.end.reading.status if seen.end else None,
                fleeting=True,
                changed=seen.changed,
            )

    def all_safe_open(self, observation: Observation) -> bool:
        """Whether only mines are left covered."""
        return only_mines_left(observation.board.tiles, self.mines)

    def at_start(self, observation: Observation) -> Verdict:
        """Return how a game stands before the bot's first click."""
        ask = partial(self.flags.ask, observation, None)
        return self._verdict_on(observation, at_rest=True, wants_flags=ask)

    def without_moves(self, observation: Observation) -> Verdict:
        """Return how a game stands in which the agent finds no move to make."""
        return self._verdict_on(observation, at_rest=True)


NO_FLAGS_HERE = (
    "All else is open, but the clock beside the board runs on, and a right click opens a menu: "
    "mark the mines by hand, or start a new game."
)

TRIAL_PATIENCE = 16
"""How many times longer the first flag may go unanswered: a page that is frozen for 2 to 8 s takes
it late, and a second right click would take it away."""


class LastFlags:
    """Whether the last mines have to be flagged, and whether the program takes the flags.

    ``wanted`` is what the profile of a known program says. For an unknown program it is None until
    a first end has shown it: by a clock that keeps running, or since nothing but the last cells
    changed. Then one flag is tried first; if it is gone when all are set, it was the frame around
    the tile under the pointer.
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

    def ask(self, observation: Observation, turn: Turn | None) -> bool:
        """Whether mines have to be flagged that are hidden after ``turn``, as all else is open."""
        if turn and self._tried and turn.reading.board.flags and not observation.board.flags:
            self._observer(Noticed(NO_FLAGS.reason))
            self.wanted = self._by_clock = self._tried = False
        if self.wanted is None:
            # Words that move, as those of a win do, look like a clock that runs.
            said = self._words.read() if turn else None
            if said is not None and said.status is Status.WON:
                self.wanted = False
                return False
            self._by_clock = self.clock_runs(turn)
            self.wanted = self._by_clock or self._shows_no_end(observation, turn)
            self._tried = self.on_trial = self.wanted
            if self._by_clock:
                self._observer(
                    Noticed("This program wants all mines flagged at the end of a game.")
                )
        return self.wanted

    def clock_runs(self, turn: Turn | None) -> bool:
        """Whether a clock runs on beside the board: the program may want all mines flagged.

        It stood there before ``turn``, the last one.
        """
        return self._waits.wait_running_clock(self._limits.clock_s, turn.frame if turn else None)

    def runs_on(self, turn: Turn | None) -> bool:
        """Whether a clock that asked for flags runs on though all mines are marked.

        A card that comes up, or a list of the best times, moves for some seconds.
        """
        return self._by_clock and self.clock_runs(turn) and self.clock_runs(turn)

    def _shows_no_end(self, observation: Observation, turn: Turn | None) -> bool:
        """Whether no mine looks different, and nothing beside the board says an end.

        A smiley may look different whenever a cell is opened.
        """
        if turn is None:
            return False
        frames, boards = (turn.frame, observation.frame), (turn.reading.board, observation.board)
        more = partial(shows_more, self._tracker.target, *frames, *boards)
        return not (more() and (more(hidden_only=True) or self._words.read()))

    def decide(self, board: Board) -> Decision:
        """Decide to flag the last mines: one, until it has shown whether the program takes it."""
        self.on_trial &= not board.flags
        decision = flag_the_mines(board)
        return replace(decision, moves=decision.moves[:1]) if self.on_trial else decision

    def patience(self, unchanged_turns: int) -> int:
        """Return how many times longer than usual an answer is waited for, twice as long a turn."""
        return TRIAL_PATIENCE if self.on_trial and not unchanged_turns else 2**unchanged_turns

    def refused(self, *, all_tried: bool) -> bool:
        """Whether the last mines take no flags: the one on trial, or ``all_tried`` beside a clock.

        Then the game was won when the last safe cell was opened, though the clock runs on.
        """
        if not (self.on_trial or (self._by_clock and all_tried)):
            return False
        self.wanted = self._by_clock = self.on_trial = False
        return True

    def close_menu(self) -> None:
        """Close what the flag on trial opened: a right click is nothing to this program.

        Raises `WindowStuck` if a clock asks for flags all the same.
        """
        self._waits.close_menu()
        if self._by_clock:
            raise WindowStuck(NO_FLAGS_HERE)


class Lives:
    """Knows the mines that this game ``survived``, and has the board read as under way."""

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
        """Whether the window beside the board shows that the game goes on after a mine.

        The clock runs on there, or lives are counted, or one of a row of pictures is gone in
        ``after``, the frame of the board, that was in the one ``before`` the turn. And no words
        announce a loss. Takes some seconds, and half a minute if nothing else, such as another
        face, shows that the game is over: the program may hang.

        Unless it is ``mine_likely``, a clock that runs shows no more than that the game goes on:
        the tile may as well be a zero that the page writes in an unusual way.
        """
        grid = self._tracker.target.in_region.grid
        gone = after is not None and life_lost(before, after, grid)
        if not mine_likely:
            said = self._words.read()
            lost = said is not None and said.status is Status.LOST
            return not lost and (gone or self._words.count_lives())
        for limit_s in (self._limits.clock_s, self._limits.frozen_s):
            runs = gone or self._waits.wait_running_clock(limit_s)
            said = self._words.read()
            if said is not None and said.status is Status.LOST:
                return False
            if runs or self._words.count_lives():
                return True
            if after is None or self.face_changed(after):
                return False
        return False

    def face_changed(self, frame: Frame) -> bool:
        """Whether there is a face beside the board that looks unlike it did during the game."""
        smiley = self._tracker.memory.reader.smiley
        return smiley.box is not None and not smiley.is_known(frame, Status.PLAYING)
