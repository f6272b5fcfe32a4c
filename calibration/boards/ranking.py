"""The one ranking of grids: what speaks for a grid being a board, weighed and summed.

The sum is a logistic regression, so that it is the logarithm of the odds that the grid is a board:
0 for even ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.boards.beside import has_tiles_beside
from calibration.boards.patterns import is_faint, repeats_within
from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.recognise import MOST_UNREAD, Recognition, recognise
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.indicators.smiley import shows_smiley
from calibration.likeness import mean_steps
from calibration.locate.sides import Proposal, lines_go_on, may_go_on
from calibration.points import overlap
from calibration.rules import UNREAD, zeros_beside_hidden_ends
from calibration.theme import LEARNED, Theme, builtin_themes
from calibration.tiles import cut
from solver.board import Cell, Tile
from solver.mine_total import USUAL_TOTALS

ACCEPT, REFUSE = 3.0, 0.5
"""Score from which a grid is a board, so that no further finder is asked; and up to which it is
none. Between them it is one where no finder proposes a better one."""

FAR_BEHIND = 3.0
"""How much lower the score of a grid is than that of a board, beside which it is no choice."""

MOST_OVERLAP = 0.2
"""Largest part of the smaller of two boards that the other one may cover."""

PIECE = 0.5
"""By how much the score of a board must be better than that of one at its place that goes on."""

USUAL_SQUARES = {10, 12, 15}
"""Sides of other usual boards: of 52 boards on 33 pages 6 have ten rows and columns, and one each
twelve and fifteen."""

FEWEST_TILES, THIN = 64, 6
"""Equal icons in rows and columns, or days of a calendar, are fewer than this; and what is left of
a board that a dialog covers has fewer rows or columns than this. Not if they are a square."""

MOST_ZEROS = 4
"""Zeros beside hidden lines at one end of a grid, above which its surroundings were taken for such
lines. 1,110 of 1,112 labelled boards have up to 2, two of pages that open cells one by one 3 and 4.
"""

SAME_HIDDEN = 10.0
"""Mean steps by which a hidden tile differs from most others of its board: on 52 labelled boards up
to a sixth of an end row or column by more, the ground beside a board by 15."""

STRANGE_END = 0.6
"""Share of the tiles of a row or column at an end in doubt, from which it may be none: 7 of 9."""


class Evidence(NamedTuple):
    """What speaks for a grid being a board, and against it; each 0 to 1 but for ``oblong``.

    ``drawn``           share of the lines around its tiles that are seen
    ``repeats_only``    no edges were seen, only that cells repeat
    ``unread``          tiles that cannot be read, as a share of what makes all of them untrusted
    ``implausible``     tiles that make no sense together, such as numbers that cannot be right
    ``numbers``         it shows numbers; if a part is unread, several
    ``known``           its tiles are those of a known program
    ``usual``           many programs have its size, and hardly any pattern or table
    ``thin``            few rows or columns
    ``few``             no numbers on few tiles
    ``oblong``          by what part of the shorter side of a tile the other one is longer
    ``faint``           no numbers, and hardly anything is seen of its tiles
    ``halved``          no numbers, and parts of each tile show the same
    ``stray``           rows of hidden tiles beside zeros
    ``goes_on``         tiles, or lines, seem to lie beside it
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
    cropped: float

    @property
    def score(self) -> float:
        """The logarithm of the odds that the grid is a board."""
        return float(np.dot(self, WEIGHTS))


WEIGHTS = Evidence(
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
    cropped=-3.0,
)


def evidence_of(frame: Frame, proposal: Proposal, seen: Recognition) -> Evidence:
    """Gather what speaks for and against a grid that was read."""
    grid, tiles = proposal.grid, seen.tiles
    rows, cols = grid.rows, grid.cols
    unread = float((seen.confidence < MARGIN).mean())
    number, square = bool((tiles > 0).any()), rows == cols
    known, usual = seen.theme.name != LEARNED, has_usual_size(grid)
    pictures = None if number or known else cut(frame, grid)
    short, long = sorted((grid.tile_w, grid.tile_h))
    return Evidence(
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
        halved=pictures is not None and repeats_within(pictures),
        stray=zeros_beside_hidden_ends(tiles) > MOST_ZEROS,
        goes_on=not (known or usual) and _goes_on(frame, grid, seen),
        cropped=proposal.is_crop and not proposal.is_whole,
    )


