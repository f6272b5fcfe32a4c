"""Tell which grids of a frame are Minesweeper boards.

Every finder only proposes grids. Each grid is read, and one score says how likely it is a board
(`calibration.boards.ranking`): keypads, spreadsheets and squared paper are none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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
from calibration.errors import NoGrid, UnreadableGrid
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.locate.boxes import find_box_grids
from calibration.locate.crosses import find_lattices, find_oblong_lattices, find_small_lattices
from calibration.locate.repetition import find_borderless_grids, off_edges
from calibration.locate.sides import Proposal
from calibration.points import PixelPoint, overlap
from calibration.theme import Theme

MOST_READ = 3
"""Most proposals of a finder that are read."""

MOST_TILES = 40_000
"""Tiles above which a grid is a texture: reading so many takes 3 s for every 30,000. The largest
board that a program is known to offer has 14,400."""

LEAST_DRAWN = 0.9
"""Share of its lines from which a grid is told of though it is no board."""

MOST_SHIFT = 0.22
"""How far the lines of cells that only repeat may lie from those that are drawn, in tiles: the
gaps between tiles may lie on either side."""


def find_boards(frame: Frame, themes: Sequence[Theme] | None = None) -> list[FoundBoard]:
    """Find the boards of a frame that are wholly in sight, the likeliest first.

    Once a finder proposed one that is surely a board, the finders after it are not asked.

    Raises `NoGrid` if there is none: no board at all, or only a part of one, and `UnreadableGrid`
    if there is a grid with numbers on it that make no board.
    """
    found: list[FoundBoard] = []
    best: list[FoundBoard] = []
    for proposals in _proposals(frame):
        for proposal in proposals:
            found += _judged(frame, proposal, themes)
        best = [one for one in best_at_each_place(found) if not _lacks_lines(one, found)]
        sure = [one for one in best if one.score >= ACCEPT]
        if sure:
            return _in_sight(frame, sure)
    likely = [one for one in best if one.score > REFUSE]
    if likely:
        return _in_sight(frame, likely)
    raise _refusal(frame, found)


def _proposals(frame: Frame) -> Iterator[list[Proposal]]:
    """Yield what each finder proposes: those wholly in sight, then those that are not."""
    for find in FINDERS:
        first = [one for one in islice(find(frame), MOST_READ) if _is_no_texture(one.grid)]
        yield [one for one in first if one.is_whole]
        yield [one for one in first if not one.is_whole]


def _is_no_texture(grid: Grid) -> bool:
    return grid.rows * grid.cols <= MOST_TILES


def _judged(
    frame: Frame, proposal: Proposal, themes: Sequence[Theme] | None
) -> Iterator[FoundBoard]:
    """Judge a proposal, and the grid without the rows and columns at its ends that are none."""
    whole = judged(frame, proposal, themes)
    yield whole
    inner = without_strange_ends(frame, whole)
    if inner != proposal.grid:
        yield judged(frame, proposal._replace(grid=inner), themes)


def _lacks_lines(board: FoundBoard, found: Sequence[FoundBoard]) -> bool:
    """Tell whether cells that only repeat lack lines that are drawn there, with numbers between."""
    return not board.proposal.is_edged and any(
        other.evidence.numbers and _contradicts(other.proposal, board.grid) for other in found
    )


def _contradicts(drawn: Proposal, grid: Grid) -> bool:
    """Tell whether a grid about as large as another, wholly drawn one lacks some of its lines."""
    one = drawn.grid
    return (
        drawn.is_edged
        and one.confidence >= LEAST_DRAWN
        and 2 * one.rows * one.cols >= grid.rows * grid.cols
        and overlap(grid.bounds, one.bounds) > MOST_OVERLAP
        and not grid.has_lines_of(one, MOST_SHIFT)
    )


def _in_sight(frame: Frame, boards: Sequence[FoundBoard]) -> list[FoundBoard]:
    """Return the boards that are wholly in sight. Raises `NoGrid` if none is."""
    whole = [one for one in boards if one.may_be_whole]
    if not whole:
        raise NoGrid(_partial_message(frame, boards[0].proposal))
    return whole


def is_found_at(frame: Frame, grid: Grid) -> bool:
    """Tell whether a finder proposes a grid at its place, or at least half of it.

    Half of it is enough because a dialog, or an end of the game that changes many tiles, may hide
    lines. A grid of the same size must lie at the same place.
    """
    contradicted = False
    for proposal in chain.from_iterable(find(frame) for find in FINDERS):
        if _is_mostly(proposal.grid, grid) and (proposal.is_edged or not contradicted):
            return True
        contradicted |= _contradicts(proposal, grid)
    return False


def _is_mostly(found: Grid, grid: Grid) -> bool:
    """Tell whether ``found`` is ``grid``, or a piece of it with at least half of its cells."""
    cells = found.rows * found.cols
    return 2 * cells >= grid.rows * grid.cols and grid.has_lines_of(found)


def _refusal(frame: Frame, found: Sequence[FoundBoard]) -> NoGrid | UnreadableGrid:
    """Return the error that says why no board can be used."""
    for board in found:
        grid = board.grid
        if board.recognition.has_numbers or board.evidence.numbers:
            return UnreadableGrid(_unreadable_message(board), grid)
    drawn = [one.grid for one in found if one.grid.confidence >= LEAST_DRAWN]
    return NoGrid(_message(frame, [one for one in drawn if one.rows * one.cols >= FEWEST_TILES]))


def _partial_message(frame: Frame, proposal: Proposal) -> str:
    """Say where a board lies that is not wholly in sight."""
    place = f"The board near {_corner(frame, proposal.grid)} is"
    if proposal.cut_at:
        return f"{place} cut off by the edge of the picture."
    return f"{place} not wholly in sight."


def _unreadable_message(board: FoundBoard) -> str:
    """Say why a grid with numbers is no board."""
    found = f"A grid of {board.grid.rows}×{board.grid.cols} was found, but "
    if board.evidence.goes_on:
        return f"{found}where it ends cannot be told: its open tiles look like what lies around it."
    return f"{found}its tiles cannot be read: they make no board."


def _corner(frame: Frame, grid: Grid) -> str:
    """Return where a grid begins, in the units of the mouse; in a file these are its pixels."""
    corner = frame.to_screen(PixelPoint(grid.x0, grid.y0))
    return f"{corner.x},{corner.y}"


def _message(frame: Frame, unread: Sequence[Grid]) -> str:
    """Say that there is no board, but maybe a grid that is none."""
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
    """Return a finder of lattices whose lines lie in the middle of wide gaps."""

    def proposals(frame: Frame) -> Iterator[Proposal]:
        for one in find(frame):
            yield one._replace(grid=off_edges(frame, one.grid)) if one.is_whole else one

    return proposals


def _boxes(frame: Frame) -> Iterator[Proposal]:
    return map(Proposal, find_box_grids(frame))


def _repetitions(frame: Frame) -> Iterator[Proposal]:
    return (Proposal(grid, is_edged=False) for grid in find_borderless_grids(frame))


FINDERS: tuple[Finder, ...] = (
    _of_lattices(find_lattices),
    _of_lattices(find_oblong_lattices),
    _of_lattices(find_small_lattices),
    _boxes,
    _repetitions,
)
"""The cheap ones first, those that err most last."""
