"""Tell whether something that lies over a board hides a part of it.

A lattice ends with its last whole tile. If a part of another tile is left beside it, the lines
between the tiles continue through that strip, and it looks like tiles: then something hides the
rest, for instance the edge of a window that is too small for the board. What lies over a board may
also end it between two tiles. Then the frame around the board is missing on that side, and either
an edge goes on past both corners of the board there, or, where that thing is narrower than the
board, the frames of the sides beside it do, with the outermost lines between the tiles.

Many boards have no frame. A panel that is wider than the board, and begins less than a tile from
its last row, hides more of it if the lines between the tiles go on to the panel. It may also hide
more if nothing between them shows that the board ends, as it ends on the other sides, and if the
page goes on behind the panel: so a bar at the edge of a window hides nothing, but a message does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calibration.frame import Frame
from calibration.grid import Grid
from calibration.likeness import colour_steps
from calibration.locate.margins import (
    AS_CLEAR,
    LEAST_STRIP_PX,
    LINE_STEP,
    SIDES,
    Beside,
    Pixels,
)

STRIP_WIDTH = 0.15
"""Width of the strip examined where the picture goes on beside the board, in tiles."""

MANY_ALIKE = 0.6
"""Least share of strips that look like tiles where the board goes on. Of whole boards on 69 real
screens none has more than 0.1 together with lines."""

FRAME_WIDTH = 0.15
"""Width of the strip in which a board's frame is looked for, in tiles."""

LIT_ALIKE = (1, 2, 3), (0, 2, 3), (3, 0, 1), (2, 0, 1)
"""For each side, the one that is lit like it in a bevelled frame, then the two others."""

STEP_WIDTH = 0.3
"""Width of the strip in which a board's frame ends, in tiles."""

THICKEST_LINE = 0.4
"""Width of the thickest line between a board and a panel of its program, in tiles."""

SAME_FRAME, OTHER_FRAME = 12.0, 24.0
"""Colour steps up to which the frames of two sides are the same, and from which two differ."""

PAST_CORNER = 0.3, 0.8
"""How far from a corner the edge of something over the board is looked for, in tiles."""

PANEL_EDGE_PX = 4
"""How far within the board the edge of a panel is looked for, in pixels."""

FLAT_SHARE = 0.9
"""Least share of the first pixels of a panel along the board that have one colour."""

BEHIND = 0.5
"""Least length of the page that goes on behind a panel, in tiles."""


def hidden_sides(frame: Frame, grid: Grid) -> tuple[str, ...]:
    """Name the sides at which the board goes on though the picture does, too: it is covered."""
    beside = [Beside.of(frame, grid, side) for side in SIDES]
    unframed = _unframed(beside) if all(one.rest >= one.pitch for one in beside) else None
    return tuple(
        one.side
        for one in beside
        if one.rest >= one.pitch
        and (one is unframed or _shows_more_tiles(one) or _lies_under_panel(one, beside))
    )


def _shows_more_tiles(one: Beside) -> bool:
    """Tell whether a strip next to the board shows part of more tiles, however narrow a part.

    The bar with which a page is scrolled may leave only a few pixels of the next row.
    """
    start = one.border_px
    widths = (
        max(LEAST_STRIP_PX, round(part * one.pitch)) for part in (STRIP_WIDTH / 2, STRIP_WIDTH)
    )
    stops = {min(start + width, one.rest) for width in widths}
    return any(
        one.lines_continue(start, stop) and one.share_alike(start, stop) >= MANY_ALIKE
        for stop in stops
    )


def _unframed(beside: Sequence[Beside]) -> Beside | None:
    """Return the side that lies under something, without the frame that the three others have.

    They have one frame, or a bevelled one: light on two sides that meet, dark on the others.
    """
    frames = [_frame(one) for one in beside]
    steps = [_frame_step(_frame(one, round(STEP_WIDTH * one.pitch))) for one in beside]
    for index, one in enumerate(beside):
        like, *pair = LIT_ALIKE[index]
        if (
            min(steps[other] for other in (like, *pair)) > OTHER_FRAME
            and _frames_differ(*(frames[other] for other in pair)) <= SAME_FRAME
            and min(_frames_differ(frames[index], frames[k]) for k in (like, *pair)) > OTHER_FRAME
            and not _has_thicker_line(one, frames[like])
            and (_edge_goes_on(one) or _frame_goes_on(one, frames[like]))
        ):
            return one
    return None


def _has_thicker_line(one: Beside, frame: Pixels) -> bool:
    """Tell whether a side begins with the line that begins the frame, but thicker.

    So is the line between a board and a panel of its program within the same frame; what lies over
    a board leaves the line between two tiles at most, which is thinner than the frame's.
    """
    own = _frame(one, round(THICKEST_LINE * one.pitch))
    same, usual = (colour_steps(line, frame[0]) <= SAME_FRAME for line in (own, frame))
    return not same.all() and int(same.argmin()) > int((~usual).argmax())


def _frame(one: Beside, width: int | None = None) -> Pixels:
    """Return the usual colours along a side, outwards, ``(px, 3)``."""
    width = width or max(3, round(FRAME_WIDTH * one.pitch))
    return np.asarray(np.median(one.pixels[::2, one.end : one.end + width], axis=0))


def _frames_differ(one: Pixels, other: Pixels) -> float:
    """Return the least mean difference of two frames, up to a pixel apart."""
    length = min(len(one), len(other)) - 1
    pairs = ((one, other), (one[1:], other), (one, other[1:]))
    return min(float(np.abs(this[:length] - that[:length]).mean()) for this, that in pairs)


