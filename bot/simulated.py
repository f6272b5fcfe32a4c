"""A desktop with a Minesweeper window that needs no display: rendered, clickable, reproducible.

It stands behind the same ports as the real desktop. The game answers a click at once; what the
screen shows follows after the program's latency, on whatever clock the desktop was given.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import count

import numpy as np
from numpy.typing import NDArray

from bot.errors import ScreenGone, UsageError
from bot.faults import Faults
from bot.layers import Layer, Stack, clip
from bot.looks import look_named
from bot.paint import Pixels, blank, fill, write
from bot.ports import Button, Clock, Desktop, Monitor
from bot.render import MineWindow
from bot.scenery import dialog, drop_shadow, panel, wallpaper, window
from calibration.frame import Frame, PixelBox, PixelPoint, ScreenPoint
from calibration.grid import Grid
from solver.board import Cell, Tile
from solver.game import Game, Rule, Status

NEW_GAME_KEYS = ("f2", "n", "ctrl+n")
"""Keys that start a new game in the window."""

DIALOG_KEYS = ("escape", "esc", "return", "enter", "space")
"""Keys that close a dialog of the window."""


class FakeClock:
    """A clock that passes time only in `sleep`, and then at once."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """Return the seconds slept so far."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Let time pass without waiting for it."""
        self._now += max(0.0, seconds)


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


@dataclass(frozen=True)
class Manners:
    """How the program behaves. The defaults are those of a plain, quick program.

    ``question_marks``: a right click on a flag makes it a question mark. ``win_dialog`` and
    ``loss_dialog`` open over the board and close by a key; ``loss_bubble`` is a translucent
    note over the board for three seconds; ``win_flash`` inverts the board for 1.2 s.
    ``shows_mines`` False leaves all but the exploded mine hidden after a loss;
    ``flags_on_win`` False leaves the mines of a won game hidden.
    """

    question_marks: bool = False
    win_dialog: bool = False
    loss_dialog: bool = False
    loss_bubble: bool = False
    win_flash: bool = False
    shows_mines: bool = True
    flags_on_win: bool = True


