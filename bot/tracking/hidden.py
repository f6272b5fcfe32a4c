"""What hidden tiles look like in the window that is played, so that nothing else is clicked.

A dimmed board, a card over it or another window can be read as hidden tiles. The board that was
there before shows the difference: its hidden tiles looked another way. A page that shows a dialog
often lays a translucent colour over everything else: each pixel becomes ``share * before +
offset``. Both are found from the open tiles, which do not change, and the old brightness is
restored.
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
from calibration.frame import Frame
from calibration.grid import Grid, PixelBox
from calibration.tiles import FLAT, SAME_ON_AVERAGE, mean_steps
from solver.board import Board, Cell

Pixels = NDArray[np.uint8]

SMALL_SIDE = 6
"""Side of the small picture of a tile that is compared; it forgets where exactly a pixel lay."""

MOST_DIFFERENCE = 10.0

LEAST_DIFFERENCE = 2.0

BRIGHTNESS_SHARE = 0.06
"""Mean difference up to which two small pictures show the same: `LEAST_DIFFERENCE` and a share of
the brightness, `MOST_DIFFERENCE` at most. A dark tile that is dimmed changes by little."""

LEAST_RELIEF, FLATTENED = 8.0, 0.25
"""Steps within a tile from which something is drawn on it, a bevel or a gap beside it for instance,
and the share of them up to which that is gone: a plain window lies over it, even if the mean
difference is small. It was 5.6 for one in nearly the colour of tiles with 28 steps."""

SHIFTS = ((0, 0), *((dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy))
"""Pixels by which tiles are cut out to the side: a grid found again, after its window moved, may be
off by the rounding of a pixel, and then so are the bevels of its tiles."""

MOST_UNLIKE = 2
"""Tiles of a new board that may look different: those under the pointer, or with a focus ring."""

MOST_SMALL_PICTURES = 600
"""Pictures that are kept at most."""

LINE_STEPS, BESIDE_LINE, LINE_POINTS = 6, 0.2, 10
"""Colour steps from which a line is drawn between two tiles; how far to each side of it is looked,
in tiles; and at how many points of its length, at least."""

CLEARER, CLEAR_LINES = (48, 24, 12), 0.9
"""Contrast of the lines, in colour steps, if so large a share of all lines has it. A line counts as
gone below `FLATTENED` of its usual contrast: an overlay only 8 grey levels from the tiles still
shows an edge."""

DRAWN_ALONG, LEAST_LEFT = 0.6, 0.75
"""Share of its length along which a line is drawn, and the share of that which is drawn still. A
window of the size of a tile, laid over the middle of one, takes half of a line away at least."""


class Lines(NamedTuple):
    """Along which share of its length each line between two tiles of a board is drawn.

    ``below``, ``(rows - 1, cols)``, are the lines below tiles, ``right``, ``(rows, cols - 1)``,
    those to the right of them.
    """

    below: NDArray[np.float32]
    right: NDArray[np.float32]

    @classmethod
    def drawn(cls, grid: Grid, pixels: Pixels, box: PixelBox, steps: float) -> Lines | None:
        """Look for lines of more than ``steps`` colour steps in ``pixels``, which show ``box``.

        None for a board that does not lie wholly in it.
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
        """How many of them are drawn."""
        return sum(int((shares >= DRAWN_ALONG).sum()) for shares in self)

    def beside_open(self, faint: Lines, opened: NDArray[np.bool_]) -> Lines:
        """Return the lines with those of ``faint`` between cells of which one is ``opened``.

        The edge of an open tile may be drawn otherwise: what is left is that of the hidden one.
        """
        below, right = opened[:-1] | opened[1:], opened[:, :-1] | opened[:, 1:]
        return Lines(
            np.where(below, faint.below, self.below), np.where(right, faint.right, self.right)
        )

    def gone(self, now: Lines) -> NDArray[np.bool_]:
        """Mark the tiles, ``(rows, cols)``, beside a line that was drawn and is no more."""
        found = np.zeros((len(self.right), self.below.shape[1]), dtype=np.bool_)
        below = (self.below >= DRAWN_ALONG) & (now.below < LEAST_LEFT * self.below)
        right = (self.right >= DRAWN_ALONG) & (now.right < LEAST_LEFT * self.right)
        found[:-1] |= below
        found[1:] |= below
        found[:, :-1] |= right
        found[:, 1:] |= right
        return found


