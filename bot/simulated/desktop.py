"""A desktop with a Minesweeper window that needs no display: rendered, clickable, reproducible.

It stands behind the same ports as the real desktop, on whatever clock it is given.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bot.errors import ScreenGone, UsageError
from bot.ports import Button, Clock, Desktop, Monitor
from bot.simulated.clock import FakeClock, Timeline
from bot.simulated.faults import Faults
from bot.simulated.layers import Layer, Stack, clip
from bot.simulated.looks import look_named
from bot.simulated.paint import Pixels, blank, write
from bot.simulated.program import Habits, MineProgram, Setup
from bot.simulated.scenery import dialog, drop_shadow, panel, wallpaper, window
from calibration.frame import Frame, PixelBox, PixelPoint, ScreenPoint
from calibration.grid import Grid
from solver.board import Cell
from solver.game import Game, Rule, Status


class Hit(Enum):
    """What a click fell on."""

    TILE = "tile"
    NEW_GAME = "new game"
    DIALOG = "dialog"
    COVER = "cover"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True)
class SimClick:
    """One click as the desktop felt it; ``deliveries`` 0 is a dropped one."""

    time_s: float
    point: ScreenPoint
    button: Button
    hit: Hit
    cell: Cell | None
    deliveries: int = 1

    @property
    def stray(self) -> bool:
        """Whether it fell on anything but a tile or the new-game control."""
        return self.hit not in (Hit.TILE, Hit.NEW_GAME)


class SimulatedDesktop:
    """A rendered desktop of ``screen_size`` pixels with one Minesweeper window on it.

    Game k (from 0) is laid out from ``seed + k``. ``tile_px`` overrides the look's own tile
    size; ``scale`` multiplies it and everything around the board. ``pixel_ratio`` is the number
    of pixels per mouse unit. ``latency_s`` overrides that of ``habits``; ``click_s`` is the time
    a press and release take. ``windows`` lie below the game's, ``place`` is its top-left corner
    (chosen from the seed without one).

    It is its own screen, pointer and keyboard; `ports` bundles them for the loop. Raises
    `UsageError` for an unknown look, wallpaper or window, or a board that does not fit.
    """

    def __init__(
        self,
        *,
        rows: int = 16,
        cols: int = 30,
        mines: int = 99,
        rule: Rule = Rule.SAFE,
        seed: int = 0,
        look: str = "classic",
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
        habits: Habits | None = None,
        faults: Faults | None = None,
    ) -> None:
        self.clock = clock or FakeClock()
        self.clicks: list[SimClick] = []
        self._faults = faults or Faults()
        self._ui, self._ratio, self._seed = scale, pixel_ratio, seed
        self._click_s = click_s
        # Two timelines: a new game forgets the plans of the old, not those of the world.
        self._world, self._timeline = Timeline(self.clock), Timeline(self.clock)
        self._scenery = self._paint_scenery(background, tuple(windows), screen_size)
        self._stack = Stack(self._scenery)
        self._covers: list[Layer] = []
        self._black = self._minimised = False
        self._failing_grabs = 0
        self._pointer = ScreenPoint(*(round(side / pixel_ratio * 0.47) for side in screen_size))
        habits = habits or Habits()
        if latency_s is not None:
            habits = replace(habits, latency_s=latency_s)
        shape = look_named(look)
        pitch = (tile_px or shape.tile_px) * scale
        self._program = MineProgram(
            Setup(rows, cols, mines, rule, seed, shape, pitch, scale),
            habits,
            self._faults,
            timeline=self._timeline,
            damage=self._damage,
            restack=self._restack,
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
        """All ports in one piece."""
        return Desktop(self, self, self, self.clock)

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the one monitor, in mouse units."""
        _, _, width, height = self._stack.whole
        return (Monitor(0, 0, round(width / self._ratio), round(height / self._ratio)),)

    def grab(self, box: PixelBox | None = None) -> Frame:
        """Take a picture: a read-only view that later repaints leave alone."""
        self._advance()
        if self._failing_grabs:
            self._failing_grabs -= 1
            raise ScreenGone("The simulated screen gave no picture.")
        pixels = np.zeros_like(self._scenery) if self._black else self._stack.look()
        box = clip(box or self._stack.whole, self._stack.whole)
        origin = ScreenPoint(round(box.x0 / self._ratio), round(box.y0 / self._ratio))
        return Frame(pixels[box.y0 : box.y1, box.x0 : box.x1], origin, self._ratio)

    def click(self, point: ScreenPoint, button: Button = Button.LEFT) -> None:
        """Move to ``point``, press and release."""
        self.clock.sleep(self._click_s)
        self.move(point)
        number = len(self.clicks) + 1
        deliveries = self._faults.deliveries(number)
        hit, cell = self._hit(point)
        self.clicks.append(SimClick(self.clock.now(), point, button, hit, cell, deliveries))
        for _ in range(deliveries):
            self._deliver(point, button)
        befalls = self._faults.after_click.get(number)
        if befalls is not None:
            befalls(self)

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``."""
        self._advance()
        self._pointer = point
        if self._faults.hover:
            self._program.hover(self._hit(point)[1])

    def position(self) -> ScreenPoint:
        """Return where the pointer is."""
        self._advance()
        return self._pointer

    def press(self, keys: str) -> None:
        """Press a key or a chord of keys, as in ``ctrl+n``; the game's window has the focus."""
        self._advance()
        if not self._minimised:
            self._program.press(keys.lower().replace(" ", ""))

    # ---- the truth, for tests and labels -----------------------------------------------------

    @property
    def game(self) -> Game:
        """The game behind the window. A player must not look."""
        return self._program.game

    @property
    def results(self) -> list[Status]:
        """How the games ended so far."""
        return self._program.results

    @property
    def stray_clicks(self) -> list[SimClick]:
        """Clicks that fell on anything but a tile or the new-game control."""
        return [click for click in self.clicks if click.stray]

    def truth_grid(self) -> Grid:
        """Return where the board is, in pixels of the whole screen."""
        return self._program.window.grid.moved(self._program.layer.x, self._program.layer.y)

    def truth_tiles(self) -> NDArray[np.int8]:
        """Return the tiles that the window shows at this moment, ``(rows, cols)``."""
        self._advance()
        return self._program.shown.copy()

    @property
    def new_game_point(self) -> ScreenPoint:
        """The middle of the new-game control."""
        layer, box = self._program.layer, self._program.window.new_game
        return self._unit(layer.x + (box.x0 + box.x1) / 2, layer.y + (box.y0 + box.y1) / 2)

    def cell_point(self, cell: Cell) -> ScreenPoint:
        """Return the middle of a cell."""
        return self._unit(*self.truth_grid().centre(cell))

    # ---- what can befall the desktop ---------------------------------------------------------

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
        """Put another window over the middle of the board, ``share`` of its sides large."""
        board = self.truth_grid().bounds
        width = max(80, round((board.x1 - board.x0) * share))
        height = max(80, round((board.y1 - board.y0) * share))
        picture = dialog(width, height, "Updates", ("12 updates are ready.",), 0.9)
        x, y = (board.x0 + board.x1 - width) // 2, (board.y0 + board.y1 - height) // 2
        self._cover(Layer(picture, x, y), lasts_s)

    def notify(self, *, lasts_s: float = 2.0) -> None:
        """Let a notification slide over the board from right to left."""
        board = self.truth_grid().bounds
        picture = blank(round(260 * self._ui), round(60 * self._ui), (48, 50, 56))
        at = (16 * self._ui, 35 * self._ui)
        write(picture, "You have 3 new messages", at, 10 * self._ui, (235, 235, 235))
        steps = max(2, round(lasts_s / 0.05))
        path = np.linspace(board.x1, board.x0 - picture.shape[1], steps)
        layer = Layer(picture, int(path[0]), (board.y0 + board.y1) // 2)
        self._cover(layer, lasts_s)
        for step, x in enumerate(path[1:], start=1):
            self._world.later(lasts_s * step / steps, partial(self._slide, layer, round(x)))

    def minimise(self, *, lasts_s: float | None = None) -> None:
        """Take the window off the screen."""
        self._set_minimised(True)
        if lasts_s is not None:
            self._world.later(lasts_s, partial(self._set_minimised, False))

    def go_black(self, *, lasts_s: float | None = None) -> None:
        """Blank the screen, as a lock or a sleeping driver does."""
        self._set_black(True)
        if lasts_s is not None:
            self._world.later(lasts_s, partial(self._set_black, False))

    def night_light(self, tint: tuple[float, float, float] | None = (1.0, 0.84, 0.62)) -> None:
        """Multiply the channels of the whole screen; None ends it."""
        self._stack.tint = tint
        self._stack.repaint()

    def fail_grabs(self, times: int = 1) -> None:
        """Let the next ``times`` grabs raise `ScreenGone`."""
        self._failing_grabs = times

    def user_moves(self, *, lasts_s: float = 1.0) -> None:
        """Let a person move the mouse about for a while."""
        chance, steps = random.Random(len(self.clicks)), max(1, round(lasts_s / 0.05))
        _, _, right, bottom = self.monitors()[0]
        for step in range(steps):
            point = ScreenPoint(chance.randint(9, right - 9), chance.randint(9, bottom - 9))
            self._world.later(lasts_s * step / steps, partial(self._nudge, point))

    def slam(self) -> None:
        """Let a person slam the mouse into the top-left corner."""
        self._nudge(ScreenPoint(0, 0))

    # ---- inside ------------------------------------------------------------------------------

    def _advance(self) -> None:
        self._world.advance()
        self._timeline.advance()
        self._program.tick()

    def _unit(self, x: float, y: float) -> ScreenPoint:
        return ScreenPoint(round(x / self._ratio), round(y / self._ratio))

    def _hit(self, point: ScreenPoint) -> tuple[Hit, Cell | None]:
        """Tell what a click at ``point`` falls on."""
        x, y = round(point.x * self._ratio), round(point.y * self._ratio)
        program = self._program
        if any(_inside(layer.box, x, y) for layer in self._covers):
            return Hit.COVER, None
        if self._minimised or not _inside(program.layer.box, x, y):
            return Hit.ELSEWHERE, None
        if program.modal:
            return Hit.DIALOG, None
        if _inside(program.window.new_game, x - program.layer.x, y - program.layer.y):
            return Hit.NEW_GAME, None
        cell = self.truth_grid().cell_at(PixelPoint(x, y))
        return (Hit.TILE, cell) if cell is not None else (Hit.ELSEWHERE, None)

    def _deliver(self, point: ScreenPoint, button: Button) -> None:
        hit, cell = self._hit(point)
        if hit is Hit.NEW_GAME and button is Button.LEFT:
            self._program.new_game()
        elif cell is not None:
            self._program.click(cell, button)

    def _nudge(self, point: ScreenPoint) -> None:
        self._pointer = point

    def _set_minimised(self, minimised: bool) -> None:
        self._minimised = minimised
        self._restack()

    def _set_black(self, black: bool) -> None:
        self._black = black

    def _cover(self, layer: Layer, lasts_s: float | None) -> None:
        self._covers.append(layer)
        self._restack()
        if lasts_s is not None:
            self._world.later(lasts_s, partial(self._uncover, layer))

    def _uncover(self, layer: Layer) -> None:
        self._covers.remove(layer)
        self._restack()

    def _slide(self, layer: Layer, x: int) -> None:
        layer.x = x
        self._restack()

    def _paint_scenery(
        self, background: str, windows: tuple[str, ...], size: tuple[int, int]
    ) -> Pixels:
        picture = wallpaper(background, *size, seed=self._seed)
        chance = random.Random(f"windows {self._seed}")
        for name in windows:
            other = window(name, self._ui)
            height, width = other.shape[:2]
            x = chance.randint(-width // 4, max(1, size[0] - width * 3 // 4))
            y = chance.randint(10, max(11, size[1] - height * 2 // 3))
            box = PixelBox(x, y, x + width, y + height)
            drop_shadow(picture, box, self._ui)
            part = clip(box, PixelBox(0, 0, *size))
            picture[part.y0 : part.y1, part.x0 : part.x1] = other[
                part.y0 - y : part.y1 - y, part.x0 - x : part.x1 - x
            ]
        panel(picture, self._ui)
        return picture

    def _put_window(self, place: tuple[int, int] | None) -> None:
        """Put the window at ``place``, or somewhere near the middle."""
        wide, high = self._program.window.size
        _, _, width, height = self._stack.whole
        if wide > width or high > height:
            raise UsageError(
                f"A window of {wide}x{high} pixels does not fit on the simulated screen: choose a "
                "smaller board or scale."
            )
        chance = random.Random(f"place {self._seed}")
        middle = (
            round((width - wide) * chance.uniform(0.3, 0.7)),
            round((height - high) * chance.uniform(0.3, 0.7)),
        )
        self._program.move_by(*(place or middle))

    def _restack(self) -> None:
        """Compose the whole screen."""
        self._stack.ground = self._scenery
        self._stack.layers = list(self._covers)
        if not self._minimised:
            self._stack.ground = self._scenery.copy()
            drop_shadow(self._stack.ground, self._program.layer.box, self._ui)
            self._stack.layers[:0] = self._program.layers
        self._stack.repaint()

    def _damage(self, box: PixelBox) -> None:
        """Compose a box of the window anew."""
        if not self._minimised:
            x, y = self._program.layer.x, self._program.layer.y
            self._stack.repaint(PixelBox(box.x0 + x, box.y0 + y, box.x1 + x, box.y1 + y))


def _inside(box: PixelBox, x: int, y: int) -> bool:
    return box.x0 <= x < box.x1 and box.y0 <= y < box.y1
