"""Find the board in a screenshot and learn how to read it."""

from __future__ import annotations

from dataclasses import dataclass, field

from calibration.crosses import find_grids
from calibration.errors import NoGrid, SeveralGrids
from calibration.frame import Frame, PixelPoint
from calibration.grid import Grid
from calibration.theme import Theme


@dataclass(frozen=True)
class Calibration:
    """All the eyes need to read the next frame: grid, theme and mine total.

    Saved as TOML and loaded again; raises `BadCalibration` for a file that is none.
    """

    grid: Grid
    mines: int | None
    theme: Theme = field(default_factory=lambda: Theme("learned", ()))


def calibrate(
    frame: Frame, *, near: PixelPoint | None = None, mines: int | None = None
) -> Calibration:
    """Find the one board in ``frame``, or the one nearest to ``near``.

    Raises `NoGrid`, `SeveralGrids`, or an `Unreadable` error where a grid is there but no
    theme can be matched or learned.
    """
    grids = find_grids(frame)
    if not grids:
        raise NoGrid("There is no Minesweeper board in the picture.")
    if near is not None:
        grids = [grid for grid in grids if grid.cell_at(near) is not None] or grids
    elif len(grids) > 1:
        raise SeveralGrids("There are several boards in the picture.", tuple(grids))
    return Calibration(grids[0], mines)
