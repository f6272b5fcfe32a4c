"""The last frames of a run, in little memory: each is stored as what differs from the one before.

A frame of an expert board has 3 MB, the difference of two mostly some tiles: sixty frames of a game
take 7 MB in place of 190.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.points import ScreenPoint

Pixels: TypeAlias = NDArray[np.uint8]
T = TypeVar("T")

MOST_FRAMES = 60

MOST_VIEWS = 6
"""Places of the screen that frames may show, before the older ones are forgotten: each takes the
memory of two frames."""


class View(NamedTuple):
    """The place of the screen that a frame shows."""

    origin: ScreenPoint
    scale: float
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Kept(Generic[T]):
    """A frame that was kept, with what was noted beside it."""

    frame: Frame
    note: T


@dataclass(frozen=True)
class _Patch(Generic[T]):
    """What a frame changed: ``pixels`` at ``row, col`` of its view."""

    view: View
    row: int
    col: int
    pixels: Pixels
    note: T


class FrameRing(Generic[T]):
    """Keeps the last frames that differ from the one before of the same place."""

    def __init__(self, most: int = MOST_FRAMES) -> None:
        self._most = most
        self._patches: deque[_Patch[T]] = deque()
        self._first: dict[View, Pixels] = {}
        self._last: dict[View, Pixels] = {}

    def add(self, frame: Frame, note: T) -> None:
        """Keep a frame unless it shows what the last one of its place does."""
        view = View(frame.origin, frame.scale, frame.pixels.shape)
        last = self._last.get(view)
        if last is None:
            if len(self._last) == MOST_VIEWS:
                self._forget()
            self._first[view], self._last[view] = frame.pixels.copy(), frame.pixels.copy()
            self._patches.append(_Patch(view, 0, 0, frame.pixels[:0, :0], note))
        elif (box := _changed(last, frame.pixels)) is not None:
            patch = frame.pixels[box].copy()
            last[box] = patch
            row, col = int(box[0].start), int(box[1].start)
            self._patches.append(_Patch(view, row, col, patch, note))
        if len(self._patches) > self._most:
            _apply(self._patches.popleft(), self._first)

    def frames(self) -> Iterator[Kept[T]]:
        """Yield the frames, the oldest first."""
        shown = {view: pixels.copy() for view, pixels in self._first.items()}
        for patch in self._patches:
            _apply(patch, shown)
            view = patch.view
            yield Kept(Frame(shown[view].copy(), view.origin, view.scale), patch.note)

    def _forget(self) -> None:
        self._patches.clear()
        self._first.clear()
        self._last.clear()


def _apply(patch: _Patch[T], shown: dict[View, Pixels]) -> None:
    height, width = patch.pixels.shape[:2]
    rows = slice(patch.row, patch.row + height)
    shown[patch.view][rows, patch.col : patch.col + width] = patch.pixels


def _changed(before: Pixels, now: Pixels) -> tuple[slice, slice] | None:
    """Return the smallest box in which two pictures differ, None if they are equal."""
    if np.array_equal(before, now):
        return None
    height = before.shape[0]
    rows = np.flatnonzero((before != now).reshape(height, -1).any(axis=1))
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    apart = before[top:bottom] != now[top:bottom]
    cols = np.flatnonzero(apart.any(axis=(0, 2)))
    return slice(top, bottom), slice(int(cols[0]), int(cols[-1]) + 1)
