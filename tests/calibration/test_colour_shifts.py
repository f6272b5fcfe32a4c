"""Screens whose colours something shifts: night light, tone curves, projectors, filters for eyes.

A shift changes all pixels alike: tiles that differ still differ, although no theme fits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.calibration import calibrate
from calibration.errors import CalibrationError
from calibration.frame import Frame
from calibration.reader import Reader
from solver.board import Tile
from tests.calibration.screens import FIXTURES, Screen, labelled

Pixels = NDArray[np.uint8]


def curve(function: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Pixels:
    """Return the table of a tone curve over 0..1."""
    values = 255 * np.clip(function(np.arange(256) / 255), 0, 1)
    return np.asarray(values.round(), np.uint8)


def mixed(pixels: Pixels, matrix: list[tuple[float, float, float]]) -> Pixels:
    """Mix the channels of each pixel; a row of the matrix makes one channel."""
    return np.asarray(np.clip(pixels @ np.array(matrix).T, 0, 255).round(), np.uint8)


MILD: dict[str, Callable[[Pixels], Pixels]] = {
    "brighter": lambda pixels: curve(lambda x: x**0.7)[pixels],
    "darker": lambda pixels: curve(lambda x: x**1.5)[pixels],
    "night light": lambda pixels: mixed(pixels, [(1, 0, 0), (0, 0.82, 0), (0, 0, 0.55)]),
    "strong night light": lambda pixels: mixed(pixels, [(1, 0, 0), (0, 0.65, 0), (0, 0, 0.3)]),
    "projector": lambda pixels: curve(lambda x: 0.24 + 0.65 * x)[pixels],
}
"""Shifts that leave all colours apart."""

STRONG: dict[str, Callable[[Pixels], Pixels]] = {
    "HDR tone curve": lambda pixels: curve(lambda x: 1.25 * x / (x + 0.25))[pixels],
    "no colours": lambda pixels: mixed(pixels, [(0.299, 0.587, 0.114)] * 3),
    "deuteranopia": lambda pixels: mixed(pixels, [(0.625, 0.375, 0), (0.7, 0.3, 0), (0, 0.3, 0.7)]),
    "inverted": lambda pixels: 255 - pixels,
}
"""Shifts that make some colours alike, or turn light and dark round."""

PROGRAMS = ("gnome-mines", "kmines", "sgt-mines", "winemine", "xdemineur")
IN_PLAY = [
    screen
    for program in PROGRAMS
    for screen in labelled(FIXTURES / program)
    if screen.status == "playing"
]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("shift", [*MILD, *STRONG])
@pytest.mark.parametrize("screen", IN_PLAY, ids=lambda screen: screen.name)
def test_no_tile_is_read_wrongly_under_a_shift_of_colours(screen: Screen, shift: str) -> None:
    frame = screen.frame()
    shifted = Frame((MILD | STRONG)[shift](frame.pixels), frame.origin, frame.scale)
    try:
        tiles = Reader(calibrate(shifted)).read_in_part(shifted).board.tiles
    except CalibrationError:
        assert shift in STRONG, "only colours that are alike now may not be read"
        return
    known = tiles != Tile.UNKNOWN
    # A lone question mark among a hundred flags passes for one: no click goes to either.
    read, true = (
        np.where(one == Tile.QUESTION, np.int8(Tile.FLAG), one)
        for one in (tiles, screen.board.tiles)
    )
    assert np.array_equal(read[known], true[known])
    assert known.mean() > 0.98
