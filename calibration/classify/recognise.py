"""Recognise the tiles of a board: with a known theme, or by what all cues say together.

A board in an unknown theme is read twice, by the cues and by the network of `calibration.read`.
They fail on different boards. If the cues cannot read some tiles and the network reads all, the
network counts; if both are sure and differ, the tile is in doubt (`agreed`). On 296 boards in play,
in themes for which neither was made, the cues alone read 247 correctly and 11 wrongly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.classify.by_theme import (
    choose_theme,
    extract_appearances,
    labels_from_theme,
    names_no_number,
    unfamiliar_symbols,
)
from calibration.classify.checks import (
    ClickedCells,
    LastClicks,
    clicked_open,
    digits_misread,
    drawings_on_fresh,
    flags_or_mines,
    flags_set,
    only_opened,
    opened_zeros,
    symbols_of_the_end,
    symbols_read_as_hidden,
    without_edges,
)
from calibration.classify.clusters import MOST_CLUSTERS, Clusters, cluster_tiles
from calibration.classify.cues import cue_tables
from calibration.classify.decode import MARGIN, Decoding, decode
from calibration.classify.features import Floats
from calibration.errors import UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.labels import columns_of
from calibration.read.board import MOST_DIFFERENT, NetworkReading, read_board
from calibration.rules import (
    UNREAD,
    Mask,
    Tiles,
    confirmed_mines,
    impossible_numbers,
    settled_tiles,
    shows_mines,
)
from calibration.theme import LEARNED, Theme, builtin_themes
from calibration.tiles import MOST_COLOURS, RAISED, SAME_COLOUR, colours_in, steps_between
from solver.board import Tile, count_neighbours

SURELY_ALONE = 0.9
"""Least confidence of a tile that only the network has read; below it the tile is in doubt."""

HARDLY_LIKELY = 0.02
"""A label is in doubt if the network gives it a lower probability."""

NOT_LIKELY, UNCERTAIN = 0.5, 0.4
"""The label of a covered tile is also in doubt if it is less than `NOT_LIKELY` and the network's
own label less than `UNCERTAIN`: a pointer may lie on the tile."""


ON_MINES = Tile.FLAG, Tile.MINE, Tile.EXPLODED, Tile.WRONG_FLAG
"""Symbols of finished boards on mines; which of them it is makes no difference to the result."""


CONFIRMING_NUMBERS = 4
"""How many numbers confirm the network's reading: squares without numbers may be anything."""


class Agreed(NamedTuple):
    """The labels of a board; all are ``(rows, cols)``, as in `NetworkReading`.

    ``even`` marks plain tiles, ``ground`` ``(rows, cols, 3)`` are the colours of their backgrounds.
    """

    tiles: Tiles
    confidence: NDArray[np.float64]
    rivals: Tiles
    open_ground: Mask
    even: Mask
    ground: NDArray[np.floating]
    by_network: bool = False

    @classmethod
    def of(cls, clusters: Clusters, decoding: Decoding) -> Agreed:
        """Return the labels that the cues give."""
        of_tile = clusters.of_tile
        return cls(
            decoding.labels[of_tile],
            decoding.certainty[of_tile],
            decoding.rivals[of_tile],
            decoding.open_ground[of_tile],
            clusters.empty[of_tile],
            clusters.features.background_colour[of_tile],
        )


def agreed(one: Agreed, other: NetworkReading, settled: Mask | None = None) -> Agreed:
    """Combine a reading by cues with the network's reading.

    ``settled`` marks tiles for which clicks have confirmed the cues.
    """
    if not other.is_possible:
        return one
    read = (one.confidence >= MARGIN) & (one.tiles != UNREAD)
    if not read.all() or impossible_numbers(one.tiles, one.open_ground).any():
        contradicts = settled is not None and (read & settled & (one.tiles != other.tiles)).any()
        if contradicts or not _is_sure(one, other):
            return one
        return one._replace(
            tiles=other.tiles,
            confidence=np.where(other.confidence < SURELY_ALONE, 0.0, other.confidence),
            rivals=other.rivals,
            open_ground=other.open_ground,
            by_network=True,
        )
    columns = columns_of(one.tiles)[..., None].astype(np.intp)
    chance = np.take_along_axis(other.chances, columns, 2)[..., 0]
    differs = (one.tiles != other.tiles) & (chance < HARDLY_LIKELY)
    differs |= (one.tiles < 0) & (chance < NOT_LIKELY) & (other.confidence < UNCERTAIN)
    if settled is not None:
        differs &= ~settled
    if one.even.all() and (one.tiles == Tile.HIDDEN).all():
        differs &= other.confidence >= SURELY_ALONE  # a fresh board may have many colours
    covered = one.tiles < 0
    if shows_mines(one.tiles):
        differs &= ~(np.isin(one.tiles, ON_MINES) & np.isin(other.tiles, ON_MINES))
    elif (covered == (other.tiles < 0)).all() and not _leaves_choice(one.tiles):
        differs &= ~covered  # the game is over, and each of them is a mine
    if not differs.any():
        return one
    return one._replace(
        confidence=np.where(differs, 0.0, one.confidence),
        rivals=np.where(differs, other.tiles, one.rivals).astype(np.int8),
    )


