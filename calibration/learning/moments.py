"""Games at the moments that screenshots show: fresh, part-open, before and after a click, over.

A game is played here as people play: the first click mostly opens a region, later ones go on from
its rim; then a player's flags and question marks are set. The rules are those of `solver.game`,
but whole boards at once, in about a millisecond.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from solver.board import Tile
from solver.game import Status

STAGES = {"fresh": 0.08, "playing": 0.57, "won": 0.13, "lost": 0.22}
"""How often each moment is drawn."""

SHARES_OF_MINES = (0.08, 0.16), (0.12, 0.22), (0.25, 0.5)
"""Of the cells; the last one is denser than games are, so that the numbers 5 and 6 are seen."""

RINGED = 0.2
"""Share of games in which some cells are all but surrounded, so that the numbers 7 and 8 are."""

_AROUND = np.ones((3, 3), np.uint8)


@dataclass(frozen=True)
class Moment:
    """What a board shows after a click, and what it showed before.

    ``tiles`` and ``before`` are int8 ``(rows, cols)`` of numbers 0-8 and `Tile` values;
    ``opened`` marks the cells that the player clicked to open.
    """

    tiles: NDArray[np.int8]
    before: NDArray[np.int8]
    opened: NDArray[np.bool_]
    status: Status


class DrawnGame:
    """Mines by chance, and which cells are open."""

    def __init__(self, rng, rows, cols):
        self.rng = rng
        low, high = SHARES_OF_MINES[int(rng.choice(3, p=[0.45, 0.37, 0.18]))]
        share = rng.uniform(low, high)
        mines = np.zeros(rows * cols, np.uint8)
        count = int(np.clip(round(share * rows * cols), 1, rows * cols - 1))
        mines[rng.choice(rows * cols, count, replace=False)] = 1
        self.mines = mines.reshape(rows, cols)
        if rng.random() < RINGED:
            self._ring()
        around = cv2.filter2D(self.mines, -1, _AROUND.astype(np.float32),
                              borderType=cv2.BORDER_CONSTANT)  # fmt: skip
        self.numbers = np.where(self.mines, 9, around).astype(np.int8)
        zeros = (self.numbers == 0).astype(np.uint8)
        self.regions = cv2.connectedComponents(zeros, connectivity=8)[1]
        self.open = np.zeros((rows, cols), bool)
        self.opened = np.zeros((rows, cols), bool)

    def _ring(self):
        """Put mines around a few cells, as chance hardly ever does."""
        for _ in range(int(self.rng.integers(1, 5))):
            row, col = (int(self.rng.integers(1, max(2, size - 1))) for size in self.mines.shape)
            near = self.mines[row - 1 : row + 2, col - 1 : col + 2]
            near[self.rng.random(near.shape) < 0.88] = 1
            near[1, 1] = 0

    def click(self, cell):
        """Open a free cell, and its region if it has no mine around."""
        self.opened[cell] = True
        self.open[cell] = True
        if self.numbers[cell] == 0:
            region = (self.regions == self.regions[cell]).astype(np.uint8)
            self.open |= cv2.dilate(region, _AROUND).astype(bool) & (self.mines == 0)

    def start(self):
        """Open the first cell: mostly one without a mine around."""
        empty = np.argwhere(self.numbers == 0)
        if len(empty) and self.rng.random() < 0.85:
            self.click(_any(self.rng, empty))
        else:
            self.click(_any(self.rng, np.argwhere(self.mines == 0)))

    def next_cell(self):
        """Return a free cell that is not open, mostly beside an open one; None if all are open."""
        left = ~self.open & (self.mines == 0)
        if not left.any():
            return None
        rim = left & cv2.dilate(self.open.astype(np.uint8), _AROUND).astype(bool)
        places = rim if rim.any() and self.rng.random() < 0.9 else left
        return _any(self.rng, np.argwhere(places))

    def play(self, share):
        """Open cells until a share of the free ones is open, the last click apart."""
        free = int((self.mines == 0).sum())
        while self.open.sum() < share * free:
            cell = self.next_cell()
            self.click(cell)


def _any(rng, cells):
    return tuple(int(v) for v in cells[int(rng.integers(len(cells)))])


def moment(rng, rows, cols, stage=None):
    """Return a `Moment` of a game by chance; ``stage`` is a name of `STAGES`."""
    stage = stage or str(rng.choice(list(STAGES), p=list(STAGES.values())))
    game = DrawnGame(rng, rows, cols)
    if stage == "fresh":
        tiles = np.full((rows, cols), Tile.HIDDEN, np.int8)
        return Moment(tiles, tiles, game.opened, Status.PLAYING)
    game.start()
    if stage == "won":
        return _won(rng, game)
    game.play(rng.beta(1.0, 1.3) if rng.random() < 0.85 else 0.0)
    # The last free cell would win the game.
    marks = _marks(rng, game)
    before = np.where(game.open, game.numbers, marks).astype(np.int8)
    if stage == "lost":
        return _lost(rng, game, before)
    return _going_on(rng, game, before, marks)


def _going_on(rng, game, before, marks):
    cell = game.next_cell()
    was = game.open.copy(), game.opened.copy()
    if cell is not None and rng.random() < 0.6:
        game.click(cell)
    if (game.open | (game.mines == 1)).all():
        game.open, game.opened = was
    if (game.open | (game.mines == 1)).all():
        hide = _any(rng, np.argwhere(game.open))
        game.open[hide] = game.opened[hide] = False
        before = np.where(game.open, game.numbers, np.where(marks == 0, Tile.HIDDEN, marks))
    tiles = np.where(game.open, game.numbers, marks).astype(np.int8)
    return Moment(tiles, before.astype(np.int8), game.opened, Status.PLAYING)


def _marks(rng, game):
    """Return what the cells show that are not open: hidden, flags and question marks."""
    marks = np.full(game.mines.shape, Tile.HIDDEN, np.int8)
    mines = game.mines == 1
    near = mines & cv2.dilate(game.open.astype(np.uint8), _AROUND).astype(bool)
    way = rng.random()
    if way < 0.2:
        marks[near & (rng.random(mines.shape) < 0.3)] = Tile.FLAG
    elif way < 0.5:
        marks[near & (rng.random(mines.shape) < 0.95)] = Tile.FLAG
    elif way < 0.58:
        marks[mines & (rng.random(mines.shape) < 0.5)] = Tile.FLAG
    if rng.random() < 0.12:
        marks[rng.random(mines.shape) < rng.uniform(0.01, 0.12)] = Tile.FLAG
    if rng.random() < 0.18:
        marks[rng.random(mines.shape) < rng.uniform(0.01, 0.1)] = Tile.QUESTION
    return marks


def _won(rng, game):
    cell = game.next_cell() or _any(rng, np.argwhere(game.mines == 0))
    free, mines = game.mines == 0, game.mines == 1
    shown = [Tile.FLAG, Tile.HIDDEN, Tile.MINE][int(rng.choice(3, p=[0.5, 0.25, 0.25]))]
    tiles = np.where(free, game.numbers, shown).astype(np.int8)
    if rng.random() < 0.2:
        tiles[mines & (rng.random(mines.shape) < 0.5)] = Tile.FLAG
    before = np.where(mines, Tile.HIDDEN, tiles).astype(np.int8)
    before[mines & (tiles == Tile.FLAG) & (rng.random(mines.shape) < 0.7)] = Tile.FLAG
    before[cell] = Tile.HIDDEN
    game.opened[cell] = True
    return Moment(tiles, before, game.opened, Status.WON)


def _lost(rng, game, before):
    mines = game.mines == 1
    unflagged = mines & (before == Tile.HIDDEN)
    if not unflagged.any():
        unflagged = mines
    cell = _any(rng, np.argwhere(unflagged))
    if rng.random() < 0.3:
        before[(before == Tile.HIDDEN) & ~mines & (rng.random(mines.shape) < 0.05)] = Tile.FLAG
    tiles, flags = before.copy(), before == Tile.FLAG
    if rng.random() < 0.15:
        tiles = game.numbers.copy()
        tiles[flags] = Tile.FLAG
    if rng.random() < 0.93:
        tiles[mines & (~flags | (rng.random() < 0.4))] = Tile.MINE
        if rng.random() < 0.7:
            tiles[flags & ~mines] = Tile.WRONG_FLAG
    tiles[(tiles == 9)] = Tile.MINE
    tiles[cell] = Tile.EXPLODED if rng.random() < 0.85 else Tile.MINE
    if rng.random() < 0.04:
        tiles[tiles == Tile.MINE] = Tile.EXPLODED
    game.opened[cell] = True
    return Moment(tiles.astype(np.int8), before, game.opened, Status.LOST)
