"""A grid that may be a board: what its tiles were read as, and whether they make a board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.boards.beside import has_tiles_beside, with_tiles_beside
from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.recognise import MOST_UNREAD, Recognition, recognise
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.indicators.smiley import shows_smiley
from calibration.locate.boxes import without_drift
from calibration.locate.lines.crosses import MOST_OVERLAP
from calibration.locate.lines.growth import alike_part, rows_that_may_be_a_panel, share_like_hidden
from calibration.points import overlap
from calibration.rules import UNREAD, Mask, impossible_numbers, zeros_beside_hidden_ends
from calibration.theme import LEARNED, Theme, builtin_themes
from calibration.tiles import cut
from solver.board import Cell, Tile
from solver.mine_total import USUAL_TOTALS

PLAUSIBLE = 0.4
"""Least plausibility of a board; a board with all cells hidden has 0.5 (see `Recognition`)."""

MOST_CANDIDATES = 12
"""Most grids that are read."""

SURE, MOST_TILES = 0.9, 0.5
"""Confidence of a tile that is surely one, and the largest share of such in a panel's rows, or of
hidden tiles in its last row."""

USUAL_SQUARES = {10, 12, 15}
"""Sides of other usual boards: of 52 boards on 33 pages 6 have ten rows and columns, and one each
twelve and fifteen."""

SURELY_DRAWN, SMALL = 0.9, 6
"""Least share of the lines drawn on a lattice that no grid without lines may contradict, and on a
board with fewer rows or columns than this."""

MOST_COPIES, OUTER, LESS_SURE = 40, 5, 0.95
"""Hidden tiles with which those at an end of a board are compared, without so many of their 24
pixels at that side; and how much less sure a grid is that began with a margin."""

UNLIKE, UNLIKE_ALONE = 1.5, 3.0
"""Mean difference of the tiles at an end from others, from which they are no copies: at several
ends, where none of 1,649 boards had two such ends, and at one."""

ALL_DRAWN, MOST_DOUBTFUL = 0.99, 0.1
"""Share of the lines drawn on a board over which nothing large lies, and the largest share of its
tiles in doubt, as under a pointer."""

FEWEST_TILES, LEAST_SQUARE = 64, 5
"""Equal icons in rows and columns, or days of a calendar, are fewer than this; and the rows from
which a square of them is a board."""

STRANGE_END = 0.6
"""Share of the tiles of a row or column at an end in doubt, from which it may be none: 7 of 9."""

MOST_ZEROS = 4
"""Zeros beside hidden lines at one end of a grid, above which its surroundings were taken for such
lines. 1,110 of 1,112 labelled boards have up to 2, two of pages that open cells one by one 3 and 4.
"""

BETTER_FIT = 0.05
"""How much better a grid fits than one of the same size whose tiles begin elsewhere."""


class FoundBoard(NamedTuple):
    """A grid, and what its tiles were recognised as."""

    grid: Grid
    recognition: Recognition

    @property
    def is_readable(self) -> bool:
        """Whether every tile can be read; else something may lie over the board."""
        return bool((self.recognition.confidence >= MARGIN).all())

    @property
    def known_tiles(self) -> NDArray[np.int8]:
        """The tiles, unknown where in doubt."""
        sure = self.recognition.confidence >= MARGIN
        return np.where(sure, self.recognition.tiles, UNREAD).astype(np.int8)

    @property
    def may_be_played(self) -> bool:
        """Whether it is readable, or has all its lines and few tiles in doubt."""
        clear = (self.recognition.confidence >= MARGIN).mean() >= 1 - MOST_DOUBTFUL
        drawn = self.is_drawn_with_numbers and self.grid.confidence >= ALL_DRAWN
        return self.is_readable or bool(drawn and clear)

    @property
    def shows_number(self) -> bool:
        """Whether a number is open, which no pattern shows."""
        return bool((self.recognition.tiles > 0).any())

    @property
    def may_be_strip(self) -> bool:
        """Whether it may be what a dialog leaves of a finished board: three tiles, none hidden."""
        hidden = self.recognition.tiles == Tile.HIDDEN
        return min(self.grid.rows, self.grid.cols) < 4 and not bool(hidden.any())

    @property
    def may_be_piece(self) -> bool:
        """Whether it may be a piece of a board of which not all lines are seen.

        It is small, faint, and no square.
        """
        rows, cols = self.grid.rows, self.grid.cols
        return min(rows, cols) < SMALL and rows != cols and self.grid.confidence < SURELY_DRAWN

    @property
    def holds_surroundings(self) -> bool:
        """Whether it holds what lies around a board, such as a wall whose bricks repeat."""
        return zeros_beside_hidden_ends(self.recognition.tiles) > MOST_ZEROS

    @property
    def is_known(self) -> bool:
        """Whether it has the tiles of a known program."""
        return self.recognition.theme.name != LEARNED

    @property
    def is_sure(self) -> bool:
        """Whether it can be no mere pattern: it shows a number, or a known program's tiles."""
        return self.shows_number or self.is_known

    @property
    def has_usual_size(self) -> bool:
        """Whether many programs have this size, and hardly any pattern or table."""
        rows, cols = self.grid.rows, self.grid.cols
        return (rows, cols) in USUAL_TOTALS or (rows == cols and rows in USUAL_SQUARES)

    @property
    def is_drawn(self) -> bool:
        """Whether the lines of a large grid are drawn, whatever its cells show."""
        large = self.grid.rows * self.grid.cols >= FEWEST_TILES
        return large and self.grid.confidence >= SURELY_DRAWN

    @property
    def is_drawn_with_numbers(self) -> bool:
        """Whether it is a board, though it can be read only in part: lines and numbers."""
        return self.grid.confidence >= SURELY_DRAWN and self.recognition.has_numbers

    @property
    def is_no_pattern(self) -> bool:
        """Whether it shows a number (several, if a part is unread) or has a usual size."""
        numbers = self.shows_number if self.is_readable else self.recognition.has_numbers
        return numbers or self.has_usual_size

    @property
    def is_fresh(self) -> bool:
        """Whether all its cells are hidden."""
        return bool((self.recognition.tiles == Tile.HIDDEN).all()) and self.is_readable

    @property
    def is_fresh_and_whole(self) -> bool:
        """Whether all its cells have an edge and are hidden, and are more than icons in rows."""
        rows, cols = self.grid.rows, self.grid.cols
        large = rows * cols >= FEWEST_TILES or rows == cols >= LEAST_SQUARE
        return large and self.is_fresh and self.grid.confidence == 1.0


