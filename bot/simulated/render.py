"""The picture of a Minesweeper window in the skin of a program, redrawn part by part.

A skin says how a program is drawn: colours, family of tiles, digit style. Each of the five families
has a function of its own for the empty tile; the glyph is drawn on top of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bot.errors import UsageError
from bot.simulated import glyphs
from bot.simulated.paint import (
    Colour,
    Pixels,
    Stencil,
    arc,
    bevel,
    blend,
    fill,
    shade,
    solid,
    text_width,
    write,
)
from calibration.grid import Grid, PixelBox
from solver import Cell, Status, Tile
from solver.counting import no_such

_SEGMENT_ON: Colour = (255, 20, 20)

_SEGMENT_OFF: Colour = (58, 0, 0)

TITLE_PX = 28
"""Height of a title bar at scale 1."""


class MineWindow:
    """A window with a title, a header and a board, in a `Skin`.

    ``pitch`` is the side of a tile in pixels, fractions allowed; ``ui_scale`` scales everything
    but the board. ``grid`` and ``new_game``, the box of the control for a new game, are in pixels
    of the window.
    """

    def __init__(
        self,
        skin: Skin,
        rows: int,
        cols: int,
        *,
        pitch: float,
        ui_scale: float = 1.0,
    ) -> None:
        self.skin = skin
        self.ui_scale = ui_scale
        margin, header = self._px(9), self._px(46)
        board_w, board_h = round(cols * pitch), round(rows * pitch)
        narrowest = 160 if skin.counter == "seven-segment" else 300
        width = max(board_w + 2 * margin, self._px(narrowest))
        top = self._px(TITLE_PX)
        self.grid = Grid(
            float((width - board_w) // 2), float(top + header), pitch, pitch, rows, cols
        )
        self.picture = solid(width, top + header + board_h + margin, skin.window)
        self._header = PixelBox(
            margin, top + self._px(6), width - margin, top + header - self._px(6)
        )
        middle, half = width // 2, self._px(15 if skin.counter == "seven-segment" else 42)
        y = (self._header.y0 + self._header.y1) // 2
        self.new_game = PixelBox(middle - half, y - self._px(15), middle + half, y + self._px(15))
        self._draw_frame()

    def _px(self, length: float) -> int:
        return round(length * self.ui_scale)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return int(self.picture.shape[1]), int(self.picture.shape[0])

    def _draw_frame(self) -> None:
        skin, picture = self.skin, self.picture
        width, height = self.size
        title_bar(picture, "Mines", skin.title, skin.title_ink, self.ui_scale)
        if skin.family == "bevel":
            light, dark = shade(skin.window, 4.5), shade(skin.window, 0.66)
            bevel(picture, (0, self._px(TITLE_PX), width, height), self._px(2), light, dark)
            bevel(picture, self._header, self._px(2), dark, light)
            board, edge = self.grid.bounds, self._px(3)
            bevel(
                picture,
                (board.x0 - edge, board.y0 - edge, board.x1 + edge, board.y1 + edge),
                edge,
                dark,
                light,
            )

    def paint_tiles(self, codes: Iterable[tuple[Cell, int]]) -> PixelBox:
        """Draw cells, at least one; return the box that holds them."""
        boxes = [self._paint_tile(cell, code) for cell, code in codes]
        return PixelBox(
            min(box.x0 for box in boxes),
            min(box.y0 for box in boxes),
            max(box.x1 for box in boxes),
            max(box.y1 for box in boxes),
        )

    def _paint_tile(self, cell: Cell, code: int) -> PixelBox:
        box = self.grid.box(cell)
        size = (box.x1 - box.x0, box.y1 - box.y0)
        tile = draw_tile(self._skin_of(cell), code, size, parity=(cell.row + cell.col) % 2)
        self.picture[box.y0 : box.y1, box.x0 : box.x1] = tile
        return box

    def _skin_of(self, cell: Cell) -> Skin:
        return self.skin

    def paint_counter(self, mines: int, flags: int) -> PixelBox:
        """Draw the mine counter."""
        if self.skin.counter == "seven-segment":
            return self._paint_seven_segment(mines - flags, left=True)
        text = self.skin.counter.format(left=mines - flags, flags=flags, mines=mines)
        box = PixelBox(self._header.x0, self._header.y0, self.new_game.x0 - 1, self._header.y1)
        fill(self.picture, box, self.skin.window)
        base, height = self._baseline, self._text_px
        x = box.x0 + self._px(4)
        if not text[0].isalpha():
            side = self._px(22)
            glyphs.flag_pole(side, side).ink(self.picture, self.skin.ink, x, base - self._px(17))
            glyphs.flag_cloth(side, side).ink(self.picture, self.skin.flag, x, base - self._px(17))
            x += side + self._px(3)
        # A long text in a narrow window is written smaller.
        height *= min(1.0, (box.x1 - x) / max(1.0, text_width(text, height)))
        write(self.picture, text, (x, base), height, self.skin.ink)
        return box

    def paint_timer(self, seconds: int) -> PixelBox:
        """Draw the timer."""
        if self.skin.counter == "seven-segment":
            return self._paint_seven_segment(min(seconds, 999), left=False)
        box = PixelBox(self.new_game.x1 + 1, self._header.y0, self._header.x1, self._header.y1)
        fill(self.picture, box, self.skin.window)
        text = f"{seconds // 60}:{seconds % 60:02d}"
        x = box.x1 - self._px(4)
        write(self.picture, text, (x, self._baseline), self._text_px, self.skin.ink, align=1)
        return box

    @property
    def _baseline(self) -> int:
        return (self._header.y0 + self._header.y1) // 2 + self._px(5)

    @property
    def _text_px(self) -> float:
        return 11.0 * self.ui_scale

    def _paint_seven_segment(self, number: int, *, left: bool) -> PixelBox:
        width, height = self._px(41), self._px(25)
        y = (self._header.y0 + self._header.y1 - height) // 2
        x = self._header.x0 + self._px(6) if left else self._header.x1 - self._px(6) - width
        box = PixelBox(x, y, x + width, y + height)
        fill(self.picture, box, (0, 0, 0))
        text = f"{max(-99, min(999, number)):03d}"
        glyphs.seven_segments(text, width, height, lit=False).ink(self.picture, _SEGMENT_OFF, x, y)
        glyphs.seven_segments(text, width, height, lit=True).ink(self.picture, _SEGMENT_ON, x, y)
        edge = self._px(1)
        light, dark = shade(self.skin.window, 4.5), shade(self.skin.window, 0.66)
        bevel(self.picture, box, edge, dark, light)
        return box

    def paint_new_game(self, status: Status) -> PixelBox:
        """Draw the control for a new game: the smiley, or a button with the state of the game."""
        box, picture = self.new_game, self.picture
        if self.skin.counter == "seven-segment":
            fill(picture, box, self.skin.window)
            light, dark = shade(self.skin.window, 4.5), shade(self.skin.window, 0.66)
            bevel(picture, box, self._px(2), light, dark)
            _draw_smiley(picture, box, status)
            return box
        fill(picture, box, self.skin.window)
        width, height = box.x1 - box.x0, box.y1 - box.y0
        Stencil(width, height).box(0, 0, width, height, radius=self._px(6)).ink(
            picture, self.skin.accent, box.x0, box.y0
        )
        ink: Colour = (255, 255, 255) if sum(self.skin.accent) < 480 else (25, 30, 40)
        text = {Status.PLAYING: "New game", Status.WON: "You won!", Status.LOST: "You lost"}[status]
        middle, text_px = (box.x0 + box.x1) / 2, 9.5 * self.ui_scale
        write(picture, text, (middle, self._baseline - self._px(0.5)), text_px, ink, align=0.5)
        return box


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


def _draw_smiley(picture: Pixels, box: PixelBox, status: Status) -> None:
    """Draw a smile (playing), sunglasses (won) or crossed eyes (lost) on the button."""
    side = box.x1 - box.x0
    middle, radius, line_px = side / 2, side * 0.34, max(1.0, side * 0.045)
    black: Colour = (0, 0, 0)
    Stencil(side, side).ellipse(middle, middle, radius, radius).ink(picture, black, box.x0, box.y0)
    inner = radius - line_px
    Stencil(side, side).ellipse(middle, middle, inner, inner).ink(
        picture, (255, 236, 40), box.x0, box.y0
    )
    marks = Stencil(side, side)
    left, right, eye_y = middle - radius * 0.38, middle + radius * 0.38, middle - radius * 0.25
    if status is Status.LOST:
        half = radius * 0.18
        for x in (left, right):
            marks.line([(x - half, eye_y - half), (x + half, eye_y + half)], line_px)
            marks.line([(x - half, eye_y + half), (x + half, eye_y - half)], line_px)
        marks.line(
            arc(middle, middle + radius * 0.72, radius * 0.4, radius * 0.35, (200, 340)), line_px
        )
    else:
        for x in (left, right):
            size = radius * (0.3 if status is Status.WON else 0.14)
            marks.ellipse(x, eye_y, size, size * (0.8 if status is Status.WON else 1.1))
        if status is Status.WON:
            half_width = radius * 0.9
            marks.line(
                [(middle - half_width, eye_y - line_px), (middle + half_width, eye_y - line_px)],
                line_px,
            )
        marks.line(
            arc(middle, middle + radius * 0.1, radius * 0.5, radius * 0.45, (25, 155)), line_px
        )
    marks.ink(picture, black, box.x0, box.y0)


@lru_cache(maxsize=4096)
def draw_tile(skin: Skin, code: int, size: tuple[int, int], *, parity: int = 0) -> Pixels:
    """Draw one tile, read-only; ``size`` is its width and height in pixels.

    ``code`` is a number or a `Tile`. ``parity`` (0 or 1) chooses between two alternating colours.
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


def _rgb(colours: str) -> tuple[Colour, ...]:
    """Read colours as a page writes them, with blanks between: ``ff8f00 42a5f5``."""
    return tuple(tuple(bytes.fromhex(one)) for one in colours.split())  # type: ignore[misc]


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
            digits=_rgb("0000ff 008000 ff0000 000080 800000 008080 000000 808080"),
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
            digits=_rgb("1976d2 388e3c d32f2f 7b1fa2 ff8f00 0097a7 424242 9e9e9e"),
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
            digits=_rgb("61afef 78c878 f06973 c678dd e5ac5a 56c8c8 e1e1e6 8c94a0"),
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
            digits=_rgb("1a73cd 3a8c3e d03230 7a22a0 fa910a 0096a5 404040 969696"),
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
            digits=_rgb("4050be 1e690a ac0608 020280 7c0002 08787e aa0a0e a80808"),
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
            digits=_rgb("2e3436") * 8,
            number_backgrounds=_rgb("ddfac3 ecedbf eddab4 edc38a f7a1a2 fea785 ff7d60 ff323c"),
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
