"""The network that reads boards: what it sees of each tile, and running it.

Each different tile is encoded once, from its view with a margin and from a close-up of its glyph.
The board of encoded tiles, with what is known apart from the picture, then passes through
convolutions over the grid and attention between all tiles. `calibration.learning.train` trains it
and cuts tiles with this code; `docs/reader.md` says on which boards.
"""

from __future__ import annotations

import gzip
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import BadNetwork
from calibration.grid import Grid
from calibration.labels import LABELS

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, SessionOptions


VIEW_SIDE = 24
"""Side of a view in pixels."""

MARGIN = 2
"""How many pixels at each side of a view show the neighbouring tiles."""

TILE_SIDE = VIEW_SIDE - 2 * MARGIN

FINE = 3
"""Pixels of the fine picture, from which close-ups are taken, for each pixel of a view."""

WIDEST_GAP = 0.2
"""Wider gaps, as a share of a cell, are narrowed to this."""

EDGE = 0.1
"""Share of the fine tile at each side that may show lines and bevels: no glyph is searched
there."""

LEAST_CONTRAST = 20.0
"""A pixel is ink if it differs from the background of its tile by at least this many colour steps
and by at least `OF_STRONGEST` of the largest difference in the tile."""

OF_STRONGEST = 0.35
"""See `LEAST_CONTRAST`."""

SMALLEST_WINDOW = 14
"""Smallest side of a close-up, in fine pixels."""

ROOM = 1.25
"""A close-up is this many times as large as its glyph."""

HINTS = 4
"""Numbers given with a close-up: its centre and side as shares of the tile, and the contrast."""


class EnlargedGlyphs(NamedTuple):
    """Enlarged glyphs.

    ``pictures`` are uint8 ``(n, VIEW_SIDE, VIEW_SIDE, 3)``, ``hints`` float32 ``(n, HINTS)``.
    """

    pictures: NDArray[np.uint8]
    hints: NDArray[np.float32]


class Cut(NamedTuple):
    """All tiles of a board.

    ``views`` are uint8 ``(rows * cols, VIEW_SIDE, VIEW_SIDE, 3)``, row by row. ``fine`` is one
    picture of the whole board, `FINE` times as fine, with the margin around it.
    """

    views: NDArray[np.uint8]
    fine: NDArray[np.uint8]
    rows: int
    cols: int

    def close_ups(self, indices: NDArray[np.intp]) -> EnlargedGlyphs:
        """Enlarge the glyphs of these tiles."""
        side, margin = FINE * TILE_SIDE, FINE * MARGIN
        pictures = np.empty((len(indices), VIEW_SIDE, VIEW_SIDE, 3), np.uint8)
        hints = np.empty((len(indices), HINTS), np.float32)
        for k, index in enumerate(indices.tolist()):
            top = margin + index // self.cols * side
            left = margin + index % self.cols * side
            tile = self.fine[top : top + side, left : left + side]
            pictures[k], hints[k] = _close_up(tile)
        return EnlargedGlyphs(pictures, hints)


