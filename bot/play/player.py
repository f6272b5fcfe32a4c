"""Play games: observe, decide, click, wait; turn by turn, until the last game ends.

`Player` is the entry point. `Decider` asks the agent and corrects a wrong mine total; `Turns` sends
the clicks of a turn and waits for the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from bot import errors
from bot.desktop.ports import Desktop
from bot.events import (
    Click,
    Decided,
    GameOver,
    GameResult,
    Noticed,
    Observer,
    Played,
    Stopped,
    Thinking,
    Turn,
    ignore,
)
from bot.mouse.guard import MouseGuard, StopSignal
from bot.mouse.plan import Clicks, PlannedClick, certain_mines, may_win
from bot.options import Control, NoControl, PlayOptions, may_be_no_game
from bot.play.clicker import Clicker, Marks
from bot.play.ending import HIDDEN_BOARD_ERRORS, EndDetector
from bot.play.progress import Progress
from bot.play.restart import Restarter
from bot.tracking.follow import Wanted
from bot.tracking.game import Observation, check_same_game
from bot.tracking.recovery import BoardSearch
from bot.tracking.tracker import BoardTracker, EndWords, PlayStage
from bot.tracking.waits import Waits
from calibration import Calibration, Frame, Reading
from calibration.errors import ImpossibleBoard, StatusUnclear
from calibration.verdict import Verdict
from solver import Board, Cell, InconsistentBoard, Status, Tile
from solver.agents.base import Agent, Decision, Thinker

Result = TypeVar("Result")


class Player:
    """Plays the board on a desktop with an agent: call `play`.

    ``calibration``, if it still fits, makes the first search of the screen unnecessary.
    ``choose_agent`` returns the agent to play with once the program is known. ``observer`` is
    called for everything that happens; ``stop`` carries the stop signals of the process;
    ``control`` lets a person steer play.
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
        self._observer = observer or ignore
        self._desktop, self._clock = desktop, desktop.clock
        limits = self._options.limits
        named = (self._options.new_game, self._options.close)
        self._guard = MouseGuard(desktop, stop, [keys for keys in named if isinstance(keys, str)])
        wanted = Wanted(self._options.near, self._options.mines, self._options.themes)
        self._tracker = BoardTracker(desktop.screen, wanted)
        stage = PlayStage(self._tracker, desktop.clock, self._observer, self._guard, limits)
        self._search = BoardSearch(stage)
        self._waits = Waits(stage, self._search)
        self._restarter = Restarter(stage, self._waits, self._options)
        words = EndWords(self._tracker, desktop.lines_in)
        self._end_detector = EndDetector(stage, self._waits, self._restarter, words)
        self._decider = Decider(agent, stage, self._end_detector)
        self._clicker = Clicker(stage, pace=self._options.pace, control=self._control)
        self._saved_calibration = calibration
        marks = Marks(self._options, self._observer)
        self._turns = Turns(
            stage, self._clicker, self._waits, self._restarter, self._end_detector, marks
        )
        self._final_board, self._final_unread = Board([[Tile.HIDDEN]]), False
        self._final_won: bool | None = None
        self._progress = Progress(0, 0.0)

    def play(self) -> list[GameResult]:
        """Play the games asked for and return their results; a dry run has none.

        Raises `StoppedByUser`, `BoardChanged`, a `WindowTrouble` or a `CalibrationError` that
        lasts, after it has called the observer.
        """
        results: list[GameResult] = []
        self._restarter.check_point(self._desktop.screen.monitors())
        try:
            observation = self._start()
            if self._options.games > 1:
                self._restarter.check_new_game_control()
            self._end_detector.begin_game()
            over = self._end_detector.at_start(observation).over
            if over and self._options.dry_run:
                self._observer(Noticed("This game is over, and a dry run starts no new one."))
                return results
            for game in range(1, self._options.games + 1):
                if game > 1 or over:
                    observation = self._new_game()
                self._progress = Progress(game, self._clock.now())
                result = self._play_to_end(self._progress, observation)
                if result is None:
                    break  # a dry run ends with its first decision
                results.append(result)
                if self._control.stop_after_game:
                    break
        except Exception as error:
            stopped = self._progress.sum_up_stopped(self._clock.now())
            self._observer(Stopped(error, self._tracker.last_frame, stopped))
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
            self._turns.retry_after_person(self._clicker.park)
        observation = self._waits.wait_readable()
        self._clicker.note_window(observation.frame)
        self._final_board = observation.board
        self._tracker.learn_smiley(observation.frame, observation.reading.status)
        if not observation.over and not observation.unplayed:
            self._observer(Noticed("The board is partly open already; playing on from here."))
        if self._end_detector.mines is None:
            self._observer(Noticed("The number of mines is not read: give it with --mines."))
        return observation

    def _new_game(self) -> Observation:
        observation = self._turns.retry_after_person(
            lambda: self._restarter.new_game(
                self._final_board, won=self._final_won, unread=self._final_unread
            )
        )
        self._end_detector.begin_game()
        self._end_detector.mines = self._tracker.target.on_screen.mines
        return observation

    def _play_to_end(self, progress: Progress, observation: Observation) -> GameResult | None:
        """Play one game; report it as stopped if the program's own timer starts the next one."""
        try:
            return self._play_game(progress, observation)
        except errors.BoardChanged:
            board, frame = progress.last_board, self._tracker.last_frame
            if board is None or frame is None or not self._restarter.note_own_start(progress.seen):
                raise
            why = "The window started another game by itself"
            return self._finish(progress, None, board, frame, why=why)

    def _play_game(self, progress: Progress, observation: Observation) -> GameResult | None:
        """Play one game to its end; return None after the first decision in a dry run."""
        self._guard.loops.forget()
        self._tracker.learn_hidden(observation.frame, observation.board)
        while True:
            observation = self._recognise(observation)
            detect = partial(self._end_detector.detect, observation)
            verdict, observation = self._turns.retry_after_person(detect)
            if verdict.over:
                return self._finish_observed(progress, verdict, observation)
            self._tracker.learn_smiley(observation.frame, Status.PLAYING)
            progress.seen = decide_start = self._clock.now()
            try:
                observation, board, decision = self._decide(observation, progress)
            except UNREAD_AFTER_CLICKS as trouble:
                # The board was read half painted, and the dialog at its end came up meanwhile.
                if progress.last is None:
                    raise
                after = self._turns.unread_end(progress.last, trouble)
            else:
                if not decision.moves:
                    verdict = self._end_detector.without_moves(observation)
                    # A game in which nothing was clicked has no result.
                    end = verdict if verdict.over and progress.clicks else None
                    return self._finish_observed(progress, end, observation, decision.reason)
                decide_ms = 1e3 * (self._clock.now() - decide_start)
                turn = progress.begin_turn(observation, board, decision, decide_ms)
                self._end_detector.note_turn(turn)
                self._observer(Decided(turn))
                if self._options.dry_run:
                    return None
                self._control.before_turn(self._guard.wait)
                after = self._turns.play(turn, progress)
            if isinstance(after, Verdict):
                return self._finish_unread(progress, after, observation)
            observation = after

    def _recognise(self, observation: Observation) -> Observation:
        """Try to recognise the program; if another theme is used now, observe the board again."""
        if observation.over or not self._search.recognise_program(observation.board):
            return observation
        self._end_detector.use_program_profile(self._tracker.target.on_screen)
        observation = self._waits.wait_readable(after=observation.board)
        self._tracker.learn_hidden(observation.frame, observation.board)
        return observation

    def _finish_unread(
        self, progress: Progress, end: Verdict, observation: Observation
    ) -> GameResult:
        """Finish a game whose last board could not be read, after the last ``observation``."""
        self._observer(Noticed(end.reason))
        frame = self._tracker.last_frame or observation.frame
        tiles = observation.board.tiles if end.tiles is None else end.tiles
        board = Board(tiles, self._end_detector.mines)
        result = self._finish(progress, end, board, frame)
        self._final_unread = end.in_sight
        return result

    def _finish_observed(
        self, progress: Progress, verdict: Verdict | None, observation: Observation, why: str = ""
    ) -> GameResult:
        """Finish a game whose last frame could be read."""
        frame, reading = observation.frame, observation.reading
        return self._finish(progress, verdict, observation.board, frame, reading, why)

    def _finish(
        self,
        progress: Progress,
        verdict: Verdict | None,
        board: Board,
        frame: Frame,
        reading: Reading | None = None,
        why: str = "",
    ) -> GameResult:
        """Report how the game ended and close the dialog that the program may open.

        ``reading`` is None if ``frame`` could not be read. ``verdict`` is None if play stops
        without one: then ``why`` gives the reason.
        """
        self._final_board, self._final_unread = board, False
        self._final_won = None if verdict is None else verdict.status is Status.WON
        sure = None if reading is None else reading.sure_board
        result = progress.sum_up(verdict, self._clock.now(), board, why, sure=sure)
        self._observer(GameOver(result, frame, reading))
        if verdict is not None:
            won, last = verdict.status is Status.WON, progress.number == self._options.games
            if reading is not None:
                self._tracker.learn_smiley(frame, Status.WON if won else Status.LOST)
            self._turns.retry_after_person(
                lambda: self._restarter.close_end_dialog(won=won, last=last)
            )
        return result

    def _decide(
        self, observation: Observation, progress: Progress
    ) -> tuple[Observation, Board, Decision]:
        """Return the observation, the board with its mine total, and the agent's decision.

        If the numbers contradict each other, waits and reads the board again.
        """
        end = self._clock.now() + self._options.limits.gone_s
        while self._clock.now() < end:
            with suppress(ImpossibleBoard):
                return observation, *self._decider.decide(observation)
            seen = self._tracker.target.crop_board(observation.frame)
            self._waits.wait_rest(seen, self._clock.now() + self._options.limits.change_s)
            observation = self._waits.wait_readable()
            check_same_game(progress.last_board, observation.board)
        return observation, *self._decider.decide(observation)