def _is_sure(one: Agreed, other: NetworkReading) -> bool:
    """Whether the network's reading counts alone.

    Numbers must confirm it. A colour alone does not show a symbol, because a window may cover the
    tile. Nor does it show a hidden tile if others surely are hidden and look different, if hidden
    tiles have many colours, or if digits have the same background and no zero was seen.
    """
    tiles, numbers = other.tiles, other.tiles > 0
    plain = one.even & (tiles == Tile.HIDDEN)
    if (other.confidence < MARGIN).any() or numbers.sum() < CONFIRMING_NUMBERS:
        return False
    if (one.even & (tiles < 0) & (tiles != Tile.HIDDEN)).any():
        return False
    if (plain & _differ_from_sure(one)).any() or colours_in(one.ground[plain]) > MOST_COLOURS:
        return False
    if (tiles == 0).any():
        return True
    return not bool((steps_between(one.ground[plain], one.ground[numbers]) <= SAME_COLOUR).any())


def _differ_from_sure(one: Agreed) -> Mask:
    """Mark the tiles in doubt if others are surely hidden: something may cover them."""
    sure = one.confidence >= MARGIN
    return ~sure & bool((sure & (one.tiles == Tile.HIDDEN)).any())


def _leaves_choice(tiles: Tiles) -> bool:
    """Whether some covered cell may be safe: a number has more of them around it than mines."""
    near = count_neighbours(tiles < 0)
    return bool(((tiles >= 0) & (near != tiles)).any())


LEAST_SEEN = 0.9
"""Probability from which a digit counts as seen."""

LEAST_NUMBERS = 4
"""So many digits show that a grid is a board."""

FEW_NUMBERS = 3
"""A grid of marks and mines with fewer numbers than this is not a board."""

MOST_LONELY = 4
"""A grid is not a board if more marks touch no number, and they are most of its marks."""

MOST_EQUAL = 6
"""In an unknown program, a grid with more equal numbers and no other open tile is not a board: the
edge of a window through a column of squares looks like a column of ones."""


@dataclass(frozen=True, eq=False)
class Recognition:
    """The result of `recognise` for a grid.

    ``theme`` is the built-in theme that explains the tiles, or one named ``learned``. ``tiles`` is
    an int8 array ``(rows, cols)`` as in `Board`; trust it only where ``confidence`` (float64 of the
    same shape, 0..1) is above `MARGIN`. ``plausibility`` (0..1) says how well the tiles make sense
    as a Minesweeper board: near 1 for a position in which every tile is read and the numbers agree;
    about 0.5 for a board of nothing but equal hidden tiles (a fresh board, or any table of empty
    squares); near 0 for a keypad, a spreadsheet, wallpaper squares or text. Accept from 0.4.
    ``rivals`` are the second most likely tiles. ``has_numbers`` says that digits are spread over
    the grid as on a Minesweeper board, even if it cannot be read. ``unread`` marks tiles that
    neither reading can name; if both name a tile differently, it is in doubt but belongs to a
    board. ``different`` is the number of different tiles, on which the reading time depends.
    """

    theme: Theme
    tiles: NDArray[np.int8]
    confidence: NDArray[np.float64]
    plausibility: float
    rivals: NDArray[np.int8]
    has_numbers: bool
    unread: Mask
    different: int


MOST_UNREAD = 0.15
"""Share of unread tiles above which no label on the board is trusted."""


