"""The difficulty of a board: its 3BV, the least number of left clicks that opens it.

Also the sentence that reports the speed and efficiency of a won game.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.board import Board, Tile, count_neighbours


def three_bv(mines: NDArray[np.bool_]) -> int:
    """Count the 3BV of a layout, bool ``(rows, cols)``.

    Bechtel's board benchmark value: each area of zeros takes one click, which opens the numbers
    around it too; every other safe cell takes one click of its own.
    """
    zero = (count_neighbours(mines) == 0) & ~mines
    board = Board(np.where(zero, 0, int(Tile.HIDDEN)))
    left = {cell for cell in board.cells() if zero[cell]}
    openings = 0
    while left:
        openings += 1
        stack = [left.pop()]
        while stack:
            beside = left.intersection(board.neighbours(stack.pop()))
            left -= beside
            stack.extend(beside)
    alone = ~mines & ~zero & (count_neighbours(zero) == 0)
    return openings + int(alone.sum())


def efficiency_text(bv: int | None, clicks: int, seconds: float) -> str:
    """Report the 3BV per second and per click of a won game; empty without a 3BV.

    >>> efficiency_text(42, 60, 12.0)
    '3BV 42: 3.5 a second, efficiency 70 % (3BV a click).'
    """
    if not (bv and clicks):
        return ""
    speed = f"{bv / seconds:.1f} a second, " if seconds else ""
    return f"3BV {bv}: {speed}efficiency {100 * bv / clicks:.0f} % (3BV a click)."


def mines_of(final: Board) -> NDArray[np.bool_] | None:
    """Return the mines of a finished board, or None if it does not show them all.

    On a won board the covered cells are the mines. On a lost board they are the shown mines, the
    exploded ones and the flags that are not crossed out; their number must equal the total.
    """
    tiles = final.tiles
    shown = np.isin(tiles, (Tile.MINE, Tile.EXPLODED))
    mines = shown | (tiles == Tile.FLAG) if shown.any() else final.covered
    numbers = final.open
    fits = not (numbers & (tiles != count_neighbours(mines))).any()
    agrees = final.mines is None or int(mines.sum()) == final.mines
    return np.asarray(mines) if fits and agrees and mines.any() else None