def cut_views(pixels: NDArray[np.uint8], grid: Grid) -> Cut:
    """Cut a board out of a picture, uint8 ``(height, width, 3)``, whose border is repeated outside.

    Each gap between two tiles is divided between them; wide ones are narrowed to `WIDEST_GAP`.
    """
    side, margin = FINE * TILE_SIDE, FINE * MARGIN
    size = grid.cols * side + 2 * margin, grid.rows * side + 2 * margin
    step_x, step_y = grid.tile_w / side, grid.tile_h / side
    left, top, part = _around(pixels, grid)
    if max(step_x, step_y) > 1.4:
        part = np.asarray(cv2.blur(part, (max(1, round(step_x)), max(1, round(step_y)))), np.uint8)
    border = cv2.BORDER_REPLICATE
    skipped_x, skipped_y = _skipped(grid.gap_w, grid.tile_w), _skipped(grid.gap_h, grid.tile_h)
    if grid.x_shifts or grid.y_shifts or skipped_x or skipped_y:
        x_map = _samples(grid.x_lines, grid.cols, side, margin, skipped_x) - left
        y_map = _samples(grid.y_lines, grid.rows, side, margin, skipped_y) - top
        maps = np.tile(x_map, (size[1], 1)), np.tile(y_map[:, None], (1, size[0]))
        fine = cv2.remap(part, *maps, cv2.INTER_LINEAR, borderMode=border)
    else:
        offset_x = grid.x0 - left + (0.5 - margin) * step_x - 0.5
        offset_y = grid.y0 - top + (0.5 - margin) * step_y - 0.5
        matrix = np.array([[step_x, 0.0, offset_x], [0.0, step_y, offset_y]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        fine = cv2.warpAffine(part, matrix, size, flags=flags, borderMode=border)
    small = size[0] // FINE, size[1] // FINE
    plain = np.asarray(cv2.resize(fine, small, interpolation=cv2.INTER_AREA), np.uint8)
    windows = np.lib.stride_tricks.sliding_window_view(plain, (VIEW_SIDE, VIEW_SIDE), (0, 1))
    tiles = windows[::TILE_SIDE, ::TILE_SIDE].transpose(0, 1, 3, 4, 2)
    views = np.ascontiguousarray(tiles).reshape(-1, VIEW_SIDE, VIEW_SIDE, 3)
    return Cut(np.asarray(views, np.uint8), np.asarray(fine, np.uint8), grid.rows, grid.cols)


def cells_within(pixels: NDArray[np.uint8], grid: Grid, beyond: float = 0.0) -> NDArray[np.bool_]:
    """Mark the cells that lie in a picture or extend beyond it by at most ``beyond`` of a tile."""
    height, width = pixels.shape[:2]
    x_lines, y_lines = np.rint(grid.x_lines), np.rint(grid.y_lines)
    x_room, y_room = beyond * grid.tile_w, beyond * grid.tile_h
    across = (x_lines[:-1] >= -x_room) & (x_lines[1:] <= width + x_room)
    down = (y_lines[:-1] >= -y_room) & (y_lines[1:] <= height + y_room)
    return np.asarray(down[:, None] & across)


def _around(pixels: NDArray[np.uint8], grid: Grid) -> tuple[int, int, NDArray[np.uint8]]:
    """Return the part of a picture with the grid and its margin, after its left and top."""
    height, width = pixels.shape[:2]
    reach_x, reach_y = (round(0.15 * side) + 3 for side in (grid.tile_w, grid.tile_h))
    left = min(max(int(grid.x_lines[0]) - reach_x, 0), width - 1)
    top = min(max(int(grid.y_lines[0]) - reach_y, 0), height - 1)
    right = max(int(grid.x_lines[-1]) + reach_x + 1, left + 1)
    bottom = max(int(grid.y_lines[-1]) + reach_y + 1, top + 1)
    return left, top, np.ascontiguousarray(pixels[top:bottom, left:right])


def _skipped(gap: float, pitch: float) -> float:
    """Return the share of a cell that is cut off, at both sides together, to narrow a wide gap."""
    return max(0.0, gap / pitch - WIDEST_GAP) / (1 - WIDEST_GAP)


def _samples(
    lines: NDArray[np.floating], count: int, side: int, margin: int, skipped: float
) -> NDArray[np.float32]:
    """Return the pixel of the picture that each fine pixel shows, for cells of unequal size."""
    at = (np.arange(-margin, count * side + margin) + 0.5) / side
    cell = np.clip(np.floor(at), 0, count - 1)
    at = cell + 0.5 + (at - cell - 0.5) * (1 - skipped)
    steps = np.concatenate([lines[:1] - (lines[1] - lines[0]), lines, lines[-1:] * 2 - lines[-2]])
    found = np.interp(at, np.arange(-1, count + 2), steps) - 0.5
    return np.asarray(found, np.float32)


def _close_up(tile: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], tuple[float, ...]]:
    """Enlarge the glyph of a fine tile; a tile without one is shown whole."""
    side = len(tile)
    edge = round(EDGE * side)
    inner = tile[edge:-edge, edge:-edge]
    ground = np.median(inner[::4, ::4].reshape(-1, 3), axis=0).astype(int)
    red, green, blue = cv2.split(cv2.absdiff(inner, np.append(ground, 0.0)))
    contrast = cv2.blur(cv2.max(cv2.max(red, green), blue), (3, 3))
    strongest = float(contrast.max())
    ink = (contrast > max(LEAST_CONTRAST, OF_STRONGEST * strongest)).astype(np.uint8)
    left, top, right, bottom = _box_of_glyph(ink) if ink.any() else (0, 0, *ink.shape[::-1])
    window = round(max(right - left, bottom - top) * ROOM)
    window = min(max(window, SMALLEST_WINDOW), side)
    x = min(max(round(edge + (left + right - window) / 2), 0), side - window)
    y = min(max(round(edge + (top + bottom - window) / 2), 0), side - window)
    method = cv2.INTER_AREA if window > VIEW_SIDE else cv2.INTER_LINEAR
    part = tile[y : y + window, x : x + window]
    hints = (x + window / 2) / side, (y + window / 2) / side, window / side, strongest / 255
    view = cv2.resize(part, (VIEW_SIDE, VIEW_SIDE), interpolation=method)
    return np.asarray(view, np.uint8), hints


def _box_of_glyph(ink: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Return the box of the ink, without parts that reach the edge, such as a frame or a bevel.

    If all parts do, all of them count.
    """
    count, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    x, y, width, height = stats[1:count, :4].T
    inside = (x > 0) & (y > 0) & (x + width < len(ink)) & (y + height < len(ink))
    inside &= stats[1:count, 4] > 2
    if inside.any():
        x, y, width, height = x[inside], y[inside], width[inside], height[inside]
    return int(x.min()), int(y.min()), int((x + width).max()), int((y + height).max())


NETWORK_FILE = Path(__file__).parent / "network.onnx.gz"

INPUTS = ["views", "close_ups", "hints", "which", "channels"]
"""Names of the inputs: `Cut.views` and `EnlargedGlyphs` of the different tiles, which of them each
cell shows, and what is known apart from the picture (`channels_of`)."""

MOST_COMPARED = 60
"""With how many tiles of the fresh board each tile is compared."""

LONGEST_PART = 40
"""Boards with more rows or columns are rated in parts, because all tiles attend to each other."""

AROUND = 2
"""How many cells around a part the network sees as well."""


def fresh_channels(
    views: NDArray[np.uint8], fresh: NDArray[np.uint8] | None
) -> NDArray[np.float32]:
    """Compare each tile with the fresh board, float32 ``(n, 3)``; all 0 if that was not seen.

    Both are views of the same cells, ``(n, VIEW_SIDE, VIEW_SIDE, 3)``. The columns are: the
    constant 1, because the fresh board is known; the mean difference from the fresh tile at the
    same place; that from the most similar fresh tile. Differences are on a logarithmic scale
    (``log1p``).
    """
    if fresh is None:
        return np.zeros((len(views), 3), np.float32)
    inner = np.s_[:, MARGIN:-MARGIN:2, MARGIN:-MARGIN:2]
    here = views[inner].reshape(len(views), -1).astype(np.float32)
    then = fresh[inner].reshape(len(fresh), -1).astype(np.float32)
    same = np.abs(here - then).mean(axis=1)
    nearest = same.copy()
    for k in np.unique(np.linspace(0, len(then) - 1, MOST_COMPARED).astype(int)):
        np.minimum(nearest, np.abs(here - then[k]).mean(axis=1), out=nearest)
    far = np.log1p(np.stack([same, nearest], axis=1)) / 3
    return np.hstack([np.ones((len(views), 1)), far]).astype(np.float32)


def channels_of(
    cut: Cut, fresh: NDArray[np.uint8] | None, opened: NDArray[np.bool_] | None
) -> NDArray[np.float32]:
    """Return what is known apart from the picture, float32 ``(rows, cols, 5)``.

    ``fresh`` are the views of the fresh board, ``opened`` ``(rows, cols)`` marks the cells that
    clicks should open; each is None if it is not known.
    """
    channels = np.zeros((cut.rows, cut.cols, 5), np.float32)
    channels[..., :3] = fresh_channels(cut.views, fresh).reshape(cut.rows, cut.cols, 3)
    if opened is not None:
        channels[..., 3], channels[..., 4] = 1, opened
    return channels


def rate_tiles(
    cut: Cut,
    groups: NDArray[np.intp],
    fresh: NDArray[np.uint8] | None = None,
    opened: NDArray[np.bool_] | None = None,
    *,
    weights: Path = NETWORK_FILE,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Rate the labels of all tiles of a board; tiles of one group ``(rows, cols)`` look the same.

    Returns logits of `LABELS`, float32 ``(rows, cols, 16)``, and log-odds that each cell is a tile
    of the board, ``(rows, cols)``. Raises `BadNetwork`.
    """
    network, channels = load_network(weights), channels_of(cut, fresh, opened)
    first = np.unique(groups, return_index=True)[1]  # the tile that shows each group
    names = np.empty((cut.rows, cut.cols, len(LABELS)), np.float32)
    is_tile = np.empty((cut.rows, cut.cols), np.float32)
    for rows, rows_seen in _parts(cut.rows):
        for cols, cols_seen in _parts(cut.cols):
            part = groups[rows_seen, cols_seen]
            present, which = np.unique(part, return_inverse=True)
            leaders = first[present]
            close_ups = cut.close_ups(leaders)
            inputs = {
                "views": cut.views[leaders],
                "close_ups": close_ups.pictures,
                "hints": close_ups.hints,
                "which": which.reshape(part.shape).astype(np.int64),
                "channels": channels[rows_seen, cols_seen],
            }
            named, tiles = network.run(None, inputs)
            inner = (
                slice(rows.start - rows_seen.start, rows.stop - rows_seen.start),
                slice(cols.start - cols_seen.start, cols.stop - cols_seen.start),
            )
            names[rows, cols], is_tile[rows, cols] = named[inner], tiles[inner]
    return names, is_tile


def _parts(length: int) -> list[tuple[slice, slice]]:
    """Divide rows or columns into parts, each with the wider range that the network sees."""
    count = -(-length // LONGEST_PART)
    ends = np.linspace(0, length, count + 1).astype(int).tolist()
    return [
        (slice(start, stop), slice(max(0, start - AROUND), min(length, stop + AROUND)))
        for start, stop in pairwise(ends)
    ]


def load_network(path: Path = NETWORK_FILE) -> InferenceSession:
    """Load the network, to be run on one thread. Raises `BadNetwork`."""
    return load_session(path, tuple(INPUTS), len(LABELS))


@cache
def load_session(
    path: Path, inputs: tuple[str, ...], outputs: int | None = None
) -> InferenceSession:
    """Load a network from a ``.onnx.gz`` file, to be run on one thread.

    It must have these inputs and, if ``outputs`` is given, that many values in the last axis of its
    first output. Raises `BadNetwork`.
    """
    # Loading the library takes a tenth of a second, and known programs are read without it.
    from onnxruntime import InferenceSession  # noqa: PLC0415

    try:
        model = gzip.decompress(path.read_bytes())
        session = InferenceSession(model, session_options(), providers=["CPUExecutionProvider"])
        if tuple(value.name for value in session.get_inputs()) != inputs:
            raise ValueError("another network")
        if outputs is not None and session.get_outputs()[0].shape[-1] != outputs:
            raise ValueError("another network")
    except Exception as error:  # those of ONNX Runtime have no common class
        raise BadNetwork(
            f"The weights in {path} cannot be read ({error}). Install minebot again."
        ) from error
    return session


def session_options() -> SessionOptions:
    """Return options for ONNX Runtime: run silently, on one thread, with little memory."""
    from onnxruntime import SessionOptions  # noqa: PLC0415

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # An arena would grow with each new size of a picture, to 130 MB after 18 boards, and save no
    # time.
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    return options