def recognise(frame: Frame, grid: Grid, *, themes: Sequence[Theme] | None = None) -> Recognition:
    """Match the tiles of ``grid`` with ``themes`` (None: the built-in ones), or learn a theme.

    It never raises an error for tiles it cannot read: low ``plausibility`` and ``confidence``
    express doubt, so that several candidate grids can be compared.
    """
    try:
        clusters = cluster_tiles(frame, grid)
    except UnreadableTiles:
        return _no_board(grid, min(MOST_CLUSTERS, grid.rows * grid.cols))
    theme = choose_theme(clusters, builtin_themes() if themes is None else themes)
    decoding = label_clusters(clusters, theme or Theme(LEARNED, ()))
    of_tile = clusters.of_tile
    found = Agreed.of(clusters, decoding)
    numbers, one = _has_numbers(clusters, decoding), found
    is_fresh = bool(((found.tiles == Tile.HIDDEN) & (found.confidence >= MARGIN)).all())
    different = len(clusters.sizes)
    if not is_fresh and (theme is None or theme.program == LEARNED):
        try:
            by_network = read_board(frame.pixels, grid)
        except UnreadableTiles:
            return _no_board(grid, MOST_DIFFERENT)
        found, different = agreed(found, by_network), by_network.different
    if found.by_network:
        decoding = decoding.taking_tiles(found.tiles, of_tile)
        numbers |= bool((found.tiles > 0).any())
    tiles = np.where(found.confidence >= MARGIN, found.tiles, UNREAD).astype(np.int8)
    doubtful = (found if found.by_network else one).confidence < MARGIN
    used = theme or Theme(LEARNED, extract_appearances(clusters, decoding))
    plausibility = _plausibility(tiles, found.open_ground)
    if theme is None and _is_one_number(tiles):
        plausibility, numbers = 0.0, False
    return Recognition(
        used,
        found.tiles,
        found.confidence,
        plausibility,
        found.rivals,
        numbers,
        doubtful,
        different,
    )


def _no_board(grid: Grid, different: int) -> Recognition:
    """Return the recognition of a grid without a board, with so many ``different`` tiles."""
    unread = np.full((grid.rows, grid.cols), UNREAD, np.int8)
    none = np.zeros(unread.shape)
    return Recognition(Theme(LEARNED, ()), unread, none, 0.0, unread, False, none == 0, different)


def label_clusters(
    clusters: Clusters,
    theme: Theme,
    like_fresh: Floats | None = None,
    clicks: LastClicks | None = None,
    clicked: ClickedCells | None = None,
) -> Decoding:
    """Label all clusters by known labels, the theme and all other cues.

    ``like_fresh`` ``(rows, cols)`` says how much each tile looks as before the first click, 0 to 1.
    ``clicks`` are the cells clicked last, if nothing more will change on the board; ``clicked`` are
    all cells clicked in the game. A program's theme that names none of several numbers was chosen
    on a fresh board by mistake, and does not count.
    """
    bare, (clusters, known) = clusters, with_theme_labels(clusters, theme)
    if theme.program != LEARNED and names_no_number(clusters, known):
        return label_clusters(bare, Theme(LEARNED, ()), like_fresh, clicks, clicked)
    only = only_opened(clusters, like_fresh, clicks, clicked)
    opened = clicked_open(clusters, like_fresh, clicked)
    cues = cue_tables(clusters, like_fresh, only, opened)
    cue_sum = np.sum(list(cues.values()), axis=0)
    decoding = decode(clusters, cue_sum, at_rest=like_fresh is None)
    decoding = symbols_of_the_end(clusters, decoding)
    decoding = decoding.opening(opened_zeros(clusters, decoding.labels, like_fresh, clicks))
    doubtful = unfamiliar_symbols(clusters, theme, known, decoding.labels)
    doubtful |= (clusters.given == UNREAD) & _is_implausible(clusters, decoding, like_fresh)
    doubtful |= symbols_read_as_hidden(clusters, decoding, like_fresh)
    doubtful |= without_edges(clusters, decoding)
    digits = digits_misread(clusters, decoding, like_fresh)
    symbols = flags_or_mines(clusters, decoding, like_fresh)
    decoding = decoding.doubting(doubtful | digits | symbols)
    hints = drawings_on_fresh(clusters, decoding, like_fresh) & ~digits
    decoding = decoding.taking_for(Tile.HIDDEN, hints)
    decoding = decoding.taking_for(Tile.FLAG, flags_set(clusters, decoding, like_fresh, clicked))
    return _settled_by_rules(clusters, decoding)


def _settled_by_rules(clusters: Clusters, decoding: Decoding) -> Decoding:
    """Read covered tiles of a finished board if the rules leave no doubt about any of them.

    If some stay in doubt, all do: their number shows whether a dialog covers them.
    """
    sure = np.where(decoding.certainty >= MARGIN, decoding.labels, np.int8(UNREAD))
    settled = settled_tiles(sure[clusters.of_tile])
    if ((sure[clusters.of_tile] == UNREAD) & (settled == UNREAD)).any():
        return decoding
    return decoding.taking_tiles(settled, clusters.of_tile)


