"""How simulated Minesweeper programs look: palettes, and one tile drawn at any size.

Five families: ``bevel`` (raised grey tiles), ``flat`` (rounded tiles with gaps), ``checker``
(two shades, no lines), ``glass`` (a gradient in each tile) and ``lined`` (flat tiles between
thin lines).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bot.errors import UsageError
from bot.simulated import glyphs
from bot.simulated.paint import Colour, Pixels, Stencil, bevel, blank, blend, fill, shade
from solver.board import Tile

CLASSIC_DIGITS: tuple[Colour, ...] = (
    (0, 0, 255),
    (0, 128, 0),
    (255, 0, 0),
    (0, 0, 128),
    (128, 0, 0),
    (0, 128, 128),
    (0, 0, 0),
    (128, 128, 128),
)


@dataclass(frozen=True)
class Look:
    """The face of a program. Lengths are shares of a tile's side; ``tile_px`` is its natural side.

    ``hidden`` and ``opened`` hold one colour, or two that alternate. ``grounds`` colours the
    tile behind each digit. ``counter`` is ``lamps`` or a text that may name ``{left}``, ``{flags}``
    and ``{mines}``. ``chord`` says whether a left click on a number opens around it (a middle
    click always does).
    """

    name: str
    family: str
    tile_px: float
    hidden: tuple[Colour, ...]
    opened: tuple[Colour, ...]
    line: Colour
    digits: tuple[Colour, ...]
    hand: str = "round"
    weight: float = 0.17
    gap: float = 0.0
    radius: float = 0.0
    grounds: tuple[Colour, ...] = ()
    mine: Colour = (0, 0, 0)
    blast: Colour = (255, 0, 0)
    flag: Colour = (230, 20, 20)
    pole: Colour = (20, 20, 20)
    window: Colour = (192, 192, 192)
    ink: Colour = (0, 0, 0)
    title: Colour = (0, 84, 166)
    title_ink: Colour = (255, 255, 255)
    accent: Colour = (90, 90, 90)
    counter: str = "Mines: {left}"
    chord: bool = False


def look_named(name: str) -> Look:
    """Return a look of `LOOKS`. Raises `UsageError` for an unknown name."""
    if name not in LOOKS:
        raise UsageError(f"There is no look {name!r}; choose one of {', '.join(sorted(LOOKS))}.")
    return LOOKS[name]


@lru_cache(maxsize=4096)
def draw_tile(
    look: Look, code: int, size: tuple[int, int], *, shade_index: int = 0, lit: bool = False
) -> Pixels:
    """Draw what a cell shows (a number or a `Tile`), ``size`` wide and high, read-only.

    ``shade_index`` picks one of alternating colours; ``lit`` is the look under the pointer.
    """
    width, height = size
    covered = code in (Tile.HIDDEN, Tile.FLAG, Tile.QUESTION) or (
        code == Tile.WRONG_FLAG and look.family != "bevel"
    )
    colours = look.hidden if covered else look.opened
    face = colours[shade_index % len(colours)]
    if code == Tile.EXPLODED:
        face = look.blast
    elif look.grounds and code > 0:
        face = look.grounds[code - 1]
    picture = _FAMILIES[look.family](
        look, shade(face, 1.35) if lit else face, covered, width, height
    )
    _draw_sign(picture, look, code)
    picture.setflags(write=False)
    return picture


def _draw_bevel(look: Look, face: Colour, covered: bool, width: int, height: int) -> Pixels:
    picture = blank(width, height, face)
    side = min(width, height)
    if covered:
        edge = max(1, round(side / 8.5))
        bevel(picture, (0, 0, width, height), edge, shade(face, 4.5), shade(face, 0.66))
    else:
        thin = max(1, round(side / 24))
        fill(picture, (0, 0, width, thin), look.line)
        fill(picture, (0, 0, thin, height), look.line)
    return picture


def _draw_flat(look: Look, face: Colour, covered: bool, width: int, height: int) -> Pixels:
    picture = blank(width, height, look.line)
    half = min(width, height) * look.gap / 2
    radius = min(width, height) * look.radius
    Stencil(width, height).box(half, half, width - half, height - half, radius=radius).ink(
        picture, face
    )
    return picture


def _draw_checker(look: Look, face: Colour, covered: bool, width: int, height: int) -> Pixels:
    return blank(width, height, face)


def _draw_lined(look: Look, face: Colour, covered: bool, width: int, height: int) -> Pixels:
    picture = blank(width, height, face)
    thin = max(1, round(min(width, height) / 28))
    fill(picture, (0, height - thin, width, height), look.line)
    fill(picture, (width - thin, 0, width, height), look.line)
    if covered:
        fill(picture, (0, 0, width - thin, thin), shade(face, 1.25))
    return picture


def _draw_glass(look: Look, face: Colour, covered: bool, width: int, height: int) -> Pixels:
    picture = _draw_flat(look, face, covered, width, height)
    if covered:
        down, right = np.mgrid[0:height, 0:width]
        slope = (down / height + right / width) / 2
        gleam = np.clip(0.5 - slope, 0, 0.5).astype(np.float32)
        inside = (picture == np.asarray(face, np.uint8)).all(axis=2)
        blend(picture, (255, 255, 255), gleam * inside)
        dusk = np.clip(slope - 0.5, 0, 0.5).astype(np.float32) * 0.6
        blend(picture, (0, 0, 0), dusk * inside)
    return picture


_FAMILIES: dict[str, Callable[[Look, Colour, bool, int, int], Pixels]] = {
    "bevel": _draw_bevel,
    "flat": _draw_flat,
    "checker": _draw_checker,
    "lined": _draw_lined,
    "glass": _draw_glass,
}


def _draw_sign(picture: Pixels, look: Look, code: int) -> None:
    """Draw the digit or the sign of ``code`` on an empty face."""
    height, width = picture.shape[:2]
    if code > 0:
        glyphs.digit(code, look.hand, width, height, weight=look.weight).ink(
            picture, look.digits[code - 1]
        )
    if code in (Tile.FLAG, Tile.WRONG_FLAG) and not (
        code == Tile.WRONG_FLAG and look.family == "bevel"
    ):
        glyphs.flag_pole(width, height).ink(picture, look.pole)
        glyphs.flag_cloth(width, height).ink(picture, look.flag)
    if code in (Tile.MINE, Tile.EXPLODED) or (code == Tile.WRONG_FLAG and look.family == "bevel"):
        if look.family == "checker":
            glyphs.disc(width, height).ink(picture, look.mine)
        else:
            glyphs.mine(width, height).ink(picture, look.mine)
            glyphs.glint(width, height).ink(picture, (255, 255, 255))
    if code == Tile.WRONG_FLAG:
        crossed = (255, 0, 0) if look.family == "bevel" else look.pole
        glyphs.cross(width, height).ink(picture, crossed)
    if code == Tile.QUESTION:
        glyphs.question(width, height).ink(picture, look.pole)


LOOKS: dict[str, Look] = {
    look.name: look
    for look in (
        Look(
            name="classic",
            family="bevel",
            tile_px=16,
            hidden=((192, 192, 192),),
            opened=((192, 192, 192),),
            line=(128, 128, 128),
            digits=CLASSIC_DIGITS,
            hand="pixel",
            counter="lamps",
        ),
        Look(
            name="flat",
            family="flat",
            tile_px=28,
            hidden=((176, 190, 205),),
            opened=((232, 236, 240),),
            line=(250, 251, 252),
            digits=(
                (25, 118, 210),
                (56, 142, 60),
                (211, 47, 47),
                (123, 31, 162),
                (255, 143, 0),
                (0, 151, 167),
                (66, 66, 66),
                (158, 158, 158),
            ),
            gap=0.12,
            radius=0.14,
            window=(250, 251, 252),
            ink=(55, 65, 75),
            title=(235, 238, 241),
            title_ink=(55, 65, 75),
            accent=(25, 118, 210),
            chord=True,
        ),
        Look(
            name="dark",
            family="lined",
            tile_px=24,
            hidden=((66, 74, 88),),
            opened=((36, 40, 48),),
            line=(22, 25, 31),
            digits=(
                (97, 175, 239),
                (120, 200, 120),
                (240, 105, 115),
                (198, 120, 221),
                (229, 172, 90),
                (86, 200, 200),
                (225, 225, 230),
                (140, 148, 160),
            ),
            mine=(235, 235, 240),
            blast=(170, 40, 50),
            flag=(250, 110, 110),
            pole=(225, 228, 235),
            window=(30, 33, 40),
            ink=(205, 210, 220),
            title=(44, 49, 58),
            title_ink=(205, 210, 220),
            accent=(97, 175, 239),
            counter="Mines left {left}",
        ),
        Look(
            name="checkerboard",
            family="checker",
            tile_px=30,
            hidden=((168, 212, 84), (160, 206, 76)),
            opened=((228, 196, 160), (214, 184, 152)),
            line=(74, 117, 44),
            digits=(
                (26, 115, 205),
                (58, 140, 62),
                (208, 50, 48),
                (122, 34, 160),
                (250, 145, 10),
                (0, 150, 165),
                (64, 64, 64),
                (150, 150, 150),
            ),
            weight=0.2,
            mine=(60, 20, 20),
            blast=(222, 90, 60),
            flag=(240, 60, 20),
            pole=(150, 40, 15),
            window=(74, 117, 44),
            ink=(255, 255, 255),
            title=(60, 96, 36),
            accent=(190, 228, 120),
            chord=True,
            counter="{left}",
        ),
        Look(
            name="glass",
            family="glass",
            tile_px=26,
            hidden=((72, 118, 206),),
            opened=((206, 216, 236),),
            line=(58, 72, 110),
            digits=(
                (64, 80, 190),
                (30, 105, 10),
                (172, 6, 8),
                (2, 2, 128),
                (124, 0, 2),
                (8, 120, 126),
                (170, 10, 14),
                (168, 8, 8),
            ),
            hand="slab",
            gap=0.06,
            radius=0.06,
            flag=(225, 40, 30),
            pole=(245, 245, 250),
            window=(120, 146, 196),
            ink=(255, 255, 255),
            title=(84, 110, 164),
            accent=(235, 240, 250),
            counter="Mines: {left}",
        ),
        Look(
            name="pastel",
            family="flat",
            tile_px=32,
            hidden=((186, 189, 182),),
            opened=((222, 222, 220),),
            line=(246, 245, 244),
            digits=((46, 52, 54),) * 8,
            grounds=(
                (221, 250, 195),
                (236, 237, 191),
                (237, 218, 180),
                (237, 195, 138),
                (247, 161, 162),
                (254, 167, 133),
                (255, 125, 96),
                (255, 50, 60),
            ),
            gap=0.1,
            radius=0.08,
            mine=(46, 52, 54),
            blast=(204, 70, 70),
            flag=(204, 0, 0),
            pole=(46, 52, 54),
            window=(246, 245, 244),
            ink=(46, 52, 54),
            title=(225, 222, 219),
            title_ink=(46, 52, 54),
            accent=(53, 132, 228),
            counter="{flags}/{mines}",
        ),
    )
}
