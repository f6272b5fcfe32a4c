"""Read a game file in the open text format RawVF, into which other formats can be converted.

Lines ``Key: value`` describe the game; then come the mines, one row a line, and what the mouse did:
``12.340 lc 4 3 (56 40)`` is the left button pressed after 12.34 s in column 4 and row 3, 56 and 40
pixels from the corner of the board. Programs count cells from 1 or from 0, so pixels are used if
they are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from solver.board import Board, Cell, Tile
from solver.game import Game, Status

EVENT = re.compile(r"(-?[0-9.]+) +([lrms][cr]|mv) +(-?\d+) +(-?\d+)(?: +\((-?\d+) +(-?\d+)\))?")
DEFAULT_TILE_PX = 16

MOST_EVENTS = 2_000_000
"""Far more than a game has: a mouse reports a hundred positions a second."""


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
    """Yield what the mouse did; other events, such as what the board showed, are left out."""
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
    released; the other button then does nothing more.
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
            self._pressed = {"s"}  # Shift: what is released next is the left button
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
    """Return a date as ISO 8601 writes it; empty where it cannot be read."""
    try:
        return datetime.fromisoformat(text).isoformat(timespec="seconds")
    except ValueError:
        return ""
