"""The errors of a board that cannot be read: why, and pictures of the tiles in doubt.

For each tile: what every cue said of it, and the nearest other meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.classify.changes import PreviousBoard, changed_numbers, has_moved, obscured_tiles
from calibration.classify.clusters import cluster_tiles
from calibration.classify.cues import cue_tables
from calibration.classify.decode import MARGIN, decode
from calibration.classify.recognise import label_clusters, with_theme_labels
from calibration.errors import BoardCovered, ImpossibleBoard, Unreadable, UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.labels import LABELS
from calibration.rules import UNREAD, Tiles, impossible_numbers, lacks_zeros
from calibration.theme import Theme
from calibration.tiles import board_pixels
from solver.board import Cell, Tile
from solver.counting import counted

LEAST_LISTED = 0.005
"""Meanings less likely than this are not shown, except for the rival."""


@dataclass(frozen=True)
class Influence:
    """What made a tile be read so.

    ``excluded`` are the tiles that contradict the numbers around. ``alone`` is what its cues
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
    negligible, the likeliest first. ``cues`` holds by name what each says for these labels, as
    log-likelihoods against no tile of the game. ``confidence`` is 0 where the label is doubted for
    another reason. ``influence`` is given for a single tile that was asked for.
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
    """Say what the rules exclude at a tile, and which cue decides what it is.

    The board is decoded once more for each cue that says anything of it.
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
    """Return what a tile cannot be beside the others, ``tiles`` ``(rows, cols)``."""
    trial = tiles.copy()
    trial[cell] = UNREAD
    before, excluded = impossible_numbers(trial), []
    for tile in (Tile.HIDDEN, *range(9)):
        trial[cell] = tile
        if (impossible_numbers(trial) & ~before).any():
            excluded.append(int(tile))
    return tuple(excluded)


MOST_TOGETHER, FEW_UNKNOWN, MOST_UNKNOWN = 5, 2, 0.02
"""Unknown tiles in one patch above which something lies over the board, as a dialog; and how many
of all, or which share, above which no tile is reported: a kind that is unclear in 3 % of its tiles
was read wrong in others.
"""

TILE_NAMES = {
    int(Tile.HIDDEN): "hidden",
    int(Tile.FLAG): "a flag",
    int(Tile.QUESTION): "a question mark",
    int(Tile.MINE): "a mine",
    int(Tile.EXPLODED): "an exploded mine",
    int(Tile.WRONG_FLAG): "a wrong flag",
    UNREAD: "no tile of the game",
    **{number: f"a {number}" for number in range(9)},
}
"""What messages call the tiles."""


def unreadable_error(
    frame: Frame,
    grid: Grid,
    doubtful: NDArray[np.bool_],
    confidence: NDArray[np.float64],
    readings: tuple[NDArray[np.int8], NDArray[np.int8]] | None = None,
) -> Unreadable:
    """Build the error: a patch of unknown tiles means a cover, single ones are unreadable.

    ``readings`` are the likeliest tiles and the next likely ones, int8 ``(rows, cols)``.
    """
    largest = largest_patch(doubtful)
    crops = crop_tiles(frame, grid, doubtful)
    error: Unreadable
    if largest > MOST_TOGETHER:
        error = BoardCovered(
            f"Something seems to lie over the board: {largest} tiles in one patch cannot be read "
            f"with confidence{_rivals(doubtful, readings)}.",
            crops,
        )
    else:
        error = UnreadableTiles(
            f"{name_cells(doubtful)} cannot be read with confidence{_rivals(doubtful, readings)}.",
            crops,
        )
    if readings is not None:
        error.labels = np.where(doubtful, np.int8(UNREAD), readings[0])
        error.rivals, error.confidence = np.stack(readings), confidence
    return error


def largest_patch(mask: NDArray[np.bool_]) -> int:
    """Count the tiles of the largest patch of marked ones that touch at sides or corners."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return int(stats[1:count, cv2.CC_STAT_AREA].max(initial=0))


def few_unknown(tiles: NDArray[np.int8]) -> bool:
    """Whether so few tiles are unknown, and so scattered, that the others can be reported."""
    unknown = tiles == UNREAD
    few = unknown.sum() <= max(FEW_UNKNOWN, MOST_UNKNOWN * tiles.size)
    return bool(few and largest_patch(unknown) <= MOST_TOGETHER)


def check_possible(
    frame: Frame, grid: Grid, tiles: NDArray[np.int8], wrong: NDArray[np.bool_]
) -> None:
    """Raise `ImpossibleBoard` if ``wrong`` numbers are marked, or ``tiles`` lack zeros.

    Both are ``(rows, cols)``.
    """
    if lacks_zeros(tiles):
        are_open = counted(int((tiles > 0).sum()), "number is open", "numbers are open")
        raise ImpossibleBoard(
            f"{are_open}, but no tile without one: zeros may look like hidden tiles, and the board "
            "was misread."
        )
    if wrong.any():
        raise ImpossibleBoard(
            f"{name_cells(wrong)} cannot be right with the tiles around; the board was misread "
            "or something lies over it.",
            crop_tiles(frame, grid, wrong),
        )


def check_followed(
    frame: Frame,
    grid: Grid,
    previous: PreviousBoard,
    tiles: NDArray[np.int8],
    changed: NDArray[np.bool_],
) -> None:
    """Raise if ``tiles`` cannot follow the ``previous`` board of the game, moved, or are covered.

    ``changed`` marks the tiles whose pixels changed since.
    """
    pixels = board_pixels(frame, grid)
    if has_moved(previous, pixels, changed, grid):
        raise BoardCovered("The board has moved on the screen since it was read last.")
    impossible = changed_numbers(previous, tiles)
    if impossible.any():
        raise ImpossibleBoard(
            f"{name_cells(impossible)} changed though an open number never does.",
            crop_tiles(frame, grid, impossible),
        )
    obscured = obscured_tiles(previous, pixels, changed, tiles)
    if obscured.any():
        raise BoardCovered(
            f"Something seems to lie over the board: {obscured.sum()} hidden tiles look "
            "unlike a moment ago.",
            crop_tiles(frame, grid, obscured),
        )


def _rivals(
    doubtful: NDArray[np.bool_], readings: tuple[NDArray[np.int8], NDArray[np.int8]] | None
) -> str:
    """Name what the first doubtful tile may be."""
    if readings is None:
        return ""
    first = tuple(np.argwhere(doubtful)[0])
    names = [TILE_NAMES[int(tiles[first])] for tiles in readings]
    return f": {names[0]} or {names[1]}"


def name_cells(mask: NDArray[np.bool_]) -> str:
    """Name the first marked cell and count the others."""
    cells = np.argwhere(mask)
    row, col = cells[0]
    first = f"Row {row + 1}, column {col + 1}"
    return first if len(cells) == 1 else f"{first} and {counted(len(cells) - 1, 'more tile')}"


def crop_tiles(
    frame: Frame, grid: Grid, mask: NDArray[np.bool_], limit: int = 64
) -> dict[Cell, NDArray[np.uint8]]:
    """Cut the marked tiles out of the frame, at most ``limit`` of them."""
    crops = {}
    for row, col in np.argwhere(mask)[:limit].tolist():
        box = grid.box(Cell(row, col))
        crops[Cell(row, col)] = frame.pixels[
            max(0, box.y0) : max(0, box.y1), max(0, box.x0) : max(0, box.x1)
        ].copy()
    return crops
