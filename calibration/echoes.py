"""Find the parts of a frame that repeat across and down, and by which pitch.

The frame is compared with itself at every distance a tile may have, window by window, so that a
small board is not drowned by a busy desktop.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.comb import Comb
from calibration.frame import Frame
from calibration.repeats import sharpen
from calibration.squares import MAX_PITCH, MIN_PITCH

Floats = NDArray[np.float32]

NOT_SQUARE = 1.36
"""Longest side of a tile over its shortest."""

THIN = 4
"""Rows averaged to one before the frame is compared with itself along them."""

LOUD = 48
"""A step between pixels counts for no more than this: no few edges outweigh all others."""

BLOCK, WINDOW = 32, 4
"""Side of a block in pixels, and of a window in blocks. Every window tells its own pitch."""

LEAST_STEPS = 0.05
"""Mean step in a window under which it is blank."""

ECHO = 0.3
"""Share of the steps in a window that come again one pitch away, at least."""

STANDS_OUT = 2.5
"""How many times better it repeats at its pitch than at most distances."""

OVERTONE = 0.85
"""A distance at which this share of the best one's steps repeats is taken before a longer one."""

MOST_STRETCHES = 4
"""Parts of a frame looked at closely."""


class Stretch(NamedTuple):
    """A part of the frame that repeats by a pitch across and one down, all in pixels."""

    x: slice
    y: slice
    across: float
    down: float


def stretches(frame: Frame) -> list[Stretch]:
    """Find the parts of the frame that repeat in both directions, the largest first."""
    if min(frame.width, frame.height) < WINDOW * BLOCK + MAX_PITCH:
        return []
    grey = np.asarray(cv2.cvtColor(frame.pixels, cv2.COLOR_RGB2GRAY), np.uint8)
    in_x, in_y = _echo(grey), _echo(np.asarray(cv2.transpose(grey), np.uint8)).swapaxes(1, 2)
    across, down = _pitches(in_x), _pitches(in_y)
    square = np.maximum(across, down) < NOT_SQUARE * np.minimum(across, down)
    pairs = np.stack([across, down])[:, square & (across > 0)]
    sizes, votes = np.unique(pairs, axis=1, return_counts=True)
    found = []
    for wide, high in sizes.T[np.argsort(-votes)][:MOST_STRETCHES].tolist():
        both = np.minimum(_about(in_x, wide), _about(in_y, high))
        box = _part((both >= ECHO / 2).astype(np.uint8), (across == wide) & (down == high))
        found.append(_sharpened(grey, Stretch(*box, wide, high)))
    return found


def _about(echo: Floats, pitch: int) -> Floats:
    """Return how well windows repeat at a pitch or a pixel beside it."""
    return np.asarray(echo[max(0, pitch - MIN_PITCH - 1) : pitch - MIN_PITCH + 2].max(axis=0))


def _part(windows: NDArray[np.uint8], voters: NDArray[np.bool_]) -> tuple[slice, slice]:
    """Return the columns and rows of pixels of the connected windows with most voters."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(windows, connectivity=8)
    part = int(np.bincount(labels[voters]).argmax())
    left, top, wide, high = stats[part, :4].tolist()
    return (
        slice(left * BLOCK, (left + wide + WINDOW) * BLOCK),
        slice(top * BLOCK, (top + high + WINDOW) * BLOCK),
    )


def _echo(grey: NDArray[np.uint8]) -> Floats:
    """Say how well a picture repeats along its rows: ``(distance, window row, window column)``.

    Distances count from `MIN_PITCH`. At 1 all steps between pixels come again; 0 for a blank.
    """
    wide, high = (side // BLOCK for side in grey.shape[::-1])
    size = (grey.shape[1], grey.shape[0] // THIN)
    rows = cv2.resize(grey, size, interpolation=cv2.INTER_AREA).astype(np.int16)
    steps = np.clip(rows[:, 2:] - rows[:, :-2], -LOUD, LOUD)
    sizes = np.abs(steps)

    def windows(values: NDArray[np.int16]) -> Floats:
        whole = np.zeros((high * BLOCK // THIN, wide * BLOCK), np.float32)
        inside = values[: whole.shape[0], : whole.shape[1]]
        whole[: inside.shape[0], : inside.shape[1]] = inside
        blocks = cv2.resize(whole, (wide, high), interpolation=cv2.INTER_AREA)
        summed = cv2.blur(blocks, (WINDOW, WINDOW), anchor=(0, 0))
        return np.asarray(summed[: 1 - WINDOW, : 1 - WINDOW], np.float32)

    usual = windows(sizes)
    echo = np.zeros((MAX_PITCH - MIN_PITCH + 1, *usual.shape), np.float32)
    for pitch in range(MIN_PITCH, MAX_PITCH + 1):
        off = cv2.absdiff(steps[:, :-pitch], steps[:, pitch:])
        most = cv2.max(sizes[:, :-pitch], sizes[:, pitch:])
        echo[pitch - MIN_PITCH] = windows(np.maximum(most - 2 * off, 0))
    return np.where(usual > LEAST_STEPS, echo / np.maximum(usual, LEAST_STEPS), 0)


def _pitches(echo: Floats) -> NDArray[np.intp]:
    """Return each window's pitch: the shortest distance that repeats about best, 0 for none."""
    padded = np.pad(echo, ((1, 1), (0, 0), (0, 0)), constant_values=9)
    best = echo.max(axis=0)
    peaks = (echo >= padded[:-2]) & (echo >= padded[2:]) & (echo >= OVERTONE * best)
    found = peaks.any(axis=0) & (best >= np.maximum(ECHO, STANDS_OUT * np.median(echo, axis=0)))
    return np.where(found, peaks.argmax(axis=0) + MIN_PITCH, 0)


def _sharpened(grey: NDArray[Any], stretch: Stretch) -> Stretch:
    """Find the pitches below the pixel."""
    part = grey[stretch.y, stretch.x].astype(np.int16)
    return stretch._replace(across=_exact(part, stretch.across), down=_exact(part.T, stretch.down))


def _exact(rows: NDArray[np.int16], pitch: float) -> float:
    """Make a pitch along rows exact, on few tiles first and then on more and more."""
    thin = np.ascontiguousarray(rows[:: max(1, len(rows) // 96)])
    comb, most, cells = Comb(0.0, pitch), int(rows.shape[1] / pitch), 3
    while cells < 2 * most:
        comb = sharpen(thin, Comb(0.0, comb.pitch), min(cells, most))
        cells *= 2
    return comb.pitch
