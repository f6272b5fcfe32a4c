"""Whole painted boards: what lies over several tiles, and grids that do not fit.

Where an atlas shows each label by itself, a scene is a picture of a board on its page, with a
pointer over two tiles, a dialog, words, a veil, confetti; and it is cut by the right grid, by one
that is too large, or by one that fits nothing.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np

from calibration.grid import Grid
from calibration.labels import COLUMN_OF, HIDDEN, LABELS, OTHER, columns_of
from calibration.learning import glyphs
from calibration.learning.atlas import CHANNELS, CLICKS_SHARE, FRESH_SHARE, Batch, drawable, joined
from calibration.learning.backgrounds import colour, scenery
from calibration.learning.happenings import Scene, happen, moment
from calibration.learning.painter import Painter, any_manner, lay
from calibration.learning.screens import Display
from calibration.learning.sheets import any_side
from calibration.read.network import cut_views, fresh_channels
from solver.board import Tile

TOO_LARGE, NO_BOARD = 0.3, 0.15
"""Share of scenes whose grid goes on beyond the board, and of those without any board."""

MARGIN_TILES = 2.5
"""Width of the page around a board."""


class SheetPainter(Painter):
    """Paints boards in the look of a sheet."""

    def __init__(self, rng, characters, sheet):
        self.rng, self.side, self.sheet = rng, sheet.side, sheet
        self.manner = replace(any_manner(rng), merged=False)
        near = sheet.pictures[0, 0, 0, 0] / 255
        page = near if rng.random() < 0.4 else colour(rng)
        self.look = SimpleNamespace(page=page, font=characters.font(rng))
        self.ink, self.frame = colour(rng), colour(rng)
        self.seed = int(rng.integers(2**31))

    def period(self, tile):
        return 2

    def drawn(self, tile, place):
        return self.sheet.pictures[COLUMN_OF[tile], place % 2]


def scenes(rng, characters, looks, rows, cols, count):
    """Return a `Batch` of painted boards, each in a look of its own."""
    return joined([_scene(rng, characters, looks, rows, cols) for _ in range(count)])


def _scene(rng, characters, looks, rows, cols):
    if rng.random() < looks.published:
        sheet = looks.any(rng, characters)
        painter, has = SheetPainter(rng, characters, sheet), sheet.has
    else:
        painter, has = Painter(rng, characters, any_side(rng)), None
    wider = [int(rng.integers(0, 3)) for _ in range(4)] if rng.random() < TOO_LARGE else [0] * 4
    top, bottom, left, right = wider
    size = max(3, rows - top - bottom), max(3, cols - left - right)
    top, left = min(top, rows - size[0]), min(left, cols - size[1])
    now = moment(rng, *size)
    tiles = now.tiles
    if has is not None:
        tiles = LABELS[drawable(columns_of(tiles), has, HIDDEN)]
    scene = Scene(rng, painter, painter.paint(tiles), tiles.copy())
    happen(scene)
    margin, screen = round(MARGIN_TILES * painter.side), Display(rng, painter.side)
    shown, scale = screen.show(_on_page(rng, painter, scene.board, margin))
    grid = _grid(rng, painter.side, margin, scale, rows, cols, top, left)
    is_board = rng.random() >= NO_BOARD
    if not is_board:
        shown, grid = _no_board(rng, painter, shown, grid)
    labels = np.full((rows, cols), OTHER, np.int64)
    inside = np.s_[top : top + size[0], left : left + size[1]]
    real = np.zeros((rows, cols), np.float32)
    if is_board:
        labels[inside], real[inside] = columns_of(scene.labels), 1
    cut = cut_views(shown, grid)
    channels = np.zeros((1, rows, cols, CHANNELS), np.float32)
    if is_board and not any(wider) and rng.random() < FRESH_SHARE:
        fresh = painter.paint(np.full(size, Tile.HIDDEN, np.int8))
        then = cut_views(screen.show(painter.on_page(fresh, margin))[0], grid)
        channels[0, ..., :3] = fresh_channels(cut.views, then.views).reshape(rows, cols, 3)
    if is_board and rng.random() < CLICKS_SHARE:
        channels[0, ..., 3] = 1
        channels[0, ..., 4][inside] = now.opened
    count = rows * cols
    of_tile = np.where(real.ravel() > 0, labels.ravel(), -1)
    return Batch(cut.views, cut.close_ups(np.arange(count)),
                 np.arange(count).reshape(1, rows, cols), np.zeros(count, np.int64), channels,
                 labels[None], real[None], of_tile)  # fmt: skip


def _on_page(rng, painter, board, margin):
    """Return the board on its page; sometimes with a panel, a picture, or words beside it."""
    page, kind = painter.on_page(board, margin), rng.random()
    height, width = page.shape[:2]
    wide = margin - round(painter.manner.rim * painter.side) - 1
    if kind < 0.35 and wide > 2:
        picture = scenery(rng, height, width) if rng.random() < 0.3 else colour(rng)
        area = np.zeros_like(page)
        area[:] = np.clip(np.float32(picture) * 255, 0, 255)
        deep = int(rng.integers(1, wide))
        at = [np.s_[:deep], np.s_[-deep:], np.s_[:, :deep], np.s_[:, -deep:]]
        for strip in rng.permutation(4)[: int(rng.integers(1, 5))]:
            page[at[strip]] = area[at[strip]]
    if kind > 0.7:
        canvas = page.astype(np.float32) / 255
        inner = canvas[margin : height - margin, margin : width - margin].copy()
        for _ in range(int(rng.integers(1, 12))):
            sign = glyphs.text(painter.look.font, glyphs.words(rng),
                               rng.uniform(0.3, 0.9) * painter.side, rgb=colour(rng))  # fmt: skip
            lay(canvas, sign, rng.random(2) * (width, height))
        canvas[margin : height - margin, margin : width - margin] = inner
        page = np.clip(canvas * 255 + 0.5, 0, 255).astype(np.uint8)
    return page


def _grid(rng, side, margin, scale, rows, cols, top, left):
    """Return the grid of a board as a finder finds it, ``top`` and ``left`` rows too large."""
    shift, stretch = np.clip(rng.normal(0, 0.02, 2), -0.07, 0.07), rng.normal(0, 0.02, 2)
    width, height = side * scale[0], side * scale[1]
    return Grid((margin - left * side) * scale[0] + shift[0] * width,
                (margin - top * side) * scale[1] + shift[1] * height,
                width * (1 + stretch[0] / cols), height * (1 + stretch[1] / rows),
                rows, cols)  # fmt: skip


def _no_board(rng, painter, shown, grid):
    """Return a grid that fits no board: half a tile off, of another pitch, or on something else."""
    kind = rng.random()
    if kind < 0.25:
        shift = rng.uniform(0.3, 0.7, 2) * (1, rng.random() < 0.5)
        return shown, grid.moved(shift[0] * grid.tile_w, shift[1] * grid.tile_h)
    if kind < 0.45:
        share = float(rng.choice([0.5, 0.75, 1.5, 2.0]))
        return shown, Grid(grid.x0, grid.y0, grid.tile_w * share, grid.tile_h * share,
                           grid.rows, grid.cols)  # fmt: skip
    height, width = shown.shape[:2]
    if kind < 0.5:
        picture = rng.random((height, width, 3), np.float32)
    elif kind < 0.6:
        picture = scenery(rng, height, width)
    elif kind < 0.75:
        picture = np.tile(colour(rng).astype(np.float32), (height, width, 1))
        for _ in range(grid.rows * 2):
            sign = glyphs.text(painter.look.font, glyphs.words(rng), 0.5 * grid.tile_h,
                               rgb=colour(rng))  # fmt: skip
            lay(picture, sign, rng.random(2) * (width, height))
    else:
        picture = _table(rng, painter, grid, height, width)
    return np.clip(picture * 255, 0, 255).astype(np.uint8), grid


def _table(rng, painter, grid, height, width):
    """Draw a calendar, a keyboard, a chessboard, a spreadsheet: cells that are not tiles."""
    ground, ink, lines = (colour(rng).astype(np.float32) for _ in range(3))
    picture = np.tile(ground, (height, width, 1))
    chess, words, start = rng.random() < 0.25, rng.random() < 0.5, int(rng.integers(1, 9))
    thick, filled = max(1, round(0.04 * grid.tile_w)), rng.uniform(0.2, 1)
    font = painter.look.font
    for row in range(grid.rows):
        for col in range(grid.cols):
            x, y = grid.x0 + col * grid.tile_w, grid.y0 + row * grid.tile_h
            near, far = (round(x), round(y)), (round(x + grid.tile_w), round(y + grid.tile_h))
            if chess and (row + col) % 2:
                cv2.rectangle(picture, near, far, lines.tolist(), -1)
            elif not chess:
                cv2.rectangle(picture, near, far, lines.tolist(), thick)
            if rng.random() < filled:
                word = glyphs.words(rng)[:3] if words else str(start + row * grid.cols + col)
                sign = glyphs.text(font, word, 0.45 * grid.tile_h, rgb=ink)
                lay(picture, sign, (x + grid.tile_w / 2, y + grid.tile_h / 2))
    return picture
