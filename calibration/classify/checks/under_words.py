"""Tiles of a finished board over which words are written, such as "Game Over"."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.classify.clusters import Clusters, Mask
from calibration.classify.decoding.decoding import MARGIN, Decoding
from calibration.rules import UNREAD, Tiles, settled_after_win, shows_mines, status_of
from solver.board import Tile, count_neighbours
from solver.game import Status

COLOUR_STEP, RARER = 32, 20
"""Colours are counted in these steps; and how many times rarer the words' colour is elsewhere."""

LEAST_INK, MOST_UNDER = 0.005, 0.25
"""Share of the tiles in doubt that the words' colour fills at least, and the largest share of a
board that they lie over."""

SAME_INK, LEAST_PIXELS = 70, 4
"""Colour steps up to which a pixel has the colour of the words, those of their smooth edges too;
and the pixels of a tile from which they lie over it."""

AROUND, RIM = 5, 3
"""Side of the square around such a pixel, and pixels along the edges of a tile, not looked at."""

LEAST_DOUBTFUL = 0.2
"""Least share of the tiles with that colour which are in doubt: digits may have it, too. For words
it was 0.22 to 1."""

LEAST_NUMBERS = 3
"""Numbers away from the words that must fit, from which a board may be won."""

LEAST_LEFT = 80
"""Pixels of a tile that must be left to be seen."""

FAR = 40
"""Colour steps from which a pixel shows something else; each hundredth of them counts a step."""

FITS, APART, TIMES = 1.5, 1.0, 3
"""Steps up to which the rest of a tile looks like another one; and by which, and how many times,
all tiles with another label must be further away. It was 0 to 1.5 steps for 81 of 83 tiles below
words on six boards, and another label was nearer on none."""


def read_under_words(clusters: Clusters, decoding: Decoding) -> Decoding:
    """Read the tiles that words lie over by what is left to be seen of them, on a finished board.

    It must look like tiles of one label elsewhere on the board, and like no other. What is read of
    them otherwise does not count: a letter passes for a mark. In play they stay in doubt, since
    nobody clicks on what lies over a board.
    """
    sure, of_tile = decoding.certainty >= MARGIN, clusters.of_tile
    if sure[of_tile].all():
        return decoding
    words = _words(clusters.tiles, ~sure[of_tile])
    under = words.sum(axis=(2, 3)) >= LEAST_PIXELS
    in_line = under[:, :-2] & under[:, 1:-1] & under[:, 2:]  # a mark of its own lies on one tile
    doubtful = (under & ~sure[of_tile]).sum() >= LEAST_DOUBTFUL * under.sum()
    if not (in_line.any() and doubtful) or under.mean() > MOST_UNDER:
        return decoding
    labels = np.where(sure, decoding.labels, np.int8(UNREAD))
    beside = np.bincount(of_tile[~under], minlength=len(sure)) > 0
    known = np.flatnonzero(sure & beside)
    tiles = np.where(under, np.int8(UNREAD), labels[of_tile])
    lost = shows_mines(tiles)
    if not (lost or _may_be_won(tiles, under)):
        return decoding
    for cell in np.argwhere(under):
        place = tuple(cell)
        tiles[place] = _best(clusters, known, labels, clusters.tiles[place], words[place])
    won = settled_after_win(tiles) is not None or status_of(tiles, None) is Status.WON
    if not (lost or (won and not shows_mines(tiles))):
        return decoding
    decoding = decoding.doubting(~beside & (clusters.sizes > 0))
    return decoding.taking_tiles(np.where(under, tiles, np.int8(UNREAD)), of_tile)


def _may_be_won(tiles: Tiles, under: Mask) -> bool:
    """Whether each number away from the words has as many covered cells around it as it says."""
    covered = (tiles <= Tile.HIDDEN) & (tiles >= Tile.QUESTION)
    away = (tiles >= 0) & (count_neighbours(under) == 0)
    numbers = (away & (tiles > 0)).sum()
    return bool(numbers >= LEAST_NUMBERS and (tiles == count_neighbours(covered))[away].all())


def _words(tiles: NDArray[np.uint8], doubtful: Mask) -> Mask:
    """Mark the pixels in the one colour that is frequent on doubtful tiles and rare elsewhere."""
    steps = tiles // COLOUR_STEP
    code = steps[..., 0].astype(np.int32) * 64 + steps[..., 1] * 8 + steps[..., 2]
    within, elsewhere = (
        np.bincount(code[marked].ravel(), minlength=512) / max(1, code[marked].size)
        for marked in (doubtful, ~doubtful)
    )
    rare = np.flatnonzero((within >= RARER * elsewhere) & (within >= LEAST_INK))
    if not rare.size:
        return np.zeros(code.shape, np.bool_)
    # Of the shades at the edges of letters, their own colour is the furthest from what is below.
    seen, below = tiles[doubtful], np.median(tiles[doubtful], axis=(0, 1, 2))
    inks = np.array([np.median(seen[code[doubtful] == one], axis=0) for one in rare])
    ink = inks[np.abs(inks - below).max(axis=1).argmax()]
    return np.asarray(np.abs(tiles - ink.astype(np.int16)).max(axis=-1) <= SAME_INK)


def _best(
    clusters: Clusters, known: NDArray[np.intp], labels: Tiles, tile: NDArray[np.uint8], ink: Mask
) -> int:
    """Return the label of the tiles that look like the rest of one; `UNREAD` if several do."""
    left = cv2.dilate(ink.astype(np.uint8), np.ones((AROUND, AROUND))) == 0
    left[:RIM] = left[-RIM:] = left[:, :RIM] = left[:, -RIM:] = False
    if left.sum() < LEAST_LEFT or not known.size:
        return UNREAD
    shown = clusters.pictures[known][:, left].astype(np.int16)
    off = np.abs(shown - tile[left]).max(axis=2)
    distance = off.mean(axis=1) + 100 * (off > FAR).mean(axis=1)
    best = int(labels[known[distance.argmin()]])
    least, others = distance.min(), distance[labels[known] != best].min(initial=np.inf)
    return best if least <= FITS and others >= max(least + APART, TIMES * least) else UNREAD