class SimulatedDesktop:
    """A rendered desktop of ``screen_size`` pixels with one Minesweeper window on it.

    Game k (from 0) is laid out from ``seed + k``. ``tile_px`` overrides the look's own tile
    size; ``scale`` multiplies it and everything around the board. ``pixel_ratio`` is the number
    of pixels per mouse unit. A change shows ``latency_s`` after its click, an opening spreads by
    ``ripple_s`` a ring of cells. ``windows`` lie below the game's, ``place`` is its top-left
    corner (chosen from the seed without one).

    It is its own screen, pointer and keyboard; `ports` bundles them for the loop. Raises
    `UsageError` for an unknown look or a window that does not fit on the screen.
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
        latency_s: float = 0.03,
        ripple_s: float = 0.004,
        screen_size: tuple[int, int] = (1920, 1080),
        pixel_ratio: float = 1.0,
        wallpaper_kind: str = "gradient",
        windows: Iterable[str] = ("editor", "calculator", "spreadsheet"),
        place: tuple[int, int] | None = None,
        manners: Manners = Manners(),  # noqa: B008  (frozen)
        faults: Faults = Faults(),  # noqa: B008  (frozen)
    ) -> None:
        self.rows, self.cols, self.mines, self.rule = rows, cols, mines, rule
        self.look = look_named(look)
        self.clock = clock or FakeClock()
        self.clicks: list[SimClick] = []
        self.results: list[Status] = []
        self.manners, self.faults = manners, faults
        self._seed, self._games = seed, count(seed)
        self._pitch = (tile_px or self.look.tile_px) * scale
        self._ui, self._ratio = scale, pixel_ratio
        self._latency_s, self._ripple_s = latency_s, ripple_s
        self._pointer = ScreenPoint(
            round(screen_size[0] / pixel_ratio / 2), round(screen_size[1] / pixel_ratio - 50)
        )
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()
        self._scenery = self._paint_scenery(wallpaper_kind, tuple(windows), screen_size)
        self._stack = Stack(self._scenery.copy())
        self._shown = np.full((rows, cols), Tile.HIDDEN, np.int8)
        self._hovered: Cell | None = None
        self._black = self._minimised = False
        self._failing_grabs = 0
        self._covers: list[Layer] = []
        self._dialog: Layer | None = None
        self.game = self._next_game()
        self._open_window(place)

    # ---- what the bot may use: the ports -----------------------------------------------------

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
        height, width = self._scenery.shape[:2]
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
        self.move(point)
        number = len(self.clicks) + 1
        deliveries = self.faults.deliveries(number)
        hit, cell = self._hit(point)
        self.clicks.append(SimClick(self.clock.now(), point, button, hit, cell, deliveries))
        for _ in range(deliveries):
            self._deliver(*self._hit(point), button)
        befalls = self.faults.after_click.get(number)
        if befalls is not None:
            befalls(self)

    def move(self, point: ScreenPoint) -> None:
        """Move to ``point``."""
        self._advance()
        self._pointer = point
        if self.faults.hover:
            self._hover(self._hit(point)[1])

    def position(self) -> ScreenPoint:
        """Return where the pointer is."""
        self._advance()
        return self._pointer

    def press(self, keys: str) -> None:
        """Press a key: a new game, or closing a dialog; others do nothing."""
        self._advance()
        keys = keys.lower().replace(" ", "")
        if self._minimised:
            return
        if self._dialog is not None:
            if keys in DIALOG_KEYS:
                self._close_dialog()
        elif keys in NEW_GAME_KEYS:
            self.new_game()

    # ---- the truth, for tests and recordings -------------------------------------------------

    @property
    def stray_clicks(self) -> list[SimClick]:
        """Clicks that fell on anything but a tile or the new-game control."""
        return [click for click in self.clicks if click.stray]

    def truth_grid(self) -> Grid:
        """Return where the board really is, in pixels of the whole screen."""
        return self._window.grid.moved(self._layer.x, self._layer.y)

    def truth_shown(self) -> NDArray[np.int8]:
        """Return the tiles the screen shows at this moment."""
        self._advance()
        return self._shown.copy()

    @property
    def new_game_point(self) -> ScreenPoint:
        """The middle of the new-game control."""
        box = self._window.new_game
        return ScreenPoint(
            round((self._layer.x + (box.x0 + box.x1) / 2) / self._ratio),
            round((self._layer.y + (box.y0 + box.y1) / 2) / self._ratio),
        )

    # ---- what can befall the desktop ---------------------------------------------------------

    def new_game(self) -> None:
        """Start the next game, as the control in the window does."""
        self._events.clear()
        self._close_dialog()
        self.game = self._next_game()
        self._later(self._delay_s, self._show_game_at_once)

    def move_window(self, dx: int, dy: int) -> None:
        """Move the window by pixels."""
        self._place_window(self._layer.x + dx, self._layer.y + dy)

    def resize_window(self, factor: float) -> None:
        """Scale the board, as a program does whose window is drawn larger or smaller."""
        self._pitch *= factor
        self._open_window((self._layer.x, self._layer.y))

    def popup(
        self,
        *,
        lasts_s: float | None = None,
        share: float = 0.6,
        at: tuple[float, float] = (0.5, 0.5),
    ) -> None:
        """Put another window over ``share`` of the board's sides, its centre at ``at`` of it."""
        board = self.truth_grid().bounds
        width, height = (
            round((high - low) * share) for low, high in zip(board[:2], board[2:], strict=True)
        )
        picture = dialog(
            max(width, 60), max(height, 50), "Updates", ("12 updates are ready.",), 0.9
        )
        x = round(board.x0 + at[0] * (board.x1 - board.x0) - picture.shape[1] / 2)
        y = round(board.y0 + at[1] * (board.y1 - board.y0) - picture.shape[0] / 2)
        self._cover(Layer(picture, x, y), lasts_s)

    def notify(self, *, lasts_s: float = 2.0) -> None:
        """Let a notification slide over the board from the right and away again."""
        board = self.truth_grid().bounds
        picture = blank(round(260 * self._ui), round(60 * self._ui), (48, 50, 56))
        write(picture, "You have 3 new messages", 16, 36 * self._ui, 10 * self._ui, (235, 235, 235))
        steps = max(2, round(lasts_s / 0.05))
        path = np.linspace(board.x1, board.x0 - picture.shape[1], steps)
        layer = Layer(picture, int(path[0]), (board.y0 + board.y1) // 2)
        self._cover(layer, lasts_s)
        for step, x in enumerate(path[1:], start=1):
            self._later(lasts_s * step / steps, lambda x=x: self._slide(layer, round(x)))  # type: ignore[misc]

    def minimise(self, *, lasts_s: float | None = None) -> None:
        """Take the window off the screen."""
        self._minimised = True
        self._restack()
        if lasts_s is not None:
            self._later(lasts_s, self.restore)

    def restore(self) -> None:
        """Bring a minimised window back."""
        self._minimised = False
        self._restack()

    def go_black(self, *, lasts_s: float | None = None) -> None:
        """Blank the screen, as a lock or a sleeping driver does."""
        self._black = True
        if lasts_s is not None:
            self._later(lasts_s, self.light_up)

    def light_up(self) -> None:
        """End `go_black`."""
        self._black = False

    def night_light(self, tint: tuple[float, float, float] | None = (1.0, 0.84, 0.62)) -> None:
        """Colour the whole screen warm; None ends it."""
        self._stack.tint = tint
        self._stack.repaint()

    def fail_grabs(self, times: int = 1) -> None:
        """Let the next ``times`` grabs raise `ScreenGone`."""
        self._failing_grabs = times

    def user_moves(self, *, lasts_s: float = 1.0, slam: bool = False) -> None:
        """Let a person move the mouse for a while, or ``slam`` it into the top-left corner."""
        if slam:
            self._pointer = ScreenPoint(0, 0)
            return
        chance, steps = random.Random(len(self.clicks)), max(1, round(lasts_s / 0.05))
        right, bottom = self.monitors()[0][2:]
        for step in range(steps):
            target = ScreenPoint(chance.randint(9, right - 9), chance.randint(9, bottom - 9))
            self._later(lasts_s * step / steps, lambda to=target: self.move(to))  # type: ignore[misc]

    # ---- the game behind the window ----------------------------------------------------------

    def _next_game(self) -> Game:
        self._started_s: float | None = None
        self._ended_s: float | None = None
        return Game.random(self.rows, self.cols, self.mines, rule=self.rule, seed=next(self._games))

    def _hit(self, point: ScreenPoint) -> tuple[Hit, Cell | None]:
        """Tell what a click at ``point`` falls on."""
        x, y = round(point.x * self._ratio), round(point.y * self._ratio)
        for layer in reversed(self._covers):
            if _inside(layer.box, x, y) and layer.opacity == 1.0:
                return Hit.COVER, None
        if self._minimised or not _inside(self._layer.box, x, y):
            return Hit.ELSEWHERE, None
        if self._dialog is not None:
            return Hit.DIALOG, None
        if _inside(self._window.new_game, x - self._layer.x, y - self._layer.y):
            return Hit.NEW_GAME, None
        cell = self.truth_grid().cell_at(PixelPoint(x, y))
        return (Hit.TILE, cell) if cell is not None else (Hit.ELSEWHERE, None)

    def _deliver(self, hit: Hit, cell: Cell | None, button: Button) -> None:
        if hit is Hit.NEW_GAME and button is Button.LEFT:
            self.new_game()
        elif cell is not None and self.game.status is Status.PLAYING:
            before = self.game.board.tiles
            self._play(cell, button)
            self._show_change(cell, before)
            if self.game.status is not Status.PLAYING:
                self._end_game()

    def _play(self, cell: Cell, button: Button) -> None:
        opened = self.game.board[cell] >= 0
        if button is Button.RIGHT:
            self.game.flag(cell, question_marks=self.manners.question_marks)
        elif opened and (button is Button.MIDDLE or self.look.chord):
            self.game.chord(cell)
        elif button is Button.LEFT:
            self.game.open(cell)
        if self.game.started and self._started_s is None:
            self._started_s = self.clock.now()

    def _end_game(self) -> None:
        self._ended_s = self.clock.now()
        self.results.append(self.game.status)
        won = self.game.status is Status.WON
        self._later(self._delay_s, self._paint_header)
        if won and self.manners.win_flash:
            for step in range(6):
                self._later(self._delay_s + 0.2 * step, self._flash)
        if not won and self.manners.loss_bubble:
            self._later(self._delay_s + 0.1, self._bubble)
        if self.manners.win_dialog if won else self.manners.loss_dialog:
            self._later(self._delay_s + 0.25, self._open_dialog)

    # ---- time --------------------------------------------------------------------------------

    @property
    def _delay_s(self) -> float:
        return self._latency_s + self.faults.repaint_s

    def _later(self, delay_s: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._events, (self.clock.now() + delay_s, next(self._order), action))

    def _advance(self) -> None:
        """Do all that is due."""
        now = self.clock.now()
        while self._events and self._events[0][0] <= now:
            heapq.heappop(self._events)[2]()
        seconds = self._seconds(now)
        if seconds != self._shown_seconds:
            self._shown_seconds = seconds
            self._damage(self._window.paint_timer(seconds))

    def _seconds(self, now: float) -> int:
        if self._started_s is None:
            return 0
        return int((self._ended_s or now) - self._started_s)

    # ---- pictures ----------------------------------------------------------------------------

    def _paint_scenery(self, kind: str, windows: tuple[str, ...], size: tuple[int, int]) -> Pixels:
        picture = wallpaper(kind, *size, seed=self._seed)
        chance = random.Random(f"windows {self._seed}")
        for name in windows:
            other = window(name, self._ui)
            height, width = other.shape[:2]
            x = chance.randint(-width // 4, max(1, size[0] - width * 3 // 4))
            y = chance.randint(10, max(11, size[1] - height * 2 // 3))
            drop_shadow(picture, x, y, width, height, self._ui)
            box = clip(PixelBox(x, y, x + width, y + height), PixelBox(0, 0, *size))
            if box.x0 < box.x1 and box.y0 < box.y1:
                picture[box.y0 : box.y1, box.x0 : box.x1] = other[
                    box.y0 - y : box.y1 - y, box.x0 - x : box.x1 - x
                ]
        panel(picture, self._ui)
        return picture

    def _open_window(self, place: tuple[int, int] | None) -> None:
        """Draw the window anew, at ``place`` or somewhere near the middle."""
        self._window = MineWindow(
            self.look,
            self.rows,
            self.cols,
            pitch=self._pitch,
            ui=self._ui,
            counter=not self.faults.counter_absent,
        )
        wide, high = self._window.size
        room_x, room_y = self._scenery.shape[1] - wide, self._scenery.shape[0] - high
        if room_x < 0 or room_y < 0:
            raise UsageError(
                f"A window of {wide}x{high} pixels does not fit on the simulated screen: choose a "
                "smaller board or scale."
            )
        chance = random.Random(f"place {self._seed}")
        if place is None:
            place = (
                round(room_x * chance.uniform(0.3, 0.7)),
                round(room_y * chance.uniform(0.3, 0.7)),
            )
        self._layer = Layer(self._window.picture, 0, 0)
        self._hovered = None
        self._paint_all()
        self._place_window(*place)

    def _place_window(self, x: int, y: int) -> None:
        self._layer.x, self._layer.y = x, y
        self._restack()

    def _restack(self) -> None:
        """Compose the whole screen."""
        self._stack.ground = self._scenery
        layers = [*self._covers]
        if not self._minimised:
            self._stack.ground = self._scenery.copy()
            drop_shadow(
                self._stack.ground, self._layer.x, self._layer.y, *self._window.size, self._ui
            )
            layers.insert(0, self._layer)
            if self._dialog is not None:
                layers.insert(1, self._dialog)
        self._stack.layers = layers
        self._stack.repaint()

    def _damage(self, box: PixelBox | None) -> None:
        """Compose a box of the window anew."""
        if box is None or self._minimised:
            return
        x, y = self._layer.x, self._layer.y
        self._stack.repaint(PixelBox(box.x0 + x, box.y0 + y, box.x1 + x, box.y1 + y))

    def _paint_all(self) -> None:
        self._shown_seconds = self._seconds(self.clock.now())
        self._window.paint_timer(self._shown_seconds)
        self._window.paint_new_game(self.game.status)
        self._paint_counter()
        self._window.paint_tiles(
            (Cell(row, col), int(code)) for (row, col), code in np.ndenumerate(self._shown)
        )

    def _paint_counter(self) -> PixelBox | None:
        flags = int((self._shown == Tile.FLAG).sum())
        return self._window.paint_counter(self.mines + self.faults.counter_error, flags)

    def _paint_header(self) -> None:
        self._damage(self._paint_counter())
        self._damage(self._window.paint_new_game(self.game.status))

    def _truth_tiles(self) -> NDArray[np.int8]:
        """What the window is to show of the game."""
        tiles = self.game.board.tiles.copy()
        if self.game.status is Status.WON and not self.manners.flags_on_win:
            tiles[(tiles == Tile.FLAG) & (self._shown != Tile.FLAG)] = Tile.HIDDEN
        if not self.manners.shows_mines:
            tiles[tiles == Tile.MINE] = Tile.HIDDEN
        return tiles

    def _show_game_at_once(self) -> None:
        self._shown = self._truth_tiles()
        self._paint_all()
        self._damage(PixelBox(0, 0, *self._window.size))

    def _show_change(self, start: Cell, before: NDArray[np.int8]) -> None:
        """Let the cells that changed appear ring by ring around ``start``."""
        after = self._truth_tiles()
        rings: dict[int, list[Cell]] = {}
        for row, col in np.argwhere(before != after).tolist():
            ring = max(abs(row - start.row), abs(col - start.col))
            rings.setdefault(ring, []).append(Cell(row, col))
        for ring, cells in rings.items():
            changes = [(cell, int(after[cell])) for cell in cells]
            self._later(
                self._delay_s + self._ripple_s * ring,
                lambda changes=changes: self._show(changes),  # type: ignore[misc]
            )

    def _show(self, changes: list[tuple[Cell, int]]) -> None:
        flags = self._shown == Tile.FLAG
        for cell, code in changes:
            self._shown[cell] = code
        self._damage(self._window.paint_tiles(changes, self._hovered))
        if not np.array_equal(flags, self._shown == Tile.FLAG):
            self._damage(self._paint_counter())

    def _hover(self, cell: Cell | None) -> None:
        touched = [near for near in {self._hovered, cell} if near is not None]
        self._hovered = cell
        self._damage(
            self._window.paint_tiles([(near, int(self._shown[near])) for near in touched], cell)
        )

    def _flash(self) -> None:
        board = self._window.grid.bounds
        tiles = self._window.picture[board.y0 : board.y1, board.x0 : board.x1]
        np.subtract(255, tiles, out=tiles)
        self._damage(board)

    def _bubble(self) -> None:
        board = self.truth_grid().bounds
        picture = blank(board.x1 - board.x0, max(24, (board.y1 - board.y0) // 4), (30, 30, 34))
        write(picture, "Game over.", 12, 22 * self._ui, 11 * self._ui, (240, 240, 240))
        layer = Layer(picture, board.x0, board.y1 - picture.shape[0], opacity=0.75)
        self._cover(layer, 3.0)

    def _open_dialog(self) -> None:
        board = self.truth_grid().bounds
        won = self.game.status is Status.WON
        lines = ("You won!", "Press Escape.") if won else ("You lost.", "Press Escape.")
        picture = dialog(round(240 * self._ui), round(130 * self._ui), "Mines", lines, self._ui)
        x = (board.x0 + board.x1 - picture.shape[1]) // 2
        y = (board.y0 + board.y1 - picture.shape[0]) // 2
        self._dialog = Layer(picture, x, y)
        self._restack()

    def _close_dialog(self) -> None:
        if self._dialog is not None:
            self._dialog = None
            self._restack()

    def _cover(self, layer: Layer, lasts_s: float | None) -> None:
        self._covers.append(layer)
        self._restack()
        if lasts_s is not None:
            self._later(lasts_s, lambda: self._uncover(layer))

    def _uncover(self, layer: Layer) -> None:
        if layer in self._covers:
            self._covers.remove(layer)
            self._restack()

    def _slide(self, layer: Layer, x: int) -> None:
        layer.x = x
        self._restack()


def _inside(box: PixelBox, x: int, y: int) -> bool:
    return box.x0 <= x < box.x1 and box.y0 <= y < box.y1
