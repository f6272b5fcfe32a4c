"""A film of a game with hints on it: what the screen shows, and what the program paints below."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from Xlib import X
from Xlib.ext import composite

from calibration.grid import Grid, PixelBox
from solver.board import Cell
from tests.live.desk import open_camera
from tests.live.hinted import marked
from tests.live.referee import connect

Pixels = NDArray[np.uint8]

SPACING_S = 0.015


@dataclass(frozen=True)
class Shot:
    """The marks on the screen at a moment; ``changed`` if the program has painted anew."""

    at: float
    marks: Mapping[Cell, str]
    changed: bool


class Film(threading.Thread):
    """Films the board of a window, whose place is ``window_box``, until it is closed."""

    def __init__(self, display: str, window: int, grid: Grid, place: tuple[int, int]) -> None:
        super().__init__(daemon=True)
        bounds = grid.bounds
        self._box = bounds
        self._inside = PixelBox(
            bounds.x0 - place[0], bounds.y0 - place[1], bounds.x1 - place[0], bounds.y1 - place[1]
        )
        self._grid = grid.moved(-bounds.x0, -bounds.y0)
        self._name, self._window = display, window
        self._over = threading.Event()
        self._raw: list[tuple[float, Pixels | None, bool]] = []
        self.start()

    def run(self) -> None:
        """Grab both pictures again and again; keep those of the screen that differ."""
        display = connect(self._name)
        drawable = display.create_resource_object("window", self._window)
        drawable.composite_redirect_window(composite.RedirectAutomatic)
        last = below = None
        with open_camera(self._name) as camera:
            while not self._over.wait(SPACING_S):
                at = time.monotonic()
                shot = camera.grab(tuple(self._box))
                raw = np.frombuffer(shot.rgb, np.uint8).reshape(shot.height, shot.width, 3)
                clean = self._below(drawable)
                changed = below is not None and clean != below
                if last is None or changed or not np.array_equal(raw, last):
                    self._raw.append((at, raw, changed))
                last, below = raw, clean
        display.close()

    def _below(self, drawable: composite.Drawable) -> bytes:
        """Return the board as its program paints it."""
        x0, y0, x1, y1 = self._inside
        pixmap = drawable.composite_name_window_pixmap()
        border = drawable.get_geometry().border_width
        image = pixmap.get_image(x0 + border, y0 + border, x1 - x0, y1 - y0, X.ZPixmap, 0xFFFFFFFF)
        pixmap.free()
        return bytes(image.data)

    def shots(self) -> list[Shot]:
        """Return what was filmed since the last call."""
        taken, self._raw = self._raw, []
        return [
            Shot(at, marked(raw, self._grid) if raw is not None else {}, changed)
            for at, raw, changed in taken
        ]

    def close(self) -> None:
        """Stop filming."""
        self._over.set()
        self.join(5)


def delay_s(shots: list[Shot], right: Mapping[Cell, str]) -> float | None:
    """Return the seconds from the last change of the board until the right marks stand.

    None if the last shot does not show them, or nothing changed.
    """
    changes = [shot.at for shot in shots if shot.changed]
    if not changes or not shots or dict(shots[-1].marks) != dict(right):
        return None
    since = shots[-1].at
    for shot in reversed(shots):
        if dict(shot.marks) != dict(right):
            break
        since = shot.at
    return max(0.0, since - changes[-1])


def contradictions(shots: list[Shot], right: Mapping[Cell, str]) -> list[str]:
    """List the marks of any shot that say safe of a certain mine, or mine of a safe cell."""
    wrong = {"safe": "mine", "mine": "safe"}
    return sorted(
        {
            f"{kind} at {cell.place}, which is {right[cell]}"
            for shot in shots
            for cell, kind in shot.marks.items()
            if kind in wrong and right.get(cell) == wrong[kind]
        }
    )
