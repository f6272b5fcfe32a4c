"""The simulated game and the window that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np
from numpy.typing import NDArray

from bot.desktop.ports import Button
from bot.simulated.render import MineWindow, Skin
from bot.simulated.screen import Layer, Timeline
from calibration.grid import PixelBox
from solver import Cell, Game, Rule, Status, Tile

NEW_GAME_KEYS = ("f2", "n", "ctrl+n")
"""Keys that start a new game in the window."""


@dataclass(frozen=True)
class Setup:
    """What the program is started with.

    Game k (from 0) takes the seed ``seed + k``. ``pitch`` is the side of a tile in pixels;
    ``ui_scale`` scales everything but the board. A change shows ``latency_s`` after its click; an
    opening spreads from the clicked cell, each ring of cells ``ripple_s`` after the one inside it.
    """

    rows: int
    cols: int
    mines: int
    rule: Rule
    seed: int
    skin: Skin
    pitch: float
    ui_scale: float
    latency_s: float = 0.03
    ripple_s: float = 0.004


class MineProgram:
    """A running program.

    It calls ``on_repaint`` with each box of the window that it redraws, and ``on_move`` with its
    window whenever that appears or moves.
    """

    def __init__(
        self,
        setup: Setup,
        *,
        timeline: Timeline,
        on_repaint: Callable[[PixelBox], None],
        on_move: Callable[[Layer], None],
    ) -> None:
        self.setup = setup
        self.shown = np.full((setup.rows, setup.cols), Tile.HIDDEN, np.int8)
        self._timeline, self._on_repaint, self._on_move = timeline, on_repaint, on_move
        self._seeds = count(setup.seed)
        self._started_s: float | None = None
        self._ended_s: float | None = None
        self._shown_seconds = 0
        self.game = self._next_game()
        self.window = self._open_window(setup.pitch)
        self.layer = Layer(self.window.picture, 0, 0)
        self._paint_all()

    def _open_window(self, pitch: float) -> MineWindow:
        setup = self.setup
        return MineWindow(setup.skin, setup.rows, setup.cols, pitch=pitch, ui_scale=setup.ui_scale)

    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.game.status is not Status.PLAYING

    # ---- input -------------------------------------------------------------------------------

    def press(self, keys: str) -> None:
        """Take keys: start a new game; others do nothing."""
        if keys in NEW_GAME_KEYS:
            self.new_game()

    def click(self, cell: Cell, button: Button) -> None:
        """Take a click on a cell."""
        if self.is_over():
            return
        before = self.game.board.tiles
        self._apply(cell, button)
        self._show_change(cell, before)
        if self.is_over():
            self._end_game()

    def new_game(self) -> None:
        """Start the next game."""
        self._timeline.clear()
        self.game = self._next_game()
        self._timeline.later(self._delay_s, self._show_all)

    def move_by(self, dx: int, dy: int) -> None:
        """Move the window by pixels."""
        self.layer.x, self.layer.y = self.layer.x + dx, self.layer.y + dy
        self._on_move(self.layer)

    def tick(self) -> None:
        """Redraw the timer if its number changed."""
        seconds = self._seconds
        if seconds != self._shown_seconds:
            self._shown_seconds = seconds
            self._on_repaint(self.window.paint_timer(seconds))

    # ---- the game ----------------------------------------------------------------------------

    def _next_game(self) -> Game:
        self._started_s = self._ended_s = None
        setup = self.setup
        return Game.random(
            setup.rows, setup.cols, setup.mines, rule=setup.rule, seed=next(self._seeds)
        )

    def _apply(self, cell: Cell, button: Button) -> None:
        opened = self.game.board[cell] >= 0
        if button is Button.RIGHT:
            self.game.flag(cell)
        elif opened and (button is Button.MIDDLE or self.window.skin.chord):
            self.game.chord(cell)
        elif button is Button.LEFT:
            self.game.open(cell)
        if self.game.started and self._started_s is None:
            self._started_s = self._timeline.clock.now()

    def _end_game(self) -> None:
        self._ended_s = self._timeline.clock.now()
        self._timeline.later(self._delay_s, self._paint_header)

    @property
    def _delay_s(self) -> float:
        return self.setup.latency_s

    @property
    def _seconds(self) -> int:
        if self._started_s is None:
            return 0
        end_s = self._timeline.clock.now() if self._ended_s is None else self._ended_s
        return int(end_s - self._started_s)

    # ---- the window --------------------------------------------------------------------------

    def _paint_all(self) -> None:
        self._shown_seconds = self._seconds
        self.window.paint_timer(self._shown_seconds)
        self.window.paint_new_game(self.game.status)
        self._paint_counter()
        self.window.paint_tiles(
            (Cell(row, col), int(code)) for (row, col), code in np.ndenumerate(self.shown)
        )

    def _paint_counter(self) -> PixelBox:
        return self.window.paint_counter(self.setup.mines, int((self.shown == Tile.FLAG).sum()))

    def _paint_header(self) -> None:
        self._on_repaint(self._paint_counter())
        self._on_repaint(self.window.paint_new_game(self.game.status))

    def _tiles_to_show(self) -> NDArray[np.int8]:
        return self.game.board.tiles

    def _show_all(self) -> None:
        self.shown = self._tiles_to_show().copy()
        self._paint_all()
        self._on_repaint(PixelBox(0, 0, *self.window.size))

    def _show_change(self, start: Cell, before: NDArray[np.int8]) -> None:
        """Plan to show the changed cells, ring by ring around ``start``."""
        after = self._tiles_to_show()
        rings: dict[int, list[tuple[Cell, int]]] = {}
        for row, col in np.argwhere(before != after).tolist():
            ring = max(abs(row - start.row), abs(col - start.col))
            rings.setdefault(ring, []).append((Cell(row, col), int(after[row, col])))
        for ring, changes in rings.items():
            delay_s = self._delay_s + self.setup.ripple_s * ring
            self._timeline.later(delay_s, partial(self._show, changes))

    def _show(self, changes: list[tuple[Cell, int]]) -> None:
        flags = int((self.shown == Tile.FLAG).sum())
        for cell, code in changes:
            self.shown[cell] = code
        self._on_repaint(self.window.paint_tiles(changes))
        if flags != int((self.shown == Tile.FLAG).sum()):
            self._paint_header()
