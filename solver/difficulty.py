"""The difficulty of a board: 3BV, openings, islands and ZiNi, the measures that players compare.

Also the sentence that reports the speed and efficiency of a won game.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.board import Board, Cell, Tile, count_neighbours, flooded, marked
from solver.counting import rounded

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Difficulty:
    """The figures of one layout.

    ``bv`` is its 3BV (Bechtel's board benchmark value): one click for each opening, and one for
    every other safe cell. An opening is an area of zeros with the numbers around it, an island an
    area of safe cells outside all openings. ``zini`` and ``human_zini`` estimate the least number
    of clicks with flags and chords: see `zini`.
    """

    bv: int
    openings: int
    islands: int
    zini: int
    human_zini: int

    def to_json(self) -> dict[str, int]:
        """Return the figures by name."""
        return dict(vars(self))

    def __str__(self) -> str:
        return (
            f"3BV {self.bv}, openings {self.openings}, islands {self.islands}, ZiNi {self.zini}, "
            f"human ZiNi {self.human_zini}"
        )


def difficulty_of(mines: Mask) -> Difficulty:
    """Measure a layout, bool ``(rows, cols)``: 20 ms for an expert board."""
    openings = openings_of(mines)
    alone = _alone(mines, openings)
    return Difficulty(
        len(openings) + int(alone.sum()),
        len(openings),
        len(list(_areas(alone))),
        zini(mines),
        zini(mines, human=True),
    )


def three_bv(mines: Mask) -> int:
    """Count the 3BV of a layout, bool ``(rows, cols)``: openings, and all other safe cells."""
    openings = openings_of(mines)
    return len(openings) + int(_alone(mines, openings).sum())


def openings_of(mines: Mask) -> list[Mask]:
    """Return the openings of a layout as masks of their zeros and the numbers around them."""
    zeros = (count_neighbours(mines) == 0) & ~mines
    return [area | (count_neighbours(area) > 0) for area in _areas(zeros)]


def _alone(mines: Mask, openings: list[Mask]) -> Mask:
    """Mark the safe cells outside all openings."""
    return np.asarray(~np.logical_or.reduce([mines, *openings]))


def _areas(mask: Mask) -> Iterator[Mask]:
    """Yield the areas of neighbouring cells in a mask, the first in reading order first."""
    left = mask.copy()
    while left.any():
        area = flooded(marked(mask.shape, [Cell(*divmod(int(left.argmax()), mask.shape[1]))]), mask)
        area &= mask
        left &= ~area
        yield area


def zini(mines: Mask, *, human: bool = False) -> int:
    """Estimate the least number of clicks, flags and chords that opens a layout.

    Zimmermann's and Nikolaus' greedy algorithm repeatedly opens, flags around and chords the cell
    with the highest premium. The premium is the number of clicks that the chord saves: the 3BV that
    it solves, minus one for the chord, one for each flag still to set, and one for opening a
    covered cell. If no premium is 0 or more, one cell is opened. Of equal cells the first is taken;
    the result is the best over the eight directions in which a board can be read ("8-way").

    The human variant opens all openings first, and chords only on open cells; as in other programs
    it reads the board in one direction, column by column.
    """
    if human:
        return _clicks(np.ascontiguousarray(mines.T), human=True)
    turned = [np.rot90(mines, quarter) for quarter in range(4)]
    return min(_clicks(np.ascontiguousarray(one)) for way in turned for one in (way, way.T))


def _clicks(mines: Mask, *, human: bool = False) -> int:
    """Count the clicks of the greedy algorithm, which chooses the first of equal cells."""
    openings = openings_of(mines)
    zeros = (count_neighbours(mines) == 0) & ~mines
    alone = _alone(mines, openings)
    covered, unflagged = ~mines, mines.copy()
    touching = np.zeros(mines.shape, np.int8)
    for opening in openings:
        touching += opening

    def reveal(cells: Mask) -> None:
        covered[cells] = False
        for opening in list(openings) if (cells & zeros).any() else ():
            if (opening & cells & zeros).any():
                covered[opening] = False
                touching[opening] -= 1
                openings[:] = [one for one in openings if one is not opening]

    clicks = 0
    if human:
        clicks = len(openings)
        reveal(zeros)
    while covered.any():
        solved = alone & covered
        premium = count_neighbours(solved) + solved + touching - count_neighbours(unflagged) - 1
        premium -= covered
        premium[mines | covered if human else mines] = -1
        best = Cell(*divmod(int(premium.argmax()), mines.shape[1]))
        if premium[best] < 0:  # one click on a cell of its own, or on an opening
            first = int((covered & (alone | zeros)).argmax())
            best = Cell(*divmod(first, mines.shape[1]))
            clicks += 1
            reveal(marked(mines.shape, [best]))
            continue
        block = np.s_[max(0, best.row - 1) : best.row + 2, max(0, best.col - 1) : best.col + 2]
        clicks += 1 + int(covered[best]) + int(unflagged[block].sum())
        unflagged[block] = False
        around = np.zeros_like(mines)
        around[block] = ~mines[block]
        reveal(around)
    return clicks


def efficiency_text(bv: int | None, clicks: int, seconds: float) -> str:
    """Report the 3BV per second and per click of a won game; empty without a 3BV.

    >>> efficiency_text(42, 60, 12.0)
    '3BV 42: 3.5 a second, efficiency 70 % (3BV a click).'
    """
    if not (bv and clicks):
        return ""
    speed = f"{rounded(bv / seconds)} a second, " if seconds else ""
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
