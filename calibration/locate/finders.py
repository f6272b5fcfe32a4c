"""The finders: each proposes grids of a frame on which a board may lie, its likeliest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from calibration.frame import Frame
from calibration.locate.boxes import find_box_grids
from calibration.locate.lines.crosses import (
    find_lattices,
    find_oblong_lattices,
    find_small_lattices,
)
from calibration.locate.proposal import Proposal
from calibration.locate.repetition.borderless import find_borderless_grids, off_edges

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
