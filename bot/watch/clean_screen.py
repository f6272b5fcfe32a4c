"""The screen without the marks of our own overlay on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bot.desktop.ports import Clock, Mark, Monitor, Overlay, Screen
from bot.tracking.target import Pixels
from calibration.frame import Frame
from calibration.points import PixelBox

LINGER_S = 0.25
"""Seconds for which marks that were taken away may still be on pictures: a compositor shows them
until its next frame, and a program until it has painted anew what they covered."""

BURIED_S = 0.3
"""Seconds after which marks that cannot be seen are raised: a click may raise the window above
them."""

BURIED = 0.5
"""Share of the marks' pixels of which fewer can be seen then."""


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Marks that were drawn at a time.

    ``ys`` and ``xs`` are their pixels on the screen; ``colours`` and ``clean`` are the colours of
    these pixels with and without the marks.
    """

    marks: Sequence[Mark]
    ys: NDArray[np.intp]
    xs: NDArray[np.intp]
    colours: Pixels
    clean: Pixels
    at: float

    def take_off(self, pixels: Pixels, left: int, top: int, *, hidden: bool) -> float:
        """Put the clean pixels in place of the marks; return the share of them that was seen.

        The picture shows the screen from ``left`` and ``top`` on. With ``hidden``, pixels of a mark
        that have another colour are replaced as well.
        """
        ys, xs = self.ys - top, self.xs - left
        inside = (ys >= 0) & (ys < pixels.shape[0]) & (xs >= 0) & (xs < pixels.shape[1])
        ys, xs = ys[inside], xs[inside]
        visible = (pixels[ys, xs] == self.colours[inside]).all(axis=1)
        place = visible | hidden
        pixels[ys[place], xs[place]] = self.clean[inside][place]
        return float(visible.mean()) if visible.size else 1.0


@dataclass(frozen=True)
class _Cleaned:
    """A picture as it was grabbed with some marks on it, as it is without, and what was seen."""

    box: PixelBox | None
    drawn: _Drawn | None
    grabbed: Frame
    clean: Frame
    seen: float


class CleanScreen:
    """A screen on which marks can be drawn, and whose pictures never show them.

    The pixels under the marks are those of the last picture without them: a change there is not
    seen, one beside them is. Where marks were taken away, pixels that still have their colour are
    replaced for `LINGER_S`.
    """

    def __init__(self, screen: Screen, overlay: Overlay, clock: Clock) -> None:
        self._screen, self._overlay, self._clock = screen, overlay, clock
        self._shown: _Drawn | None = None
        self._gone: list[_Drawn] = []
        self._last: _Cleaned | None = None

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors."""
        return self._screen.monitors()

    def show(self, marks: Sequence[Mark]) -> None:
        """Show these marks and no others."""
        drawn = self._prepare(marks) if marks else None
        if self._shown is not None:
            self._gone.append(replace(self._shown, at=self._clock.now()))
        if drawn is not None or self._shown is not None:
            self._overlay.show(marks)
        self._shown = drawn

    def _prepare(self, marks: Sequence[Mark]) -> _Drawn:
        """Take the last picture without these marks."""
        edges = np.array([mark.box for mark in marks])
        left, top = (int(edge) for edge in edges[:, :2].min(axis=0).clip(min=0))
        right, bottom = (int(edge) for edge in edges[:, 2:].max(axis=0))
        clean = self.grab(PixelBox(left, top, right, bottom)).pixels
        mask, colours = np.zeros(clean.shape[:2], np.bool_), np.zeros_like(clean)
        for (x0, y0, x1, y1), colour in marks:
            rows, cols = (y0 - top, y1 - top), (x0 - left, x1 - left)
            place = tuple(slice(max(0, first), max(0, end)) for first, end in (rows, cols))
            mask[place], colours[place] = True, colour
        ys, xs = np.nonzero(mask)
        now = self._clock.now()
        return _Drawn(marks, ys + top, xs + left, colours[mask], clean[mask], now)

    def grab(self, box: PixelBox | None = None) -> Frame:
        """Grab the screen or a box of it, as `Screen.grab`, without the marks."""
        frame, now = self._screen.grab(box), self._clock.now()
        self._gone = [drawn for drawn in self._gone if now - drawn.at <= LINGER_S]
        if self._shown is None and not self._gone:
            return frame
        last = self._last
        if last is None or not self._is_as_last(last, frame, box):
            last = self._clean(frame, box)
        self._last = None if self._gone else last
        if self._shown is not None and last.seen < BURIED and now - self._shown.at > BURIED_S:
            self._overlay.show(self._shown.marks)
            self._shown = replace(self._shown, at=now)
        return last.clean

    def _is_as_last(self, last: _Cleaned, frame: Frame, box: PixelBox | None) -> bool:
        """Whether a picture shows what the last one did: while nothing changes, all of them do."""
        same = (last.box, last.drawn) == (box, self._shown) and not self._gone
        return same and np.array_equal(last.grabbed.pixels, frame.pixels)

    def _clean(self, frame: Frame, box: PixelBox | None) -> _Cleaned:
        """Take all marks off a picture."""
        pixels, seen = frame.pixels.copy(), 1.0
        left, top = (max(0, box.x0), max(0, box.y0)) if box else (0, 0)
        if self._shown is not None:
            seen = self._shown.take_off(pixels, left, top, hidden=True)
        for drawn in reversed(self._gone):
            drawn.take_off(pixels, left, top, hidden=False)
        clean = Frame(pixels, frame.origin, frame.scale)
        return _Cleaned(box, self._shown, frame, clean, seen)
