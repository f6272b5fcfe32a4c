"""What else the simulated screen shows: wallpapers, the windows of other programs, dialogs.

Much of it could be mistaken for a board: a key pad, a spreadsheet, lines of text.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import cv2
import numpy as np

from bot.errors import UsageError
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
