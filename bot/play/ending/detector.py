"""Gathers the evidence for the end of a game, even if a dialog hides the board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from bot.errors import AnotherGame, ScreenGone, WindowStuck, WindowTrouble
from bot.events import Noticed, Turn
from bot.mouse.plan import ClickEffect, PlannedClick, cells_of, flag_the_mines, opened_by
from bot.play.ending.last_flags import LastFlags
from bot.play.ending.lives import Lives
from bot.play.restart import Restarter
from bot.tracking.game import Observation, shows_end, status_fits_board
from bot.tracking.recovery import NO_DIALOG
from bot.tracking.stage import PlayStage
from bot.tracking.target import undimmed_frame
from bot.tracking.tracker import EndWords
from bot.tracking.waits import Waits
from calibration.calibration import Calibration
from calibration.errors import (
    BoardCovered,
    CalibrationError,
    ImpossibleBoard,
    StatusUnclear,
    Unreadable,
    UnreadableTiles,
)
from calibration.frame import Frame
from calibration.rules import UNREAD, Tiles, mines_in, only_mines_left
from calibration.verdict import A_LIFE, DOUBT, OTHER_MARKS, Evidence, Verdict, verdict
from solver.agents.base import Action
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
        if self.flags.on_trial and one_tile:  # a flag of an unknown look, or the edge of a menu
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
        """Yield what was seen before the last look, the newest first."""
        board = self._before.with_mines(self.mines)
        answer = self._tracker.ask(lit) if lit else None
        if lit and isinstance(answer, StatusUnclear) and (seen := self._unclear(answer, lit)):
            yield replace(seen, waited=False)
        earlier = self._tracker.memory.look_back(self._tracker.target, self._last.frame)
        for frame in chain([lit] if lit else (), earlier):
            end = self._end_in(frame, board)
            yield self._evidence(
                end.board.tiles if end else self._unknown,
                read=end.reading.status if end else None,
                fleeting=True,
                changed=self._changed(frame),
            )

    def _end_in(self, frame: Frame, after: Board) -> Observation | None:
        """Return what a frame shows of the end of the game of ``after``; None if it shows none."""
        answer = self._tracker.ask(frame)
        if isinstance(answer, CalibrationError):
            return None
        observation = Observation(frame, answer)
        return observation if shows_end(after, observation) else None

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
