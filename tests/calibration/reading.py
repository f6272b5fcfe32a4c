"""Read a simulated window; boards that are drawn for the reader."""

from __future__ import annotations

from typing import Any

from calibration.calibration import Calibration
from calibration.frame import Frame
from calibration.grid import PixelBox
from calibration.reader import Reader
from calibration.reading import Reading
from calibration.theme import Theme
from solver.board import Cell
from solver.game import Rule
from tests.simulated import FaultyDesktop

NO_THEME = Theme("learned", ())


def desktop(skin: str, *, tile_px: int | None = None, seed: int = 3) -> FaultyDesktop:
    return FaultyDesktop(
        rows=9, cols=9, mines=10, rule=Rule.ZERO, seed=seed, skin=skin, tile_px=tile_px, windows=()
    )


def opened(desk: FaultyDesktop, row: int = 4, col: int = 4) -> Frame:
    desk.click(desk.cell_point(Cell(row, col)))
    desk.clock.sleep(3)
    return desk.grab()


class Frames:
    """Reads the frames of one window, one after another, with the memory of those before."""

    def __init__(self, calibration: Calibration) -> None:
        self.reader = Reader(calibration)
        self.memory = self.reader.begin()

    def read(self, frame: Frame, *, same_game: bool = True) -> Reading:
        out = self.reader.read(frame, self.memory, same_game=same_game)
        self.memory = out.memory
        return out.reading

    def read_in_part(self, frame: Frame) -> Reading:
        return self.reader.read_in_part(frame, self.memory)


def frames_of(desk: FaultyDesktop) -> Frames:
    return Frames(Calibration(desk.truth_grid(), NO_THEME, 10))


def painted(frame: Frame, box: PixelBox, colour: Any) -> Frame:
    pixels = frame.pixels.copy()
    pixels[box.y0 : box.y1, box.x0 : box.x1] = colour
    return Frame(pixels)
