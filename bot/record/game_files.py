"""Games that other programs saved: Arbiter, Metasweeper, Viennasweeper, Clone, and RawVF.

A file becomes a session without frames, and is reviewed like a recording. The text format RawVF,
into which other formats can be converted, is read here; `ms_toollib`, an extra, reads all others in
its own process.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bot.errors import BadSession
from bot.record.lines import A_PERSON, EndLine, Header, Line, RecordedClick, TurnLine
from bot.record.session import Session
from calibration.grid import ScreenPoint
from solver import Action, Decision, Game, Move, Status
from solver.board import MAX_SIDE, Board, Cell, Tile
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
"""An expert game has up to 100 KB."""

FIRST_GAME_US = 631_152_000_000_000
"""The year 1990, when Minesweeper came to Windows: no game is older."""

READ_S = 60.0
"""Longest time that reading a file may take; an expert game takes 0.3 s."""

BY_HAND = "played by hand"
"""The reason of every move."""

CLONE_START = b"\x11\x4d"
"""The first bytes of a game of Minesweeper Clone; in version 0.97 the 28th byte is a 5."""

CHILD = Path(__file__).resolve().with_name("game_file_child.py")


def is_game_file(path: Path) -> bool:
    """Whether this is the name of a game that another program saved."""
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
        header = Header(
            started=str(found.get("started", "")) or _started(found.get("started_us", 0)),
            agent=str(found["player"]).strip() or A_PERSON,
            program=str(found.get("program") or PROGRAMS[path.suffix.lower()]),
        )
    except MissingExtra:
        raise
    except (IndexError, KeyError, TypeError, ValueError, SolverError) as error:
        raise _damaged(path) from error
    return Session(path, header, steps)


def _read(path: Path) -> Mapping[str, Any]:
    """Read the file, with `ms_toollib` in its own process if it is not RawVF.

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
    # -P: no file next to the child's replaces a module of the standard library.
    command = [sys.executable, "-P", str(CHILD), kind]
    try:
        # When the library fails, it leaves a file crash.log in its working folder.
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


def _steps(found: Mapping[str, Any]) -> Iterator[Line]:
    """Yield the steps of the game: a turn for each click that changed the board, and its end."""
    mines, moves = int(found["mines"]), found["moves"]
    lost = any("X" in row for row in found["final"])
    for number, move in enumerate(moves, start=1):
        cell, board = _checked(move, mines)
        action = _action(board, cell, move["button"])
        # If the first click hit a mine, the first-click rule did not protect it.
        ended = lost and number == len(moves)
        unprotected = ended and action is Action.OPEN and not board.open.any()
        survival = 1 - mines / board.tiles.size if unprotected else 1.0
        click = RecordedClick(
            cell, ScreenPoint(cell.col, cell.row), BUTTON_OF[action], float(move["at_s"])
        )
        decision = Decision((Move(cell, action),), BY_HAND, survival)
        yield TurnLine(1, number, board, decision, (click,))
    final = _with_mines(found["final"], found["layout"]) if lost else found["final"]
    yield EndLine(
        game=1,
        result="won" if found["won"] else "lost" if lost else "stopped",
        why="" if found["won"] or lost else "The file ends before the game does.",
        turns=len(moves),
        clicks=int(found["clicks"]),
        seconds=float(found["seconds"]),
        board=Board.from_text("\n".join(final), mines),
    )


BUTTON_OF = {Action.OPEN: "left", Action.FLAG: "right", Action.CHORD: "both"}
"""The mouse buttons for each effect in all of these programs."""


def _checked(move: Mapping[str, Any], mines: int) -> tuple[Cell, Board]:
    """Return the cell and the board of a move. Raises `ValueError` or a `SolverError`."""
    rows = move["board"]
    if max(len(rows), len(rows[0])) > MAX_SIDE:
        raise ValueError("no board is so large")
    board, cell = Board.from_text("\n".join(rows), mines), Cell(*move["cell"])
    if not (0 <= cell.row < board.rows and 0 <= cell.col < board.cols):
        raise ValueError("a click beside the board changes nothing")
    return cell, board


def _action(board: Board, cell: Cell, button: str) -> Action:
    """Return the effect of a click that changed the board: on an open number it was a chord."""
    if button in ("rc", "pf"):  # "pf": set before the first click, as .rmv and .evf say
        return Action.FLAG
    return Action.CHORD if board.open[cell] else Action.OPEN


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


EVENT = re.compile(r"(-?[0-9.]+) +([lrms][cr]|mv) +(-?\d+) +(-?\d+)(?: +\((-?\d+) +(-?\d+)\))?")

DEFAULT_TILE_PX = 16

MOST_EVENTS = 2_000_000
"""Far more than a game has: a mouse reports a hundred positions per second."""


