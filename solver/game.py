"""A game of Minesweeper without a window, with the rules of real programs."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from solver.board import Board, Cell, Tile, count_neighbours
from solver.counting import counted
from solver.errors import BadCell, BadMineTotal, InconsistentBoard


class Status(Enum):
    """The state of a game."""

    PLAYING = "playing"
    WON = "won"
    LOST = "lost"


_OPENABLE = frozenset((int(Tile.HIDDEN), int(Tile.QUESTION)))
"""Tiles that a click opens, as plain numbers: enums took a third of a game's time."""


class Rule(Enum):
    """The first-click rule: which cells are free of mines at the first click.

    None of them, the cell itself, or the cell and its neighbours.
    """

    NONE = "none"
    SAFE = "safe"
    ZERO = "zero"

    def spared(self, board: Board, cell: Cell) -> set[Cell]:
        """Return the cells that are kept free of mines when ``cell`` is opened first."""
        if self is Rule.NONE:
            return set()
        return {cell, *board.neighbours(cell)} if self is Rule.ZERO else {cell}


class Game:
    """One game. The mines are placed when the first cell is opened, by the first-click rule.

    ``order`` is a random order of cell indices (row * cols + col). The mines are its first
    ``mines`` entries that the rule allows, so one order works for any first click. It needs at
    least ``mines + 9`` entries, or all cells. If the board has too many mines to spare all cells
    of the rule, only the first cell is spared. Raises `BadMineTotal` when the mines leave no cell
    free, and `BadCell` where a cell beside the board is opened, flagged or chorded.

    >>> game = Game.random(2, 3, 1, rule=Rule.SAFE, seed=1)
    >>> game.open(Cell(0, 0))
    >>> print(game.board)
    01#
    01#
    >>> game
    Game(2x3, 1 mine, playing, '01#/01#')
    """

    def __init__(
        self, rows: int, cols: int, mines: int, *, rule: Rule = Rule.SAFE, order: Sequence[int]
    ) -> None:
        if not 0 <= mines < rows * cols:
            raise BadMineTotal(
                f"{counted(mines, 'mine leaves', 'mines leave')} no safe cell on a {rows}x{cols} "
                "board."
            )
        self.rule = rule
        self.status = Status.PLAYING
        self._order = order
        self._total = mines
        self._mines: NDArray[np.bool_] | None = None
        self._numbers = np.zeros((rows, cols), dtype=np.int8)
        self._tiles = np.full((rows, cols), Tile.HIDDEN, dtype=np.int8)
        self._left = rows * cols - mines

    @classmethod
    def random(
        cls, rows: int, cols: int, mines: int, *, rule: Rule = Rule.SAFE, seed: int | str = 0
    ) -> Game:
        """Create a game from a seed."""
        order = list(range(rows * cols))
        random.Random(seed).shuffle(order)
        return cls(rows, cols, mines, rule=rule, order=order)

    @classmethod
    def from_position(cls, board: Board, mines: NDArray[np.bool_]) -> Game:
        """Continue a game from ``board`` with its mines, a bool array of the board's shape.

        Raises `InconsistentBoard` when the mines do not fit what the board shows.
        """
        game = cls(board.rows, board.cols, int(mines.sum()), order=range(board.tiles.size))
        game._place(mines)
        shown = board.tiles >= 0
        if (game._numbers[shown] != board.tiles[shown]).any() or mines[shown].any():
            raise InconsistentBoard("These mines do not fit the numbers on the board.")
        game._tiles = board.tiles.copy()
        game._left -= int(shown.sum())
        if (board.tiles == Tile.EXPLODED).any():
            game.status = Status.LOST
        elif game._left == 0:
            game.status = Status.WON
        return game

    def __repr__(self) -> str:
        rows, cols = self._tiles.shape
        shown = "/".join(self.board.text_rows())
        mines = counted(self._total, "mine")
        return f"Game({rows}x{cols}, {mines}, {self.status.value}, {shown!r})"

    @property
    def board(self) -> Board:
        """What the player sees."""
        return Board(self._tiles, self._total)

    @property
    def mines(self) -> NDArray[np.bool_] | None:
        """Where the mines are, None before the first cell is opened. Agents must not use it."""
        return self._mines

    @property
    def started(self) -> bool:
        """Whether a first cell was opened."""
        return self._mines is not None

    def lay(self, first: Cell) -> NDArray[np.bool_]:
        """Place the mines for a game whose first opened cell is ``first``; return them."""
        rows, cols = self._tiles.shape
        spared = {row * cols + col for row, col in self.rule.spared(self.board, first)}
        if self._total > rows * cols - len(spared):
            spared = {first.row * cols + first.col}
        mines = np.zeros(rows * cols, dtype=np.bool_)
        mines[[index for index in self._order if index not in spared][: self._total]] = True
        return self._place(mines.reshape(rows, cols))

    def open(self, cell: Cell) -> None:
        """Open a covered cell without a flag, and the area around a zero; else do nothing."""
        if self._shown(cell) not in _OPENABLE or self.status is not Status.PLAYING:
            return
        mines = self._mines if self._mines is not None else self.lay(cell)
        if mines[cell]:
            self._explode([cell])
        else:
            self._reveal(cell)

    def flag(self, cell: Cell, *, question_marks: bool = False) -> None:
        """Change a covered cell to its next mark: flag, question mark (if they are on), none."""
        tile = self._shown(cell)
        if self.status is not Status.PLAYING:
            return
        next_tile = {
            Tile.HIDDEN: Tile.FLAG,
            Tile.FLAG: Tile.QUESTION if question_marks else Tile.HIDDEN,
            Tile.QUESTION: Tile.HIDDEN if question_marks else Tile.FLAG,
        }
        self._tiles[cell] = next_tile.get(Tile(tile), tile) if tile < 0 else tile

    def chord(self, cell: Cell) -> None:
        """Open the neighbours of a number that have no flag, if its flags are complete."""
        number = self._shown(cell)
        if self.status is not Status.PLAYING or number <= 0 or self._mines is None:
            return
        around = self._neighbours(cell)
        if sum(self._tiles[near] == Tile.FLAG for near in around) != number:
            return
        targets = [near for near in around if self._tiles[near] in (Tile.HIDDEN, Tile.QUESTION)]
        hit = [near for near in targets if self._mines[near]]
        if hit:
            self._explode(hit)
            return
        for near in targets:
            self._reveal(near)

    def _shown(self, cell: Cell) -> int:
        """Return what a cell shows. Raises `BadCell` beside the board."""
        row, col = cell
        rows, cols = self._tiles.shape
        if 0 <= row < rows and 0 <= col < cols:
            return self._tiles.item(row, col)
        raise BadCell.outside(row, col, (rows, cols))

    def _place(self, mines: NDArray[np.bool_]) -> NDArray[np.bool_]:
        self._mines = mines
        self._numbers = count_neighbours(mines)
        return self._mines

    def _reveal(self, start: Cell) -> None:
        """Open a safe cell, and around every zero its neighbours; flagged cells stay closed."""
        tiles, numbers = self._tiles, self._numbers
        stack = [start]
        while stack:
            cell = stack.pop()
            if tiles.item(*cell) not in _OPENABLE:
                continue
            number = numbers.item(*cell)
            tiles[cell] = number
            self._left -= 1
            if number == 0:
                stack.extend(self._neighbours(cell))
        if self._left == 0:
            self._win()

    def _neighbours(self, cell: Cell) -> list[Cell]:
        rows, cols = self._tiles.shape
        return [
            Cell(row, col)
            for row in range(max(0, cell.row - 1), min(rows, cell.row + 2))
            for col in range(max(0, cell.col - 1), min(cols, cell.col + 2))
            if (row, col) != cell
        ]

    def _win(self) -> None:
        self.status = Status.WON
        self._tiles[self._tiles < 0] = Tile.FLAG

    def _explode(self, hit: Iterable[Cell]) -> None:
        """Lose the game: show unflagged mines, the mines that were hit, and wrong flags."""
        assert self._mines is not None
        self.status = Status.LOST
        flagged = self._tiles == Tile.FLAG
        self._tiles[self._mines & ~flagged] = Tile.MINE
        self._tiles[~self._mines & flagged] = Tile.WRONG_FLAG
        for cell in hit:
            self._tiles[cell] = Tile.EXPLODED
