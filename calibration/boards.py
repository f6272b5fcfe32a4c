"""Tell which grids of a frame are Minesweeper boards.

Drawn lines, or what repeats in the frame, give candidates. Each candidate is read, and it counts
only if its tiles form a Minesweeper board: keypads, spreadsheets and squared paper do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from calibration.classify.decoding.decode import MARGIN
from calibration.classify.recognise import MOST_UNREAD, Recognition, has_tiles_beside, recognise
from calibration.errors import NoGrid, UnreadableGrid
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.boxes import find_box_grids, without_drift
from calibration.locate.lines.candidates import LEAST_OBLONG, TINY
from calibration.locate.lines.crosses import (
    MOST_OVERLAP,
    FoundLattice,
    find_lattices,
    find_oblong_lattices,
    find_small_lattices,
)
from calibration.locate.lines.growth import alike_part, rows_that_may_be_a_panel, share_like_hidden
from calibration.locate.margins import may_go_on
from calibration.locate.repetition.borderless import find_borderless_grids, off_edges
from calibration.points import overlap
from calibration.rules import UNREAD
from calibration.theme import LEARNED, Theme
from calibration.tiles import cut
from solver.board import Tile
from solver.mine_total import USUAL_TOTALS

FAINT_SHARE = 0.2
"""Contrast of a fresh board, as a share of another's, below which it is a texture. Measured: 0.07
for noise on a page beside a board; two boards beside each other have nearly the same."""

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

SURELY_DRAWN, SMALL, FULLY_DRAWN = 0.9, 6, 0.95
"""Least share of the lines drawn on a lattice that no grid without lines may contradict, and on a
board with fewer rows or columns than this; and that share on a lattice of oblong tiles, below which
square tiles may be pieces of such."""

MOST_SHIFT = 0.22
"""How far the lines of a grid found by lines may lie from those of one found without, in tiles:
half of a wide gap may lie between."""


class FoundBoard(NamedTuple):
    """A grid, and what its tiles were recognised as."""

    grid: Grid
    recognition: Recognition

    @property
    def is_readable(self) -> bool:
        """Whether every tile can be read; else something may lie over the board."""
        return bool((self.recognition.confidence >= MARGIN).all())

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
        """Whether it may be a piece of a board of which not all lines are seen: small and faint."""
        return min(self.grid.rows, self.grid.cols) < SMALL and self.grid.confidence < SURELY_DRAWN

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


def find_boards(frame: Frame, themes: Sequence[Theme] | None = None) -> list[FoundBoard]:
    """Find all boards of a frame that are wholly in sight, the likeliest first.

    A grid of an unusual size is none where digits lie beside it, nor one without any number where a
    part of a board shows numbers. Raises `NoGrid` if there is none: no board at all, or only a part
    of one, and `UnreadableGrid` if there is a grid with numbers on it that make no board.
    """
    found, oblong = find_lattices(frame), list[FoundLattice]()
    judged = _read(_whole(frame, found), frame, themes)
    boards = _plausible(judged)
    if not any(board.is_sure or board.grid.confidence >= FULLY_DRAWN for board in boards):
        oblong = [one for one in find_oblong_lattices(frame) if one.grid.confidence >= FULLY_DRAWN]
        grids = [one.grid for one in oblong]
        found = [one for one in found if not any(_contradicts(one.grid, grid) for grid in grids)]
        boards = [one for one in boards if not any(_contradicts(one.grid, grid) for grid in grids)]
    boards = [board for board in boards if not _seems_a_piece(frame, board)]
    if any(board.is_sure or board.has_usual_size for board in boards):
        return _without_texture(frame, boards)
    parts = [one for one in (*found, *oblong) if not one.is_whole]
    parts_read = _read([one.grid for one in parts], frame, themes)
    seen = _plausible(parts_read)
    numbered = [board for board in parts_read if _is_drawn_with_numbers(board)]
    if boards and not (numbered or any(board.shows_number for board in seen)):
        return _without_texture(frame, boards)
    crops = {one.grid for one in parts if one.is_crop}
    boards = [board for board in seen if board.grid in crops and _is_no_pattern(board)]
    if boards:
        return boards
    known = {board.grid for board in (*seen, *numbered)}
    partial = [one for one in parts if one.grid in known]
    boxes = _no_patterns(find_box_grids(frame), partial, frame, themes)
    if boards := [board for board in boxes if not _seems_a_piece(frame, board)]:
        return boards
    boards = _boards_of_another_kind(frame, oblong, partial, themes)
    whole = _whole(frame, found)
    # Where lines are drawn, what repeats at other places is a grid shifted by a part of a tile.
    agreeing = [
        board
        for board in boards
        if not any(_contradicts(board.grid, one) for one in whole)
        and not _seems_a_piece(frame, board)
    ]
    if not agreeing:
        raise _unreadable(judged) or NoGrid(_message(partial, whole if boards else ()))
    return agreeing


def is_found_at(frame: Frame, grid: Grid) -> bool:
    """Tell whether a search of the frame finds a grid at its place, or at least half of it.

    Half of it is enough because a dialog, or an end of the game that changes many tiles, may hide
    lines. A grid of the same size must lie at the same place.
    """
    lattices = [one.grid for one in find_lattices(frame)]
    narrow, wide = sorted((grid.tile_w, grid.tile_h))
    oblong = find_oblong_lattices(frame) if wide > LEAST_OBLONG * narrow else ()
    if any(_is_mostly(one, grid) for one in (*lattices, *(other.grid for other in oblong))):
        return True
    if any(_contradicts(grid, one) for one in lattices):
        return False
    small = (one.grid for one in find_small_lattices(frame))
    others = small if grid.tile_w < TINY.largest_px else ()
    searches = chain(find_box_grids(frame), others, find_borderless_grids(frame))
    return any(_is_mostly(found, grid) for found in searches)


def _is_mostly(found: Grid, grid: Grid) -> bool:
    """Tell whether ``found`` is ``grid``, or a piece of it with at least half of its cells."""
    cells = found.rows * found.cols
    return 2 * cells >= grid.rows * grid.cols and grid.has_lines_of(found)


def _whole(frame: Frame, lattices: Sequence[FoundLattice]) -> list[Grid]:
    return [off_edges(frame, one.grid) for one in lattices if one.is_whole]


def _read(grids: Sequence[Grid], frame: Frame, themes: Sequence[Theme] | None) -> list[FoundBoard]:
    """Read the candidates."""
    return [_read_candidate(frame, grid, themes) for grid in grids[:MOST_CANDIDATES]]


def _without_texture(frame: Frame, boards: Sequence[FoundBoard]) -> list[FoundBoard]:
    """Leave out what has far less contrast within tiles than another board, as a texture has."""
    if len(boards) < 2:
        return list(boards)
    usual = [np.median(cut(frame, one.grid).std(axis=(2, 3)).max(axis=2)) for one in boards]
    pairs = zip(boards, usual, strict=True)
    return [one for one, own in pairs if one.is_sure or own >= FAINT_SHARE * max(usual)]


def _unreadable(judged: Sequence[FoundBoard]) -> UnreadableGrid | None:
    """Return the error for the first grid that shows numbers but is no board; None without any."""
    for grid, recognition in judged:
        if recognition.has_numbers:
            return UnreadableGrid(
                f"A grid of {grid.rows}×{grid.cols} was found, but its tiles cannot be read: they "
                "make no board. Is something over it? `minebot read --explain` tells more.",
                grid,
            )
    return None


def _plausible(judged: Sequence[FoundBoard]) -> list[FoundBoard]:
    """Keep the plausible boards; of overlapping ones, the best."""
    plausible = [
        board
        for board in judged
        if board.recognition.plausibility >= PLAUSIBLE
        and not (board.may_be_strip or board.may_be_piece)
    ]
    plausible.sort(key=lambda one: one.grid.confidence * one.recognition.plausibility, reverse=True)
    kept: list[FoundBoard] = []
    for board in plausible:
        if not any(overlap(board.grid.bounds, other.grid.bounds) > MOST_OVERLAP for other in kept):
            kept.append(board)
    return kept


def _read_candidate(frame: Frame, grid: Grid, themes: Sequence[Theme] | None) -> FoundBoard:
    """Read a candidate; if it is no board, try its tiles that are alike, or all but a few rows.

    The panel above a board, with counter and smiley, can happen to fit its lattice. What is left
    of a board without them must be read whole if the board with them is plausible, too, and those
    rows must hardly show a tile, least of all digits.
    """
    whole = FoundBoard(grid, recognise(frame, grid, themes=themes))
    plausible = whole.recognition.plausibility >= PLAUSIBLE
    if plausible and whole.is_readable:
        return whole
    if not plausible and (part := alike_part(frame, grid)):
        part = without_drift(frame, part)
        fresh = FoundBoard(part, recognise(frame, part, themes=themes))
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
        rest = FoundBoard(below, recognise(frame, below, themes=themes))
        if rest.recognition.plausibility >= PLAUSIBLE and (rest.is_readable or not plausible):
            return rest
    return whole


def _boards_of_another_kind(
    frame: Frame,
    oblong: Sequence[FoundLattice],
    partial: Sequence[FoundLattice],
    themes: Sequence[Theme] | None,
) -> list[FoundBoard]:
    """Return the boards of ``oblong`` or small tiles or, failing that, those that repeat."""
    for lattices in (oblong, find_small_lattices(frame)):
        if drawn := _no_patterns(_whole(frame, lattices), partial, frame, themes):
            return drawn
    found = _no_patterns(find_borderless_grids(frame), partial, frame, themes)
    ends = [board for board in found if not may_go_on(frame, board.grid, board.recognition.tiles)]
    if found and not ends:
        grid = found[0].grid
        raise UnreadableGrid(
            f"A grid of {grid.rows}×{grid.cols} was found, but where it ends cannot be told: its "
            "open tiles look like what lies around it. Start a new game.",
            grid,
        )
    return ends


def _no_patterns(
    grids: Iterable[Grid],
    partial: Sequence[FoundLattice],
    frame: Frame,
    themes: Sequence[Theme] | None,
) -> list[FoundBoard]:
    """Read grids without lines; keep boards, no mere patterns and no pieces of ``partial`` ones."""
    rest = [grid for grid in grids if not any(one.has_piece(grid) for one in partial)]
    return _plausible([one for one in _read(rest, frame, themes) if _is_no_pattern(one)])


def _seems_a_piece(frame: Frame, board: FoundBoard) -> bool:
    """Tell whether tiles lie beside a grid, or open ones that look like its surroundings may.

    Not if its size is usual, or its program known.
    """
    if board.is_known or board.has_usual_size:
        return False
    tiles = board.recognition.tiles
    goes_on = board.shows_number and may_go_on(frame, board.grid, tiles)
    return goes_on or has_tiles_beside(frame, board.grid, tiles)


def _contradicts(grid: Grid, lattice: Grid) -> bool:
    """Tell whether a grid lies on a lattice that is about as large, but lacks some of its lines."""
    large = 2 * lattice.rows * lattice.cols >= grid.rows * grid.cols
    return (
        large
        and lattice.confidence >= SURELY_DRAWN
        and overlap(grid.bounds, lattice.bounds) > MOST_OVERLAP
        and not grid.has_lines_of(lattice, MOST_SHIFT)
    )


def _is_drawn_with_numbers(board: FoundBoard) -> bool:
    """Tell whether a grid is a board, though it can be read only in part: lines and numbers."""
    return board.grid.confidence >= SURELY_DRAWN and board.recognition.has_numbers


def _is_no_pattern(board: FoundBoard) -> bool:
    """Tell whether a board shows a number (several, if a part is unread) or has a usual size."""
    numbers = board.shows_number if board.is_readable else board.recognition.has_numbers
    return numbers or board.has_usual_size


def _message(partial: Sequence[FoundLattice], unread: Sequence[Grid]) -> str:
    """Say why no board can be used, and what to do."""
    if not partial and unread:
        grid = unread[0]
        return (
            f"There is a grid of {grid.rows}x{grid.cols} near {round(grid.x0)},{round(grid.y0)}, "
            "but its tiles cannot be read."
        )
    if not partial:
        return (
            "There is no Minesweeper board in the picture. Bring its window to the front, "
            "wholly on the screen."
        )
    first = partial[0]
    place = f"The board near {round(first.grid.x0)},{round(first.grid.y0)} is"
    if first.cut_at:
        return (
            f"{place} cut off by the edge of the picture: move its window wholly onto the screen."
        )
    return f"{place} not wholly in sight: make its window larger, or move away what lies over it."
