"""Write recordings, and small game files as other programs do.

The game files have a board of 8x8 with ten mines, and some clicks. Their formats are those that
`ms_toollib` reads. Each writer knows just what a short game needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bot.record.games import JudgedGame, games_of, judge
from bot.record.session import LINES_FILE, Session
from tests.bot.command_line import write_lines

Step = dict[str, Any]

# ---- recordings ----------------------------------------------------------------------------------


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


# ---- game files ----------------------------------------------------------------------------------

LAYOUT = """
*.......
........
..*.....
........
.....**.
*.......
.**.....
.....***
"""
"""Ten mines, as all these programs lay for beginners."""

ROWS = [row for row in LAYOUT.split() if row]
MINES = [
    (row, col) for row, text in enumerate(ROWS) for col, tile in enumerate(text) if tile == "*"
]
BV = 18
"""The least clicks that open it: three openings, and the numbers beside none."""

TILE_PX = 16

MARKS_ON = 17
BEGINNER = 3
"""A board of 8x8 with ten mines, as the format .avf counts."""

MOVE, PRESS, RELEASE, PRESS_RIGHT, RELEASE_RIGHT = range(1, 6)
"""What the mouse did, as the formats .rmv and .evf count."""

ARBITER = {MOVE: 1, PRESS: 3, RELEASE: 5, PRESS_RIGHT: 9, RELEASE_RIGHT: 17}
"""The same as the format .avf counts."""


class Event(NamedTuple):
    """What the mouse did at a time, over a cell."""

    kind: int
    ms: int
    row: int
    col: int

    @property
    def x(self) -> int:
        return self.col * TILE_PX + 8

    @property
    def y(self) -> int:
        return self.row * TILE_PX + 8


def left(ms: int, row: int, col: int) -> list[Event]:
    """A click with the left button."""
    return [Event(PRESS, ms, row, col), Event(RELEASE, ms + 10, row, col)]


def right(ms: int, row: int, col: int) -> list[Event]:
    """A click with the right button."""
    return [Event(PRESS_RIGHT, ms, row, col), Event(RELEASE_RIGHT, ms + 10, row, col)]


def both(ms: int, row: int, col: int) -> list[Event]:
    """A click with both buttons, which opens around a number."""
    kinds = (PRESS, PRESS_RIGHT, RELEASE_RIGHT, RELEASE)
    return [Event(kind, ms + 10 * at, row, col) for at, kind in enumerate(kinds)]


def u16(number: int) -> bytes:
    return number.to_bytes(2, "big")


def u24(number: int) -> bytes:
    return number.to_bytes(3, "big")


def avf(events: Sequence[Event], player: str = "Ada") -> bytes:
    """Write a file of Minesweeper Arbiter."""
    head = bytes([0, 0, 0, 0, 0, BEGINNER])
    mines = b"".join(bytes([row + 1, col + 1]) for row, col in MINES)
    head += mines + bytes(9) + bytes([MARKS_ON]) + b"0"
    text = b"[0|1.2.2026.10:20:30:5000|1.10:20:40:5000|HS|B20T11.00]"
    clicks = b"".join(
        bytes([ARBITER[one.kind], one.x >> 8, second & 255, one.x & 255, one.ms % 1000 // 10])
        + bytes([one.y >> 8, second >> 8, one.y & 255])
        for one in events
        for second in [one.ms // 1000 + 1]
    )
    end = bytes(8) + f"cs=0\rRealTime: 10.00\rSkin: \r{player}\r".encode()
    return head + text + clicks + end


def evf(events: Sequence[Event], player: str = "Ada") -> bytes:
    """Write a file of Metasweeper."""
    head = bytes([0, 0, len(ROWS), len(ROWS[0])]) + u16(len(MINES)) + bytes([TILE_PX])
    counts = u16(0) + u16(20) + u24(10_000)
    texts = ("Metasweeper", player, "", "", "1769941230000000", "1769941240000000", "")
    bits = "".join("1" if tile == "*" else "0" for row in ROWS for tile in row)
    board = int(bits, 2).to_bytes(len(bits) // 8, "big")
    clicks = b"".join(bytes([one.kind]) + u24(one.ms) + u16(one.x) + u16(one.y) for one in events)
    return (
        head + counts + b"".join(text.encode() + b"\0" for text in texts) + board + clicks + b"\xff"
    )


def rmv(events: Sequence[Event], player: str = "Ada") -> bytes:
    """Write a file of Viennasweeper."""
    result = f"\nLEVEL:Beginner#SCORE:10.00#NAME:{player}#NICK:#3BV:20#NF:0#TIMESTAMP:1769941230#\n"
    version = "Vienna Minesweeper"
    about = u16(1) + bytes([len(player)]) + player.encode()
    mines = b"".join(bytes([col, row]) for row, col in MINES)
    board = (1769941230).to_bytes(4, "big") + bytes([len(ROWS[0]), len(ROWS)])
    board += u16(len(MINES)) + mines
    clicks = b"".join(
        bytes([one.kind]) + u24(one.ms) + b"\0" + u16(one.x + 12) + u16(one.y + 56)
        for one in events[1:]  # a file leaves out the first press of the left button
    )
    parts = [result.encode(), version.encode(), about, board, u16(0), bytes([0, 0, 0, 0])]
    clicks += b"\x0f"
    sizes = b"".join(u16(len(part)) for part in parts) + len(clicks).to_bytes(4, "big") + u16(0)
    body = b"".join(parts) + clicks
    length = len(b"*rmv") + 2 + 4 + len(sizes) + len(body)
    return b"*rmv" + u16(1) + length.to_bytes(4, "big") + sizes + body
