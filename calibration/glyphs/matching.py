"""Which digit a glyph shows, whatever its font, colour and size.

A glyph is a map of ink, float 0..1. It is brought to a normal form (its box is scaled to one
height, in proportion) and correlated with the reference glyphs of `references`: digits drawn by
strokes, of several weights and widths, and a few fonts of coarse pixels, as old programs and
small displays have them. No font file is needed.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.glyphs.references import SYMBOLS, reference_glyphs

SIDE = 16
"""Height and width of a glyph's normal form."""


def normal_form(ink: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """Scale the inked box to `SIDE` rows or columns, centred in a square; None without ink.

    The box holds all rows and columns with ink over 0.35 of the strongest.
    """
    mask = ink > 0.35 * ink.max() if ink.max() > 0 else np.zeros_like(ink, dtype=np.bool_)
    rows, cols = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if rows.size == 0:
        return None
    box = ink[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    width = min(SIDE, max(2, round(SIDE * box.shape[1] / box.shape[0])))
    height = min(SIDE, max(2, round(SIDE * box.shape[0] / box.shape[1])))
    shrinking = box.shape[0] > SIDE
    scaled = cv2.resize(
        box, (width, height), interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_LINEAR
    )
    form = np.zeros((SIDE, SIDE), dtype=np.float32)
    top, left = (SIDE - height) // 2, (SIDE - width) // 2
    form[top : top + height, left : left + width] = scaled
    return form


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Bring each row to mean 0 and length 1."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.asarray(centred / np.maximum(length, 1e-6), dtype=np.float32)


def features(forms: NDArray[np.float32]) -> NDArray[np.float32]:
    """Describe normal forms ``(n, SIDE, SIDE)`` by where ink is and which way its edges run.

    The first part is the blurred ink. The second part is the strength of edges in eight
    directions, pooled over 5 by 5 pixels (the idea of histograms of oriented gradients, Dalal
    and Triggs 2005). Both parts weigh the same in a scalar product. Float32, one row a form.
    """
    count = len(forms)
    padded = np.pad(forms, ((0, 0), (2, 2), (2, 2))).reshape(-1, SIDE + 4)
    blurred = np.asarray(cv2.GaussianBlur(padded, (0, 0), 0.8), dtype=np.float32)
    across = cv2.Sobel(blurred, cv2.CV_32F, 1, 0)
    down = cv2.Sobel(blurred, cv2.CV_32F, 0, 1)
    strength, angle = cv2.cartToPolar(across, down)
    sector = angle * (8 / (2 * np.pi))
    planes = []
    for direction in range(8):
        off = np.abs((sector - direction + 4) % 8 - 4)
        plane = cv2.blur(strength * np.clip(1 - off, 0, 1), (5, 5))
        planes.append(plane.reshape(count, SIDE + 4, SIDE + 4)[:, 2::4, 2::4].reshape(count, -1))
    ink = blurred.reshape(count, SIDE + 4, SIDE + 4)[:, 2:-2:1, 2:-2:1].reshape(count, -1)
    return np.hstack([_unit(ink), _unit(np.hstack(planes))]) / np.float32(np.sqrt(2))


@cache
def _references() -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """Return the features of the reference glyphs as rows, and the symbol index of each, sorted."""
    drawn = sorted(reference_glyphs(), key=lambda pair: pair[0])
    pairs = [(index, normal_form(glyph)) for index, glyph in drawn]
    forms = np.stack([form for _, form in pairs if form is not None])
    return features(forms), np.array([index for index, form in pairs if form is not None])


def match_digits(forms: NDArray[np.float32]) -> NDArray[np.float32]:
    """Correlate normal forms ``(n, SIDE, SIDE)`` with the reference glyphs.

    Returns ``(n, len(SYMBOLS))``: the best correlation with each symbol, less a penalty for
    topology that does not fit it: closed loops, and a gap above a dot.
    """
    references, symbols = _references()
    # Not a matrix product: the threads of BLAS wait for each other longer than this takes.
    correlation = np.einsum("nf,rf->nr", features(forms), references)
    scores = np.maximum.reduceat(correlation, symbols.searchsorted(range(len(SYMBOLS))), axis=1)
    return np.asarray(scores - np.stack([_topology_penalty(form) for form in forms]))


_SYMBOLS_OF_LOOPS = {0: "123457?", 1: "46", 2: "8"}


def _topology_penalty(form: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the penalty ``(len(SYMBOLS),)`` for loops and gaps that do not fit a symbol.

    A loop too many costs more than a missing one: small or heavy digits fill their loops.
    """
    penalty = np.zeros(len(SYMBOLS), dtype=np.float32)
    loops = closed_loops(form)
    fitting = _SYMBOLS_OF_LOOPS[min(loops, 2)]
    for index, symbol in enumerate(SYMBOLS):
        if symbol not in fitting:
            penalty[index] = 0.08 if loops and symbol not in "68" else 0.03
    rows = np.asarray((form > 0.35).any(axis=1))
    inked = np.flatnonzero(rows)
    has_gap = inked.size > 0 and not rows[inked[0] : inked[-1] + 1].all()
    penalty[:-1] += 0.12 if has_gap else 0.0
    penalty[-1] += 0.0 if has_gap else 0.04
    return penalty


def closed_loops(form: NDArray[np.float32]) -> int:
    """Count the areas without ink, of two pixels or more, that ink encloses."""
    free = np.pad((form < 0.5).astype(np.uint8), 1, constant_values=1)
    count, _, stats, _ = cv2.connectedComponentsWithStats(free, connectivity=4)
    return int((stats[1:count, cv2.CC_STAT_AREA] >= 2).sum()) - 1
