"""The clusters of one board: tiles that look the same, and labels that are known already.

`TileCache` finds labels of earlier frames by the coarse picture of a tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibration import tiles as tile_pictures
from calibration.classify.features import Features, Floats, coarse_shape, extract_features
from calibration.classify.tile_network import CLASSES, PICTURE_SIDE, label_scores
from calibration.errors import UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.rules import UNREAD, Tiles
from calibration.tiles import SAME_APPEARANCE, TilePictures, colour_range, steps_between
from solver.board import Cell, Tile

MOST_COPIES = 20_000
"""How many exact pictures are kept for a quick look-up; with more, something keeps changing."""


class TileCache:
    """Labels of tiles. Each entry is one coarse picture with its label and certainty.

    The labels never change: `adding` returns a new cache. Only the index of exact copies grows
    while pictures are looked up.
    """

    def __init__(self) -> None:
        self._rows: NDArray[np.float32] | None = None
        self._labels = np.zeros(0, dtype=np.int8)
        self._certainty = np.zeros(0)
        self._entry_of_copy: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._labels)

    def find(self, coarse: NDArray[np.float32]) -> NDArray[np.intp]:
        """Return the entry of each coarse picture ``(n, m)``, -1 if none looks the same.

        An exact copy of an earlier picture costs one look-up; nearly all of 480 tiles are copies.
        """
        exact = coarse.astype(np.uint16)  # some colours count up to 2.5 times
        entries = np.empty(len(coarse), dtype=np.intp)
        for index, row in enumerate(exact):
            key = row.tobytes()
            known = self._entry_of_copy.get(key)
            if known is None:
                known = self._search(coarse[index])
                if known >= 0 and len(self._entry_of_copy) < MOST_COPIES:
                    self._entry_of_copy[key] = known
            entries[index] = known
        return entries

    def labels(self, entries: NDArray[np.intp]) -> NDArray[np.int8]:
        """Return the labels of entries, `UNREAD` for -1."""
        return np.append(self._labels, np.int8(UNREAD))[entries]

    def certainty(self, entries: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return how certain the labels of entries are, 0 for -1."""
        return np.append(self._certainty, 0.0)[entries]

    def adding(
        self,
        coarse: NDArray[np.float32],
        labels: NDArray[np.int8],
        certainty: NDArray[np.float64],
    ) -> TileCache:
        """Return a cache that also has the labelled pictures without an entry."""
        fresh = np.flatnonzero(self.find(coarse) < 0)
        if not fresh.size:
            return self
        _, leaders = tile_pictures.gather(coarse[fresh], SAME_APPEARANCE)
        chosen, more = fresh[leaders], TileCache()
        rows = coarse[chosen]
        more._rows = rows if self._rows is None else np.vstack([self._rows, rows])
        more._labels = np.concatenate([self._labels, labels[chosen]])
        more._certainty = np.concatenate([self._certainty, certainty[chosen]])
        more._entry_of_copy = dict(self._entry_of_copy)
        return more

    def _search(self, row: NDArray[np.float32]) -> int:
        """Return the nearest entry if it looks the same, else -1."""
        if self._rows is None:
            return -1
        off = np.abs(self._rows - row).max(axis=1)
        best = int(off.argmin())
        return best if off[best] <= SAME_APPEARANCE else -1


DIGIT_CLASSES = [CLASSES.index(str(digit)) for digit in range(1, 9)]
"""The classes of the network that are digits."""

WRITTEN = [CLASSES.index("zero"), *DIGIT_CLASSES]
"""The classes of the network that are numbers."""

MOST_ASKED = 4
"""The network rates this many tiles of a cluster before it rates all of them."""

SURELY_DRAWN = 0.5
"""Probability of these classes from which a tile without ink has a small digit; together with that
of a flag, a small drawing."""

SAME_ZERO, SAME_ZERO_EDGES = 4.0, 30.0
"""Plain tiles are the same zero if they differ by at most so many colour steps, and by so many at
their edges, which lines of neighbours may change."""

LIKELY = np.log(0.5)
"""A 0 is written on a tile from this log-probability."""

SMALL = 0.25
"""Largest side of a small glyph, in tiles: a 2 and a 3 of 17 px on tiles of 89 px, in one ink, have
nearly the same coarse picture."""

