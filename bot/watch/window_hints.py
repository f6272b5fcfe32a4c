"""Hints on the window of the game itself."""

from __future__ import annotations

from collections.abc import Collection

from bot.desktop.ports import Mark
from bot.watch.advice import Advice
from bot.watch.clean_screen import CleanScreen
from bot.watch.marks import marks_of
from calibration.grid import Grid
from solver.board import Cell


class WindowHints:
    """Draws advice on the board, and takes marks away where it changes."""

    def __init__(self, screen: CleanScreen) -> None:
        self._screen = screen
        self._marks: dict[Cell, list[Mark]] = {}

    def show(self, advice: Advice, grid: Grid) -> None:
        """Draw advice on a board at rest; ``grid`` is in pixels of the whole screen."""
        self._draw(marks_of(advice, grid, lambda box: float(self._screen.grab(box).pixels.mean())))

    def clear(self, changed: Collection[Cell] | None = None) -> None:
        """Take away the marks of the cells that changed, or all."""
        left = {} if changed is None else self._marks
        self._draw({cell: marks for cell, marks in left.items() if cell not in (changed or ())})

    def _draw(self, marks: dict[Cell, list[Mark]]) -> None:
        if marks != self._marks:
            self._marks = marks
            self._screen.show([mark for some in marks.values() for mark in some])
