"""The simulated game and the window that shows it: how it behaves, and what can go wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np
from numpy.typing import NDArray

from bot.desktop.ports import Button
from bot.simulated.paint import solid, write
from bot.simulated.render import MineWindow, Skin
from bot.simulated.screen import Layer, Timeline, dialog, overlay_card
from calibration.points import PixelBox
from solver.board import Cell, Tile
from solver.game import Game, Rule, Status

NEW_GAME_KEYS = ("f2", "n", "ctrl+n")
"""Keys that start a new game in the window."""

DIALOG_KEYS = ("escape", "esc", "return", "enter", "space")
"""Keys that close a dialog of the window."""

BUBBLE_S = 3.0
"""How long the note over a lost board stays."""

FLASH_S = 0.2

FLASHES = 6
"""How often a won board is inverted, and the seconds between two times."""

OVERLAY_RIM = 10
"""Pixels by which an overlay reaches beyond the board."""


@dataclass(frozen=True)
class Setup:
    """What the program is started with.

    Game k (from 0) takes the seed ``seed + k``. ``pitch`` is the side of a tile in pixels;
    ``ui_scale`` scales everything but the board.
    """

    rows: int
    cols: int
    mines: int
    rule: Rule
    seed: int
    skin: Skin
    pitch: float
    ui_scale: float


class MineProgram:
    """A running program.

    It calls ``on_repaint`` with each box of the window that it redraws, and ``on_layers`` with its
    `layers` whenever one appears, moves or goes.
    """

    def __init__(
        self,
        setup: Setup,
        behaviour: Behaviour,
        faults: Faults,
        *,
        timeline: Timeline,
        on_repaint: Callable[[PixelBox], None],
        on_layers: Callable[[list[Layer]], None],
    ) -> None:
        self.setup, self.behaviour, self.faults = setup, behaviour, faults
        self.results: list[Status] = []
        self.shown = np.full((setup.rows, setup.cols), Tile.HIDDEN, np.int8)
        self._timeline, self._on_repaint, self._on_layers = timeline, on_repaint, on_layers
        self._seeds = count(setup.seed)
        self._started_s: float | None = None
        self._ended_s: float | None = None
        self._shown_seconds = 0
        self._hovered: Cell | None = None
        self._overlays: list[Layer] = []
        self._dialog: Layer | None = None
        self.game = self._next_game()
        self.window = self._open_window(setup.pitch)
        self.layer = Layer(self.window.picture, 0, 0)
        self._paint_all()

    def _open_window(self, pitch: float) -> MineWindow:
        setup = self.setup
        return MineWindow(
            setup.skin,
            setup.rows,
            setup.cols,
            pitch=pitch,
            ui_scale=setup.ui_scale,
            counter=not self.faults.counter_absent,
        )

    def resize(self, factor: float) -> None:
        """Draw the window again with larger or smaller tiles; its corner stays."""
        self.window = self._open_window(self.window.grid.tile_w * factor)
        self.layer = Layer(self.window.picture, self.layer.x, self.layer.y)
        self._hovered = None
        self._paint_all()
        self._on_layers(self.layers)

    @property
    def layers(self) -> list[Layer]:
        """The window, then what the program opened over it, bottom first."""
        return [self.layer, *self._overlays]

    @property
    def modal(self) -> bool:
        """Whether a dialog takes all clicks."""
        return self._dialog is not None

    def overlay_covers(self, x: int, y: int) -> bool:
        """Whether the card over a finished board lies at a pixel of the screen."""
        return self.behaviour.end_overlay and self._dialog is not None and self._dialog.covers(x, y)

    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.game.status is not Status.PLAYING

    # ---- input -------------------------------------------------------------------------------

    def press(self, keys: str) -> None:
        """Take keys: close the dialog, or start a new game; others do nothing."""
        if self._dialog is not None:
            if keys in DIALOG_KEYS:
                self._remove(self._dialog)
                self._dialog = None
        elif keys in NEW_GAME_KEYS:
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
        """Start the next game; a dialog or note over the old one closes."""
        self._timeline.clear()
        self._overlays.clear()
        self._dialog = None
        self._on_layers(self.layers)
        self.game = self._next_game()
        self._timeline.later(self._delay_s, self._show_all)

    def hover(self, cell: Cell | None) -> None:
        """Draw the hidden tile under the pointer lighter."""
        changed = [each for each in {self._hovered, cell} if each is not None]
        self._hovered = cell
        self._repaint([(each, int(self.shown[each])) for each in changed])

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
            self.game.flag(cell, question_marks=self.behaviour.question_marks)
        elif opened and (button is Button.MIDDLE or self.window.skin.chord):
            self.game.chord(cell)
        elif button is Button.LEFT:
            self.game.open(cell)
        if self.game.started and self._started_s is None:
            self._started_s = self._timeline.clock.now()

    def _end_game(self) -> None:
        self._ended_s = self._timeline.clock.now()
        status, behaviour, later = self.game.status, self.behaviour, self._timeline.later
        self.results.append(status)
        won = status is Status.WON
        later(self._delay_s, self._paint_header)
        if won and behaviour.win_flash:
            opening_s = behaviour.ripple_s * max(self.setup.rows, self.setup.cols)
            for step in range(FLASHES):
                later(self._delay_s + opening_s + FLASH_S * step, self._flash)
        if not won and behaviour.loss_bubble:
            later(self._delay_s, self._open_bubble)
        if behaviour.end_overlay:
            later(self._delay_s + behaviour.dialog_s, self._open_overlay)
        if behaviour.restart_s is not None:
            later(self._delay_s + behaviour.restart_s, self.new_game)
        if behaviour.win_dialog if won else behaviour.loss_dialog:
            later(self._delay_s + behaviour.dialog_s, self._open_dialog)

    @property
    def _delay_s(self) -> float:
        return self.behaviour.latency_s + self.faults.repaint_s

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
            self._on_repaint(box)
        self._on_repaint(self.window.paint_new_game(self.game.status))

    def _tiles_to_show(self) -> NDArray[np.int8]:
        tiles = self.game.board.tiles.copy()
        if self.game.status is Status.WON and not self.behaviour.flags_on_win:
            tiles[(tiles == Tile.FLAG) & (self.shown != Tile.FLAG)] = Tile.HIDDEN
        if self.game.status is Status.WON and self.behaviour.mines_on_win:
            tiles[tiles == Tile.FLAG] = Tile.MINE
        if not self.behaviour.shows_mines:
            tiles[tiles == Tile.MINE] = Tile.HIDDEN
        return tiles

    def _show_all(self) -> None:
        self.shown = self._tiles_to_show()
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
            delay_s = self._delay_s + self.behaviour.ripple_s * ring
            self._timeline.later(delay_s, partial(self._show, changes))

    def _show(self, changes: list[tuple[Cell, int]]) -> None:
        flags = int((self.shown == Tile.FLAG).sum())
        for cell, code in changes:
            self.shown[cell] = code
        self._repaint(changes)
        if flags != int((self.shown == Tile.FLAG).sum()):
            self._paint_header()

    def _repaint(self, changes: list[tuple[Cell, int]]) -> None:
        box = self.window.paint_tiles(changes, self._hovered)
        if box is not None:
            self._on_repaint(box)

    def _flash(self) -> None:
        board = self.window.grid.bounds
        tiles = self.window.picture[board.y0 : board.y1, board.x0 : board.x1]
        np.subtract(255, tiles, out=tiles)
        self._on_repaint(board)

    def _open_bubble(self) -> None:
        board, scale = self.window.grid.bounds, self.window.ui_scale
        picture = solid(board.x1 - board.x0, max(24, (board.y1 - board.y0) // 4), (30, 30, 34))
        write(picture, "Game over.", (12 * scale, 20 * scale), 10 * scale, (240, 240, 240))
        x, y = self.layer.x + board.x0, self.layer.y + board.y1 - picture.shape[0]
        bubble = Layer(picture, x, y, opacity=0.75)
        self._add(bubble)
        self._timeline.later(BUBBLE_S, partial(self._remove, bubble))

    def _open_overlay(self) -> None:
        """Dim the board and lay a card with a button over its middle."""
        board, scale = self.window.grid.bounds, self.window.ui_scale
        wide, high = board.x1 - board.x0, board.y1 - board.y0
        dim = solid(wide + 2 * OVERLAY_RIM, high + 2 * OVERLAY_RIM, (12, 14, 20))
        x, y = self.layer.x + board.x0, self.layer.y + board.y0
        self._add(Layer(dim, x - OVERLAY_RIM, y - OVERLAY_RIM, opacity=0.6))
        card = overlay_card(wide // 2, high // 3, "Try again", scale)
        self._dialog = Layer(card, x + wide // 4, y + high // 3)
        self._add(self._dialog)

    def _open_dialog(self) -> None:
        board, scale = self.window.grid.bounds, self.window.ui_scale
        result = "You won!" if self.game.status is Status.WON else "You lost."
        size = round(240 * scale), round(130 * scale)
        picture = dialog(*size, "Mines", (result, "Press Escape to go on."), scale)
        x = self.layer.x + (board.x0 + board.x1 - size[0]) // 2
        y = self.layer.y + (board.y0 + board.y1 - size[1]) // 2
        self._dialog = Layer(picture, x, y)
        self._add(self._dialog)

    def _add(self, overlay: Layer) -> None:
        self._overlays.append(overlay)
        self._on_layers(self.layers)

    def _remove(self, overlay: Layer) -> None:
        if overlay in self._overlays:
            self._overlays.remove(overlay)
            self._on_layers(self.layers)

    def move_by(self, dx: int, dy: int) -> None:
        """Move the window and what it opened, by pixels."""
        for layer in self.layers:
            layer.x, layer.y = layer.x + dx, layer.y + dy
        self._on_layers(self.layers)


@dataclass(frozen=True)
class Behaviour:
    """How the program behaves; by default it is a plain, quick one.

    A change shows ``latency_s`` after its click; an opening spreads from the clicked cell, each
    ring of cells ``ripple_s`` after the one inside it, and a dialog ``dialog_s`` after the end of a
    game. ``question_marks``: a right click on a flag
    makes it a question mark. ``win_dialog`` and ``loss_dialog`` cover the board until a key closes
    them; ``loss_bubble`` is a translucent note over the board for a while; ``win_flash`` inverts
    the board a few times; ``end_overlay`` dims the finished board, as many pages do, and lays a
    card with a button over it that starts a new game; ``restart_s`` after an end a new game begins
    by itself. Without ``shows_mines`` a lost board shows only the exploded mine; without
    ``flags_on_win`` the mines of a won board stay hidden, and with ``mines_on_win`` they are shown
    as mines.
    """

    latency_s: float = 0.03
    ripple_s: float = 0.004
    dialog_s: float = 0.25
    question_marks: bool = False
    win_dialog: bool = False
    loss_dialog: bool = False
    loss_bubble: bool = False
    win_flash: bool = False
    end_overlay: bool = False
    restart_s: float | None = None
    shows_mines: bool = True
    flags_on_win: bool = True
    mines_on_win: bool = False


@dataclass(frozen=True)
class Faults:
    """Faults of a desktop; by default it has none.

    ``drop_every`` and ``double_every``: every nth click is lost, or arrives twice (0: none).
    ``repaint_s``: every change shows so many seconds later. ``hover``: a hidden tile becomes
    lighter under the pointer; with ``hover_stays`` the nearest one does once the pointer has
    left the board. Clicks that hold the button for less than ``least_hold_s`` are lost, as where a
    program looks once a frame whether it is down. ``counter_error`` is added to the number on the
    mine counter; with ``counter_absent`` there is no mine counter.
    """

    drop_every: int = 0
    double_every: int = 0
    repaint_s: float = 0.0
    hover: bool = False
    hover_stays: bool = False
    least_hold_s: float = 0.0
    counter_error: int = 0
    counter_absent: bool = False

    def deliveries(self, number: int) -> int:
        """Return how many times click ``number``, counted from 1, reaches the window."""
        if self.drop_every and number % self.drop_every == 0:
            return 0
        return 2 if self.double_every and number % self.double_every == 0 else 1