UNEVEN, FAINT = 12.0, 0.15
"""Small parts of a tile with a tiny digit differ by at least so many colour steps, and by this
share of the contrast of the other glyphs."""

PLAIN = 6
"""Largest range of colours inside a plain tile, in steps."""

SAME_GLYPH = 40.0
"""Two rows of `_glyph_rows` describe the same glyph if they differ by at most so many steps."""

DISC_SHARE, LEAST_DISC = 0.55, 0.3
"""A glyph such as a disc may carry another one if it fills at least this share of its box and the
side of the box is at least so many tiles."""

MOST_CLUSTERS = 1000
"""A grid with more clusters is not a board: even 24x30 tiles are fewer. Noise in blocks has
thousands; decoding 4,500 took 20 s."""

Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Clusters:
    """The ``n`` clusters of one board.

    ``tiles`` uint8 ``(rows, cols, SIDE, SIDE, 3)`` holds all tiles, ``pictures`` ``(n, SIDE, SIDE,
    3)`` one of each cluster. ``of_tile`` ``(rows, cols)`` says to which cluster each tile belongs,
    ``sizes`` ``(n,)`` how many tiles a cluster has. ``given`` int8 ``(n,)`` holds the labels that
    are known already, else `UNREAD`. ``cells`` are the places of the tiles in ``pictures``; hidden
    tiles of earlier boards have none. ``unflooded`` says that this program leaves cells around a
    zero closed.
    """

    tiles: NDArray[np.uint8]
    pictures: NDArray[np.uint8]
    of_tile: Ints
    sizes: Ints
    features: Features
    given: Tiles
    cells: tuple[Cell, ...]
    frame: Frame
    grid: Grid
    unflooded: bool = False

    @cached_property
    def shapes(self) -> Floats:
        """The glyph of each cluster at six by six, as themes describe it, ``(n, 6, 6)``."""
        return np.stack([coarse_shape(glyph) for glyph in self.features.normal_form])

    @cached_property
    def relief(self) -> Floats:
        """How many steps brighter the upper left edge is than the lower right one, ``(n,)``."""
        return np.asarray(-np.diff(self.features.bevel, axis=1)[:, 0], np.float32)

    @cached_property
    def network_scores(self) -> Floats:
        """The log-probabilities ``(n, len(CLASSES))`` of the network, NaN for clusters not rated.

        It does not rate plain tiles and known labels. Clusters whose glyphs differ as little as
        scaling makes them share an answer.
        """
        scores = np.full((len(self.given), len(CLASSES)), np.nan, dtype=np.float32)
        asked = (self.given == UNREAD) & (
            ~self.features.empty | _is_uneven(self.pictures, self.features)
        )
        asked[len(self.cells) :] = False
        chosen = np.flatnonzero(asked)
        if chosen.size:
            # Small digits, and those on discs, differ little: the network rates each.
            alone = self.features.empty | _is_small(self.features)
            alone |= _is_filled(self.features)
            rows = _glyph_rows(self.features, alone)[chosen]
            same, leaders = tile_pictures.gather(rows, SAME_GLYPH)
            cells = [self.cells[index] for index in chosen[leaders]]
            scores[chosen] = self.scores_of(cells)[same]
        return scores

    def seen_as(self, name: str) -> Floats:
        """Return the log-probability of one of `CLASSES`, ``(n,)``; NaN for clusters not rated."""
        return self.network_scores[:, CLASSES.index(name)]

    def scores_of(self, cells: Sequence[Cell]) -> Floats:
        """Return the network's log-probabilities of single tiles, ``(cells, len(CLASSES))``."""
        parts = [self.grid.part(cell, cell) for cell in cells]
        tiles = [tile_pictures.cut(self.frame, part, PICTURE_SIDE)[0, 0] for part in parts]
        return label_scores(np.stack(tiles))

    @cached_property
    def tiny(self) -> Mask:
        """Whether a glyph is so small that the pictures of two digits hardly differ."""
        return np.asarray((self.features.empty & ~self.empty) | _is_small(self.features))

    @cached_property
    def plain(self) -> Mask:
        """Whether a tile has one colour inside, so that no faint digit is drawn, ``(n,)``."""
        inside = self.pictures[:, 4:-4, 4:-4]
        return np.asarray(colour_range(inside) <= PLAIN)

    @cached_property
    def digit_chances(self) -> Floats:
        """How likely each digit is by the network, ``(n, 8)``; 0 for clusters not rated."""
        return np.asarray(np.nan_to_num(np.exp(self.network_scores[:, DIGIT_CLASSES])), np.float32)

    @cached_property
    def digit_chance(self) -> Floats:
        """How likely any digit is by the network, ``(n,)``; 0 for clusters not rated."""
        return np.asarray(self.digit_chances.sum(axis=1), np.float32)

    @cached_property
    def zero_written(self) -> Mask:
        """Whether a 0 is written on a tile, by the network or its given label, ``(n,)``.

        If zeros are ``unflooded``, a tile with the known label 0, or one that looks like it,
        counts, too.
        """
        given, zero = self.given == 0, self.seen_as("zero") >= LIKELY
        colour, bevel = self.features.background_colour, self.features.bevel
        off = steps_between(colour, colour[given])
        steps = steps_between(bevel, bevel[given])
        alike = ((off <= SAME_ZERO) & (steps <= SAME_ZERO_EDGES)).any(axis=1) & self.features.empty
        unflooded = (given | alike) & self.unflooded
        return np.asarray(~self.empty & (zero | given) | unflooded)

    @cached_property
    def empty(self) -> Mask:
        """Whether no glyph is drawn, ``(n,)``; the network sees glyphs that the features miss."""
        flag, zero = (np.nan_to_num(np.exp(self.seen_as(name))) for name in ("flag", "zero"))
        return np.asarray(self.features.empty & (self.digit_chance + flag + zero < SURELY_DRAWN))

    def giving(self, labels: Tiles) -> Clusters:
        """Return the clusters with more known labels, ``(n,)``; `UNREAD` adds nothing."""
        if (labels == UNREAD).all():
            return self
        given = np.where(labels != UNREAD, labels, self.given).astype(np.int8)
        return replace(self, given=given)


