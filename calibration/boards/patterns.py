"""Tell whether a grid is a pattern of the page, and no board."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.likeness import TINTED, colour_steps

LEAST_CONTRAST = 10.0
"""Colour steps within the tiles of a fresh board of an unusual size below which it is the texture
of a page. Faint lines of a wallpaper have 7."""

CHESS_STEP, MOST_UNEVEN = 4.0, 1.0
"""Colour steps between the two colours of a chessboard, and the most within one of them. Grey ones
show in picture editors where a picture is transparent."""

DRAWN_DEVIATION, SAME_QUARTERS, SAME_HALVES = 2.0, 0.9, 0.05
"""Deviation of a part of a tile, in colour steps, from which something is drawn there; the least
correlation of the four quarters from which they show the same; and the mean difference of two
halves, in deviations of one, up to which they do: of 545 fresh boards they differ by 0.1 or more.
"""


def is_faint(pictures: NDArray[np.uint8]) -> bool:
    """Tell whether hardly anything is seen of the tiles, as of the texture of a page."""
    return _contrast(pictures) < LEAST_CONTRAST and not _is_chessboard(pictures)


def repeats_within(pictures: NDArray[np.uint8]) -> bool:
    """Tell whether parts of a tile show the same, and each is a tile.

    Four quarters of round tiles do, and two halves of oblong ones.
    """
    grey = pictures.mean(axis=4)
    usual = np.median(grey, axis=(0, 1))
    if any(_halves_are_copies(one) for one in (usual, usual.T)):
        return True
    half = grey.shape[2] // 2
    quarters = [
        grey[:, :, top:, left:][:, :, :half, :half] for top in (0, half) for left in (0, half)
    ]
    shapes = [
        np.median(one - one.mean(axis=(2, 3), keepdims=True), axis=(0, 1)) for one in quarters
    ]
    drawn = min(float(one.std()) for one in shapes) >= DRAWN_DEVIATION
    return drawn and min(np.corrcoef([one.ravel() for one in shapes])[0]) >= SAME_QUARTERS


def _halves_are_copies(tile: NDArray[np.float64]) -> bool:
    """Tell whether the upper and the lower half of a tile show the same, on lines of their own."""
    upper, lower = np.split(tile, 2)
    drawn = upper.mean(axis=1).std() >= DRAWN_DEVIATION
    return bool(drawn and np.abs(upper - lower).mean() <= SAME_HALVES * upper.std())


def _contrast(pictures: NDArray[np.uint8]) -> float:
    """Return by how many steps the colours within a tile differ, usually."""
    return float(np.median(np.ptp(pictures, axis=(2, 3)).max(axis=2)))


def _is_chessboard(pictures: NDArray[np.uint8]) -> bool:
    """Tell whether tiles are two even colours by turns, and no grey as what stands for nothing."""
    colours = np.median(pictures, axis=(2, 3))
    black = np.indices(colours.shape[:2]).sum(axis=0) % 2 == 1
    sides = [colours[black], colours[~black]]
    step = colour_steps(sides[0].mean(axis=0), sides[1].mean(axis=0))
    uneven = max(np.ptp(side, axis=0).max() for side in sides)
    tinted = np.ptp(colours, axis=2).min() >= TINTED
    return bool(step >= CHESS_STEP and uneven <= MOST_UNEVEN and tinted)
