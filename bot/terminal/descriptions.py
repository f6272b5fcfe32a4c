"""Describe errors, analyses, decisions and grids as the commands print them in JSON."""

from __future__ import annotations

import math
from typing import Any

from bot.remedies import told
from bot.terminal.explanations import Explanation, explanation_json
from calibration.grid import Grid
from solver.agents.base import Decision, Move
from solver.analysis import Analysis
from solver.difficulty import Difficulty


def error_json(error: Exception, *, live: bool = False) -> dict[str, str]:
    """Describe an error: its class and its message, with what helps (see `bot.remedies`)."""
    message = " ".join(told(error, live=live).split())
    return {"error": type(error).__name__, "message": message}


def analysis_json(
    analysis: Analysis,
    decision: Decision,
    ms: float,
    explanation: Explanation | None = None,
    over: str = "",
    difficulty: Difficulty | None = None,
) -> dict[str, Any]:
    """Describe an analysis and the first move of a decision, as `solve` and `advise` print them.

    ``over`` says that the game is over; then there is nothing to open. What an ``explanation``
    holds is added, and the ``difficulty`` of a board that shows all its mines.
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
        **({} if difficulty is None else {"difficulty": difficulty.to_json()}),
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
