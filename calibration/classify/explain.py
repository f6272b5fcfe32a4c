"""Say why tiles were read as they were: what each witness said, and the nearest other meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.classify.clusters import cluster_tiles
from calibration.classify.decoding.labels import LABELS
from calibration.classify.recognise import label_clusters, with_theme_labels
from calibration.classify.witnesses import hear_witnesses
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.theme import Theme
from solver.board import Cell

LEAST_CHANCE = 0.005
"""Meanings less likely than this are not told, except for the rival."""


@dataclass(frozen=True)
class Explanation:
    """Why the tiles of one appearance mean what they do.

    ``cells`` are the tiles. ``label`` and ``rival`` are tiles as in `Board`, `UNREAD` for no tile
    of the game; ``chances`` holds their probabilities and those of other labels that are not
    negligible, the likeliest first. ``witnesses`` tells by name what each says for these labels, as
    log-likelihoods against no tile of the game. ``confidence`` is 0 where the label is doubted for
    another reason.
    """

    cells: tuple[Cell, ...]
    label: int
    rival: int
    confidence: float
    chances: Mapping[int, float]
    witnesses: Mapping[str, Mapping[int, float]]


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
            if chance >= LEAST_CHANCE or tile in (label, rival):
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
