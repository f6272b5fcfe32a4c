"""What a player sees: cells, tiles and the board, with its text form.

One row of a board is one line of text: ``#`` hidden, ``0``-``8`` open (``.`` also reads as
0), ``F`` flag, ``?`` question mark, ``*`` shown mine, ``X`` exploded mine, ``W`` wrong flag.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.errors import BadBoardText, BadMineTotal

MAX_SIDE = 400
"""Longest side of a board, in cells. Far over any program's, it stops absurd input early."""


class Cell(NamedTuple):
    """A place on the board, counted from 0 at the top left."""

    row: int
    col: int


class Tile(IntEnum):
    """What a cell shows. The numbers 0-8 stand for themselves."""

    HIDDEN = -1
    FLAG = -2
    QUESTION = -3
    MINE = -4
    EXPLODED = -5
    WRONG_FLAG = -6


_LAST_COVERED = int(Tile.QUESTION)
_LAST_TILE = int(Tile.WRONG_FLAG)
"""Plain numbers: numpy takes three times as long to compare with an enum."""

TEXT_OF_TILE = {
    **{number: str(number) for number in range(9)},
    Tile.HIDDEN: "#",
    Tile.FLAG: "F",
    Tile.QUESTION: "?",
    Tile.MINE: "*",
    Tile.EXPLODED: "X",
    Tile.WRONG_FLAG: "W",
}
TILE_OF_TEXT = {text: int(tile) for tile, text in TEXT_OF_TILE.items()} | {".": 0}


@dataclass(frozen=True, eq=False)
class Board:
    """A frozen picture of the game.

    ``tiles`` is a read-only int8 array ``(rows, cols)`` of numbers 0-8 and `Tile` values;
    ``mines`` is the total on the whole board, or None when it is not known.

    Raises `BadBoardText` for an array that is no board, `BadMineTotal` for a total below 0
    or over the number of cells.
    """

    tiles: NDArray[np.int8]
    mines: int | None = None

    def __init__(self, tiles: ArrayLike, mines: int | None = None) -> None:
        array = np.array(tiles, dtype=np.int8, order="C")
        if array.ndim != 2 or array.size == 0:
            raise BadBoardText("A board needs at least one row and one column.")
        if max(array.shape) > MAX_SIDE:
            raise BadBoardText(f"A board side may have at most {MAX_SIDE} cells.")
        if array.min() < _LAST_TILE or array.max() > 8:
            raise BadBoardText("A board holds only the numbers 0 to 8 and the tile codes.")
        if mines is not None and not 0 <= mines <= array.size:
            raise BadMineTotal(f"{mines} mines cannot lie on a board of {array.size} cells.")
        array.setflags(write=False)
        object.__setattr__(self, "tiles", array)
        object.__setattr__(self, "mines", mines)

    @classmethod
    def from_text(cls, text: str, mines: int | None = None) -> Board:
        """Read a board drawn one row a line; blank lines and outer spaces do not count.

        Raises `BadBoardText` for no rows, ragged rows or an unknown character.
        """
        rows = [line.strip() for line in text.splitlines() if line.strip()]
        if not rows:
            raise BadBoardText("The board text is empty.")
        for number, row in enumerate(rows, start=1):
            if len(row) != len(rows[0]):
                raise BadBoardText(
                    f"Row {number} has {len(row)} cells where row 1 has {len(rows[0])}."
                )
            unknown = set(row) - TILE_OF_TEXT.keys()
            if unknown:
                raise BadBoardText(f"Row {number} holds {min(unknown)!r}, which is no tile.")
        return cls([[TILE_OF_TEXT[char] for char in row] for row in rows], mines)

    def __str__(self) -> str:
        return "\n".join(self.text_rows())

    def text_rows(self) -> list[str]:
        """Draw each row as text."""
        return ["".join(TEXT_OF_TILE[tile] for tile in row) for row in self.tiles.tolist()]

    def __repr__(self) -> str:
        return f"Board({'/'.join(self.text_rows())!r}, mines={self.mines})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return self.mines == other.mines and np.array_equal(self.tiles, other.tiles)

    def __hash__(self) -> int:
        return hash((self.tiles.shape, self.tiles.tobytes(), self.mines))

    def __getitem__(self, cell: Cell) -> int:
        return int(self.tiles[cell.row, cell.col])

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.tiles.shape[0])

    @property
    def cols(self) -> int:
        """Number of columns."""
        return int(self.tiles.shape[1])

    @property
    def open(self) -> NDArray[np.bool_]:
        """Mask of the cells that show a number."""
        return self.tiles >= 0

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Mask of the cells not opened yet: hidden, flagged or with a question mark."""
        return (self.tiles < 0) & (self.tiles >= _LAST_COVERED)

    @property
    def flags(self) -> int:
        """Number of flags."""
        return int((self.tiles == Tile.FLAG).sum())

    def cells(self) -> Iterator[Cell]:
        """Walk over all cells, row by row."""
        return (Cell(row, col) for row in range(self.rows) for col in range(self.cols))

    def neighbours(self, cell: Cell) -> list[Cell]:
        """List the up to eight cells that touch ``cell``."""
        return [
            Cell(row, col)
            for row in range(max(0, cell.row - 1), min(self.rows, cell.row + 2))
            for col in range(max(0, cell.col - 1), min(self.cols, cell.col + 2))
            if (row, col) != cell
        ]

    def with_mines(self, mines: int | None) -> Board:
        """Return the same tiles with another mine total."""
        return Board(self.tiles, mines)


def count_neighbours(mask: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Count, for every cell, how many of the up to eight cells around it ``mask`` holds."""
    rows, cols = mask.shape
    padded = np.zeros((rows + 2, cols + 2), dtype=np.int8)
    padded[1:-1, 1:-1] = mask
    across = padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]
    counts: NDArray[np.int8] = across[:-2] + across[1:-1] + across[2:] - padded[1:-1, 1:-1]
    return counts
