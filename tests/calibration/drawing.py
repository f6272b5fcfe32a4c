"""Boards drawn for tests: tiles from rows of text, in themes that no program has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.rules import UNREAD
from calibration.theme import LEARNED, Theme
from solver.board import TILE_OF_TEXT
from tests.calibration import sketches

TILE_PX = 32

NO_THEME = Theme(LEARNED, ())

PLAYED = "\n#####100\n##F31100\n###20000\n##310111\n##2001F#\n##20012#\n"
IN_PART = "\n########\n##12F3##\n#001122#\n#1111000\n####10##\n"
HALF_PLAYED = "0001#### 000112## 000001## 000012## 11002### #2112### ######## ########"


def tiles(text: str) -> NDArray[np.int8]:
    """Return the tiles of rows of text; ``!`` is one that is not known."""
    codes = TILE_OF_TEXT | {"!": UNREAD}
    return np.array([[codes[char] for char in row] for row in text.split()], np.int8)


def drawn(
    text: str,
    *,
    ink: tuple[int, int, int] = (30, 30, 30),
    covered: tuple[int, int, int] = (150, 170, 190),
    opened: tuple[int, int, int] = (225, 225, 225),
    raised: bool = False,
) -> tuple[Frame, Grid]:
    """Draw tiles with gaps; digits in one ink, flags, ``!`` as noise."""
    style = {"ink": [ink] * 8, "hidden": covered, "opened": opened, "margin": [TILE_PX, TILE_PX]}
    bevel = {"bevel": ["#f0f0f0", "#5a5a5a", 3]} if raised else {}
    return sketches.drawn(text.split(), {**style, **bevel})
