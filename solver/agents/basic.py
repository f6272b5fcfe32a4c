"""The CSP report's basic agent: two rules on a board that counts neighbours of each kind.

Source: "MineSweeper AI", P. Kulkarni, 2020, sections 2.3, 3.2, 3.3. The agent knows, for each
cell, its status and five counts: ``cmn`` mine neighbours (the number shown), ``ctn`` all
neighbours, ``cism`` neighbours identified as safe, ``cimn`` identified as mines, ``chn`` hidden.

1. cmn = cimn + chn: every hidden neighbour is a mine.
2. ctn - cmn = cism + chn: every hidden neighbour is safe.

Where the report leaves a choice:

- The report opens its inferred cells one by one; here they are one turn.
- As in the report (section 4.2, 3), a cell that is inferred to be safe is not entered as safe
  before it is opened, while a mine is entered at once.
- The random cell is drawn from all hidden cells, also at the first click.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.agents.reasoner import Inference, Reasoner
from solver.board import Board, Cell, Tile, count_neighbours
from solver.errors import InconsistentBoard

Mask = NDArray[np.bool_]


class VisibleBoard:
    """The report's knowledge base: status and counts of every cell, as arrays ``(rows, cols)``."""

    def __init__(self, board: Board) -> None:
        self.shows_number: Mask = board.open
        self.hidden: Mask = board.covered
        self.safe: Mask = board.open | (board.tiles == Tile.WRONG_FLAG)
        self.mine: Mask = (board.tiles == Tile.MINE) | (board.tiles == Tile.EXPLODED)
        self.cmn = board.tiles
        self.ctn = count_neighbours(np.ones(board.tiles.shape, dtype=np.bool_))
        self.count()

    def count(self) -> None:
        """Count the neighbours of each kind."""
        self.cism = count_neighbours(self.safe)
        self.cimn = count_neighbours(self.mine)
        self.chn = count_neighbours(self.hidden)

    def beside(self, numbers: Mask) -> Mask:
        """Mark the hidden cells that touch one of ``numbers``."""
        return self.hidden & (count_neighbours(numbers) > 0)

    def enter_mines(self, cells: Mask) -> None:
        """Enter ``cells`` as identified mines."""
        self.mine = self.mine | cells
        self.hidden = self.hidden & ~cells
        self.count()


class Basic(Reasoner):
    """Applies two rules, and opens a random cell if they prove none safe."""

    name = "basic"
    method = "proven by the two rules"

    def prove(self, board: Board) -> Inference:
        """Apply the two rules until no mine is new."""
        visible = VisibleBoard(board)
        safe, mines = apply_rules(visible)
        return Inference(cells_of(safe), cells_of(mines))


def apply_rules(visible: VisibleBoard) -> tuple[Mask, Mask]:
    """Enter all mines that rule 1 finds; return the hidden cells that are safe, and the mines."""
    found = np.zeros_like(visible.hidden)
    while True:
        full = visible.shows_number & (visible.cmn == visible.cimn + visible.chn)
        mines = visible.beside(full)
        if not mines.any():
            break
        visible.enter_mines(mines)
        found |= mines
    if (
        visible.shows_number
        & (visible.cmn != np.clip(visible.cmn, visible.cimn, visible.cimn + visible.chn))
    ).any():
        raise InconsistentBoard("A number cannot be met by the cells around it.")
    empty = visible.shows_number & (visible.ctn - visible.cmn == visible.cism + visible.chn)
    return visible.beside(empty), found


def cells_of(mask: Mask) -> tuple[Cell, ...]:
    """List the cells of a mask, row by row."""
    return tuple(Cell(row, col) for row, col in np.argwhere(mask).tolist())
