"""Read a game file with `ms_toollib`, in a process of its own: ``child.py KIND < FILE``.

The library ends its process at a file that it cannot read, so each file is read in its own process.
This module imports nothing of minebot. It writes one JSON object to standard output: what was
played, and each click that changed the board, with the board before it.
"""

from __future__ import annotations

import json
import sys
from typing import Any

VIDEO_CLASSES = {"avf": "AvfVideo", "evf": "EvfVideo", "rmv": "RmvVideo", "mvf": "MvfVideo"}
"""The class of `ms_toollib` that reads a kind of file."""

TILES = {**{number: str(number) for number in range(9)}, 11: "F", 14: "W", 15: "X", 16: "*"}
"""The tiles for the library's numbers, as text; all others are hidden."""

AT_THE_END_S = 1e6
"""A time after the end of every game: the library counts the clicks until then."""

MOST_CLICKS = 20_000
"""Clicks that changed the board; a game of 16x30 has 500 at most, flags included."""


def read(kind: str, data: bytes) -> dict[str, Any]:
    """Read a file. Raises what the library raises, or ends the process."""
    import ms_toollib  # noqa: PLC0415  an extra: replays

    video = getattr(ms_toollib, VIDEO_CLASSES[kind])("", list(data))
    video.parse()
    video.analyse()
    video.current_time = AT_THE_END_S
    useful = [event for event in video.events if event.useful_level and event.event.is_mouse()]
    if len(useful) > MOST_CLICKS:
        raise ValueError("more clicks than any game has")
    mines = [[number == -1 for number in row] for row in video.board]
    last = useful[-1].next_game_board.game_board if useful else []
    return {
        "player": video.player_identifier,
        "started_us": video.start_time,
        "mines": video.mine_num,
        "seconds": video.rtime,
        "clicks": video.cl,
        "won": video.is_completed,
        "moves": [_move(event, video.pix_size) for event in useful],
        "final": _board(last),
        "layout": ["".join("*" if mine else "." for mine in row) for row in mines],
    }


def _move(event: Any, tile_px: int) -> dict[str, Any]:
    """Describe a click by its time, its button, its cell and the board before it."""
    mouse = event.event.unwrap_mouse()
    return {
        "at_s": event.time,
        "button": mouse.mouse,
        "cell": [mouse.y // tile_px, mouse.x // tile_px],
        "board": _board(event.prior_game_board.game_board),
    }


def _board(numbers: list[list[int]]) -> list[str]:
    return ["".join(TILES.get(number, "#") for number in row) for row in numbers]


if __name__ == "__main__":
    found = read(sys.argv[1], sys.stdin.buffer.read())
    sys.stdout.buffer.write(json.dumps(found).encode("ascii"))
