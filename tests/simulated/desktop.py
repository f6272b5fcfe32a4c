"""A simulated desktop on which anything can go wrong, and the truth about what it shows."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.desktop.ports import Button, Desktop, Window
from bot.simulated.desktop import GAME_WINDOW, SimulatedDesktop
from bot.simulated.paint import solid, write
from bot.simulated.program import Setup
from bot.simulated.screen import FakeClock, Layer, Timeline
from calibration.grid import Grid, PixelPoint, ScreenPoint
from solver.board import Cell
from solver.game import Game, Status
from tests.simulated.program import Behaviour, Faults, FaultyProgram
from tests.simulated.scenery import paint_scenery
from tests.simulated.screen import FaultyScreen, dialog, free_screenshots

UNSEEN_WINDOW, DIALOG = 2, 3
"""The numbers of a window over the game's that cannot be seen, and of the game's dialog."""


class Hit(Enum):
    TILE = "tile"
    NEW_GAME = "new game"
    DIALOG = "dialog"
    OVERLAY = "overlay"
    COVER = "cover"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True)
class SimClick:
    """One click; ``deliveries`` says how often it reached the window, 0 for a dropped one."""

    time_s: float
    point: ScreenPoint
    button: Button
    hit: Hit
    cell: Cell | None
    deliveries: int = 1


class FaultyDesktop(SimulatedDesktop):
    """A simulated desktop with other programs' ``windows`` below the game's, and faults.

    ``click_s`` is the time between press and release. ``after_click`` maps the number of a click,
    counted from 1, to what happens to the desktop right after it: ``{5: FaultyDesktop.minimise}``.
    """

    _screen: FaultyScreen
    _program: FaultyProgram

    def __init__(
        self,
        *,
        click_s: float = 0.0,
        background: str = "gradient",
        windows: Iterable[str] = ("calculator", "spreadsheet"),
        behaviour: Behaviour | None = None,
        faults: Faults | None = None,
        after_click: Mapping[int, Callable[[FaultyDesktop], None]] | None = None,
        **setup: Any,
    ) -> None:
        self.clicks: list[SimClick] = []
        self.under_unseen_window, self.has_keyboard, self.names_dialogs = False, True, False
        self.reads_words = False
        self._behaviour, self._faults = behaviour or Behaviour(), faults or Faults()
        self.after_click, self._click_s = after_click or {}, click_s
        self._background, self._windows = background, tuple(windows)
        self._was_over_board = False
        # A new game drops what the old game had planned, but what the desktop has planned still
        # happens.
        setup["clock"] = setup.get("clock") or FakeClock()
        self._world = Timeline(setup["clock"])
        super().__init__(**setup)

    def _open_screen(self, size: tuple[int, int], scale: float) -> FaultyScreen:
        free_screenshots()  # of the desktops before this one, in the same test
        scenery = paint_scenery(self._background, self._windows, size, scale=scale, seed=self._seed)
        return FaultyScreen(scenery, ui_scale=scale)

    def _start(self, setup: Setup) -> FaultyProgram:
        behaviour, screen = self._behaviour, self._screen
        return FaultyProgram(
            replace(setup, latency_s=behaviour.latency_s, ripple_s=behaviour.ripple_s),
            behaviour,
            self._faults,
            timeline=self._timeline,
            on_repaint=screen.repaint,
            on_move=screen.show,
            on_open=lambda layers: screen.change(opened=layers),
        )

    # ---- the ports ---------------------------------------------------------------------------

    @property
    def ports(self) -> Desktop:
        """All ports, as the player takes them. Its words are read if it ``reads_words``."""
        ports = replace(super().ports, dialog_of=self.dialog_of)
        return replace(ports, lines_in=None) if self.reads_words else ports

    def window_at(self, point: ScreenPoint) -> Window:
        """Return the game's window, unless ``under_unseen_window``.

        What can be seen over it is to be noticed by its look.
        """
        number = UNSEEN_WINDOW if self.under_unseen_window else GAME_WINDOW
        return super().window_at(point)._replace(number=number, owner=number)

    def dialog_of(self, number: int) -> int | None:
        known = self.names_dialogs and self.has_keyboard and number == GAME_WINDOW
        return DIALOG if known and self._program.modal else None

    def _press_button(self, point: ScreenPoint, button: Button, hold_s: float) -> None:
        self.clock.sleep(self._click_s + hold_s)
        self._advance()
        number = len(self.clicks) + 1
        deliveries = self._faults.deliveries(number) * (hold_s >= self._faults.least_hold_s)
        hit, cell = self._hit(point)
        self.clicks.append(SimClick(self.clock.now(), point, button, hit, cell, deliveries))
        for _ in range(deliveries):
            self._deliver(point, button)
        happening = self.after_click.get(number)
        if happening is not None:
            happening(self)

    def move(self, point: ScreenPoint) -> None:
        super().move(point)
        if self._faults.hover:
            cell = self._hit(point)[1]
            self._was_over_board |= cell is not None
            if cell is None and self._faults.hover_stays and self._was_over_board:
                cell = self._nearest_cell(point)
            self._program.hover(cell)

    def press(self, keys: str, into: int | None = None) -> bool:
        """Press a key or several, as in ``ctrl+n``, if the game's window ``has_keyboard``."""
        self._advance()
        if into is not None and not self.has_keyboard:
            return False
        return self._screen.minimised or super().press(keys)

    # ---- the truth, for tests and labels -----------------------------------------------------

    @property
    def game(self) -> Game:
        """The game behind the window, which no player may see."""
        return self._program.game

    @property
    def results(self) -> list[Status]:
        return self._program.results

    @property
    def stray_clicks(self) -> list[SimClick]:
        """Clicks that hit anything but a tile or the control for a new game."""
        return [click for click in self.clicks if click.hit not in (Hit.TILE, Hit.NEW_GAME)]

    def truth_grid(self) -> Grid:
        """Return the grid of the board, in pixels of the whole screen."""
        return self._grid

    def truth_tiles(self) -> NDArray[np.int8]:
        self._advance()
        return self._program.shown.copy()

    @property
    def new_game_point(self) -> ScreenPoint:
        layer, box = self._program.layer, self._program.window.new_game
        return self._to_screen(layer.x + (box.x0 + box.x1) / 2, layer.y + (box.y0 + box.y1) / 2)

    def cell_point(self, cell: Cell) -> ScreenPoint:
        return self._to_screen(*self.truth_grid().centre(cell))

    # ---- what can happen to the desktop ------------------------------------------------------

    def new_game(self) -> None:
        self._program.new_game()

    def later(self, seconds: float, happening: Callable[[], None]) -> None:
        self._world.later(seconds, happening)

    def move_window(self, dx: int, dy: int) -> None:
        self._program.move_by(dx, dy)

    def resize_window(self, factor: float) -> None:
        """Scale the board, as a program does whose window is drawn larger or smaller."""
        self._program.resize(factor)

    def popup(self, *, lasts_s: float | None = None, share: float = 0.6) -> None:
        """Show a dialog over the middle of the board; its sides are ``share`` of the board's."""
        board = self._grid.bounds
        width = max(80, round((board.x1 - board.x0) * share))
        height = max(80, round((board.y1 - board.y0) * share))
        picture = dialog(width, height, "Updates", ("12 updates are ready.",), 0.9)
        x, y = (board.x0 + board.x1 - width) // 2, (board.y0 + board.y1 - height) // 2
        self._cover(Layer(picture, x, y), lasts_s)

    def notify(self, *, lasts_s: float = 2.0) -> None:
        """Let a notification slide over the board from right to left."""
        board, picture = self._grid.bounds, solid(260, 60, (48, 50, 56))
        write(picture, "You have 3 new messages", (16, 35), 10, (235, 235, 235))
        path = np.linspace(board.x1, board.x0 - 260, steps := max(2, round(lasts_s / 0.05)))
        for step, x in enumerate(path):
            layer = Layer(picture, round(x), (board.y0 + board.y1) // 2)
            self.later(lasts_s * step / steps, partial(self._cover, layer, None))
            self.later(lasts_s * (step + 1) / steps, partial(self._uncover, layer))

    def minimise(self, *, lasts_s: float | None = None) -> None:
        self._change(lasts_s, minimised=True)

    def go_black(self, *, lasts_s: float | None = None) -> None:
        """Make the screen black, as when it is locked or its driver sleeps."""
        self._change(lasts_s, tint=(0, 0, 0))

    def night_light(self) -> None:
        """Shift the colours of the whole screen towards orange."""
        self._change(None, tint=(1.0, 0.84, 0.62))

    def fail_grabs(self, times: int = 1) -> None:
        self._screen.failing_grabs = times

    def user_moves(self, *, lasts_s: float = 1.0) -> None:
        rng, steps = random.Random(len(self.clicks)), max(1, round(lasts_s / 0.05))
        _, _, right, bottom = self.monitors()[0]
        for step in range(steps):
            point = ScreenPoint(rng.randint(9, right - 9), rng.randint(9, bottom - 9))
            self._world.later(lasts_s * step / steps, partial(self._put_pointer, point))

    def slam(self) -> None:
        """Let a person push the mouse into the top-left corner, where the kill switch is."""
        self._put_pointer(ScreenPoint(0, 0))

    # ---- inside ------------------------------------------------------------------------------

    def _change(self, lasts_s: float | None, **what: Any) -> None:
        """Change what the screen shows, for a while or for good."""
        before = {name: getattr(self._screen, name) for name in what}
        self._screen.change(**what)
        if lasts_s is not None:
            self.later(lasts_s, partial(self._screen.change, **before))

    def _cover(self, layer: Layer, lasts_s: float | None) -> None:
        self._screen.change(covers=[*self._screen.covers, layer])
        if lasts_s is not None:
            self.later(lasts_s, partial(self._uncover, layer))

    def _uncover(self, layer: Layer) -> None:
        self._screen.change(covers=[one for one in self._screen.covers if one is not layer])

    def _advance(self) -> None:
        self._world.advance()
        super()._advance()

    def _hit(self, point: ScreenPoint) -> tuple[Hit, Cell | None]:
        pixel, program = self._to_pixels(point), self._program
        x, y = round(pixel.x), round(pixel.y)
        if any(layer.covers(x, y) for layer in self._screen.covers):
            return Hit.COVER, None
        if self._screen.minimised or not program.layer.covers(x, y):
            return Hit.ELSEWHERE, None
        if program.modal:
            return (Hit.OVERLAY if program.overlay_covers(x, y) else Hit.DIALOG), None
        if self._is_new_game(pixel):
            return Hit.NEW_GAME, None
        cell = self._grid.cell_at(pixel)
        return (Hit.TILE, cell) if cell is not None else (Hit.ELSEWHERE, None)

    def _nearest_cell(self, point: ScreenPoint) -> Cell | None:
        box, (x, y) = self._grid.bounds, self._to_pixels(point)
        x, y = min(max(x, box.x0), box.x1 - 1), min(max(y, box.y0), box.y1 - 1)
        return self._grid.cell_at(PixelPoint(x, y))

    def _deliver(self, point: ScreenPoint, button: Button) -> None:
        hit, _ = self._hit(point)
        if hit is Hit.OVERLAY and button is Button.LEFT:
            self._program.new_game()
        elif hit in (Hit.TILE, Hit.NEW_GAME):
            super()._deliver(point, button)

    def _put_pointer(self, point: ScreenPoint) -> None:
        self._pointer = point
