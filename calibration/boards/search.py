"""Find the Minesweeper boards of a frame.

Finders only propose grids. Each grid is read, and one score (`calibration.boards.ranking`) says how
likely it is a board, not a keypad, a spreadsheet or squared paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from calibration.boards.ranking import (
    ACCEPT,
    FEWEST_TILES,
    MOST_OVERLAP,
    REFUSE,
    FoundBoard,
    best_at_each_place,
    judged,
    without_strange_ends,
)
from calibration.errors import NoGrid, UnreadableGrid, UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid, PixelPoint, overlap
from calibration.locate.boxes import find_box_grids
from calibration.locate.crosses import find_lattices, find_oblong_lattices, find_small_lattices
from calibration.locate.extent import MIN_SIDE, is_texture
from calibration.locate.repetition import centred, off_edges, repeating_regions
from calibration.locate.sides import Proposal, cut_sides, is_crop
from calibration.read.board import is_cut_off
from calibration.read.place import ShownPicture, place_board
from calibration.theme import Theme

MOST_READ = 3
"""Most proposals of one finder that are read."""

ENOUGH_CELLS, ENOUGH_DIFFERENT = 15_000, 4_000
"""No further grid of a picture is read after so many cells, or so many different tiles: a cell
takes 0.2 ms, a different tile 0.7 ms more."""

LEAST_DRAWN = 0.9
"""A refused grid is mentioned in the message if at least this share of its lines is drawn."""

MOST_SHIFT = 0.22
"""How far the lines of repeating cells may lie from drawn lines, in tiles: on either side of the
gaps between tiles."""


LEAST_ODDS = 4.0
"""Least mean log-odds by the network that the cells of a lattice are tiles."""

CERTAIN_ODDS = 9.0
"""Log-odds from which a lattice is as certain as one whose lines are all visible."""

MOST_PLACED = 4_000
"""Largest number of cells of a repeating part in which the network searches a board: it takes a
second."""


def find_boards(frame: Frame, themes: Sequence[Theme] | None = None) -> list[FoundBoard]:
    """Find the boards that are completely visible in a frame, the likeliest first.

    No further finder is asked once a proposed grid is certainly a board, or once more cells were
    read than any board has.

    Raises `NoGrid` if there is no board or only a part of one, and `UnreadableGrid` if there is a
    grid with numbers that is not a possible board.
    """
    found: list[FoundBoard] = []
    best: list[FoundBoard] = []
    for proposals in _proposals(frame):
        for proposal in proposals:
            if _read_enough(found):
                break
            found += _judged(frame, proposal, themes)
        best = [one for one in best_at_each_place(found) if not _lacks_lines(one, found)]
        sure = [one for one in best if one.score >= ACCEPT]
        if sure:
            return _in_sight(frame, sure)
        if _read_enough(found):
            raise _refusal(frame, found)
    likely = [one for one in best if one.score > REFUSE]
    if likely:
        return _in_sight(frame, likely)
    raise _refusal(frame, found)


def _read_enough(found: Sequence[FoundBoard]) -> bool:
    """Whether so many cells of a picture were read that no further grid is read."""
    different = sum(one.recognition.different for one in found)
    return _cells_of(found) > ENOUGH_CELLS or different > ENOUGH_DIFFERENT


def _cells_of(found: Sequence[FoundBoard]) -> int:
    return sum(one.grid.rows * one.grid.cols for one in found)


def _proposals(frame: Frame) -> Iterator[list[Proposal]]:
    """Yield the proposals of each finder: first the completely visible ones, then the others."""
    for find in FINDERS:
        few = islice(find(frame), MOST_READ)
        first = [one for one in few if not is_texture(one.grid.rows, one.grid.cols)]
        yield [one for one in first if one.is_whole]
        yield [one for one in first if not one.is_whole]


def _judged(
    frame: Frame, proposal: Proposal, themes: Sequence[Theme] | None
) -> Iterator[FoundBoard]:
    """Score a proposal, and its grid without the outer rows and columns that can hardly be read."""
    whole = judged(frame, proposal, themes)
    yield whole
    inner = without_strange_ends(frame, whole)
    if inner != proposal.grid:
        yield judged(frame, proposal._replace(grid=inner), themes)


def _lacks_lines(board: FoundBoard, found: Sequence[FoundBoard]) -> bool:
    """Whether repeating cells lack drawn lines that are there, with numbers between them."""
    return not board.proposal.is_edged and any(
        other.evidence.numbers and _contradicts(other.proposal, board.grid) for other in found
    )


def _contradicts(drawn: Proposal, grid: Grid) -> bool:
    """Whether a grid lacks lines of a completely drawn one of about the same size."""
    one = drawn.grid
    return (
        drawn.is_edged
        and one.confidence >= LEAST_DRAWN
        and 2 * one.rows * one.cols >= grid.rows * grid.cols
        and overlap(grid.bounds, one.bounds) > MOST_OVERLAP
        and not grid.has_lines_of(one, MOST_SHIFT)
    )


def _in_sight(frame: Frame, boards: Sequence[FoundBoard]) -> list[FoundBoard]:
    """Return the boards that are completely visible. Raises `NoGrid` if none is."""
    whole = [one for one in boards if one.may_be_whole]
    if not whole:
        raise NoGrid(_partial_message(frame, boards[0].proposal))
    uncut = [one for one in whole if not is_cut_off(frame.pixels, one.grid)]
    if not uncut:
        raise NoGrid(f"{_place(frame, whole[0].grid)} cut off by the edge of the picture.")
    return uncut


def is_found_at(frame: Frame, grid: Grid) -> bool:
    """Whether a finder proposes a grid at its place, or at least half of it.

    Half is enough because a dialog, or an end of the game that changes many tiles, may hide lines.
    A grid of the same size must lie at the same place.
    """
    contradicted = False
    for proposal in chain.from_iterable(find(frame) for find in FINDERS):
        if _is_mostly(proposal.grid, grid) and (proposal.is_edged or not contradicted):
            return True
        contradicted |= _contradicts(proposal, grid)
    return False


def _is_mostly(found: Grid, grid: Grid) -> bool:
    """Whether ``found`` is ``grid``, or a piece with at least half of its cells."""
    cells = found.rows * found.cols
    return 2 * cells >= grid.rows * grid.cols and grid.has_lines_of(found)


def _refusal(frame: Frame, found: Sequence[FoundBoard]) -> NoGrid | UnreadableGrid:
    """Return the error for a frame without a usable board."""
    for board in found:
        grid = board.grid
        covered = board.evidence.tiles_beside and not board.evidence.few
        if board.recognition.has_numbers or board.evidence.numbers or covered:
            return UnreadableGrid(_unreadable_message(board), grid)
    if _read_enough(found):
        return NoGrid(
            f"The grids that were read have {_cells_of(found):,} cells, but none is a board; "
            "no more were looked for: cut the picture to the board."
        )
    drawn = [one.grid for one in found if one.grid.confidence >= LEAST_DRAWN]
    return NoGrid(_message(frame, [one for one in drawn if one.rows * one.cols >= FEWEST_TILES]))


def _partial_message(frame: Frame, proposal: Proposal) -> str:
    """Describe where a board lies that is only partly visible."""
    place = _place(frame, proposal.grid)
    if proposal.cut_at:
        return f"{place} cut off by the edge of the picture."
    return f"{place} not completely visible."


def _place(frame: Frame, grid: Grid) -> str:
    return f"The board near {_corner(frame, grid)} is"


def _unreadable_message(board: FoundBoard) -> str:
    """Explain why a grid with numbers is refused."""
    found = f"A grid of {board.grid.rows}×{board.grid.cols} was found, but "
    if board.evidence.tiles_beside:
        return f"{found}tiles like its own lie beside it: something seems to cover the others."
    if board.evidence.goes_on:
        return f"{found}it is not clear where it ends: its open tiles look like what is around it."
    return f"{found}its tiles cannot be read: they are not a possible board."


def _corner(frame: Frame, grid: Grid) -> str:
    """Return where a grid begins, in units of the mouse; for a file these are its pixels."""
    corner = frame.to_screen(PixelPoint(grid.x0, grid.y0))
    return f"{corner.x},{corner.y}"


def _message(frame: Frame, unread: Sequence[Grid]) -> str:
    """Return the error that there is no board; it mentions a refused grid."""
    if not unread:
        return "There is no Minesweeper board in the picture."
    grid = unread[0]
    return (
        f"There is a grid of {grid.rows}×{grid.cols} near {_corner(frame, grid)}, "
        "but its tiles cannot be read, and no other board is in the picture."
    )


# ---- the finders, in the order in which they are asked -------------------------------------------

Finder = Callable[[Frame], Iterable[Proposal]]


def _of_lattices(find: Finder) -> Finder:
    """Return a finder of lattices whose lines are moved to the middle of wide gaps."""

    def proposals(frame: Frame) -> Iterator[Proposal]:
        for one in find(frame):
            yield one._replace(grid=off_edges(frame, one.grid)) if one.is_whole else one

    return proposals


def _boxes(frame: Frame) -> Iterator[Proposal]:
    return map(Proposal, find_box_grids(frame))


def _placed(frame: Frame) -> Iterator[Proposal]:
    """Yield the boards that the network sees where the frame repeats."""
    picture = ShownPicture(frame.pixels)
    for region in repeating_regions(frame):
        if region.cells > MOST_PLACED:
            continue
        try:
            placed = place_board(picture, region.lattice)
        except UnreadableTiles:
            return
        if placed is None or placed.odds < LEAST_ODDS:
            continue
        grid = centred(frame, placed.grid)
        grid = replace(grid, confidence=min(1.0, placed.odds / CERTAIN_ODDS))
        if min(grid.rows, grid.cols) < MIN_SIDE:
            continue
        if not cut_sides(frame, grid) or is_crop(frame, grid):
            yield Proposal(grid, is_edged=False)


FINDERS: tuple[Finder, ...] = (
    _of_lattices(find_lattices),
    _of_lattices(find_oblong_lattices),
    _of_lattices(find_small_lattices),
    _boxes,
    _placed,
)
"""The fast ones first, those with most errors last."""
