"""Draw the live view of play: what fits into the terminal, and a word on what does not."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from rich.align import Align
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from bot.events import GameResult, Outcome, Turn
from bot.terminal.board_text import (
    LAST_STYLE,
    TARGET_STYLE,
    Window,
    around,
    board_text,
    frontier,
    label_width,
    risk_style,
)
from bot.terminal.play_keys import KEYS, KeyControl
from bot.terminal.risks import percent
from bot.terminal.sentences import result_line
from solver.analysis import Analysis
from solver.arena.statistics import wilson
from solver.board import Board, Cell

MIN_WIDTH = 92
"""Least width of the panel where the terminal has it, so that small boards have room for words."""

FRAME_COLS, FRAME_ROWS = 4, 2
"""What the border of the panel takes, its padding included."""

LOW_HEIGHT = 20
"""Height of a terminal below which the score gives way to the board."""

NUMBER_COLS = 25
"""Width of one number of the score, with its name."""


@dataclass
class LiveState:
    """What the live view shows.

    ``win`` is the agent's latest estimate of the chance to win this game; ``guesses`` are the
    cells guessed in this game, each with its risk. ``thought`` is how many worlds the agent has
    tried for the guess it thinks about, and the most it will; None while it does not think.
    """

    games: int
    agent: str
    game: int = 0
    board: Board | None = None
    analysis: Analysis | None = None
    turn: Turn | None = None
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

    def begin_game(self, game: int) -> None:
        """Forget what belongs to the game before."""
        self.game, self.clicks, self.win, self.last = game, 0, None, None
        self.guesses = []


def draw_panel(
    state: LiveState, width: int, height: int, *, letters: bool, control: KeyControl | None
) -> Panel:
    """Draw the panel for a terminal of this size. ``state.board`` must be there.

    The board comes first, then the decision and the score; what finds no room is named in the
    last line.
    """
    board = state.board
    assert board is not None
    inner = width - FRAME_COLS
    cell_width = 3 if inner >= label_width(board) + 3 * board.cols else 2
    panel_width = min(width, max(MIN_WIDTH, label_width(board) + cell_width * board.cols + 4))
    text_width = panel_width - FRAME_COLS
    required = [_decision(state, text_width, most=2 if height < LOW_HEIGHT else 5)]
    score = _score(state, text_width)
    if height >= LOW_HEIGHT:
        required.append(score)
    rows_left = height - FRAME_ROWS - 1 - sum(part.plain.count("\n") + 1 for part in required)
    window, hidden = _window(state, board, inner, rows_left, cell_width)
    rows_left -= len(window.rows) + 1
    optional = _optional_parts(state, text_width, control, letters=letters)
    if height < LOW_HEIGHT:
        optional.insert(0, ("the score", score))
    shown, left_out = _choose(optional, rows_left - (1 if hidden else 0))
    if control is not None and control.help and "the keys" in left_out:
        hidden.append("the list of keys")
        short = ("the keys", _keys(control, as_list=False))
        optional = [short if name == "the keys" else (name, part) for name, part in optional]
        shown, left_out = _choose(optional, rows_left - 1)
    hidden += left_out
    if hidden and not left_out:
        rows_left -= 1
    text = board_text(
        board,
        state.analysis,
        targets=_targets(state),
        last=() if state.last is None else (state.last,),
        cell_width=cell_width,
        letters=letters,
        labels=True,
        window=window,
    )
    parts: list[RenderableType] = [Align.center(text)]
    if rows_left > sum(part.plain.count("\n") + 1 for part in shown):
        parts.append(Text())
    parts += [*required, *shown]
    if hidden:
        parts.append(
            Text(
                f"No room for {', '.join(hidden)}.",
                style="grey62",
                no_wrap=True,
                overflow="ellipsis",
            )
        )
    return Panel(
        Group(*parts),
        title=_title(state, board, control),
        border_style=_colour(state),
        width=panel_width,
    )


def _targets(state: LiveState) -> set[Cell]:
    if state.turn is None or state.result is not None:
        return set()
    return {move.cell for move in state.turn.decision.moves}


def _window(
    state: LiveState, board: Board, cols_room: int, rows_room: int, cell_width: int
) -> tuple[Window, list[str]]:
    """Return the part of the board that fits, around the next move, and the names of the rest."""
    focus = state.turn.decision.moves[0].cell if state.turn and state.turn.decision.moves else None
    focus = focus or Cell(0, 0)
    cols_shown = min(board.cols, max(1, (cols_room - label_width(board)) // cell_width))
    rows_shown = min(board.rows, max(1, rows_room - 1))
    window = Window(
        around(focus.row, rows_shown, board.rows), around(focus.col, cols_shown, board.cols)
    )
    hidden = []
    for name, shown, total in (
        ("row", len(window.rows), board.rows),
        ("column", len(window.cols), board.cols),
    ):
        if shown < total:
            hidden.append(f"{total - shown} {name}{'s' if total - shown > 1 else ''}")
    return window, hidden


def _choose(parts: list[tuple[str, Text]], rows: int) -> tuple[list[Text], list[str]]:
    """Choose the parts that fit into ``rows``, in their order; return the others' names too.

    If a part is left out, one row is needed to say so.
    """
    needed = [part.plain.count("\n") + 1 for _, part in parts]
    if sum(needed) <= rows:
        return [part for _, part in parts], []
    shown, left_out, room = [], [], rows - 1
    for (name, part), lines in zip(parts, needed, strict=True):
        if lines <= room:
            shown.append(part)
            room -= lines
        else:
            left_out.append(name)
    return shown, left_out


def _optional_parts(
    state: LiveState, width: int, control: KeyControl | None, *, letters: bool
) -> list[tuple[str, Text]]:
    """Return the parts that may be left out, with their names, the most useful first."""
    parts = []
    if control is not None:
        parts.append(("the keys", _keys(control, as_list=control.help)))
    parts += [("a note", _line(note, "yellow")) for note in state.notes]
    parts.append(("the guesses", _guesses(state, width)))
    parts.append(("the legend", _legend(letters=letters)))
    return parts


def _title(state: LiveState, board: Board, control: KeyControl | None) -> str:
    mines = "mines unknown" if board.mines is None else f"{board.mines} mines"
    agent = f" · {state.agent}" if state.agent else ""
    # First, because a narrow terminal cuts the end off, and may have no room for the keys.
    steered = control.state if control else ""
    return (
        f"{steered}minebot · game {max(1, state.game)} of {state.games} · "
        f"{board.rows}×{board.cols}, {mines}{agent}"
    )


def _colour(state: LiveState) -> str:
    if state.result is None:
        return "cyan"
    return {Outcome.WON: "green", Outcome.LOST: "red"}.get(state.result.outcome, "yellow")


def _decision(state: LiveState, width: int, *, most: int) -> Text:
    """Return the decision or the result, always as many lines, so that nothing below moves.

    A sentence has up to about 150 letters; it gets ``most`` lines at the most.
    """
    lines = min(most, max(2, -(-150 // width)))
    if state.result is not None:
        return _wrapped(result_line(state.result), f"bold {_colour(state)}", width, lines)
    if state.thought is not None:
        done, most = state.thought
        return _wrapped(f"Thinking: {done} of at most {most} worlds", "bold cyan", width, lines)
    if state.turn is None:
        return Text("\n" * (lines - 1))
    decision = state.turn.decision
    style = "green" if decision.certain else "bold yellow"
    if not decision.moves:
        return _wrapped(f"No move: {decision.reason}", style, width, lines)
    first, *others = decision.moves
    more = f" and {len(others)} more" if others else ""
    if decision.certain:
        action = f"{first.words(state.turn.reading.board)}{more}"
    else:
        action = f"Guess {first.cell.place}{more}, risk {percent(1 - decision.survival)}"
    return _wrapped(f"{action}: {decision.reason}", style, width, lines)


def _wrapped(sentence: str, style: str, width: int, lines: int) -> Text:
    """Wrap a sentence into exactly this many lines; only a longer one is cut, with an ellipsis."""
    rows, row = list[str](), ""
    for word in sentence.split():
        if row and len(row) + 1 + len(word) > width:
            rows.append(row)
            row = word
        else:
            row = f"{row} {word}" if row else word
    rows.append(row)
    if len(rows) > lines:
        rows = [*rows[: lines - 1], f"{rows[lines - 1][: width - 2]} …"]
    return Text("\n".join(rows + [""] * (lines - len(rows))), style=style, no_wrap=True)


def _line(sentence: str, style: str = "") -> Text:
    return Text(sentence, style=style, no_wrap=True, overflow="ellipsis")


def _score(state: LiveState, width: int) -> Text:
    """Return the numbers of the game and the session, in as many columns as fit."""
    won = sum(result.outcome is Outcome.WON for result in state.results)
    bot_time = f"{np.median(state.bot_ms):.0f} ms" if state.bot_ms else "–"
    numbers = [
        ("chance to win", _win_chance(state)),
        ("other cells' risk", _unconstrained_risk(state)),
        ("won", _win_rate(won, len(state.results))),
        ("time", f"{state.seconds:.1f} s"),
        ("clicks", str(state.clicks)),
        ("bot's time a turn", bot_time),
    ]
    columns = 3 if width >= 3 * NUMBER_COLS else 2
    column_width = width // columns
    text = Text(no_wrap=True, overflow="ellipsis")
    for index, (name, value) in enumerate(numbers):
        if index and index % columns == 0:
            text.append("\n")
        text.append(f"{name} ", "grey62")
        text.append(value.ljust(max(0, column_width - len(name) - 1)), "bold")
    return text


def _win_chance(state: LiveState) -> str:
    """Write the chance to win: the result, else the agent's latest estimate."""
    if state.result is not None and state.result.outcome is not Outcome.STOPPED:
        return percent(1.0 if state.result.outcome is Outcome.WON else 0.0)
    return "unknown" if state.win is None else percent(state.win)


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