def read_grids(
    grids: Sequence[Grid], frame: Frame, themes: Sequence[Theme] | None, *, in_part: bool = False
) -> list[FoundBoard]:
    """Read the candidates. Those known to be ``in_part``, cut off or covered, are not widened."""
    return [_read_candidate(frame, grid, themes, not in_part) for grid in grids[:MOST_CANDIDATES]]


def plausible_boards(judged: Sequence[FoundBoard]) -> list[FoundBoard]:
    """Keep the plausible boards; of overlapping ones, the best.

    A board cut at other places, of the same size, is the better one if it fits better, even if
    the tiles of the other one, where their digits are cut off, can be read.
    """
    plausible = [
        board
        for board in judged
        if board.recognition.plausibility >= PLAUSIBLE
        and not (board.may_be_strip or board.may_be_piece or board.holds_surroundings)
    ]
    plausible.sort(key=lambda one: one.grid.confidence * one.recognition.plausibility, reverse=True)
    plausible = [one for one in plausible if not any(_is_cut_better(o, one) for o in plausible)]
    kept: list[FoundBoard] = []
    for board in plausible:
        if not any(overlap(board.grid.bounds, other.grid.bounds) > MOST_OVERLAP for other in kept):
            kept.append(board)
    return kept


def _is_cut_better(one: FoundBoard, other: FoundBoard) -> bool:
    """Tell whether a board lies at the place of another one of its size, and fits better.

    Or it has as many tiles, and all of them can be read but not those of the other one.
    """
    if overlap(one.grid.bounds, other.grid.bounds) <= MOST_OVERLAP:
        return False
    same = (one.grid.rows, one.grid.cols) == (other.grid.rows, other.grid.cols)
    if same and one.grid.confidence >= other.grid.confidence + BETTER_FIT:
        return True
    as_large = one.grid.rows * one.grid.cols >= other.grid.rows * other.grid.cols
    return as_large and one.shows_number and one.is_readable and not other.is_readable


def _read_candidate(
    frame: Frame, grid: Grid, themes: Sequence[Theme] | None, may_grow: bool
) -> FoundBoard:
    """Read a candidate; if it is no board, try its tiles that are alike, or all but a few rows.

    The panel above a board, with counter and smiley, can happen to fit its lattice. What is left
    of a board without them must be read whole if the board with them is plausible, too, and those
    rows must hardly show a tile, least of all digits.
    """
    whole = FoundBoard(grid, _recognise(frame, grid, themes))
    plausible = whole.recognition.plausibility >= PLAUSIBLE
    if plausible and (inner := _without_margins(frame, whole, themes)):
        return inner
    grows = plausible and whole.shows_number and may_grow
    if grows and (wider := _with_tiles_beside(frame, whole, themes)):
        return wider
    if plausible and whole.is_readable:
        return whole
    if not plausible and (part := alike_part(frame, grid)):
        part = without_drift(frame, part)
        fresh = FoundBoard(part, _recognise(frame, part, themes))
        if fresh.is_readable:
            return fresh
    pictures = cut(frame, grid)
    for rows in rows_that_may_be_a_panel(pictures):
        if (whole.recognition.tiles[rows:] == UNREAD).mean() > MOST_UNREAD:
            continue
        if share_like_hidden(pictures, whole.recognition.tiles, rows) > MOST_TILES:
            continue
        if plausible and (whole.recognition.confidence[:rows] >= SURE).mean() >= MOST_TILES:
            continue
        below = grid.without_top(rows)
        if has_tiles_beside(frame, below, whole.recognition.tiles[rows:]):
            break
        rest = FoundBoard(below, _recognise(frame, below, themes))
        if rest.recognition.plausibility >= PLAUSIBLE and (rest.is_readable or not plausible):
            return rest
    return whole


