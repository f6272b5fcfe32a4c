"""What every command says the same way: JSON lines, boards, decisions, notes."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from solver.agents.base import Decision
from solver.analysis import Analysis
from solver.board import Board, Cell

STYLES = {
    "#": "dim",
    "0": "dim",
    "1": "blue",
    "2": "green",
    "3": "red",
    "4": "magenta",
    "5": "yellow",
    "6": "cyan",
    "7": "bold",
    "8": "bold",
    "F": "bold red",
    "?": "bold yellow",
    "*": "bold red",
    "X": "reverse red",
    "W": "reverse yellow",
}


def emit(line: Mapping[str, Any]) -> None:
    """Print one JSON object on one line of standard output, at once."""
    sys.stdout.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")
    sys.stdout.flush()


def note(sentence: str) -> None:
    """Print a sentence for people beside the result."""
    print(sentence, file=sys.stderr, flush=True)


def error_json(error: Exception) -> dict[str, str]:
    """Describe an error as JSON lines carry it."""
    return {"error": type(error).__name__, "message": " ".join(str(error).split())}


def out() -> Console:
    """Return the console for people on standard output."""
    return Console(highlight=False, soft_wrap=True)


def board_text(board: Board, marked: Cell | None = None) -> Text:
    """Draw a board for the terminal, one cell marked."""
    text = Text()
    for row, line in enumerate(board.text_rows()):
        for col, tile in enumerate(line):
            style = "black on green" if marked == (row, col) else STYLES[tile]
            text.append(f"{'.' if tile == '0' else tile} ", style)
        text.append("\n")
    return text


def place(cell: Cell) -> str:
    """Name a cell for people, who count from 1."""
    return f"row {cell.row + 1}, column {cell.col + 1}"


def decision_line(decision: Decision) -> str:
    """Say a decision in one line."""
    if not decision.moves:
        return f"No move: {decision.reason}"
    first = decision.moves[0]
    more = f" and {len(decision.moves) - 1} more" if len(decision.moves) > 1 else ""
    win = "" if decision.win is None else f", {decision.win:.1%} to win"
    chance = "" if decision.certain else f" ({decision.survival:.1%} safe{win})"
    what = f"{first.action.value.capitalize()} {place(first.cell)}{more}"
    return f"{what}: {decision.reason}{chance}"


def analysis_json(analysis: Analysis, decision: Decision, ms: float) -> dict[str, Any]:
    """Describe an analysis and the move as `solve` and `advise` print them."""
    move = decision.moves[0].cell if decision.moves else None
    return {
        "probabilities": [
            [None if math.isnan(p) else p for p in row] for row in analysis.probabilities.tolist()
        ],
        "safe": [list(cell) for cell in analysis.safe],
        "mines": [list(cell) for cell in analysis.mines],
        "move": None
        if move is None
        else {
            "cell": list(move),
            "reason": decision.reason,
            "survival": decision.survival,
            "win": decision.win,
        },
        "solutions_log10": analysis.solutions_log10,
        "exact": analysis.exact,
        "ms": ms,
    }
