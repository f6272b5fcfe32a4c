"""Show play on the terminal as it happens: the board, the risks, the decision, the score.

Where standard output is no terminal, `terminal_observer` returns the plain log instead. Both are
observers and context managers: ``with terminal_observer(games=3, agent="tank") as observer:``.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from bot.events import GameResult, SilentObserver, Turn
from bot.mouse.pace import Pace
from bot.terminal.console import PipeConsole, shows_symbols
from bot.terminal.live_panel import draw_panel
from bot.terminal.live_parts import LiveState
from bot.terminal.play_keys import KeyControl
from bot.terminal.printers import PlainLog
from calibration.frame import Frame
from calibration.reading import Reading
from solver.analysis import Analysis
from solver.board import Board
from solver.errors import SolverError
from solver.guesses import win_chance
from solver.mine_total import analyse_likely

DEMO_GAME_S = 12.0
"""Seconds a demonstration would take if every safe cell needed a click of its own. Openings make
it about half of that."""

REFRESH_S = 0.05
"""Shortest time between two pictures. Nobody can follow faster ones, and each costs 5 ms."""

ESTIMATE_S = 1.0
"""Shortest time between two estimates of the chance to win, each of which takes 10 to 35 ms."""

CLOCK_HZ = 4
"""Pictures a second while nothing happens: the clock runs on."""

_MAX_NOTES = 3


def demo_pace(board_cells: int, mines: int) -> Pace:
    """Return a pace at which a game takes about six seconds, so that a person can follow it."""
    return Pace(DEMO_GAME_S / max(1, board_cells - mines))


def terminal_observer(
    *,
    games: int = 1,
    agent: str = "",
    linger_s: float = 0.0,
    console: Console | None = None,
    colours: str = "auto",
    control: KeyControl | None = None,
) -> LiveView | PlainLog:
    """Return the live view on a terminal, the plain log elsewhere.

    ``linger_s`` is how long the live view keeps a finished board before the next game;
    ``control`` is what the keys steer, None where no keys are read.
    """
    console = console or PipeConsole(colours=colours)
    if shown_live(console):
        return LiveView(console, games=games, agent=agent, linger_s=linger_s, control=control)
    return PlainLog(console)


def shown_live(console: Console | None = None) -> bool:
    """Tell whether play is shown live: only on a terminal that can move its cursor."""
    console = console or Console(highlight=False)
    return console.is_terminal and not console.is_dumb_terminal


class LiveView(SilentObserver):
    """An observer that keeps one picture up to date: board, risks, decision, score, notes.

    A thread redraws what was shown last, with the time that has passed.
    """

    def __init__(
        self,
        console: Console,
        *,
        games: int | None = None,
        agent: str = "",
        linger_s: float = 0.0,
        control: KeyControl | None = None,
        clock_hz: float = CLOCK_HZ,
    ) -> None:
        self._console, self._linger_s, self._control = console, linger_s, control
        self._state = LiveState(games=games, agent=agent)
        self._shown = replace(self._state)
        self._analysed: tuple[Board, Analysis | None] | None = None
        self._drawn_at = 0.0
        self._estimated_at = -ESTIMATE_S
        self._size = console.size
        self._game_began_at = time.monotonic()
        self._live = Live(
            console=console,
            refresh_per_second=clock_hz,
            vertical_overflow="crop",
            get_renderable=self.panel,
        )
        if control is not None:
            control.on_change = lambda: self._draw(now=True)

    def __enter__(self) -> LiveView:
        self._game_began_at = time.monotonic()
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._control is not None:
            self._control.on_change = lambda: None
            self._control = None
        self._draw(now=True)
        self._live.stop()

    # ---- events ------------------------------------------------------------------------------

    def thinking(self, done: int, most: int) -> None:
        """Show how far the thought is."""
        self._state.thought = (done, most)
        self._draw(now=False)

    def decided(self, turn: Turn) -> None:
        """Show the board and the moves that come next."""
        state = self._state
        state.thought = None
        self._begin_game(turn.game)
        state.decision, state.board, state.result = turn.decision, turn.reading.board, None
        self._estimate_win(turn)
        if not turn.decision.certain and not turn.retry:
            state.guesses.append((turn.decision.moves[0].cell, 1.0 - turn.decision.survival))
        self._draw(now=not turn.decision.certain)

    def played(self, turn: Turn) -> None:
        """Count the clicks and the bot's time."""
        state, timings = self._state, turn.timings
        state.clicks += len(turn.clicks)
        if turn.clicks:
            state.last = turn.clicks[-1].cell
        # The time to send clicks is left out: it holds the pauses of the pace.
        state.bot_ms.append(timings.grab_ms + timings.read_ms + timings.decide_ms)

    def noticed(self, note: str) -> None:
        """Show the note below the board."""
        self._state.notes = [*self._state.notes, note][-_MAX_NOTES:]
        self._draw(now=True)

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Show the last board and the result, and keep them for a moment."""
        state = self._state
        state.results.append(result)
        state.result, state.notes = result, []
        if reading is not None:
            state.board = reading.board
        self._draw(now=True)
        if self._linger_s and state.games is not None and result.game < state.games:
            time.sleep(self._linger_s)

    def _begin_game(self, game: int) -> None:
        """Begin a new game if ``game`` is one."""
        if game != self._state.game:
            self._state.begin_game(game)
            self._game_began_at = time.monotonic()

    def _estimate_win(self, turn: Turn) -> None:
        """Take the agent's chance to win; estimate it now and then while all moves are certain."""
        moment = time.monotonic()
        if turn.decision.win is not None:
            self._state.win = turn.decision.win
        elif moment - self._estimated_at >= ESTIMATE_S:
            with suppress(SolverError):
                self._state.win = win_chance(turn.reading.board)
            self._estimated_at = time.monotonic()

    # ---- the picture -------------------------------------------------------------------------

    def _draw(self, *, now: bool) -> None:
        """Draw the picture; without ``now``, only if the last one is old enough."""
        self._state.analysis = self._analyse()
        self._shown = replace(self._state)
        moment = time.monotonic()
        if now or moment - self._drawn_at >= REFRESH_S:
            self._drawn_at = moment
            self._live.refresh()

    def _analyse(self) -> Analysis | None:
        """Compute the risks; None for a finished game or a board without a solution."""
        board = self._state.board
        if board is None or self._state.result is not None:
            return None
        if self._analysed is None or self._analysed[0] is not board:
            try:
                self._analysed = board, analyse_likely(board)
            except SolverError:
                self._analysed = board, None
        return self._analysed[1]

    def panel(self) -> Panel:
        """Return the picture of this moment.

        A terminal that was resized folds the lines of the last picture, so it is cleared first.
        """
        if self._console.size != self._size:
            self._size = self._console.size
            self._console.clear()
        passed = time.monotonic() - self._game_began_at
        if self._shown.board is None:
            looking = f"Looking for the board… {passed:.1f} s"
            return Panel(Text(looking), title="minebot", expand=False)
        result = self._shown.result
        state = replace(self._shown, seconds=passed if result is None else result.seconds)
        size = self._size
        letters = not shows_symbols(self._console)
        return draw_panel(state, size.width, size.height, letters=letters, control=self._control)