UNREAD_AFTER_CLICKS = (*HIDDEN_BOARD_ERRORS, ImpossibleBoard, StatusUnclear)

FIRST_PATIENCE = 8
"""How many times longer than usual to wait for an answer to the first click: it is not repeated,
because the board may not be a game."""


class Turns:
    """Plays turns: sends the clicks of each and waits for the answer.

    A turn makes only one click until the board has changed after one: it may be only a picture of a
    game.
    """

    def __init__(
        self,
        stage: PlayStage,
        clicker: Clicker,
        waits: Waits,
        restarter: Restarter,
        ending: EndDetector,
        marks: Marks,
    ) -> None:
        self._tracker, self._guard, self._clock = stage.tracker, stage.guard, stage.clock
        self._observer, self._limits = stage.observer, stage.limits
        self._clicker, self._waits = clicker, waits
        self._restarter, self._ending, self._marks = restarter, ending, marks
        self._answered = self._proved = self._interrupted = False

    def play(self, turn: Turn, progress: Progress) -> Observation | Verdict:
        """Make the clicks of a turn; return the next observation, or the verdict of an end."""
        board, mines = turn.reading.board, certain_mines(turn.reading.board)
        self._answered |= bool(board.open.any())
        self._interrupted &= bool(progress.clicks)
        untried = not self._answered and may_be_no_game(self._tracker.target.on_screen, board)
        patience = self._ending.flags.patience(progress.unchanged_turns)
        dialog = self._restarter.dialog_keys(
            may_win=may_win(board, turn.decision, mines), may_lose=not turn.decision.certain
        )
        planned = self._marks.plan(turn.decision, board, mines, progress.misses)
        planned = planned if self._proved else planned[:1]
        after, unanswered = self._click(
            turn, progress, planned, dialog, FIRST_PATIENCE if untried else patience
        )
        self._proved |= isinstance(after, Verdict) or after.board != board.with_mines(
            after.board.mines
        )
        if isinstance(after, Verdict):
            return after
        progress.count_misses(unanswered, after.board)
        if progress.unchanged_turns > 1:
            # The mines may accept no flags, or a message of the page waits for an answer.
            end = self._ending.end_without_flags() or self._ending.said_end()
            if end:
                return end
        self._marks.give_up_failing(progress, planned)
        try:
            progress.check_numbers(after.board)
            progress.check_stuck(
                self._limits.retries,
                self._clicker.strange,
                below_window=self._clicker.below_window,
                changed=self._clicker.changed,
                maybe_no_game=untried,
            )
        except errors.WindowTrouble:
            if end := self._ending.said_end():
                return end
            raise
        return after

    def _click(
        self, turn: Turn, progress: Progress, planned: Clicks, dialog: Sequence[str], patience: int
    ) -> tuple[Observation | Verdict, list[Cell]]:
        """Send the clicks of a turn, wait for the answer, and report the turn to the observer.

        Returns the next observation or the verdict, and the cells that did not answer.
        """
        sent: list[tuple[PlannedClick, Click]] = []
        start = sent_at = self._clock.now()
        try:
            self._send(turn, progress, planned, sent)
            sent_at = self._clock.now()
            answer = self._waits.wait_answered(
                [planned_click for planned_click, _ in sent],
                self._tracker.target.crop_board(turn.frame),
                after=turn.reading.board,
                dialog=dialog,
                patience=patience if sent else 1,
                give_up=self._ending.shows_end_unread,
            )
            self._interrupted = False
            return answer
        except errors.PersonAtMouse:
            self._interrupted |= bool(sent)
            return self._after_person(turn, dialog), []
        except UNREAD_AFTER_CLICKS as trouble:
            return self.unread_end(turn, trouble), []
        except errors.AnotherGame:  # a page that starts the next game by itself
            if end := self._ending.new_game_end():
                return end, []
            raise
        finally:
            turn = progress.end_turn(
                turn,
                [click for _, click in sent],
                send_ms=1e3 * (sent_at - start),
                wait_ms=1e3 * (self._clock.now() - sent_at),
            )
            self._observer(Played(turn))

    def _send(
        self,
        turn: Turn,
        progress: Progress,
        planned: Clicks,
        sent: list[tuple[PlannedClick, Click]],
    ) -> None:
        """Send the clicks and add them to ``sent``; note the clicks made even after an error."""
        guess, gently = not turn.decision.certain, progress.gently or not self._answered
        try:
            self._clicker.send(
                planned, turn.frame, turn.reading.board, sent, guess=guess, gently=gently
            )
        finally:
            self._ending.note_clicks([planned_click for planned_click, _ in sent])

    def _after_person(self, turn: Turn, dialog: Sequence[str]) -> Observation | Verdict:
        """Wait until a person lets go of the mouse; return the observation or verdict after that.

        If the person took the mouse before the clicks were answered, a dialog of the program may
        cover the board. If not, whatever covers it may be the person's.
        """
        while True:
            self._wait_for_person()
            try:
                keys = dialog if self._interrupted else ()
                return self._waits.wait_readable(after=turn.reading.board, dialog=keys)
            except errors.PersonAtMouse:
                continue
            except UNREAD_AFTER_CLICKS as trouble:
                if not self._interrupted:
                    raise
                return self.unread_end(turn, trouble)

    def unread_end(self, turn: Turn, trouble: Exception) -> Verdict | Observation:
        """Return the verdict on a game whose board cannot be read after a turn.

        Returns an observation if play can continue. Raises ``trouble``, explained, if neither is
        possible.
        """
        frame = self._tracker.last_frame or turn.frame
        if end := self._ending.unread_end(frame, trouble):
            return end
        close = self._restarter.close_own_dialogs
        if self._may_end(turn) and self.retry_after_person(close):
            return self._below_dialog(turn)
        if turn.decision.certain or isinstance(trouble, errors.WindowGone | errors.ScreenGone):
            raise trouble
        raise self._restarter.explain_cover(trouble) from trouble

    def retry_after_person(self, action: Callable[[], Result]) -> Result:
        """Run an action that clicks; run it again from the start if a person took the mouse."""
        while True:
            try:
                return action()
            except errors.PersonAtMouse:
                self._wait_for_person()

    def _wait_for_person(self) -> None:
        """Wait until the person at the mouse has let go of it."""
        idle_s = self._limits.idle_s
        self._observer(
            Noticed(
                "You are using the mouse or holding a key; play continues after "
                f"{idle_s:g} s without either."
            )
        )
        self._guard.wait_idle(idle_s)

    @staticmethod
    def _may_end(turn: Turn) -> bool:
        """Whether the clicks of a turn may have ended the game."""
        board, decision = turn.reading.board, turn.decision
        return not decision.certain or may_win(board, decision, certain_mines(board))

    def _below_dialog(self, turn: Turn) -> Verdict | Observation:
        """Return the observation or verdict after a dialog of the program was closed.

        Raises ``AnotherGame``, or an error that explains the cover, if there is neither.
        """
        try:
            return self._waits.wait_readable(after=turn.reading.board)
        except UNREAD_AFTER_CLICKS as trouble:
            end = self._ending.unread_end(self._tracker.last_frame or turn.frame, trouble)
            if end is None:
                raise self._restarter.explain_cover(trouble) from trouble
        except errors.AnotherGame:  # the default button asked for it
            end = self._ending.new_game_end()
            if end is None:
                raise
        return end


