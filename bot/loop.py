"""The loop: look, decide, click, wait for the answer; turn by turn, game by game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

from bot.clicker import Clicker
from bot.errors import PersonAtMouse
from bot.eye import Eye
from bot.hand import Hand, StopSignal
from bot.manners import Manners
from bot.options import PlayOptions
from bot.plan import Aim, Stroke, flag_the_mines, may_win, plan
from bot.ports import Desktop
from bot.progress import Progress
from bot.rules import LEARNED
from bot.sight import Sight
from bot.signs import View
from bot.turn import Click, GameResult, Outcome, Quiet, Turn, Watcher
from calibration.calibrate import Calibration
from calibration.errors import ImpossibleBoard
from calibration.frame import Frame
from calibration.rules import count_around
from solver.agents.base import Agent, Decision
from solver.analysis import analyse
from solver.board import Board, Cell, Tile
from solver.errors import InconsistentBoard
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
        self._agent = agent
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
            self._eye, self._hand, self._sight, way=self._options.new_game, limits=limits
        )
        self._clicker = Clicker(
            self._eye, self._hand, desktop.clock, limits=limits, pace=self._options.pace
        )
        self._saved = calibration
        self._mines: int | None = None
        self._flags, self._chords = self._options.flags, self._options.chords
        self._flags_to_win: bool | None = None
        self._final = Board([[Tile.HIDDEN]])
        self._frame: Frame | None = None

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
                if game > 1 or (view.over and not self._lacks_flags(view)):
                    view = self._new_game()
                result = self._play_game(Progress(game, self._clock.now()), view)
                if result is not None:
                    results.append(result)
        except Exception as error:
            self._watcher.stopped(error, self._frame)
            raise
        return results

    def _start(self) -> View:
        """Find the board and read it; a half-played one is as good as a fresh one."""
        self._sight.find(self._saved)
        if self._choose is not None:
            self._agent = self._choose(self._eye.watch.whole)
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
        self._mines = whole.mines
        known = whole.theme.name != LEARNED
        self._flags_to_win = whole.theme.handling.flags_to_win if known else None

    def _new_game(self) -> View:
        view = self._with_the_mouse(lambda: self._manners.new_game(self._final))
        self._mines = self._eye.watch.whole.mines
        return view

    def _play_game(self, progress: Progress, view: View) -> GameResult | None:
        """Play one game to its end; None in a dry run, which only shows its first decision."""
        while True:
            self._frame = view.frame
            if self._sight.know_better(view.board):
                self._get_to_know()
                view = self._sight.wait_board(after=view.board)
            end = self._with_the_mouse(partial(self._end_of, view))
            if end is not None:
                return self._finish(progress, *end)
            self._eye.learn_face(view.frame, Status.PLAYING)
            asked = self._clock.now()
            board, decision = self._decide(view)
            if not decision.moves:
                return self._finish(progress, self._when_nothing_to_do(board), view, decision)
            decide_ms = 1e3 * (self._clock.now() - asked)
            turn = progress.begin_turn(view, board, decision, decide_ms)
            self._watcher.decided(turn)
            if self._options.dry_run:
                return None
            view = self._take(turn, progress)

    def _end_of(self, view: View) -> tuple[Outcome, View] | None:
        """Tell whether the game is over, from two signs; None while it is under way.

        The program's word must come twice. A board with no free cell left is won even if the
        program never says so in a way we can read.
        """
        if not view.over and (self._flags_to_win or not self._all_open(view)):
            return None
        lost = view.reading.status is Status.LOST
        dialog = self._manners.dialog_keys(may_win=not lost, may_lose=lost)
        last = self._sight.wait_over(view, after=view.board, dialog=dialog)
        if self._flags_to_win is None and self._all_open(last):
            last = self._sight.wait_more(last, dialog=dialog)
        if self._lacks_flags(last):
            return None
        if last.reading.status is Status.LOST:
            return Outcome.LOST, last
        if last.reading.status is Status.WON or self._all_open(last):
            return Outcome.WON, last
        return None

    def _all_open(self, view: View) -> bool:
        """Whether only mines are left closed, by their known number and by every number open.

        The total alone will not do: it may be a person's mistake.
        """
        closed = ~view.board.open
        fits = (count_around(closed) == view.board.tiles) | closed
        return int(closed.sum()) == self._mines and bool(fits.all())

    def _lacks_flags(self, view: View) -> bool:
        """Whether the program wants the mines of this opened-up board flagged.

        Its theme knew at the start; a program without one wants it if its clock goes on running.
        """
        hidden = view.board.tiles == Tile.HIDDEN
        if not (self._all_open(view) and hidden.any()) or view.reading.status is Status.LOST:
            return False
        if self._flags_to_win is None:
            self._flags_to_win = self._sight.wait_clock(self._options.limits.clock_s)
            if self._flags_to_win:
                self._watcher.noticed("This program wants all mines flagged at the end.")
        return self._flags_to_win

    def _when_nothing_to_do(self, board: Board) -> Outcome:
        """Without a known total, a board whose closed cells are all certain mines is won."""
        done = int((~board.open).sum()) == len(analyse(board).mines)
        return Outcome.WON if done else Outcome.STOPPED

    def _finish(
        self, progress: Progress, outcome: Outcome, view: View, decision: Decision | None = None
    ) -> GameResult:
        self._final = view.board
        why = decision.reason if decision and outcome is Outcome.STOPPED else ""
        result = progress.result(outcome, self._clock.now(), view.board, why)
        self._watcher.game_over(result, view.frame, view.reading)
        if outcome is not Outcome.STOPPED:
            won = outcome is Outcome.WON
            self._eye.learn_face(view.frame, Status.WON if won else Status.LOST)
            self._with_the_mouse(lambda: self._manners.after_game(won=won))
        return result

    def _decide(self, view: View) -> tuple[Board, Decision]:
        """Ask the agent; doubt the mine total before the board.

        Raises `ImpossibleBoard` when no total makes sense of the numbers.
        """
        if self._all_open(view):
            board = view.board.with_mines(self._mines)
            return board, flag_the_mines(board)
        for total in self._totals(view):
            board = view.board.with_mines(total)
            try:
                decision = self._agent.decide(board)
            except InconsistentBoard:
                continue
            if total != self._mines:
                self._doubt_total(total)
            return board, decision
        raise ImpossibleBoard(
            "The numbers read contradict each other, whatever the number of mines: run "
            "'minebot read --overlay DIR' on a screenshot to see what was read."
        )

    def _totals(self, view: View) -> Iterator[int | None]:
        """Yield mine totals to believe in, best first: the one so far, the counter's, none."""
        yield self._mines
        left = view.reading.mines_left
        counted = (
            self._eye.count_mines(view.frame, view.board)
            if left is None
            else left + view.board.flags
        )
        if counted not in (None, self._mines) and 0 <= counted <= view.board.tiles.size:
            yield counted
        if self._mines is not None:
            yield None

    def _doubt_total(self, total: int | None) -> None:
        instead = "going on without a total" if total is None else f"the counter says {total}"
        self._watcher.noticed(f"{self._mines} mines do not fit the numbers; {instead}.")
        self._mines = total

    def _take(self, turn: Turn, progress: Progress) -> View:
        """Click what was decided and wait for the answer."""
        board, guess = turn.reading.board, not turn.decision.certain
        mines = self._certain_mines(board)
        strokes = progress.missed_first(
            plan(turn.decision, board, mines=mines, flags=self._flags, chords=self._chords)
        )
        dialog = self._dialog_keys(turn.decision, board)
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

    def _dialog_keys(self, decision: Decision, board: Board) -> tuple[str, ...]:
        """Return the keys for the dialogs that these clicks can bring up, none for a popup."""
        return self._manners.dialog_keys(
            may_win=may_win(board, decision), may_lose=not decision.certain
        )

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
