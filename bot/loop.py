"""The loop: look, decide, click, wait for the answer; turn by turn, game by game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from bot.clicker import Clicker
from bot.decider import Decider
from bot.ending import CAME_OVER, HIDDEN_BOARD, Ending, opened_all
from bot.errors import PersonAtMouse, ScreenGone, WindowGone
from bot.eye import Eye
from bot.hand import Hand, StopSignal
from bot.manners import Manners
from bot.options import PlayOptions
from bot.plan import Aim, Stroke, may_win, plan
from bot.ports import Desktop
from bot.progress import Progress
from bot.sight import Sight
from bot.signs import View, check_follows
from bot.turn import Click, GameResult, Outcome, Quiet, Turn, Watcher
from calibration.calibrate import Calibration
from calibration.errors import ImpossibleBoard
from calibration.frame import Frame
from calibration.reader import Reading
from calibration.theme import LEARNED
from solver.agents.base import Agent
from solver.analysis import analyse
from solver.board import Board, Cell, Tile
from solver.game import Status

Result = TypeVar("Result")


class Player:
    """Plays the board on a desktop with an agent; `play` does it all.

    ``calibration`` spares the first search where it still fits; ``choose`` takes another agent
    once the program is known.
    """

    def __init__(
        self,
        desktop: Desktop,
        agent: Agent,
        *,
        options: PlayOptions | None = None,
        watcher: Watcher | None = None,
        stop: StopSignal | None = None,
        calibration: Calibration | None = None,
        choose: Callable[[Calibration], Agent] | None = None,
    ) -> None:
        self._choose = choose
        self._options = options or PlayOptions()
        self._watcher = watcher or Quiet()
        self._clock = desktop.clock
        limits = self._options.limits
        self._hand = Hand(desktop, stop)
        self._eye = Eye(
            desktop.screen,
            near=self._options.near,
            mines=self._options.mines,
            themes=self._options.themes,
        )
        self._sight = Sight(
            self._eye, self._hand, desktop.clock, limits=limits, watcher=self._watcher
        )
        self._manners = Manners(
            self._eye,
            self._hand,
            self._sight,
            way=self._options.new_game,
            close=self._options.close,
            limits=limits,
        )
        self._ending = Ending(self._sight, self._manners, watcher=self._watcher, limits=limits)
        self._decider = Decider(agent, self._eye, self._ending, watcher=self._watcher)
        self._clicker = Clicker(
            self._eye, self._hand, desktop.clock, limits=limits, pace=self._options.pace
        )
        self._saved = calibration
        self._flags, self._chords = self._options.flags, self._options.chords
        self._final = Board([[Tile.HIDDEN]])

    def play(self) -> list[GameResult]:
        """Play the games asked for and return how they ended; none in a dry run.

        Raises `StoppedByUser`, a `WindowTrouble`, or an error of the eyes that lasted; the
        watcher is told first.
        """
        results: list[GameResult] = []
        try:
            view = self._start()
            if self._options.games > 1:
                self._manners.check()
            for game in range(1, self._options.games + 1):
                if game > 1 or (view.over and not self._ending.lacks_flags(view)):
                    view = self._new_game()
                result = self._play_game(Progress(game, self._clock.now()), view)
                if result is not None:
                    results.append(result)
        except Exception as error:
            self._watcher.stopped(error, self._eye.seen)
            raise
        return results

    def _start(self) -> View:
        """Find the board and read it; a half-played one is as good as a fresh one."""
        self._sight.find(self._saved)
        if self._choose is not None:
            self._decider.agent = self._choose(self._eye.watch.whole)
        self._get_to_know()
        view = self._sight.wait_board()
        if not self._options.dry_run:
            self._clicker.park()
            view = self._sight.wait_board()
        self._final = view.board
        self._eye.learn_face(view.frame, view.reading.status)
        if not view.over and not view.fresh:
            self._watcher.noticed("The board is partly open already; going on from here.")
        return view

    def _get_to_know(self) -> None:
        """Take the program as its calibration has it."""
        whole = self._eye.watch.whole
        self._ending.mines = whole.mines
        known = whole.theme.name != LEARNED
        self._ending.flags_to_win = whole.theme.handling.flags_to_win if known else None

    def _new_game(self) -> View:
        view = self._with_the_mouse(lambda: self._manners.new_game(self._final))
        self._ending.mines = self._eye.watch.whole.mines
        return view

    def _play_game(self, progress: Progress, view: View) -> GameResult | None:
        """Play one game to its end; None in a dry run, which only shows its first decision."""
        while True:
            if self._sight.know_better(view.board):
                self._get_to_know()
                view = self._sight.wait_board(after=view.board)
            end = self._with_the_mouse(partial(self._ending.of, view))
            if end is not None:
                outcome, view = end
                return self._finish(progress, outcome, view.board, view.frame, view.reading)
            self._eye.learn_face(view.frame, Status.PLAYING)
            asked = self._clock.now()
            try:
                board, decision = self._decider.decide(view)
            except ImpossibleBoard:
                view = self._look_twice(view, progress)
                board, decision = self._decider.decide(view)
            if not decision.moves:
                outcome = self._ending.of_nothing_to_do(board)
                why = decision.reason if outcome is Outcome.STOPPED else ""
                return self._finish(progress, outcome, view.board, view.frame, view.reading, why)
            decide_ms = 1e3 * (self._clock.now() - asked)
            turn = progress.begin_turn(view, board, decision, decide_ms)
            self._watcher.decided(turn)
            if self._options.dry_run:
                return None
            after = self._take(turn, progress)
            if after is None:
                self._watcher.noticed(CAME_OVER)
                return self._finish(progress, Outcome.WON, board, self._eye.seen or turn.frame)
            view = after

    def _finish(
        self,
        progress: Progress,
        outcome: Outcome,
        board: Board,
        frame: Frame,
        reading: Reading | None = None,
        why: str = "",
    ) -> GameResult:
        """Tell how the game ended, on which board, and in which picture if it can be read."""
        self._final = board
        result = progress.result(outcome, self._clock.now(), board, why)
        self._watcher.game_over(result, frame, reading)
        if outcome is not Outcome.STOPPED:
            won = outcome is Outcome.WON
            if reading is not None:
                self._eye.learn_face(frame, Status.WON if won else Status.LOST)
            self._with_the_mouse(lambda: self._manners.after_game(won=won))
        return result

    def _look_twice(self, view: View, progress: Progress) -> View:
        """Read a board that cannot be once more, should it be caught in mid-change.

        Raises the errors of a board that cannot be read.
        """
        self._sight.wait_rest(
            self._eye.tight_of(view.frame), self._clock.now() + self._options.limits.change_s
        )
        again = self._sight.wait_board()
        check_follows(progress.last.reading.board if progress.last else None, again.board)
        return again

    def _take(self, turn: Turn, progress: Progress) -> View | None:
        """Click what was decided and wait for the answer.

        None where all that was free is open by these clicks, but something hides the board.
        """
        board, guess = turn.reading.board, not turn.decision.certain
        mines = self._certain_mines(board)
        strokes = progress.missed_first(
            plan(turn.decision, board, mines=mines, flags=self._flags, chords=self._chords)
        )
        dialog = self._manners.dialog_keys(may_win=may_win(board, turn.decision), may_lose=guess)
        sent: list[tuple[Stroke, Click]] = []
        missing: list[Cell] = []
        begun = answered = self._clock.now()
        try:
            try:
                self._clicker.send(
                    strokes, turn.frame, sent, guess=guess, gently=progress.in_vain > 0
                )
                answered = self._clock.now()
                done = [stroke for stroke, _ in sent]
                before = self._eye.tight_of(turn.frame)
                view, missing = self._sight.wait_settled(
                    done, before, after=board, dialog=dialog, patience=2**progress.in_vain
                )
            except PersonAtMouse:
                self._yield_mouse()
                view = self._sight.wait_board(after=board)
            except HIDDEN_BOARD as trouble:
                clicked = [cell for stroke, _ in sent for cell in stroke.cells]
                if not self._ending.flags_to_win and opened_all(turn, clicked):
                    return None
                if guess and not isinstance(trouble, WindowGone | ScreenGone):
                    raise self._manners.explained(trouble) from trouble
                raise
        finally:
            turn = progress.end_turn(
                turn,
                [click for _, click in sent],
                send_ms=1e3 * (answered - begun),
                wait_ms=1e3 * (self._clock.now() - answered),
            )
            self._watcher.played(turn)
        progress.count_misses(missing, view.board)
        self._give_up_decoration(progress, strokes)
        progress.check_stuck(self._options.limits.retries)
        return view

    def _certain_mines(self, board: Board) -> tuple[Cell, ...]:
        """Ask for the certain mines where flags matter: to set them, or to judge those set."""
        if self._flags or self._chords or board.flags:
            return analyse(board).mines
        return ()

    def _give_up_decoration(self, progress: Progress, strokes: Iterable[Stroke]) -> None:
        """Go on without flags or chords that do not work: the game can be won without."""
        retries = self._options.limits.retries
        for stroke in strokes:
            misses = max(progress.misses.get(cell, 0) for cell in stroke.cells)
            if stroke.aim is Aim.CHORD and misses:
                self._chords = False
                self._watcher.noticed("The program opens nothing on a chord; on without chords.")
            elif stroke.aim is Aim.FLAG and misses > retries:
                self._flags = self._chords = False
                self._watcher.noticed("Flags do not stay; on without flags.")
            else:
                continue
            progress.misses.clear()
            return

    def _yield_mouse(self) -> None:
        idle_s = self._options.limits.idle_s
        self._watcher.noticed(f"You have the mouse; going on when it rests for {idle_s:g} s.")
        self._hand.wait_idle(idle_s)

    def _with_the_mouse(self, action: Callable[[], Result]) -> Result:
        """Do something that clicks, again from the start if a person takes the mouse."""
        while True:
            try:
                return action()
            except PersonAtMouse:
                self._yield_mouse()