def cluster_tiles(frame: Frame, grid: Grid) -> Clusters:
    """Find the clusters of the board that a grid describes in a frame, as `clusters_of` does."""
    return clusters_of(TilePictures(frame, grid))


def clusters_of(board: TilePictures, hidden: NDArray[np.uint8] | None = None) -> Clusters:
    """Find the clusters of a board. Raises `UnreadableTiles` if it has too many to be one.

    ``hidden`` are pictures ``(n, SIDE, SIDE, 3)`` of hidden tiles of earlier boards. They become
    clusters of their own: flags are recognised by the background of hidden tiles, and a won board
    shows only flags.
    """
    frame, grid, tiles = board.frame, board.grid, board.pictures
    rows, cols = tiles.shape[:2]
    flat = tiles.reshape(rows * cols, *tiles.shape[2:])
    of_tile, leaders = tile_pictures.gather(board.coarse, SAME_APPEARANCE)
    if len(leaders) > MOST_CLUSTERS:
        raise UnreadableTiles("Its cells differ more than the tiles of any board.")
    examples = flat[leaders]
    given = np.full(len(examples), UNREAD, dtype=np.int8)
    if hidden is not None and len(hidden):
        examples = np.concatenate([examples, hidden])
        given = np.append(given, np.full(len(hidden), Tile.HIDDEN, dtype=np.int8))
    sizes = np.bincount(of_tile, minlength=len(examples))
    cells = tuple(Cell(*divmod(int(leader), cols)) for leader in leaders)
    of_tile = of_tile.reshape(rows, cols)
    features = extract_features(examples)
    found = Clusters(tiles, examples, of_tile, sizes, features, given, cells, frame, grid)
    if len(leaders) == 1 and not found.empty[0] and found.digit_chance[0] < SURELY_DRAWN:
        # All tiles have the same drawing, even a written 0: no game has begun.
        return found.giving(np.full_like(given, Tile.HIDDEN))
    return _with_tiny_digits_apart(found)


