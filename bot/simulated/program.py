"""The Minesweeper program of the simulated desktop: a game, and a window that follows it.

The game answers a click at once; the window follows after the program's latency. Several games
in a row take consecutive seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np
from numpy.typing import NDArray

from bot.ports import Button
from bot.simulated.clock import Timeline
from bot.simulated.faults import Faults
from bot.simulated.layers import Layer
from bot.simulated.looks import Look
from bot.simulated.paint import blank, write
from bot.simulated.render import MineWindow
from bot.simulated.scenery import dialog
from calibration.frame import PixelBox
from solver.board import Cell, Tile
from solver.game import Game, Rule, Status

NEW_GAME_KEYS = ("f2", "n", "ctrl+n")
"""Keys that start a new game in the window."""

DIALOG_KEYS = ("escape", "esc", "return", "enter", "space")
"""Keys that close a dialog of the window."""

BUBBLE_S = 3.0
FLASH_S = 0.2
FLASHES = 6
DIALOG_S = 0.25
"""Seconds from the end of a game to its dialog, of one flash and of a bubble."""


@dataclass(frozen=True)
class Habits:
    """How the program behaves. The defaults are those of a plain, quick program.

    A change shows ``latency_s`` after its click; an opening spreads by ``ripple_s`` a ring of
    cells. ``question_marks``: a right click on a flag makes it a question mark. ``win_dialog``
    and ``loss_dialog`` open over the board and close by a key; ``loss_bubble`` is a translucent
    note over the board for some seconds; ``win_flash`` inverts the board for over a second.
    Without ``shows_mines`` a lost board shows no mine but the exploded one; without
    ``flags_on_win`` the mines of a won board stay hidden.
    """

    latency_s: float = 0.03
    ripple_s: float = 0.004
    question_marks: bool = False
    win_dialog: bool = False
    loss_dialog: bool = False
    loss_bubble: bool = False
    win_flash: bool = False
    shows_mines: bool = True
    flags_on_win: bool = True


@dataclass(frozen=True)
class Setup:
    """What the program was started with; game k (from 0) is laid out from ``seed + k``.

    ``pitch`` is the side of a tile in pixels, ``ui`` the scale of all around the board.
    """

    rows: int
    cols: int
    mines: int
    rule: Rule
    seed: int
    look: Look
    pitch: float
    ui: float


class MineProgram:
    """A running program.

    ``damage`` is told each box of the window that was redrawn, ``restack`` that the window's
    ``layers`` changed, bottom first.
    """

    def __init__(
        self,
        setup: Setup,
        habits: Habits,
        faults: Faults,
        *,
        timeline: Timeline,
        damage: Callable[[PixelBox], None],
        restack: Callable[[], None],
    ) -> None:
        self.setup, self.habits, self.faults = setup, habits, faults
        self.results: list[Status] = []
        self.shown = np.full((setup.rows, setup.cols), Tile.HIDDEN, np.int8)
        self._timeline, self._damage, self._restack = timeline, damage, restack
        self._seeds = count(setup.seed)
        self._started_s: float | None = None
        self._ended_s: float | None = None
        self._shown_seconds = 0
        self._lit: Cell | None = None
        self._overlays: list[Layer] = []
        self._dialog: Layer | None = None
        self.game = self._next_game()
        self.window = self._open_window(setup.pitch)
        self.layer = Layer(self.window.picture, 0, 0)
        self._paint_all()

    def _open_window(self, pitch: float) -> MineWindow:
        setup = self.setup
        return MineWindow(
            setup.look,
            setup.rows,
            setup.cols,
            pitch=pitch,
            ui=setup.ui,
            counter=not self.faults.counter_absent,
        )

    def resize(self, factor: float) -> None:
        """Draw the window anew with larger or smaller tiles, at the same place."""
        self.window = self._open_window(self.window.grid.tile_w * factor)
        self.layer = Layer(self.window.picture, self.layer.x, self.layer.y)
        self._lit = None
        self._paint_all()
        self._restack()

    @property
    def layers(self) -> list[Layer]:
        """The window and what the program opened over it, bottom first."""
        return [self.layer, *self._overlays]

    @property
    def modal(self) -> bool:
        """Whether a dialog keeps clicks from the board."""
        return self._dialog is not None

    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.game.status is not Status.PLAYING

    # ---- what a person does to it ------------------------------------------------------------

    def press(self, keys: str) -> None:
        """Hear keys: a new game, or closing a dialog; others do nothing."""
        if self._dialog is not None:
            if keys in DIALOG_KEYS:
                self._remove(self._dialog)
                self._dialog = None
        elif keys in NEW_GAME_KEYS:
            self.new_game()

    def click(self, cell: Cell, button: Button) -> None:
        """Play a click on a cell."""
        if self.is_over():
            return
        before = self.game.board.tiles
        self._play(cell, button)
        self._show_change(cell, before)
        if self.is_over():
            self._end_game()

    def new_game(self) -> None:
        """Start the next game; a dialog or bubble over the old one goes."""
        self._timeline.clear()
        self._overlays.clear()
        self._dialog = None
        self._restack()
        self.game = self._next_game()
        self._timeline.later(self._delay_s, self._show_all)

    def hover(self, cell: Cell | None) -> None:
        """Light the hidden tile under the pointer."""
        touched = [near for near in {self._lit, cell} if near is not None]
        self._lit = cell
        self._repaint([(near, int(self.shown[near])) for near in touched])

    def tick(self) -> None:
        """Bring the timer up to date."""
        seconds = self._seconds
        if seconds != self._shown_seconds:
            self._shown_seconds = seconds
            self._damage(self.window.paint_timer(seconds))

    # ---- the game ----------------------------------------------------------------------------

    def _next_game(self) -> Game:
        self._started_s = self._ended_s = None
        setup = self.setup
        return Game.random(
            setup.rows, setup.cols, setup.mines, rule=setup.rule, seed=next(self._seeds)
        )

    def _play(self, cell: Cell, button: Button) -> None:
        opened = self.game.board[cell] >= 0
        if button is Button.RIGHT:
            self.game.flag(cell, question_marks=self.habits.question_marks)
        elif opened and (button is Button.MIDDLE or self.window.look.chord):
            self.game.chord(cell)
        elif button is Button.LEFT:
            self.game.open(cell)
        if self.game.started and self._started_s is None:
            self._started_s = self._timeline.clock.now()

    def _end_game(self) -> None:
        self._ended_s = self._timeline.clock.now()
        status, habits, later = self.game.status, self.habits, self._timeline.later
        self.results.append(status)
        won = status is Status.WON
        later(self._delay_s, self._paint_header)
        if won and habits.win_flash:
            spread_s = habits.ripple_s * max(self.setup.rows, self.setup.cols)
            for step in range(FLASHES):
                later(self._delay_s + spread_s + FLASH_S * step, self._flash)
        if not won and habits.loss_bubble:
            later(self._delay_s, self._open_bubble)
        if habits.win_dialog if won else habits.loss_dialog:
            later(self._delay_s + DIALOG_S, self._open_dialog)

    @property
    def _delay_s(self) -> float:
        return self.habits.latency_s + self.faults.repaint_s

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

    def _paint_counter(self) -> PixelBox | None:
        flags = int((self.shown == Tile.FLAG).sum())
        return self.window.paint_counter(self.setup.mines + self.faults.counter_error, flags)

    def _paint_header(self) -> None:
        box = self._paint_counter()
        if box is not None:
            self._damage(box)
        self._damage(self.window.paint_new_game(self.game.status))

    def _tiles_to_show(self) -> NDArray[np.int8]:
        tiles = self.game.board.tiles.copy()
        if self.game.status is Status.WON and not self.habits.flags_on_win:
            tiles[(tiles == Tile.FLAG) & (self.shown != Tile.FLAG)] = Tile.HIDDEN
        if not self.habits.shows_mines:
            tiles[tiles == Tile.MINE] = Tile.HIDDEN
        return tiles

    def _show_all(self) -> None:
        self.shown = self._tiles_to_show()
        self._paint_all()
        self._damage(PixelBox(0, 0, *self.window.size))

    def _show_change(self, start: Cell, before: NDArray[np.int8]) -> None:
        """Let the cells that changed appear ring by ring around ``start``."""
        after = self._tiles_to_show()
        rings: dict[int, list[tuple[Cell, int]]] = {}
        for row, col in np.argwhere(before != after).tolist():
            ring = max(abs(row - start.row), abs(col - start.col))
            rings.setdefault(ring, []).append((Cell(row, col), int(after[row, col])))
        for ring, changes in rings.items():
            delay_s = self._delay_s + self.habits.ripple_s * ring
            self._timeline.later(delay_s, partial(self._show, changes))

    def _show(self, changes: list[tuple[Cell, int]]) -> None:
        flags = int((self.shown == Tile.FLAG).sum())
        for cell, code in changes:
            self.shown[cell] = code
        self._repaint(changes)
        if flags != int((self.shown == Tile.FLAG).sum()):
            self._paint_header()

    def _repaint(self, changes: list[tuple[Cell, int]]) -> None:
        box = self.window.paint_tiles(changes, self._lit)
        if box is not None:
            self._damage(box)

    def _flash(self) -> None:
        board = self.window.grid.bounds
        tiles = self.window.picture[board.y0 : board.y1, board.x0 : board.x1]
        np.subtract(255, tiles, out=tiles)
        self._damage(board)

    def _open_bubble(self) -> None:
        board, ui = self.window.grid.bounds, self.window.ui
        picture = blank(board.x1 - board.x0, max(24, (board.y1 - board.y0) // 4), (30, 30, 34))
        write(picture, "Game over.", (12 * ui, 20 * ui), 10 * ui, (240, 240, 240))
        x, y = self.layer.x + board.x0, self.layer.y + board.y1 - picture.shape[0]
        bubble = Layer(picture, x, y, opacity=0.75)
        self._add(bubble)
        self._timeline.later(BUBBLE_S, partial(self._remove, bubble))

    def _open_dialog(self) -> None:
        board, ui = self.window.grid.bounds, self.window.ui
        result = "You won!" if self.game.status is Status.WON else "You lost."
        size = round(240 * ui), round(130 * ui)
        picture = dialog(*size, "Mines", (result, "Press Escape to go on."), ui)
        x = self.layer.x + (board.x0 + board.x1 - size[0]) // 2
        y = self.layer.y + (board.y0 + board.y1 - size[1]) // 2
        self._dialog = Layer(picture, x, y)
        self._add(self._dialog)

    def _add(self, overlay: Layer) -> None:
        self._overlays.append(overlay)
        self._restack()

    def _remove(self, overlay: Layer) -> None:
        if overlay in self._overlays:
            self._overlays.remove(overlay)
            self._restack()

    def move_by(self, dx: int, dy: int) -> None:
        """Move the window and all it opened, by pixels."""
        for layer in self.layers:
            layer.x, layer.y = layer.x + dx, layer.y + dy
        self._restack()
