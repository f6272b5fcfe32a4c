"""Say why tiles were read as they were: their look alone, the numbers around, the nearest rival."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.read.labels import LABELS
from calibration.read.recognise import MARGIN, label_tiles, see_tiles
from calibration.rules import UNREAD, Tiles, impossible_numbers
from calibration.views import cut_views
from solver.board import Cell, Tile

LEAST_SHOWN = 0.005
"""Labels less likely than this are not shown, except for the rival."""


@dataclass(frozen=True)
class Explanation:
    """Why equal tiles mean what they do.

    ``cells`` are the tiles. ``label`` and ``rival`` are tiles as in `Board`, `UNREAD` for no tile
    of the game. ``chances`` are the probabilities of the labels that are not negligible, with the
    numbers around them, the likeliest first; ``alone`` are those that the network states before the
    rules of the game decide. ``excluded`` are the tiles that contradict the numbers around the
    first cell.
    """

    cells: tuple[Cell, ...]
    label: int
    rival: int
    confidence: float
    chances: Mapping[int, float]
    alone: Mapping[int, float]
    excluded: tuple[int, ...]


def explain(frame: Frame, grid: Grid) -> tuple[Explanation, ...]:
    """Explain every look of a board, the most frequent first."""
    seen = see_tiles(cut_views(frame.pixels, grid))
    found = label_tiles(seen)
    sure = np.where(found.confidence >= MARGIN, found.tiles, np.int8(UNREAD))
    alone = np.exp(seen.logits - seen.logits.max(axis=2, keepdims=True))
    alone /= alone.sum(axis=2, keepdims=True)
    sizes = np.bincount(seen.groups.ravel())
    explanations = []
    for group in np.argsort(-sizes, kind="stable"):
        here = seen.groups == group
        cells = tuple(Cell(*map(int, cell)) for cell in np.argwhere(here))
        first = cells[0]
        explanations.append(
            Explanation(
                cells,
                int(found.tiles[first]),
                int(found.rivals[first]),
                float(found.confidence[first]),
                _likely(found.chances[first]),
                _likely(alone[here].mean(axis=0)),
                excluded_tiles(sure, first),
            )
        )
    return tuple(explanations)


def _likely(chances: NDArray[np.floating]) -> dict[int, float]:
    """Return the labels that are not negligible with their probabilities, at least two."""
    order = np.argsort(-chances)
    return {
        int(LABELS[column]): float(chances[column])
        for place, column in enumerate(order)
        if place < 2 or chances[column] >= LEAST_SHOWN
    }


def excluded_tiles(tiles: Tiles, cell: Cell) -> tuple[int, ...]:
    """Return what a tile cannot be beside the others, ``tiles`` ``(rows, cols)``."""
    trial = tiles.copy()
    trial[cell] = UNREAD
    before, excluded = impossible_numbers(trial), []
    for tile in (Tile.HIDDEN, *range(9)):
        trial[cell] = tile
        if (impossible_numbers(trial) & ~before).any():
            excluded.append(int(tile))
    return tuple(excluded)