def _guesses(state: LiveState, width: int) -> Text:
    """Return one line with the latest guesses of this game and their risks."""
    if not state.guesses:
        return _line("No guess so far.", "grey62")
    named = [f"r{cell.row + 1} c{cell.col + 1} ({percent(risk)})" for cell, risk in state.guesses]
    head = f"{len(named)} guess{'es' if len(named) > 1 else ''}, row and column (risk): "
    shown: list[str] = []
    for name in reversed(named):
        if len(head) + len(", ".join([name, *shown])) + 2 > width:
            break
        shown.insert(0, name)
    dots = "… " if len(shown) < len(named) else ""
    return _line(head + dots + ", ".join(shown))


def _legend(*, letters: bool) -> Text:
    """Return one line that explains the colours and signs of the board."""
    text = Text(no_wrap=True, overflow="ellipsis")
    for sample, style, meaning in (
        (" 0 ", risk_style(0.0), ""),
        ("33 ", risk_style(1 / 3), ""),
        ("99 ", risk_style(0.99), " risk in %"),
        (" F " if letters else " ⚑ ", "red1 on grey19", " mine"),
        (" o " if letters else " ✓ ", TARGET_STYLE, " opens next"),
        (" ? ", TARGET_STYLE, " guess"),
        (" 2 ", f"bold green3 {LAST_STYLE}", " last click"),
    ):
        text.append(sample, style)
        text.append(f"{meaning}  " if meaning else "", "grey62")
    return text


def _keys(control: KeyControl, *, as_list: bool) -> Text:
    """Return the state of play and its keys: in one line, or as a list with one line a key."""
    head = control.state
    if not as_list:
        keys = "p pause  s step  +/- speed  q stop after this game  ? help"
        return Text.assemble((head, "bold yellow"), (keys, "grey62"), no_wrap=True, end="\n")
    lines = [f"{keys:>4}  {meaning}" for keys, meaning in KEYS]
    lines.append("The pointer in a corner of the screen, or Ctrl-C, stops at once.")
    return Text.assemble((head + "\n" if head else "", "bold yellow"), "\n".join(lines))
