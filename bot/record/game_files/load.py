"""Games that other programs saved: files of Arbiter, Metasweeper, Viennasweeper and Clone, RawVF.

A file becomes a session without frames: it is reviewed as a recording is. The text format RawVF is
read here, all others by `ms_toollib`, an extra, in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.errors import BadSession
from bot.record.game_files.rawvf import read_rawvf
from bot.record.session import VERSION, Session
from solver.board import MAX_SIDE, Board, Cell
from solver.errors import MissingExtra, SolverError
from solver.files import encoding_of, parse_json, read_file

PROGRAMS = {
    ".avf": "Minesweeper Arbiter",
    ".evf": "Metasweeper",
    ".rmv": "Viennasweeper",
    ".mvf": "Minesweeper Clone",
    ".rawvf": "RawVF",
}
"""The program that writes files of a kind."""

FILE_BYTES = 4_000_000
"""A game of expert has up to 100 KB."""

FIRST_GAME_US = 631_152_000_000_000
"""The year 1990, when Minesweeper came to Windows: no game is older."""

READ_S = 60.0
"""Longest time that reading a file may take; a game of expert takes 0.3 s."""

BY_HAND = "played by hand"
"""The reason of every move."""

CLONE_START = b"\x11\x4d"
"""How a game of Minesweeper Clone begins; in one of version 0.97 the 28th byte is a 5."""

CHILD = Path(__file__).resolve().with_name("child.py")


def is_game_file(path: Path) -> bool:
    """Whether a name is that of a game another program saved."""
    return path.suffix.lower() in PROGRAMS and not path.is_dir()


def load_session(path: Path) -> Session:
    """Read a session, or a game that another program saved.

    Raises `BadSession`, and what `load_game_file` raises.
    """
    if is_game_file(path):
        return load_game_file(path)
    if path.is_file():
        raise BadSession(
            f"{path} is neither the folder of a session nor a game file that is known: "
            f"{', '.join(sorted(PROGRAMS))}."
        )
    return Session.load(path)


def load_game_file(path: Path) -> Session:
    """Read a game that another program saved, as a session of one game without frames.

    Raises `BadSession`, and `MissingExtra` without `ms_toollib`.
    """
    try:
        found = _read(path)
        steps = tuple(_steps(found))
        header = {
            "kind": "session",
            "version": VERSION,
            "agent": {"name": str(found["player"]).strip() or "a person"},
            "program": str(found.get("program") or PROGRAMS[path.suffix.lower()]),
            "started": str(found.get("started", "")) or _started(found.get("started_us", 0)),
        }
    except MissingExtra:
        raise
    except (IndexError, KeyError, TypeError, ValueError, SolverError) as error:
        raise _damaged(path) from error
    return Session(path, header, steps)


def _read(path: Path) -> Mapping[str, Any]:
    """Read the file, what `ms_toollib` reads in a process of its own.

    Raises `BadSession` and `MissingExtra`.
    """
    try:
        data = read_file(path, FILE_BYTES)
    except OSError as error:
        raise BadSession(f"{path} cannot be read ({error.strerror}).") from error
    kind = path.suffix.lower()[1:]
    if kind == "rawvf":
        return read_rawvf(data.decode(encoding_of(data), "replace"))
    if find_spec("ms_toollib") is None:
        raise MissingExtra("Games of other programs need", "replays")
    if kind == "mvf" and not (data.startswith(CLONE_START) and data[27:28] == b"5"):
        raise BadSession(
            f"{path} cannot be read as a game of Minesweeper Clone 0.97; its other versions (0.96, "
            "2006, 2007) are not known: convert the file to .rawvf."
        )
    # -P: nothing beside the child's file is taken for a module of the standard library.
    command = [sys.executable, "-P", str(CHILD), kind]
    try:
        # The library leaves a file crash.log where it runs when it fails.
        with TemporaryDirectory() as elsewhere:
            done = subprocess.run(
                command,
                cwd=elsewhere,
                input=data,
                capture_output=True,
                timeout=READ_S,
                check=True,
            )
        found = parse_json(done.stdout)
    except (subprocess.SubprocessError, ValueError) as error:
        raise _damaged(path) from error
    assert isinstance(found, dict)
    return found


def _damaged(path: Path) -> BadSession:
    return BadSession(
        f"{path} cannot be read as a game of {PROGRAMS[path.suffix.lower()]}: it is damaged, or of "
        "a version that is not known."
    )


def _steps(found: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the steps of the game: a turn for each click that changed the board, and its end."""
    mines, moves = int(found["mines"]), found["moves"]
    lost = any("X" in row for row in found["final"])
    for number, move in enumerate(moves, start=1):
        cell, board = _checked(move, mines)
        action = _action(board, cell, move["button"])
        # Where the first click hit a mine, no cell was protected from it.
        ended = lost and number == len(moves)
        unprotected = ended and action == "open" and not board.open.any()
        click = {"cell": list(cell), "point": [cell.col, cell.row], "button": BUTTON_OF[action]}
        yield {
            "kind": "turn",
            "game": 1,
            "turn": number,
            "board": move["board"],
            "mines": mines,
            "status": "playing",
            "decision": {
                "moves": [[action, *cell]],
                "reason": BY_HAND,
                "survival": 1 - mines / board.tiles.size if unprotected else 1.0,
                "win": None,
            },
            "clicks": [click | {"at_s": float(move["at_s"])}],
        }
    final = _with_mines(found["final"], found["layout"]) if lost else found["final"]
    yield {
        "kind": "game",
        "game": 1,
        "result": "won" if found["won"] else "lost" if lost else "stopped",
        "why": "" if found["won"] or lost else "The file ends before the game does.",
        "turns": len(moves),
        "clicks": int(found["clicks"]),
        "seconds": float(found["seconds"]),
        "board": final,
        "mines": mines,
    }


BUTTON_OF = {"open": "left", "flag": "right", "chord": "both"}
"""The buttons of the mouse that do this in all of these programs."""


def _checked(move: Mapping[str, Any], mines: int) -> tuple[Cell, Board]:
    """Return the cell and the board of a move. Raises `ValueError` or a `SolverError`."""
    rows = move["board"]
    if max(len(rows), len(rows[0])) > MAX_SIDE:
        raise ValueError("no board is so large")
    board, cell = Board.from_text("\n".join(rows), mines), Cell(*move["cell"])
    if not (0 <= cell.row < board.rows and 0 <= cell.col < board.cols):
        raise ValueError("a click beside the board changes nothing")
    return cell, board


def _action(board: Board, cell: Cell, button: str) -> str:
    """Return what a click that changed the board did: on an open number it was a chord."""
    if button in ("rc", "pf"):  # "pf": set before the first click, as .rmv and .evf say
        return "flag"
    return "chord" if board.open[cell] else "open"


def _with_mines(final: list[str], layout: list[str]) -> list[str]:
    """Show all mines on a lost board, as programs do; a file has only the exploded one."""
    return [
        "".join(
            "*" if mine == "*" and tile == "#" else tile
            for tile, mine in zip(tiles, mines, strict=True)
        )
        for tiles, mines in zip(final, layout, strict=True)
    ]


def _started(text: str) -> str:
    """Write microseconds since 1970 as a date; empty if the file has no valid one."""
    try:
        if int(text) < FIRST_GAME_US:
            return ""
        return datetime.fromtimestamp(int(text) / 1e6, UTC).isoformat(timespec="seconds")
    except (OverflowError, OSError, ValueError):
        return ""
