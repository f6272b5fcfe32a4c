"""The loop of play: observe, decide, click, wait; turn by turn, game by game."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from bot.desktop.ports import Desktop
from bot.errors import PersonAtMouse, ScreenGone, WindowGone, WindowTrouble
from bot.events import Click, GameResult, Observer, SilentObserver, Turn
from bot.mouse.guard import MouseGuard, StopSignal
from bot.mouse.plan import PlannedClick, certain_mines, may_win
from bot.options import PlayOptions
from bot.play.clicker import Clicker
from bot.play.control import Control, NoControl
from bot.play.decider import Decider
from bot.play.ending.detector import HIDDEN_BOARD_ERRORS, EndDetector
from bot.play.first_click import may_be_no_game
from bot.play.marks import Marks
from bot.play.progress import Progress
from bot.play.restart import Restarter, profile_named
from bot.tracking.end_words import EndWords
from bot.tracking.follow import Wanted
from bot.tracking.observation import Observation, check_same_game
from bot.tracking.search import BoardSearch
from bot.tracking.tracker import BoardTracker
from bot.tracking.waits import Waits
from calibration.calibration import Calibration
from calibration.errors import ImpossibleBoard, StatusUnclear
from calibration.frame import Frame
from calibration.reading import Reading
from calibration.verdict import Verdict
from solver.agents.base import Agent, Decision
from solver.board import Board, Cell, Tile
from solver.game import Status

Result = TypeVar("Result")

UNREAD_AFTER_CLICKS = (*HIDDEN_BOARD_ERRORS, ImpossibleBoard, StatusUnclear)

FIRST_PATIENCE = 8
"""How many times longer the first click may go unanswered: it is not repeated on what may be no
game at all."""


class Player:
    """Plays the board on a desktop with an agent: call `play`.

    ``calibration``, if it still fits, makes the first search of the screen unnecessary.
    ``choose_agent`` returns the agent to play with once the program is known. ``observer`` is
    told what happens; ``stop`` carries the stop signals of the process; ``control`` lets a person
    steer play.
    """

    def __init__(
        self,
        desktop: Desktop,
        agent: Agent,
        *,
        options: PlayOptions | None = None,
        observer: Observer | None = None,
        stop: StopSignal | None = None,
        calibration: Calibration | None = None,
        choose_agent: Callable[[Calibration], Agent] | None = None,
        control: Control | None = None,
    ) -> None:
        self._control = control or NoControl()
        self._choose_agent = choose_agent
        self._options = options or PlayOptions()
        self._observer = observer or SilentObserver()
        self._clock = desktop.clock
        limits = self._options.limits
        self._guard = MouseGuard(desktop, stop)
        self._tracker = BoardTracker(
            desktop.screen,
            Wanted(self._options.near, self._options.mines, self._options.themes),
        )
        self._search = BoardSearch(
            self._tracker, self._guard, desktop.clock, limits=limits, observer=self._observer
        )
        self._waits = Waits(
            self._tracker, self._guard, desktop.clock, limits=limits, search=self._search
        )
        self._restarter = Restarter(
            self._tracker,
            self._guard,
            self._waits,
            desktop.clock,
            new_game_control=self._options.new_game,
            close_key=self._options.close,
            named_profile=profile_named(self._options.themes),
            limits=limits,
        )
        words = EndWords(self._tracker)
        self._end_detector = EndDetector(
            self._tracker,
            self._waits,
            self._restarter,
            words,
            observer=self._observer,
            limits=limits,
        )
        self._decider = Decider(
            agent,
            self._tracker,
            self._end_detector,
            observer=self._observer,
            check_stop=self._guard.check_stop,
        )
        self._clicker = Clicker(
            self._tracker,
            self._guard,
            desktop.clock,
            window_at=desktop.window_at,
            limits=limits,
            pace=self._options.pace,
            control=self._control,
        )
        self._saved_calibration = calibration
        self._marks = Marks(
            flags=self._options.flags,
            chords=self._options.chords,
            style=self._options.style,
            retries=limits.retries,
            observer=self._observer,
        )
        self._final_board, self._final_unread = Board([[Tile.HIDDEN]]), False
        self._final_won: bool | None = None
        self._answered, self._progress = False, Progress(0, 0.0)

    def play(self) -> list[GameResult]:
        """Play the games asked for and return their results; no result in a dry run.

        Raises `StoppedByUser`, `BoardChanged`, a `WindowTrouble` or a `CalibrationError` that
        lasts; the observer is told first.
        """
        results: list[GameResult] = []
        try:
            observation = self._start()
            if self._options.games > 1:
                self._restarter.check_new_game_control()
            self._end_detector.begin_game()
            over = self._end_detector.at_start(observation).over
            if over and self._options.dry_run:
                self._observer.noticed("This game is over, and a dry run starts no new one.")
                return results
            for game in range(1, self._options.games + 1):
                if game > 1 or over:
                    observation = self._new_game()
                self._progress = Progress(game, self._clock.now())
                result = self._play_game(self._progress, observation)
                if result is None:
                    break  # a dry run ends with its first decision
                results.append(result)
                if self._control.stop_after_game:
                    break
        except Exception as error:
            broken_off = self._progress.broken_off(self._clock.now())
            self._observer.stopped(error, self._tracker.last_frame, broken_off)
            raise
        return results

    def _start(self) -> Observation:
        """Find the board and read it. It may be partly open already."""
        self._search.find_first(self._saved_calibration)
        self._search.recognise_program(self._waits.wait_readable().board)
        self._end_detector.use_program_profile(self._tracker.target.on_screen)
        if self._choose_agent is not None:
            self._decider.agent = self._choose_agent(self._tracker.target.on_screen)
        if not self._options.dry_run:
            self._retry_after_person(self._clicker.park)
        observation = self._waits.wait_readable()
        self._clicker.note_window(observation.frame)
        self._final_board = observation.board
        self._tracker.learn_smiley(observation.frame, observation.reading.status)
        if not observation.over and not observation.unplayed:
            self._observer.noticed("The board is partly open already; playing on from here.")
        return observation

    def _new_game(self) -> Observation:
        observation = self._retry_after_person(
            lambda: self._restarter.new_game(
                self._final_board, won=self._final_won, unread=self._final_unread
            )
        )
        self._end_detector.begin_game()
        self._end_detector.mines = self._tracker.target.on_screen.mines
        return observation

    def _play_game(self, progress: Progress, observation: Observation) -> GameResult | None:
        """Play one game to its end; return None after the first decision in a dry run."""
        self._guard.loops.forget()
        self._tracker.learn_hidden(observation.frame, observation.board)
        while True:
            if not observation.over and self._search.recognise_program(observation.board):
                self._end_detector.use_program_profile(self._tracker.target.on_screen)
                observation = self._waits.wait_readable(after=observation.board)
                self._tracker.learn_hidden(observation.frame, observation.board)
            detect = partial(self._end_detector.detect, observation)
            told, observation = self._retry_after_person(detect)
            if told.over:
                return self._finish_observed(progress, told, observation)
            self._tracker.learn_smiley(observation.frame, Status.PLAYING)
            self._answered |= bool(observation.board.open.any())
            decide_start = self._clock.now()
            try:
                observation, board, decision = self._decide(observation, progress)
            except UNREAD_AFTER_CLICKS as trouble:
                # What was read was half painted, and the dialog of the end came up meanwhile.
                if progress.last is None:
                    raise
                after = self._unread_end(progress.last, trouble)
            else:
                if not decision.moves:
                    told = self._end_detector.without_moves(observation)
                    # A game in which nothing was clicked has no result.
                    end = told if told.over and progress.clicks else None
                    return self._finish_observed(progress, end, observation, decision.reason)
                decide_ms = 1e3 * (self._clock.now() - decide_start)
                turn = progress.begin_turn(observation, board, decision, decide_ms)
                self._end_detector.note_turn(turn)
                self._observer.decided(turn)
                if self._options.dry_run:
                    return None
                self._control.before_turn(self._guard.wait)
                after = self._play_turn(turn, progress)
            if isinstance(after, Verdict):
                self._observer.noticed(after.reason)
                frame = self._tracker.last_frame or observation.frame
                tiles = observation.board.tiles if after.tiles is None else after.tiles
                board = Board(tiles, self._end_detector.mines)
                result = self._finish(progress, after, board, frame)
                self._final_unread = after.in_sight
                return result
            observation = after

    def _finish_observed(
        self, progress: Progress, told: Verdict | None, observation: Observation, why: str = ""
    ) -> GameResult:
        """Finish a game whose last frame could be read."""
        frame, reading = observation.frame, observation.reading
        return self._finish(progress, told, observation.board, frame, reading, why)

    def _finish(
        self,
        progress: Progress,
        told: Verdict | None,
        board: Board,
        frame: Frame,
        reading: Reading | None = None,
        why: str = "",
    ) -> GameResult:
        """Report how the game ended and close the dialog the program may open.

        ``reading`` is that of ``frame``, None if it could not be read. If no verdict is
        ``told``, ``why`` says why play stops.
        """
        self._final_board, self._final_unread = board, False
        self._final_won = None if told is None else told.status is Status.WON
        result = progress.result(told, self._clock.now(), board, why)
        self._observer.game_over(result, frame, reading)
        if told is not None:
            won, last = told.status is Status.WON, progress.game == self._options.games
            if reading is not None:
                self._tracker.learn_smiley(frame, Status.WON if won else Status.LOST)
            self._retry_after_person(lambda: self._restarter.close_end_dialog(won=won, last=last))
        return result

    def _decide(
        self, observation: Observation, progress: Progress
    ) -> tuple[Observation, Board, Decision]:
        """Return the agent's decision, and what it is for; read an impossible board again."""
        end = self._clock.now() + self._options.limits.gone_s
        while self._clock.now() < end:
            with suppress(ImpossibleBoard):
                return observation, *self._decider.decide(observation)
            seen = self._tracker.target.crop_board(observation.frame)
            self._waits.wait_rest(seen, self._clock.now() + self._options.limits.change_s)
            observation = self._waits.wait_readable()
            check_same_game(progress.last_board, observation.board)
        return observation, *self._decider.decide(observation)

    def _play_turn(self, turn: Turn, progress: Progress) -> Observation | Verdict:
        """Click and wait for the answer, or an end that is known though no board can be read."""
        board, guess = turn.reading.board, not turn.decision.certain
        mines = certain_mines(board)
        planned_clicks = self._marks.plan(turn.decision, board, mines, progress.misses)
        winning = may_win(board, turn.decision, mines)
        dialog = self._restarter.dialog_keys(may_win=winning, may_lose=guess)
        sent: list[tuple[PlannedClick, Click]] = []
        unanswered: list[Cell] = []
        detector, gently = self._end_detector, progress.gently or not self._answered
        patience = detector.flags.patience(progress.unchanged_turns)
        if untried := not self._answered and may_be_no_game(self._tracker.target.on_screen, board):
            patience = FIRST_PATIENCE
        start = sent_at = self._clock.now()
        try:
            try:
                try:
                    self._clicker.send(
                        planned_clicks, turn.frame, board, sent, guess=guess, gently=gently
                    )
                finally:
                    made = [planned_click for planned_click, _ in sent]
                    detector.note_clicks(made)
                sent_at = self._clock.now()
                before = self._tracker.target.crop_board(turn.frame)
                observation, unanswered = self._waits.wait_answered(
                    made,
                    before,
                    after=board,
                    dialog=dialog,
                    patience=patience if made else 1,
                    give_up=detector.told_unread,
                )
            except PersonAtMouse:
                self._wait_for_person()
                try:
                    observation = self._waits.wait_readable(after=board)
                except UNREAD_AFTER_CLICKS as trouble:
                    if not sent:
                        raise  # a person may have covered it
                    return self._unread_end(turn, trouble)
            except UNREAD_AFTER_CLICKS as trouble:
                return self._unread_end(turn, trouble)
        finally:
            turn = progress.end_turn(
                turn,
                [click for _, click in sent],
                send_ms=1e3 * (sent_at - start),
                wait_ms=1e3 * (self._clock.now() - sent_at),
            )
            self._observer.played(turn)
        progress.count_misses(unanswered, observation.board)
        if progress.unchanged_turns > 1:  # or a page waits for an answer to its message
            end = detector.refused_flags() or detector.said_end()
            if end:
                return end
        self._marks.give_up_failing(progress, planned_clicks)
        try:
            progress.check_stuck(
                self._options.limits.retries,
                self._clicker.strange,
                below_window=self._clicker.below_window,
                maybe_no_game=untried,
            )
        except WindowTrouble:
            if end := detector.said_end():
                return end
            raise
        return observation

    def _unread_end(self, turn: Turn, trouble: Exception) -> Verdict | Observation:
        """Return the end of a game whose board cannot be read after a turn, or raise why."""
        frame = self._tracker.last_frame or turn.frame
        if end := self._end_detector.unread_end(frame, trouble):
            return end
        if turn.decision.certain or isinstance(trouble, WindowGone | ScreenGone):
            raise trouble
        raise self._restarter.explain_cover(trouble) from trouble

    def _wait_for_person(self) -> None:
        idle_s = self._options.limits.idle_s
        self._observer.noticed(
            "You have the mouse or hold a key; play goes on when neither has been so for "
            f"{idle_s:g} s."
        )
        self._guard.wait_idle(idle_s)

    def _retry_after_person(self, action: Callable[[], Result]) -> Result:
        """Run an action that clicks; run it again from the start if a person took the mouse."""
        while True:
            try:
                return action()
            except PersonAtMouse:
                self._wait_for_person()
