"""The skins of the simulated programs: colours, shapes and the text of the counter.

A skin belongs to one of five families: ``bevel`` (raised grey tiles), ``flat`` (rounded tiles
with gaps), ``checker`` (two alternating colours, no lines), ``glass`` (a colour gradient in each
tile) and ``lined`` (flat tiles with thin lines between them).
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.errors import UsageError
from bot.simulated.paint import Colour
from solver.counting import no_such

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
class Skin:
    """How a program is drawn. ``tile_px`` is the default side of a tile in pixels.

    ``weight``, ``gap`` and ``radius`` are lengths as a fraction of a tile's side. ``hidden`` and
    ``opened`` hold the background of these tiles: one colour, or two that alternate.
    ``number_backgrounds``, if given, replaces ``opened`` behind the numbers 1 to 8. ``counter`` is
    ``seven-segment`` or a text that may contain ``{left}``, ``{flags}`` and ``{mines}``. With
    ``chord``, a left click on a number is a chord; a middle click always is.
    """

    name: str
    family: str
    tile_px: float
    hidden: tuple[Colour, ...]
    opened: tuple[Colour, ...]
    line: Colour
    digits: tuple[Colour, ...]
    digit_style: str = "round"
    weight: float = 0.17
    gap: float = 0.0
    radius: float = 0.0
    number_backgrounds: tuple[Colour, ...] = ()
    mine: Colour = (0, 0, 0)
    exploded: Colour = (255, 0, 0)
    flag: Colour = (230, 20, 20)
    pole: Colour = (20, 20, 20)
    window: Colour = (192, 192, 192)
    ink: Colour = (0, 0, 0)
    title: Colour = (0, 84, 166)
    title_ink: Colour = (255, 255, 255)
    accent: Colour = (90, 90, 90)
    counter: str = "Mines: {left}"
    chord: bool = False


def skin_named(name: str) -> Skin:
    """Return a skin of `SKINS`. Raises `UsageError` for an unknown name."""
    if name not in SKINS:
        raise UsageError(no_such("skin", name, sorted(SKINS)))
    return SKINS[name]


SKINS: dict[str, Skin] = {
    skin.name: skin
    for skin in (
        Skin(
            name="classic",
            family="bevel",
            tile_px=16,
            hidden=((192, 192, 192),),
            opened=((192, 192, 192),),
            line=(128, 128, 128),
            digits=CLASSIC_DIGITS,
            digit_style="pixel",
            counter="seven-segment",
        ),
        Skin(
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
        Skin(
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
            exploded=(170, 40, 50),
            flag=(250, 110, 110),
            pole=(225, 228, 235),
            window=(30, 33, 40),
            ink=(205, 210, 220),
            title=(44, 49, 58),
            title_ink=(205, 210, 220),
            accent=(97, 175, 239),
            counter="Mines left {left}",
        ),
        Skin(
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
            exploded=(222, 90, 60),
            flag=(240, 60, 20),
            pole=(150, 40, 15),
            window=(74, 117, 44),
            ink=(255, 255, 255),
            title=(60, 96, 36),
            accent=(190, 228, 120),
            chord=True,
            counter="{left}",
        ),
        Skin(
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
            digit_style="slab",
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
        Skin(
            name="pastel",
            family="flat",
            tile_px=32,
            hidden=((186, 189, 182),),
            opened=((222, 222, 220),),
            line=(246, 245, 244),
            digits=((46, 52, 54),) * 8,
            number_backgrounds=(
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
            exploded=(204, 70, 70),
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
