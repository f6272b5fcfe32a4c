"""Say why tiles were read as they were: what each witness said, and the nearest other meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.classify.clusters import cluster_tiles
from calibration.classify.decoding.decode import decode
from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.recognise import label_clusters, with_theme_labels
from calibration.classify.witnesses import hear_witnesses
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.labels import LABELS
from calibration.rules import UNREAD, Tiles, impossible_numbers
from calibration.theme import Theme
from solver.board import Cell, Tile

LEAST_LISTED = 0.005
"""Meanings less likely than this are not shown, except for the rival."""


@dataclass(frozen=True)
class Influence:
    """What made a tile be read so.

    ``excluded`` are the tiles that contradict the numbers around. ``alone`` is what its witnesses
    say without the rest of the board, and ``without`` what it would have been read as without one
    of them, by name, where that is another tile.
    """

    excluded: tuple[int, ...]
    alone: int
    without: Mapping[str, int]


@dataclass(frozen=True)
class Explanation:
    """Why the tiles of one appearance mean what they do.

    ``cells`` are the tiles. ``label`` and ``rival`` are tiles as in `Board`, `UNREAD` for no tile
    of the game; ``chances`` holds their probabilities and those of other labels that are not
    negligible, the likeliest first. ``witnesses`` holds by name what each says for these labels, as
    log-likelihoods against no tile of the game. ``confidence`` is 0 where the label is doubted for
    another reason. ``influence`` is given for a single tile that was asked for.
    """

    cells: tuple[Cell, ...]
    label: int
    rival: int
    confidence: float
    chances: Mapping[int, float]
    witnesses: Mapping[str, Mapping[int, float]]
    influence: Influence | None = None


def explain(frame: Frame, grid: Grid, theme: Theme) -> tuple[Explanation, ...]:
    """Explain every appearance of a board, the most frequent first, read with ``theme``."""
    clusters, _ = with_theme_labels(cluster_tiles(frame, grid), theme)
    decoding, tables = label_clusters(clusters, theme), hear_witnesses(clusters)
    rivals, certainty = decoding.rivals, decoding.certainty
    explanations = []
    for index in np.argsort(-clusters.sizes, kind="stable"):
        label, rival, chances = int(decoding.labels[index]), int(rivals[index]), {}
        for column in np.argsort(-decoding.chances[index]):
            chance, tile = float(decoding.chances[index, column]), int(LABELS[column])
            if chance >= LEAST_LISTED or tile in (label, rival):
                chances[tile] = chance
        columns = [int(np.flatnonzero(tile == LABELS)[0]) for tile in chances]
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
    """Say what the rules exclude at a tile, and which witness decides what it is.

    The board is decoded once more for each witness that says anything of it.
    """
    clusters, _ = with_theme_labels(cluster_tiles(frame, grid), theme)
    index = int(clusters.of_tile[cell])
    read = label_clusters(clusters, theme)
    tables = hear_witnesses(clusters)
    testimony = np.sum(list(tables.values()), axis=0)
    decoded = int(decode(clusters, testimony).labels[index])
    without = {}
    for name, table in tables.items():
        if table[index].any():
            rest = testimony.copy()
            rest[index] -= table[index]
            other = int(decode(clusters, rest).labels[index])
            if other != decoded:
                without[name] = other
    alone = int(LABELS[int(testimony[index].argmax())])
    tiles = np.where(read.certainty >= MARGIN, read.labels, np.int8(UNREAD))[clusters.of_tile]
    return Influence(excluded_tiles(tiles, cell), alone, without)


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
