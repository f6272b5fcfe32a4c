"""Where the board lies in a frame."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.frame import PixelBox, PixelPoint
from solver.board import Cell


@dataclass(frozen=True)
class Grid:
    """Frozen geometry of a board: sub-pixel origin and pitch, in pixels of the frame.

    ``x0, y0`` is the top-left corner of the first tile's cell of the lattice; ``tile_w,
    tile_h`` is the pitch. ``confidence`` (0..1) says how well the lattice fits.
    """

    x0: float
    y0: float
    tile_w: float
    tile_h: float
    rows: int
    cols: int
    confidence: float = 1.0

    def centre(self, cell: Cell) -> PixelPoint:
        """Return the centre of a cell."""
        return PixelPoint(
            self.x0 + (cell.col + 0.5) * self.tile_w, self.y0 + (cell.row + 0.5) * self.tile_h
        )

    def box(self, cell: Cell) -> PixelBox:
        """Return the pixels of a cell, its edges rounded to whole pixels."""
        return PixelBox(
            round(self.x0 + cell.col * self.tile_w),
            round(self.y0 + cell.row * self.tile_h),
            round(self.x0 + (cell.col + 1) * self.tile_w),
            round(self.y0 + (cell.row + 1) * self.tile_h),
        )

    @property
    def bounds(self) -> PixelBox:
        """The pixels of the whole board."""
        return PixelBox(
            round(self.x0),
            round(self.y0),
            round(self.x0 + self.cols * self.tile_w),
            round(self.y0 + self.rows * self.tile_h),
        )

    def cell_at(self, point: PixelPoint) -> Cell | None:
        """Return the cell under a point, None beside the board."""
        col = int((point.x - self.x0) // self.tile_w)
        row = int((point.y - self.y0) // self.tile_h)
        return Cell(row, col) if 0 <= row < self.rows and 0 <= col < self.cols else None

    def moved(self, dx: float, dy: float) -> Grid:
        """Return the same grid shifted by ``dx, dy`` pixels."""
        return Grid(
            self.x0 + dx,
            self.y0 + dy,
            self.tile_w,
            self.tile_h,
            self.rows,
            self.cols,
            self.confidence,
        )
