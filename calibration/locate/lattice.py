"""Fit a lattice to the lines in a region of a frame.

`fit_lattice` fits equally spaced lines, follows them one by one where a program gives some columns
a pixel more, and asks `calibration.locate.extent` where the board ends; `refined` makes the pitch
exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import MOST_OFF, Box, PixelBox, shared_area
from calibration.locate.extent import Axis, DrawnSegments, LineSums, find_extent, is_texture
from calibration.locate.lines import (
    Floats,
    LineFit,
    LineShifts,
    Mask,
    fit_lines,
    line_shifts,
    refine_by_harmonics,
    refine_by_repetition,
    rough_pitch,
    symmetry_phase,
)

MOST_ELONGATED = 1.28
"""Largest ratio of the sides of a tile. With the 1.36 of `calibration.locate.repetition`, the keys
of a keypad (48 x 35.3 px) pass as tiles."""

MOST_OBLONG = 1.85
"""Largest ratio of the sides of a clearly oblong tile; oblong tiles must show a number, or be on a
board of a usual size."""

SURELY_HALVED = 0.95
"""Least share of cells with a line through their middle in one direction that shows oblong tiles.
"""

PART_PX = 128
"""Side of the parts of a lattice that are examined one by one; a small board fills one."""

MANY_CELLS = 20
"""An axis of more cells than this needs no refinement: its many lines fix the pitch."""
UNEVEN_PX = 0.4
"""If a line is further than this from its even position, the lines are followed one by one."""
UNEVEN_TABLE, CLEARLY_DRAWN = 0.045, 0.65
"""Least distance of a table's lines from even positions, in tiles: lines between open tiles are up
to 0.03 off those beside hidden ones. And the least weight of the faintest line, as a share of that
of the clearest."""
BREAK_LINES = 6
"""Fewest lines in which a break of the pitch, or uneven lines, are searched: two for each parameter
of the fit."""


class LatticeRegion(NamedTuple):
    """A part of the frame with the size of its tiles in pixels, give or take ``slack_px``."""

    box: PixelBox
    tile_w: float
    tile_h: float
    slack_px: float


@dataclass(frozen=True, eq=False)
class Lattice:
    """Rows and columns of tiles drawn in a frame, and the segments of lines around the tiles.

    ``vertical[r, k]``: is line k drawn beside row r? ``horizontal[c, k]``: is line k drawn along
    column c?
    """

    across: Axis
    down: Axis
    vertical: DrawnSegments
    horizontal: DrawnSegments

    @property
    def drawn_share(self) -> float:
        """The share of all segments that are drawn."""
        return _drawn_share(self.vertical, self.horizontal)

    @property
    def box(self) -> Box:
        """Left, top, right and bottom of the lattice, in pixels with fractions."""
        (x0, x1), (y0, y1) = self.across.ends, self.down.ends
        return x0, y0, x1, y1

    def covers(self, box: PixelBox) -> bool:
        """Whether most of a box lies on the lattice."""
        shared = shared_area(self.box, box)
        return shared > 0 and shared >= 0.7 * (box.x1 - box.x0) * (box.y1 - box.y0)

    def is_drawn_in(self, box: PixelBox) -> bool:
        """Whether nearly all segments of the lattice that lie in a box are drawn."""
        x0, x1 = self.across.cells_between(box.x0, box.x1)
        y0, y1 = self.down.cells_between(box.y0, box.y1)
        return (
            _drawn_share(self.vertical[y0:y1, x0 : x1 + 1], self.horizontal[x0:x1, y0 : y1 + 1])
            > 0.9
        )

    def drawn_parts(self) -> Iterator[PixelBox]:
        """Yield the parts, `PART_PX` wide and high, in which the lattice is drawn."""
        (x0, x1), (y0, y1) = self.across.ends, self.down.ends
        right, bottom = ceil(x1), ceil(y1)
        for x, y in product(range(int(x0), right, PART_PX), range(int(y0), bottom, PART_PX)):
            box = PixelBox(x, y, min(x + PART_PX, right), min(y + PART_PX, bottom))
            if self.is_drawn_in(box):
                yield box

    def has_same_lines(self, across: Axis, down: Axis) -> bool:
        """Whether two other axes have the same lines."""
        return self.across.has_same_lines(across) and self.down.has_same_lines(down)


def _drawn_share(vertical: DrawnSegments, horizontal: DrawnSegments) -> float:
    drawn = np.count_nonzero(vertical) + np.count_nonzero(horizontal)
    return float(drawn / (vertical.size + horizontal.size))


def fit_lattice(
    vertical: LineSums,
    horizontal: LineSums,
    candidate: LatticeRegion,
    known: Sequence[Lattice] = (),
    elongated: float = MOST_ELONGATED,
) -> Lattice | None:
    """Fit a lattice to the lines of a candidate, and find its rows and columns.

    ``horizontal`` holds the sums of the transposed frame; the sides of a tile differ at most by the
    factor ``elongated``. None if no lattice is drawn there, or only one of those ``known``.
    """
    box, slack = candidate.box, candidate.slack_px
    x_span, y_span = (box.x0 - 4.0, box.x1 + 4.0), (box.y0 - 4.0, box.y1 + 4.0)
    x_ends: tuple[float, float] = (box.x0, box.x1)
    y_ends: tuple[float, float] = (box.y0, box.y1)
    x_pitch = rough_pitch(vertical.profile(*y_span), x_span, candidate.tile_w, slack)
    y_pitch = rough_pitch(horizontal.profile(*x_span), y_span, candidate.tile_h, slack)
    if x_pitch is None or y_pitch is None or _ratio(x_pitch, y_pitch) >= elongated:
        return None
    for _ in range(2):
        in_x = fit_lines(vertical.profile(*y_span), x_span, x_pitch)
        in_y = fit_lines(horizontal.profile(*x_span), y_span, y_pitch)
        if in_x is None or in_y is None or _ratio(in_x.pitch, in_y.pitch) >= elongated:
            return None
        across = Axis(
            in_x.counted_from(x_ends[0]), range(round((x_ends[1] - x_ends[0]) / in_x.pitch))
        )
        down = Axis(
            in_y.counted_from(y_ends[0]), range(round((y_ends[1] - y_ends[0]) / in_y.pitch))
        )
        if any(lattice.has_same_lines(across, down) for lattice in known):
            return None
        extent = find_extent(vertical, horizontal, across, down)
        if extent is None:
            return None
        across, down = extent
        # Often only the inner half of the outermost lines is drawn: fit again without them.
        x_pitch, y_pitch = in_x.pitch, in_y.pitch
        x_ends, y_ends = across.ends, down.ends
        x_span, y_span = across.end_middles, down.end_middles
    if _is_multiple(vertical, horizontal, across, down):
        return None
    x_drawn = vertical.drawn_segments(
        down.fit, down.cells, across.fit.positions(across.all_lines), across.slack_px
    )
    y_drawn = horizontal.drawn_segments(
        across.fit, across.cells, down.fit.positions(down.all_lines), down.slack_px
    )
    if not is_texture(len(down.cells), len(across.cells)):
        across = _with_shifts(vertical.profile(*down.ends), across)
        down = _with_shifts(horizontal.profile(*across.ends), down)
    return Lattice(across, down, x_drawn, y_drawn)


def _ratio(width: float, height: float) -> float:
    return max(width / height, height / width)


def _with_shifts(profile: Floats, axis: Axis) -> Axis:
    """Measure the shift of every line, if some are off by more than `UNEVEN_PX`.

    The fit then runs through the outermost lines. Often only their inner half is drawn, so that
    their positions are extrapolated from their neighbours.
    """
    found = line_shifts(profile, 0, axis.fit, axis.inner_lines)
    if np.abs(found.shifts).max() <= UNEVEN_PX:
        return axis
    if not _has_break(found.shifts):
        found = line_shifts(profile, 0, axis.fit, axis.inner_lines, follow=True)
        if not (_has_break(found.shifts) or _are_uneven(found, axis)):
            return axis
    positions = axis.fit.positions(axis.inner_lines) + found.shifts + found.middle
    first, last = 2 * positions[0] - positions[1], 2 * positions[-1] - positions[-2]
    positions = np.concatenate([[first], positions, [last]])
    pitch = float(last - first) / len(axis.cells)
    fit = LineFit(float(first) - axis.cells.start * pitch, pitch)
    return Axis(
        fit, axis.cells, tuple((positions - fit.positions(axis.all_lines)).round(2).tolist())
    )


def _is_multiple(vertical: LineSums, horizontal: LineSums, across: Axis, down: Axis) -> bool:
    """Whether drawn lines also halve the cells, or cut off a third: then the tiles are smaller.

    If all cells are halved in one direction only, the tiles are oblong, unless there are more
    lines. Lines that halve them in both directions may be the two edges of a gap.
    """
    off = MOST_OFF / 2  # of tiles half as wide

    def drawn(part: float) -> list[float]:
        """Return the share of cells with a line at this part of them, lower direction first."""
        x, y = across.fit.pitch, down.fit.pitch
        at_x = across.fit.positions(across.cells) + part * x
        at_y = down.fit.positions(down.cells) + part * y
        in_x = vertical.drawn_segments(down.fit, down.cells, at_x, off * x)
        in_y = horizontal.drawn_segments(across.fit, across.cells, at_y, off * y)
        return sorted((float(in_x.mean()), float(in_y.mean())))

    halves, thirds, quarters = (drawn(1 / part) for part in (2, 3, 4))
    gaps = min(drawn(0.5 - off)[0], drawn(0.5 + off)[0])
    if max(halves[0], thirds[0], gaps) > 0.8:
        return True
    return halves[1] > SURELY_HALVED and quarters[1] <= 0.5


def _are_uneven(found: LineShifts, axis: Axis) -> bool:
    """Whether lines are clearly drawn, and uneven, as in a table with columns of different widths.

    A wrong pitch would shift them evenly.
    """
    if found.shifts.size < BREAK_LINES:
        return False
    lines = np.arange(found.shifts.size)
    off = np.abs(found.shifts - np.polyval(np.polyfit(lines, found.shifts, 1), lines)).max()
    clear = found.weights.min() >= CLEARLY_DRAWN * found.weights.max()
    return bool(clear and UNEVEN_TABLE * axis.fit.pitch <= off <= axis.slack_px)


def _has_break(shifts: NDArray[np.float64]) -> bool:
    """Whether the lines have two pitches, the larger one first.

    Some programs give the first columns one pixel more, to fill their window. The fit is piecewise
    linear with one break; with few lines it could fit by chance.
    """
    if shifts.size < BREAK_LINES:
        return False
    k = np.arange(shifts.size, dtype=np.float64)
    beyond_break = np.maximum(k - k[1:-1, None], 0)
    models = np.stack(
        [np.ones_like(beyond_break), np.broadcast_to(k, beyond_break.shape), beyond_break], axis=2
    )
    transposed = models.swapaxes(1, 2)
    coefficients = np.linalg.solve(transposed @ models, (transposed @ shifts)[..., None])
    off = np.abs((models @ coefficients)[..., 0] - shifts).max(axis=1)
    return bool(((coefficients[:, 2, 0] < -0.5) & (off < 0.22)).any())


def refined(lattice: Lattice, frame: Frame, vertical: LineSums, horizontal: LineSums) -> Lattice:
    """Refine the pitch of a lattice on the pixels of the frame."""
    return replace(
        lattice,
        across=_refined(lattice.across, lattice.down, frame.pixels, vertical),
        down=_refined(lattice.down, lattice.across, frame.pixels.swapaxes(0, 1), horizontal),
    )


def _refined(axis: Axis, other: Axis, pixels: Mask, sums: LineSums) -> Axis:
    """Refine one axis. Long axes, and those followed line by line, are already exact."""
    if axis.shifts or len(axis.cells) > MANY_CELLS:
        return axis
    profile, cells = sums.profile(*other.ends), len(axis.cells)
    fit = refine_by_harmonics(profile, axis.fit.shifted(axis.cells.start), cells)
    positions = other.fit.start + other.fit.pitch * (
        np.arange(other.cells.start, other.cells.stop)[:, None] + np.linspace(0.15, 0.85, 7)
    )
    rows = np.unique(positions.astype(int).clip(0, pixels.shape[0] - 1))
    rows = rows[:: max(1, rows.size // 48)]
    first, last = max(0, int(fit.start) - 4), int(fit.position(cells)) + 6
    grey = cv2.cvtColor(np.ascontiguousarray(pixels[rows, first:last]), cv2.COLOR_RGB2GRAY)
    fit = refine_by_repetition(grey.astype(np.int16), fit, cells)
    lo, hi = (int(v) for v in Axis(fit, range(cells)).end_middles)
    if not profile[lo:hi].any():
        return axis
    middle = symmetry_phase(profile[lo:hi], np.arange(lo, hi) + 0.5, fit.pitch)
    return Axis(LineFit(middle, fit.pitch).counted_from(fit.start), range(cells))
