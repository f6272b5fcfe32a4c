"""Advice on the newest board, and its marks on the window."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing

import numpy as np
import pytest

from bot.desktop.ports import Mark, Monitor
from bot.simulated.screen import FakeClock
from bot.watch.hints import (
    BURIED_S,
    DARK,
    GUESS_COLOUR,
    LINGER_S,
    MINE_COLOUR,
    SAFE_COLOUR,
    WHITE,
    Advice,
    Adviser,
    CleanScreen,
    WindowHints,
    marks_of,
)
from calibration.frame import Frame
from calibration.grid import Grid, PixelBox, PixelPoint, ScreenPoint
from solver.agents import make_agent
from solver.agents.base import Decision, Move
from solver.agents.tank import decide
from solver.analysis import analyse
from solver.board import Board, Cell
from solver.engine.calls import ignore_progress
from tests.bot.command_line import TOO_LARGE


class Glass:
    """A screen with an overlay: what programs paint, and the marks that lie over it.

    With ``late``, marks that are taken away stay in the pictures, as with a slow compositor; a
    window may be raised above them (``buried``).
    """

    def __init__(self) -> None:
        self.painted = np.random.default_rng(1).integers(0, 200, (80, 120, 3)).astype(np.uint8)
        self.marks: list[Mark] = []
        self.late, self.buried, self.shown = False, False, 0
        self.clock = FakeClock()
        self.screen = CleanScreen(self, self, self.clock)

    def looks_clean(self, box: PixelBox | None = None) -> bool:
        """Whether a picture of the screen shows what is painted, and no mark."""
        x0, y0, x1, y1 = box or PixelBox(0, 0, 120, 80)
        return np.array_equal(self.screen.grab(box).pixels, self.painted[y0:y1, x0:x1])

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


@pytest.mark.parametrize("at", [(30, 20), (-5, -2), (110, 70)])
def test_no_picture_shows_the_marks(at: tuple[int, int]) -> None:
    glass = Glass()
    glass.screen.show(outline(*at))
    assert not np.array_equal(glass.grab().pixels, glass.painted), "they are on the screen"
    for box in (None, PixelBox(0, 0, 60, 40), PixelBox(35, 21, 50, 22), PixelBox(90, 0, 120, 80)):
        assert glass.looks_clean(box)


def test_a_change_beside_the_marks_is_seen() -> None:
    glass = Glass()
    glass.screen.show(outline(30, 20))
    assert glass.looks_clean()
    assert glass.screen.grab() is glass.screen.grab(), "nothing is taken off twice"
    glass.painted[30:34, 40:44] = 255
    assert glass.looks_clean()
    glass.screen.show(outline(32, 22))
    assert glass.looks_clean()


def test_marks_that_linger_in_the_pictures_are_no_part_of_them() -> None:
    glass = Glass()
    glass.screen.show(outline(30, 20))
    glass.late = True
    glass.screen.show(outline(60, 20))
    assert glass.looks_clean()
    glass.screen.show([])
    assert not np.array_equal(glass.grab().pixels, glass.painted)
    assert glass.looks_clean()
    # A cover has other colours, and is seen at once.
    glass.marks, glass.painted[10:60, 20:70] = [], 77
    assert glass.looks_clean()
    glass.clock.sleep(2 * LINGER_S)
    glass.painted[20:23, 30:50] = SAFE_COLOUR
    assert glass.looks_clean(), "a program may paint in that colour"


def test_marks_that_a_window_was_raised_above_are_raised_again() -> None:
    glass = Glass()
    glass.screen.show(outline(30, 20))
    glass.buried = True
    glass.clock.sleep(BURIED_S / 2)
    assert glass.looks_clean()
    assert glass.buried
    glass.clock.sleep(BURIED_S)
    assert glass.looks_clean()
    assert not glass.buried
    shown = glass.shown
    glass.clock.sleep(BURIED_S * 2)
    assert glass.looks_clean()
    assert glass.shown == shown, "what can be seen is not drawn again"


def test_marks_go_where_the_board_changed_and_come_back_elsewhere() -> None:
    glass = Glass()
    hints = WindowHints(glass.screen)
    board = Board.from_text("####\n1221\n0000", mines=2)
    advice = Advice(board, analyse(board))
    grid = Grid(x0=10, y0=10, tile_w=16, tile_h=16, rows=3, cols=4)

    def marked(grid: Grid) -> set[Cell | None]:
        return {grid.cell_at(PixelPoint(mark.box[0], mark.box[1])) for mark in glass.marks}

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


SAFE = Board.from_text("#1001##\n#10011#", mines=2)

EVEN = Board.from_text("##\n11", mines=1)


class SlowAgent:
    """Thinks until it is let go, and asks meanwhile whether it should go on."""

    name = "slow"

    def __init__(self) -> None:
        self.on_progress: Callable[[int, int], None] = ignore_progress
        self.begun, self.let_go = threading.Event(), threading.Event()

    def decide(self, board: Board) -> Decision:
        self.begun.set()
        while not self.let_go.wait(0.01):
            self.on_progress(1, 8)
        return Decision((Move(Cell(0, 0)),), "let go", 0.5, win=0.25)


def next_advice(adviser: Adviser, wanted: Callable[[Advice], bool]) -> Advice:
    limit = time.monotonic() + 120
    while time.monotonic() < limit:
        advice = adviser.poll()
        if advice is not None and wanted(advice):
            return advice
        time.sleep(0.005)
    raise AssertionError("the advice did not come")


def test_what_is_certain_comes_with_the_moves_and_the_chance_to_win() -> None:
    with closing(Adviser(make_agent("deep"))) as adviser:
        adviser.ask(SAFE)
        advice = next_advice(adviser, lambda one: one.decision is not None)
    assert advice.analysis is not None
    assert advice.decision is not None
    assert {move.cell for move in advice.decision.moves} == set(advice.analysis.safe)
    assert advice.win == 0.5


def test_thought_is_reported_and_broken_off_for_another_board() -> None:
    agent = SlowAgent()
    with closing(Adviser(agent)) as adviser:
        adviser.ask(SAFE)
        thinking = next_advice(adviser, lambda one: one.thought is not None)
        assert (thinking.board, thinking.decision, thinking.thought) == (SAFE, None, (1, 8))
        assert thinking.analysis is not None, "what is certain is reported at once"
        agent.begun.clear()
        adviser.ask(EVEN)
        assert agent.begun.wait(120), "the first thought was not broken off"
        agent.let_go.set()
        advice = next_advice(adviser, lambda one: one.decision is not None)
        assert (advice.board, advice.win) == (EVEN, 0.25)
        agent.begun.clear()
        agent.let_go.clear()
        adviser.ask(SAFE)
        assert agent.begun.wait(120)
        adviser.ask(None)
        assert adviser.poll() is None, "nothing is reported of a board that is asked about no more"


@pytest.mark.slow
def test_a_board_that_cannot_be_analysed_says_why() -> None:
    with closing(Adviser(make_agent("deep"))) as adviser:
        adviser.ask(Board.from_text(TOO_LARGE))
        advice = next_advice(adviser, lambda one: True)
    assert advice.decision is not None
    assert not advice.decision.moves
    assert "give a smaller board" in advice.decision.reason


GRID = Grid(x0=100, y0=50, tile_w=24, tile_h=24, rows=3, cols=4)


def advice_on(text: str, mines: int) -> Advice:
    board = Board.from_text(text, mines=mines)
    return Advice(board, analyse(board), decide(make_agent("deep"), board))


def colours(
    advice: Advice, grid: Grid = GRID, brightness: float = 200.0
) -> dict[Cell, set[object]]:
    marks = marks_of(advice, grid, lambda _: brightness)
    return {cell: {mark.colour for mark in some} for cell, some in marks.items()}


@pytest.mark.parametrize(
    ("text", "mines", "brightness", "marked"),
    [
        # Safe cells, and mines without a flag; a guess has its risk in figures that can be read.
        ("###F\n1221\n0000", 2, 200.0, {0: {SAFE_COLOUR}, 1: {MINE_COLOUR}, 2: {MINE_COLOUR}}),
        ("1##1\n1221\n0000", 2, 200.0, {}),  # nothing is left to open
        ("##\n11", 1, 200.0, {0: {GUESS_COLOUR, DARK}}),
        ("##\n11", 1, 40.0, {0: {GUESS_COLOUR, WHITE}}),
    ],
)
def test_which_cells_are_marked(
    text: str, mines: int, brightness: float, marked: dict[int, set[object]]
) -> None:
    found = colours(advice_on(text, mines=mines), brightness=brightness)
    assert found == {Cell(0, col): some for col, some in marked.items()}


def test_what_is_certain_is_marked_while_the_agent_thinks() -> None:
    advice = advice_on("#1001##\n#10012#", mines=3)
    thinking = Advice(advice.board, advice.analysis)
    assert set(colours(thinking)) == {*advice.analysis.safe, *advice.analysis.mines}


@pytest.mark.parametrize("tile", [12, 16, 24.5, 60])
def test_marks_lie_within_their_tile_and_leave_most_of_it_free(tile: float) -> None:
    grid = Grid(x0=100, y0=50, tile_w=tile, tile_h=tile, rows=3, cols=4)
    for advice in (advice_on("####\n1221\n0000", mines=2), advice_on("##\n11", mines=1)):
        for cell, marks in marks_of(advice, grid, lambda _: 200.0).items():
            box, free = grid.box(cell), np.ones((200, 400), bool)
            for (x0, y0, x1, y1), _ in marks:
                assert box.x0 < x0 < x1 < box.x1
                assert box.y0 < y0 < y1 < box.y1
                free[y0:y1, x0:x1] = False
            # A change of the tile must be seen beside its marks.
            assert free[box.y0 : box.y1, box.x0 : box.x1].mean() > 0.3
