"""Read a simulated window; boards that are drawn for the reader."""

from __future__ import annotations

from typing import Any

from bot.simulated import SimulatedDesktop
from calibration.calibration import Calibration
from calibration.frame import Frame
from calibration.points import PixelBox
from calibration.reader import Reader
from calibration.theme import Theme
from solver.board import Cell
from solver.game import Rule

NO_THEME = Theme("learned", ())


def desktop(skin: str, *, tile_px: int | None = None, seed: int = 3) -> SimulatedDesktop:
    return SimulatedDesktop(
        rows=9, cols=9, mines=10, rule=Rule.ZERO, seed=seed, skin=skin, tile_px=tile_px, windows=()
    )


def opened(desk: SimulatedDesktop, row: int = 4, col: int = 4) -> Frame:
    desk.click(desk.cell_point(Cell(row, col)))
    desk.clock.sleep(3)
    return desk.grab()


def reader_of(desk: SimulatedDesktop) -> Reader:
    return Reader(Calibration(desk.truth_grid(), NO_THEME, 10))


def painted(frame: Frame, box: PixelBox, colour: Any) -> Frame:
    pixels = frame.pixels.copy()
    pixels[box.y0 : box.y1, box.x0 : box.x1] = colour
    return Frame(pixels)
