"""From pixels to a board. Knows nothing of mouse, windows and waiting.

learning/        trains the networks; only `minebot train reader` imports it
reader.py        entry point: read the next frames of the same window
reading.py       Reading: the board of one frame; Memory: what is remembered for the next
calibration.py   entry point: find the board in a screenshot and learn to read it
boards/          which grids of a frame are boards?
verdict.py       is the game over, and who won it? one table, for pictures and for games

locate/          where is the board? lines and crosses, boxes, or repetition
classify/        what does each tile show? clusters, digits, symbols, themes
indicators/      what does the window say? mine counter, smiley, words
read/            the same in an unknown theme, by one network and the rules
labels.py        what a tile can show, in the order of the tables that name tiles

rules.py         impossible numbers, and the game's status by its tiles
theme.py         Theme, ProgramProfile, appearances and the theme files (themes/*.toml)
tiles.py         the board cut into tile pictures of one size, and how similar they are
images.py        `load_image`: a picture file as a frame, if it holds a whole picture
frame.py         Frame: pixels, with their position on the screen
errors.py        the error tree
grid.py          Grid: cells to pixels and back; points and boxes

Each module imports only those listed below it. `locate`, `classify` and `indicators` do not import
each other. Outside the package they import only `solver`, never `bot`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.lazy import lazy_names

if TYPE_CHECKING:
    from calibration.calibration import Calibration, calibrate
    from calibration.errors import CalibrationError, NoGrid, SeveralGrids, Unreadable
    from calibration.frame import Frame
    from calibration.grid import Grid, PixelBox, PixelPoint, ScreenPoint
    from calibration.images import load_image
    from calibration.reader import Reader
    from calibration.reading import Reading
    from calibration.theme import LEARNED, Theme, load_themes

__all__ = [
    "LEARNED",
    "Calibration",
    "CalibrationError",
    "Frame",
    "Grid",
    "NoGrid",
    "PixelBox",
    "PixelPoint",
    "Reader",
    "Reading",
    "ScreenPoint",
    "SeveralGrids",
    "Theme",
    "Unreadable",
    "calibrate",
    "load_image",
    "load_themes",
]

_NAMES = {
    "calibration.calibration": "Calibration calibrate",
    "calibration.errors": "CalibrationError NoGrid SeveralGrids Unreadable",
    "calibration.frame": "Frame",
    "calibration.grid": "Grid PixelBox PixelPoint ScreenPoint",
    "calibration.images": "load_image",
    "calibration.reader": "Reader",
    "calibration.reading": "Reading",
    "calibration.theme": "LEARNED Theme load_themes",
}
__getattr__, __dir__ = lazy_names(__name__, _NAMES)
