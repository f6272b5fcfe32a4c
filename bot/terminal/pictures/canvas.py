"""Draw on a screenshot around a board: cells, labels of rows and columns, captions, a legend.

All sizes follow the size of a tile on the picture, so that a small and a large picture look alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.errors import UsageError
from bot.outputs import write_output
from bot.terminal.risks import Colour, heat
from calibration.errors import BadImage
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.points import PixelBox, PixelPoint
from solver.board import Cell

Picture = NDArray[np.uint8]

GRID_LINE: Colour = (0, 200, 255)
BLACK: Colour = (20, 20, 20)
GREY: Colour = (110, 110, 110)
WHITE: Colour = (250, 250, 250)

MIN_TILE_PX = 36
"""Least size of a tile on a picture; smaller ones are enlarged by a whole number."""

MIN_TEXT_PX = 11
"""Least height of a capital letter; smaller ones cannot be read."""

MOST_PX = 50_000_000
"""Pixels up to which a picture is enlarged: twice the largest that is read."""

_FONT = cv2.FONT_HERSHEY_SIMPLEX
_CAPITAL_PX = 21.5
"""Height of a capital letter of the font at size 1."""


class Canvas:
    """A part of the frame around the board, enlarged. It is drawn on by cell or by frame pixel.

    ``pixels`` is the picture, ``box`` the part of the frame, ``zoom`` how much it is enlarged.
    """

    def __init__(self, frame: Frame, grid: Grid, *, margin_tiles: float = 1.5) -> None:
        bounds = grid.bounds
        margin = round(margin_tiles * max(grid.tile_w, grid.tile_h))
        self.box = PixelBox(
            max(0, bounds.x0 - margin),
            max(0, bounds.y0 - margin),
            min(frame.width, bounds.x1 + margin),
            min(frame.height, bounds.y1 + margin),
        )
        cut = frame.pixels[self.box.y0 : self.box.y1, self.box.x0 : self.box.x1]
        most = max(1, int((MOST_PX / max(1, cut.shape[0] * cut.shape[1])) ** 0.5))
        self.zoom = min(most, int(np.ceil(MIN_TILE_PX / min(grid.tile_w, grid.tile_h))))
        self.pixels: Picture = np.ascontiguousarray(
            cut.repeat(self.zoom, axis=0).repeat(self.zoom, axis=1)
        )
        self.grid = grid

    @property
    def tile_px(self) -> float:
        """The size of a tile on the picture."""
        return self.zoom * min(self.grid.tile_w, self.grid.tile_h)

    @property
    def text_px(self) -> int:
        """The height of the letters beside and below the board."""
        return max(MIN_TEXT_PX, round(0.3 * self.tile_px))

    def point(self, point: PixelPoint) -> tuple[int, int]:
        """Return the canvas pixel of a point in the frame."""
        return (
            round((point.x - self.box.x0) * self.zoom),
            round((point.y - self.box.y0) * self.zoom),
        )

    def corners(self, cell: Cell, inset_px: int = 0) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the top left and the bottom right corner of a cell, in canvas pixels."""
        x_lines, y_lines = self.grid.x_lines, self.grid.y_lines
        x0, y0 = self.point(PixelPoint(x_lines[cell.col], y_lines[cell.row]))
        x1, y1 = self.point(PixelPoint(x_lines[cell.col + 1], y_lines[cell.row + 1]))
        return (x0 + inset_px, y0 + inset_px), (x1 - inset_px, y1 - inset_px)

    def tint(self, cell: Cell, colour: Colour, strength: float) -> None:
        """Mix a colour into a cell."""
        (x0, y0), (x1, y1) = self.corners(cell, 1)
        part = self.pixels[y0:y1, x0:x1]
        part[:] = ((1 - strength) * part + strength * np.array(colour)).astype(np.uint8)

    def outline(self, cell: Cell, colour: Colour, width_px: int) -> None:
        """Draw a border inside a cell."""
        cv2.rectangle(self.pixels, *self.corners(cell, 1 + width_px // 2), colour, width_px)

    def ring(self, cell: Cell, colour: Colour) -> None:
        """Draw a ring in a cell."""
        (x0, y0), (x1, y1) = self.corners(cell)
        centre, radius = ((x0 + x1) // 2, (y0 + y1) // 2), int(0.44 * min(x1 - x0, y1 - y0))
        width = max(3, round(0.07 * self.tile_px))
        cv2.circle(self.pixels, centre, radius, WHITE, width + 2, cv2.LINE_AA)
        cv2.circle(self.pixels, centre, radius, colour, width, cv2.LINE_AA)

    def label(self, cell: Cell, text: str, colour: Colour) -> None:
        """Write a few letters on a coloured label in the top left corner of a cell."""
        (x0, y0), (x1, _) = self.corners(cell, 2)
        height = max(8, round(0.24 * (x1 - x0)))
        width = text_width(text, height)
        cv2.rectangle(self.pixels, (x0, y0), (x0 + width + 4, y0 + height + 4), colour, -1)
        write(self.pixels, text, (x0 + 2, y0 + height + 2), height, WHITE)

    def write_in_centre(self, cell: Cell, text: str, colour: Colour) -> None:
        """Write in the centre of a cell, as large as three letters fit."""
        (x0, y0), (x1, y1) = self.corners(cell)
        height = round(0.3 * (x1 - x0))
        while text_width(text, height) > 0.86 * (x1 - x0) and height > 6:
            height -= 1
        origin = ((x0 + x1 - text_width(text, height)) // 2, (y0 + y1 + height) // 2)
        write(self.pixels, text, origin, height, colour)

    def draw_grid(self) -> None:
        """Draw the lines of the grid."""
        x_lines, y_lines = self.grid.x_lines, self.grid.y_lines
        for x in x_lines:
            ends = self.point(PixelPoint(x, y_lines[0])), self.point(PixelPoint(x, y_lines[-1]))
            cv2.line(self.pixels, *ends, GRID_LINE, 1)
        for y in y_lines:
            ends = self.point(PixelPoint(x_lines[0], y)), self.point(PixelPoint(x_lines[-1], y))
            cv2.line(self.pixels, *ends, GRID_LINE, 1)

    def with_cell_labels(self) -> Picture:
        """Return the picture with the numbers of rows and columns, from 1, on a white border."""
        height = self.text_px
        left = text_width(str(self.grid.rows), height) + height
        top = 2 * height
        picture = np.full(
            (self.pixels.shape[0] + top, self.pixels.shape[1] + left, 3), WHITE, np.uint8
        )
        picture[top:, left:] = self.pixels
        for row in range(self.grid.rows):
            (_, y0), (_, y1) = self.corners(Cell(row, 0))
            name = str(row + 1)
            x = left - height // 2 - text_width(name, height)
            write(picture, name, (x, top + (y0 + y1 + height) // 2), height, GREY)
        widest = text_width(str(self.grid.cols), height)
        step = 1 if widest + height // 2 < self.zoom * self.grid.tile_w else 5
        for col in range(self.grid.cols):
            if step > 1 and col and (col + 1) % step:
                continue
            (x0, _), (x1, _) = self.corners(Cell(0, col))
            name = str(col + 1)
            x = left + (x0 + x1 - text_width(name, height)) // 2
            write(picture, name, (x, top - height // 2), height, GREY)
        return picture


def caption(picture: Picture, lines: Sequence[str], text_px: int) -> Picture:
    """Return the picture with lines of text below it, wrapped to its width."""
    room = picture.shape[1] - 2 * text_px
    wrapped = [row for line in lines if line for row in wrap(line, room, text_px)]
    if not wrapped:
        return picture
    step = round(1.9 * text_px)
    band = np.full((step * len(wrapped) + text_px, picture.shape[1], 3), WHITE, np.uint8)
    for index, row in enumerate(wrapped):
        write(band, row, (text_px, step * (index + 1)), text_px, BLACK)
    return np.vstack([picture, band])


def wrap(line: str, room: int, text_px: int) -> list[str]:
    """Break a line into rows at most ``room`` pixels wide."""
    rows, row = list[str](), ""
    for word in line.split():
        longer = f"{row} {word}" if row else word
        if row and text_width(longer, text_px) > room:
            rows.append(row)
            row = word
        else:
            row = longer
    return [*rows, row]


def add_legend(
    picture: Picture, samples: Sequence[tuple[Colour, str, str]], text_px: int, *, scale: bool
) -> Picture:
    """Return the picture with a legend below it.

    A sample is a colour, how it is drawn (``fill``, ``outline`` or ``ring``) and its meaning.
    With ``scale``, the colours of risk from 0 to 100 % come first.
    """
    side, gap = round(1.4 * text_px), round(0.5 * text_px)
    items: list[tuple[Colour | None, str, str]] = [(None, "", "")] if scale else []
    items += samples
    widths = [_item_width(colour, meaning, text_px) for colour, _, meaning in items]
    width = max(picture.shape[1], *(item + 2 * text_px for item in widths))
    band = np.full((0, width, 3), WHITE, np.uint8)
    x = width
    for (colour, kind, meaning), need in zip(items, widths, strict=True):
        if x + need > width - text_px:
            band = np.vstack([band, np.full((round(2.2 * text_px), width, 3), WHITE, np.uint8)])
            x = text_px
        y = band.shape[0] - side - gap // 2
        baseline = band.shape[0] - gap // 2 - (side - text_px) // 2
        if colour is None:
            _draw_scale(band, (x, y, baseline), text_px)
        else:
            _draw_sample(band, colour, kind, (x, y), side)
            write(band, meaning, (x + side + gap, baseline), text_px, BLACK)
        x += need + 4 * gap
    return np.vstack([widened(picture, width), band])


def widened(picture: Picture, width: int) -> Picture:
    """Return the picture with a white band at its right, so that it is ``width`` wide."""
    wider = np.full((picture.shape[0], width, 3), WHITE, np.uint8)
    wider[:, : picture.shape[1]] = picture
    return wider


_SCALE_ENDS = "risk 0 %", "100 %"
_SCALE_SIDES = 8
"""Length of the colours of risk, in heights of the letters."""


def _item_width(colour: Colour | None, meaning: str, text_px: int) -> int:
    gap = round(0.5 * text_px)
    if colour is not None:
        return round(1.4 * text_px) + gap + text_width(meaning, text_px)
    ends = sum(text_width(word, text_px) for word in _SCALE_ENDS)
    return ends + _SCALE_SIDES * text_px + 2 * gap


def _draw_scale(band: Picture, place: tuple[int, int, int], text_px: int) -> None:
    """Draw the colours of risk at ``x, y``, and their ends on the baseline."""
    x, y, baseline = place
    gap, length = round(0.5 * text_px), _SCALE_SIDES * text_px
    write(band, _SCALE_ENDS[0], (x, baseline), text_px, BLACK)
    start = x + text_width(_SCALE_ENDS[0], text_px) + gap
    for index in range(length):
        band[y : y + round(1.4 * text_px), start + index] = heat(index / length)
    write(band, _SCALE_ENDS[1], (start + length + gap, baseline), text_px, BLACK)


def _draw_sample(
    band: Picture, colour: Colour, kind: str, corner: tuple[int, int], side: int
) -> None:
    x, y = corner
    width = max(2, side // 8)
    if kind == "fill":
        cv2.rectangle(band, (x, y), (x + side, y + side), colour, -1)
    elif kind == "outline":
        inset = width // 2
        ends = (x + inset, y + inset), (x + side - inset, y + side - inset)
        cv2.rectangle(band, *ends, colour, width)
    else:
        centre = (x + side // 2, y + side // 2)
        cv2.circle(band, centre, side // 2 - width // 2, colour, width, cv2.LINE_AA)


def save_picture(picture: Picture, path: str | Path, *, replace: bool = False) -> None:
    """Write a picture as PNG and make the folders it needs; ``replace`` one that is there.

    Raises `BadImage` if the file cannot be written, `CannotWrite` if the disk is full.
    """
    _, data = cv2.imencode(".png", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    try:
        write_output(Path(path), data.tobytes(), replace=replace)
    except UsageError as error:
        raise BadImage(f"The picture {error}") from error


def text_width(text: str, text_px: int) -> int:
    """Return the width of a line of text whose capitals are ``text_px`` high."""
    size = text_px / _CAPITAL_PX
    return cv2.getTextSize(_ascii(text), _FONT, size, _stroke(text_px))[0][0]


def write(
    pixels: Picture, text: str, origin: tuple[int, int], text_px: int, colour: Colour
) -> None:
    """Write a line of text. ``origin`` is the bottom left corner of its first letter."""
    size, stroke = text_px / _CAPITAL_PX, _stroke(text_px)
    cv2.putText(pixels, _ascii(text), origin, _FONT, size, colour, stroke, cv2.LINE_AA)


def _stroke(text_px: int) -> int:
    return max(1, round(text_px / 10))


def _ascii(text: str) -> str:
    """Replace what OpenCV's font lacks: it has only ASCII letters."""
    for sign, ascii_text in (("×", "x"), ("–", "-"), ("→", "->"), ("…", "...")):
        text = text.replace(sign, ascii_text)
    return text.encode("ascii", "replace").decode()
