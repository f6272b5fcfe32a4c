"""Draw one tile of a simulated program in a skin, at any size.

Each of the five families of `skins` has a function of its own for the empty tile; the glyph
is drawn on top of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from bot.simulated import glyphs
from bot.simulated.paint import Colour, Pixels, Stencil, bevel, blend, fill, shade, solid
from bot.simulated.skins import Skin
from solver.board import Tile


@lru_cache(maxsize=4096)
def draw_tile(
    skin: Skin, code: int, size: tuple[int, int], *, parity: int = 0, hovered: bool = False
) -> Pixels:
    """Draw one tile, read-only; ``size`` is its width and height in pixels.

    ``code`` is a number or a `Tile`. ``parity`` (0 or 1) chooses between two alternating colours.
    ``hovered`` draws the tile as it looks under the pointer: lighter.
    """
    width, height = size
    covered = code in (Tile.HIDDEN, Tile.FLAG, Tile.QUESTION) or (
        code == Tile.WRONG_FLAG and skin.family != "bevel"
    )
    colours = skin.hidden if covered else skin.opened
    background = colours[parity % len(colours)]
    if code == Tile.EXPLODED:
        background = skin.exploded
    elif skin.number_backgrounds and code > 0:
        background = skin.number_backgrounds[code - 1]
    if hovered:
        background = shade(background, 1.35)
    picture = _FAMILIES[skin.family](skin, background, covered, width, height)
    _draw_glyph(picture, skin, code)
    picture.setflags(write=False)
    return picture


def _draw_bevel(skin: Skin, background: Colour, covered: bool, width: int, height: int) -> Pixels:
    picture = solid(width, height, background)
    side = min(width, height)
    if covered:
        edge = max(1, round(side / 8.5))
        bevel(picture, (0, 0, width, height), edge, shade(background, 4.5), shade(background, 0.66))
    else:
        thin = max(1, round(side / 24))
        fill(picture, (0, 0, width, thin), skin.line)
        fill(picture, (0, 0, thin, height), skin.line)
    return picture


def _draw_flat(skin: Skin, background: Colour, covered: bool, width: int, height: int) -> Pixels:
    picture = solid(width, height, skin.line)
    half = min(width, height) * skin.gap / 2
    radius = min(width, height) * skin.radius
    Stencil(width, height).box(half, half, width - half, height - half, radius=radius).ink(
        picture, background
    )
    return picture


def _draw_checker(skin: Skin, background: Colour, covered: bool, width: int, height: int) -> Pixels:
    return solid(width, height, background)


def _draw_lined(skin: Skin, background: Colour, covered: bool, width: int, height: int) -> Pixels:
    picture = solid(width, height, background)
    thin = max(1, round(min(width, height) / 28))
    fill(picture, (0, height - thin, width, height), skin.line)
    fill(picture, (width - thin, 0, width, height), skin.line)
    if covered:
        fill(picture, (0, 0, width - thin, thin), shade(background, 1.25))
    return picture


def _draw_glass(skin: Skin, background: Colour, covered: bool, width: int, height: int) -> Pixels:
    picture = _draw_flat(skin, background, covered, width, height)
    if covered:
        down, right = np.mgrid[0:height, 0:width]
        slope = (down / height + right / width) / 2
        highlight = np.clip(0.5 - slope, 0, 0.5).astype(np.float32)
        inside = (picture == np.asarray(background, np.uint8)).all(axis=2)
        blend(picture, (255, 255, 255), highlight * inside)
        shadow = np.clip(slope - 0.5, 0, 0.5).astype(np.float32) * 0.6
        blend(picture, (0, 0, 0), shadow * inside)
    return picture


_FAMILIES: dict[str, Callable[[Skin, Colour, bool, int, int], Pixels]] = {
    "bevel": _draw_bevel,
    "flat": _draw_flat,
    "checker": _draw_checker,
    "lined": _draw_lined,
    "glass": _draw_glass,
}


def _draw_glyph(picture: Pixels, skin: Skin, code: int) -> None:
    """Draw the digit or the symbol of ``code`` on an empty tile."""
    height, width = picture.shape[:2]
    if code > 0:
        glyphs.digit(code, skin.digit_style, width, height, weight=skin.weight).ink(
            picture, skin.digits[code - 1]
        )
    if code in (Tile.FLAG, Tile.WRONG_FLAG) and not (
        code == Tile.WRONG_FLAG and skin.family == "bevel"
    ):
        glyphs.flag_pole(width, height).ink(picture, skin.pole)
        glyphs.flag_cloth(width, height).ink(picture, skin.flag)
    if code in (Tile.MINE, Tile.EXPLODED) or (code == Tile.WRONG_FLAG and skin.family == "bevel"):
        if skin.family == "checker":
            glyphs.disc(width, height).ink(picture, skin.mine)
        else:
            glyphs.mine(width, height).ink(picture, skin.mine)
            glyphs.mine_highlight(width, height).ink(picture, (255, 255, 255))
    if code == Tile.WRONG_FLAG:
        cross_colour = (255, 0, 0) if skin.family == "bevel" else skin.pole
        glyphs.cross(width, height).ink(picture, cross_colour)
    if code == Tile.QUESTION:
        glyphs.question(width, height).ink(picture, skin.pole)
