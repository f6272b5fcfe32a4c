"""The network that reads boards: its inputs, and running it.

Each different tile is encoded once, from its view and its close-up. A board of encoded tiles, with
what is known beside the picture, then passes through convolutions over the grid and attention
between all tiles. It was trained by `calibration.learning.train`; `docs/reader.md` says on what.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibration.labels import LABELS
from calibration.networks import load_session
from calibration.read.views import MARGIN, Cut

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

NETWORK_FILE = Path(__file__).parent / "network.onnx.gz"

INPUTS = ["views", "close_ups", "hints", "which", "channels"]
"""Names of the inputs: `Cut.views` and `EnlargedGlyphs` of the different tiles, which of them
each cell shows, and what is known beside the picture (`channels_of`)."""

MOST_COMPARED = 60
"""Tiles of the fresh board that each tile is compared with."""

LONGEST_PART, AROUND = 40, 2
"""Rows and columns above which a board is named in parts, since every tile attends to every other
one; and how many cells around a part the network sees beside it."""


def fresh_channels(
    views: NDArray[np.uint8], fresh: NDArray[np.uint8] | None
) -> NDArray[np.float32]:
    """Return what the fresh board says of each tile, float32 ``(n, 3)``; 0 if it was not seen.

    Both are views of the same cells, ``(n, VIEW_SIDE, VIEW_SIDE, 3)``. The columns are 1, and the
    mean differences from the tile at the same place and from the nearest one, as logarithms, so
    that 1, 10 and 100 grey levels are equal steps.
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
    """Return what is known beside the picture, float32 ``(rows, cols, 5)``.

    ``fresh`` are the views of the fresh board, ``opened`` ``(rows, cols)`` marks the cells that
    were clicked to open them; each is None if it is not known.
    """
    channels = np.zeros((cut.rows, cut.cols, 5), np.float32)
    channels[..., :3] = fresh_channels(cut.views, fresh).reshape(cut.rows, cut.cols, 3)
    if opened is not None:
        channels[..., 3], channels[..., 4] = 1, opened
    return channels


def name_tiles(
    cut: Cut,
    groups: NDArray[np.intp],
    fresh: NDArray[np.uint8] | None = None,
    opened: NDArray[np.bool_] | None = None,
    *,
    weights: Path = NETWORK_FILE,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Name the tiles of a board, of which those in one group ``(rows, cols)`` show the same.

    Returns logits of `LABELS`, float32 ``(rows, cols, 16)``, and of whether each cell is a tile of
    the board, ``(rows, cols)``. Raises `BadNetwork`.
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
    """Divide rows or columns into parts; each with what the network sees of them."""
    count = -(-length // LONGEST_PART)
    ends = np.linspace(0, length, count + 1).astype(int).tolist()
    return [
        (slice(start, stop), slice(max(0, start - AROUND), min(length, stop + AROUND)))
        for start, stop in pairwise(ends)
    ]


def load_network(path: Path = NETWORK_FILE) -> InferenceSession:
    """Load the network, to be run on one thread. Raises `BadNetwork`."""
    return load_session(path, tuple(INPUTS), len(LABELS))
