"""How similar two colours are, in colour steps: the one unit in which pictures are compared.

A colour step is one of the 256 levels of a channel; of three channels, the one that differs most
counts. The thresholds here hold for all comparisons of backgrounds.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

SAME_COLOUR = 16.0
"""Colour steps up to which two areas have one colour: scaling, JPEG and soft edges change colours.
"""

TINTED = 40.0
"""Steps between the channels of a colour from which it is not grey."""

RAISED, FLAT = 16.0, 3.0
"""Steps by which one edge of a tile is brighter than the opposite one if the tile is raised; and at
most if it is flat, or if nothing is drawn somewhere, neither a line nor a glyph."""

SAME_ON_AVERAGE = 6.0
"""Largest mean difference, in colour steps, of two pictures of a tile, or of a part of it, that
show the same."""

SAME_PIXEL = 8.0
"""Colour steps up to which a pixel counts as unchanged from one frame to the next."""

COUNTED_STEPS, MOST_COLOURS = 64.0, 7
"""Colours are counted in these steps; among more plain colours than this, none is a mark for sure.
"""


def colour_steps(one: ArrayLike, other: ArrayLike) -> NDArray[np.float32]:
    """Return the largest difference along the last axis: the channels of one colour, or of two.

    Both arrays are broadcast.
    """
    off = np.abs(np.subtract(one, other, dtype=np.float32))
    # Over three values, this is several times as fast as `max` along the last axis.
    return np.asarray(reduce(np.maximum, np.moveaxis(off, -1, 0)), np.float32)


def mean_steps(pictures: ArrayLike, other: ArrayLike) -> NDArray[np.float32]:
    """Return the mean colour steps by which each picture differs from another one, ``(n,)``.

    Both arrays are broadcast; ``other`` may hold one for each.
    """
    off = np.abs(np.subtract(pictures, other, dtype=np.float32))
    return np.asarray(off.mean(axis=tuple(range(1, off.ndim))), np.float32)


def steps_between(ones: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the colour steps from each of ``n`` colours to each of ``m`` others, ``(n, m)``."""
    return colour_steps(ones[:, None], others[None])


def colours_in(colours: NDArray[np.floating]) -> int:
    """Return how many kinds of colours there are among these, ``(n, 3)``."""
    return len(np.unique(np.rint(colours / COUNTED_STEPS), axis=0))
