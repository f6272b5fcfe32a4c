"""What the rules of Minesweeper imply for tiles: impossible numbers, and the game's status."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from solver.analysis import USUAL_TOTALS, certain_cells
from solver.board import Cell, Tile, count_neighbours, marked
from solver.game import Status

UNREAD = int(Tile.UNKNOWN)
"""As a plain number, because numpy takes three times as long to compare with an enum."""

LEAST_CORNERS = 3
"""Number of zeros with hidden cells only at their corners that shows a program opening over sides
only."""

LEAST_BESIDE_ZERO = 8
"""Fewest open cells beside zeros which show that a program opens all cells around a zero."""

Tiles = NDArray[np.int8]
Mask = NDArray[np.bool_]


def impossible_numbers(tiles: Tiles, in_part: Mask | None = None) -> Mask:
    """Mark the open cells whose number cannot be right, ``(rows, cols)``.

    A number needs at least as many cells around it that may hold a mine, and at most as many shown
    mines. A wrong flag may be a mine, because some programs cross out right flags as well. A zero
    opens the cells around it, except flags, question marks and wrong flags. Where several zeros
    have hidden cells only at their corners, the program opens over sides only and these are
    possible; a single one is a tile whose number is not painted yet. ``in_part`` marks certain
    zeros around which a program may leave cells hidden.
    """
    if not (tiles >= 0).any():
        return np.zeros(tiles.shape, np.bool_)
    mines = (tiles == Tile.MINE) | (tiles == Tile.EXPLODED)
    unread = tiles == UNREAD
    may_be_mine = mines | unread | ((tiles <= Tile.HIDDEN) & (tiles != UNREAD))
    too_few = tiles > count_neighbours(may_be_mine)
    too_many = (tiles >= 0) & (tiles < count_neighbours(mines))
    not_opened = (tiles == 0) & (count_neighbours(tiles == Tile.HIDDEN) > 0)
    at_corners_only = not_opened & ~beside(tiles == Tile.HIDDEN)
    if at_corners_only.sum() >= LEAST_CORNERS:
        not_opened &= ~at_corners_only
    if in_part is not None:
        not_opened &= ~in_part
    return np.asarray(too_few | too_many | not_opened)


LEAST_FLOODED = 8
"""A program opens all neighbours of zeros if so many zeros show it."""

MOST_PRESSED = 9
"""A mouse presses at most so many tiles together, around a number."""

LEAST_FLAGS = 3
"""A tile with so many flags around it is not a zero, because some of them are right, unless a
number shows that they are wrong."""


def doubtful_zeros(tiles: Tiles) -> Mask:
    """Mark zeros that may be hidden tiles held down by the mouse, ``(rows, cols)``.

    On a board at rest a zero has no hidden cell beside it, if this holds for the other zeros, and
    not several flags around it: through a filter, what is drawn on a tile takes its colour. Flags
    of which a number has too many do not count: programs open no cell that a person has flagged.
    """
    zeros, flags = tiles == 0, tiles == Tile.FLAG
    too_many = (tiles > 0) & (count_neighbours(flags) > tiles)
    likely_right = flags & (count_neighbours(too_many) == 0)
    flagged = zeros & (count_neighbours(likely_right) >= LEAST_FLAGS)
    pressed = zeros & beside(tiles == Tile.HIDDEN)
    others = zeros & (count_neighbours(tiles == Tile.HIDDEN) == 0)
    few = pressed.sum() <= MOST_PRESSED and others.sum() >= LEAST_FLOODED
    return np.asarray(pressed | flagged if few else flagged)


LEAST_AGREEING = 2
"""Fewest numbers beside a mine that confirm it."""

CROWDED = 5
"""A mine with so many mines around it is crowded."""

MOST_CROWDED = 0.3
"""With a larger share of crowded mines, the tiles are more likely an opening. With random mines on
a third of the board, 0.06 are crowded."""

LEAST_EXACT = 0.9
"""If all mines are shown, at least this share of the numbers has exactly as many mines and flags
around them."""

LEAST_ALONE = 2
"""Fewest isolated mines which show that no opening spread over them."""


MOST_SURPRISING = 12.0
"""If the log-odds against a board without any zero are higher, some tiles must be zeros. The mean
of the numbers gives the density of mines: 57 numbers of 1.5 on average, or 114 of 2, reach it.
"""


def lacks_zeros(tiles: Tiles) -> bool:
    """Whether zeros must be misread: many small numbers, but no zero."""
    numbers = tiles[tiles > 0]
    if not len(numbers) or (tiles == 0).any():
        return False
    zero = (1 - float(numbers.mean()) / 8) ** 8
    return bool(-len(numbers) * np.log1p(-zero) > MOST_SURPRISING)


def beside(mask: Mask) -> Mask:
    """Mark the cells that share a side with a marked one, ``(..., rows, cols)``."""
    near = np.zeros_like(mask)
    near[..., 1:, :] |= mask[..., :-1, :]
    near[..., :-1, :] |= mask[..., 1:, :]
    near[..., :, 1:] |= mask[..., :, :-1]
    near[..., :, :-1] |= mask[..., :, 1:]
    return near


def status_of(tiles: NDArray[np.int8], mines: int | None) -> Status:
    """Return the status by the tiles alone; ``mines`` is the total, if known.

    Lost: a mine, an exploded mine or a wrong flag is shown. Won: every number has as many covered
    tiles around it as it says, and every covered tile touches a number, or as many are covered as
    there are mines. The total alone is not enough, since it may be a mistake.
    """
    if shows_mines(tiles):
        return Status.LOST
    covered = (tiles <= Tile.HIDDEN) & (tiles >= Tile.QUESTION)
    numbers = tiles >= 0
    exact = not (numbers & (tiles != count_neighbours(covered))).any()
    bordered = numbers.any() and not (covered & (count_neighbours(numbers) == 0)).any()
    as_many = mines is not None and int(covered.sum()) == mines
    return Status.WON if exact and (bordered or as_many) else Status.PLAYING


def may_be_won(tiles: NDArray[np.int8]) -> bool:
    """Whether a board in play may be won, depending on what its unknown tiles are."""
    unknown = tiles == UNREAD
    if shows_mines(tiles) or not unknown.any():
        return False
    covered = (tiles <= Tile.HIDDEN) & (tiles >= Tile.QUESTION)
    numbers, missing = tiles >= 0, tiles - count_neighbours(covered)
    fit = ~numbers | ((missing >= 0) & (missing <= count_neighbours(unknown)))
    bordered = covered & (count_neighbours(numbers | unknown) == 0)
    return bool(numbers.any() and fit.all() and not bordered.any())


def shows_mines(tiles: NDArray[np.int8]) -> bool:
    """Whether a mine, an exploded mine or a wrong flag is shown: the game is over."""
    return bool(np.isin(tiles, (Tile.MINE, Tile.EXPLODED, Tile.WRONG_FLAG)).any())


def mines_in(tiles: Tiles) -> Mask:
    """Mark the mines that are shown, exploded or not."""
    return np.isin(tiles, (Tile.MINE, Tile.EXPLODED))


def only_mines_left(tiles: Tiles, mines: int | None) -> bool:
    """Whether only mines are left covered, by the mine total and by every open number.

    The total alone is not enough: a person may have given a wrong one. Without a total, the usual
    one of this size is used, or the numbers alone decide. Visible mines cost lives.
    """
    tiles = np.where(mines_in(tiles), np.int8(Tile.FLAG), tiles)
    if mines is None and status_of(tiles, None) is Status.WON:
        return True
    total = USUAL_TOTALS.get(tiles.shape) if mines is None else mines
    fits = (count_neighbours(tiles < 0) == tiles) | (tiles < 0)
    return int((tiles < 0).sum()) == total and bool(fits.all())


def leaves_safe_cells(tiles: Tiles, mines: int | None, opened: Iterable[Cell]) -> bool:
    """Whether some hidden cells are certainly safe if only the ``opened`` cells were opened.

    Without a mine total: the hidden cells cannot all be mines if a number has too many of them
    around it, or if a cell touches neither a number nor an opened cell, since it could not be known
    to be one.
    """
    hidden = tiles == Tile.HIDDEN
    left = hidden & ~marked(hidden.shape, opened)
    if mines is not None:
        return int(left.sum()) > mines
    too_many = (tiles >= 0) & (count_neighbours(left | (tiles == Tile.FLAG)) > tiles)
    numbers = count_neighbours((tiles > 0) | (hidden & ~left))
    return bool(too_many.any() or (left & (numbers == 0)).any())


LEAST_PLACES = 4
"""Visible mines at so many places count as scattered."""

MOST_MINES = 0.35
"""Largest share of mines on a board."""


def lie_scattered(cells: Mask) -> bool:
    """Whether marked cells lie apart like mines, in many places, and are not too many."""
    places = cv2.connectedComponents(cells.astype(np.uint8), connectivity=8)[0] - 1
    return places >= LEAST_PLACES and bool(cells.mean() <= MOST_MINES)


def confirmed_mines(tiles: Tiles) -> Tiles:
    """Return the mines that the numbers around them confirm, `UNREAD` everywhere else.

    Two numbers beside a mine must have exactly as many mines around them as they say. For a lost
    board that is partly covered, so that other tiles may be misread.
    """
    mines = (tiles == Tile.MINE) | (tiles == Tile.EXPLODED)
    agreeing = (tiles > 0) & (tiles == count_neighbours(mines))
    confirmed = mines & (count_neighbours(agreeing) >= LEAST_AGREEING)
    return np.where(confirmed, tiles, np.int8(UNREAD))


def signs_of_loss(tiles: NDArray[np.int8], before: NDArray[np.int8] | None = None) -> int:
    """Count the independent signs that a game is lost, 0 to 5.

    An exploded mine; two or more other mines that lie scattered; a wrong flag; each number has
    exactly as many mines and flags around it as it says; and, compared with the board ``before`` of
    the same game, several hidden tiles became mines and nothing else changed.
    """
    mines, exploded = tiles == Tile.MINE, tiles == Tile.EXPLODED
    wrong, flags = tiles == Tile.WRONG_FLAG, tiles == Tile.FLAG
    numbers = tiles >= 0
    least, most = count_neighbours(mines | exploded), count_neighbours(mines | exploded | flags)
    hidden = count_neighbours((tiles == Tile.HIDDEN) | wrong | (tiles == Tile.QUESTION))
    fit = not (numbers & ((tiles < least) | (tiles > most + hidden))).any()
    if mines.sum() >= 2:  # the program shows all mines, but may leave wrong flags unmarked
        exact = (least <= tiles) & (tiles <= most)
        fit &= exact[tiles > 0].sum() >= LEAST_EXACT * (tiles > 0).sum()
    beside_shown = (count_neighbours(mines | exploded) > 0) & (tiles > 0)
    shown = before is not None and _only_mines_appeared(before, tiles)
    crowded = count_neighbours(mines | exploded)[mines] >= CROWDED
    several = mines.sum() >= 2 and crowded.mean() <= MOST_CROWDED
    signs = (exploded.any(), several, wrong.any(), fit and beside_shown.any(), shown)
    return sum(map(bool, signs))


def _only_mines_appeared(before: NDArray[np.int8], tiles: NDArray[np.int8]) -> bool:
    """Whether hidden tiles became mines, in several places, and no other tile changed."""
    changed = before != tiles
    appeared = changed & (before == Tile.HIDDEN) & np.isin(tiles, (Tile.MINE, Tile.EXPLODED))
    alone = appeared & (count_neighbours(appeared) == 0)
    return bool((changed == appeared).all() and alone.sum() >= LEAST_ALONE)


def shows_win_or_loss(tiles: NDArray[np.int8]) -> bool:
    """Whether a board that shows mines may be won as well as lost.

    Some programs show the mines after a win, and some open every cell after a loss. Only an
    exploded mine, a wrong flag, or a covered cell without a flag distinguishes the two.
    """
    decisive = (Tile.EXPLODED, Tile.WRONG_FLAG, Tile.HIDDEN, Tile.QUESTION)
    return bool((tiles == Tile.MINE).any()) and not np.isin(tiles, decisive).any()


def settled_tiles(tiles: Tiles) -> Tiles:
    """Return what uncertain tiles (`UNREAD`) of a finished board must be; `UNREAD` elsewhere.

    If every neighbour of a zero is open, an uncertain neighbour is open, too. If all its own
    neighbours are known to be mines or not, its number is certain, whatever covers it.
    """
    mines, found = np.isin(tiles, (Tile.MINE, Tile.EXPLODED)), tiles
    if not mines.any():
        return np.full_like(tiles, UNREAD)
    around = count_neighbours(mines)
    while True:
        beside_zero, unread = count_neighbours(found == 0) > 0, found == UNREAD
        if (beside_zero & (found < 0) & ~unread).any() or beside_zero.sum() < LEAST_BESIDE_ZERO:
            return np.full_like(tiles, UNREAD)
        no_mine = (found >= 0) | (unread & (count_neighbours((found >= 0) & (found == around)) > 0))
        settled = unread & beside_zero & (count_neighbours(~(no_mine | mines)) == 0)
        if not settled.any():
            return np.where(tiles == UNREAD, found, np.int8(UNREAD))
        found = np.where(settled, around, found).astype(np.int8)


def settled_after_win(tiles: Tiles) -> Tiles | None:
    """Return a won board with the tiles that `UNREAD` ones must be; None if that is not certain.

    On a won board every covered cell is a mine, and all are shown alike: as flags, or as hidden. So
    a cell is open if a neighbouring number already has its mines, and its own number is certain. A
    cover may also make tiles look like covered ones of another kind.
    """
    covered = [int((tiles == kind).sum()) for kind in (Tile.FLAG, Tile.HIDDEN)]
    shown = Tile.FLAG if covered[0] >= covered[1] else Tile.HIDDEN
    other = (tiles < 0) & (tiles != UNREAD) & (tiles != shown)
    if not max(covered) or (other & (count_neighbours(tiles == UNREAD) == 0)).any():
        return None
    tiles = np.where(other, np.int8(UNREAD), tiles)
    unread, mines = tiles == UNREAD, tiles == shown
    certain = certain_cells(
        np.where(unread, np.int8(Tile.HIDDEN), np.where(mines, np.int8(Tile.MINE), tiles))
    )
    if certain is None or (unread & ~np.logical_or(*certain)).any():
        return None
    mines |= unread & certain[0]
    settled = np.where(mines, shown, count_neighbours(mines)).astype(np.int8)
    return settled if (settled == tiles)[~unread].all() else None


def zeros_beside_hidden_ends(tiles: Tiles) -> int:
    """Return the largest number of zeros next to the entirely hidden rows or columns at one end.

    A zero opens the cells around it: these lines are outside the board, or the program opens cells
    one by one.
    """
    shown = np.argwhere(tiles != Tile.HIDDEN)
    if not len(shown):
        return 0
    (top, left), (bottom, right) = shown.min(axis=0), shown.max(axis=0)
    last_row, last_col = tiles.shape[0] - 1, tiles.shape[1] - 1
    ends = (
        (top > 0, tiles[top]),
        (bottom < last_row, tiles[bottom]),
        (left > 0, tiles[:, left]),
        (right < last_col, tiles[:, right]),
    )
    return max(int((line == 0).sum()) if is_inside else 0 for is_inside, line in ends)
