"""Print what every command prints the same way: JSON lines, notes, text for people."""

from __future__ import annotations

import codecs
import json
import math
import sys
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from bot.plain_text import plain
from bot.terminal.explanations import Explanation, explanation_json
from calibration.grid import Grid
from solver.agents.base import Decision, Move
from solver.analysis import Analysis

PIPE_COLUMNS = 1000
"""Columns of what is printed into a pipe or a file: more than any table has."""


def emit(line: Mapping[str, Any]) -> None:
    """Print one JSON object on one line of standard output, at once.

    Where the output is not in UTF-8, other letters than those of ASCII are escaped, so that no name
    is changed. What UTF-8 cannot write is escaped by `bot.__main__`.
    """
    text = plain(json.dumps(line, ensure_ascii=not is_utf_8(), allow_nan=False))
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def is_utf_8() -> bool:
    """Whether standard output is in UTF-8."""
    return codecs.lookup(sys.stdout.encoding or "utf-8").name == "utf-8"


def note(sentence: str) -> None:
    """Print a sentence for people on standard error, so that it does not mix with results."""
    print(plain(sentence).replace("\n", "\\n"), file=sys.stderr, flush=True)


class PipeConsole(Console):
    """A console that prints all text as it is, but for the codes in it: no markup, no emoji names.

    It tells its caller if the reader of a pipe has closed it; Rich itself would end the program
    with the exit code of a failure.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Return the text as it will be shown, so that columns are wide enough."""
        return super().render_str(plain(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render with the codes of each text written out; those of Rich itself are no text."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(plain(text), style)

    def on_broken_pipe(self) -> NoReturn:
        """Raise `BrokenPipeError`."""
        raise BrokenPipeError


def console() -> Console:
    """Return a console that prints text for people on standard output.

    A pipe or a file has no width: there, no column of a table is cut.
    """
    width = None if sys.stdout.isatty() else PIPE_COLUMNS
    return PipeConsole(soft_wrap=True, width=width)


def error_json(error: Exception) -> dict[str, str]:
    """Describe an error: its class and its message."""
    return {"error": type(error).__name__, "message": " ".join(str(error).split())}


def analysis_json(
    analysis: Analysis,
    decision: Decision,
    ms: float,
    explanation: Explanation | None = None,
    over: str = "",
) -> dict[str, Any]:
    """Describe an analysis and the first move of a decision, as `solve` and `advise` print them.

    ``over`` says that the game is over; then there is nothing to open. What an ``explanation``
    holds is added.
    """
    return {
        "probabilities": [
            [None if math.isnan(p) else p for p in row] for row in analysis.probabilities.tolist()
        ],
        "safe": [] if over else [list(cell) for cell in analysis.safe],
        "mines": [list(cell) for cell in analysis.mines],
        "move": None if over else move_json(decision),
        "over": over or None,
        "solutions_log10": analysis.solutions_log10,
        "exact": analysis.exact,
        "ms": ms,
    } | (explanation_json(explanation) if explanation else {})


def move_json(decision: Decision) -> dict[str, Any] | None:
    """Describe the first move of a decision; None if there is none."""
    if not decision.moves:
        return None
    return {
        **_click_json(decision.moves[0]),
        "reason": decision.reason,
        "survival": decision.survival,
        "win": decision.win,
    }


def moves_json(decision: Decision) -> dict[str, Any]:
    """Describe a decision: its first move as `analysis_json` does, and all its moves."""
    moves = [_click_json(move) for move in decision.moves]
    return {"move": move_json(decision), "moves": moves}


def _click_json(move: Move) -> dict[str, Any]:
    return {"cell": list(move.cell), "action": move.action.value}


def grid_json(grid: Grid) -> dict[str, float]:
    """Describe where a grid lies in its frame, in pixels."""
    return {"x0": grid.x0, "y0": grid.y0, "tile_w": grid.tile_w, "tile_h": grid.tile_h}
