"""A simulated desktop with a Minesweeper window: needs no display, and is the same in every run.

It offers the same ports as a real desktop, and takes a clock, real or simulated.
"""

from __future__ import annotations

import random

from bot.desktop.ports import Button, Clock, Desktop, Monitor, Window
from bot.errors import UsageError
from bot.simulated.paint import clip
from bot.simulated.program import MineProgram, Setup
from bot.simulated.render import skin_named
from bot.simulated.screen import FakeClock, SimulatedScreen, Timeline, wallpaper
from calibration import Frame, Grid, PixelBox, PixelPoint, ScreenPoint
from solver.game import Rule

GAME_WINDOW = 1
"""The number of the game's window."""


class SimulatedDesktop:
    """A drawn desktop of ``screen_size`` pixels with one Minesweeper window on it.

    Game k (from 0) uses the seed ``seed + k``. ``tile_px`` replaces the tile size of the skin;
    ``scale`` multiplies the size of the tiles and of everything else that is drawn. ``pixel_ratio``
    is the number of pixels per mouse unit.

    It is its own screen, pointer and keyboard; `ports` gives them to the player. Raises
    `UsageError` for an unknown skin or a board that does not fit.
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
        screen_size: tuple[int, int] = (1920, 1080),
        pixel_ratio: float = 1.0,
    ) -> None:
        self.clock = clock or FakeClock()
        self._ratio, self._seed = pixel_ratio, seed
        self._timeline = Timeline(self.clock)
        self._pointer = ScreenPoint(*(round(side / pixel_ratio * 0.47) for side in screen_size))
        self._screen = self._open_screen(screen_size, scale)
        drawn = skin_named(skin)
        pitch = (tile_px or drawn.tile_px) * scale
        self._program = self._start(Setup(rows, cols, mines, rule, seed, drawn, pitch, scale))
        self._put_window()

    def _open_screen(self, size: tuple[int, int], scale: float) -> SimulatedScreen:
        picture = wallpaper(*size, random.Random(f"wallpaper {self._seed}"))
        return SimulatedScreen(picture, ui_scale=scale)

    def _start(self, setup: Setup) -> MineProgram:
        screen = self._screen
        return MineProgram(
            setup, timeline=self._timeline, on_repaint=screen.repaint, on_move=screen.show
        )

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
        return Desktop(self, self, self, self.clock, self.window_at, lines_in=self.lines_in)

    @staticmethod
    def lines_in(frame: Frame, box: PixelBox) -> list[str]:
        """Return no lines: no words of the window say how a game ended."""
        return []

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
        """Return the game's window, the only one."""
        layer = self._program.layer
        return Window(GAME_WINDOW, *self._to_screen(layer.x, layer.y), GAME_WINDOW)

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
        self._press_button(point, button, hold_s)
        return True

    def _press_button(self, point: ScreenPoint, button: Button, hold_s: float) -> None:
        self.clock.sleep(hold_s)
        self._advance()
        self._deliver(point, button)

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``."""
        self._advance()
        self._pointer = point

    def position(self) -> ScreenPoint:
        """Return where the pointer is."""
        self._advance()
        return self._pointer

    def press(self, keys: str, into: int | None = None) -> bool:
        """Press a key or several, as in ``ctrl+n``."""
        self._advance()
        self._program.press(keys.lower().replace(" ", ""))
        return True

    # ---- inside ------------------------------------------------------------------------------

    @property
    def _grid(self) -> Grid:
        """The grid of the board, in pixels of the whole screen."""
        return self._program.window.grid.moved(self._program.layer.x, self._program.layer.y)

    def _advance(self) -> None:
        self._timeline.advance()
        self._program.tick()

    def _to_screen(self, x: float, y: float) -> ScreenPoint:
        return ScreenPoint(round(x / self._ratio), round(y / self._ratio))

    def _to_pixels(self, point: ScreenPoint) -> PixelPoint:
        return PixelPoint(round(point.x * self._ratio), round(point.y * self._ratio))

    def _is_new_game(self, pixel: PixelPoint) -> bool:
        """Whether the control for a new game lies at a pixel of the screen."""
        layer, box = self._program.layer, self._program.window.new_game
        x, y = pixel.x - layer.x, pixel.y - layer.y
        return box.x0 <= x < box.x1 and box.y0 <= y < box.y1

    def _deliver(self, point: ScreenPoint, button: Button) -> None:
        pixel = self._to_pixels(point)
        cell = self._grid.cell_at(pixel)
        if self._is_new_game(pixel):
            if button is Button.LEFT:
                self._program.new_game()
        elif cell is not None:
            self._program.click(cell, button)

    def _put_window(self) -> None:
        """Put the window near the middle; the seed determines where exactly."""
        wide, high = self._program.window.size
        _, _, width, height = self._screen.bounds
        if wide > width or high > height:
            raise UsageError(
                f"A window of {wide}x{high} pixels does not fit on the simulated screen of "
                f"{width}x{height}: choose a smaller board."
            )
        rng = random.Random(f"place {self._seed}")
        self._program.move_by(
            round((width - wide) * rng.uniform(0.3, 0.7)),
            round((height - high) * rng.uniform(0.3, 0.7)),
        )