class TileLooks(NamedTuple):
    """What some tiles look like: their pictures, as of `small_pictures`, and their reliefs.

    A relief, ``(n,)``, is by how many steps the places of a tile differ at most, its rim included.
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
        """Return that of one tile."""
        return TileLooks(*(part[index : index + 1] for part in self))

    def adding(self, more: TileLooks) -> TileLooks:
        """Return these and ``more``."""
        return TileLooks(*(np.concatenate(parts) for parts in zip(self, more, strict=True)))

    def have(self, one: TileLooks, most: float) -> bool:
        """Whether one of them differs from ``one`` by ``most`` at most, and is not flat there."""
        near = mean_steps(self.pictures, one.pictures) <= most
        flat = (self.reliefs >= LEAST_RELIEF) & (one.reliefs <= FLATTENED * self.reliefs)
        return bool((near & ~flat).any())


NO_LOOKS = TileLooks(
    np.zeros((0, SMALL_SIDE * SMALL_SIDE * 3), np.float32), np.zeros(0, np.float32)
)


@dataclass(frozen=True, eq=False)
class HiddenTiles:
    """What the hidden tiles of one window look like: by cell, and all together.

    ``drawn`` are the lines between them, and ``flat_steps`` the colour steps up to which none is
    left. It never changes: `learning` returns more.
    """

    by_cell: Mapping[Cell, TileLooks] = field(default_factory=dict)
    kinds: TileLooks = NO_LOOKS
    drawn: Lines | None = None
    flat_steps: float = FLAT

    def learning(self, board: Board, grid: Grid, pixels: Pixels, box: PixelBox) -> HiddenTiles:
        """Return it with those of a ``board`` that was read from ``pixels``, which show ``box``.

        Once some are known, those that look different are not added.
        """
        cells, by_cell, kinds = board.hidden_cells(), dict(self.by_cell), self.kinds
        looks, known = TileLooks.of(cells, grid, pixels, box), bool(len(kinds.pictures))
        drawn = Lines.drawn(grid, pixels, box, LINE_STEPS)
        for index, cell in enumerate(cells):
            look = looks.at(index)
            if known and not _is_like(look, by_cell.get(cell, NO_LOOKS), kinds):
                continue
            by_cell[cell] = look
            if len(kinds.pictures) < MOST_SMALL_PICTURES and not kinds.have(look, LEAST_DIFFERENCE):
                kinds = kinds.adding(look)
        return HiddenTiles(by_cell, kinds, drawn, _flat_steps(drawn, grid, pixels, box))

    def unlike(
        self,
        cells: Iterable[Cell],
        grid: Grid,
        pixels: Pixels,
        box: PixelBox,
        opened: NDArray[np.bool_] | None = None,
    ) -> list[Cell]:
        """List those of ``cells`` that look unlike every hidden tile; none if none is known.

        A tile that lost a line to a neighbour is one of them, whatever its colour: a window in the
        colour of hidden tiles lies over it. ``opened`` ``(rows, cols)`` marks open neighbours,
        beside which the least rest of a line is enough.
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
            now = now.beside_open(faint, opened)
        gone = drawn.gone(now)
        return [cell for cell in cells if gone[cell]]


def _is_like(look: TileLooks, before: TileLooks, kinds: TileLooks) -> bool:
    """Whether a tile looks as ``before`` at its place, or as one of the ``kinds``."""
    most = tolerance(look.pictures)
    return before.have(look, most) or kinds.have(look, most)


def _flat_steps(lines: Lines | None, grid: Grid, pixels: Pixels, box: PixelBox) -> float:
    """Return the colour steps up to which no line is left: more where lines are clear."""
    for steps in CLEARER if lines and lines.number else ():
        clearer = Lines.drawn(grid, pixels, box, steps)
        if lines and clearer and clearer.number >= CLEAR_LINES * lines.number:
            return FLATTENED * steps
    return FLAT


def _drawn_below(
    board: Pixels, lines: NDArray[np.float64], tiles: int, steps: float
) -> NDArray[np.float32]:
    """Return the shares of all inner ``lines`` of a board, ``(lines - 2, tiles)``, from the top."""
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
    """Return the mean difference, in grey levels, up to which another picture shows the same."""
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

    Returns float32 ``(n, SMALL_SIDE * SMALL_SIDE * 3)``. The share ``inset`` of a tile is left out
    on each side, where the neighbour's edge may lie: one pixel at least.
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


LEAST_BRIGHTNESS, MOST_BRIGHTNESS = 0.15, 0.9
"""Least and largest share of the brightness that a dimmed picture has. In darker ones, a colour
step stands for more than six of the old ones."""

LEAST_TILES, LEAST_TILES_SHARE = 6, 0.3
"""Fewest open tiles that show how a picture was dimmed, and their least share of all of them:
the dialog may lie over the others. An alert of a browser hid 60 % of a board of 8x8."""

KEPT_SHARE = 0.6
"""Share of the tiles of a part of the board that are fitted best and fitted again: the dialog may
lie over the others."""

LEAST_SPREAD = 20.0
"""Least deviation of a colour on the open tiles that shows how it was dimmed."""

Dimming = tuple[float, NDArray[np.float64]]
"""The share of the old brightness, and the offset of each colour."""


def undimmed(before: Frame, after: Frame, open_tiles: Sequence[PixelBox]) -> Frame | None:
    """Return ``after`` with the brightness of ``before``; None if it was not dimmed evenly.

    Both show the same region; ``open_tiles`` are the boxes in it of tiles that do not change.
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
        # A white dialog is all even: its share is none.
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
    """Whether ``after`` shows a dimmed board; quick if an open tile is as it was.

    Where the open tiles have hardly any contrast, it is dimmed if all are darker by one share. The
    tiles that are hidden in both pictures are dimmed, too: where one is as it was, the open ones
    were painted in a lighter colour for a moment.
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
    """Yield all boxes, and those of each half of a board: a dialog hardly lies over every half."""
    yield np.arange(len(boxes))
    for edges in ([box.y0 for box in boxes], [box.x0 for box in boxes]):
        order = np.argsort(edges, kind="stable")
        yield order[: len(order) // 2]
        yield order[len(order) // 2 :]


def _fit(old: NDArray[np.float64], new: NDArray[np.float64]) -> Dimming | None:
    """Fit ``share * old + offset``, the offset for each colour, ``(n, 3)``; None if old is even."""
    spread = old - old.mean(axis=0)
    power = float((spread * spread).sum())
    if power < LEAST_SPREAD**2 * len(old):
        return None
    share = float((spread * (new - new.mean(axis=0))).sum()) / power
    return share, np.asarray(new.mean(axis=0) - share * old.mean(axis=0))
