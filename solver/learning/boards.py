"""Boards to learn on: thousands played at once in compiled code, and stuck positions.

A cell is ``row * cols + col``. The *report's game* follows the DQN report and its program: a zero
opens the zeros that touch it, but no numbers; before the first move, five draws open zeros; the
first move may hit a mine.
"""

from __future__ import annotations

from ctypes import Structure, byref, c_int32, c_void_p
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.analysis import analyse
from solver.board import Board
from solver.engine.calls import address
from solver.engine.library import library
from solver.game import Rule
from solver.learning.weights import Arrays

PLAYING_CODE: Final = 0
WON_CODE: Final = 1
LOST_CODE: Final = 2

HIT: Final = -1
"""The result of `Boards.open` for a mine, in place of the number of opened tiles."""

CELLS_A_CALL: Final = 500_000
"""Cells of one engine call, which cannot be interrupted: up to 55 ns per cell."""


class _CBoards(Structure):
    """The `Boards` of ``engine.h``."""

    _fields_ = (
        *((name, c_int32) for name in ("rows", "cols", "mines", "rule", "report_game")),
        *(
            (name, c_void_p)
            for name in ("tiles", "mined", "laid", "left", "status", "random", "room")
        ),
    )


class Boards:
    """Boards of one size, their mines, and the state of their games.

    ``tiles`` is an int8 array ``(count, rows, cols)`` of numbers, and -1 for covered cells.
    ``mined`` has the same shape; ``mined[b]`` is valid once ``laid[b]`` is true. ``left`` counts
    the safe cells that are covered, ``status`` is PLAYING_CODE, WON_CODE or LOST_CODE.

    The mines follow from ``seed``. The report's game has no first-click rule and ignores ``rule``.
    """

    def __init__(
        self,
        count: int,
        rows: int,
        cols: int,
        mines: int,
        rule: Rule,
        seed: int,
        *,
        report_game: bool = False,
    ) -> None:
        self.rows, self.cols, self.mines = rows, cols, mines
        self.tiles = np.empty((count, rows, cols), np.int8)
        self.mined = np.zeros((count, rows, cols), np.bool_)
        self.laid = np.zeros(count, np.bool_)
        self.left = np.zeros(count, np.int32)
        self.status = np.zeros(count, np.int8)
        self._kept = {
            "tiles": self.tiles,
            "mined": self.mined,
            "laid": self.laid,
            "left": self.left,
            "status": self.status,
            "random": np.random.default_rng(seed).integers(0, 2**63, count).astype(np.uint64),
        }
        self._room = np.empty(2 * rows * cols, np.int32)
        self._struct = _CBoards(
            rows,
            cols,
            mines,
            0 if report_game else list(Rule).index(rule),
            report_game,
            *(array.ctypes.data for array in (*self._kept.values(), self._room)),
        )
        self.deal(np.ones(count, np.bool_))

    def __len__(self) -> int:
        return len(self.tiles)

    def deal(self, chosen: NDArray[np.bool_]) -> None:
        """Start a new game on the chosen boards."""
        self._call("engine_deal", address(chosen, np.bool_, (len(self),)))

    def open(self, cells: ArrayLike) -> NDArray[np.int32]:
        """Open one cell on each board whose game is not over; cell -1 opens nothing.

        Returns the number of tiles that each move opened: 0 for a cell that was already open, HIT
        for a mine. Raises `ValueError` for a cell that is not on the board.
        """
        given, last = np.asarray(cells), self.rows * self.cols - 1
        if not ((given >= -1) & (given <= last)).all():
            raise ValueError(f"A cell is a number from -1 to {last}.")
        chosen = np.ascontiguousarray(given, np.int32)
        opened = np.empty(len(self), np.int32)
        shape = (len(self),)
        self._call(
            "engine_open_cells",
            address(chosen, np.int32, shape),
            address(opened, np.int32, shape),
        )
        return opened

    def survive(self, chosen: NDArray[np.bool_]) -> None:
        """Continue the chosen lost games: open another cell, which is safe.

        It is a random safe cell beside a number, or else any safe cell.
        """
        self._call("engine_survive", address(chosen, np.bool_, (len(self),)))

    def exact_risks(self) -> NDArray[np.float64]:
        """Return the exact risk of every covered cell ``(count, rows, cols)``; 0 on open cells."""
        found = [analyse(Board(tiles, self.mines)).probabilities for tiles in self.tiles]
        return np.nan_to_num(np.stack(found))

    def state(self) -> Arrays:
        """Return everything the next move depends on."""
        return {f"boards.{name}": array for name, array in self._kept.items()}

    def restore(self, state: Arrays) -> None:
        """Restore the result of `state`."""
        for name, array in self._kept.items():
            array[:] = state[f"boards.{name}"]

    def _call(self, entry: str, *addresses: int) -> None:
        """Call an engine entry for all boards, a block at a time."""
        call, step = getattr(library(), entry), max(1, CELLS_A_CALL // (self.rows * self.cols))
        for first in range(0, len(self), step):
            end = min(first + step, len(self))
            call(byref(self._struct), first, end, *map(c_void_p, addresses))


# ---- positions in which the thesis's methods are stuck -------------------------------------------


COVERED_CODE, MINE_CODE = -2, -1
"""Codes of the thesis's state; a number stands for itself."""


class StuckPosition(NamedTuple):
    """The 5x5 cells around a covered cell: codes, and which of them are mines.

    Codes: `COVERED_CODE`, `MINE_CODE` for a known mine, 0-8; outside the board 0.
    ``less`` are the codes with the known mines around each number subtracted from it.
    """

    codes: NDArray[np.float32]
    less: NDArray[np.float32]
    mines: NDArray[np.bool_]

    @property
    def mine(self) -> bool:
        """Whether the cell in the middle is a mine."""
        return bool(self.mines[2, 2])
