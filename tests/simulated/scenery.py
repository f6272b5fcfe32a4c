"""What lies below the simulated game: wallpapers, other programs' windows, a task bar."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache

import cv2
import numpy as np

from bot.simulated.paint import Colour, Pixels, bevel, blend, clip, fill, solid, write
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
    picture[::step] = picture[:, ::step] = (190, 208, 226)
    picture[:: step * 5] = picture[:, :: step * 5] = (140, 168, 200)
    return picture


WALLPAPERS: dict[str, Callable[[int, int, random.Random], Pixels]] = {
    "gradient": gradient, "circles": _circles, "noise": _noise, "grid-paper": _grid_paper,
}  # fmt: skip


def _calculator(scale: float) -> Pixels:
    side, top = round(49 * scale), round((TITLE_PX + 64) * scale)
    picture = solid(4 * side, top + 5 * side, (228, 230, 233))
    title_bar(picture, "Calculator", (210, 213, 218), (50, 50, 50), scale)
    write(picture, "3 141.59", (182 * scale, 72 * scale), 18 * scale, (30, 30, 30), align=1)
    for index, text in enumerate("C()/789*456-123+0.%="):
        x, y = index % 4 * side, top + index // 4 * side
        key = x + 3, y + 3, x + side - 2, y + side - 2
        colour: Colour = (246, 247, 248) if text.isdigit() else (214, 219, 226)
        fill(picture, key, colour)
        bevel(picture, key, 1, (255, 255, 255), (176, 180, 186))
        write(picture, text, (x + side / 2, y + side * 0.64), 12 * scale, (40, 40, 40), align=0.5)
    return picture


def _spreadsheet(scale: float) -> Pixels:
    wide, high, top = round(72 * scale), round(21 * scale), round((TITLE_PX + 24) * scale)
    picture = solid(8 * wide, top + 22 * high, (204, 204, 204))
    title_bar(picture, "budget.ods - Sheets", (33, 115, 70), (255, 255, 255), scale)
    rng = random.Random("budget")
    for index in range(8 * 22):
        x, y = index % 8 * wide, top + index // 8 * high
        fill(picture, (x, y, x + wide - 1, y + high - 1), (255, 255, 255))
        if rng.random() < 0.55:
            at = x + wide - 5 * scale, y + high * 0.72
            write(picture, f"{rng.randint(1, 9999)}", at, 8 * scale, (20, 20, 20), align=1)
    return picture


WINDOWS = {"calculator": _calculator, "spreadsheet": _spreadsheet}


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
    bar, side = picture[-round(34 * scale) :], round(20 * scale)
    blend(bar, (20, 24, 30), 0.82)
    for icon, colour in enumerate([(90, 160, 230), (240, 180, 70), (220, 100, 110)]):
        bar[side // 3 : side // 3 + side, 2 * side * icon + side // 2 :][:, :side] = colour
    picture.flags.writeable = False
    return picture
