"""How a simulated program can behave, its dialogs, and what can go wrong in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.desktop.ports import Button
from bot.simulated.paint import shade, solid, write
from bot.simulated.program import MineProgram, Setup
from bot.simulated.render import MineWindow, Skin
from bot.simulated.screen import Layer
from calibration.grid import PixelBox
from solver.board import Cell, Tile
from solver.game import Status
from tests.simulated.screen import Translucent, dialog

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
class Behaviour:
    """How the program behaves; by default it is a plain, quick one.

    A change shows ``latency_s`` after its click; an opening spreads from the clicked cell, each
    ring of cells ``ripple_s`` after the one inside it, and a dialog ``dialog_s`` after the end of a
    game. ``question_marks``: a right click on a flag makes it a question mark. ``win_dialog`` and
    ``loss_dialog`` cover the board until a key closes them; ``loss_bubble`` is a translucent note
    over the board for a while; ``win_flash`` inverts the board a few times; ``end_overlay`` dims
    the finished board, as many pages do, by a cover as opaque as ``dimming`` says, and lays a card
    with a button over it that starts a new game; ``restart_s`` after an end a new game begins by
    itself. Without ``shows_mines`` a lost board shows only the exploded mine; without
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
    dimming: float = 0.6
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
        if self.drop_every and number % self.drop_every == 0:
            return 0
        return 2 if self.double_every and number % self.double_every == 0 else 1


class FaultyWindow(MineWindow):
    """A window whose ``hovered`` tile is lighter, and which need not have a mine ``counter``."""

    def __init__(self, *looks: Any, counter: bool, **more: Any) -> None:
        self._counter = counter
        self.hovered: Cell | None = None
        super().__init__(*looks, **more)

    def _skin_of(self, cell: Cell) -> Skin:
        if cell != self.hovered:
            return self.skin
        return replace(self.skin, hidden=tuple(shade(each, 1.35) for each in self.skin.hidden))

    def paint_counter(self, mines: int, flags: int) -> PixelBox:
        return super().paint_counter(mines, flags) if self._counter else PixelBox(0, 0, 0, 0)


class FaultyProgram(MineProgram):
    """A running program with a ``behaviour`` and ``faults``.

    It calls ``on_open`` with all that it has open over its window when something opens or closes.
    """

    window: FaultyWindow

    def __init__(
        self,
        setup: Setup,
        behaviour: Behaviour,
        faults: Faults,
        *,
        on_open: Callable[[list[Layer]], None],
        **how: Any,
    ) -> None:
        self.behaviour, self.faults, self._on_open = behaviour, faults, on_open
        self.results: list[Status] = []
        self._overlays: list[Layer] = []
        self._dialog: Layer | None = None
        super().__init__(setup, **how)

    def _open_window(self, pitch: float) -> FaultyWindow:
        setup = self.setup
        return FaultyWindow(
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
        self._paint_all()
        self._on_move(self.layer)

    @property
    def modal(self) -> bool:
        """Whether a dialog takes all clicks."""
        return self._dialog is not None

    def overlay_covers(self, x: int, y: int) -> bool:
        return self.behaviour.end_overlay and self._dialog is not None and self._dialog.covers(x, y)

    # ---- input -------------------------------------------------------------------------------

    def press(self, keys: str) -> None:
        if self._dialog is None:
            super().press(keys)
        elif keys in DIALOG_KEYS:
            self._remove(self._dialog)
            self._dialog = None

    def new_game(self) -> None:
        self._overlays.clear()
        self._dialog = None
        self._on_open(self._overlays)
        super().new_game()

    def move_by(self, dx: int, dy: int) -> None:
        for layer in self._overlays:
            layer.x, layer.y = layer.x + dx, layer.y + dy
        super().move_by(dx, dy)

    def hover(self, cell: Cell | None) -> None:
        changed = {self.window.hovered, cell} - {None}
        self.window.hovered = cell
        if changed:
            tiles = [(each, int(self.shown[each])) for each in changed if each is not None]
            self._on_repaint(self.window.paint_tiles(tiles))

    # ---- the game ----------------------------------------------------------------------------

    def _apply(self, cell: Cell, button: Button) -> None:
        if button is Button.RIGHT and self.behaviour.question_marks:
            self.game.flag(cell, question_marks=True)
        else:
            super()._apply(cell, button)

    def _end_game(self) -> None:
        super()._end_game()
        status, behaviour, later = self.game.status, self.behaviour, self._timeline.later
        self.results.append(status)
        won = status is Status.WON
        if won and behaviour.win_flash:
            opening_s = self.setup.ripple_s * max(self.setup.rows, self.setup.cols)
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
        return super()._delay_s + self.faults.repaint_s

    # ---- the window --------------------------------------------------------------------------

    def _paint_all(self) -> None:
        """Paint everything; the tile under the pointer is lighter only once the pointer moves."""
        hovered, self.window.hovered = self.window.hovered, None
        super()._paint_all()
        self.window.hovered = hovered

    def _paint_counter(self) -> PixelBox:
        flags = int((self.shown == Tile.FLAG).sum())
        return self.window.paint_counter(self.setup.mines + self.faults.counter_error, flags)

    def _tiles_to_show(self) -> NDArray[np.int8]:
        tiles = self.game.board.tiles.copy()
        if self.game.status is Status.WON and not self.behaviour.flags_on_win:
            tiles[(tiles == Tile.FLAG) & (self.shown != Tile.FLAG)] = Tile.HIDDEN
        if self.game.status is Status.WON and self.behaviour.mines_on_win:
            tiles[tiles == Tile.FLAG] = Tile.MINE
        if not self.behaviour.shows_mines:
            tiles[tiles == Tile.MINE] = Tile.HIDDEN
        return tiles

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
        bubble = Translucent(picture, x, y, opacity=0.75)
        self._add(bubble)
        self._timeline.later(BUBBLE_S, partial(self._remove, bubble))

    def _open_overlay(self) -> None:
        board, scale = self.window.grid.bounds, self.window.ui_scale
        wide, high = board.x1 - board.x0, board.y1 - board.y0
        dim = solid(wide + 2 * OVERLAY_RIM, high + 2 * OVERLAY_RIM, (12, 14, 20))
        x, y = self.layer.x + board.x0, self.layer.y + board.y0
        self._add(Translucent(dim, x - OVERLAY_RIM, y - OVERLAY_RIM, self.behaviour.dimming))
        card = solid(wide // 2, high // 3, (236, 238, 242))
        write(card, "Try again", (wide / 4, high / 6), 11 * scale, (30, 30, 30), align=0.5)
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
        self._on_open(self._overlays)

    def _remove(self, overlay: Layer) -> None:
        if overlay in self._overlays:
            self._overlays.remove(overlay)
            self._on_open(self._overlays)
