"""What hidden tiles look like in the window that is played, so that nothing else is clicked.

A dimmed board, a message over it or another window can be read as hidden tiles. The board before it
shows the difference: its hidden tiles looked different. A page that shows a dialog often lays a
translucent colour over everything else: each pixel becomes ``share * before + offset``. The open
tiles, which do not change, show ``share`` and ``offset``, and so the old brightness is restored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.tracking.places import box_slices
from calibration import Frame, Grid, PixelBox
from calibration.tiles import FLAT, SAME_ON_AVERAGE, mean_steps
from solver.board import Board, Cell

Pixels = NDArray[np.uint8]

SMALL_SIDE = 6
"""Tiles are shrunk to pictures of this side before they are compared, so that a shift by a pixel
does not matter."""

LEAST_DIFFERENCE = 2.0
"""Two small pictures show the same if their mean difference is at most this plus
`BRIGHTNESS_SHARE` of their brightness, but no more than `MOST_DIFFERENCE`."""

BRIGHTNESS_SHARE = 0.06
"""See `LEAST_DIFFERENCE`: a dark tile changes little if it is dimmed."""

MOST_DIFFERENCE = 10.0
"""See `LEAST_DIFFERENCE`."""

LEAST_RELIEF = 8.0
"""If the colours within a tile differ by this many steps, something is drawn on it, for instance a
bevel or a gap between tiles."""

FLATTENED = 0.25
"""If only this share of that difference is left, a plain window covers the tile, even if the mean
difference is small. A window in nearly the colour of the tiles reduced 28 steps to 5.6."""

SHIFTS = ((0, 0), *((dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy))
"""Offsets, in pixels, at which tiles are tried: a grid that was found again after its window moved
may be off by a pixel, and then the bevels of its tiles do not match."""

MOST_UNLIKE = 2
"""Number of tiles of a new board that may look different: under the pointer, or with a focus
ring."""

MOST_SMALL_PICTURES = 600
"""Largest number of pictures that are kept."""

LINE_STEPS = 6
"""Colour steps from which a line between two tiles counts as drawn."""

BESIDE_LINE = 0.2
"""How far from the line, on each side, the steps are looked for, in tiles."""

LINE_POINTS = 10
"""At how many points of a tile's side they are looked for, at least."""

CLEARER = (48, 24, 12)
"""The contrast of a board's lines is the first of these, in colour steps, that at least
`CLEAR_LINES` of the lines reach. A line counts as gone below `FLATTENED` of that: an overlay only
8 grey levels from the tiles still shows an edge."""

CLEAR_LINES = 0.9
"""See `CLEARER`."""

DRAWN_ALONG = 0.6
"""A line counts as drawn if it follows at least this share of a tile's side."""

LEAST_LEFT = 0.75
"""A line counts as gone if less than this share of it is left: a window of the size of a tile, over
the middle of one, removes at least half of a line."""


class Lines(NamedTuple):
    """Along which share of its length each line between two tiles of a board is drawn.

    ``below`` ``(rows - 1, cols)`` are the lines below the tiles, ``right`` ``(rows, cols - 1)`` the
    lines to their right.
    """

    below: NDArray[np.float32]
    right: NDArray[np.float32]

    @classmethod
    def drawn(cls, grid: Grid, pixels: Pixels, box: PixelBox, steps: float) -> Lines | None:
        """Look for lines of more than ``steps`` colour steps in ``pixels``, which show ``box``.

        Returns None if the box does not contain the whole board.
        """
        bounds = grid.bounds
        board = pixels[box_slices(bounds, box)]
        if board.shape[:2] != (bounds.y1 - bounds.y0, bounds.x1 - bounds.x0):
            return None
        return cls(
            _drawn_below(board, grid.y_lines - grid.y_lines[0], grid.cols, steps),
            _drawn_below(
                board.transpose(1, 0, 2), grid.x_lines - grid.x_lines[0], grid.rows, steps
            ).T,
        )

    @property
    def number(self) -> int:
        """The number of lines that are drawn."""
        return sum(int((shares >= DRAWN_ALONG).sum()) for shares in self)

    def with_faint_beside(self, faint: Lines, opened: NDArray[np.bool_]) -> Lines:
        """Return these lines, but those next to an ``opened`` cell from ``faint``.

        Only the hidden neighbour may still draw its edge there, so a lower threshold is right.
        """
        below, right = opened[:-1] | opened[1:], opened[:, :-1] | opened[:, 1:]
        return Lines(
            np.where(below, faint.below, self.below), np.where(right, faint.right, self.right)
        )

    def gone(self, now: Lines) -> NDArray[np.bool_]:
        """Mark the tiles ``(rows, cols)`` next to a line that was drawn and is missing ``now``."""
        found = np.zeros((len(self.right), self.below.shape[1]), dtype=np.bool_)
        below = (self.below >= DRAWN_ALONG) & (now.below < LEAST_LEFT * self.below)
        right = (self.right >= DRAWN_ALONG) & (now.right < LEAST_LEFT * self.right)
        found[:-1] |= below
        found[1:] |= below
        found[:, :-1] |= right
        found[:, 1:] |= right
        return found


