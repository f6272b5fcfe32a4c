"""Show play live: the board with its risks, and next to it the decision, the score, the guesses.

Parts for which the terminal has no room are left out.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from textwrap import wrap

import numpy as np
from rich.align import Align
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from bot import events
from bot.options import Pace
from bot.terminal.board_text import (
    LAST,
    SURE,
    TARGET,
    VisiblePart,
    around,
    board_text,
    cell_width_for,
    frontier,
    label_width,
    risk_style,
)
from bot.terminal.console import PipeConsole, shows_symbols
from bot.terminal.keys import PLAY_KEYS, SHORT_KEYS, STOP_LINE, KeyControl
from bot.terminal.printers import PlainLog
from bot.terminal.words import result_line
from calibration.reading import Reading
from solver import Board, Cell, Decision, SolverError
from solver.analysis import Analysis, analyse_likely
from solver.arena.statistics import wilson
from solver.counting import counted, percent
from solver.guesses import win_chance
from solver.notation import GUESS_SIGN, MINE_SIGNS, SAFE_SIGNS

DEMO_GAME_S = 12.0
"""Seconds that a demonstration would take if every safe cell needed a click; openings halve
that."""

REFRESH_S = 0.05
"""Shortest time between two pictures: faster ones cannot be followed, and each costs 5 ms."""

ESTIMATE_S = 1.0
"""Shortest time between two estimates of the chance to win, each of which takes 10 to 35 ms."""

CLOCK_HZ = 4
"""Pictures per second while nothing happens: only the clock changes."""

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

    ``linger_s`` is how long the live view keeps a finished board before the next game; ``control``
    is steered by the keys, None if no keys are read.
    """
    console = console or PipeConsole(colours=colours)
    if shown_live(console):
        return LiveView(console, games=games, agent=agent, linger_s=linger_s, control=control)
    return PlainLog(console)


def shown_live(console: Console | None = None) -> bool:
    """Whether play is shown live: only on a terminal that can move its cursor."""
    console = console or Console(highlight=False)
    return console.is_terminal and not console.is_dumb_terminal


class LiveView:
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

    def __exit__(self, *_: object) -> None:
        if self._control is not None:
            self._control.on_change = lambda: None
            self._control = None
        self._draw(now=True)
        self._live.stop()

    # ---- events ------------------------------------------------------------------------------

    def __call__(self, event: events.Event) -> None:
        """Show what happens."""
        match event:
            case events.Thinking(done, most):
                self._state.thought = (done, most)
                self._draw(now=False)
            case events.Decided(turn):
                self._decided(turn)
            case events.Played(turn):
                self._played(turn)
            case events.Noticed(note):
                self._state.notes = [*self._state.notes, note][-_MAX_NOTES:]
                self._draw(now=True)
            case events.GameOver(result, _, reading):
                self._game_over(result, reading)

    def _decided(self, turn: events.Turn) -> None:
        """Show the board and the moves that come next."""
        state = self._state
        state.thought = None
        self._begin_game(turn.game)
        state.decision, state.board, state.result = turn.decision, turn.reading.board, None
        self._estimate_win(turn)
        if not turn.decision.certain and not turn.retry:
            state.guesses.append((turn.decision.moves[0].cell, 1.0 - turn.decision.survival))
        self._draw(now=not turn.decision.certain)

    def _played(self, turn: events.Turn) -> None:
        """Count the clicks and the bot's time."""
        state, timings = self._state, turn.timings
        state.clicks += len(turn.clicks)
        if turn.clicks:
            state.last = turn.clicks[-1].cell
        # Without the time to send clicks, which includes the pauses of the pace.
        state.bot_ms.append(timings.grab_ms + timings.read_ms + timings.decide_ms)

    def _game_over(self, result: events.GameResult, reading: Reading | None) -> None:
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

    def _estimate_win(self, turn: events.Turn) -> None:
        """Use the agent's chance to win; estimate it now and then while all moves are certain."""
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


