"""One turn of play: its clicks are planned and sent, and the answer is waited for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.desktop.ports import Clock
from bot.errors import AnotherGame, PersonAtMouse, ScreenGone, WindowGone, WindowTrouble
from bot.events import Click, Observer, Turn
from bot.mouse.plan import Clicks, PlannedClick, certain_mines, may_win
from bot.options import Limits
from bot.play.clicker import Clicker
from bot.play.ending.detector import HIDDEN_BOARD_ERRORS, EndDetector
from bot.play.first_click import may_be_no_game
from bot.play.marks import Marks
from bot.play.progress import Progress
from bot.play.restart import Restarter
from bot.tracking.observation import Observation
from bot.tracking.tracker import BoardTracker
from bot.tracking.waits import Waits
from calibration.errors import ImpossibleBoard, StatusUnclear
from calibration.verdict import Verdict
from solver.board import Cell

UNREAD_AFTER_CLICKS = (*HIDDEN_BOARD_ERRORS, ImpossibleBoard, StatusUnclear)

FIRST_PATIENCE = 8
"""How many times longer the first click may go unanswered: it is not repeated on what may be no
game at all."""


class Turns:
    """Plays turns, and knows whether the program has ``answered`` one.

    Until a click of the bot itself was answered, a turn makes one: it may be the picture of a game.

    ``wait_for_person`` waits until the person at the mouse has let go of it.
    """

    def __init__(
        self,
        tracker: BoardTracker,
        clicker: Clicker,
        waits: Waits,
        restarter: Restarter,
        ending: EndDetector,
        marks: Marks,
        clock: Clock,
        *,
        observer: Observer,
        limits: Limits,
        wait_for_person: Callable[[], None],
    ) -> None:
        self._tracker, self._clicker, self._waits = tracker, clicker, waits
        self._restarter, self._ending, self._marks = restarter, ending, marks
        self._clock, self._observer, self._limits = clock, observer, limits
        self._wait_for_person = wait_for_person
        self._answered = self._proved = False

    def play(self, turn: Turn, progress: Progress) -> Observation | Verdict:
        """Click and wait for the answer, or an end that is known though no board can be read."""
        board, mines = turn.reading.board, certain_mines(turn.reading.board)
        self._answered |= bool(board.open.any())
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
        if progress.unchanged_turns > 1:  # or a page waits for an answer to its message
            end = self._ending.refused_flags() or self._ending.said_end()
            if end:
                return end
        self._marks.give_up_failing(progress, planned)
        try:
            progress.check_stuck(
                self._limits.retries,
                self._clicker.strange,
                below_window=self._clicker.below_window,
                changed=self._clicker.changed,
                maybe_no_game=untried,
            )
        except WindowTrouble:
            if end := self._ending.said_end():
                return end
            raise
        return after

    def _click(
        self, turn: Turn, progress: Progress, planned: Clicks, dialog: Sequence[str], patience: int
    ) -> tuple[Observation | Verdict, list[Cell]]:
        """Send the clicks of a turn, wait for the answer, and tell the observer of the turn.

        Returns what came of it, and the cells that did not answer.
        """
        sent: list[tuple[PlannedClick, Click]] = []
        start = sent_at = self._clock.now()
        try:
            self._send(turn, progress, planned, sent)
            sent_at = self._clock.now()
            return self._waits.wait_answered(
                [planned_click for planned_click, _ in sent],
                self._tracker.target.crop_board(turn.frame),
                after=turn.reading.board,
                dialog=dialog,
                patience=patience if sent else 1,
                give_up=self._ending.told_unread,
            )
        except PersonAtMouse:
            return self._after_person(turn, clicked=bool(sent)), []
        except UNREAD_AFTER_CLICKS as trouble:
            return self.unread_end(turn, trouble), []
        except AnotherGame:  # a page that starts the next game by itself
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
            self._observer.played(turn)

    def _send(
        self,
        turn: Turn,
        progress: Progress,
        planned: Clicks,
        sent: list[tuple[PlannedClick, Click]],
    ) -> None:
        """Send the clicks; those that were made are added to ``sent``, and noted in any case."""
        guess, gently = not turn.decision.certain, progress.gently or not self._answered
        try:
            self._clicker.send(
                planned, turn.frame, turn.reading.board, sent, guess=guess, gently=gently
            )
        finally:
            self._ending.note_clicks([planned_click for planned_click, _ in sent])

    def _after_person(self, turn: Turn, *, clicked: bool) -> Observation | Verdict:
        """Return what is seen once a person has let go of the mouse."""
        self._wait_for_person()
        try:
            return self._waits.wait_readable(after=turn.reading.board)
        except UNREAD_AFTER_CLICKS as trouble:
            if not clicked:
                raise  # a person may have covered it
            return self.unread_end(turn, trouble)

    def unread_end(self, turn: Turn, trouble: Exception) -> Verdict | Observation:
        """Return the end of a game whose board cannot be read after a turn, or raise why."""
        frame = self._tracker.last_frame or turn.frame
        if end := self._ending.unread_end(frame, trouble):
            return end
        if self._may_end(turn) and self._close_own_dialogs():
            return self._below_dialog(turn)
        if turn.decision.certain or isinstance(trouble, WindowGone | ScreenGone):
            raise trouble
        raise self._restarter.explain_cover(trouble) from trouble

    @staticmethod
    def _may_end(turn: Turn) -> bool:
        """Whether the clicks of a turn may have ended the game."""
        board, decision = turn.reading.board, turn.decision
        return not decision.certain or may_win(board, decision, certain_mines(board))

    def _close_own_dialogs(self) -> bool:
        """Close what the program opened over its board; return whether it opened a dialog."""
        while True:
            try:
                return self._restarter.close_own_dialogs()
            except PersonAtMouse:
                self._wait_for_person()

    def _below_dialog(self, turn: Turn) -> Verdict | Observation:
        """Return what is seen where a dialog of the program was closed, or raise why not."""
        try:
            return self._waits.wait_readable(after=turn.reading.board)
        except UNREAD_AFTER_CLICKS as trouble:
            end = self._ending.unread_end(self._tracker.last_frame or turn.frame, trouble)
            if end is None:
                raise self._restarter.explain_cover(trouble) from trouble
        except AnotherGame:  # the default button asked for it
            end = self._ending.new_game_end()
            if end is None:
                raise
        return end
