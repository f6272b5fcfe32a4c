"""Show play live: the board with its risks, and beside it the decision, the score and the guesses.

What finds no room on the terminal is left out and named.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import TracebackType

import numpy as np
from rich.align import Align
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from bot.events import (
    Decided,
    Event,
    GameOver,
    GameResult,
    Noticed,
    Outcome,
    Played,
    Thinking,
    Turn,
)
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
from solver.agents.base import Decision
from solver.analysis import Analysis
from solver.arena.statistics import wilson
from solver.board import Board, Cell
from solver.counting import counted, percent
from solver.errors import SolverError
from solver.guesses import win_chance
from solver.mine_total import analyse_likely
from solver.notation import GUESS_SIGN, MINE_SIGNS, SAFE_SIGNS

DEMO_GAME_S = 12.0
"""Seconds a demonstration would take if every safe cell needed a click of its own. Openings make
it about half of that."""

REFRESH_S = 0.05
"""Shortest time between two pictures. Faster ones cannot be followed, and each costs 5 ms."""

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

    def __call__(self, event: Event) -> None:
        """Show what happens."""
        match event:
            case Thinking(done, most):
                self._state.thought = (done, most)
                self._draw(now=False)
            case Decided(turn):
                self._decided(turn)
            case Played(turn):
                self._played(turn)
            case Noticed(note):
                self._state.notes = [*self._state.notes, note][-_MAX_NOTES:]
                self._draw(now=True)
            case GameOver(result, _, reading):
                self._game_over(result, reading)

    def _decided(self, turn: Turn) -> None:
        """Show the board and the moves that come next."""
        state = self._state
        state.thought = None
        self._begin_game(turn.game)
        state.decision, state.board, state.result = turn.decision, turn.reading.board, None
        self._estimate_win(turn)
        if not turn.decision.certain and not turn.retry:
            state.guesses.append((turn.decision.moves[0].cell, 1.0 - turn.decision.survival))
        self._draw(now=not turn.decision.certain)

    def _played(self, turn: Turn) -> None:
        """Count the clicks and the bot's time."""
        state, timings = self._state, turn.timings
        state.clicks += len(turn.clicks)
        if turn.clicks:
            state.last = turn.clicks[-1].cell
        # The time to send clicks is left out: it holds the pauses of the pace.
        state.bot_ms.append(timings.grab_ms + timings.read_ms + timings.decide_ms)

    def _game_over(self, result: GameResult, reading: Reading | None) -> None:
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


MIN_WIDTH = 92
"""Least width of the panel where the terminal has it, so that small boards have room for words."""

FRAME_COLS, FRAME_ROWS = 4, 2
"""What the border of the panel takes, its padding included."""

LOW_HEIGHT = 20
"""Height of a terminal below which the score gives way to the board."""

KEYS_PART = "keys"
"""Name of the list of keys among the parts; the key that shows it is named where it is left out."""

GUESSES_PART = "the guesses"
"""Name of the line of guesses, which stands beside what has no room where that is short."""

LEAST_GUESSES_COLS = 38
"""Columns in which the last guess is named, wherever it was."""

MOST_NOTE_ROWS = 4
"""Rows at the most that say what finds no room."""


@dataclass(frozen=True)
class Layout:
    """What is drawn: the part of the board, the texts below it, and what finds no room.

    ``rows_left`` are those that nothing takes, below 0 where the terminal is too low.
    """

    window: VisiblePart
    texts: list[Text]
    hidden: list[str]
    rows_left: int


def draw_panel(
    state: LiveState, width: int, height: int, *, letters: bool, control: KeyControl | None
) -> Panel:
    """Draw the panel for a terminal of this size. ``state.board`` must be there.

    The board comes first, then the decision and the score; what finds no room is named in the
    last lines. Where the list of keys, once asked for, finds none, it stands in place of the board.
    """
    board = state.board
    assert board is not None
    inner = width - FRAME_COLS
    cell_width = cell_width_for(board, inner)
    panel_width = min(width, max(MIN_WIDTH, label_width(board) + cell_width * board.cols + 4))
    text_width = panel_width - FRAME_COLS
    parts: list[RenderableType]
    for note_rows in range(1, MOST_NOTE_ROWS + 1):
        layout = _lay_out(
            state, board, (text_width, height - FRAME_ROWS), cell_width, control, note_rows
        )
        note = _notes(state, layout.hidden, text_width)
        if len(note) <= note_rows:
            break
    if control is not None and control.help and KEYS_PART in layout.hidden:
        parts = _key_page(state, text_width, height - FRAME_ROWS, control)
    else:
        text = board_text(
            board,
            state.analysis,
            targets=_targets(state),
            last=() if state.last is None else (state.last,),
            cell_width=cell_width,
            letters=letters,
            labels=True,
            window=layout.window,
        )
        parts = [Align.center(text)]
        if layout.rows_left > 0:
            parts.append(Text())
        parts += [*layout.texts, *(line_text(row, "muted") for row in note if row)]
    return Panel(
        Group(*parts),
        title=_title(state, board, control),
        subtitle=legend_text(panel_width - FRAME_COLS - 4, letters=letters),
        border_style=colour_of(state),
        width=panel_width,
    )


