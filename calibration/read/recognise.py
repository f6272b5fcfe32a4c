"""Recognise the tiles of a board: by the network, the rules of the game, and clicks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.read.by_theme.making import extract_appearances
from calibration.read.by_theme.matching import choose_theme, labels_from_theme, names_no_number
from calibration.read.clicks import AS_BEFORE, ClickedCells, LastClicks, opened_zeros
from calibration.read.clusters import Clusters, cluster_tiles
from calibration.read.decode import TEMPERATURE, Decoded, decode, groups_of
from calibration.read.labels import COLUMN_OF, FLAG, HIDDEN, LABELS, QUESTION, ZERO
from calibration.read.network import name_tiles
from calibration.rules import (
    UNREAD,
    Mask,
    Tiles,
    confirmed_mines,
    impossible_numbers,
    mines_in,
    settled_tiles,
)
from calibration.theme import LEARNED, Theme, builtin_themes
from calibration.views import MARGIN as VIEW_MARGIN
from calibration.views import Cut, cut_views
from solver.analysis import certain_cells
from solver.board import Tile

MARGIN = 0.6
"""Certainty below which a label is in doubt."""

SURELY_ZERO = 0.97
"""Probability by its look alone from which a zero is open, whatever is around it: few programs open
cells one by one."""

PLAIN = 22.0
"""Steps by which hardly a pixel in the middle of a tile without a drawing is off its colour."""

TINY = 0.45
"""Side of a close-up, in tiles, up to which a glyph is too small to be found again by a coarse
picture."""

SHOWN = (Tile.MINE, Tile.EXPLODED, Tile.WRONG_FLAG)
"""What only a finished board shows."""

SURE = 30.0
"""Logit of a label that is known."""

LEAST_NUMBERS = 4
"""Numbers that show that a grid is a board, even if it cannot be read."""

MOST_MARKED = 0.4
"""Largest share of cells that flags and question marks stand on."""

MOST_EQUAL = 6
"""Equal numbers without any other open tile, up to which a grid of an unknown program is a board:
the edge of a window that runs through a column of squares looks like a column of ones."""

MOST_GROUPS = 1000
"""Different tiles above which a grid is no board: one of 24x30 tiles has no more cells."""

MOST_UNREAD = 0.15
"""Share of unread tiles above which no label on the board is trusted."""


@dataclass(frozen=True, eq=False)
class TilesSeen:
    """What the network sees on the tiles of one board.

    ``groups`` ``(rows, cols)`` numbers the different tiles; ``logits`` float32 ``(rows, cols, 16)``
    are those of `LABELS`, and ``is_tile`` ``(rows, cols)`` of whether a cell is one of the board.
    """

    cut: Cut
    groups: NDArray[np.intp]
    logits: NDArray[np.float32]
    is_tile: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Labelling:
    """The labels of a board; all are ``(rows, cols)``.

    ``tiles`` int8 are as in `Board`, `UNREAD` for what is no tile of the game. ``confidence`` is
    the probability of each, 0 for `UNREAD`, and ``rivals`` the next likely ones. ``open_ground``
    marks zeros that are open whatever is around them, ``plain`` tiles without a drawing and
    ``tiny`` those with a small one. ``chances`` float64 ``(rows, cols, 16)`` is the probability of
    each of `LABELS`.
    """

    tiles: Tiles
    confidence: NDArray[np.float64]
    rivals: Tiles
    open_ground: Mask
    plain: Mask
    tiny: Mask
    chances: NDArray[np.float64]


def see_tiles(
    cut: Cut, fresh: NDArray[np.uint8] | None = None, opened: Mask | None = None
) -> TilesSeen:
    """Let the network name the tiles of a board (see `name_tiles`)."""
    groups = groups_of(cut.views).reshape(cut.rows, cut.cols)
    logits, is_tile = name_tiles(cut, groups, fresh, opened)
    return TilesSeen(cut, groups, logits, is_tile)


def label_tiles(
    seen: TilesSeen,
    given: Tiles | None = None,
    like_fresh: NDArray[np.float32] | None = None,
    clicks: LastClicks | None = None,
    clicked: ClickedCells | None = None,
) -> Labelling:
    """Label the tiles of a board.

    ``given`` are labels that are known from earlier frames, `UNREAD` elsewhere. ``like_fresh``
    says how far tiles look as before the first click, ``clicked`` which cells were clicked in the
    game, and ``clicks`` which were clicked last, if the board is at rest.
    """
    groups, logits = seen.groups, seen.logits.copy()
    if like_fresh is not None and clicked is not None:
        _heed_clicks(logits, groups, like_fresh < AS_BEFORE, clicked)
    if given is not None:
        known = given != UNREAD
        logits[known] = 0.0
        logits[known, COLUMN_OF[given[known]]] = SURE
    decoded = _decoded(logits, groups)
    chances = decoded.chances[groups]
    tiles = LABELS[decoded.columns][groups]
    alone = np.exp(logits - logits.max(axis=2, keepdims=True))
    alone /= alone.sum(axis=2, keepdims=True)
    open_ground = np.asarray((tiles == 0) & (alone[..., ZERO] >= SURELY_ZERO))
    if given is not None:
        open_ground |= given == 0
    colours, plain = _colours(seen.cut)
    opening = opened_zeros(tiles, colours, plain, like_fresh, clicks)
    if opening.any():
        tiles = np.where(opening, np.int8(0), tiles)
        chances[opening] = np.eye(len(LABELS))[ZERO]
        open_ground |= opening
    labelling = Labelling(
        tiles, _certainty(tiles, chances), _rivals(tiles, chances), open_ground, plain,
        _tiny(seen), chances,
    )  # fmt: skip
    return _settled_by_rules(_marks_of_the_end(labelling))


def _heed_clicks(
    logits: NDArray[np.float32], groups: NDArray[np.intp], changed: Mask, clicked: ClickedCells
) -> None:
    """Change the logits of tiles that only clicks have changed since the fresh board.

    What a click opened is no covered tile. What appears on a cell that was clicked to flag it is a
    flag, whatever it looks like, unless it is a number.
    """
    covered, numbers = [HIDDEN, FLAG, QUESTION], slice(ZERO, FLAG)
    for cells, mark in ((clicked.opened, False), (clicked.flagged, True)):
        for group in np.unique(groups[cells & changed]):
            here = groups == group
            if not (cells & changed)[here].all():
                continue
            rows = logits[here]
            if not mark:
                rows[:, covered] -= SURE
            elif rows[:, numbers].max() < rows.max():
                rows[:, FLAG] = SURE
            logits[here] = rows


def _decoded(logits: NDArray[np.float32], groups: NDArray[np.intp]) -> Decoded:
    """Decode a board; exchange two labels if only that gives a board that can be.

    On a look far from all that the network has seen it may take hidden tiles for open ones, or
    for flags, which breaks no number's own rule.
    """
    decoded = decode(logits, groups, TEMPERATURE)
    if _may_be(LABELS[decoded.columns][groups]):
        return decoded
    for column in (ZERO, FLAG, QUESTION):
        exchanged = logits.copy()
        exchanged[..., [HIDDEN, column]] = logits[..., [column, HIDDEN]]
        other = decode(exchanged, groups, TEMPERATURE)
        if _may_be(LABELS[other.columns][groups]):
            return other
    return decoded


def _may_be(tiles: Tiles) -> bool:
    """Whether a board may be one of a game.

    Some layout of at least one mine must have all its numbers; nor are most cells marked.
    """
    marked = np.isin(tiles, (Tile.FLAG, Tile.QUESTION)).mean()
    if (tiles == 0).all() or marked > MOST_MARKED or impossible_numbers(tiles).any():
        return False
    return certain_cells(tiles) is not None


def _colours(cut: Cut) -> tuple[NDArray[np.float64], Mask]:
    """Return the colour of each tile, ``(rows, cols, 3)``, and which have nothing drawn on them."""
    edge = VIEW_MARGIN + 4
    inner = cut.views[:, edge:-edge, edge:-edge].reshape(len(cut.views), -1, 3)
    colours = np.median(inner, axis=1)
    off = np.abs(inner - colours[:, None]).max(axis=2)
    rank = int(0.97 * off.shape[1])
    plain = np.partition(off, rank, axis=1)[:, rank] <= PLAIN
    return colours.reshape(cut.rows, cut.cols, 3), plain.reshape(cut.rows, cut.cols)


def _tiny(seen: TilesSeen) -> Mask:
    """Mark the tiles on which something small is drawn."""
    leaders = np.unique(seen.groups, return_index=True)[1]
    hints = seen.cut.close_ups(leaders).hints
    return np.asarray(hints[:, 2] <= TINY)[seen.groups]


def _certainty(tiles: Tiles, chances: NDArray[np.float64]) -> NDArray[np.float64]:
    chance = np.take_along_axis(chances, COLUMN_OF[tiles][..., None].astype(np.intp), 2)[..., 0]
    return np.where(tiles == UNREAD, 0.0, chance)


def _rivals(tiles: Tiles, chances: NDArray[np.float64]) -> Tiles:
    others = chances.copy()
    np.put_along_axis(others, COLUMN_OF[tiles][..., None].astype(np.intp), -1.0, 2)
    return np.asarray(LABELS[others.argmax(axis=2)], np.int8)


def _marks_of_the_end(labelling: Labelling) -> Labelling:
    """Label as a mine what a finished board shows, if no more than its kind is in doubt.

    Beside a mine that surely is one the game is over, and whether another mark is a flag or a mine
    changes nothing.
    """
    labelling = _joined(labelling, SHOWN)
    over = np.isin(labelling.tiles, SHOWN) & (labelling.confidence >= MARGIN)
    return _joined(labelling, (*SHOWN, Tile.FLAG)) if over.any() else labelling


def _joined(labelling: Labelling, kinds: Sequence[int]) -> Labelling:
    """Label as mines the tiles that surely are one of these kinds, if it is in doubt which one."""
    columns = [int(COLUMN_OF[kind]) for kind in kinds]
    chance = labelling.chances[..., columns].sum(axis=2)
    joined = np.isin(labelling.tiles, kinds) & (chance >= MARGIN)
    joined &= labelling.confidence < MARGIN
    if not joined.any():
        return labelling
    chances = labelling.chances.copy()
    for column in columns:
        chances[joined, column] = 0.0
    chances[joined, COLUMN_OF[Tile.MINE]] = chance[joined]
    tiles = np.where(joined, np.int8(Tile.MINE), labelling.tiles)
    return replace(
        labelling, tiles=tiles, chances=chances, confidence=_certainty(tiles, chances),
        rivals=_rivals(tiles, chances),
    )  # fmt: skip


def _settled_by_rules(labelling: Labelling) -> Labelling:
    """Read tiles of a finished board that something lies over, if the rules leave no doubt.

    If they leave some, all stay in doubt: how many do tells whether a dialog lies there.
    """
    sure = np.where(labelling.confidence >= MARGIN, labelling.tiles, np.int8(UNREAD))
    settled = settled_tiles(sure)
    if ((sure == UNREAD) & (settled == UNREAD)).any():
        return labelling
    read = settled != UNREAD
    tiles = np.where(read, settled, labelling.tiles).astype(np.int8)
    return replace(labelling, tiles=tiles, confidence=np.maximum(labelling.confidence, read))


@dataclass(frozen=True, eq=False)
class Recognition:
    """What `recognise` makes of a grid.

    ``theme`` is that of the program whose tiles these are, or one named ``learned``.
    ``tiles`` is an int8 array ``(rows, cols)`` as in `Board`; trust it only where
    ``confidence`` (float64 of the same shape, 0..1) is above `MARGIN`.
    ``plausibility`` (0..1) says how well the tiles make sense as a Minesweeper board: near 1
    for a position in which every tile is read and the numbers agree; about 0.5 for a board of
    nothing but equal hidden tiles (a fresh board, or any table of empty squares); near 0 for a
    keypad, a spreadsheet, wallpaper squares or text. Accept from 0.4. ``rivals`` are the next
    likely tiles. ``has_numbers`` says that digits on the grid are spread as those of a
    Minesweeper board, even if it cannot be read. ``is_tile`` (0..1) is the probability of each cell
    to be a tile of the board, by its look and its neighbours.
    """

    theme: Theme
    tiles: NDArray[np.int8]
    confidence: NDArray[np.float64]
    plausibility: float
    rivals: NDArray[np.int8]
    has_numbers: bool
    is_tile: NDArray[np.float64]


def recognise(frame: Frame, grid: Grid, *, themes: Sequence[Theme] | None = None) -> Recognition:
    """Read the tiles of ``grid``, and find of ``themes`` (None: the built-in ones) which is theirs.

    Never raises for tiles it cannot read: doubt shows as low ``plausibility`` and
    ``confidence``, so that several candidate grids can be judged.
    """
    cut = cut_views(frame.pixels, grid)
    groups = groups_of(cut.views)
    if groups.max() >= MOST_GROUPS:
        unread = np.full((grid.rows, grid.cols), UNREAD, np.int8)
        none = np.zeros(unread.shape)
        return Recognition(Theme(LEARNED, ()), unread, none, 0.0, unread, False, none)
    seen = see_tiles(cut)
    found = label_tiles(seen)
    clusters = cluster_tiles(frame, grid, seen.logits)
    theme = choose_theme(clusters, builtin_themes() if themes is None else themes)
    if theme is not None and theme.program != LEARNED:
        known = labels_from_theme(clusters, theme)
        theme = None if names_no_number(clusters, known) else theme
    tiles = np.where(found.confidence >= MARGIN, found.tiles, UNREAD).astype(np.int8)
    used = theme or Theme(LEARNED, extract_appearances(clusters, found.tiles, found.confidence))
    numbers = _has_numbers(found)
    plausibility = _plausibility(tiles, found.open_ground)
    if theme is None and _is_one_number(tiles):
        plausibility, numbers = 0.0, False
    is_tile = 1 / (1 + np.exp(-seen.is_tile.astype(np.float64)))
    return Recognition(
        used, found.tiles, found.confidence, plausibility, found.rivals, numbers, is_tile
    )


def cluster_board(frame: Frame, grid: Grid) -> Clusters:
    """Cluster the tiles of a board (see `cluster_tiles`)."""
    return cluster_tiles(frame, grid, see_tiles(cut_views(frame.pixels, grid)).logits)


def shown_mines(frame: Frame, grid: Grid, *, known: bool) -> Tiles:
    """Return the mines that a board shows, whatever lies over it, and `UNREAD` everywhere else.

    Of a program that is not ``known``, those that the numbers around them confirm.
    """
    found = label_tiles(see_tiles(cut_views(frame.pixels, grid)))
    sure = np.where(found.confidence >= MARGIN, found.tiles, np.int8(UNREAD))
    if known:
        return np.where(mines_in(sure), sure, np.int8(UNREAD)).astype(np.int8)
    return confirmed_mines(sure)


def is_of_another_program(frame: Frame, grid: Grid, theme: Theme) -> bool:
    """Whether a board shows several numbers, and the ``theme`` of a program names none of them."""
    clusters = cluster_board(frame, grid)
    known = labels_from_theme(clusters, theme)
    return names_no_number(
        clusters, np.maximum(known, labels_from_theme(clusters, theme, by_network=True))
    )


def _has_numbers(found: Labelling) -> bool:
    """Whether digits are seen as on a Minesweeper board: several, most of them small, and ones.

    In a spreadsheet there may be such digits, too, but most of its cells are no tiles.
    """
    seen = np.where(found.confidence >= MARGIN, found.tiles, UNREAD)
    numbers = np.bincount(np.maximum(seen, 0).ravel(), minlength=9)[1:]
    small = numbers[0] >= 2 and numbers[:2].sum() >= 0.5 * numbers.sum()
    tiles = (found.tiles != UNREAD).mean() > 0.5
    return bool(small and tiles and numbers.sum() >= LEAST_NUMBERS)


def _is_one_number(tiles: NDArray[np.int8]) -> bool:
    """Whether many tiles are open and all show the same number, with no zero among them."""
    shown = tiles[tiles >= 0]
    return bool(len(shown) > MOST_EQUAL and shown[0] > 0 and (shown == shown[0]).all())


def _plausibility(tiles: NDArray[np.int8], open_ground: Mask) -> float:
    """Rate a board by its unread tiles and its impossible numbers, 0..1."""
    numbers = tiles > 0
    unread = float((tiles == UNREAD).mean())
    if not numbers.any():
        return 0.5 * (1 - unread) ** 2
    wrong = float(impossible_numbers(tiles, open_ground).sum() / max(1, (tiles >= 0).sum()))
    return float(max(0.0, (1 - unread)) * max(0.0, 1 - 4 * wrong))