def _recognise(frame: Frame, grid: Grid, themes: Sequence[Theme] | None) -> Recognition:
    """Recognise the tiles of a candidate by ``themes``; None stands for the built-in ones.

    A program that has a smiley must show it: many pages have its tiles, and another smiley, or
    none, and other rules.
    """
    known = builtin_themes() if themes is None else themes
    themes = [one for one in known if shows_smiley(frame, grid, one.smileys)]
    return recognise(frame, grid, themes=themes)


def _with_tiles_beside(
    frame: Frame, board: FoundBoard, themes: Sequence[Theme] | None
) -> FoundBoard | None:
    """Return a board with the rows and columns of tiles beside it; None if it has all of them.

    Nor if it has a usual size, or cannot be read with them, or its numbers are wrong then: buttons
    may look like tiles. Where open tiles have the colour of the page, its lines are hardly seen.
    """
    tiles = board.recognition.tiles
    wider = board.grid if board.has_usual_size else with_tiles_beside(frame, board.grid, tiles)
    if wider == board.grid:
        return None
    whole = FoundBoard(wider, _recognise(frame, wider, themes))
    likely = whole.recognition.plausibility >= PLAUSIBLE and whole.is_readable
    wrong, wrong_before = map(impossible_numbers, (whole.recognition.tiles, tiles))
    return whole if likely and wrong.sum() <= wrong_before.sum() else None


def _without_margins(
    frame: Frame, board: FoundBoard, themes: Sequence[Theme] | None
) -> FoundBoard | None:
    """Return a board without the rows and columns at its ends that are none; None if all are.

    The margin of a panel around the tiles may be as wide as one, and its edges drawn like theirs:
    then its hidden tiles are no copies of others. Or a line of the page lies a tile away from the
    board, and hardly anything between them can be read, but everything else.
    """
    grid, hidden = board.grid, board.recognition.tiles == Tile.HIDDEN
    lines = [(axis, end) for axis in (0, 1) for end in (0, -1)]
    if board.is_readable:
        margins = [one for one in lines if hidden.take(one[1], one[0]).all()]
        if margins:
            pictures, inner = cut(frame, grid).astype(np.int16), hidden.copy()
            inner[[0, -1]] = inner[:, [0, -1]] = False
            off = {one: _unlike(pictures, inner, *one) for one in margins}
            margins = [one for one in margins if off[one] > UNLIKE]
            if len(margins) == 1 and not (board.shows_number and off[margins[0]] > UNLIKE_ALONE):
                margins = []
    else:
        doubtful = board.recognition.confidence < MARGIN
        margins = [one for one in lines if doubtful.take(one[1], one[0]).mean() >= STRANGE_END]
    if not margins:
        return None
    top, bottom, left, right = (one in margins for one in lines)
    first, last = Cell(int(top), int(left)), Cell(grid.rows - 1 - bottom, grid.cols - 1 - right)
    # Its confidence is that of a grid which had lines of the panel.
    part = replace(grid.part(first, last), confidence=LESS_SURE * grid.confidence)
    rest = FoundBoard(part, _recognise(frame, part, themes))
    likely = rest.recognition.plausibility >= PLAUSIBLE and rest.is_readable
    return rest if likely else None


def _unlike(pictures: NDArray[np.int16], inner: Mask, axis: int, end: int) -> float:
    """Return how much the tiles of the first (``end`` 0) or last row, or column, differ.

    It is 0 if some are copies of others, the hidden tiles that ``inner`` marks. The edge of a tile
    at the end of a board may be drawn otherwise, so a strip at that side is left out.
    """
    side = slice(OUTER, None) if end == 0 else slice(None, -OUTER)
    shown = pictures[:, :, side] if axis == 0 else pictures[:, :, :, side]
    own, others = (shown[end] if axis == 0 else shown[:, end])[1:-1], shown[inner][:MOST_COPIES]
    if not 2 <= len(own) <= len(others):
        return 0.0
    off = min(_nearest(one, others) for one in own)
    if off <= UNLIKE:
        return 0.0
    usual = max(_nearest(one, np.delete(others, k, 0)) for k, one in enumerate(others))
    return off if off > 2 * usual else 0.0


def _nearest(picture: NDArray[np.int16], others: NDArray[np.int16]) -> float:
    """Return the least mean difference of a picture from others ``(n, s, s, 3)``."""
    return float(np.abs(others - picture).mean(axis=(1, 2, 3)).min())
