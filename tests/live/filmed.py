"""A film of a game with hints on it: what the screen shows, and what the program paints below."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from calibration.grid import Grid
from solver.board import Cell
from tests.live.desk import open_camera, shoot
from tests.live.hinted import Painted, marked
from tests.live.ledger import Watcher
from tests.live.session import Pixels


@dataclass(frozen=True)
class Shot:
    """The marks on the screen at a moment; ``changed`` if the program has painted anew."""

    at: float
    marks: Mapping[Cell, str]
    changed: bool


class Film(Watcher):
    """Films the board of a window, whose corner is at ``place``, until it is closed."""

    every_s = 0.015

    def __init__(self, display: str, window: int, grid: Grid, place: tuple[int, int]) -> None:
        super().__init__()
        self._box = grid.bounds
        self._grid = grid.moved(-self._box.x0, -self._box.y0)
        (x0, y0, x1, y1), (left, top) = self._box, place
        self._board = np.s_[y0 - top : y1 - top, x0 - left : x1 - left]
        self._name, self._window = display, window
        self._raw: list[tuple[float, Pixels, bool]] = []
        self._last: Pixels | None = None
        self._clean: Pixels | None = None
        self.start()

    def run(self) -> None:
        """Film until it is over."""
        with (
            closing(Painted(self._name, self._window)) as self._painted,
            open_camera(self._name) as self._camera,
        ):
            super().run()

    def look(self) -> None:
        """Grab both pictures; keep that of the screen if it differs."""
        at, raw = time.monotonic(), shoot(self._camera, tuple(self._box))
        clean = self._painted.look()[self._board]
        changed = self._clean is not None and not np.array_equal(clean, self._clean)
        if self._last is None or changed or not np.array_equal(raw, self._last):
            self._raw.append((at, raw, changed))
        self._last, self._clean = raw, clean

    def shots(self) -> list[Shot]:
        """Return what was filmed since the last call."""
        taken, self._raw = self._raw, []
        return [Shot(at, marked(raw, self._grid), changed) for at, raw, changed in taken]


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
