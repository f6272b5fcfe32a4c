"""Marks on a screen, and pictures of that screen that never show them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from bot.desktop.ports import Mark, Monitor
from bot.simulated.screen import FakeClock
from bot.watch.hints import BURIED_S, LINGER_S, SAFE_COLOUR, Advice, CleanScreen, WindowHints
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.points import PixelBox, ScreenPoint
from solver.analysis import analyse
from solver.board import Board, Cell


class Glass:
    """A screen with an overlay: what programs paint, and the marks that lie over it.

    With ``late``, marks that are taken away stay in the pictures, as with a slow compositor; a
    window may be raised above them (``buried``).
    """

    def __init__(self) -> None:
        self.painted = np.random.default_rng(1).integers(0, 200, (80, 120, 3)).astype(np.uint8)
        self.marks: list[Mark] = []
        self.late, self.buried, self.shown = False, False, 0

    def show(self, marks: Sequence[Mark]) -> None:
        self.marks = [*self.marks, *marks] if self.late else list(marks)
        self.buried = False
        self.shown += 1

    def clear(self) -> None:
        self.show([])

    def close(self) -> None:
        self.clear()

    def monitors(self) -> tuple[Monitor, ...]:
        return (Monitor(0, 0, 120, 80),)

    def grab(self, box: PixelBox | None = None) -> Frame:
        pixels = self.painted.copy()
        for (x0, y0, x1, y1), colour in [] if self.buried else self.marks:
            pixels[max(0, y0) : max(0, y1), max(0, x0) : max(0, x1)] = colour
        x0, y0, x1, y1 = box or PixelBox(0, 0, 120, 80)
        x0, y0 = max(0, x0), max(0, y0)
        return Frame(pixels[y0:y1, x0:x1], ScreenPoint(x0, y0))


def outline(x: int, y: int) -> list[Mark]:
    return [
        Mark(PixelBox(x, y, x + 20, y + 3), SAFE_COLOUR),
        Mark(PixelBox(x, y, x + 3, y + 20), SAFE_COLOUR),
    ]


def same(screen: CleanScreen, glass: Glass, box: PixelBox | None = None) -> bool:
    x0, y0, x1, y1 = box or PixelBox(0, 0, 120, 80)
    return np.array_equal(screen.grab(box).pixels, glass.painted[y0:y1, x0:x1])


@pytest.mark.parametrize("at", [(30, 20), (-5, -2), (110, 70)])
def test_no_picture_shows_the_marks(at: tuple[int, int]) -> None:
    glass = Glass()
    screen = CleanScreen(glass, glass, FakeClock())
    screen.show(outline(*at))
    assert not np.array_equal(glass.grab().pixels, glass.painted), "they are on the screen"
    for box in (None, PixelBox(0, 0, 60, 40), PixelBox(35, 21, 50, 22), PixelBox(90, 0, 120, 80)):
        assert same(screen, glass, box)


def test_a_change_beside_the_marks_is_seen() -> None:
    glass = Glass()
    screen = CleanScreen(glass, glass, FakeClock())
    screen.show(outline(30, 20))
    assert same(screen, glass)
    assert screen.grab() is screen.grab(), "nothing is taken off twice while nothing changes"
    glass.painted[30:34, 40:44] = 255
    assert same(screen, glass)
    screen.show(outline(32, 22))
    assert same(screen, glass)


def test_marks_that_linger_in_the_pictures_are_no_part_of_them() -> None:
    glass, clock = Glass(), FakeClock()
    screen = CleanScreen(glass, glass, clock)
    screen.show(outline(30, 20))
    glass.late = True
    screen.show(outline(60, 20))
    assert same(screen, glass)
    screen.show([])
    assert not np.array_equal(glass.grab().pixels, glass.painted)
    assert same(screen, glass)
    # A cover has other colours, and is seen at once.
    glass.marks, glass.painted[10:60, 20:70] = [], 77
    assert same(screen, glass)
    clock.sleep(2 * LINGER_S)
    glass.painted[20:23, 30:50] = SAFE_COLOUR
    assert same(screen, glass), "a program may paint in that colour"


def test_marks_that_a_window_was_raised_above_are_raised_again() -> None:
    glass, clock = Glass(), FakeClock()
    screen = CleanScreen(glass, glass, clock)
    screen.show(outline(30, 20))
    glass.buried = True
    clock.sleep(BURIED_S / 2)
    assert same(screen, glass)
    assert glass.buried
    clock.sleep(BURIED_S)
    assert same(screen, glass)
    assert not glass.buried
    shown = glass.shown
    clock.sleep(BURIED_S * 2)
    assert same(screen, glass)
    assert glass.shown == shown, "what can be seen is not drawn again"


def test_marks_go_where_the_board_changed_and_come_back_elsewhere() -> None:
    glass = Glass()
    hints = WindowHints(CleanScreen(glass, glass, FakeClock()))
    board = Board.from_text("####\n1221\n0000", mines=2)
    advice = Advice(board, analyse(board))
    grid = Grid(x0=10, y0=10, tile_w=16, tile_h=16, rows=3, cols=4)

    def marked(grid: Grid) -> set[Cell]:
        middles = [PixelBox(*mark.box) for mark in glass.marks]
        found = {grid.cell_at(type(grid.centre(Cell(0, 0)))(box.x0, box.y0)) for box in middles}
        return {cell for cell in found if cell is not None}

    hints.show(advice, grid)
    assert marked(grid) == {Cell(0, col) for col in range(4)}
    hints.clear([Cell(0, 0), Cell(2, 2)])
    assert marked(grid) == {Cell(0, col) for col in range(1, 4)}
    shown = glass.shown
    hints.clear([Cell(0, 0)])
    assert glass.shown == shown, "nothing is drawn anew where nothing changed"
    hints.clear()
    assert glass.marks == []
    hints.show(advice, grid.moved(30, 12))
    assert marked(grid.moved(30, 12)) == {Cell(0, col) for col in range(4)}
