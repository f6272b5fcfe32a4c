"""The normal form of a glyph: its drawing, independent of colour, size and place."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

FORM_SIDE = 16
"""Height and width of a glyph's normal form."""


def normal_form(ink: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """Scale the inked box to `FORM_SIDE` rows or columns, centred in a square; None without ink.

    The box holds all rows and columns with ink over 0.35 of the strongest.
    """
    mask = ink > 0.35 * ink.max() if ink.max() > 0 else np.zeros_like(ink, dtype=np.bool_)
    rows, cols = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if rows.size == 0:
        return None
    box = ink[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    width = min(FORM_SIDE, max(2, round(FORM_SIDE * box.shape[1] / box.shape[0])))
    height = min(FORM_SIDE, max(2, round(FORM_SIDE * box.shape[0] / box.shape[1])))
    shrinking = box.shape[0] > FORM_SIDE
    scaled = cv2.resize(
        box, (width, height), interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_LINEAR
    )
    form = np.zeros((FORM_SIDE, FORM_SIDE), dtype=np.float32)
    top, left = (FORM_SIDE - height) // 2, (FORM_SIDE - width) // 2
    form[top : top + height, left : left + width] = scaled
    return form