class TileLooks(NamedTuple):
    """What some tiles look like: their ``pictures`` (see `small_pictures`) and their ``reliefs``.

    ``reliefs`` ``(n,)`` is the range of colours within each tile, rim included, in steps.
    """

    pictures: NDArray[np.float32]
    reliefs: NDArray[np.float32]

    @classmethod
    def of(cls, cells: Sequence[Cell], grid: Grid, pixels: Pixels, box: PixelBox) -> TileLooks:
        """Cut the tiles out of ``pixels``, which show ``box``."""
        whole = small_pictures(cells, grid, pixels, box, inset=0.0)
        places = whole.reshape(-1, SMALL_SIDE * SMALL_SIDE, 3)
        reliefs = np.ptp(places, axis=1).max(axis=1)
        return cls(small_pictures(cells, grid, pixels, box), reliefs)

    def at(self, index: int) -> TileLooks:
        """Return the look of one tile."""
        return TileLooks(*(part[index : index + 1] for part in self))

    def adding(self, more: TileLooks) -> TileLooks:
        """Return these and ``more``."""
        return TileLooks(*(np.concatenate(parts) for parts in zip(self, more, strict=True)))

    def contains(self, one: TileLooks, most: float) -> bool:
        """Whether ``one`` tile looks like one of these: it differs by at most ``most``.

        A tile that lost its relief looks like none of those with one.
        """
        near = mean_steps(self.pictures, one.pictures) <= most
        flat = (self.reliefs >= LEAST_RELIEF) & (one.reliefs <= FLATTENED * self.reliefs)
        return bool((near & ~flat).any())


NO_LOOKS = TileLooks(
    np.zeros((0, SMALL_SIDE * SMALL_SIDE * 3), np.float32), np.zeros(0, np.float32)
)


@dataclass(frozen=True, eq=False)
class HiddenTiles:
    """What the hidden tiles of one window look like: by cell, and all together.

    ``drawn`` are the lines between the tiles; a line with no more than ``flat_steps`` colour steps
    is gone. This value never changes: `learning` returns a new one.
    """

    by_cell: Mapping[Cell, TileLooks] = field(default_factory=dict)
    kinds: TileLooks = NO_LOOKS
    drawn: Lines | None = None
    flat_steps: float = FLAT

    def learning(self, board: Board, grid: Grid, pixels: Pixels, box: PixelBox) -> HiddenTiles:
        """Add the hidden tiles of a ``board`` that was read from ``pixels``, which show ``box``.

        Once some are known, tiles that look different are not added.
        """
        cells, by_cell, kinds = board.hidden_cells(), dict(self.by_cell), self.kinds
        looks, known = TileLooks.of(cells, grid, pixels, box), bool(len(kinds.pictures))
        drawn = Lines.drawn(grid, pixels, box, LINE_STEPS)
        for index, cell in enumerate(cells):
            look = looks.at(index)
            if known and not _is_like(look, by_cell.get(cell, NO_LOOKS), kinds):
                continue
            by_cell[cell] = look
            if len(kinds.pictures) < MOST_SMALL_PICTURES and not kinds.contains(
                look, LEAST_DIFFERENCE
            ):
                kinds = kinds.adding(look)
        return HiddenTiles(by_cell, kinds, drawn, _gone_below(drawn, grid, pixels, box))

    def unlike(
        self,
        cells: Iterable[Cell],
        grid: Grid,
        pixels: Pixels,
        box: PixelBox,
        opened: NDArray[np.bool_] | None = None,
    ) -> list[Cell]:
        """List those of ``cells`` that look unlike every known hidden tile, if any is known.

        That includes a tile, whatever its colour, if the line between it and a neighbour has
        disappeared: a window in the colour of hidden tiles covers it. Next to the cells that
        ``opened`` ``(rows, cols)`` marks, a faint rest of a line is enough.
        """
        asked = left = list(cells) if len(self.kinds.pictures) else []
        for shift in SHIFTS:
            if not left:
                break
            looks = TileLooks.of(left, grid.moved(*shift), pixels, box)
            left = [
                cell
                for index, cell in enumerate(left)
                if not _is_like(looks.at(index), self.by_cell.get(cell, NO_LOOKS), self.kinds)
            ]
        strange = {*left, *self._without_line(asked, grid, pixels, box, opened)}
        return [cell for cell in asked if cell in strange]

    def _without_line(
        self,
        cells: Sequence[Cell],
        grid: Grid,
        pixels: Pixels,
        box: PixelBox,
        opened: NDArray[np.bool_] | None,
    ) -> list[Cell]:
        drawn = self.drawn
        now = Lines.drawn(grid, pixels, box, self.flat_steps) if cells else None
        if drawn is None or now is None or drawn.right.shape != now.right.shape:
            return []
        if opened is not None and (faint := Lines.drawn(grid, pixels, box, FLAT)):
            now = now.with_faint_beside(faint, opened)
        gone = drawn.gone(now)
        return [cell for cell in cells if gone[cell]]