def shown_mines(clusters: Clusters, theme: Theme) -> Tiles:
    """Return the mines that look like those of ``theme``, and `UNREAD` everywhere else.

    For a learned theme, only those that the numbers around them confirm.
    """
    if theme.program == LEARNED:
        decoding = label_clusters(clusters, theme)
        sure = np.where(decoding.certainty >= MARGIN, decoding.labels, np.int8(UNREAD))
        return confirmed_mines(sure[clusters.of_tile])
    without_numbers = tuple(one for one in theme.appearances if one.tile < 0)
    labels = labels_from_theme(clusters, replace(theme, appearances=without_numbers))
    mines = np.isin(labels, (Tile.MINE, Tile.EXPLODED))
    return np.where(mines, labels, UNREAD).astype(np.int8)[clusters.of_tile]


def is_of_another_program(frame: Frame, grid: Grid, theme: Theme) -> bool:
    """Whether a board shows several numbers of which the ``theme`` of a program names none."""
    clusters, known = with_theme_labels(cluster_tiles(frame, grid), theme)
    seen = labels_from_theme(clusters, theme, by_network=True)
    return names_no_number(clusters, np.maximum(known, seen))


def with_theme_labels(clusters: Clusters, theme: Theme) -> tuple[Clusters, Tiles]:
    """Give the clusters the labels that a theme knows; also return these labels, ``(n,)``."""
    known = labels_from_theme(clusters, theme)
    known = np.where(clusters.given == UNREAD, known, UNREAD).astype(np.int8)
    return clusters.giving(known), known


def _is_implausible(clusters: Clusters, decoding: Decoding, like_fresh: Floats | None) -> bool:
    """Whether this is hardly a board: much is unread, numbers contradict, or marks make no sense.

    Marks make no sense if there are many but hardly a number, if there is no open tile, or if flags
    touch no number.
    """
    labels, sure = decoding.labels[clusters.of_tile], decoding.certainty[clusters.of_tile] >= MARGIN
    marks = np.isin(labels, (Tile.FLAG, Tile.QUESTION, Tile.WRONG_FLAG))
    tiles = np.where(sure, labels, UNREAD).astype(np.int8)
    wrong = impossible_numbers(tiles, decoding.open_ground[clusters.of_tile]).sum()
    mines = np.isin(labels, (Tile.MINE, Tile.EXPLODED))
    odd = (marks | mines).mean() > 0.5 and (labels > 0).sum() < FEW_NUMBERS
    odd |= marks.sum() > 3 and not (labels >= 0).any() and not _are_flags(clusters, decoding)
    lonely = marks & (count_neighbours(labels > 0) == 0) & (labels >= 0).any()
    odd |= lonely.sum() > max(MOST_LONELY, 0.5 * marks.sum())
    return bool(odd or (~sure).mean() > MOST_UNREAD or wrong > 0.1 * (tiles >= 0).sum())


def _are_flags(clusters: Clusters, decoding: Decoding) -> bool:
    """Whether the network is sure that all marks are flags, on raised tiles."""
    marks = (clusters.sizes > 0) & (decoding.labels != Tile.HIDDEN)
    seen = np.nan_to_num(np.exp(clusters.seen_as("flag"))) >= LEAST_SEEN
    flags = seen | (clusters.given == Tile.FLAG)
    return bool(
        (decoding.labels[marks] == Tile.FLAG).all()
        and (flags & (clusters.relief >= RAISED))[marks].all()
    )


def _has_numbers(clusters: Clusters, decoding: Decoding) -> bool:
    """Whether there are digits as on a Minesweeper board: several, most of them small, and ones.

    A spreadsheet may have them, too, but most of its cells are not tiles.
    """
    seen = np.where(decoding.chances.max(axis=1) >= LEAST_SEEN, decoding.labels, UNREAD)
    seen = seen[clusters.of_tile]
    ones, twos, numbers = (seen == 1).sum(), (seen == 2).sum(), (seen > 0).sum()
    small = ones >= 2 and ones + twos >= 0.5 * numbers
    tiles = (decoding.labels[clusters.of_tile] != UNREAD).mean() > 0.5
    return bool(small and tiles and numbers >= LEAST_NUMBERS)


def _is_one_number(tiles: NDArray[np.int8]) -> bool:
    """Whether many tiles are open and all show the same number, with no zero among them."""
    shown = tiles[tiles >= 0]
    return len(shown) > MOST_EQUAL and bool(0 < shown.min() == shown.max())


def _plausibility(tiles: NDArray[np.int8], open_ground: Mask) -> float:
    """Rate a board by its unread tiles and impossible numbers, 0..1."""
    numbers = tiles > 0
    unread = float((tiles == UNREAD).mean())
    if not numbers.any():
        return 0.5 * (1 - unread) ** 2
    wrong = float(impossible_numbers(tiles, open_ground).sum() / max(1, (tiles >= 0).sum()))
    return float(max(0.0, (1 - unread)) * max(0.0, 1 - 4 * wrong))
