"""Find boards whose tiles are boxes: equal areas, each with an edge all around it.

Wide gaps, round corners, large digits and a photograph around the board do not change the boxes.
Nearly every cell must be a box: so this finds fresh boards, and others whose open tiles have edges,
too. On 288 pictures of boards on web pages it found 183, and one piece of a board that a dialog
covered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.extent import MIN_SIDE
from calibration.locate.lattice import MOST_OBLONG
from calibration.locate.sides import Areas, extended_to_bed

Boxes = NDArray[np.intp]
"""Left, top, width and height of areas, in pixels: ``(count, 4)``."""

SMALLEST_PX, LARGEST_PX = 8, 200
"""Sides of tiles, in pixels."""

LEAST_FILLED = 0.4
"""Least part of its box that an area fills, without round corners and a digit."""

SAME_SIZE = 0.08
"""How much the sizes of tiles may differ, in tiles; at least `SLACK_PX`."""

SAME_PLACE = 0.05
"""How far tiles may be off an even grid, in tiles; at least `SLACK_PX`."""
SLACK_PX = 1.6

FEWEST_BOXES, MOST_BOXES = 16, 4000
"""Fewest boxes of a board, and most that are compared with each other."""
LEAST_BOXED = 0.95
"""Least share of the cells of a board with a box."""

MOST_GRIDS = 40
"""Most grids of boxes in a picture that are looked at, those with most cells."""

WIDE_GAP = 0.25
"""Least part of the pitch for a gap that is left out of the tiles; smaller ones are edges."""

CUT_SHARE = 0.3
"""Share of the cells of a side with a cut box beside them from which the board continues."""

LEAST_CUT_PX = 5
"""Least width of a cut box: gaps between lines are narrower."""


def find_box_grids(frame: Frame) -> list[Grid]:
    """Find the complete grids of boxes in the frame, the one with most cells first."""
    if min(frame.height, frame.width) < MIN_SIDE * SMALLEST_PX:
        return []
    areas = Areas.of(frame.pixels)
    parts = [
        (grid, part)
        for boxes in _alike(areas.boxes[_may_be_tiles(areas) & ~areas.at_edge])
        for part in _side_by_side(boxes)
        if (grid := _grid_of(part)) is not None
    ]
    parts = sorted(parts, key=lambda found: _cells(found[0]), reverse=True)[:MOST_GRIDS]
    found = [
        extended_to_bed(frame, grid) for grid, part in parts if not _goes_on(areas, part, grid)
    ]
    return sorted(found, key=_cells, reverse=True)


def _cells(grid: Grid) -> int:
    return grid.rows * grid.cols


def _may_be_tiles(areas: Areas) -> NDArray[np.bool_]:
    wide, high = areas.boxes[:, 2], areas.boxes[:, 3]
    small, large = np.minimum(wide, high), np.maximum(wide, high)
    return np.asarray(
        (small >= SMALLEST_PX)
        & (large <= LARGEST_PX)
        & (large <= MOST_OBLONG * small)
        & (areas.sizes >= LEAST_FILLED * wide * high)
    )


def _slack(size: float, share: float) -> float:
    return max(SLACK_PX, share * size)


def _alike(left: Boxes) -> Iterator[Boxes]:
    """Yield the groups of boxes of about one size, the most frequent size first."""
    while len(left) >= FEWEST_BOXES:
        sizes, counts = np.unique(left[:, 2:], axis=0, return_counts=True)
        slack = np.maximum(SLACK_PX, SAME_SIZE * sizes.min(axis=1))
        near = np.abs(sizes[:, None] - sizes).max(axis=2) <= slack[:, None]
        best = int((near @ counts).argmax())
        alike = np.abs(left[:, 2:] - sizes[best]).max(axis=1) <= slack[best]
        if np.count_nonzero(alike) < FEWEST_BOXES:
            return
        if np.count_nonzero(alike) <= MOST_BOXES:
            yield left[alike]
        left = left[~alike]


class _Pitches(NamedTuple):
    """Usual distance of a box from the next one in its row, and in its column, in pixels."""

    across: float
    down: float

    @classmethod
    def of(cls, boxes: Boxes) -> _Pitches | None:
        """Measure the distances; None if hardly any two boxes are in one row, or in one column."""
        x, y = boxes[:, 0], boxes[:, 1]
        found = []
        for along, aside, size in ((x, y, boxes[0, 2]), (y, x, boxes[0, 3])):
            ahead = (along - along[:, None]).astype(np.float64)
            in_line = np.abs(aside - aside[:, None]) <= _slack(size, SAME_PLACE)
            ahead[~in_line | (ahead < 0.9 * size)] = np.inf
            nearest = ahead.min(axis=1)
            nearest = nearest[np.isfinite(nearest)]
            if 2 * len(nearest) < len(boxes):
                return None
            found.append(float(np.median(nearest)))
        return cls(*found)


def _side_by_side(boxes: Boxes) -> Iterator[Boxes]:
    """Yield the groups of boxes that lie side by side at their usual distance."""
    pitches = _Pitches.of(boxes)
    if pitches is None:
        return
    x, y = boxes[:, 0] - boxes[:, 0].min(), boxes[:, 1] - boxes[:, 1].min()
    wide, high = round(pitches.across) + 2, round(pitches.down) + 2
    mask = np.zeros((int(y.max()) + high, int(x.max()) + wide), np.uint8)
    for left, top in zip(x.tolist(), y.tolist(), strict=True):
        mask[top : top + high, left : left + wide] = 1
    part_of = cv2.connectedComponents(mask, connectivity=4)[1][y, x]
    for part in np.unique(part_of):
        if np.count_nonzero(part_of == part) >= FEWEST_BOXES:
            yield boxes[part_of == part]


class _EvenPlaces(NamedTuple):
    """Even places along one direction: the first, the pitch, and the place of each box."""

    first: float
    pitch: float
    places: NDArray[np.intp]

    @classmethod
    def of(cls, middles: NDArray[np.float64], pitch: float) -> _EvenPlaces | None:
        """Fit the places to the middles of boxes; None if some do not fit."""
        first = float(middles.min())
        for _ in range(3):
            places = np.round((middles - first) / pitch)
            if not np.ptp(places):
                return None
            pitch, first = np.polyfit(places, middles, 1).tolist()
        places = np.round((middles - first) / pitch).astype(np.intp)
        if np.abs(middles - first - pitch * places).max() > _slack(pitch, SAME_PLACE):
            return None
        return cls(first + pitch * int(places.min()), pitch, places - places.min())

    @property
    def cells(self) -> int:
        """Number of places from the first box to the last."""
        return int(self.places.max()) + 1


def _grid_of(boxes: Boxes) -> Grid | None:
    """Return the grid on which the boxes lie; None if there is none or many cells are empty."""
    pitches = _Pitches.of(boxes)
    if pitches is None:
        return None
    across = _EvenPlaces.of(boxes[:, 0] + boxes[:, 2] / 2, pitches.across)
    down = _EvenPlaces.of(boxes[:, 1] + boxes[:, 3] / 2, pitches.down)
    if across is None or down is None or min(across.cells, down.cells) < MIN_SIDE:
        return None
    filled = np.zeros((down.cells, across.cells), np.bool_)
    filled[down.places, across.places] = True
    if filled.mean() < LEAST_BOXED:
        return None
    gaps = [
        gap if (gap := axis.pitch - float(np.median(size))) >= WIDE_GAP * axis.pitch else 0.0
        for axis, size in ((across, boxes[:, 2]), (down, boxes[:, 3]))
    ]
    return Grid(
        across.first - across.pitch / 2,
        down.first - down.pitch / 2,
        across.pitch,
        down.pitch,
        down.cells,
        across.cells,
        float(filled.mean()),
        gap_w=gaps[0],
        gap_h=gaps[1],
    )


def _goes_on(areas: Areas, boxes: Boxes, grid: Grid) -> bool:
    """Whether cut boxes lie beside a grid, in line with its own boxes.

    A cut box is as wide as the board's boxes but lower, or as high but narrower. It begins where
    the next box would begin, or ends where the previous one would end or at the edge of the
    picture.
    """
    others, at_edge = areas.boxes, areas.at_edge
    for along, aside, lines, cells in (
        (1, 0, grid.y_lines, grid.cols),
        (0, 1, grid.x_lines, grid.rows),
    ):
        size, size_aside = np.median(boxes[:, [along + 2, aside + 2]], axis=0)
        slack = _slack(float(size), SAME_PLACE) + 1
        in_line = (np.abs(others[:, aside, None] - np.unique(boxes[:, aside])) <= 1).any(axis=1)
        in_line &= np.abs(others[:, aside + 2] - size_aside) <= slack
        in_line &= others[:, along + 2] >= LEAST_CUT_PX
        in_line &= at_edge | (others[:, along + 2] < size - slack)
        starts, ends = others[:, along], others[:, along] + others[:, along + 2]
        half_gap = (lines[-1] - lines[0]) / (len(lines) - 1) / 2 - size / 2
        after = in_line & (np.abs(starts - lines[-1] - half_gap) <= slack)
        before = in_line & (np.abs(ends - lines[0] + half_gap) <= slack)
        if max(np.count_nonzero(after), np.count_nonzero(before)) >= CUT_SHARE * cells:
            return True
    return False
