"""Name single tiles by their picture: a small network that knows no neighbours and no rules.

A digit may fill its tile, or be a tenth as high: a page that leaves the size of its letters to the
browser draws 9 px digits on tiles of 70 px. What is drawn on a tile is therefore enlarged to one
size first (`close_ups`).

The network is convolutional and is run by ONNX Runtime. It was trained on generated tiles only
(`calibration.learning`), never on a picture of a real program. What it returns is one of several
cues. ``tile_network.onnx.gz`` holds its layers, 48,000 weights as float16;
`calibration.learning.tiles` writes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.read.network import load_session
from calibration.tiles import colour_steps

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


PICTURE_SIDE = 48
"""Side of the tile pictures that are looked at: a tenth of a tile is still five pixels."""

VIEW_SIDE = 24
"""Side of the enlarged pictures."""

HINTS = 7
"""Number of values that hold what enlarging took away: background, size, place, contrast."""

FRAME_PX = 7
"""Pixels at each side of a tile picture where frames and bevels are, not glyphs."""

LINE_PX = 2
"""Pixels at each side of a tile picture where the lines between tiles are. A glyph in a corner of
its tile goes on into the rim, but not as far as this."""

MOST_CORNER = 0.5
"""A glyph that reaches the edge is still enlarged if its longer side is at most this share of the
inner picture: a digit in a corner of its tile may touch the line next to it."""

WHOLE = 0, 0, PICTURE_SIDE
"""The window that is the whole picture of the tile."""

GLYPH_SHARE = 0.72
"""How much of the enlarged picture the glyph fills, in its longer direction."""

LEAST_WINDOW = 12
"""Side of the smallest window: what is smaller than a sixth of a tile is not enlarged more."""

LEAST_INSIDE = 8
"""Pixels of the smallest glyph within a frame."""

LEAST_CONTRAST = 10.0
"""Grey steps by which a glyph differs at least from its background; noise and JPEG stay below."""


@dataclass(frozen=True)
class CloseUps:
    """Enlarged tiles: ``views`` uint8 ``(n, VIEW_SIDE, VIEW_SIDE, 3)``, ``hints`` float32."""

    views: NDArray[np.uint8]
    hints: NDArray[np.float32]


def close_ups(pictures: NDArray[np.uint8]) -> CloseUps:
    """Enlarge what is drawn on tile pictures, uint8 ``(n, PICTURE_SIDE, PICTURE_SIDE, 3)``.

    ``hints[i]`` is the background colour, the side of the window and its centre, as parts of the
    tile, and the contrast; all 0 to 1.
    """
    inner = np.ascontiguousarray(pictures[:, FRAME_PX:-FRAME_PX, FRAME_PX:-FRAME_PX])
    background = np.median(inner[:, ::3, ::3].reshape(len(inner), -1, 3), axis=1)
    contrast = _contrast(inner, background.astype(np.float32))
    windows = [
        _window(near, picture, colour)
        for near, picture, colour in zip(contrast, pictures, background, strict=True)
    ]
    views = [
        _enlarge(picture if window == WHOLE else _without_lines(picture, colour), *window)
        for picture, window, colour in zip(pictures, windows, background, strict=True)
    ]
    boxes = np.array(windows, np.float32).reshape(-1, 3)
    boxes[:, :2] += boxes[:, 2:] / 2
    strongest = contrast.reshape(len(inner), -1).max(axis=1, initial=0.0)
    hints = np.column_stack([background / 255, boxes / PICTURE_SIDE, strongest / 255])
    return CloseUps(
        np.array(views, np.uint8).reshape(-1, VIEW_SIDE, VIEW_SIDE, 3), hints.astype(np.float32)
    )


def _contrast(inner: NDArray[np.uint8], background: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how far each pixel is from the background, in its strongest channel, smoothed."""
    far = colour_steps(inner, background[:, None, None, :])
    return np.array([cv2.blur(picture, (2, 2)) for picture in far], np.float32).reshape(far.shape)


def _window(
    contrast: NDArray[np.float32], picture: NDArray[np.uint8], background: NDArray[np.float64]
) -> tuple[int, int, int]:
    """Return ``x, y, side`` of the square of the tile picture that shows the glyph.

    It is the whole tile where nothing stands out, and where the glyph goes on to the edge.
    ``contrast`` is that of the picture within its rim.
    """
    least = max(LEAST_CONTRAST, 0.3 * float(contrast.max()))
    drawn, start = contrast > least, FRAME_PX
    if not drawn.any():
        return WHOLE
    drawn = _without_frame(drawn)
    left, top, right, bottom = _box(drawn)
    if min(left, top) == 0 or max(right, bottom) == len(drawn):
        drawn, start = _with_its_rest(drawn, picture, background, least), LINE_PX
        left, top, right, bottom = _box(drawn)
        touches = min(left, top) == 0 or max(right, bottom) == len(drawn)
        if touches and max(right - left, bottom - top) > MOST_CORNER * len(drawn):
            return WHOLE
    side = round(max(right - left, bottom - top) / GLYPH_SHARE)
    side = min(max(side, LEAST_WINDOW), PICTURE_SIDE)
    x = round(start + (left + right - side) / 2)
    y = round(start + (top + bottom - side) / 2)
    return min(max(x, 0), PICTURE_SIDE - side), min(max(y, 0), PICTURE_SIDE - side), side


