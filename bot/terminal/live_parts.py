"""The texts beside the board of the live view: decision, score, guesses, legend, keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from rich.text import Text

from bot.events import GameResult, Outcome
from bot.terminal.board_text import LAST, SURE, TARGET, frontier, risk_style
from bot.terminal.play_keys import PLAY_KEYS, SHORT_KEYS, STOP_LINE, KeyControl
from bot.terminal.sentences import result_line
from solver.agents.base import Decision
from solver.analysis import Analysis
from solver.arena.statistics import wilson
from solver.board import Board, Cell
from solver.counting import counted, percent
from solver.notation import GUESS_SIGN, MINE_SIGNS, SAFE_SIGNS

NUMBER_COLS = 25
"""Width of one number of the score, with its name."""


@dataclass
class LiveState:
    """What the live view shows.

    ``win`` is the agent's latest estimate of the chance to win this game; ``guesses`` are the
    cells guessed in this game, each with its risk. ``thought`` is how many worlds the agent has
    tried for the guess it thinks about, and the most it will; None while it does not think.
    Where a person plays, nobody knows the number of ``games`` and it is None, ``decision`` is what
    the agent would do, ``mistakes`` counts the person's, and ``warning`` tells of the last one.
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
    head = f"{counted(len(named), 'guess', 'guesses')}, row and column (risk): "
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
