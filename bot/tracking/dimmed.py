"""Pictures of a board that a page dimmed, as behind a dialog, with their old brightness.

A page that shows a dialog often lays a translucent colour over everything else: each pixel
becomes ``share * before + offset``. Both are found from the open tiles, which do not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from bot.tracking.boxes import box_slices
from calibration.frame import Frame
from calibration.likeness import SAME_ON_AVERAGE
from calibration.points import PixelBox

LEAST_BRIGHTNESS, MOST_BRIGHTNESS = 0.15, 0.9
"""Least and largest share of the brightness that a dimmed picture has. In darker ones, a colour
step stands for more than six of the old ones."""

LEAST_TILES, LEAST_TILES_SHARE = 6, 0.3
"""Fewest open tiles that show how a picture was dimmed, and their least share of all of them:
the dialog may lie over the others. An alert of a browser hid 60 % of a board of 8x8."""

KEPT_SHARE = 0.6
"""Share of the tiles of a part of the board that are fitted best and fitted again: the dialog may
lie over the others."""

LEAST_SPREAD = 20.0
"""Least deviation of a colour on the open tiles that shows how it was dimmed."""

Pixels = NDArray[np.uint8]

Dimming = tuple[float, NDArray[np.float64]]
"""The share of the old brightness, and the offset of each colour."""


def undimmed(before: Frame, after: Frame, open_tiles: Sequence[PixelBox]) -> Frame | None:
    """Return ``after`` with the brightness of ``before``; None if it was not dimmed evenly.

    Both show the same region; ``open_tiles`` are the boxes in it of tiles that do not change.
    """
    if before.pixels.shape != after.pixels.shape or len(open_tiles) < LEAST_TILES:
        return None
    tiles = [box_slices(box, PixelBox(0, 0, 0, 0)) for box in open_tiles]
    old = [before.pixels[tile].reshape(-1, 3).astype(np.float64) for tile in tiles]
    new = [after.pixels[tile].reshape(-1, 3).astype(np.float64) for tile in tiles]

    def fitted(kept: NDArray[np.intp]) -> Dimming | None:
        return _fit(np.concatenate([old[k] for k in kept]), np.concatenate([new[k] for k in kept]))

    def steps(dimming: Dimming) -> NDArray[np.float64]:
        share, offset = dimming
        pairs = zip(old, new, strict=True)
        return np.array([np.abs(now - share * one - offset).mean() for one, now in pairs])

    best, alike = None, 0
    for part in _parts(open_tiles):
        if dimming := fitted(part):
            off = steps(dimming)[part]
            dimming = fitted(part[off <= max(SAME_ON_AVERAGE, float(np.quantile(off, KEPT_SHARE)))])
        # A white dialog is all even: its share is none.
        if dimming is not None and LEAST_BRIGHTNESS <= dimming[0] <= MOST_BRIGHTNESS:
            count = int((steps(dimming) <= SAME_ON_AVERAGE).sum())
            best, alike = max((best, alike), (dimming, count), key=itemgetter(1))
    if best is None or alike < max(LEAST_TILES, LEAST_TILES_SHARE * len(tiles)):
        return None
    share, offset = best
    lit = ((after.pixels - offset) / share).round().clip(0, 255).astype(np.uint8)
    return Frame(lit, after.origin, after.scale)


def is_dimmed(
    before: Frame,
    after: Frame,
    open_tiles: Sequence[PixelBox],
    hidden_tiles: Sequence[PixelBox] = (),
) -> bool:
    """Whether ``after`` shows a dimmed board; quick if an open tile is as it was.

    Where the open tiles have hardly any contrast, it is dimmed if all are darker by one share. The
    tiles that are hidden in both pictures are dimmed, too: where one is as it was, the open ones
    were painted in a lighter colour for a moment.
    """
    if before.pixels.shape != after.pixels.shape or len(open_tiles) < LEAST_TILES:
        return False
    tiles = [box_slices(box, PixelBox(0, 0, 0, 0)) for box in open_tiles]
    others = (box_slices(box, PixelBox(0, 0, 0, 0)) for box in hidden_tiles)
    if any(np.array_equal(before.pixels[one], after.pixels[one]) for one in (*tiles, *others)):
        return False
    old, new = (
        np.concatenate([one.pixels[tile].reshape(-1, 3) for tile in tiles]).astype(np.float64)
        for one in (before, after)
    )
    share = float((old * new).sum() / max(1.0, (old * old).sum()))
    darker = (
        LEAST_BRIGHTNESS <= share <= MOST_BRIGHTNESS
        and np.abs(new - share * old).mean() <= SAME_ON_AVERAGE
    )
    return bool(darker) or undimmed(before, after, open_tiles) is not None


def _parts(boxes: Sequence[PixelBox]) -> Iterator[NDArray[np.intp]]:
    """Yield all boxes, and those of each half of a board: a dialog hardly lies over every half."""
    yield np.arange(len(boxes))
    for edges in ([box.y0 for box in boxes], [box.x0 for box in boxes]):
        order = np.argsort(edges, kind="stable")
        yield order[: len(order) // 2]
        yield order[len(order) // 2 :]


def _fit(old: NDArray[np.float64], new: NDArray[np.float64]) -> Dimming | None:
    """Fit ``share * old + offset``, the offset for each colour, ``(n, 3)``; None if old is even."""
    spread = old - old.mean(axis=0)
    power = float((spread * spread).sum())
    if power < LEAST_SPREAD**2 * len(old):
        return None
    share = float((spread * (new - new.mean(axis=0))).sum()) / power
    return share, np.asarray(new.mean(axis=0) - share * old.mean(axis=0))
