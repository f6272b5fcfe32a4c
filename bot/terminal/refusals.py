"""Draw why a screenshot was refused: what was found on it, and where reading it failed.

Nothing here decides anything: the frame is looked at once more, with what the error says.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.remedies import sentence_for
from bot.terminal.pictures import (
    BLACK,
    DOUBTFUL,
    GREY,
    GRID_LINE,
    MIN_TEXT_PX,
    WHITE,
    Canvas,
    Picture,
    add_legend,
    caption,
    text_width,
    widened,
    write,
)
from calibration.classify.decode import MARGIN
from calibration.classify.recognise import Recognition, recognise
from calibration.errors import CalibrationError, SeveralGrids, Unreadable
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.crosses import find_lattices
from calibration.tiles import cut
from solver.board import TEXT_OF_TILE, Cell

MOST_LATTICES = 6
"""Lattices shown of a frame without a board."""

MOST_TILES = 8
"""Doubtful tiles shown enlarged."""

MOST_LIKE = 4
"""Tiles that each is shown beside."""


def draw_refusal(frame: Frame, error: CalibrationError, grid: Grid | None = None) -> Picture:
    """Draw what an error is about.

    ``grid`` is where the board lies, if it was found: then the doubtful tiles are enlarged beside
    the tiles they were compared with. Else the boards to choose from are drawn, or the lattices
    that turned out not to be boards.
    """
    if isinstance(error, Unreadable) and grid is not None:
        return draw_doubtful(frame, grid, error)
    if isinstance(error, SeveralGrids):
        return draw_candidates(frame, error.grids, sentence_for(error, live=False))
    found = [one.grid for one in find_lattices(frame)][:MOST_LATTICES]
    note = (
        "These lattices of equally spaced lines were found; none is a board that can be read."
        if found
        else "No lattice of equally spaced lines was found."
    )
    return draw_candidates(frame, found, sentence_for(error, live=False), note)


def draw_candidates(frame: Frame, grids: Sequence[Grid], *notes: str) -> Picture:
    """Draw the whole frame, darkened, with each grid in ``grids`` bright, outlined and numbered."""
    pixels = (frame.pixels * np.float32(0.6)).astype(np.uint8)
    text_px = max(MIN_TEXT_PX, round(frame.width / 90))
    for grid in grids:
        x0, y0, x1, y1 = grid.bounds
        pixels[max(0, y0) : y1, max(0, x0) : x1] = frame.pixels[max(0, y0) : y1, max(0, x0) : x1]
    for number, grid in enumerate(grids, start=1):
        x0, y0, x1, y1 = grid.bounds
        cv2.rectangle(pixels, (x0 - 2, y0 - 2), (x1 + 2, y1 + 2), DOUBTFUL, 3)
        title = f"{number}: {grid.rows} x {grid.cols}"
        height = text_px + text_px // 2
        x, y = max(0, x0 - 3), max(height, y0 - 3)
        width = text_width(title, text_px) + text_px
        x = max(0, min(x, frame.width - width))
        cv2.rectangle(pixels, (x, y - height), (x + width, y), DOUBTFUL, -1)
        write(pixels, title, (x + text_px // 2, y - text_px // 4), text_px, WHITE)
    return caption(pixels, notes, text_px)


def draw_doubtful(frame: Frame, grid: Grid, error: Unreadable) -> Picture:
    """Draw the board with the doubtful tiles outlined, and each enlarged beside others like it."""
    canvas = Canvas(frame, grid)
    canvas.draw_grid()
    width = max(3, round(0.1 * canvas.tile_px))
    for cell in error.tiles:
        canvas.outline(cell, DOUBTFUL, width)
    samples = [(GRID_LINE, "outline", "grid"), (DOUBTFUL, "outline", "doubtful tile")]
    picture = add_legend(canvas.with_cell_labels(), samples, canvas.text_px, scale=False)
    picture = caption(picture, [sentence_for(error, live=False)], canvas.text_px)
    cells = list(error.tiles)[:MOST_TILES]
    if not cells:
        return picture
    side = round(max(48.0, 1.3 * canvas.tile_px))
    strips = _in_columns(_comparison(frame, grid, cells, side), picture.shape[1])
    room = max(picture.shape[1], strips.shape[1])
    note = (
        "A doubtful tile stands left of the readable tiles that look most like it. sure: how sure "
        f"the reading is, of 1; at least {MARGIN:g} is needed. off: the mean difference of the two "
        "pictures, of 255."
    )
    whole = np.vstack([widened(picture, room), widened(strips, room)])
    return caption(whole, [note], canvas.text_px)


def _in_columns(strips: Sequence[Picture], room: int) -> Picture:
    """Lay strips of one size out in as many columns as fit into ``room`` pixels."""
    height, width = strips[0].shape[:2]
    columns = max(1, min(len(strips), room // width))
    rows = -(-len(strips) // columns)
    picture = np.full((rows * height, columns * width, 3), WHITE, np.uint8)
    for index, strip in enumerate(strips):
        row, column = divmod(index, columns)
        picture[row * height : (row + 1) * height, column * width : (column + 1) * width] = strip
    return picture


def _comparison(frame: Frame, grid: Grid, cells: Sequence[Cell], side: int) -> list[Picture]:
    """Draw one strip a doubtful tile: the tile, then the readable tiles that look most like it."""
    text_px = max(MIN_TEXT_PX, side // 5)
    seen, pictures = recognise(frame, grid), cut(frame, grid)
    gap, head = text_px, round(2.2 * text_px)
    strips = []
    for cell in cells:
        others = _most_alike(pictures, seen, cell, excluded=cells)
        width = gap + (1 + MOST_LIKE) * (side + gap) + round(1.5 * gap)
        strip = np.full((head + side + round(5.2 * text_px), width, 3), WHITE, np.uint8)
        write(strip, cell.place, (gap, text_px + text_px // 2), text_px, BLACK)
        for index, (place, difference) in enumerate([(cell, None), *others]):
            x = gap + index * (side + gap) + (round(1.5 * gap) if index else 0)
            strip[head : head + side, x : x + side] = _enlarged(pictures[place], side)
            edge = DOUBTFUL if index == 0 else GREY
            cv2.rectangle(strip, (x - 1, head - 1), (x + side, head + side), edge, 2)
            name = _name(int(seen.tiles[place]))
            lines = (
                [
                    name,
                    f"or {_name(int(seen.rivals[place]))}",
                    f"sure {seen.confidence[place]:.2f}",
                ]
                if difference is None
                else [name, f"off {difference:.0f}"]
            )
            for line, text in enumerate(lines):
                y = head + side + round((1.5 + 1.6 * line) * text_px)
                size = text_px
                while text_width(text, size) > side + gap and size > 7:
                    size -= 1
                write(strip, text, (x, y), size, BLACK)
        strips.append(strip)
    return strips


def _name(tile: int) -> str:
    """Name a tile shortly."""
    text = TEXT_OF_TILE[tile]
    return {"#": "hidden", "F": "flag", "~": "no tile"}.get(text, text)


def _most_alike(
    pictures: NDArray[np.uint8], seen: Recognition, cell: Cell, *, excluded: Sequence[Cell]
) -> list[tuple[Cell, float]]:
    """Return readable tiles of different labels, those that look most like ``cell`` first."""
    flat = pictures.astype(np.float32).reshape(*pictures.shape[:2], -1)
    difference = np.abs(flat - flat[cell]).mean(axis=2)
    difference[seen.confidence < MARGIN] = np.inf
    for other in excluded:
        difference[other] = np.inf
    nearest = {}
    for tile in np.unique(seen.tiles):
        distances = np.where(seen.tiles == tile, difference, np.inf)
        place = Cell(*map(int, np.unravel_index(int(distances.argmin()), distances.shape)))
        if np.isfinite(distances[place]):
            nearest[place] = float(distances[place])
    return sorted(nearest.items(), key=lambda item: item[1])[:MOST_LIKE]


def _enlarged(tile: NDArray[np.uint8], side: int) -> Picture:
    return np.asarray(cv2.resize(tile, (side, side), interpolation=cv2.INTER_NEAREST), np.uint8)
