"""Tell which grids of a frame are Minesweeper boards.

Drawn lines, or what repeats in the frame, give candidates. Each candidate is read, and it counts
only if its tiles form a Minesweeper board: keypads, spreadsheets and squared paper do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from calibration.boards.candidate import SURELY_DRAWN, FoundBoard, plausible_boards, read_grids
from calibration.boards.patterns import seems_no_board, without_texture
from calibration.errors import NoGrid, UnreadableGrid
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.boxes import find_box_grids
from calibration.locate.lines.candidates import LEAST_OBLONG, TINY
from calibration.locate.lines.crosses import (
    MOST_OVERLAP,
    FoundLattice,
    find_lattices,
    find_oblong_lattices,
    find_small_lattices,
)
from calibration.locate.margins import may_go_on
from calibration.locate.repetition.borderless import find_borderless_grids, off_edges
from calibration.points import overlap
from calibration.theme import Theme

FULLY_DRAWN = 0.95
"""Least share of the lines drawn on a lattice of oblong tiles, below which square tiles may be
pieces of such; the same for square ones."""

MOST_SHIFT = 0.22
"""How far the lines of a grid found by lines may lie from those of one found without, in tiles:
half of a wide gap may lie between."""

LEAST_OFF_SQUARE = 1.08
"""Ratio of the sides of tiles from which square boxes are better: 1.15 where lines were drawn along
the upper edges of some rows of boxes and along the lower edges of others."""

SAME_PITCH = 0.1
"""How much the tiles of two grids on one board differ in size, as a share."""


def find_boards(frame: Frame, themes: Sequence[Theme] | None = None) -> list[FoundBoard]:
    """Find all boards of a frame that are wholly in sight, the likeliest first.

    A grid of an unusual size is none where digits lie beside it, nor one without any number where a
    part of a board shows numbers. Raises `NoGrid` if there is none: no board at all, or only a part
    of one, and `UnreadableGrid` if there is a grid with numbers on it that make no board.
    """
    found, oblong = find_lattices(frame), list[FoundLattice]()
    judged = read_grids(_whole(frame, found), frame, themes)
    boards = plausible_boards(judged)
    if not any(board.is_sure or board.grid.confidence >= FULLY_DRAWN for board in boards):
        oblong = [one for one in find_oblong_lattices(frame) if one.grid.confidence >= FULLY_DRAWN]
        grids = [one.grid for one in oblong]
        found = [one for one in found if not any(_contradicts(one.grid, grid) for grid in grids)]
        boards = [one for one in boards if not any(_contradicts(one.grid, grid) for grid in grids)]
    boards = [board for board in boards if not seems_no_board(frame, board)]
    if any(board.is_sure or board.has_usual_size for board in boards):
        return without_texture(frame, or_boxes(frame, boards, themes))
    parts = [one for one in (*found, *oblong) if not one.is_whole]
    parts_read = read_grids([one.grid for one in parts], frame, themes, in_part=True)
    seen = plausible_boards(parts_read)
    numbered = [board for board in parts_read if board.is_drawn_with_numbers]
    begun = bool(numbered) or any(board.shows_number for board in seen)
    if boards and not begun:
        return without_texture(frame, _or_square_tiles(frame, boards, themes))
    crops = {one.grid for one in parts if one.is_crop}
    boards = [board for board in seen if board.grid in crops and board.is_no_pattern]
    if boards:
        return boards
    known = {board.grid for board in (*seen, *numbered)}
    partial = [one for one in parts if one.grid in known]
    drawn = read_grids(_whole_boxes(frame, partial), frame, themes)
    drawn = [one for one in drawn if one.is_no_pattern or (one.is_fresh_and_whole and not begun)]
    boxes = plausible_boards(drawn)
    small = _no_patterns(_whole(frame, find_small_lattices(frame)), partial, frame, themes)
    # The boxes may be a part of a board of small tiles, or lie on the page around it.
    first = [one for one in small if one.is_sure or _holds(one, boxes)] or boxes
    if boards := [board for board in first if not seems_no_board(frame, board)]:
        return boards
    boards = _no_patterns(_whole(frame, oblong), partial, frame, themes) or small
    boards = boards or _repeating_boards(frame, partial, themes)
    whole = _whole(frame, found)
    # Where lines are drawn, what repeats at other places is a grid shifted by a part of a tile.
    agreeing = [
        board
        for board in boards
        if not any(_contradicts(board.grid, one) for one in whole)
        and not seems_no_board(frame, board)
    ]
    if not agreeing:
        unread = whole if boards else [one.grid for one in judged if one.is_drawn]
        raise _unreadable(judged) or NoGrid(_message(partial, unread))
    return agreeing


def is_found_at(frame: Frame, grid: Grid) -> bool:
    """Tell whether a search of the frame finds a grid at its place, or at least half of it.

    Half of it is enough because a dialog, or an end of the game that changes many tiles, may hide
    lines. A grid of the same size must lie at the same place.
    """
    lattices = [one.grid for one in find_lattices(frame)]
    oblong = find_oblong_lattices(frame) if _is_oblong(grid, LEAST_OBLONG) else ()
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


def or_boxes(
    frame: Frame, boards: Sequence[FoundBoard], themes: Sequence[Theme] | None
) -> Sequence[FoundBoard]:
    """Return the boards of boxes at the place of a board with tiles in doubt, if these are clear.

    Of tiles with wide gaps between them a lattice may hold the edges of neighbours.
    """
    if any(board.is_readable for board in boards):
        return boards
    boxes = plausible_boards(read_grids(find_box_grids(frame), frame, themes))
    clear = [one for one in boxes if one.is_readable and one.shows_number]
    return [one for one in clear if _lie_together(one.grid, boards[0].grid)] or boards


def _or_square_tiles(
    frame: Frame, boards: Sequence[FoundBoard], themes: Sequence[Theme] | None
) -> Sequence[FoundBoard]:
    """Return the fresh board of square tiles at the place of one with oblong tiles, if any.

    Of tiles with soft edges a lattice may hold every second line.
    """
    first = boards[0].grid
    if not _is_oblong(first, LEAST_OFF_SQUARE):
        return boards

    def here(grids: Iterable[Grid]) -> list[FoundBoard]:
        square = [one for one in grids if not _is_oblong(one, LEAST_OFF_SQUARE)]
        return read_grids([one for one in square if _lie_together(one, first)], frame, themes)

    if boxes := [one for one in here(find_box_grids(frame)) if one.is_fresh_and_whole]:
        return boxes
    repeated = plausible_boards(here(find_borderless_grids(frame)))
    return [one for one in repeated if one.is_fresh and one.has_usual_size] or boards


def _is_oblong(grid: Grid, least: float) -> bool:
    """Tell whether the longer sides of tiles are more than ``least`` times the shorter ones."""
    narrow, wide = sorted((grid.tile_w, grid.tile_h))
    return wide > least * narrow


def _lie_together(grid: Grid, other: Grid) -> bool:
    return overlap(grid.bounds, other.bounds) > MOST_OVERLAP


def _unreadable(judged: Sequence[FoundBoard]) -> UnreadableGrid | None:
    """Return the error for the first grid that shows numbers but is no board; None without any."""
    for grid, recognition in judged:
        if recognition.has_numbers:
            return UnreadableGrid(
                f"A grid of {grid.rows}×{grid.cols} was found, but its tiles cannot be read: they "
                "make no board.",
                grid,
            )
    return None


def _repeating_boards(
    frame: Frame, partial: Sequence[FoundLattice], themes: Sequence[Theme] | None
) -> list[FoundBoard]:
    """Return the boards without lines. Raises `UnreadableGrid` where their ends cannot be told."""
    found = _no_patterns(find_borderless_grids(frame), partial, frame, themes)
    ends = [board for board in found if not may_go_on(frame, board.grid, board.recognition.tiles)]
    if found and not ends:
        grid = found[0].grid
        raise UnreadableGrid(
            f"A grid of {grid.rows}×{grid.cols} was found, but where it ends cannot be told: its "
            "open tiles look like what lies around it.",
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
    judged = read_grids(_no_pieces(grids, partial), frame, themes)
    return plausible_boards([one for one in judged if one.is_no_pattern])


def _no_pieces(grids: Iterable[Grid], partial: Sequence[FoundLattice]) -> list[Grid]:
    return [grid for grid in grids if not any(one.has_piece(grid) for one in partial)]


def _whole_boxes(frame: Frame, partial: Sequence[FoundLattice]) -> list[Grid]:
    """Return the grids of boxes that are no pieces of a lattice with tiles of their size.

    Edges of boxes with wide gaps between them look like a lattice of larger tiles, too.
    """
    return [
        grid
        for grid in find_box_grids(frame)
        if not any(one.has_piece(grid) and _have_one_pitch(one.grid, grid) for one in partial)
    ]


def _holds(board: FoundBoard, parts: Sequence[FoundBoard]) -> bool:
    return any(board.grid.has_lines_of(part.grid) for part in parts)


def _have_one_pitch(one: Grid, other: Grid) -> bool:
    across, down = one.tile_w / other.tile_w, one.tile_h / other.tile_h
    return max(abs(across - 1), abs(down - 1)) <= SAME_PITCH


def _contradicts(grid: Grid, lattice: Grid) -> bool:
    """Tell whether a grid lies on a lattice that is about as large, but lacks some of its lines."""
    large = 2 * lattice.rows * lattice.cols >= grid.rows * grid.cols
    return (
        large
        and lattice.confidence >= SURELY_DRAWN
        and _lie_together(grid, lattice)
        and not grid.has_lines_of(lattice, MOST_SHIFT)
    )


def _message(partial: Sequence[FoundLattice], unread: Sequence[Grid]) -> str:
    """Say why no board can be used."""
    if not partial and unread:
        grid = unread[0]
        return (
            f"There is a grid of {grid.rows}×{grid.cols} near {round(grid.x0)},{round(grid.y0)}, "
            "but its tiles cannot be read, and no other board is in the picture."
        )
    if not partial:
        return "There is no Minesweeper board in the picture."
    first = partial[0]
    place = f"The board near {round(first.grid.x0)},{round(first.grid.y0)} is"
    if first.cut_at:
        return f"{place} cut off by the edge of the picture."
    return f"{place} not wholly in sight."
