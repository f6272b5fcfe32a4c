"""Pictures to look at: what was found, what was read, and where the mines are likely to be.

Every function returns a new RGB array ``(height, width, 3)`` uint8 and leaves its frame alone.
Pictures of a board are cut out around it and enlarged until a tile can hold a word.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import BadImage
from calibration.frame import Frame, PixelBox, PixelPoint
from calibration.grid import Grid
from solver.agents.base import Action, Decision
from solver.analysis import Analysis
from solver.board import TEXT_OF_TILE, Board, Cell, Tile

Picture = NDArray[np.uint8]
Colour = tuple[int, int, int]

_LINE: Colour = (0, 200, 255)
_GOOD: Colour = (20, 170, 60)
_POOR: Colour = (230, 30, 140)
_INK: Colour = (20, 20, 20)
_PAPER: Colour = (250, 250, 250)
_MIN_TILE_PX = 36
_FONT = cv2.FONT_HERSHEY_SIMPLEX


class _Canvas:
    """A cut-out around the board, enlarged, that takes points of the frame."""

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
        self.zoom = max(1, int(np.ceil(_MIN_TILE_PX / min(grid.tile_w, grid.tile_h))))
        self.pixels: Picture = np.ascontiguousarray(
            cut.repeat(self.zoom, axis=0).repeat(self.zoom, axis=1)
        )
        self.grid = grid

    def point(self, point: PixelPoint) -> tuple[int, int]:
        """Convert a point of the frame to this canvas."""
        return (
            round((point.x - self.box.x0) * self.zoom),
            round((point.y - self.box.y0) * self.zoom),
        )

    def corners(self, cell: Cell, inset_px: int = 0) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the top-left and bottom-right corner of a cell on this canvas."""
        grid = self.grid
        left, top = grid.x0 + cell.col * grid.tile_w, grid.y0 + cell.row * grid.tile_h
        x0, y0 = self.point(PixelPoint(left, top))
        x1, y1 = self.point(PixelPoint(left + grid.tile_w, top + grid.tile_h))
        return (x0 + inset_px, y0 + inset_px), (x1 - inset_px, y1 - inset_px)

    def tint(self, cell: Cell, colour: Colour, strength: float) -> None:
        """Mix a colour into a cell."""
        (x0, y0), (x1, y1) = self.corners(cell, 1)
        part = self.pixels[y0:y1, x0:x1]
        part[:] = ((1 - strength) * part + strength * np.array(colour)).astype(np.uint8)

    def frame_cell(self, cell: Cell, colour: Colour, width_px: int) -> None:
        """Draw a border inside a cell."""
        cv2.rectangle(self.pixels, *self.corners(cell, 1 + width_px // 2), colour, width_px)

    def tag(self, cell: Cell, text: str, colour: Colour) -> None:
        """Write a few letters on a small label in the corner of a cell."""
        (x0, y0), (x1, _) = self.corners(cell, 2)
        size = (x1 - x0) / 85
        (width, height), _ = cv2.getTextSize(text, _FONT, size, 1)
        cv2.rectangle(self.pixels, (x0, y0), (x0 + width + 2, y0 + height + 4), colour, -1)
        _write(self.pixels, text, (x0 + 1, y0 + height + 2), size, _PAPER)

    def centre_text(self, cell: Cell, text: str, colour: Colour) -> None:
        """Write in the middle of a cell."""
        (x0, y0), (x1, y1) = self.corners(cell)
        size = (x1 - x0) / 75
        (width, height), _ = cv2.getTextSize(text, _FONT, size, 1)
        place = ((x0 + x1 - width) // 2, (y0 + y1 + height) // 2)
        _write(self.pixels, text, place, size, colour)

    def lattice(self) -> None:
        """Draw the lines of the grid."""
        grid = self.grid
        right, bottom = grid.x0 + grid.cols * grid.tile_w, grid.y0 + grid.rows * grid.tile_h
        for col in range(grid.cols + 1):
            x = grid.x0 + col * grid.tile_w
            ends = self.point(PixelPoint(x, grid.y0)), self.point(PixelPoint(x, bottom))
            cv2.line(self.pixels, *ends, _LINE, 1)
        for row in range(grid.rows + 1):
            y = grid.y0 + row * grid.tile_h
            ends = self.point(PixelPoint(grid.x0, y)), self.point(PixelPoint(right, y))
            cv2.line(self.pixels, *ends, _LINE, 1)

    def captioned(self, lines: Sequence[str]) -> Picture:
        """Return the picture with lines of text under it."""
        return _captioned(self.pixels, lines)


def draw_reading(
    frame: Frame,
    grid: Grid,
    board: Board | None,
    *,
    confidence: NDArray[np.float64] | None = None,
    doubtful: Collection[Cell] = (),
    note: str = "",
) -> Picture:
    """Draw the grid, what was read on each tile, and how sure the reading is.

    ``confidence`` (0..1, shape of the board) colours the labels: green for sure, pink for
    doubt. Cells in ``doubtful`` are framed, with a question mark in place of a reading.
    """
    canvas = _Canvas(frame, grid)
    canvas.lattice()
    for cell in board.cells() if board is not None else ():
        if board is None or cell in doubtful or board[cell] == Tile.HIDDEN:
            continue
        sure = 1.0 if confidence is None else float(confidence[cell])
        canvas.tag(cell, TEXT_OF_TILE[board[cell]], _blend(_POOR, _GOOD, sure))
    for cell in doubtful:
        canvas.frame_cell(cell, _POOR, 2 * canvas.zoom)
        canvas.tag(cell, "??", _POOR)
    place = f"{grid.rows} x {grid.cols} at ({grid.x0:.1f}, {grid.y0:.1f}), "
    pitch = f"pitch {grid.tile_w:.2f} x {grid.tile_h:.2f} px"
    return canvas.captioned([place + pitch, note] if note else [place + pitch])


def draw_heatmap(
    frame: Frame, grid: Grid, analysis: Analysis, decision: Decision | None = None
) -> Picture:
    """Draw the chance of a mine over every covered cell, in percent, and the moves proposed.

    Green is safe, red is mined; cells known for sure have a frame. The moves carry a ring.
    """
    canvas = _Canvas(frame, grid, margin_tiles=0.6)
    for row, col in np.argwhere(~np.isnan(analysis.probabilities)).tolist():
        cell = Cell(row, col)
        risk = float(analysis.probabilities[cell])
        canvas.tint(cell, _heat(risk), 0.8)
        canvas.centre_text(cell, _percent(risk), _INK)
    for cell in analysis.safe:
        canvas.frame_cell(cell, (0, 120, 30), 2)
    for cell in analysis.mines:
        canvas.frame_cell(cell, (130, 0, 0), 2)
    lines = []
    if decision is not None:
        for move in decision.moves:
            colour = (0, 60, 255) if move.action is Action.OPEN else (255, 120, 0)
            (x0, y0), (x1, y1) = canvas.corners(move.cell)
            centre, radius = ((x0 + x1) // 2, (y0 + y1) // 2), int(0.46 * min(x1 - x0, y1 - y0))
            cv2.circle(canvas.pixels, centre, radius, colour, 3, cv2.LINE_AA)
        lines = [decision.reason]
    return canvas.captioned(lines)


def draw_candidates(frame: Frame, grids: Sequence[Grid], note: str) -> Picture:
    """Draw the whole screen with every grid that was considered, numbered, best first."""
    pixels = (frame.pixels * np.float32(0.6)).astype(np.uint8)
    for number, grid in enumerate(grids, start=1):
        x0, y0, x1, y1 = grid.bounds
        pixels[max(0, y0) : y1, max(0, x0) : x1] = frame.pixels[max(0, y0) : y1, max(0, x0) : x1]
        cv2.rectangle(pixels, (x0 - 2, y0 - 2), (x1 + 2, y1 + 2), _POOR, 3)
        title = f"{number}: {grid.rows} x {grid.cols}, confidence {grid.confidence:.2f}"
        _write(pixels, title, (x0, max(14, y0 - 8)), 0.6, _PAPER)
    return _captioned(pixels, [note])


def save_picture(picture: Picture, path: Path) -> None:
    """Write a picture as PNG, with the folders it needs. Raises `BadImage` when it cannot."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        done, data = cv2.imencode(".png", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
        if done:
            path.write_bytes(data.tobytes())
    except OSError as error:
        raise BadImage(f"The picture {path} cannot be written: {error.strerror}.") from error


def _blend(low: Colour, high: Colour, share: float) -> Colour:
    red, green, blue = (
        round(a + (b - a) * min(1.0, max(0.0, share))) for a, b in zip(low, high, strict=True)
    )
    return red, green, blue


def _heat(risk: float) -> Colour:
    """Colour a risk: green through yellow, reached at one in three, to red."""
    if risk < 1 / 3:
        return _blend((70, 200, 90), (250, 230, 80), 3 * risk)
    return _blend((250, 230, 80), (225, 60, 50), 1.5 * (risk - 1 / 3))


def _percent(risk: float) -> str:
    """Write a risk in percent; 0 and 100 only where it is certain."""
    if risk in (0.0, 1.0):
        return f"{100 * risk:.0f}"
    return f"{min(99.9, max(0.1, 100 * risk)):.1f}" if risk < 0.1 else f"{100 * risk:.0f}"


def _captioned(pixels: Picture, lines: Sequence[str]) -> Picture:
    if not lines:
        return pixels
    size = 0.5
    longest = max(cv2.getTextSize(line, _FONT, size, 1)[0][0] for line in lines)
    width = max(pixels.shape[1], longest + 12)
    picture = np.full((pixels.shape[0] + 22 * len(lines) + 6, width, 3), _PAPER, dtype=np.uint8)
    picture[: pixels.shape[0], : pixels.shape[1]] = pixels
    for index, line in enumerate(lines):
        _write(picture, line, (6, pixels.shape[0] + 18 + 22 * index), size, _INK)
    return picture


def _write(pixels: Picture, text: str, place: tuple[int, int], size: float, ink: Colour) -> None:
    # OpenCV's stroke font knows ASCII only.
    ascii_text = text.replace("×", "x").replace("–", "-").replace("→", "->")
    cv2.putText(
        pixels,
        ascii_text.encode("ascii", "replace").decode(),
        place,
        _FONT,
        size,
        ink,
        1,
        cv2.LINE_AA,
    )
