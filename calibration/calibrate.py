"""Find the board in a screenshot and learn how to read it."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.frame import Frame, PixelPoint
from calibration.grid import Grid


@dataclass(frozen=True)
class Calibration:
    """All the eyes need to read the next frame: grid, theme and mine total.

    Saved as TOML and loaded again; raises `BadCalibration` for a file that is none.
    """

    grid: Grid
    mines: int | None


def calibrate(
    frame: Frame, *, near: PixelPoint | None = None, mines: int | None = None
) -> Calibration:
    """Find the one board in ``frame``, or the one nearest to ``near``.

    Raises `NoGrid`, `SeveralGrids`, or an `Unreadable` error where a grid is there but no
    theme can be matched or learned.
    """
    raise NotImplementedError
