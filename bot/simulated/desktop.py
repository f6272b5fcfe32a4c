"""A simulated desktop with a Minesweeper window: no display needed, the same from run to run.

It offers the same ports as a real desktop, and takes a clock, real or simulated.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bot.desktop.ports import Button, Clock, Desktop, Monitor, Window
from bot.errors import UsageError
from bot.simulated.paint import clip
from bot.simulated.program import Behaviour, Faults, MineProgram, Setup
from bot.simulated.render import skin_named
from bot.simulated.screen import FakeClock, SimulatedScreen, Timeline, paint_scenery
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.points import PixelBox, PixelPoint, ScreenPoint
from solver.board import Cell
from solver.game import Game, Rule, Status

GAME_WINDOW, UNSEEN_WINDOW, DIALOG = 1, 2, 3
"""The numbers of the windows: of the game, of one over it that cannot be seen, of its dialog."""


class Hit(Enum):
    """What a click hits."""

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

    @property
    def stray(self) -> bool:
        """Whether it hit anything but a tile or the control for a new game."""
        return self.hit not in (Hit.TILE, Hit.NEW_GAME)


class SimulatedDesktop:
    """A drawn desktop of ``screen_size`` pixels with one Minesweeper window on it.

    Game k (from 0) takes the seed ``seed + k``. ``tile_px`` replaces the tile size of the skin;
    ``scale`` multiplies the size of the tiles and of everything else that is drawn.
    ``pixel_ratio`` is the number of pixels per mouse unit. ``latency_s`` replaces that of
    ``behaviour``; ``click_s`` is the time between press and release. ``windows`` are other
    programs' windows below the game's; ``place`` is the top-left corner of the game's window
    (without it, ``seed`` chooses). ``after_click`` maps the number of a click, counted from 1, to
    what happens to the desktop right after it:
    ``{5: lambda desktop: desktop.move_window(60, 25)}``.

    It is its own screen, pointer and keyboard; `ports` gives them to the player. Raises
    `UsageError` for an unknown skin, wallpaper or window, or a board that does not fit.
    """

    def __init__(
        self,
        *,
        rows: int = 16,
        cols: int = 30,
        mines: int = 99,
        rule: Rule = Rule.SAFE,
        seed: int = 0,
        skin: str = "classic",
        tile_px: float | None = None,
        scale: float = 1.0,
        clock: Clock | None = None,
        latency_s: float | None = None,
        click_s: float = 0.0,
        screen_size: tuple[int, int] = (1920, 1080),
        pixel_ratio: float = 1.0,
        background: str = "gradient",
        windows: Iterable[str] = ("editor", "calculator", "spreadsheet"),
        place: tuple[int, int] | None = None,
        behaviour: Behaviour | None = None,
        faults: Faults | None = None,
        after_click: Mapping[int, Callable[[SimulatedDesktop], None]] | None = None,
    ) -> None:
        self.clock = clock or FakeClock()
        self.clicks: list[SimClick] = []
        self.under_unseen_window, self.has_keyboard, self.names_dialogs = False, True, False
        self._faults = faults or Faults()
        self._after_click = after_click or {}
        self._ratio, self._seed = pixel_ratio, seed
        self._click_s = click_s
        # Two timelines: a new game drops what the old game had planned, but what the desktop has
        # planned still happens.
        self._world, self._timeline = Timeline(self.clock), Timeline(self.clock)
        scenery = paint_scenery(background, tuple(windows), screen_size, scale=scale, seed=seed)
        self._screen = SimulatedScreen(scenery, ui_scale=scale, timeline=self._world)
        self._was_over_board = False
        self._pointer = ScreenPoint(*(round(side / pixel_ratio * 0.47) for side in screen_size))
        behaviour = behaviour or Behaviour()
        if latency_s is not None:
            behaviour = replace(behaviour, latency_s=latency_s)
        drawn = skin_named(skin)
        pitch = (tile_px or drawn.tile_px) * scale
        self._program = MineProgram(
            Setup(rows, cols, mines, rule, seed, drawn, pitch, scale),
            behaviour,
            self._faults,
            timeline=self._timeline,
            on_repaint=self._screen.repaint,
            on_layers=self._screen.show,
        )
        self._put_window(place)

    # ---- the ports ---------------------------------------------------------------------------

    @property
    def screen(self) -> SimulatedDesktop:
        """The screen port."""
        return self

    @property
    def pointer(self) -> SimulatedDesktop:
        """The pointer port."""
        return self

    @property
    def keyboard(self) -> SimulatedDesktop:
        """The keyboard port."""
        return self

    @property
    def ports(self) -> Desktop:
        """All ports, as the player takes them."""
        return Desktop(self, self, self, self.clock, self.window_at, dialog_of=self.dialog_of)

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the one monitor, in mouse units."""
        _, _, width, height = self._screen.bounds
        return (Monitor(0, 0, round(width / self._ratio), round(height / self._ratio)),)

    def grab(self, box: PixelBox | None = None) -> Frame:
        """Return a picture of the screen or of a box of it; it is read-only and never changes."""
        self._advance()
        pixels = self._screen.picture()
        box = clip(box or self._screen.bounds, self._screen.bounds)
        origin = ScreenPoint(round(box.x0 / self._ratio), round(box.y0 / self._ratio))
        return Frame(pixels[box.y0 : box.y1, box.x0 : box.x1], origin, self._ratio)

    def window_at(self, point: ScreenPoint) -> Window:
        """Return the game's window, unless ``under_unseen_window``.

        What can be seen over it is to be noticed by its look.
        """
        number = UNSEEN_WINDOW if self.under_unseen_window else GAME_WINDOW
        return Window(
            number, *self._to_screen(self._program.layer.x, self._program.layer.y), number
        )

    def dialog_of(self, number: int) -> int | None:
        """Return the dialog of the game's window, if this desktop ``names_dialogs``."""
        known = self.names_dialogs and self.has_keyboard and number == GAME_WINDOW
        return DIALOG if known and self._program.modal else None

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        """Move to ``point``, press, and release after ``hold_s`` seconds."""
        self.move(point)
        if into is not None and self.window_at(point) != into:
            return False
        self.clock.sleep(self._click_s + hold_s)
        self._advance()
        number = len(self.clicks) + 1
        deliveries = self._faults.deliveries(number) * (hold_s >= self._faults.least_hold_s)
        hit, cell = self._hit(point)
        self.clicks.append(SimClick(self.clock.now(), point, button, hit, cell, deliveries))
        for _ in range(deliveries):
            self._deliver(point, button)
        happening = self._after_click.get(number)
        if happening is not None:
            happening(self)
        return True

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``."""
        self._advance()
        self._pointer = point
        if self._faults.hover:
            cell = self._hit(point)[1]
            self._was_over_board |= cell is not None
            if cell is None and self._faults.hover_stays and self._was_over_board:
                cell = self._nearest_cell(point)
            self._program.hover(cell)

    def position(self) -> ScreenPoint:
        """Return where the pointer is."""
        self._advance()
        return self._pointer

    def press(self, keys: str, into: int | None = None) -> bool:
        """Press a key or several, as in ``ctrl+n``, if the game's window ``has_keyboard``."""
        self._advance()
        if into is not None and not self.has_keyboard:
            return False
        if not self._screen.minimised:
            self._program.press(keys.lower().replace(" ", ""))
        return True

    # ---- the truth, for tests and labels -----------------------------------------------------

    @property
    def game(self) -> Game:
        """The game behind the window, which no player may see."""
        return self._program.game

    @property
    def results(self) -> list[Status]:
        """How the games ended so far."""
        return self._program.results

    @property
    def stray_clicks(self) -> list[SimClick]:
        """Clicks that hit anything but a tile or the control for a new game."""
        return [click for click in self.clicks if click.stray]

    def truth_grid(self) -> Grid:
        """Return the grid of the board, in pixels of the whole screen."""
        return self._program.window.grid.moved(self._program.layer.x, self._program.layer.y)

    def truth_tiles(self) -> NDArray[np.int8]:
        """Return the tiles that the window shows now, ``(rows, cols)``."""
        self._advance()
        return self._program.shown.copy()

    @property
    def new_game_point(self) -> ScreenPoint:
        """The middle of the control for a new game."""
        layer, box = self._program.layer, self._program.window.new_game
        return self._to_screen(layer.x + (box.x0 + box.x1) / 2, layer.y + (box.y0 + box.y1) / 2)

    def cell_point(self, cell: Cell) -> ScreenPoint:
        """Return the middle of a cell."""
        return self._to_screen(*self.truth_grid().centre(cell))

    # ---- what can happen to the desktop ------------------------------------------------------

    def new_game(self) -> None:
        """Start the next game, as the control in the window does."""
        self._program.new_game()

    def move_window(self, dx: int, dy: int) -> None:
        """Move the window by pixels."""
        self._program.move_by(dx, dy)

    def resize_window(self, factor: float) -> None:
        """Scale the board, as a program does whose window is drawn larger or smaller."""
        self._program.resize(factor)

    def popup(self, *, lasts_s: float | None = None, share: float = 0.6) -> None:
        """Show a dialog over the middle of the board; its sides are ``share`` of the board's."""
        self._screen.pop_up(self.truth_grid().bounds, lasts_s, share)

    def notify(self, *, lasts_s: float = 2.0) -> None:
        """Let a notification slide over the board from right to left."""
        self._screen.notify(self.truth_grid().bounds, lasts_s)

    def minimise(self, *, lasts_s: float | None = None) -> None:
        """Take the window off the screen."""
        self._screen.minimise(lasts_s)

    def go_black(self, *, lasts_s: float | None = None) -> None:
        """Make the screen black, as when it is locked or its driver sleeps."""
        self._screen.go_black(lasts_s)

    def night_light(self, tint: tuple[float, float, float] | None = (1.0, 0.84, 0.62)) -> None:
        """Multiply the channels of the whole screen; None ends it."""
        self._screen.tint(tint)

    def fail_grabs(self, times: int = 1) -> None:
        """Let the next ``times`` grabs raise `ScreenGone`."""
        self._screen.fail_grabs(times)

    def user_moves(self, *, lasts_s: float = 1.0) -> None:
        """Let a person move the mouse here and there for a while."""
        rng, steps = random.Random(len(self.clicks)), max(1, round(lasts_s / 0.05))
        _, _, right, bottom = self.monitors()[0]
        for step in range(steps):
            point = ScreenPoint(rng.randint(9, right - 9), rng.randint(9, bottom - 9))
            self._world.later(lasts_s * step / steps, partial(self._put_pointer, point))

    def slam(self) -> None:
        """Let a person push the mouse into the top-left corner, where the kill switch is."""
        self._put_pointer(ScreenPoint(0, 0))

    # ---- inside ------------------------------------------------------------------------------

    def _advance(self) -> None:
        self._world.advance()
        self._timeline.advance()
        self._program.tick()

    def _to_screen(self, x: float, y: float) -> ScreenPoint:
        return ScreenPoint(round(x / self._ratio), round(y / self._ratio))

    def _hit(self, point: ScreenPoint) -> tuple[Hit, Cell | None]:
        """Return what a click at ``point`` hits."""
        x, y = round(point.x * self._ratio), round(point.y * self._ratio)
        program = self._program
        if self._screen.is_covered(x, y):
            return Hit.COVER, None
        if self._screen.minimised or not program.layer.covers(x, y):
            return Hit.ELSEWHERE, None
        if program.modal:
            return (Hit.OVERLAY if program.overlay_covers(x, y) else Hit.DIALOG), None
        if _inside(program.window.new_game, x - program.layer.x, y - program.layer.y):
            return Hit.NEW_GAME, None
        cell = self.truth_grid().cell_at(PixelPoint(x, y))
        return (Hit.TILE, cell) if cell is not None else (Hit.ELSEWHERE, None)

    def _nearest_cell(self, point: ScreenPoint) -> Cell | None:
        """Return the cell of the board that is nearest to ``point``."""
        grid = self.truth_grid()
        box = grid.bounds
        x = min(max(point.x * self._ratio, box.x0), box.x1 - 1)
        y = min(max(point.y * self._ratio, box.y0), box.y1 - 1)
        return grid.cell_at(PixelPoint(x, y))

    def _deliver(self, point: ScreenPoint, button: Button) -> None:
        hit, cell = self._hit(point)
        if hit in (Hit.NEW_GAME, Hit.OVERLAY) and button is Button.LEFT:
            self._program.new_game()
        elif cell is not None:
            self._program.click(cell, button)

    def _put_pointer(self, point: ScreenPoint) -> None:
        self._pointer = point

    def _put_window(self, place: tuple[int, int] | None) -> None:
        """Put the window at ``place``, or near the middle where the seed says."""
        wide, high = self._program.window.size
        _, _, width, height = self._screen.bounds
        if wide > width or high > height:
            raise UsageError(
                f"A window of {wide}x{high} pixels does not fit on the simulated screen of "
                f"{width}x{height}: choose a smaller board."
            )
        rng = random.Random(f"place {self._seed}")
        near_middle = (
            round((width - wide) * rng.uniform(0.3, 0.7)),
            round((height - high) * rng.uniform(0.3, 0.7)),
        )
        self._program.move_by(*(place or near_middle))


def _inside(box: PixelBox, x: int, y: int) -> bool:
    return box.x0 <= x < box.x1 and box.y0 <= y < box.y1
