"""Fit a lattice to the lines of a frame, and find where the board on it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.comb import (
    Comb,
    Mask,
    Profile,
    fit_comb,
    line_shifts,
    mirror_middle,
    rough_pitch,
)
from calibration.extent import Axis, find_extent
from calibration.frame import Frame, PixelBox
from calibration.repeats import sharpen, unbend
from calibration.squares import STEP, Candidate
from calibration.strokes import Drawn, Strokes

NOT_SQUARE = 1.28
"""Longest side of a tile over its shortest."""

PART_PX = 128
"""Side of the parts of a lattice that are looked at one by one: a small board fills one."""

LONG = 20
"""An axis of more cells than this needs no sharpening: its many lines fix the pitch."""
UNEVEN_PX = 0.4
"""Lines further than this from an even comb are followed one by one."""
KNEE_LINES = 6
"""Fewest lines in which a knee is seen: twice as many as it takes numbers to lay one."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """Rows and columns drawn in a frame, and which segments around their cells are.

    ``upright`` holds a row a row and a column a line, ``lying`` a row a column.
    """

    across: Axis
    down: Axis
    upright: Drawn
    lying: Drawn

    @property
    def drawn(self) -> float:
        """The share of the segments that are drawn."""
        return _share(self.upright, self.lying)

    def covers(self, box: PixelBox) -> bool:
        """Tell whether most of a box belongs to it."""
        (x0, x1), (y0, y1) = self.across.outside, self.down.outside
        wide, high = min(x1, box.x1) - max(x0, box.x0), min(y1, box.y1) - max(y0, box.y0)
        return min(wide, high) > 0 and wide * high >= 0.7 * (box.x1 - box.x0) * (box.y1 - box.y0)

    def explains(self, box: PixelBox) -> bool:
        """Tell whether the lines in a box that it covers are its own."""
        x0, x1 = self.across.within(box.x0, box.x1)
        y0, y1 = self.down.within(box.y0, box.y1)
        return _share(self.upright[y0:y1, x0 : x1 + 1], self.lying[x0:x1, y0 : y1 + 1]) > 0.9

    def explained(self) -> Iterator[PixelBox]:
        """Walk over its parts, `PART_PX` wide and high, and take those with lines of its own."""
        (x0, x1), (y0, y1) = self.across.outside, self.down.outside
        right, bottom = ceil(x1), ceil(y1)
        for x, y in product(range(int(x0), right, PART_PX), range(int(y0), bottom, PART_PX)):
            box = PixelBox(x, y, min(x + PART_PX, right), min(y + PART_PX, bottom))
            if self.explains(box):
                yield box

    def has_lines(self, across: Axis, down: Axis) -> bool:
        """Tell whether two other axes have the same lines."""
        return self.across.has_lines(across) and self.down.has_lines(down)


def _share(upright: Drawn, lying: Drawn) -> float:
    drawn = np.count_nonzero(upright) + np.count_nonzero(lying)
    return float(drawn / (upright.size + lying.size))


def fit_lattice(
    upright: Strokes, lying: Strokes, candidate: Candidate, known: Sequence[Lattice] = ()
) -> Lattice | None:
    """Fit a lattice to the lines of a candidate and find its rows and columns.

    ``lying`` holds the strokes of the transposed frame. None where no lattice is drawn, or one
    of those ``known`` there.
    """
    box, slack = candidate.box, STEP + 0.2
    x_span, y_span = (box.x0 - 4.0, box.x1 + 4.0), (box.y0 - 4.0, box.y1 + 4.0)
    x_ends: tuple[float, float] = (box.x0, box.x1)
    y_ends: tuple[float, float] = (box.y0, box.y1)
    x_pitch = rough_pitch(upright.profile(*y_span), x_span, candidate.across, slack)
    y_pitch = rough_pitch(lying.profile(*x_span), y_span, candidate.down, slack)
    if x_pitch is None or y_pitch is None or not _nearly_square(x_pitch, y_pitch):
        return None
    for _ in range(2):
        in_x = fit_comb(upright.profile(*y_span), x_span, x_pitch)
        in_y = fit_comb(lying.profile(*x_span), y_span, y_pitch)
        if in_x is None or in_y is None or not _nearly_square(in_x.pitch, in_y.pitch):
            return None
        across = Axis(in_x.near(x_ends[0]), range(round((x_ends[1] - x_ends[0]) / in_x.pitch)))
        down = Axis(in_y.near(y_ends[0]), range(round((y_ends[1] - y_ends[0]) / in_y.pitch)))
        if any(lattice.has_lines(across, down) for lattice in known):
            return None
        extent = find_extent(upright, lying, across, down)
        if extent is None:
            return None
        across, down = extent
        # The outermost lines often lack their outer half: fit again without them.
        x_pitch, y_pitch = in_x.pitch, in_y.pitch
        x_ends, y_ends = across.outside, down.outside
        x_span, y_span = across.inside, down.inside
    if _is_multiple(upright, lying, across, down):
        return None
    x_drawn = upright.drawn(down.comb, down.cells, across.comb.lines(across.fence), across.play)
    y_drawn = lying.drawn(across.comb, across.cells, down.comb.lines(down.fence), down.play)
    across = _uneven(upright.profile(*down.outside), across)
    down = _uneven(lying.profile(*across.outside), down)
    return Lattice(across, down, x_drawn, y_drawn)


def _nearly_square(width: float, height: float) -> bool:
    return 1 / NOT_SQUARE < width / height < NOT_SQUARE


def _uneven(profile: Profile, axis: Axis) -> Axis:
    """Follow the single lines where they leave the even comb by more than `UNEVEN_PX`.

    The comb is then laid through the outermost lines. These often lack their outer half, so
    they are placed by their neighbours.
    """
    found = line_shifts(profile, 0, axis.comb, axis.inner)
    if np.abs(found.shifts).max() <= UNEVEN_PX:
        return axis
    if not _has_knee(found.shifts):
        found = line_shifts(profile, 0, axis.comb, axis.inner, follow=True)
        if not _has_knee(found.shifts):
            return axis
    places = axis.comb.lines(axis.inner) + found.shifts + found.middle
    first, last = 2 * places[0] - places[1], 2 * places[-1] - places[-2]
    places = np.concatenate([[first], places, [last]])
    pitch = float(last - first) / len(axis.cells)
    comb = Comb(float(first) - axis.cells.start * pitch, pitch)
    return Axis(comb, axis.cells, tuple((places - comb.lines(axis.fence)).round(2).tolist()))


def _is_multiple(upright: Strokes, lying: Strokes, across: Axis, down: Axis) -> bool:
    """Tell whether halves or thirds of the tiles are drawn as fully: they are the tiles then."""
    x = upright.drawn(down.comb, down.cells, _parted(across), 0.05 * across.comb.pitch)
    y = lying.drawn(across.comb, across.cells, _parted(down), 0.05 * down.comb.pitch)
    halves_and_thirds = zip(np.hsplit(x, 2), np.hsplit(y, 2), strict=True)
    return any(min(x.mean(), y.mean()) > 0.8 for x, y in halves_and_thirds)


def _parted(axis: Axis) -> Profile:
    """Return the places half a tile, then those a third of a tile into each cell."""
    lines, pitch = axis.comb.lines(axis.cells), axis.comb.pitch
    return np.concatenate([lines + pitch / 2, lines + pitch / 3])


def _has_knee(shifts: NDArray[np.float64]) -> bool:
    """Tell whether the lines are two even runs, the first a little wider.

    That is how a window shares out the pixels that are left over among its columns. A few lines
    look so by chance.
    """
    if shifts.size < KNEE_LINES:
        return False
    k = np.arange(shifts.size, dtype=np.float64)
    bent = np.maximum(k - k[1:-1, None], 0)
    models = np.stack([np.ones_like(bent), np.broadcast_to(k, bent.shape), bent], axis=2)
    turned = models.swapaxes(1, 2)
    bends = np.linalg.solve(turned @ models, (turned @ shifts)[..., None])
    off = np.abs((models @ bends)[..., 0] - shifts).max(axis=1)
    return bool(((bends[:, 2, 0] < -0.5) & (off < 0.22)).any())


def sharpened(lattice: Lattice, frame: Frame, upright: Strokes, lying: Strokes) -> Lattice:
    """Return the lattice with its pitch made exact on the picture itself."""
    return replace(
        lattice,
        across=_sharpened(lattice.across, lattice.down, frame.pixels, upright),
        down=_sharpened(lattice.down, lattice.across, frame.pixels.swapaxes(0, 1), lying),
    )


def _sharpened(axis: Axis, other: Axis, pixels: Mask, strokes: Strokes) -> Axis:
    """Sharpen one axis. Long ones, and lines followed one by one, are exact already."""
    if axis.shifts or len(axis.cells) > LONG:
        return axis
    profile, cells = strokes.profile(*other.outside), len(axis.cells)
    comb = unbend(profile, axis.comb.shifted(axis.cells.start), cells)
    places = other.comb.start + other.comb.pitch * (
        np.arange(other.cells.start, other.cells.stop)[:, None] + np.linspace(0.15, 0.85, 7)
    )
    rows = np.unique(places.astype(int).clip(0, pixels.shape[0] - 1))
    rows = rows[:: max(1, rows.size // 48)]
    first, last = max(0, int(comb.start) - 4), int(comb.line(cells)) + 6
    grey = cv2.cvtColor(np.ascontiguousarray(pixels[rows, first:last]), cv2.COLOR_RGB2GRAY)
    comb = sharpen(grey.astype(np.int16), comb, cells)
    lo, hi = (int(v) for v in Axis(comb, range(cells)).inside)
    if not profile[lo:hi].any():
        return axis
    middle = mirror_middle(profile[lo:hi], np.arange(lo, hi) + 0.5, comb.pitch)
    return Axis(Comb(middle, comb.pitch).near(comb.start), range(cells))
