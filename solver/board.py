"""What a player sees: cells, tiles and the board.

One row of a board is one line of text: ``#`` hidden, ``0``-``8`` open (``.`` also reads as
0), ``F`` flag, ``?`` question mark, ``*`` shown mine, ``X`` exploded mine, ``W`` wrong flag,
``~`` unknown. Other forms that can be read: `solver.notation`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.counting import counted
from solver.errors import BadBoardText, BadCell, BadMineTotal
from solver.notation import board_rows

MAX_SIDE = 400
"""Longest side of a board, in cells: far more than any program has, to reject absurd input."""


class Cell(NamedTuple):
    """A place on the board, counted from 0 at the top left."""

    row: int
    col: int

    @property
    def place(self) -> str:
        """The cell's name for people, who count from 1: ``row 4, column 7``."""
        return f"row {self.row + 1}, column {self.col + 1}"


class Tile(IntEnum):
    """What a cell shows. The numbers 0-8 stand for themselves.

    An unknown cell may show anything: something hides it, or its reading is in doubt.
    """

    HIDDEN = -1
    FLAG = -2
    QUESTION = -3
    MINE = -4
    EXPLODED = -5
    WRONG_FLAG = -6
    UNKNOWN = -7


_LAST_COVERED = int(Tile.QUESTION)
_LAST_TILE = int(Tile.UNKNOWN)
"""As plain numbers, because numpy takes three times as long to compare with an enum."""

TEXT_OF_TILE = {
    **{number: str(number) for number in range(9)},
    Tile.HIDDEN: "#",
    Tile.FLAG: "F",
    Tile.QUESTION: "?",
    Tile.MINE: "*",
    Tile.EXPLODED: "X",
    Tile.WRONG_FLAG: "W",
    Tile.UNKNOWN: "~",
}
TILE_OF_TEXT = {text: int(tile) for tile, text in TEXT_OF_TILE.items()} | {".": 0}


@dataclass(frozen=True, eq=False)
class Board:
    r"""What a player sees of a game, frozen.

    ``tiles`` is a read-only int8 array ``(rows, cols)`` of numbers 0-8 and `Tile` values;
    ``mines`` is the total on the whole board, or None when it is not known.

    Raises `BadBoardText` for an invalid array, `BadMineTotal` for a total below 0 or above the
    number of cells. ``board[row, col]`` raises `BadCell` outside the board.

    >>> board = Board.from_text("1#\n11", mines=1)
    >>> board.rows, board.cols, board[Cell(0, 1)] == Tile.HIDDEN
    (2, 2, True)
    >>> print(board)
    1#
    11
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
            raise BadMineTotal(
                f"{counted(mines, 'mine')} cannot lie on a board of {counted(array.size, 'cell')}."
            )
        array.setflags(write=False)
        object.__setattr__(self, "tiles", array)
        object.__setattr__(self, "mines", mines)

    @classmethod
    def from_text(cls, text: str, mines: int | None = None) -> Board:
        r"""Read a board that is drawn one row a line, in any form that `solver.notation` knows.

        Labels, frames, blank lines, and sentences before and after the board are skipped. Raises
        `BadBoardText` for no rows, ragged rows, and a sign that is unknown or may mean several
        things.

        >>> print(Board.from_text("1 ⚑\n- -"))
        1F
        ##
        """
        return cls([[TILE_OF_TEXT[sign] for sign in row] for row in board_rows(text)], mines)

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

    def __getitem__(self, cell: tuple[int, int]) -> int:
        row, col = cell
        if 0 <= row < self.tiles.shape[0] and 0 <= col < self.tiles.shape[1]:
            return int(self.tiles[row, col])
        raise BadCell.outside(row, col, self.tiles.shape)

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
    def unknown(self) -> NDArray[np.bool_]:
        """Mask of the cells that may show anything."""
        return np.asarray(self.tiles == _LAST_TILE)

    @property
    def flags(self) -> int:
        """Number of flags."""
        return int((self.tiles == Tile.FLAG).sum())

    def cells(self) -> Iterator[Cell]:
        """Walk over all cells, row by row."""
        return (Cell(row, col) for row in range(self.rows) for col in range(self.cols))

    def hidden_cells(self) -> list[Cell]:
        """List the hidden cells without a mark, row by row."""
        return [cell for cell in self.cells() if self[cell] == Tile.HIDDEN]

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

    def with_known_mines(self, cells: Iterable[Cell]) -> Board:
        """Return the board with mines on those of the ``cells`` that are hidden."""
        known = [cell for cell in cells if self[cell] == Tile.HIDDEN]
        if not known:
            return self
        tiles = self.tiles.copy()
        tiles[tuple(zip(*known, strict=True))] = Tile.MINE
        return Board(tiles, self.mines)


def count_neighbours(mask: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Count, for every cell, how many of the up to eight cells around it ``mask`` marks.

    Takes a mask ``(rows, cols)`` and returns int8 counts of the same shape.
    """
    rows, cols = mask.shape
    # The rows lie one behind the other with empty cells between them, so that one addition of
    # flat slices adds neighbours on the whole board: 8.7 us for 16x30, where a sum over slices
    # of the padded board takes 11.7 and OpenCV's filter 8.4.
    width = cols + 2
    flat = np.zeros((rows + 2) * width + 2, dtype=np.int8)
    flat[:-2].reshape(rows + 2, width)[1:-1, 1:-1] = mask
    triples = flat[:-2] + flat[1:-1]
    triples += flat[2:]
    end = rows * width
    counts = triples[:end] + triples[width : end + width]
    counts += triples[2 * width :]
    counts -= flat[width + 1 : end + width + 1]
    return np.ascontiguousarray(counts.reshape(rows, width)[:, :cols])


def marked(shape: tuple[int, ...], cells: Iterable[Cell]) -> NDArray[np.bool_]:
    """Mark cells on a board of this shape."""
    mask = np.zeros(shape, np.bool_)
    for cell in cells:
        mask[cell] = True
    return mask


def flooded(opened: NDArray[np.bool_], zeros: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark ``opened`` cells and all cells that flooding from zero to zero opens.

    Both masks are ``(rows, cols)``; ``zeros`` are the cells that are, or may be, zeros.
    """
    size = -1
    while (now := int(opened.sum())) > size:
        size = now
        opened = opened | (count_neighbours(opened & zeros) > 0)
    return opened