class Decider:
    """Asks ``agent``, which may be replaced once the program is known.

    While an agent thinks about a guess, the observer is called with its progress, and a stop signal
    interrupts it.
    """

    def __init__(self, agent: Agent, stage: PlayStage, ending: EndDetector) -> None:
        self.agent = agent
        self._check_stop = stage.guard.check_stop
        self._tracker, self._observer = stage.tracker, stage.observer
        self._end_detector = ending

    def decide(self, observation: Observation) -> tuple[Board, Decision]:
        """Ask the agent; if the numbers fit no solution, try other mine totals.

        Returns the board with the total that fits, and the decision. A mine that cost a life stays
        known even if the program hides it again. Raises `ImpossibleBoard` if no total fits.
        """
        if self._end_detector.all_safe_open(observation):
            board = observation.board.with_mines(self._end_detector.mines)
            return board, self._end_detector.flags.decide(board)
        if isinstance(self.agent, Thinker):
            self.agent.on_progress = self._thinking
        known = observation.board.with_known_mines(self._tracker.memory.reader.survived)
        for total in self._candidate_totals(observation):
            board = known.with_mines(total)
            try:
                decision = self.agent.decide(board)
            except InconsistentBoard:
                continue
            if total != self._end_detector.mines:
                self._replace_total(total)
            return board, decision
        self._tracker.forget_labels()
        raise ImpossibleBoard(
            "The numbers on the board contradict each other, whatever the mine total."
        )

    def _thinking(self, done: int, most: int) -> None:
        self._check_stop()
        self._observer(Thinking(done, most))

    def _candidate_totals(self, observation: Observation) -> Iterator[int | None]:
        """Yield the mine totals to try: the one used so far, the counter's, an unknown one."""
        yield self._end_detector.mines
        left = observation.reading.mines_left
        counted = (
            self._tracker.find_mine_total(observation.frame, observation.board)
            if left is None
            else left + observation.board.flags
        )
        if (
            counted not in (None, self._end_detector.mines)
            and 0 <= counted <= observation.board.tiles.size
        ):
            yield counted
        if self._end_detector.mines is not None:
            yield None

    def _replace_total(self, total: int | None) -> None:
        instead = "going on without a total" if total is None else f"the counter says {total}"
        self._observer(
            Noticed(
                f"The mine total {self._end_detector.mines} does not fit the numbers; {instead}."
            )
        )
        self._end_detector.mines = total
