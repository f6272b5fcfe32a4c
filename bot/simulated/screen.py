"""Layers composed into one screen: wallpapers, windows, dialogs, and what can cover the game.

Its clock does not wait: actions are planned on it.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import count

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.desktop.ports import Clock
from bot.errors import ScreenGone, UsageError
from bot.simulated.paint import (
    Box,
    Colour,
    Pixels,
    Stencil,
    bevel,
    blend,
    clip,
    fill,
    shade,
    solid,
    write,
)
from calibration.points import PixelBox
from solver.counting import no_such


@dataclass(eq=False)
class Layer:
    """A picture at a place of the screen, translucent with an ``opacity`` below 1."""

    picture: Pixels
    x: int
    y: int
    opacity: float = 1.0

    @property
    def box(self) -> PixelBox:
        """The pixels of the screen that it takes; some may be off the screen."""
        height, width = self.picture.shape[:2]
        return PixelBox(self.x, self.y, self.x + width, self.y + height)

    def covers(self, x: int, y: int) -> bool:
        """Whether a pixel of the screen lies in it."""
        return self.box.x0 <= x < self.box.x1 and self.box.y0 <= y < self.box.y1


class LayerStack:
    """A base picture with layers on it, the last on top. ``tint`` multiplies each channel."""

    def __init__(self, base: Pixels) -> None:
        self.base = base
        self.layers: list[Layer] = []
        self.tint: tuple[float, float, float] | None = None
        self._pixels = base.copy()
        self._lent = False

    @property
    def bounds(self) -> PixelBox:
        """The box of the whole picture."""
        return PixelBox(0, 0, self.base.shape[1], self.base.shape[0])

    def composed(self) -> Pixels:
        """Return the pixels, read-only; later changes go to a copy."""
        self._lent = True
        view = self._pixels.view()
        view.setflags(write=False)
        return view

    def compose(self, box: PixelBox | None = None) -> None:
        """Compose the pixels of ``box`` again, or all of them."""
        box = clip(box or self.bounds, self.bounds)
        if box.x0 >= box.x1 or box.y0 >= box.y1:
            return
        if self._lent:
            self._pixels = self._pixels.copy()
            self._lent = False
        target = self._pixels[box.y0 : box.y1, box.x0 : box.x1]
        target[:] = self.base[box.y0 : box.y1, box.x0 : box.x1]
        for layer in self.layers:
            self._paste(layer, box)
        if self.tint is not None:
            target[:] = _tinted(target, self.tint)

    def _paste(self, layer: Layer, box: PixelBox) -> None:
        part = clip(layer.box, box)
        if part.x0 >= part.x1 or part.y0 >= part.y1:
            return
        target = self._pixels[part.y0 : part.y1, part.x0 : part.x1]
        source = layer.picture[
            part.y0 - layer.y : part.y1 - layer.y, part.x0 - layer.x : part.x1 - layer.x
        ]
        if layer.opacity >= 1.0:
            target[:] = source
        else:
            blend(target, source, layer.opacity)


class SimulatedScreen:
    """What the monitor shows: the scenery, the program's layers, and what covers them.

    ``scenery`` is the picture below all layers; ``ui_scale`` is the size of what is drawn here;
    ``timeline`` ends what lasts for a while.
    """

    def __init__(self, scenery: Pixels, *, ui_scale: float, timeline: Timeline) -> None:
        self.minimised = False
        self._scenery, self._ui_scale, self._timeline = scenery, ui_scale, timeline
        self._stack = LayerStack(scenery)
        self._program_layers: list[Layer] = []
        self._covers: list[Layer] = []
        self._black = False
        self._failing_grabs = 0

    @property
    def bounds(self) -> PixelBox:
        """The box of the screen."""
        return self._stack.bounds

    def picture(self) -> Pixels:
        """Return the pixels, read-only. Raises `ScreenGone` as often as `fail_grabs` said."""
        if self._failing_grabs:
            self._failing_grabs -= 1
            raise ScreenGone("The simulated screen gave no picture.")
        return np.zeros_like(self._scenery) if self._black else self._stack.composed()

    def is_covered(self, x: int, y: int) -> bool:
        """Whether a popup or a notification covers a pixel."""
        return any(layer.covers(x, y) for layer in self._covers)

    # ---- the program's window ----------------------------------------------------------------

    def show(self, layers: list[Layer]) -> None:
        """Show the program's layers, its window first."""
        self._program_layers = layers
        self._compose_all()

    def repaint(self, box: PixelBox) -> None:
        """Compose a box again, given in pixels of the program's window."""
        if not self.minimised:
            x, y = self._program_layers[0].x, self._program_layers[0].y
            self._stack.compose(PixelBox(box.x0 + x, box.y0 + y, box.x1 + x, box.y1 + y))

    def minimise(self, lasts_s: float | None) -> None:
        """Take the program's window off the screen."""
        self._set_minimised(True)
        self._later(lasts_s, partial(self._set_minimised, False))

    # ---- what covers it ----------------------------------------------------------------------

    def pop_up(self, board: PixelBox, lasts_s: float | None, share: float) -> None:
        """Show a dialog over the middle of ``board``; its sides are ``share`` of the board's."""
        width = max(80, round((board.x1 - board.x0) * share))
        height = max(80, round((board.y1 - board.y0) * share))
        picture = dialog(width, height, "Updates", ("12 updates are ready.",), 0.9)
        x, y = (board.x0 + board.x1 - width) // 2, (board.y0 + board.y1 - height) // 2
        self._cover(Layer(picture, x, y), lasts_s)

    def notify(self, board: PixelBox, lasts_s: float) -> None:
        """Let a notification slide over ``board`` from right to left."""
        scale = self._ui_scale
        picture = solid(round(260 * scale), round(60 * scale), (48, 50, 56))
        at = (16 * scale, 35 * scale)
        write(picture, "You have 3 new messages", at, 10 * scale, (235, 235, 235))
        steps = max(2, round(lasts_s / 0.05))
        path = np.linspace(board.x1, board.x0 - picture.shape[1], steps)
        layer = Layer(picture, int(path[0]), (board.y0 + board.y1) // 2)
        self._cover(layer, lasts_s)
        for step, x in enumerate(path[1:], start=1):
            self._timeline.later(lasts_s * step / steps, partial(self._slide, layer, round(x)))

    def go_black(self, lasts_s: float | None) -> None:
        """Show nothing but black."""
        self._set_black(True)
        self._later(lasts_s, partial(self._set_black, False))

    def tint(self, factors: tuple[float, float, float] | None) -> None:
        """Multiply the channels of all pixels; None ends it."""
        self._stack.tint = factors
        self._stack.compose()

    def fail_grabs(self, times: int) -> None:
        """Let the next ``times`` pictures raise `ScreenGone`."""
        self._failing_grabs = times

    # ---- inside ------------------------------------------------------------------------------

    def _later(self, delay_s: float | None, action: partial[None]) -> None:
        if delay_s is not None:
            self._timeline.later(delay_s, action)

    def _set_minimised(self, minimised: bool) -> None:
        self.minimised = minimised
        self._compose_all()

    def _set_black(self, black: bool) -> None:
        self._black = black

    def _cover(self, layer: Layer, lasts_s: float | None) -> None:
        self._covers.append(layer)
        self._compose_all()
        self._later(lasts_s, partial(self._uncover, layer))

    def _uncover(self, layer: Layer) -> None:
        self._covers.remove(layer)
        self._compose_all()

    def _slide(self, layer: Layer, x: int) -> None:
        layer.x = x
        self._compose_all()

    def _compose_all(self) -> None:
        self._stack.base = self._scenery
        self._stack.layers = list(self._covers)
        if not self.minimised:
            self._stack.base = self._scenery.copy()
            drop_shadow(self._stack.base, self._program_layers[0].box, self._ui_scale)
            self._stack.layers[:0] = self._program_layers
        self._stack.compose()


def _tinted(pixels: Pixels, tint: tuple[float, float, float]) -> Pixels:
    ramp = np.arange(256)
    table: NDArray[np.uint8] = np.stack([ramp * factor for factor in tint], axis=1).astype(np.uint8)
    return np.stack([table[pixels[..., channel], channel] for channel in range(3)], axis=2)


TITLE_PX = 28
"""Height of a title bar at scale 1."""


def wallpaper(kind: str, width: int, height: int, seed: int = 0) -> Pixels:
    """Paint a wallpaper of `WALLPAPERS`. Raises `UsageError` for an unknown kind."""
    if kind not in WALLPAPERS:
        raise UsageError(no_such("wallpaper", kind, sorted(WALLPAPERS)))
    return WALLPAPERS[kind](width, height, random.Random(f"wallpaper {seed}"))


def _gradient(width: int, height: int, rng: random.Random) -> Pixels:
    low, high = (np.array([rng.randint(*span) for span in spans]) for spans in _SKY_COLOURS)
    down, right = np.linspace(0, 1, height)[:, None], np.linspace(0, 1, width)[None, :]
    slope = (0.65 * down + 0.35 * right)[..., None]
    return np.asarray(high + (low - high) * slope, np.uint8)


_SKY_COLOURS = (((10, 30), (24, 50), (50, 80)), ((60, 110), (120, 170), (170, 215)))


def _circles(width: int, height: int, rng: random.Random) -> Pixels:
    picture = _gradient(width, height, rng)
    for _ in range(40):
        radius = rng.randint(20, 240)
        x, y = rng.randint(0, width), rng.randint(0, height)
        colour = tuple(rng.randint(30, 235) for _ in range(3))
        layer = picture.copy()
        cv2.circle(layer, (x, y), radius, colour, -1, cv2.LINE_AA)
        cv2.addWeighted(layer, 0.25, picture, 0.75, 0, picture)
    return picture


def _noise(width: int, height: int, rng: random.Random) -> Pixels:
    grain = np.random.default_rng(rng.randrange(2**32))
    coarse = grain.integers(40, 215, (height // 24 + 2, width // 24 + 2, 3), dtype=np.uint8)
    picture = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC).astype(np.int16)
    picture += grain.integers(-18, 19, (height, width, 1), dtype=np.int16)
    return np.clip(picture, 0, 255).astype(np.uint8)


def _grid_paper(width: int, height: int, rng: random.Random) -> Pixels:
    picture = solid(width, height, (246, 246, 240))
    step = rng.choice((18, 20, 24, 25))
    picture[::step] = (190, 208, 226)
    picture[:, ::step] = (190, 208, 226)
    picture[:: step * 5] = (140, 168, 200)
    picture[:, :: step * 5] = (140, 168, 200)
    return picture


def _plain(width: int, height: int, rng: random.Random) -> Pixels:
    return solid(width, height, (48, 104, 128))


WALLPAPERS: dict[str, Callable[[int, int, random.Random], Pixels]] = {
    "gradient": _gradient,
    "circles": _circles,
    "noise": _noise,
    "grid-paper": _grid_paper,
    "plain": _plain,
}


def window(kind: str, scale: float = 1.0) -> Pixels:
    """Draw a window of `WINDOWS`, another program's. Raises `UsageError` for an unknown kind."""
    if kind not in WINDOWS:
        raise UsageError(no_such("window", kind, sorted(WINDOWS)))
    return WINDOWS[kind](scale)


def paint_scenery(
    background: str, windows: Iterable[str], size: tuple[int, int], *, scale: float, seed: int
) -> Pixels:
    """Paint the screen below the game: wallpaper, ``windows`` where ``seed`` puts them, task bar.

    ``size`` is width and height in pixels.
    """
    picture = wallpaper(background, *size, seed=seed)
    rng = random.Random(f"windows {seed}")
    for name in windows:
        other = window(name, scale)
        height, width = other.shape[:2]
        x = rng.randint(-width // 4, max(1, size[0] - width * 3 // 4))
        y = rng.randint(10, max(11, size[1] - height * 2 // 3))
        box = PixelBox(x, y, x + width, y + height)
        drop_shadow(picture, box, scale)
        part = clip(box, PixelBox(0, 0, *size))
        picture[part.y0 : part.y1, part.x0 : part.x1] = other[
            part.y0 - y : part.y1 - y, part.x0 - x : part.x1 - x
        ]
    task_bar(picture, scale)
    return picture


def title_bar(picture: Pixels, text: str, background: Colour, ink: Colour, scale: float) -> None:
    """Draw a title bar with three buttons at the top of a window's picture."""
    width, height = picture.shape[1], round(TITLE_PX * scale)
    fill(picture, (0, 0, width, height), background)
    write(picture, text, (10 * scale, height * 0.66), 9 * scale, ink)
    for index in range(3):
        middle = width - (15 + 22 * index) * scale
        symbol = Stencil(picture.shape[1], height)
        half, y, line_px = 4.5 * scale, height / 2, 1.4 * scale
        if index == 0:
            symbol.line([(middle - half, y - half), (middle + half, y + half)], line_px)
            symbol.line([(middle - half, y + half), (middle + half, y - half)], line_px)
        elif index == 1:
            symbol.box(middle - half, y - half, middle + half, y + half)
            symbol.box(
                middle - half + line_px,
                y - half + line_px,
                middle + half - line_px,
                y + half - line_px,
                value=0,
            )
        else:
            symbol.line([(middle - half, y + half * 0.7), (middle + half, y + half * 0.7)], line_px)
        symbol.ink(picture, ink)


def _calculator(scale: float) -> Pixels:
    key, gap = round(44 * scale), round(5 * scale)
    top = round((TITLE_PX + 64) * scale)
    width, height = 4 * (key + gap) + gap, top + 5 * (key + gap) + gap
    picture = solid(width, height, (228, 230, 233))
    title_bar(picture, "Calculator", (210, 213, 218), (50, 50, 50), scale)
    fill(picture, (gap, round(36 * scale), width - gap, top - gap), (252, 252, 252))
    write(picture, "3 141.59", (width - 14 * scale, 72 * scale), 18 * scale, (30, 30, 30), align=1)
    for index, text in enumerate("C()/789*456-123+0.%="):
        x = gap + index % 4 * (key + gap)
        y = top + index // 4 * (key + gap)
        key_colour: Colour = (246, 247, 248) if text.isdigit() else (214, 219, 226)
        fill(picture, (x, y, x + key, y + key), key_colour)
        bevel(picture, (x, y, x + key, y + key), 1, (255, 255, 255), (176, 180, 186))
        write(picture, text, (x + key / 2, y + key * 0.64), 12 * scale, (40, 40, 40), align=0.5)
    return picture


def _spreadsheet(scale: float) -> Pixels:
    col_px, row_px, rows, cols = round(72 * scale), round(21 * scale), 22, 8
    top, left = round((TITLE_PX + 24) * scale), round(34 * scale)
    picture = solid(left + cols * col_px, top + (rows + 1) * row_px, (255, 255, 255))
    title_bar(picture, "budget.ods - Sheets", (33, 115, 70), (255, 255, 255), scale)
    fill(picture, (0, round(TITLE_PX * scale), picture.shape[1], top), (243, 243, 243))
    fill(picture, (0, top, picture.shape[1], top + row_px), (230, 230, 230))
    fill(picture, (0, top, left, picture.shape[0]), (230, 230, 230))
    for row in range(rows + 1):
        y = top + row * row_px
        fill(picture, (0, y, picture.shape[1], y + 1), (204, 204, 204))
        if row:
            write(
                picture, str(row), (left / 2, y + row_px * 0.72), 8 * scale, (90, 90, 90), align=0.5
            )
    rng = random.Random("budget")
    for col in range(cols):
        x = left + col * col_px
        fill(picture, (x, top, x + 1, picture.shape[0]), (204, 204, 204))
        write(
            picture,
            "ABCDEFGH"[col],
            (x + col_px / 2, top + row_px * 0.72),
            8 * scale,
            (90, 90, 90),
            align=0.5,
        )
        for row in range(1, rows + 1):
            if rng.random() < 0.55:
                number = f"{rng.randint(1, 9999)}"
                base = top + row * row_px + row_px * 0.72
                write(
                    picture,
                    number,
                    (x + col_px - 5 * scale, base),
                    8 * scale,
                    (20, 20, 20),
                    align=1,
                )
    return picture


_EDITOR_LINES = (
    "def greet(name: str) -> str:",
    '    """Say hello, politely."""',
    "    if not name:",
    '        return "Hello, whoever you are."',
    '    return f"Hello, {name}."',
    "",
    "for guest in (1, 2, 3, 4, 5, 6, 7, 8):",
    "    print(greet(str(guest)))",
    "",
    "# Things to buy: 2 eggs, 3 lemons, 1 bread,",
    "# 4 apples, 8 stamps, 5 pencils, 6 candles.",
    "",
    "assert greet('') != greet('7')",
)


def _editor(scale: float) -> Pixels:
    line = 19 * scale
    picture = solid(round(460 * scale), round((TITLE_PX + 30) * scale + line * 24), (40, 42, 54))
    title_bar(picture, "notes.py - Editor", (68, 71, 90), (230, 230, 235), scale)
    inks: tuple[Colour, ...] = ((248, 248, 242), (139, 233, 253), (241, 250, 140), (98, 114, 164))
    for number in range(24):
        text = _EDITOR_LINES[number % len(_EDITOR_LINES)]
        base = (TITLE_PX + 24) * scale + number * line
        write(picture, str(number + 1), (30 * scale, base), 8 * scale, (98, 114, 164), align=1)
        ink = inks[3] if text.startswith("#") else inks[number % 3]
        indent = len(text) - len(text.lstrip())
        if text.strip():
            write(picture, text.strip(), ((42 + 7 * indent) * scale, base), 9 * scale, ink)
    return picture


WINDOWS: dict[str, Callable[[float], Pixels]] = {
    "calculator": _calculator,
    "spreadsheet": _spreadsheet,
    "editor": _editor,
}

_ICONS: tuple[Colour, ...] = (
    (90, 160, 230),
    (240, 180, 70),
    (120, 200, 130),
    (220, 100, 110),
    (170, 140, 220),
)


def task_bar(picture: Pixels, scale: float = 1.0) -> None:
    """Draw a task bar along the bottom of the screen."""
    height, width = picture.shape[:2]
    top = height - round(34 * scale)
    blend(picture[top:], (20, 24, 30), 0.82)
    for index, colour in enumerate(_ICONS):
        x = round((12 + 40 * index) * scale)
        side = round(20 * scale)
        Stencil(side, side).box(0, 0, side, side, radius=5 * scale).ink(
            picture, colour, x, top + round(7 * scale)
        )
    write(
        picture,
        "10:42",
        (width - 16 * scale, top + 22 * scale),
        10 * scale,
        (225, 228, 232),
        align=1,
    )


def drop_shadow(picture: Pixels, box: Box, scale: float) -> None:
    """Darken the pixels around a window that lies in ``box``."""
    left, top, right, bottom = box
    reach = max(2, round(14 * scale))
    drop = reach // 3
    x0, y0 = max(0, left - reach), max(0, top - reach)
    x1 = min(picture.shape[1], right + reach)
    y1 = min(picture.shape[0], bottom + reach + drop)
    if x0 >= x1 or y0 >= y1:
        return
    mask = np.zeros((y1 - y0, x1 - x0), np.float32)
    mask[max(0, top + drop - y0) : bottom + drop - y0, max(0, left - x0) : right - x0] = 1
    soft = np.asarray(cv2.GaussianBlur(mask, (0, 0), reach / 2.2), np.float32)
    blend(picture[y0:y1, x0:x1], (0, 0, 0), soft * 0.4)


def dialog(width: int, height: int, title: str, lines: tuple[str, ...], scale: float) -> Pixels:
    """Draw a message box with one button."""
    picture = solid(width, height, (240, 240, 240))
    title_bar(picture, title, (205, 210, 218), (40, 40, 40), scale)
    for index, text in enumerate(lines):
        base = (TITLE_PX + 30 + 20 * index) * scale
        write(picture, text, (width / 2, base), 9 * scale, (30, 30, 30), align=0.5)
    half, base = round(34 * scale), height - round(14 * scale)
    x0, y0 = width // 2 - half, base - round(24 * scale)
    fill(picture, (x0, y0, width // 2 + half, base), (225, 225, 225))
    bevel(picture, (x0, y0, width // 2 + half, base), 1, (255, 255, 255), (150, 150, 150))
    write(picture, "OK", (width / 2, base - 8 * scale), 9 * scale, (30, 30, 30), align=0.5)
    bevel(picture, (0, 0, width, height), 1, shade((205, 210, 218), 0.8), (120, 120, 120))
    return picture


def overlay_card(width: int, height: int, text: str, scale: float) -> Pixels:
    """Draw the card that a page lays over its finished board: one large button."""
    picture = solid(width, height, (236, 238, 242))
    write(picture, text, (width / 2, height / 2), 11 * scale, (30, 30, 30), align=0.5)
    return picture


class FakeClock:
    """A clock that moves only when `sleep` is called, without waiting."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """Return the seconds slept so far."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Move the clock forward without waiting."""
        self._now += max(0.0, seconds)


class Timeline:
    """Actions planned on a clock, done in order of time by `advance`."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()

    def later(self, delay_s: float, action: Callable[[], None]) -> None:
        """Plan an action for ``delay_s`` seconds from now."""
        heapq.heappush(self._due, (self.clock.now() + delay_s, next(self._order), action))

    def advance(self) -> None:
        """Do all actions whose time has come."""
        now = self.clock.now()
        while self._due and self._due[0][0] <= now:
            heapq.heappop(self._due)[2]()

    def clear(self) -> None:
        """Drop all planned actions."""
        self._due.clear()