def _frame_step(frame: Pixels) -> float:
    """Return how much a frame differs from what lies outside of it, at most."""
    return float(colour_steps(frame, frame[-1]).max())


def _edge_goes_on(one: Beside) -> bool:
    """Tell whether an edge along this side goes on past both of its corners."""
    for part in _past_corners(one):
        strip = part[:, max(0, one.end - 4) : one.end + 4]
        if strip.shape[0] < 1 or strip.shape[1] < 8:
            return False
        step = colour_steps(strip[:, :3].mean(axis=1), strip[:, 5:].mean(axis=1))
        if np.quantile(step, 0.1) <= OTHER_FRAME:
            return False
    return True


def _past_corners(one: Beside) -> tuple[Pixels, Pixels]:
    """Return the pixels past both corners of a side: ``(along, across, 3)``."""
    near, far = (round(part * one.pitch) for part in PAST_CORNER)
    stop = one.start + len(one.pixels)
    before = one.around[max(0, one.start - far) : max(0, one.start - near)]
    return before, one.around[stop + near : stop + far]


def _frame_goes_on(one: Beside, frame: Pixels) -> bool:
    """Tell whether both corners are none: frame and outermost lines go on past them."""
    first, last = (one.end + round(part * one.pitch) for part in PAST_CORNER)
    start, stop = one.start, one.start + len(one.pixels)
    for along in (one.around[:start][::-1], one.around[stop:]):
        strip = along[: len(frame), first:last]
        if strip.shape[0] < len(frame) or strip.shape[1] < 1:
            return False
        if _frames_differ(np.median(strip, axis=1), frame) > SAME_FRAME:
            return False
    steps, usual = one.steps(first, last, one.lines[[1, -2]])
    inside, _ = one.steps(one.end + first - last, one.end)
    return bool(steps.min() > max(LINE_STEP, usual, AS_CLEAR * np.median(inside)))


def _lies_under_panel(one: Beside, beside: Sequence[Beside]) -> bool:
    """Tell whether a panel wider than the board lies next to it and hides more of it."""
    panel = _Panel.of(one)
    if panel is None:
        return False
    start, stop = one.border_px, panel.gap
    if stop - start >= LEAST_STRIP_PX and one.lines_continue(start, stop):
        return panel.page_goes_on or one.share_alike(start, stop) >= MANY_ALIKE
    return panel.page_goes_on and not _shows_end(one, panel.gap, beside)


def _shows_end(one: Beside, gap: int, beside: Sequence[Beside]) -> bool:
    """Tell whether the ``gap`` pixels beside the board look as on another side, where it ends.

    A gap as narrow as that between tiles shows it only if it does not look like that.
    """
    if gap < 2:
        return False
    here = _frame(one, gap)
    others = [_frame(other, gap) for other in beside if other is not one]
    if all(len(other) < gap or _frames_differ(here, other) > SAME_FRAME for other in others):
        return False
    inner = (round(one.end - k * one.pitch) for k in (1, 2))
    gaps = [np.median(one.pixels[::2, at : at + gap], axis=0) for at in inner]
    wide = gap - one.border_px >= LEAST_STRIP_PX
    return wide or min(_frames_differ(here, other) for other in gaps) > OTHER_FRAME


class _Panel(NamedTuple):
    """A panel that begins ``gap`` pixels beside the board and goes past both of its corners."""

    gap: int
    page_goes_on: bool

    @classmethod
    def of(cls, one: Beside) -> _Panel | None:
        """Find the edge of a panel less than a tile from the board; None without any."""
        first, last = one.end - PANEL_EDGE_PX, one.end + round(one.pitch)
        corners = [part[:, first - PANEL_EDGE_PX :] for part in _past_corners(one)]
        if first < PANEL_EDGE_PX or min(len(part) for part in corners) < 1:
            return None
        usual = [np.median(part[:, : last - first + 2 * PANEL_EDGE_PX], axis=0) for part in corners]
        steps = [colour_steps(colours, colours[0]) > OTHER_FRAME for colours in usual]
        edges = [int(step.argmax()) if step.any() else len(step) for step in steps]
        edge = max(edges)
        if edge - min(edges) > 1 or not PANEL_EDGE_PX <= edge < PANEL_EDGE_PX + last - first:
            return None
        at = first - PANEL_EDGE_PX + edge
        colours = [colours[edge + 1 : edge + 3].mean(axis=0) for colours in usual]
        begun = one.pixels[:, at + 1 : at + 3]
        if begun.shape[1] < 2 or colour_steps(colours[0], colours[1]) > SAME_FRAME:
            return None
        flat = (colour_steps(begun, colours[0]).max(axis=1) <= SAME_FRAME).mean() >= FLAT_SHARE
        if not flat:
            return None
        gap = at - one.end
        thick = max(1, round(one.pitch) - gap)
        length = round(BEHIND * one.pitch)
        behind = (_page_goes_on(np.median(part, axis=0), edge, thick, length) for part in corners)
        return cls(gap, all(behind))


def _page_goes_on(colours: Pixels, edge: int, thick: int, length: int) -> bool:
    """Tell whether the first of some colours returns behind an edge, for ``length`` pixels.

    Nothing of it may be seen in the first ``thick`` pixels: a narrower thing hides no row.
    """
    page = colour_steps(colours[edge:], colours[0]) <= SAME_FRAME
    if len(page) < thick + length or page[:thick].any():
        return False
    return bool(np.convolve(page[thick:], np.ones(length), "valid").max() >= length)