MIN_WIDTH = 92
"""Least width of the panel if the terminal is wide enough, so that words fit next to small
boards."""

FRAME_COLS, FRAME_ROWS = 4, 2
"""Width of the panel's border, including its padding."""

LOW_HEIGHT = 20
"""On a lower terminal the score is left out to make room for the board."""


def draw_panel(
    state: LiveState, width: int, height: int, *, letters: bool, control: KeyControl | None
) -> Panel:
    """Draw the panel for a terminal of this size. ``state.board`` must be there.

    Decision, score and guesses are below the board. If there is no room for the whole board, only
    the part around the next move is drawn. Notes and keys follow if there are rows left. The list
    of keys, on request, replaces the board and whatever else would leave it no room.
    """
    board = state.board
    assert board is not None
    cell_width = cell_width_for(board, width - FRAME_COLS)
    panel_width = min(width, max(MIN_WIDTH, label_width(board) + cell_width * board.cols + 4))
    text_width, low = panel_width - FRAME_COLS, height < LOW_HEIGHT
    below = [decision_text(state, text_width, most=2 if low else 5)]
    if not low and text_width >= 2 * NUMBER_COLS:
        below.append(score_text(state, text_width))
    rows = height - FRAME_ROWS - sum(map(_height, below)) - 1
    if control is not None and control.help:
        top = keys_list(control, text_width)
    else:
        top = board_text(
            board,
            state.analysis,
            targets=_targets(state),
            last=() if state.last is None else (state.last,),
            cell_width=cell_width,
            letters=letters,
            labels=True,
            window=_visible_part(state, board, text_width, rows, cell_width),
        )
    rows -= _height(top)
    while rows < 0 and below:
        rows += _height(below.pop())
    extra = [line_text(note, "warn") for note in state.notes[-rows:]] if rows > 0 else []
    keys = keys_line(control) if control is not None else None
    if keys is not None and len(extra) < rows and len(keys) <= text_width:
        extra.append(keys)
    last = last_line(state, text_width, keys=keys not in (None, *extra), note=not extra)
    parts: list[RenderableType] = [Align.center(top)]
    if len(extra) < rows:
        parts.append(Text())
    return Panel(
        Group(*parts, *below, last, *extra),
        title=_title(state, board, control),
        subtitle=legend_text(panel_width - FRAME_COLS - 4, letters=letters),
        border_style=colour_of(state),
        width=panel_width,
    )


def _height(part: Text) -> int:
    return part.plain.count("\n") + 1


def _targets(state: LiveState) -> set[Cell]:
    if state.decision is None or state.result is not None:
        return set()
    return {move.cell for move in state.decision.moves}