def _lay_out(
    state: LiveState,
    board: Board,
    room: tuple[int, int],
    cell_width: int,
    control: KeyControl | None,
    note_rows: int,
) -> Layout:
    """Choose what fits into ``room``, columns and rows, beside ``note_rows`` for the rest."""
    text_width, rows = room
    low = rows + FRAME_ROWS < LOW_HEIGHT
    required = [decision_text(state, text_width, most=2 if low else 5)]
    score = score_text(state, text_width)
    spare_score = low or text_width < 2 * NUMBER_COLS
    if not spare_score:
        required.append(score)
    rows_left = rows - note_rows - sum(map(_height, required))
    window, hidden = _window(state, board, text_width, rows_left, cell_width)
    rows_left += note_rows - len(window.rows) - 1
    optional = _optional_parts(state, text_width, control)
    if spare_score:
        optional.insert(0, ("the score", score))
    shown, left_out = _choose(optional, rows_left, note_rows, noted=bool(hidden))
    if hidden or left_out:
        rows_left -= note_rows
    rows_left -= sum(map(_height, shown))
    return Layout(window, [*required, *shown], [*hidden, *left_out], rows_left)


def _key_page(state: LiveState, width: int, rows: int, control: KeyControl) -> list[RenderableType]:
    """Return what stands in place of the board: the keys, and of the other parts what fits."""
    back = line_text("? shows the board again.", "muted")
    parts = _optional_parts(state, width, control)
    return [*_choose(parts, rows - 1, 0, noted=False)[0], back]


def _notes(state: LiveState, hidden: list[str], width: int) -> list[str]:
    """Return the last rows: what finds no room, and the guesses beside it if they fit there."""
    note = _note([name for name in hidden if name != GUESSES_PART])
    if GUESSES_PART in hidden and width - len(note) >= LEAST_GUESSES_COLS:
        link = " · " if note else ""
        return [f"{note}{link}{guesses_text(state, width - len(note) - len(link)).plain}"]
    return fold(_note(hidden).split(), width)[:MOST_NOTE_ROWS]


def _note(hidden: list[str]) -> str:
    """Name what finds no room, and the key that lists the keys; empty if all finds room."""
    others = [name for name in hidden if name != KEYS_PART]
    missing = [f"No room for {', '.join(others)}."] if others else []
    return " · ".join(([f"? {KEYS_PART}"] if KEYS_PART in hidden else []) + missing)


def _height(part: Text) -> int:
    return part.plain.count("\n") + 1


def _targets(state: LiveState) -> set[Cell]:
    if state.decision is None or state.result is not None:
        return set()
    return {move.cell for move in state.decision.moves}


