"""Recognise the tiles of a board: match them with the known themes, or learn a new theme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration import tiles as tile_pictures
from calibration.classify.clusters import Clusters
from calibration.classify.labelling import label_clusters
from calibration.classify.theme_matching import (
    choose_theme,
    doubt_unfamiliar_symbols,
    extract_appearances,
    labels_from_theme,
)
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.rules import UNREAD, Tiles, impossible_numbers
from calibration.theme import LEARNED, Theme, builtin_themes
from calibration.tiles import SAME_APPEARANCE
from solver.board import Tile


@dataclass(frozen=True, eq=False)
class Recognition:
    """What `recognise` makes of a grid.

    ``theme`` is the built-in theme that explains the tiles, or one named ``learned``.
    ``tiles`` is an int8 array ``(rows, cols)`` as in `Board`; trust it only where
    ``confidence`` (float64 of the same shape, 0..1) is above `MARGIN`.
    ``plausibility`` (0..1) says how well the tiles make sense as a Minesweeper board: near 1
    for a position in which every tile is read and the numbers agree; about 0.5 for a board of
    nothing but equal hidden tiles (a fresh board, or any table of empty squares); near 0 for a
    keypad, a spreadsheet, wallpaper squares or text. Accept from 0.4.
    """

    theme: Theme
    tiles: NDArray[np.int8]
    confidence: NDArray[np.float64]
    plausibility: float


MARGIN = 0.5
"""Confidence below which a tile is unreadable."""


def recognise(frame: Frame, grid: Grid, *, themes: Sequence[Theme] | None = None) -> Recognition:
    """Match the tiles of ``grid`` with ``themes`` (None: the built-in ones), or learn a theme.

    Never raises for tiles it cannot read: doubt shows as low ``plausibility`` and
    ``confidence``, so that several candidate grids can be judged.
    """
    clusters = cluster_tiles(tile_pictures.cut(frame, grid))
    theme = choose_theme(clusters, builtin_themes() if themes is None else themes)
    if theme is None:
        label_clusters(clusters)
    else:
        label_with_theme(clusters, theme)
    confidence = clusters.certainty[clusters.cluster_of_tile]
    tiles = np.where(confidence >= MARGIN, clusters.tiles, UNREAD).astype(np.int8)
    used = theme or Theme(LEARNED, extract_appearances(clusters))
    return Recognition(used, clusters.tiles, confidence, _plausibility(tiles))


def label_with_theme(clusters: Clusters, theme: Theme, cached: Tiles | None = None) -> None:
    """Label all clusters: by the theme, by the ``cached`` labels, the others as without a theme."""
    known = labels_from_theme(clusters, theme)
    clusters.fix(known)
    if cached is not None:
        clusters.fix(cached)
    label_clusters(clusters)
    doubt_unfamiliar_symbols(clusters, theme, known)


def cluster_tiles(pictures: NDArray[np.uint8], hidden: NDArray[np.uint8] | None = None) -> Clusters:
    """Find the clusters of a board, from pictures ``(rows, cols, SIDE, SIDE, 3)``.

    ``hidden`` are pictures ``(n, SIDE, SIDE, 3)`` of hidden tiles seen before. They join as
    clusters of their own: a flag is recognised by the background of hidden tiles, and a board
    that was won shows flags only.
    """
    rows, cols = pictures.shape[:2]
    flat = pictures.reshape(rows * cols, *pictures.shape[2:])
    cluster_of_tile, leaders = tile_pictures.gather(tile_pictures.coarse(flat), SAME_APPEARANCE)
    examples = flat[leaders]
    if hidden is None or not len(hidden):
        return Clusters.start(examples, cluster_of_tile.reshape(rows, cols))
    clusters = Clusters.start(
        np.concatenate([examples, hidden]), cluster_of_tile.reshape(rows, cols)
    )
    known = np.full(len(clusters.labels), UNREAD, dtype=np.int8)
    known[len(examples) :] = Tile.HIDDEN
    clusters.fix(known)
    return clusters


def _plausibility(tiles: NDArray[np.int8]) -> float:
    """Rate a board by its unread tiles and its impossible numbers, 0..1."""
    numbers = tiles > 0
    unread = float((tiles == UNREAD).mean())
    if not numbers.any():
        return 0.5 * (1 - unread) ** 2
    wrong = float(impossible_numbers(tiles).sum() / max(1, (tiles >= 0).sum()))
    return float(max(0.0, (1 - unread)) * max(0.0, 1 - 4 * wrong))