def _visible_part(
    state: LiveState, board: Board, columns: int, rows: int, cell_width: int
) -> VisiblePart:
    """Return the part of the board around the next move that fits next to its labels."""
    moves = state.decision.moves if state.decision else ()
    focus = moves[0].cell if moves else state.last or Cell(0, 0)
    cols_shown = min(board.cols, max(1, (columns - label_width(board)) // cell_width))
    rows_shown = min(board.rows, max(1, rows - 1))
    return VisiblePart(
        around(focus.row, rows_shown, board.rows), around(focus.col, cols_shown, board.cols)
    )


def _title(state: LiveState, board: Board, control: KeyControl | None) -> str:
    mines = "mines unknown" if board.mines is None else counted(board.mines, "mine")
    agent = f" · {state.agent}" if state.agent else ""
    # First, because a narrow terminal cuts off the end, and may have no room for the keys.
    steered = f"{control.state} · " if control and control.state else ""
    games = "" if state.games is None else f" of {state.games}"
    return (
        f"{steered}minebot · game {max(1, state.game)}{games} · "
        f"{board.rows}×{board.cols}, {mines}{agent}"
    )


NUMBER_COLS = 25
"""Width of one number of the score, with its name."""


@dataclass
class LiveState:
    """The contents of the live view.

    ``win`` is the agent's latest estimate of the chance to win this game; ``guesses`` are the cells
    guessed in this game, each with its risk. ``thought`` is the number of layouts that the agent
    has tried for its next guess, and the largest possible number; None while it does not think. If
    a person plays, the number of ``games`` is None, ``decision`` is what the agent would do,
    ``mistakes`` counts the person's mistakes, and ``warning`` describes the last one.
    """

    games: int | None
    agent: str
    game: int = 0
    board: Board | None = None
    analysis: Analysis | None = None
    decision: Decision | None = None
    result: events.GameResult | None = None
    results: list[events.GameResult] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    guesses: list[tuple[Cell, float]] = field(default_factory=list)
    bot_ms: list[float] = field(default_factory=list)
    win: float | None = None
    last: Cell | None = None
    thought: tuple[int, int] | None = None
    clicks: int = 0
    seconds: float = 0.0
    mistakes: int | None = None
    warning: str = ""

    def begin_game(self, game: int) -> None:
        """Forget the last game."""
        self.game, self.clicks, self.win, self.last = game, 0, None, None
        self.guesses, self.warning = [], ""


def colour_of(state: LiveState) -> str:
    """Return the colour of the result, or of a game in play."""
    if state.result is None:
        return "info"
    return {events.Outcome.WON: "good", events.Outcome.LOST: "bad"}.get(
        state.result.outcome, "warn"
    )


def decision_text(state: LiveState, width: int, *, most: int) -> Text:
    """Return the warning and the decision or the result, always on the same number of lines.

    A sentence has up to about 150 letters; it gets at most ``most`` lines, which a warning shares
    with the decision.
    """
    lines = min(most, max(2, -(-150 // width)))
    warning = _rows(state.warning, width, lines - 1) if state.warning else []
    sentence, style = _decision(state)
    rows = _rows(sentence, width, lines - len(warning))
    rows += [""] * (lines - len(warning) - len(rows))
    text = Text(no_wrap=True)
    text.append("".join(f"{row}\n" for row in warning), "bad")
    return text.append("\n".join(rows), style)


def _decision(state: LiveState) -> tuple[str, str]:
    """Return the result, the thought or the decision as a sentence, and its style."""
    decision, board = state.decision, state.board
    if state.result is not None:
        return result_line(state.result), colour_of(state)
    if state.thought is not None:
        done, most = state.thought
        return f"Thinking: {done} of at most {counted(most, 'layout')}", "info"
    if decision is None or board is None:
        return "", ""
    style = "good" if decision.certain else "warn"
    if not decision.moves:
        return f"No move: {decision.reason}", style
    first, *others = decision.moves
    more = f" and {len(others)} more" if others else ""
    if decision.certain:
        action = f"{first.words(board)}{more}"
    else:
        action = f"Guess {first.cell.place}{more}, risk {percent(1 - decision.survival)}"
    return f"{action}: {decision.reason}", style


def _rows(sentence: str, width: int, most: int) -> list[str]:
    """Wrap a sentence into at most so many rows; a longer one is cut, with an ellipsis."""
    return wrap(sentence, width, max_lines=most, placeholder=" …")


def line_text(sentence: str, style: str = "") -> Text:
    """Write a sentence on one line; if there is no room, it is cut with an ellipsis."""
    return Text(sentence, style=style, no_wrap=True, overflow="ellipsis")


def score_text(state: LiveState, width: int) -> Text:
    """Return the numbers of the game and the session, in as many columns as fit."""
    won = sum(result.outcome is events.Outcome.WON for result in state.results)
    if state.mistakes is None:
        bot_time = f"{np.median(state.bot_ms):.0f} ms" if state.bot_ms else "–"
        last = ("bot's time a turn", bot_time)
    else:
        last = ("mistakes", str(state.mistakes))
    numbers = [
        ("chance to win", _win_chance(state)),
        ("other cells' risk", _unconstrained_risk(state)),
        ("won", _win_rate(won, len(state.results))),
        ("time", f"{state.seconds:.1f} s"),
        ("clicks", str(state.clicks)),
        last,
    ]
    columns = min(3, max(1, width // NUMBER_COLS))
    column_width = width // columns
    text = Text(no_wrap=True, overflow="ellipsis")
    for index, (name, value) in enumerate(numbers):
        if index and index % columns == 0:
            text.append("\n")
        text.append(f"{name} ", "muted")
        text.append(value.ljust(max(0, column_width - len(name) - 1)), "bold")
    return text


def _win_chance(state: LiveState) -> str:
    """Write the chance to win: the result, else the agent's latest estimate."""
    if state.result is not None and state.result.outcome is not events.Outcome.STOPPED:
        return percent(1.0 if state.result.outcome is events.Outcome.WON else 0.0)
    if state.win is not None:
        return percent(state.win)
    return "unknown" if state.board is not None and state.board.mines is None else "–"


def _unconstrained_risk(state: LiveState) -> str:
    """Write the risk of a covered cell that touches no number."""
    if state.analysis is None or state.board is None:
        return "–"
    unconstrained = state.board.covered & ~frontier(state.board)
    if not unconstrained.any():
        return "–"
    return percent(float(state.analysis.probabilities[unconstrained].mean()))


def _win_rate(won: int, games: int) -> str:
    """Write how many games are won, with the 95 % interval of the win rate."""
    if not games:
        return "–"
    low, high = wilson(won, games).ci95
    return f"{won} of {games} ({100 * low:.0f}–{100 * high:.0f} %)"


def last_line(state: LiveState, width: int, *, keys: bool, note: bool) -> Text:
    """Return one line with the latest guesses of this game and their risks.

    On request the key that lists the ``keys`` comes before it, and the latest ``note`` after it.
    """
    head = "? keys · " if keys else ""
    tail = f" · {state.notes[-1]}" if note and state.notes else ""
    if not state.guesses:
        return line_text(f"{head}No guess so far.{tail}", "muted")
    named = [f"r{cell.row + 1} c{cell.col + 1} ({percent(risk)})" for cell, risk in state.guesses]
    head += f"{counted(len(named), 'guess', 'guesses')} (risk): "
    room = (width // 2 if tail else width) - len(head)
    shown = named[-1:]
    while len(shown) < len(named) and len(", ".join(named[-len(shown) - 1 :])) + 2 <= room:
        shown = named[-len(shown) - 1 :]
    dots = "… " if len(shown) < len(named) else ""
    return line_text(head + dots + ", ".join(shown) + tail)


def legend_text(width: int, *, letters: bool) -> Text:
    """Return one line of at most ``width`` columns that explains the signs of the board."""
    text, at = Text(no_wrap=True, overflow="ellipsis"), int(letters)
    for sample, styles, meaning in (
        ("05", (risk_style(0.05),), ""),
        ("99", (risk_style(0.99),), " risk in %"),
        (MINE_SIGNS[at], (SURE,), " mine"),
        (SAFE_SIGNS[at], (TARGET,), " opens next"),
        (GUESS_SIGN, (TARGET,), " guess"),
        ("2", ("tile.2", LAST), " last click"),
    ):
        words = f"{meaning}  " if meaning else ""
        if len(text) + len(sample) + 2 + len(words.rstrip()) > width:
            break
        start = len(text)
        text.append(f" {sample} ")
        for style in styles:
            text.stylize(style, start)
        text.append(words, "muted")
    text.rstrip()
    return text


def keys_line(control: KeyControl) -> Text:
    """Return the state of play and its keys in one line."""
    head = f"{control.state} · " if control.state else ""
    return Text.assemble((head, "warn"), ("  ".join(SHORT_KEYS), "muted"), no_wrap=True)


def keys_list(control: KeyControl, width: int) -> Text:
    """Return the state of play and its keys, one a line."""
    lines = [f"{keys:>4}  {meaning}" for keys, meaning in PLAY_KEYS]
    head = f"{control.state}\n" if control.state else ""
    return Text.assemble((head, "warn"), "\n".join(lines + wrap(STOP_LINE, width)), no_wrap=True)