def _window(
    state: LiveState, board: Board, cols_room: int, rows_room: int, cell_width: int
) -> tuple[VisiblePart, list[str]]:
    """Return the part of the board that fits, around the next move, and the names of the rest."""
    moves = state.decision.moves if state.decision else ()
    focus = moves[0].cell if moves else state.last or Cell(0, 0)
    cols_shown = min(board.cols, max(1, (cols_room - label_width(board)) // cell_width))
    rows_shown = min(board.rows, max(1, rows_room - 1))
    window = VisiblePart(
        around(focus.row, rows_shown, board.rows), around(focus.col, cols_shown, board.cols)
    )
    hidden = []
    for name, shown, total in (
        ("row", len(window.rows), board.rows),
        ("column", len(window.cols), board.cols),
    ):
        if shown < total:
            hidden.append(counted(total - shown, name))
    return window, hidden


def _choose(
    parts: list[tuple[str, Text]], rows: int, note_rows: int, *, noted: bool
) -> tuple[list[Text], list[str]]:
    """Choose the parts that fit into ``rows``, in their order; return the others' names too.

    If a part is left out, or something is ``noted`` already, ``note_rows`` are needed to say so.
    """
    if sum(_height(part) for _, part in parts) <= rows - (note_rows if noted else 0):
        return [part for _, part in parts], []
    shown, left_out, room = [], [], rows - note_rows
    for name, part in parts:
        if _height(part) <= room:
            shown.append(part)
            room -= _height(part)
        else:
            left_out.append(name)
    return shown, list(dict.fromkeys(left_out))


def _optional_parts(
    state: LiveState, width: int, control: KeyControl | None
) -> list[tuple[str, Text]]:
    """Return the parts that may be left out, with their names, the most useful first."""
    parts = []
    if control is not None:
        parts.append((KEYS_PART, keys_text(control, width, as_list=control.help)))
    parts += [("a note", line_text(note, "warn")) for note in state.notes]
    parts.append((GUESSES_PART, guesses_text(state, width)))
    return parts


def _title(state: LiveState, board: Board, control: KeyControl | None) -> str:
    mines = "mines unknown" if board.mines is None else counted(board.mines, "mine")
    agent = f" · {state.agent}" if state.agent else ""
    # First, because a narrow terminal cuts the end off, and may have no room for the keys.
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
    """What the live view shows.

    ``win`` is the agent's latest estimate of the chance to win this game; ``guesses`` are the
    cells guessed in this game, each with its risk. ``thought`` is how many worlds the agent has
    tried for the guess it thinks about, and the most it will; None while it does not think.
    Where a person plays, the number of ``games`` is unknown and None, ``decision`` is what
    the agent would do, ``mistakes`` counts the person's, and ``warning`` describes the last one.
    """

    games: int | None
    agent: str
    game: int = 0
    board: Board | None = None
    analysis: Analysis | None = None
    decision: Decision | None = None
    result: GameResult | None = None
    results: list[GameResult] = field(default_factory=list)
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
        """Forget what belongs to the game before."""
        self.game, self.clicks, self.win, self.last = game, 0, None, None
        self.guesses, self.warning = [], ""


def colour_of(state: LiveState) -> str:
    """Return the colour of the result, or of a game under way."""
    if state.result is None:
        return "info"
    return {Outcome.WON: "good", Outcome.LOST: "bad"}.get(state.result.outcome, "warn")


def decision_text(state: LiveState, width: int, *, most: int) -> Text:
    """Return the warning and the decision or the result, always as many lines: nothing below moves.

    A sentence has up to about 150 letters; it gets ``most`` lines at the most. A warning shares
    them with the decision.
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
        return f"Thinking: {done} of at most {counted(most, 'world')}", "info"
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
    """Fold a sentence into at most so many rows; a longer one is cut, with an ellipsis."""
    rows = fold(sentence.split(), width)
    if len(rows) > most:
        rows = [*rows[: most - 1], f"{rows[most - 1][: width - 2]} …"]
    return rows


def fold(words: Iterable[str], width: int, *, gap: str = " ", used: int = 0) -> list[str]:
    """Join words into rows of at most ``width``; ``used`` columns of the first are taken."""
    rows, row, room = list[str](), "", width - used
    for word in words:
        if row and len(row) + len(gap) + len(word) > room:
            rows.append(row)
            row, room = word, width
        else:
            row = f"{row}{gap}{word}" if row else word
    return [*rows, row]


def line_text(sentence: str, style: str = "") -> Text:
    """Write a sentence in one line, cut with an ellipsis where there is no room."""
    return Text(sentence, style=style, no_wrap=True, overflow="ellipsis")


def score_text(state: LiveState, width: int) -> Text:
    """Return the numbers of the game and the session, in as many columns as fit."""
    won = sum(result.outcome is Outcome.WON for result in state.results)
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
    if state.result is not None and state.result.outcome is not Outcome.STOPPED:
        return percent(1.0 if state.result.outcome is Outcome.WON else 0.0)
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


def guesses_text(state: LiveState, width: int) -> Text:
    """Return one line with the latest guesses of this game and their risks."""
    if not state.guesses:
        return line_text("No guess so far.", "muted")
    named = [f"r{cell.row + 1} c{cell.col + 1} ({percent(risk)})" for cell, risk in state.guesses]
    head = f"{counted(len(named), 'guess', 'guesses')} (risk): "
    shown: list[str] = []
    for name in reversed(named):
        if len(head) + len(", ".join([name, *shown])) + 2 > width:
            break
        shown.insert(0, name)
    dots = "… " if len(shown) < len(named) else ""
    return line_text(head + dots + ", ".join(shown))


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


def keys_text(control: KeyControl, width: int, *, as_list: bool) -> Text:
    """Return the state of play and its keys: side by side, or as a list with one line a key."""
    head = control.state
    if not as_list:
        head += " · " if head else ""
        keys = "\n".join(fold(SHORT_KEYS, width, gap="  ", used=len(head)))
        return Text.assemble((head, "warn"), (keys, "muted"), no_wrap=True, end="\n")
    lines = [f"{keys:>4}  {meaning}" for keys, meaning in PLAY_KEYS]
    lines += fold(STOP_LINE.split(), width)
    return Text.assemble((head + "\n" if head else "", "warn"), "\n".join(lines))
