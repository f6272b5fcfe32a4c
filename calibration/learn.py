"""Recognise a look: match a frame against the known themes, or learn a new one from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.theme import Theme


@dataclass(frozen=True, eq=False)
class Recognition:
    """What `recognise` made of a grid.

    ``theme`` is the built-in theme that explains the tiles, or one named ``learned``.
    ``tiles`` is an int8 array ``(rows, cols)`` as in `Board`, only to be trusted where
    ``confidence`` (float64 of the same shape, 0..1) is above `calibration.learn.MARGIN`.
    ``plausibility`` (0..1) says how well this is a Minesweeper board by its meaning: near 1 for
    a position in which every tile is read and the numbers agree, about 0.5 for a board of
    nothing but equal hidden tiles (a fresh board, or any table of empty squares), near 0 for a
    keypad, a spreadsheet, wallpaper squares or text. Accept from 0.4.
    """

    theme: Theme
    tiles: NDArray[np.int8]
    confidence: NDArray[np.float64]
    plausibility: float


MARGIN = 0.5
"""Confidence below which a tile is unreadable."""


def recognise(frame: Frame, grid: Grid, *, themes: Sequence[Theme] | None = None) -> Recognition:
    """Match the tiles of ``grid`` against ``themes`` (None: the built-in ones), or learn.

    Never raises for a look it cannot read: doubt shows as low ``plausibility`` and
    ``confidence``, so that it can judge several candidate grids.
    """
    raise NotImplementedError