def _is_like(look: TileLooks, before: TileLooks, kinds: TileLooks) -> bool:
    """Whether a tile looks like the one ``before`` at its place, or like one of the ``kinds``."""
    most = tolerance(look.pictures)
    return before.contains(look, most) or kinds.contains(look, most)


def _gone_below(lines: Lines | None, grid: Grid, pixels: Pixels, box: PixelBox) -> float:
    """Return the contrast, in colour steps, at or below which a line is gone.

    It is higher on boards with clear lines: a cover that is not quite plain may leave faint
    ones.
    """
    for steps in CLEARER if lines and lines.number else ():
        clearer = Lines.drawn(grid, pixels, box, steps)
        if lines and clearer and clearer.number >= CLEAR_LINES * lines.number:
            return FLATTENED * steps
    return FLAT


def _drawn_below(
    board: Pixels, lines: NDArray[np.float64], tiles: int, steps: float
) -> NDArray[np.float32]:
    """Return along which share of each tile each inner line is drawn, ``(lines - 2, tiles)``."""
    reach = max(1, round(BESIDE_LINE * float(lines[1])))
    board = board[:, :: max(1, board.shape[1] // (tiles * LINE_POINTS))]
    found = np.zeros((len(lines) - 2, tiles), dtype=np.float32)
    for index, y in enumerate(np.rint(lines[1:-1]).astype(int)):
        strip = board[max(0, y - reach) : y + reach + 1]
        contrast = np.ptp(strip, axis=0).max(axis=1) > steps
        along = contrast.astype(np.float32)[None]
        found[index] = cv2.resize(along, (tiles, 1), interpolation=cv2.INTER_AREA)[0]
    return found


def tolerance(picture: NDArray[np.float32]) -> float:
    """Return the largest mean difference, in grey levels, of a picture that shows the same."""
    level = LEAST_DIFFERENCE + BRIGHTNESS_SHARE * float(picture.mean())
    return min(MOST_DIFFERENCE, level)


def different_tiles(
    cells: Sequence[Cell], grid: Grid, pictures: tuple[Pixels, Pixels], box: PixelBox
) -> list[Cell]:
    """List the cells whose tiles differ between two ``pictures``, which both show ``box``."""
    before, after = (small_pictures(cells, grid, pixels, box) for pixels in pictures)
    off = mean_steps(before, after)
    return [cell for cell, by in zip(cells, off, strict=True) if by > LEAST_DIFFERENCE]


def small_pictures(
    cells: Sequence[Cell], grid: Grid, pixels: Pixels, box: PixelBox, inset: float = 0.1
) -> NDArray[np.float32]:
    """Cut tiles out of ``pixels``, which show ``box``, and shrink each to `SMALL_SIDE` by as many.

    Returns float32 ``(n, SMALL_SIDE * SMALL_SIDE * 3)``. The share ``inset`` of a tile, at least
    one pixel, is left out on each side: the neighbour's edge may lie there.
    """
    pictures = np.zeros((len(cells), SMALL_SIDE * SMALL_SIDE * 3), dtype=np.float32)
    inset_x, inset_y = (max(1, round(inset * side)) for side in (grid.tile_w, grid.tile_h))
    for index, cell in enumerate(cells):
        tile = grid.box(cell)
        part = pixels[
            max(0, tile.y0 - box.y0) + inset_y : tile.y1 - box.y0 - inset_y,
            max(0, tile.x0 - box.x0) + inset_x : tile.x1 - box.x0 - inset_x,
        ]
        if part.size:
            small = cv2.resize(part, (SMALL_SIDE, SMALL_SIDE), interpolation=cv2.INTER_AREA)
            pictures[index] = small.reshape(-1)
    return pictures


LEAST_BRIGHTNESS = 0.15
"""Least share of the old brightness: in a darker picture, a colour step stands for more than six.
"""

MOST_BRIGHTNESS = 0.9
"""Largest share of the old brightness that counts as dimmed."""

LEAST_TILES = 6
"""Least number of open tiles that must agree on how a picture was dimmed."""

LEAST_TILES_SHARE = 0.3
"""Least share of the open tiles that must agree: a dialog may cover the others. An alert of a
browser hid 60 % of a board of 8x8."""

KEPT_SHARE = 0.6
"""Share of the tiles kept for a second fit, those that the first one fits best: a dialog may cover
the others."""

LEAST_SPREAD = 20.0
"""Least standard deviation of the colours on the open tiles; plainer ones do not show the
dimming."""

Dimming = tuple[float, NDArray[np.float64]]
"""The share of the old brightness, and the offset of each colour."""


def undimmed(before: Frame, after: Frame, open_tiles: Sequence[PixelBox]) -> Frame | None:
    """Return ``after`` with the brightness of ``before``; None if it is not evenly dimmed.

    Both show the same region; ``open_tiles`` are the boxes of its open tiles, which do not change.
    """
    if before.pixels.shape != after.pixels.shape or len(open_tiles) < LEAST_TILES:
        return None
    tiles = [box_slices(box, PixelBox(0, 0, 0, 0)) for box in open_tiles]
    old = [before.pixels[tile].reshape(-1, 3).astype(np.float64) for tile in tiles]
    new = [after.pixels[tile].reshape(-1, 3).astype(np.float64) for tile in tiles]

    def fitted(kept: NDArray[np.intp]) -> Dimming | None:
        return _fit(np.concatenate([old[k] for k in kept]), np.concatenate([new[k] for k in kept]))

    def steps(dimming: Dimming) -> NDArray[np.float64]:
        share, offset = dimming
        pairs = zip(old, new, strict=True)
        return np.array([np.abs(now - share * one - offset).mean() for one, now in pairs])

    best, alike = None, 0
    for part in _parts(open_tiles):
        if dimming := fitted(part):
            off = steps(dimming)[part]
            dimming = fitted(part[off <= max(SAME_ON_AVERAGE, float(np.quantile(off, KEPT_SHARE)))])
        # A plain dialog has no contrast: its share is near 0.
        if dimming is not None and LEAST_BRIGHTNESS <= dimming[0] <= MOST_BRIGHTNESS:
            count = int((steps(dimming) <= SAME_ON_AVERAGE).sum())
            best, alike = max((best, alike), (dimming, count), key=itemgetter(1))
    if best is None or alike < max(LEAST_TILES, LEAST_TILES_SHARE * len(tiles)):
        return None
    share, offset = best
    lit = ((after.pixels - offset) / share).round().clip(0, 255).astype(np.uint8)
    return Frame(lit, after.origin, after.scale)


def is_dimmed(
    before: Frame,
    after: Frame,
    open_tiles: Sequence[PixelBox],
    hidden_tiles: Sequence[PixelBox] = (),
) -> bool:
    """Whether every tile of ``before`` became darker in ``after`` in the same way.

    Only tiles that are open, or hidden in both pictures, are compared. If one did not change, the
    board is not dimmed: its open tiles may have been drawn lighter for a moment before.
    """
    if before.pixels.shape != after.pixels.shape or len(open_tiles) < LEAST_TILES:
        return False
    tiles = [box_slices(box, PixelBox(0, 0, 0, 0)) for box in open_tiles]
    others = (box_slices(box, PixelBox(0, 0, 0, 0)) for box in hidden_tiles)
    if any(np.array_equal(before.pixels[one], after.pixels[one]) for one in (*tiles, *others)):
        return False
    old, new = (
        np.concatenate([one.pixels[tile].reshape(-1, 3) for tile in tiles]).astype(np.float64)
        for one in (before, after)
    )
    share = float((old * new).sum() / max(1.0, (old * old).sum()))
    darker = (
        LEAST_BRIGHTNESS <= share <= MOST_BRIGHTNESS
        and np.abs(new - share * old).mean() <= SAME_ON_AVERAGE
    )
    return bool(darker) or undimmed(before, after, open_tiles) is not None


def _parts(boxes: Sequence[PixelBox]) -> Iterator[NDArray[np.intp]]:
    """Yield all boxes, then those of each half of the board: a dialog hardly covers every half."""
    yield np.arange(len(boxes))
    for edges in ([box.y0 for box in boxes], [box.x0 for box in boxes]):
        order = np.argsort(edges, kind="stable")
        yield order[: len(order) // 2]
        yield order[len(order) // 2 :]


def _fit(old: NDArray[np.float64], new: NDArray[np.float64]) -> Dimming | None:
    """Fit ``share * old + offset`` to colours ``(n, 3)``; None if ``old`` has one plain colour."""
    spread = old - old.mean(axis=0)
    power = float((spread * spread).sum())
    if power < LEAST_SPREAD**2 * len(old):
        return None
    share = float((spread * (new - new.mean(axis=0))).sum()) / power
    return share, np.asarray(new.mean(axis=0) - share * old.mean(axis=0))
