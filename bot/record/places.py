"""Where the board of a recording lies in a frame of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.tracking.boxes import ALIGN
from calibration.frame import Frame
from calibration.grid import Grid


def grid_in(frame: Frame, place: Mapping[str, Any]) -> Grid:
    """Return the grid of ``place``, a line with the board's position, in pixels of ``frame``.

    A frame of play shows a part of the screen, a multiple of `ALIGN` pixels away from its corner.
    """
    grid = place["calibration"]
    shift_x, shift_y = (
        ALIGN * round((mine - its) * frame.scale / ALIGN)
        for mine, its in zip(frame.origin, place["origin"], strict=True)
    )
    return Grid(
        grid["x0"] - shift_x,
        grid["y0"] - shift_y,
        grid["tile_w"],
        grid["tile_h"],
        rows=grid["rows"],
        cols=grid["cols"],
    )
