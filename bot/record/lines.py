"""The words of a recording: every event as JSON, and what a line of a session may hold.

`event_json` is the one description of an event: a recording has it as a line, ``play --events``
prints it, and a report of trouble lists it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

import numpy as np

from bot.errors import BadSession
from bot.events import (
    BoardFound,
    Click,
    Decided,
    Event,
    GameOver,
    GameResult,
    Noticed,
    Played,
    Stopped,
    Thinking,
    Timings,
)
from calibration.calibration import Calibration
from calibration.grid import SMALLEST_TILE_PX
from calibration.points import FARTHEST_PX
from calibration.reading import Reading
from solver.agents.base import Action, Decision, Move
from solver.board import MAX_SIDE, Cell
from solver.errors import BadBoardText
from solver.game import Rule


def event_json(event: Event) -> dict[str, Any]:
    """Describe an event as JSON, but for its frame; ``kind`` says which one it is."""
    match event:
        case BoardFound(_, calibration):
            return {"kind": "calibrated", "calibration": calibration_json(calibration)}
        case Thinking(done, most):
            return {"kind": "thinking", "done": done, "most": most}
        case Decided(turn):
            return {
                "kind": "decision",
                "game": turn.game,
                "turn": turn.number,
                **reading_json(turn.reading),
                "decision": decision_json(turn.decision),
                "retry": turn.retry,
                "chance": turn.chance,
            }
        case Played(turn):
            return {
                "kind": "turn",
                "game": turn.game,
                "turn": turn.number,
                "clicks": [click_json(click) for click in turn.clicks],
                "ms": timings_json(turn.timings),
            }
        case Noticed(note):
            return {"kind": "noticed", "note": note}
        case GameOver(result, _, reading):
            read = reading_json(reading) | unsure_json(reading) if reading else {}
            return {"kind": "game", **result_json(result), **read}
        case Stopped(error, _, result):
            played = result_json(result) if result else {}
            failure = {"error": type(error).__name__, "message": str(error)}
            return {"kind": "stopped", **played, **failure}


Check: TypeAlias = Callable[[Any], bool]

Entries: TypeAlias = Mapping[str, "Check | Entries"]

ROUNDED = 1e-9
"""Rounding error of a chance that was computed from others."""

MOST = 1e12
"""No figure of a game is larger."""

TIMES = ("grab", "read", "decide", "send", "wait")
"""The parts of a turn."""


def calibration_json(calibration: Calibration) -> dict[str, Any]:
    """Describe a calibration as JSON."""
    grid = calibration.grid
    return {
        "x0": grid.x0,
        "y0": grid.y0,
        "tile_w": grid.tile_w,
        "tile_h": grid.tile_h,
        "rows": grid.rows,
        "cols": grid.cols,
        "theme": calibration.theme.name,
        "mines": calibration.mines,
    }


def reading_json(reading: Reading) -> dict[str, Any]:
    """Describe a reading as JSON, with the mine total that was assumed."""
    return {
        "board": reading.board.text_rows(),
        "mines": reading.board.mines,
        "status": reading.status.value,
        "mines_left": reading.mines_left,
        "confidence": round(reading.confidence, 4),
    }


def unsure_json(reading: Reading) -> dict[str, Any]:
    """Name the tiles of a last board that are in doubt: they say nothing of why it was lost."""
    unsure = np.argwhere(reading.sure_board.unknown & ~reading.board.unknown).tolist()
    return {"unsure": unsure} if unsure else {}


def decision_json(decision: Decision) -> dict[str, Any]:
    """Describe a decision as JSON; `decision_of` reads it back."""
    return {
        "moves": [[move.action.value, *move.cell] for move in decision.moves],
        "reason": decision.reason,
        "survival": decision.survival,
        "win": decision.win,
    }


def decision_of(data: Mapping[str, Any]) -> Decision:
    """Read a decision written by `decision_json`. Raises `BadSession`."""
    try:
        moves = tuple(Move(Cell(row, col), Action(action)) for action, row, col in data["moves"])
        return Decision(moves, data["reason"], data["survival"], data["win"])
    except (KeyError, TypeError, ValueError, BadBoardText) as error:
        raise BadSession(f"A decision of the session cannot be read: {error}.") from error


def timings_json(timings: Timings) -> dict[str, float]:
    """Describe how long the parts of a turn took, in milliseconds."""
    return {name: round(getattr(timings, f"{name}_ms"), 3) for name in TIMES}


def click_json(click: Click) -> dict[str, Any]:
    """Describe a click as JSON."""
    return {
        "cell": list(click.cell),
        "point": list(click.point),
        "button": click.button.value,
    }


def result_json(result: GameResult) -> dict[str, Any]:
    """Describe a game as `play --json` prints it."""
    line: dict[str, Any] = {
        "game": result.game,
        "result": result.outcome.value,
        "turns": result.turns,
        "clicks": result.clicks,
        "guesses": result.guesses,
        "seconds": round(result.seconds, 3),
        "chance": result.chance,
    }
    if result.blame is not None:
        line["blame"] = result.blame.value
    if result.why:
        line["why"] = result.why
    if result.why_over:
        line["why_over"] = result.why_over
    return line


def is_number(value: Any) -> bool:
    """Whether a value is a finite number, small enough for sums."""
    return type(value) in (int, float) and abs(value) <= MOST


def _is_whole(value: Any) -> bool:
    return type(value) is int and abs(value) <= MOST


def _is_count(value: Any) -> bool:
    return _is_whole(value) and value >= 0


def _is_chance(value: Any) -> bool:
    return is_number(value) and -ROUNDED <= value <= 1 + ROUNDED


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_place(value: Any) -> bool:
    return is_number(value) and abs(value) <= FARTHEST_PX


def _is_pitch(value: Any) -> bool:
    return _is_place(value) and value >= SMALLEST_TILE_PX


def _is_scale(value: Any) -> bool:
    return is_number(value) and 0.1 <= value <= 16


def _is_side(value: Any) -> bool:
    return _is_whole(value) and 1 <= value <= MAX_SIDE


def _may_lack(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _list_of(check: Check, length: int | None = None) -> Check:
    return lambda value: (
        isinstance(value, list) and length in (None, len(value)) and all(map(check, value))
    )


def _is_move(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 3
        and _is_text(value[0])
        and all(map(_is_whole, value[1:]))
    )


def _is_click(value: Any) -> bool:
    return isinstance(value, Mapping) and wrong_entry(value, CLICK, NEEDED["click"]) is None


CLICK: Entries = {
    "cell": _list_of(_is_whole, 2),
    "point": _list_of(_is_place, 2),
    "button": _is_text,
    "at_s": is_number,
}

AGENT: Entries = {
    "name": _is_text,
    "seed": _may_lack(_is_count),
    "rule": _may_lack(lambda value: value in [rule.value for rule in Rule]),
}


def _is_agent(value: Any) -> bool:
    """Whether this may describe the agent; anything but a table is ignored."""
    return not isinstance(value, Mapping) or wrong_entry(value, AGENT) is None


HEADER: Entries = {
    "agent": _is_agent,
    "program": _is_text,
    "options": {"mines": _may_lack(_is_whole), "theme": _may_lack(_is_text)},
}

FRAME: Entries = {"frame": _is_text, "origin": _list_of(_is_place, 2), "scale": _is_scale}

READING: Entries = {
    "board": _list_of(_is_text),
    "mines": _may_lack(_is_whole),
    "status": _is_text,
    "mines_left": _may_lack(_is_whole),
    "confidence": _is_chance,
}

CALIBRATION: Entries = {
    **dict.fromkeys(("x0", "y0"), _is_place),
    **dict.fromkeys(("tile_w", "tile_h"), _is_pitch),
    **dict.fromkeys(("rows", "cols"), _is_side),
    "theme": _is_text,
    "mines": _may_lack(_is_whole),
}

DECISION: Entries = {
    "moves": _list_of(_is_move),
    "reason": _is_text,
    "survival": _may_lack(_is_chance),
    "win": _may_lack(_is_chance),
}

RESULT: Entries = {
    **dict.fromkeys(("turns", "clicks", "guesses"), _is_count),
    "seconds": is_number,
    "chance": _is_chance,
    "result": lambda value: value in ("won", "lost", "stopped"),
}

LINES: Mapping[str, Entries] = {
    "calibrated": {**FRAME, "calibration": CALIBRATION},
    "turn": {
        **FRAME,
        **READING,
        "game": _is_whole,
        "turn": _is_whole,
        "decision": DECISION,
        "clicks": _list_of(_is_click),
        "retry": _is_bool,
        "chance": _may_lack(_is_chance),
        "ms": dict.fromkeys(TIMES, is_number),
    },
    "noticed": {"note": _is_text},
    "game": {
        **FRAME,
        **READING,
        "game": _is_whole,
        **RESULT,
        "unsure": _list_of(_list_of(_is_count, 2)),
        "blame": _is_text,
        "why": _is_text,
        "why_over": _is_text,
    },
    "stopped": {**FRAME, **RESULT, "game": _is_whole, "error": _is_text, "message": _is_text},
}
"""What each kind of line holds. Other entries, and lines of other kinds, are not looked at."""

NEEDED = {
    "calibrated": ("frame", "origin", "scale", "calibration"),
    "turn": ("game", "turn", "board", "decision", "clicks"),
    "click": ("cell", "point", "button"),
    "noticed": ("note",),
    "game": ("game", "result"),
    "calibration": ("x0", "y0", "tile_w", "tile_h", "rows", "cols"),
    "decision": ("moves", "reason", "survival", "win"),
    "ms": TIMES,
}
"""What a kind of line, or a table in one, cannot do without."""


def trouble_of(line: Mapping[str, Any]) -> str | None:
    """Say what is wrong with a line of a session; None if it can be used."""
    kind = line.get("kind")
    if kind == "session":
        return wrong_entry(line, HEADER)
    if not isinstance(kind, str):
        return "has no kind"
    return wrong_entry(line, LINES.get(kind, {}), NEEDED.get(kind, ()))


def wrong_entry(
    line: Mapping[str, Any], entries: Entries, needed: Collection[str] = (), within: str = ""
) -> str | None:
    """Say which entry is missing or wrong; None if all of them are right."""
    for name in needed:
        if name not in line:
            return f"lacks {within}{name}"
    for name, check in entries.items():
        if name not in line:
            continue
        value = line[name]
        if isinstance(check, Mapping):
            if not isinstance(value, Mapping):
                return f"has a wrong {within}{name}"
            found = wrong_entry(value, check, NEEDED.get(name, ()), f"{within}{name}.")
            if found is not None:
                return found
        elif not check(value):
            return f"has a wrong {within}{name}"
    return None