def _without_frame(drawn: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return what is drawn but for a frame: what reaches all sides, if something lies inside.

    So a digit is enlarged that stands on a filled square, as on the keys of a keyboard. A frame
    leaves the middle free: a mine on a gradient is not a frame around the light on it.
    """
    if not all(side.any() for side in (drawn[0], drawn[-1], drawn[:, 0], drawn[:, -1])):
        return drawn
    _, blots = cv2.connectedComponents(drawn.astype(np.uint8), connectivity=8)
    sides = blots[0], blots[-1], blots[:, 0], blots[:, -1]
    around = set.intersection(*({int(blot) for blot in side} for side in sides)) - {0}
    quarter = len(drawn) // 4
    around -= {*blots[quarter:-quarter, quarter:-quarter].ravel().tolist()}
    rest = drawn & ~np.isin(blots, list(around))
    return rest if rest.sum() >= LEAST_INSIDE else drawn


def _with_its_rest(
    drawn: NDArray[np.bool_],
    picture: NDArray[np.uint8],
    background: NDArray[np.float64],
    least: float,
) -> NDArray[np.bool_]:
    """Return what is drawn inside of the edge and goes on from what is ``drawn`` within the rim."""
    within = picture[None, LINE_PX:-LINE_PX, LINE_PX:-LINE_PX]
    wide = _contrast(within, background[None].astype(np.float32))[0] > least
    _, blots = cv2.connectedComponents(wide.astype(np.uint8), connectivity=8)
    inner = slice(FRAME_PX - LINE_PX, LINE_PX - FRAME_PX)
    return np.isin(blots, np.setdiff1d(blots[inner, inner][drawn], [0]))


def _without_lines(
    picture: NDArray[np.uint8], background: NDArray[np.float64]
) -> NDArray[np.uint8]:
    """Return the picture with the lines between tiles in the colour of the background."""
    within = picture[LINE_PX:-LINE_PX, LINE_PX:-LINE_PX]
    colour = background.tolist()
    framed = cv2.copyMakeBorder(within, *(LINE_PX,) * 4, cv2.BORDER_CONSTANT, value=colour)
    return np.asarray(framed, np.uint8)


def _box(drawn: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of what is drawn."""
    columns, rows = np.flatnonzero(drawn.any(axis=0)), np.flatnonzero(drawn.any(axis=1))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _enlarge(picture: NDArray[np.uint8], x: int, y: int, side: int) -> NDArray[np.uint8]:
    part = picture[y : y + side, x : x + side]
    method = cv2.INTER_AREA if side > VIEW_SIDE else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, (VIEW_SIDE, VIEW_SIDE), interpolation=method), np.uint8)


CLASSES = (
    "empty", "1", "2", "3", "4", "5", "6", "7", "8", "zero",
    "flag", "question", "mine", "exploded", "wrong_flag", "other",
)  # fmt: skip
"""What a tile may show. ``zero`` is a drawn 0, ``other`` a glyph that no game needs, or a cover."""

TILE_NETWORK_FILE = Path(__file__).parent / "tile_network.onnx.gz"

INPUTS = ["views", "hints"]
"""Names of the inputs; see `CloseUps` for the arrays."""


def label_scores(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return how likely each of `CLASSES` is for each tile, as natural logarithms.

    ``pictures`` is uint8 ``(n, PICTURE_SIDE, PICTURE_SIDE, 3)``, as
    ``calibration.tiles.cut(frame, grid, PICTURE_SIDE)`` gives them; the result is float32
    ``(n, len(CLASSES))``. Raises `ValueError` for pictures of another size, `BadNetwork`.
    """
    if pictures.shape[1:] != (PICTURE_SIDE, PICTURE_SIDE, 3):
        raise ValueError(f"Tile pictures must be {PICTURE_SIDE} pixels wide and high, in RGB.")
    if not len(pictures):
        return np.empty((0, len(CLASSES)), np.float32)
    seen = close_ups(pictures)
    (scores,) = load_network().run(None, {"views": seen.views, "hints": seen.hints})
    return np.asarray(scores, np.float32)


def load_network(path: Path = TILE_NETWORK_FILE) -> InferenceSession:
    """Load the network, to be run on one thread. Raises `BadNetwork`."""
    return load_session(path, tuple(INPUTS))
