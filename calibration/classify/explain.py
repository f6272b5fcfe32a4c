"""Why each tile was read as it was: the values of all cues, and the second most likely meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.classify.clusters import cluster_tiles
from calibration.classify.cues import cue_tables
from calibration.classify.decode import MARGIN, decode
from calibration.classify.recognise import label_clusters, with_theme_labels
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.labels import COLUMN_OF, LABELS
from calibration.rules import UNREAD, Tiles, impossible_numbers
from calibration.theme import Theme
from solver.board import Cell, Tile

LEAST_LISTED = 0.005
"""Meanings less likely than this are not shown, except for the rival."""


@dataclass(frozen=True)
class Influence:
    """What determined the reading of a tile.

    ``excluded`` are the tiles that contradict the numbers around. ``alone`` is the reading by the
    cues without the rest of the board. ``without`` has, for each cue by name, the reading without
    that cue if it differs.
    """

    excluded: tuple[int, ...]
    alone: int
    without: Mapping[str, int]


@dataclass(frozen=True)
class Explanation:
    """Why the tiles of one appearance mean what they do.

    ``cells`` are the tiles. ``label`` and ``rival`` are tiles as in `Board`, `UNREAD` for what is
    not a tile of the game; ``chances`` has their probabilities and those of other labels that are
    not negligible, the likeliest first. ``cues`` has the log-likelihoods of these labels by each
    cue, relative to what is not a tile. ``confidence`` is 0 if the label is doubted for another
    reason. ``influence`` is only given for a single tile.
    """

    cells: tuple[Cell, ...]
    label: int
    rival: int
    confidence: float
    chances: Mapping[int, float]
    cues: Mapping[str, Mapping[int, float]]
    influence: Influence | None = None


def explain(frame: Frame, grid: Grid, theme: Theme) -> tuple[Explanation, ...]:
    """Explain every appearance of a board, the most frequent first, read with ``theme``."""
    clusters, _ = with_theme_labels(cluster_tiles(frame, grid), theme)
    decoding, tables = label_clusters(clusters, theme), cue_tables(clusters)
    rivals, certainty = decoding.rivals, decoding.certainty
    explanations = []
    for index in np.argsort(-clusters.sizes, kind="stable"):
        label, rival, chances = int(decoding.labels[index]), int(rivals[index]), {}
        for column in np.argsort(-decoding.chances[index]):
            chance, tile = float(decoding.chances[index, column]), int(LABELS[column])
            if chance >= LEAST_LISTED or tile in (label, rival):
                chances[tile] = chance
        columns = [COLUMN_OF[tile] for tile in chances]
        said = {
            name: {int(LABELS[column]): float(table[index, column]) for column in columns}
            for name, table in tables.items()
            if table[index, columns].any()
        }
        cells = tuple(Cell(*map(int, cell)) for cell in np.argwhere(clusters.of_tile == index))
        explanations.append(
            Explanation(cells, label, rival, float(certainty[index]), chances, said)
        )
    return tuple(explanations)


def influence(frame: Frame, grid: Grid, theme: Theme, cell: Cell) -> Influence:
    """Find out what the rules exclude at a tile, and which cue decides.

    The board is decoded once more for each cue that rates the tile.
    """
    clusters, _ = with_theme_labels(cluster_tiles(frame, grid), theme)
    index = int(clusters.of_tile[cell])
    read = label_clusters(clusters, theme)
    tables = cue_tables(clusters)
    cue_sum = np.sum(list(tables.values()), axis=0)
    decoded = int(decode(clusters, cue_sum).labels[index])
    without = {}
    for name, table in tables.items():
        if table[index].any():
            rest = cue_sum.copy()
            rest[index] -= table[index]
            other = int(decode(clusters, rest).labels[index])
            if other != decoded:
                without[name] = other
    alone = int(LABELS[int(cue_sum[index].argmax())])
    tiles = np.where(read.certainty >= MARGIN, read.labels, np.int8(UNREAD))[clusters.of_tile]
    return Influence(excluded_tiles(tiles, cell), alone, without)


def excluded_tiles(tiles: Tiles, cell: Cell) -> tuple[int, ...]:
    """Return what a tile cannot be, given the other ``tiles`` ``(rows, cols)``."""
    trial = tiles.copy()
    trial[cell] = UNREAD
    before, excluded = impossible_numbers(trial), []
    for tile in (Tile.HIDDEN, *range(9)):
        trial[cell] = tile
        if (impossible_numbers(trial) & ~before).any():
            excluded.append(int(tile))
    return tuple(excluded)