def _with_tiny_digits_apart(clusters: Clusters) -> Clusters:
    """Split clusters of tiny digits, whose pictures hardly differ, by what the network sees.

    Plain tiles are skipped.
    """
    count = len(clusters.cells)
    small = _is_small(clusters.features)
    flat = clusters.tiles.reshape(-1, *clusters.tiles.shape[2:])
    uneven = _is_uneven(flat, clusters.features).reshape(clusters.of_tile.shape)
    some = np.bincount(clusters.of_tile[uneven], minlength=len(small)) > 0
    maybe = np.flatnonzero((small | (clusters.features.empty & some))[:count])
    of_tile, cells = clusters.of_tile.copy(), list(clusters.cells)
    for cluster in maybe:
        places = np.argwhere(clusters.of_tile == cluster)
        own = [Cell(int(row), int(col)) for row, col in places]
        asked = [k for k, cell in enumerate(own) if small[cluster] or uneven[cell]]
        some_asked = [own[k] for k in asked[:: -(-len(asked) // MOST_ASKED)]]
        if np.exp(clusters.scores_of(some_asked)[:, WRITTEN]).sum(axis=1).max() < SURELY_DRAWN:
            continue
        seen = np.full(len(own), CLASSES.index("empty"))
        seen[asked] = clusters.scores_of([own[k] for k in asked]).argmax(axis=1)
        for kind in np.unique(seen[seen != seen[0]]):
            alike = seen == kind
            of_tile[tuple(places[alike].T)] = len(cells)
            cells.append(own[int(alike.argmax())])
    if len(cells) == count:
        return clusters
    apart = np.stack([clusters.tiles[cell] for cell in cells[count:]])
    examples = np.insert(clusters.pictures, [count] * len(apart), apart, axis=0)
    return replace(
        clusters,
        pictures=examples,
        of_tile=of_tile,
        sizes=np.bincount(of_tile.ravel(), minlength=len(examples)),
        features=extract_features(examples),
        given=np.insert(clusters.given, [count] * len(apart), UNREAD),
        cells=tuple(cells),
    )


def _is_small(features: Features) -> Mask:
    """Whether a glyph is small, ``(n,)``."""
    top, left, bottom, right = features.ink_box.T
    return np.asarray(~features.empty & (np.maximum(bottom - top, right - left) <= SMALL))


def _is_filled(features: Features) -> Mask:
    """Whether a glyph fills so much of a large box that a digit may be drawn on it, ``(n,)``."""
    top, left, bottom, right = features.ink_box.T
    large = np.minimum(bottom - top, right - left) >= LEAST_DISC
    return np.asarray(large & (features.ink_share >= DISC_SHARE * (bottom - top) * (right - left)))


def _is_uneven(pictures: NDArray[np.uint8], features: Features) -> Mask:
    """Whether small parts inside of tiles differ, so that something tiny may be drawn there.

    Farther out, round corners of a tile differ, too: parts there count only if a quarter of the
    tile is plain, because a digit may stand in a corner. Parts that are faint compared with the
    glyphs in ``features`` are noise, for instance of JPEG.
    """
    drawn = features.contrast[~features.empty]
    least = max(UNEVEN, FAINT * float(np.median(drawn))) if drawn.size else UNEVEN
    inside = pictures[:, 3:-3, 3:-3]
    half = inside.shape[1] // 2
    parts = inside.reshape(len(pictures), half, 2, half, 2, 3).mean(axis=(2, 4), dtype=np.float32)
    uneven = _parts_differ(parts[:, 1:-1, 1:-1], least)
    sides = slice(None, half // 2), slice(-(half // 2), None)
    quarters = [
        _parts_differ(parts[:, rows, columns], least) for rows in sides for columns in sides
    ]
    some = np.isin(np.sum(quarters, axis=0), (1, 2, 3))
    return np.asarray(uneven | some)


def _parts_differ(parts: Floats, least: float) -> Mask:
    return np.asarray(colour_range(parts) > least)


def _glyph_rows(features: Features, alone: Mask) -> Floats:
    """Describe each glyph by shape, place and colours, one row each, all in colour steps.

    A glyph that is to stay ``alone`` gets a row unlike all others.
    """
    small = features.normal_form.reshape(len(features.normal_form), 8, 2, 8, 2).mean(axis=(2, 4))
    shape = 255 * small.reshape(len(small), -1)
    own = np.where(alone, 1000.0 * np.arange(1, len(shape) + 1), 0.0)[:, None]
    parts = shape, 400 * features.ink_box, features.ink_colour, features.background_colour, own
    return np.hstack(parts).astype(np.float32)
