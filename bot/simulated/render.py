"""The picture of a Minesweeper window, redrawn part by part.

Each ``paint_*`` method redraws one part and returns the box of the window that it changed.
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.simulated import glyphs
from bot.simulated.paint import (
    Colour,
    Pixels,
    Stencil,
    arc,
    bevel,
    fill,
    shade,
    solid,
    text_width,
    write,
)
from bot.simulated.scenery import TITLE_PX, title_bar
from bot.simulated.skins import Skin
from bot.simulated.tiles import draw_tile
from calibration.grid import Grid
from calibration.points import PixelBox
from solver.board import Cell, Tile
from solver.game import Status

_SEGMENT_ON: Colour = (255, 20, 20)
_SEGMENT_OFF: Colour = (58, 0, 0)


class MineWindow:
    """A window with a title, a header and a board, in a `Skin`.

    ``pitch`` is the side of a tile in pixels, fractions allowed; ``ui_scale`` scales everything
    but the board. Without ``counter`` there is no mine counter. ``grid`` and ``new_game``, the box
    of the control for a new game, are in pixels of the window.
    """

    def __init__(
        self,
        skin: Skin,
        rows: int,
        cols: int,
        *,
        pitch: float,
        ui_scale: float = 1.0,
        counter: bool = True,
    ) -> None:
        self.skin = skin
        self.ui_scale = ui_scale
        self._counter = counter
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

    def paint_tiles(
        self, codes: Iterable[tuple[Cell, int]], hovered: Cell | None = None
    ) -> PixelBox | None:
        """Draw cells; ``hovered`` is the one under the pointer. Return None without cells."""
        boxes = [self._paint_tile(cell, code, cell == hovered) for cell, code in codes]
        if not boxes:
            return None
        return PixelBox(
            min(box.x0 for box in boxes),
            min(box.y0 for box in boxes),
            max(box.x1 for box in boxes),
            max(box.y1 for box in boxes),
        )

    def _paint_tile(self, cell: Cell, code: int, hovered: bool) -> PixelBox:
        box = self.grid.box(cell)
        tile = draw_tile(
            self.skin,
            code,
            (box.x1 - box.x0, box.y1 - box.y0),
            parity=(cell.row + cell.col) % 2,
            hovered=hovered and code == Tile.HIDDEN,
        )
        self.picture[box.y0 : box.y1, box.x0 : box.x1] = tile
        return box

    def paint_counter(self, mines: int, flags: int) -> PixelBox | None:
        """Draw the mine counter; return None if the window has none."""
        if not self._counter:
            return None
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
