"""What lies below the simulated game: wallpapers, other programs' windows, a task bar."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache

import cv2
import numpy as np

from bot.simulated.paint import (
    Colour,
    Pixels,
    Stencil,
    bevel,
    blend,
    clip,
    fill,
    solid,
    write,
)
from bot.simulated.render import TITLE_PX, title_bar
from bot.simulated.screen import drop_shadow
from bot.simulated.screen import wallpaper as gradient
from calibration.grid import PixelBox


def _circles(width: int, height: int, rng: random.Random) -> Pixels:
    picture = gradient(width, height, rng)
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
    "gradient": gradient,
    "circles": _circles,
    "noise": _noise,
    "grid-paper": _grid_paper,
    "plain": _plain,
}


@lru_cache(maxsize=8)
def paint_scenery(
    background: str, windows: tuple[str, ...], size: tuple[int, int], *, scale: float, seed: int
) -> Pixels:
    """Paint the screen below the game: wallpaper, ``windows`` where ``seed`` puts them, task bar.

    ``size`` is width and height in pixels. Many tests start from the same desktop, and to paint it
    takes 0.1 s: nothing may draw on what is returned.
    """
    picture = WALLPAPERS[background](*size, random.Random(f"wallpaper {seed}"))
    rng = random.Random(f"windows {seed}")
    for name in windows:
        other = WINDOWS[name](scale)
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
    picture.flags.writeable = False
    return picture


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
