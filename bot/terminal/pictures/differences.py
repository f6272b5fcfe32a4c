"""Draw what a replay found different on the frame it was found on."""

from __future__ import annotations

from collections.abc import Sequence

from bot.record.replay import Difference
from bot.terminal.pictures.canvas import Canvas, Picture, add_legend, caption
from bot.terminal.risks import Colour
from calibration.frame import Frame
from calibration.grid import Grid
from solver.board import Cell

TILE_COLOUR: Colour = (230, 30, 140)
RECORDED: Colour = (255, 120, 0)
NOW: Colour = (0, 60, 255)

LINES_PX = 14
"""Height of the letters below a frame that shows no board."""


def draw_differences(frame: Frame, grid: Grid | None, differences: Sequence[Difference]) -> Picture:
    """Outline the tiles that are read differently, ring the moves, and write the sentences below.

    Without a grid that lies on the frame, the frame is shown as it is.
    """
    sentences = [line for one in differences for line in one.sentences()]
    if grid is None or not _lies_on(frame, grid):
        return caption(frame.pixels, sentences, LINES_PX)
    canvas = Canvas(frame, grid)
    samples: list[tuple[Colour, str, str]] = []
    tiles = [tile for one in differences for tile in one.tiles]
    for tile in tiles:
        if tile.cell.row < grid.rows and tile.cell.col < grid.cols:
            canvas.outline(tile.cell, TILE_COLOUR, max(2, round(0.08 * canvas.tile_px)))
            canvas.label(tile.cell, f"{tile.before}>{tile.now}", TILE_COLOUR)
    if tiles:
        samples.append((TILE_COLOUR, "outline", "tile: recorded > now"))
    if moves := [one for one in differences if one.what == "moves"]:
        for colour, cells in ((RECORDED, moves[0].recorded), (NOW, moves[0].now or [])):
            for _, row, col in cells:
                if row < grid.rows and col < grid.cols:
                    canvas.ring(Cell(row, col), colour)
        samples += [(RECORDED, "ring", "move recorded"), (NOW, "ring", "move now")]
    picture = canvas.with_cell_labels()
    if samples:
        picture = add_legend(picture, samples, canvas.text_px, scale=False)
    return caption(picture, sentences, canvas.text_px)


def _lies_on(frame: Frame, grid: Grid) -> bool:
    """Whether the whole board is in the frame."""
    x0, y0, x1, y1 = grid.bounds
    return min(x0, y0) >= 0 and x1 <= frame.width and y1 <= frame.height
