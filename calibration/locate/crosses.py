"""Find boards whose tiles are separated by lines. The entry is `find_lattices`.

1. Mark straight vertical and horizontal edges (`line_masks`).
2. Mark where both meet (`cross_mask`).
3. Find tile sizes at which four crosses often form a square, and regions full of these squares
   (`candidates`).
4. Fit an exact lattice in each region (`calibration.locate.lattice`) and find which of its rows and
   columns are drawn (`calibration.locate.extent`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid, PixelBox, overlap, shared_area
from calibration.locate.extent import LineSums, grown, is_texture
from calibration.locate.lattice import (
    MOST_ELONGATED,
    MOST_OBLONG,
    Lattice,
    LatticeRegion,
    fit_lattice,
    refined,
)
from calibration.locate.lines import Mask
from calibration.locate.sides import Proposal, cut_sides, extended_to_bed, hidden_sides, is_crop
from solver.board import MAX_SIDE

MIN_EDGE = 8
"""Least difference across an edge: red, green and blue (0-255 each) added."""
STEEP = 128
"""Steps above which an edge is not part of a gradient; the steps of a gradient differ by a quarter.
"""
STRAIGHT, STRAIGHT_SMALL = 7, 5
"""Least length of a straight edge, in pixels: the side of a 12 px tile without its corners, and
that of an 8 px tile."""
STRIP = 32
"""Rows in which edges are searched at a time, so that the arrays stay in the processor's cache.
Whole frames took three times as long, most of it for new pages of memory."""
ROUNDING = 4
"""How far before a cross its lines may end, in pixels, at rounded corners or gaps."""

ROUNDING_SMALL = 2
"""The same for tiles of 8 to 12 px, where crosses would merge."""

MOST_FITS = 200
"""In how many regions of a search lattices are fitted, the likeliest first."""

MOST_FITTED = 200_000_000
"""How many pixels these regions may have together: in 60 screenshots up to 17 times as many as the
picture."""


class LineMasks(NamedTuple):
    """Straight edges of a frame: two masks of 0 and 1, uint8 ``(height, width)``."""

    vertical: Mask
    horizontal: Mask


def line_masks(frame: Frame, straight: int = STRAIGHT) -> LineMasks:
    """Mark straight edges: contrast across the edge, none along it, at least ``straight`` long.

    The contrast is taken over two pixels, so that the soft edges of scaled pictures stay complete.
    Noise and photographs rarely have contrast in one direction over this length, least of all in
    three colours at once.
    """
    vertical, horizontal = np.empty((2, frame.height, frame.width), np.uint8)
    for top in range(0, frame.height, STRIP):
        above, high = min(top, 1), min(STRIP, frame.height - top)
        edges = _edges(frame.pixels[top - above : top + STRIP + 1])
        strip = slice(top, top + high)
        vertical[strip], across = (one[above : above + high] for one in edges)
        horizontal[strip] = _straight_runs(across, 0, 1, straight)
    return LineMasks(_straight_runs(vertical, 1, 0, straight), horizontal)


def _edges(strip: Mask) -> tuple[Mask, Mask]:
    """Mark contrast across an edge and not along it: vertical edges, then horizontal ones."""
    dx, dy = np.zeros((2, *strip.shape[:2]), np.uint8)
    inside_x, inside_y = dx[:, 1:-1], dy[1:-1]
    for plane in cv2.split(strip):
        cv2.add(inside_x, cv2.absdiff(plane[:, 2:], plane[:, :-2]), inside_x)
        cv2.add(inside_y, cv2.absdiff(plane[2:], plane[:-2]), inside_y)
    return (
        cv2.bitwise_and(cv2.compare(dx, cv2.add(dy, dy), cv2.CMP_GT), _sharp(dx, 0, 1)),
        cv2.bitwise_and(cv2.compare(dy, cv2.add(dx, dx), cv2.CMP_GT), _sharp(dy, 1, 0)),
    )


def _sharp(steps: Mask, y: int, x: int) -> Mask:
    """Mark strong steps that are not part of a gradient, whose steps are equal along (y, x)."""
    high, low = cv2.dilate(steps, _box(y, x)), cv2.erode(steps, _box(y, x))
    spread = cv2.subtract(high, low)
    twice = cv2.add(spread, spread)
    uneven = cv2.subtract(cv2.add(twice, twice), high)
    sharp = cv2.max(_above(uneven, 0), _above(high, STEEP))
    return cv2.min(sharp, _above(steps, MIN_EDGE))


def _above(steps: Mask, least: int) -> Mask:
    return cv2.threshold(steps, least, 1, cv2.THRESH_BINARY)[1]


def _straight_runs(edges: Mask, y: int, x: int, straight: int) -> Mask:
    """Close dotted lines, then keep runs of at least ``straight`` pixels along (y, x)."""
    half = straight // 2
    closed = cv2.dilate(edges, _box(y, x))
    long = cv2.erode(closed, _box(y * (half + 1), x * (half + 1)), closed)
    return cv2.dilate(long, _box(y * half, x * half), long)


def _box(y: int, x: int) -> Mask:
    """Return the structuring element that reaches ``y`` rows and ``x`` columns to each side."""
    return np.ones((2 * y + 1, 2 * x + 1), np.uint8)


def cross_mask(lines: LineMasks, rounding: int = ROUNDING) -> Mask:
    """Mark where vertical and horizontal lines meet, or nearly do: 0 or 1, ``(height, width)``."""
    near = cv2.dilate(lines.vertical, _box(rounding, 1))
    return cv2.bitwise_and(near, cv2.dilate(lines.horizontal, _box(1, rounding)), near)


def _crosses(lines: LineMasks, fine: Resolution, coarse: Resolution) -> Iterator[Crosses]:
    """Yield the crosses for small tiles, then those for large ones."""
    yield Crosses.of(halved(cross_mask(lines)), fine)
    # At half the size the corners of large tiles may be rounded twice as much.
    yield Crosses.of(halved(cross_mask(LineMasks(*map(halved, lines)))), coarse)


def _proposal(frame: Frame, grid: Grid) -> Proposal:
    """Add the rows without lines to a grid, and check whether the board continues beyond it."""
    grid = extended_to_bed(frame, grown(frame, grid))
    return Proposal(grid, cut_sides(frame, grid), hidden_sides(frame, grid), is_crop(frame, grid))


def find_lattices(frame: Frame) -> Iterator[Proposal]:
    """Yield the lattices of tiles in the frame: whole ones, then those cut off, each best first.

    The tiles may have sides from about 11 to 200 pixels.
    """
    if min(frame.height, frame.width) < FINE.smallest_px:
        return
    lines = line_masks(frame)
    yield from _search(frame, lines, _crosses(lines, FINE, COARSE))


def find_oblong_lattices(frame: Frame) -> Iterator[Proposal]:
    """Yield the lattices of clearly oblong tiles, in the same order.

    Many tables look like this: search only where no board of other tiles was found.
    """
    if min(frame.height, frame.width) < OBLONG_FINE.smallest_px:
        return
    lines = line_masks(frame)
    yield from _search(frame, lines, _crosses(lines, OBLONG_FINE, OBLONG_COARSE), MOST_OBLONG)


def find_small_lattices(frame: Frame) -> Iterator[Proposal]:
    """Yield the lattices of tiles from 8 to 12 pixels, in the same order.

    Here shorter edges count as lines, of which text has many: search only where no board of larger
    tiles was found.
    """
    if min(frame.height, frame.width) < TINY.smallest_px:
        return
    lines = line_masks(frame, STRAIGHT_SMALL)
    yield from _search(frame, lines, [Crosses.of(cross_mask(lines, ROUNDING_SMALL), TINY)])


def _search(
    frame: Frame,
    lines: LineMasks,
    searches: Iterable[Crosses],
    elongated: float = MOST_ELONGATED,
) -> Iterator[Proposal]:
    """Fit lattices to the lines wherever the crosses of a search indicate tiles."""
    vertical, horizontal = LineSums.of_masks(lines.vertical, cv2.transpose(lines.horizontal))
    whole: list[Lattice] = []
    cut: list[Lattice] = []
    fits, fitted = 0, 0.0
    for crosses in searches:
        for box in chain.from_iterable(lattice.drawn_parts() for lattice in whole + cut):
            crosses.mark_explained(box)
        for candidate in candidates(crosses):
            known = [lattice for lattice in whole + cut if lattice.covers(candidate.box)]
            if any(lattice.is_drawn_in(candidate.box) for lattice in known):
                continue
            fits, fitted = fits + 1, fitted + shared_area(candidate.box, candidate.box)
            if fits > MOST_FITS or fitted > MOST_FITTED:
                break
            lattice = fit_lattice(vertical, horizontal, candidate, known, elongated)
            if lattice is None or lattice.across.fit.pitch < 0.95 * crosses.resolution.smallest_px:
                continue
            too_long = max(len(lattice.down.cells), len(lattice.across.cells)) > MAX_SIDE
            (cut if too_long or cut_sides(frame, _grid(lattice)) else whole).append(lattice)
            for box in lattice.drawn_parts():
                crosses.mark_explained(box)
    for lattice in _best_of_each(whole) + _best_of_each(cut):
        if not is_texture(len(lattice.down.cells), len(lattice.across.cells)):
            yield _proposal(frame, _grid(refined(lattice, frame, vertical, horizontal)))


def _grid(lattice: Lattice) -> Grid:
    """Convert a lattice to a grid."""
    across, down = lattice.across, lattice.down
    return Grid(
        across.fit.position(across.cells.start),
        down.fit.position(down.cells.start),
        across.fit.pitch,
        down.fit.pitch,
        len(down.cells),
        len(across.cells),
        lattice.drawn_share,
        across.shifts,
        down.shifts,
    )


def _best_of_each(lattices: list[Lattice]) -> list[Lattice]:
    """Keep the best of lattices that overlap, and sort by quality, the best first."""

    def quality(lattice: Lattice) -> float:
        cells = len(lattice.across.cells) * len(lattice.down.cells)
        return float(lattice.drawn_share * min(cells, 600) ** 0.25)

    kept: list[Lattice] = []
    for lattice in sorted(lattices, key=quality, reverse=True):
        if kept and lattice.drawn_share < 0.8 * kept[0].drawn_share:
            continue
        if all(overlap(lattice.box, other.box) < 0.3 for other in kept):
            kept.append(lattice)
    return kept


# ---- regions where four crosses often form a square ----------------------------------------------
# Squares are counted for every tile size and in every window of the frame, so that a small board on
# a busy desktop is found, too. Crosses are kept at a half or a quarter of the frame's resolution,
# 64 to a number, so that counting is cheap.

Words = NDArray[np.uint64]
"""Pixels of a mask, `BLOCK` of them in a number: bit ``n`` is the ``n``-th pixel."""

BLOCK = 64
"""Side of the blocks in which squares are counted, in steps. Two by two blocks are a window."""
ALL_BITS = (1 << BLOCK) - 1
"""A number with all `BLOCK` bits set."""
MAP_STEP = 4
"""Steps in a pixel of the density map in which regions are found."""
NEARLY_SQUARE = 0.85, 1.18
"""Least and largest ratio of the height of a tile to its width, before they are known exactly."""
OBLONG = 0.5, 1.9
"""The same for clearly oblong tiles, which are searched only if no others are found."""
LEAST_OBLONG = 1.15
"""Least ratio of the longer side of such a tile to the shorter one."""

PROMINENCE = 3.0
"""Least factor by which the squares of a tile size must exceed the usual number in a window."""
MOST_SIZES = 16
"""Most tile sizes tried on one frame."""

LEAST_REGION_TILES = 1.6
"""Least side of a region in tiles; a board of 3 rows has 2."""
CROSS_REACH = 3
"""How far the mark of a cross may extend from the point where its lines meet, in steps."""
FEWEST_SQUARES = 9
"""Fewest squares of crosses in a region."""


class Resolution(NamedTuple):
    """How finely crosses are kept, and the tile sizes that are searched at this resolution.

    ``step`` is the unit of all places and sizes, in pixels. ``sizes`` holds the tile sizes, width
    and height in steps; ``neighbours`` the nine within one step of each, as indices; a missing one
    is replaced by the size itself.
    """

    step: int
    sizes: tuple[tuple[int, int], ...]
    neighbours: NDArray[np.intp]

    @property
    def smallest_px(self) -> int:
        """The smallest width of a tile, in pixels."""
        return self.step * self.sizes[0][0]

    @property
    def largest_px(self) -> int:
        """The largest width of a tile, in pixels."""
        return self.step * self.sizes[-1][0]

    @classmethod
    def of(cls, step: int, smallest_px: int, largest_px: int, oblong: bool = False) -> Resolution:
        """List the sizes of nearly square tiles with widths in pixels, or those of oblong ones."""
        least, most = OBLONG if oblong else NEARLY_SQUARE
        sizes = tuple(
            (across, down)
            for across in range(-(-smallest_px // step), largest_px // step + 1)
            for down in range(int(across * least), min(int(across * most) + 2, BLOCK))
            if not (oblong and max(across, down) < LEAST_OBLONG * min(across, down))
        )
        place = {size: index for index, size in enumerate(sizes)}
        steps = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        neighbours = [[place.get((a + i, d + j), place[a, d]) for i, j in steps] for a, d in sizes]
        return cls(step, sizes, np.array(neighbours, np.intp))


TINY, FINE, COARSE = Resolution.of(1, 8, 20), Resolution.of(2, 11, 86), Resolution.of(4, 36, 204)
"""For small, usual and large tiles; a window must hold several tiles."""
OBLONG_FINE, OBLONG_COARSE = Resolution.of(2, 16, 86, True), Resolution.of(4, 36, 204, True)
"""For oblong tiles, usual ones and large ones."""


class _TileSize(NamedTuple):
    """A tile size in steps, and a mask of the blocks in whose windows it is frequent."""

    across: int
    down: int
    blocks: Mask


class Crosses(NamedTuple):
    """The crosses of a frame at some resolution, packed 64 to a number.

    ``words`` is ``(columns of blocks + 1, rows)``. The rows are padded to whole blocks, with one
    more block below, so that no square that begins in the picture ends outside the array.
    ``unexplained`` has a bit for each step outside the boards found so far. ``shape`` is the
    picture's height and width in steps.
    """

    words: Words
    unexplained: Words
    shape: tuple[int, int]
    resolution: Resolution

    @classmethod
    def of(cls, steps: Mask, resolution: Resolution) -> Crosses:
        """Pack a mask of 0 and 1 that has a pixel for each step, ``(height, width)``."""
        height, width = steps.shape
        rows, columns = -(-height // BLOCK) + 1, -(-width // BLOCK) + 1
        whole = np.zeros((rows * BLOCK, columns * BLOCK), np.uint8)
        whole[:height, :width] = steps
        packed = np.packbits(whole, axis=1, bitorder="little").view("<u8")
        words = np.ascontiguousarray(packed.T, np.uint64)
        return cls(words, np.full_like(words, ALL_BITS), (height, width), resolution)

    def mark_explained(self, box: PixelBox) -> None:
        """Mark the crosses in a box of the frame as those of a board that is already found."""
        step = self.resolution.step
        x0, y0 = max(0, box.x0 // step - CROSS_REACH), max(0, box.y0 // step - CROSS_REACH)
        x1, y1 = box.x1 // step + CROSS_REACH, box.y1 // step + CROSS_REACH
        for column in range(x0 // BLOCK, min(x1 // BLOCK + 1, len(self.unexplained))):
            first = BLOCK * column
            low, high = max(x0 - first, 0), min(x1 + 1 - first, BLOCK)
            self.unexplained[column, y0 : y1 + 1] &= np.uint64(ALL_BITS ^ (1 << high) - (1 << low))


def candidates(crosses: Crosses) -> Iterator[LatticeRegion]:
    """Yield the parts of the frame where tiles of one size seem to lie, the likeliest first.

    The likeliest size has the most squares; of a size and its multiples it is the size itself. A
    size whose squares all lie in boards found meanwhile is skipped, such as a multiple of their
    tile size.
    """
    step = crosses.resolution.step
    for size in _frequent_sizes(_count_squares(crosses), crosses.resolution):
        for box in _regions_of(crosses, size):
            yield LatticeRegion(box, step * size.across, step * size.down, step + 0.2)


def halved(mask: Mask) -> Mask:
    """Downsample by two with OR of a pixel and those before it; drop an odd last column."""
    around = cv2.dilate(mask, np.ones((2, 2), np.uint8))
    return around[::2, : mask.shape[1] // 2 * 2 : 2]


def _count_squares(crosses: Crosses) -> NDArray[np.uint16]:
    """Count the squares of each size of the resolution in each block.

    The result is ``(block rows + 1, block columns + 1, size)``; its last row and column are empty.
    Only the few numbers that hold two crosses at the distance of a tile width are examined.
    """
    columns, rows = crosses.words.shape
    all_sizes = crosses.resolution.sizes
    count = np.zeros((columns * rows // BLOCK, len(all_sizes)), np.uint16)
    marked = np.flatnonzero(crosses.words[:-1])
    here, right = crosses.words.ravel()[marked], crosses.words[1:].ravel()[marked]
    pairs = np.zeros(crosses.words.size, np.uint64)
    done = 0
    for across, sizes in groupby(all_sizes, key=itemgetter(0)):
        downs = np.array([down for _, down in sizes])
        pairs[marked] = _pairs(here, right, across)
        places = marked[pairs[marked] > 0]
        if places.size:
            squares = np.bitwise_count(pairs[places, None] & pairs[places[:, None] + downs])
            blocks = places // BLOCK
            first = np.flatnonzero(np.append(True, blocks[1:] != blocks[:-1]))
            count[blocks[first], done : done + downs.size] = np.add.reduceat(
                squares, first, axis=0, dtype=np.uint16
            )
        done += downs.size
    return count.reshape(columns, rows // BLOCK, len(all_sizes)).swapaxes(0, 1)


def _pairs(words: Words, right: Words, across: int) -> Words:
    """Keep the crosses that have another one ``across`` steps to their right."""
    shifted = words >> np.uint64(across) | right << np.uint64(BLOCK - across)
    return np.asarray(words & shifted)


def _frequent_sizes(count: NDArray[np.uint16], resolution: Resolution) -> list[_TileSize]:
    """Return the sizes that are much more frequent than the others in some window of 2x2 blocks."""
    sizes = resolution.sizes
    upper = count[:-1] + count[1:]
    windows = upper[:, :-1] + upper[:, 1:]
    usual = np.median(windows, axis=2) + 4
    row, col, size = np.nonzero(windows > (PROMINENCE * usual)[:, :, None])
    squares = windows[row, col, size]
    neighbours = windows[row[:, None], col[:, None], resolution.neighbours[size]]
    peaks = np.flatnonzero(squares == neighbours.max(axis=1))
    peaks = peaks[np.argsort(-squares[peaks].astype(np.int32), kind="stable")]
    total: dict[int, int] = {}
    blocks: dict[int, Mask] = {}
    picked: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for y, x, index, held in np.stack([row, col, size, squares], axis=1)[peaks].tolist():
        others = picked.setdefault((y, x), [])
        across, down = sizes[index]
        twin = any(max(abs(across - a), abs(down - d)) <= 1 for a, d in others)
        if twin or len(others) == 3:
            continue
        others.append((across, down))
        total[index] = total.get(index, 0) + held
        blocks.setdefault(index, np.zeros(usual.shape, np.uint8))[y : y + 2, x : x + 2] = 1
    best = sorted(total, key=lambda index: -total[index])[:MOST_SIZES]
    best.sort(key=lambda index: -total[index] / sizes[index][0])
    return [_TileSize(*sizes[index], blocks[index]) for index in best]


def _regions_of(crosses: Crosses, size: _TileSize) -> list[PixelBox]:
    """Box the parts of the frame where squares of this size lie side by side.

    On a board every area of one tile holds one corner of a square. This density distinguishes it
    from text and noise, where squares occur by chance. Two thresholds are used: open tiles have
    fewer crosses than hidden ones, but at the lower threshold noise may be joined to the board.
    """
    a, d, step = size.across, size.down, crosses.resolution.step
    near = cv2.dilate(size.blocks, np.ones((3, 3), np.uint8))
    left, top, wide, high = cv2.boundingRect(near)
    x, y = left * BLOCK, top * BLOCK
    blocks = PixelBox(left, top, left + wide, top + high)
    squares, unexplained = _squares_of(crosses, size, blocks)
    if unexplained < FEWEST_SQUARES:
        return []
    fine = _corner_density(crosses, size, blocks, squares)
    if not fine.size:
        return []
    density = cv2.blur(fine, (-(-a // MAP_STEP), -(-d // MAP_STEP)))
    inner, outer = (_enlarged(mask[top:, left:], *fine.shape) for mask in (size.blocks, near))
    found = density[inner & (density > 0)]
    if not found.size:
        return []
    usual = float(np.quantile(found, 0.95))
    boxes: list[PixelBox] = []
    for share in (0.3, 0.65):
        dense = ((density >= share * usual) & outer).astype(np.uint8)
        _, _, stats, _ = cv2.connectedComponentsWithStats(dense)
        parts = stats[1:, :4]
        large = (parts[:, 2:] * MAP_STEP > (LEAST_REGION_TILES * a, LEAST_REGION_TILES * d)).all(
            axis=1
        )
        for left, top, across, down in (parts[large] * MAP_STEP).tolist():
            x0, y0 = x + left, y + top
            x1, y1 = x0 + across + a, y0 + down + d
            boxes.append(PixelBox(*(step * edge for edge in (x0, y0, x1, y1))))
    return list(dict.fromkeys(boxes))


def _squares_of(crosses: Crosses, size: _TileSize, blocks: PixelBox) -> tuple[Words, int]:
    """Mark the upper left corners of squares in some blocks, and count the unexplained ones."""
    columns = slice(blocks.x0, blocks.x1 + 1)
    rows = slice(blocks.y0 * BLOCK, (blocks.y1 + 1) * BLOCK)
    words, unexplained = crosses.words[columns, rows], crosses.unexplained[columns, rows]
    pairs = _pairs(words[:-1], words[1:], size.across)
    squares = np.asarray(pairs[:, :-BLOCK] & pairs[:, size.down : size.down - BLOCK])
    return squares, int(np.bitwise_count(squares & unexplained[:-1, :-BLOCK]).sum())


def _corner_density(
    crosses: Crosses, size: _TileSize, blocks: PixelBox, squares: Words
) -> NDArray[np.float32]:
    """Map the density of the upper left corners of squares in a rectangle of blocks."""
    bits = np.unpackbits(np.ascontiguousarray(squares.T).view(np.uint8), axis=1, bitorder="little")
    # No square has its lower right corner outside the picture.
    high = (min(blocks.y1 * BLOCK, crosses.shape[0] - size.down) - blocks.y0 * BLOCK) // MAP_STEP
    wide = (min(blocks.x1 * BLOCK, crosses.shape[1] - size.across) - blocks.x0 * BLOCK) // MAP_STEP
    if high < 1 or wide < 1:
        return np.zeros((0, 0), np.float32)
    whole = bits[: high * MAP_STEP, : wide * MAP_STEP] * np.uint8(255)
    return cv2.resize(whole, (wide, high), interpolation=cv2.INTER_AREA).astype(np.float32)


def _enlarged(blocks: Mask, high: int, wide: int) -> NDArray[np.bool_]:
    """Return a mask of blocks at the resolution of the density map."""
    side = BLOCK // MAP_STEP
    return np.asarray(blocks.repeat(side, 0).repeat(side, 1)[:high, :wide] > 0)
