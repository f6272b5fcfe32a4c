"""What is drawn on the window: outlines of safe cells, corners of mines, the best guess."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from bot.desktop.ports import Colour, Mark
from bot.watch.advice import Advice
from calibration.grid import Grid
from calibration.points import PixelBox
from solver.board import Cell, Tile

SAFE_COLOUR: Colour = (0, 200, 83)
MINE_COLOUR: Colour = (255, 23, 68)
GUESS_COLOUR: Colour = (255, 196, 0)
DARK: Colour = (20, 20, 20)
"""Colour of a risk's figures on a tile that is brighter than `BRIGHT`; else they are white."""

WHITE: Colour = (250, 250, 250)
BRIGHT = 110

LINE = 1 / 12
"""Width of an outline as a share of the tile; at least two pixels."""

FIGURE_SIZE = 0.6
"""Size of the figures as a share of the tile."""

Brightness = Callable[[PixelBox], float]
"""Returns the brightness of a part of the screen, 0 to 255."""


def marks_of(advice: Advice, grid: Grid, brightness: Brightness) -> dict[Cell, list[Mark]]:
    """Return the marks of each cell that has any, in pixels of ``grid``.

    A safe cell has an outline, a certain mine without a flag has corners, and a guess has an
    outline and its risk in percent: no two kinds differ by their colours only.
    """
    marks = dict[Cell, list[Mark]]()
    board, analysis, decision = advice.board, advice.analysis, advice.decision
    if analysis is None or board.covered.sum() == len(analysis.mines):
        return marks  # nothing is left to open
    for cell in analysis.safe:
        if board[cell] != Tile.FLAG:
            marks[cell] = [Mark(box, SAFE_COLOUR) for box in _outline(grid.box(cell))]
    for cell in analysis.mines:
        if board[cell] != Tile.FLAG:
            marks[cell] = [Mark(box, MINE_COLOUR) for box in _corners(grid.box(cell))]
    if decision is not None and not decision.certain:
        for move in decision.moves:
            box = grid.box(move.cell)
            figures = DARK if brightness(box) > BRIGHT else WHITE
            marks[move.cell] = list(_guess(box, 1.0 - decision.survival, figures))
    return marks


def _line(box: PixelBox) -> int:
    return max(2, round(LINE * min(box.x1 - box.x0, box.y1 - box.y0)))


def _outline(box: PixelBox) -> list[PixelBox]:
    """Return the four sides of a box, a pixel inside it."""
    width = _line(box)
    x0, y0, x1, y1 = box.x0 + 1, box.y0 + 1, box.x1 - 1, box.y1 - 1
    return [
        PixelBox(x0, y0, x1, y0 + width),
        PixelBox(x0, y1 - width, x1, y1),
        PixelBox(x0, y0 + width, x0 + width, y1 - width),
        PixelBox(x1 - width, y0 + width, x1, y1 - width),
    ]


def _corners(box: PixelBox) -> list[PixelBox]:
    """Return what is left of the sides of a box without their middle."""
    width, parts = _line(box), list[PixelBox]()
    reach = max(width + 1, min(box.x1 - box.x0, box.y1 - box.y0) // 3)
    for x0, y0, x1, y1 in _outline(box):
        if x1 - x0 > width:
            parts += [PixelBox(x0, y0, x0 + reach, y1), PixelBox(x1 - reach, y0, x1, y1)]
        else:
            left = max(1, reach - width)
            parts += [PixelBox(x0, y0, x1, y0 + left), PixelBox(x0, y1 - left, x1, y1)]
    return parts


def _guess(box: PixelBox, risk: float, colour: Colour) -> Iterator[Mark]:
    """Yield the outline of a guess, and its risk as figures of a colour."""
    for side in _outline(box):
        yield Mark(side, GUESS_COLOUR)
    figures = _figures(f"{min(99, max(1, round(100 * risk)))}", box)
    for x0, y0, x1, y1 in _runs(figures):
        yield Mark(PixelBox(box.x0 + x0, box.y0 + y0, box.x0 + x1, box.y0 + y1), colour)


def _figures(text: str, box: PixelBox) -> NDArray[np.bool_]:
    """Draw figures in the middle of a tile; return their mask."""
    width, height = box.x1 - box.x0, box.y1 - box.y0
    picture = Image.new("1", (width, height))
    font = ImageFont.load_default(size=FIGURE_SIZE * min(width, height))
    ImageDraw.Draw(picture).text((width / 2, height / 2), text, fill=1, font=font, anchor="mm")
    return np.asarray(picture)


def _runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int, int, int]]:
    """Cut a mask into rectangles one pixel high: left, top, right, bottom."""
    edges = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    starts, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)
    for (y, x0), (_, x1) in zip(starts.tolist(), ends.tolist(), strict=True):
        yield x0, y, x1, y + 1