def has_usual_size(grid: Grid) -> bool:
    """Tell whether many programs have boards of this size."""
    rows, cols = grid.rows, grid.cols
    return (rows, cols) in USUAL_TOTALS or (rows == cols and rows in USUAL_SQUARES)


def _goes_on(frame: Frame, grid: Grid, seen: Recognition) -> bool:
    """Tell whether tiles, lines or open ground like its own lie beside a grid."""
    if (seen.tiles > 0).any() and (may_go_on(frame, grid, seen.tiles) or lines_go_on(frame, grid)):
        return True
    return has_tiles_beside(frame, grid, seen.tiles)


class FoundBoard(NamedTuple):
    """A proposal, what its tiles were recognised as, and what speaks for a board."""

    proposal: Proposal
    recognition: Recognition
    evidence: Evidence

    @property
    def score(self) -> float:
        """The logarithm of the odds that it is a board."""
        return self.evidence.score

    @property
    def grid(self) -> Grid:
        """Where it lies."""
        return self.proposal.grid

    @property
    def may_be_whole(self) -> bool:
        """Whether all of the board is in sight, or the picture is a crop along it."""
        return self.proposal.is_whole or self.proposal.is_crop

    @property
    def is_readable(self) -> bool:
        """Whether every tile can be read; else something may lie over the board."""
        return bool((self.recognition.confidence >= MARGIN).all())

    @property
    def known_tiles(self) -> NDArray[np.int8]:
        """The tiles, unknown where in doubt."""
        sure = self.recognition.confidence >= MARGIN
        return np.where(sure, self.recognition.tiles, UNREAD).astype(np.int8)


def judged(frame: Frame, proposal: Proposal, themes: Sequence[Theme] | None) -> FoundBoard:
    """Read a proposed grid by ``themes``, None for the built-in ones, and score it.

    A program that has a smiley must show it: many pages have its tiles, and another smiley, or
    none, and other rules.
    """
    grid = proposal.grid
    known = builtin_themes() if themes is None else themes
    shown = [one for one in known if shows_smiley(frame, grid, one.smileys)]
    seen = recognise(frame, grid, themes=shown)
    return FoundBoard(proposal, seen, evidence_of(frame, proposal, seen))


def best_at_each_place(boards: Sequence[FoundBoard]) -> list[FoundBoard]:
    """Keep the best of boards that overlap (non-maximum suppression), the best of all first.

    Of nearly equal ones that is one which is not wholly in sight: the other is a piece of it.
    """
    kept: list[FoundBoard] = []
    ranked = sorted(boards, key=lambda one: one.score - PIECE * one.may_be_whole, reverse=True)
    for board in ranked:
        if not any(overlap(board.grid.bounds, other.grid.bounds) > MOST_OVERLAP for other in kept):
            kept.append(board)
    return kept


def rivals(boards: Sequence[FoundBoard]) -> list[FoundBoard]:
    """Return the best board, which is the first, and those that are not far less likely."""
    return [one for one in boards if one.score > boards[0].score - FAR_BEHIND]


def without_strange_ends(frame: Frame, board: FoundBoard) -> Grid:
    """Return a grid without the rows and columns at its ends that can hardly be read.

    The panel above a board may fit its lattice, or a line of the page lie a tile away from it. All
    hidden tiles of a known program look alike.
    """
    strange = board.recognition.confidence < MARGIN
    if board.evidence.known:
        strange |= _unlike_hidden(frame, board)
    rows = np.flatnonzero(strange.mean(axis=1) < STRANGE_END)
    cols = np.flatnonzero(strange.mean(axis=0) < STRANGE_END)
    if not len(rows) or not len(cols):
        return board.grid
    return board.grid.part(Cell(int(rows[0]), int(cols[0])), Cell(int(rows[-1]), int(cols[-1])))


def _unlike_hidden(frame: Frame, board: FoundBoard) -> NDArray[np.bool_]:
    """Mark what is read as hidden, but looks unlike most hidden tiles, ``(rows, cols)``."""
    hidden = np.asarray(board.recognition.tiles == Tile.HIDDEN)
    if not hidden.any():
        return hidden
    pictures = cut(frame, board.grid)
    strange = hidden.copy()
    strange[hidden] = (
        mean_steps(pictures[hidden], np.median(pictures[hidden], axis=0)) > SAME_HIDDEN
    )
    return strange
