"""Score grids: the evidence for and against a board, weighed and summed.

The sum is a logistic regression: the log-odds that the grid is a board, 0 for even odds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.classify.decode import MARGIN
from calibration.classify.recognise import MOST_UNREAD, Recognition, recognise
from calibration.errors import UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid, overlap
from calibration.indicators.smiley import shows_smiley
from calibration.locate.sides import Proposal, lines_go_on, may_go_on
from calibration.read.board import tiles_around
from calibration.rules import UNREAD, zeros_beside_hidden_ends
from calibration.theme import LEARNED, Theme, builtin_themes
from calibration.tiles import TINTED, colour_range, colour_steps, cut, mean_steps
from solver.analysis import USUAL_TOTALS
from solver.board import Cell, Tile

ACCEPT = 3.0
"""A grid with at least this score is accepted immediately, without asking further finders."""

REFUSE = 0.5
"""A grid with at most this score is refused; from here to `ACCEPT` it is accepted if no finder
proposes a better one."""

FAR_BEHIND = 3.0
"""A grid whose score is lower than the best one by more than this is not offered as a choice.
"""

MOST_OVERLAP = 0.2
"""Two boards may overlap by at most this share of the smaller one."""

PIECE = 0.5
"""How much higher a board must score than one at its place that continues further."""

USUAL_SQUARES = {10, 12, 15}
"""Sides of other usual square boards: of 52 boards on 33 pages 6 have ten rows and columns, and one
each has twelve and fifteen."""

FEWEST_TILES = 64
"""Fewest tiles of a board without numbers, apart from squares: icons in rows and days of a calendar
are fewer."""

THIN = 6
"""Fewest rows or columns of such a board: one behind a dialog may show fewer."""

MOST_ZEROS = 4
"""Zeros beside hidden lines at one end of a grid above which these lines are its surroundings.
1,110 of 1,112 labelled boards have up to 2; two, of pages that open cells one by one, have 3 and 4.
"""

SAME_HIDDEN = 10.0
"""Mean steps by which a hidden tile may differ from most others of its board. On 52 labelled boards
up to a sixth of an outer row or column differs by more; the ground beside a board by 15."""

STRANGE_END = 0.6
"""Share of uncertain tiles from which an outer row or column may not belong to the board: 7 of 9.
"""


class GridEvidence(NamedTuple):
    """The evidence for and against a board; each value is 0 to 1, except ``oblong``.

    ``drawn``           share of the lines around its tiles that are visible
    ``repeats_only``    no edges were seen, only repeating cells
    ``unread``          unreadable tiles, as a share of what makes all of them untrusted
    ``implausible``     tiles that make no sense together, such as impossible numbers
    ``numbers``         it shows numbers; if a part is unread, several
    ``known``           its tiles are those of a known program
    ``usual``           many programs have its size, but hardly any pattern or table does
    ``thin``            few rows or columns
    ``few``             no numbers, and few tiles
    ``oblong``          by what part of the shorter side of a tile the other one is longer
    ``faint``           no numbers, and its tiles are hardly visible
    ``halved``          no numbers, and parts of each tile show the same, or are gaps
    ``stray``           rows of hidden tiles beside zeros
    ``goes_on``         its lines, or open ground like its own, continue beside it
    ``tiles_beside``    tiles like its own lie beside it
    ``cropped``         the edges of the picture cut it off, a little beyond the board
    """

    drawn: float
    repeats_only: float
    unread: float
    implausible: float
    numbers: float
    known: float
    usual: float
    thin: float
    few: float
    oblong: float
    faint: float
    halved: float
    stray: float
    goes_on: float
    tiles_beside: float
    cropped: float

    @property
    def score(self) -> float:
        """The log-odds that the grid is a board."""
        return float(np.dot(self, WEIGHTS))


WEIGHTS = GridEvidence(
    drawn=2.8,
    repeats_only=-3.0,
    unread=-4.0,
    implausible=-5.0,
    numbers=2.5,
    known=3.0,
    usual=2.0,
    thin=-4.5,
    few=-5.0,
    oblong=-1.3,
    faint=-4.0,
    halved=-5.0,
    stray=-6.0,
    goes_on=-6.0,
    tiles_beside=-10.0,
    cropped=-3.0,
)


def evidence_of(frame: Frame, proposal: Proposal, seen: Recognition) -> GridEvidence:
    """Gather the evidence about a grid that was read."""
    grid, tiles = proposal.grid, seen.tiles
    rows, cols = grid.rows, grid.cols
    unread = float((seen.confidence < MARGIN).mean())
    number, square = bool((tiles > 0).any()), rows == cols
    known, usual = seen.theme.name != LEARNED, has_usual_size(grid)
    nothing = seen.plausibility == 0 and bool((tiles == UNREAD).all())  # no board in any case
    pictures = None if number or known or nothing else cut(frame, grid)
    short, long = sorted((grid.tile_w, grid.tile_h))
    evidence = GridEvidence(
        drawn=grid.confidence,
        repeats_only=not proposal.is_edged,
        unread=min(1.0, unread / MOST_UNREAD),
        implausible=1 - seen.plausibility / (1.0 if number else 0.5),
        numbers=seen.has_numbers if unread else number,
        known=known,
        usual=usual,
        thin=min(rows, cols) < THIN and not square,
        few=not number and rows * cols < FEWEST_TILES and not square,
        oblong=long / short - 1,
        faint=pictures is not None and not usual and is_faint(pictures),
        halved=pictures is not None and (repeats_within(pictures) or has_wide_gaps(grid)),
        stray=zeros_beside_hidden_ends(tiles) > MOST_ZEROS,
        goes_on=not (known or usual or nothing) and _goes_on(frame, grid, seen),
        tiles_beside=0.0,
        cropped=proposal.is_crop and not proposal.is_whole,
    )
    if known or evidence.score <= REFUSE:
        return evidence
    try:
        return evidence._replace(tiles_beside=float(tiles_around(frame.pixels, grid).any()))
    except UnreadableTiles:
        return evidence._replace(unread=1.0, implausible=1.0)


def has_usual_size(grid: Grid) -> bool:
    """Whether many programs have boards of this size."""
    rows, cols = grid.rows, grid.cols
    return (rows, cols) in USUAL_TOTALS or (rows == cols and rows in USUAL_SQUARES)


def _goes_on(frame: Frame, grid: Grid, seen: Recognition) -> bool:
    """Whether lines or open ground like its own lie beside a grid with numbers."""
    return bool((seen.tiles > 0).any()) and (
        may_go_on(frame, grid, seen.tiles) or lines_go_on(frame, grid)
    )


class FoundBoard(NamedTuple):
    """A proposal, its recognised tiles, and the evidence for a board."""

    proposal: Proposal
    recognition: Recognition
    evidence: GridEvidence

    @property
    def score(self) -> float:
        """The log-odds that it is a board."""
        return self.evidence.score

    @property
    def grid(self) -> Grid:
        """The position of the board."""
        return self.proposal.grid

    @property
    def may_be_whole(self) -> bool:
        """Whether the whole board is visible, or the picture is a crop along it."""
        return self.proposal.is_whole or self.proposal.is_crop

    @property
    def is_readable(self) -> bool:
        """Whether every tile can be read; otherwise something may cover the board."""
        return bool((self.recognition.confidence >= MARGIN).all())

    @property
    def known_tiles(self) -> NDArray[np.int8]:
        """The tiles, with uncertain ones unknown."""
        sure = self.recognition.confidence >= MARGIN
        return np.where(sure, self.recognition.tiles, UNREAD).astype(np.int8)


def judged(frame: Frame, proposal: Proposal, themes: Sequence[Theme] | None) -> FoundBoard:
    """Read a proposed grid by ``themes``, None for the built-in ones, and score it.

    A theme with a smiley is only used if the smiley is visible: many pages have the tiles of a
    known program, but not its smiley or its rules.
    """
    grid = proposal.grid
    known = builtin_themes() if themes is None else themes
    shown = [one for one in known if shows_smiley(frame, grid, one.smileys)]
    seen = recognise(frame, grid, themes=shown)
    return FoundBoard(proposal, seen, evidence_of(frame, proposal, seen))


def best_at_each_place(boards: Sequence[FoundBoard]) -> list[FoundBoard]:
    """Keep the best of boards that overlap (non-maximum suppression), the best of all first.

    If two are nearly equal, the one that is partly hidden is kept: the other is a piece of it.
    """
    kept: list[FoundBoard] = []
    ranked = sorted(boards, key=lambda one: one.score - PIECE * one.may_be_whole, reverse=True)
    for board in ranked:
        if not any(overlap(board.grid.bounds, other.grid.bounds) > MOST_OVERLAP for other in kept):
            kept.append(board)
    return kept


def rivals(boards: Sequence[FoundBoard]) -> list[FoundBoard]:
    """Return the best board, which comes first, and those that are not much less likely."""
    return [one for one in boards if one.score > boards[0].score - FAR_BEHIND]


def without_strange_ends(frame: Frame, board: FoundBoard) -> Grid:
    """Return a grid without the outer rows and columns that can hardly be read.

    The panel above a board may fit its lattice, or a line of the page may lie a tile away from it.
    In a known program, hidden tiles that look different count as unreadable.
    """
    strange = board.recognition.unread.copy()
    if board.evidence.known:
        strange |= _unlike_hidden(frame, board)
    rows = np.flatnonzero(strange.mean(axis=1) < STRANGE_END)
    cols = np.flatnonzero(strange.mean(axis=0) < STRANGE_END)
    if not len(rows) or not len(cols):
        return board.grid
    return board.grid.part(Cell(int(rows[0]), int(cols[0])), Cell(int(rows[-1]), int(cols[-1])))


def _unlike_hidden(frame: Frame, board: FoundBoard) -> NDArray[np.bool_]:
    """Mark the tiles read as hidden that look unlike most hidden tiles, ``(rows, cols)``."""
    hidden = np.asarray(board.recognition.tiles == Tile.HIDDEN)
    if not hidden.any():
        return hidden
    pictures = cut(frame, board.grid)
    strange = hidden.copy()
    strange[hidden] = (
        mean_steps(pictures[hidden], np.median(pictures[hidden], axis=0)) > SAME_HIDDEN
    )
    return strange


# ---- patterns of the page: textures, chessboards, grids of several tiles each --------------------

LEAST_CONTRAST = 10.0
"""Colour steps within the tiles of a fresh board of an unusual size below which it is the texture
of a page. Faint lines of a wallpaper have 7."""

CHESS_STEP = 4.0
"""Least colour steps between the two colours of a chessboard. Picture editors show grey ones where
a picture is transparent."""

MOST_UNEVEN = 1.0
"""Most colour steps within one of these colours."""

DRAWN_DEVIATION = 2.0
"""Deviation of a part of a tile, in colour steps, from which something is drawn there."""

SAME_QUARTERS = 0.9
"""Least correlation of four quarters of a tile that show the same."""

SAME_HALVES = 0.05
"""Largest mean difference of two halves of a tile that show the same, in deviations of one half: on
545 fresh boards they differ by 0.1 or more."""


def is_faint(pictures: NDArray[np.uint8]) -> bool:
    """Whether the tiles are hardly visible, like the texture of a page."""
    return _contrast(pictures) < LEAST_CONTRAST and not _is_chessboard(pictures)


def has_wide_gaps(grid: Grid) -> bool:
    """Whether the gaps are wider than the tiles: the tiles lie where the gaps seem to be."""
    return 2 * grid.gap_w > grid.tile_w or 2 * grid.gap_h > grid.tile_h


def repeats_within(pictures: NDArray[np.uint8]) -> bool:
    """Whether parts of a tile show the same, so that each part is a tile.

    Four quarters of round tiles do, and two halves of oblong ones.
    """
    grey = pictures.mean(axis=4)
    usual = np.median(grey, axis=(0, 1))
    if any(_halves_are_copies(one) for one in (usual, usual.T)):
        return True
    half = grey.shape[2] // 2
    quarters = [
        grey[:, :, top:, left:][:, :, :half, :half] for top in (0, half) for left in (0, half)
    ]
    shapes = [
        np.median(one - one.mean(axis=(2, 3), keepdims=True), axis=(0, 1)) for one in quarters
    ]
    drawn = min(float(one.std()) for one in shapes) >= DRAWN_DEVIATION
    return drawn and min(np.corrcoef([one.ravel() for one in shapes])[0]) >= SAME_QUARTERS


def _halves_are_copies(tile: NDArray[np.float64]) -> bool:
    """Whether the upper and the lower half of a tile show the same drawing."""
    upper, lower = np.split(tile, 2)
    drawn = upper.mean(axis=1).std() >= DRAWN_DEVIATION
    return bool(drawn and np.abs(upper - lower).mean() <= SAME_HALVES * upper.std())


def _contrast(pictures: NDArray[np.uint8]) -> float:
    """Return the usual range of colours within a tile, in steps."""
    return float(np.median(colour_range(pictures)))


def _is_chessboard(pictures: NDArray[np.uint8]) -> bool:
    """Whether tiles have two plain colours by turns, but not two greys, which mean transparency."""
    colours = np.median(pictures, axis=(2, 3))
    black = np.indices(colours.shape[:2]).sum(axis=0) % 2 == 1
    sides = [colours[black], colours[~black]]
    step = colour_steps(sides[0].mean(axis=0), sides[1].mean(axis=0))
    uneven = max(np.ptp(side, axis=0).max() for side in sides)
    tinted = np.ptp(colours, axis=2).min() >= TINTED
    return bool(step >= CHESS_STEP and uneven <= MOST_UNEVEN and tinted)
