"""Write recordings of a few turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bot.record.games import JudgedGame, games_of, judge
from bot.record.session import LINES_FILE, Session
from tests.bot.command_line import write_lines

Step = dict[str, Any]


def turn(
    board: str, *moves: tuple[str, int, int], number: int = 1, mines: int | None = 1, **changes: Any
) -> Step:
    """Describe a turn as a recording holds it; a board is its rows, with spaces between them."""
    made = [list(move) for move in moves or [("open", 0, 1)]]
    decision = {"moves": made, "reason": "played by hand", "survival": 1.0, "win": None}
    turn = {"kind": "turn", "game": 1, "turn": number, "board": board.split(), "mines": mines}
    more = {"status": "playing", "decision": decision, "clicks": [], "retry": False}
    return turn | more | changes


def end(result: str, **more: Any) -> Step:
    """Describe the end of a game."""
    return {"kind": "game", "game": 1, "result": result, **more}


def session_of(folder: Path, *steps: Step, **header: Any) -> Session:
    """Write a recording of these steps, and load it."""
    folder.mkdir(exist_ok=True)
    first = {"kind": "session", "version": 1, "agent": {"name": "a person"}, "started": ""}
    write_lines(folder / LINES_FILE, [first | header, *steps])
    return Session.load(folder)


def judged(folder: Path, *steps: Step, **header: Any) -> JudgedGame:
    """Write a recording of these steps of one game, and judge it."""
    (game,) = games_of(session_of(folder, *steps, **header))
    return judge(game)