def read_rawvf(text: str) -> dict[str, Any]:
    """Read a file as `child.read` does. Raises `ValueError`, `KeyError` or `SolverError`."""
    described, _, rest = text.partition("Board:")
    drawn, _, events = rest.partition("Events:")
    about = {
        key.strip().lower(): value.strip()
        for key, _, value in (line.partition(":") for line in described.splitlines())
    }
    if "rawvf_version" not in about:
        raise ValueError("this is not RawVF")
    mines = np.array([[sign == "*" for sign in row] for row in drawn.split()])
    if mines.shape != (int(about["height"]), int(about["width"])):
        raise ValueError("the board has another size than its description")
    hidden = Board(np.full(mines.shape, Tile.HIDDEN), int(mines.sum()))
    played = _RawVfGame(Game.from_position(hidden, mines), marks=about.get("marks") == "On")
    played.superclick = about.get("superclick") == "On"
    for at_s, kind, cell in _events(events, int(about.get("squaresize", DEFAULT_TILE_PX))):
        played.take(at_s, kind, cell)
    game = played.game
    return {
        "player": about.get("player", ""),
        "program": about.get("program", "a program that writes RawVF"),
        "started": _date(about.get("timestamp", "")),
        "mines": int(mines.sum()),
        "seconds": float(about.get("time") or played.last_s),
        "clicks": played.clicks,
        "won": game.status is Status.WON,
        "moves": played.moves,
        "final": played.moves and game.board.text_rows(),
        "layout": ["".join("*" if mine else "." for mine in row) for row in mines.tolist()],
    }


def _events(text: str, tile_px: int) -> Iterator[tuple[float, str, Cell]]:
    """Yield the events of the mouse, without those of the board."""
    for number, line in enumerate(text.splitlines()):
        if number > MOST_EVENTS:
            raise ValueError("more events than any game has")
        if (found := EVENT.match(line)) is None:
            continue
        at, kind, col, row, x, y = found.groups()
        cell = Cell(int(row) - 1, int(col) - 1)
        if x is not None:
            cell = Cell(int(y) // tile_px, int(x) // tile_px)
        yield float(at), kind, cell


@dataclass
class _RawVfGame:
    """A game under way, and which buttons are pressed.

    Both buttons together, the middle one, or the left one with Shift make a chord when one is
    released; the other button then has no effect.
    """

    game: Game
    marks: bool
    superclick: bool = False
    moves: list[dict[str, Any]] = field(default_factory=list)
    clicks: int = 0
    last_s: float = 0.0
    _pressed: set[str] = field(default_factory=set)
    _spent: bool = False

    def take(self, at_s: float, kind: str, cell: Cell) -> None:
        """Follow one event."""
        if kind == "mv" or self.game.status is not Status.PLAYING:
            return
        button, pressed = kind[0].replace("s", "m"), kind[1] == "c"
        if kind == "sc":
            self._pressed = {"s"}  # Shift: the left button is released next
        elif pressed:
            self._pressed.add(button)
            if kind == "rc" and "l" not in self._pressed:
                self._act(at_s, "rc", cell, Game.flag)
        else:
            self._release(at_s, button, cell)

    def _release(self, at_s: float, button: str, cell: Cell) -> None:
        held = self._pressed
        if button not in held and not (button == "l" and "s" in held):
            return
        chord = {"l", "r"} <= held or bool(held & {"m", "s"})
        if button == "l" and self.superclick and self._shows_number(cell):
            chord = True
        if chord and not self._spent:
            self._act(at_s, "cc", cell, Game.chord)
        elif button == "l" and not self._spent:
            self._act(at_s, "lr", cell, Game.open)
        held -= {button, "s"}
        self._spent = chord and bool(held)

    def _shows_number(self, cell: Cell) -> bool:
        board = self.game.board
        inside = 0 <= cell.row < board.rows and 0 <= cell.col < board.cols
        return inside and board[cell] > 0

    def _act(self, at_s: float, button: str, cell: Cell, act: Any) -> None:
        """Apply a click to the game; one that changes nothing is not recorded as a move."""
        before = self.game.board
        if not (0 <= cell.row < before.rows and 0 <= cell.col < before.cols):
            return
        self.clicks, self.last_s = self.clicks + 1, at_s
        act(self.game, cell, **({"question_marks": self.marks} if button == "rc" else {}))
        if self.game.board != before:
            rows = before.text_rows()
            self.moves.append({"at_s": at_s, "button": button, "cell": list(cell), "board": rows})


def _date(text: str) -> str:
    """Return a date in ISO 8601; empty if it cannot be read."""
    try:
        return datetime.fromisoformat(text).isoformat(timespec="seconds")
    except ValueError:
        return ""
