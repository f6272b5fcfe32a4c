"""Boards to train on, cut as the reader cuts them: by indexing, or painted as a whole.

An atlas of six by six tiles serves several boards: a theme's labels lie side by side as on a board,
are spoiled and cut once, and each cell of a board names one of the tiles. So a board costs a
millisecond, and the network encodes 36 tiles in place of hundreds.

A scene is a picture of a board on its page, with a pointer over two tiles, a dialog, words, a veil,
confetti; and it is cut by the right grid, by one that is too large, or by one that fits nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.grid import Grid
from calibration.labels import (
    COLUMN_OF,
    EXPLODED,
    FLAG,
    HIDDEN,
    LABELS,
    MINE,
    OTHER,
    QUESTION,
    WRONG_FLAG,
    ZERO,
    columns_of,
)
from calibration.learning import glyphs
from calibration.learning.happenings import Scene, happen, lay_cursor, moment
from calibration.learning.painter import Display, Painter, any_manner, lay
from calibration.learning.shapes import colour, scenery
from calibration.learning.sheets import COUNT, any_side, hue_turn
from calibration.read.network import EnlargedGlyphs, cut_views, fresh_channels
from solver.board import Tile

SIDE = 6
"""Tiles of an atlas in a row."""

TILES = SIDE * SIDE

MOST_SPECIAL = 4
"""Most tiles of an atlas that lie once on a board: under a pointer, pressed, ringed or covered."""

SPECIAL_SHARE = 0.45
"""Share of the boards that have any of these."""

HINTS = "%?!*+-.=<>ABCDEFXabcx0123456789"
"""Signs that other tools write on covered tiles."""

FRESH_SHARE, CLICKS_SHARE = 0.4, 0.3
"""How often the fresh board and the clicks are known."""

CHANNELS = 5
"""Of what is known beside the picture: whether the fresh board was seen, how far the tile is from
it at its place and at the nearest one, whether clicks are known, and whether it was clicked."""


@dataclass(frozen=True)
class Batch:
    """Boards of one size, and the different tiles they show.

    ``views`` and ``close_ups`` are of ``n`` tiles, ``which`` int64 ``(boards, rows, cols)`` indexes
    them; ``channels`` float32 ``(boards, rows, cols, CHANNELS)``; ``labels`` int64 are columns of
    `LABELS`; ``tiles`` float32 ``(boards, rows, cols)`` is 1 where the cell is a tile of the board.
    ``of_tile`` int64 ``(n,)`` are the labels of the different tiles, -1 where they have none.
    """

    views: NDArray[np.uint8]
    close_ups: EnlargedGlyphs
    which: NDArray[np.int64]
    board_of: NDArray[np.int64]
    channels: NDArray[np.float32]
    labels: NDArray[np.int64]
    tiles: NDArray[np.float32]
    of_tile: NDArray[np.int64]


def joined(batches):
    """Return batches of boards of one size as one."""
    starts = np.cumsum([0, *(len(one.views) for one in batches)])[:-1]
    boards = np.cumsum([0, *(len(one.which) for one in batches)])[:-1]
    return Batch(
        np.concatenate([one.views for one in batches]),
        EnlargedGlyphs(*(np.concatenate([one.close_ups[k] for one in batches]) for k in (0, 1))),
        np.concatenate([one.which + start for one, start in zip(batches, starts, strict=True)]),
        np.concatenate([one.board_of + k for one, k in zip(batches, boards, strict=True)]),
        np.concatenate([one.channels for one in batches]),
        np.concatenate([one.labels for one in batches]),
        np.concatenate([one.tiles for one in batches]),
        np.concatenate([one.of_tile for one in batches]),
    )


def boards_of(rng, sheet, moments, characters):
    """Return a `Batch` of boards in one theme, one for each moment of a game.

    What lies on single tiles is written in ``characters``.
    """
    boards = [drawable(columns_of(now.tiles).astype(np.int64), sheet.has) for now in moments]
    atlas = _Atlas(rng, sheet, boards, characters)
    views, close_ups = atlas.cut(rng)
    which, channels, labels = [], [], []
    for board, now in zip(boards, moments, strict=True):
        index, label = atlas.place(rng, board)
        what = np.zeros((*board.shape, CHANNELS), np.float32)
        if rng.random() < FRESH_SHARE:
            what[..., 0] = 1
            what[..., 1:3] = atlas.distances(views)[index]
        if rng.random() < CLICKS_SHARE:
            what[..., 3], what[..., 4] = 1, now.opened
        which.append(index)
        channels.append(what)
        labels.append(label)
    return Batch(views, close_ups, np.stack(which), np.zeros(len(views), np.int64),
                 np.stack(channels), np.stack(labels),
                 np.ones((len(boards), *boards[0].shape), np.float32), atlas.truth)  # fmt: skip


def drawable(board, has, unknown=OTHER):
    """Replace columns of labels that a theme has not, in place, by those shown in their stead.

    A number that it does not show becomes ``unknown``.
    """
    for label, other in ((QUESTION, HIDDEN), (FLAG, HIDDEN), (WRONG_FLAG, FLAG),
                         (EXPLODED, MINE), (MINE, HIDDEN)):  # fmt: skip
        if not has[label]:
            board[board == label] = other if has[other] else HIDDEN
    for number in range(ZERO + 1, FLAG):
        if not has[number]:
            board[board == number] = unknown
    return board


def _lit(rng, picture):
    """Change the light or the tone of a tile, as programs do under a pointer."""
    if rng.random() < 0.5:
        light = picture * rng.uniform(0.75, 1.25) + rng.uniform(-40, 40)
    else:
        share = rng.uniform(0.05, 0.4)
        light = picture * (1 - share) + rng.integers(0, 256, 3) * share
    return np.clip(light, 0, 255).astype(np.uint8)


class _Atlas:
    """The tiles that the boards of one theme show. Their labels, and how they are drawn."""

    def __init__(self, rng, sheet, boards, characters):
        self.sheet, self.side, self.characters = sheet, sheet.side, characters
        self.used = np.unique(np.concatenate([board.ravel() for board in boards] + [[HIDDEN]]))
        some = rng.random() < SPECIAL_SHARE
        self.special = int(rng.integers(1, MOST_SPECIAL + 1)) if some else 0
        self._choose_labels(rng)
        self.shade, self.shading, self.coloured = rng.random(TILES), 0.0, False
        source = np.where(self.labels == OTHER, HIDDEN, self.labels)
        self.pictures = sheet.pictures[source, self.parity].copy()
        self._change(rng)
        self.truth = self.labels.copy()
        for k in range(TILES - self.special, TILES):
            self._disturb(rng, k)

    def _choose_labels(self, rng):
        """Every label that is used twice, each other one once, and the frequent ones again."""
        rest = [k for k in range(COUNT) if self.sheet.has[k] and k not in self.used]
        often = [4.0 if k <= ZERO else 2.0 if k < 5 else 1.0 for k in self.used]
        more = rng.choice(self.used, TILES, p=np.array(often) / sum(often))
        labels = np.concatenate([self.used, self.used, rng.permutation(rest).astype(int), more])
        self.labels = rng.permutation(labels[: TILES - self.special])
        self.labels = np.concatenate([self.labels, [HIDDEN] * self.special]).astype(np.int64)
        self.parity = np.add.outer(np.arange(SIDE), np.arange(SIDE)).ravel() % 2
        for label in self.used:
            places = np.flatnonzero(self.labels[: TILES - self.special] == label)
            if len(places) > 1 and len(set(self.parity[places])) == 1:
                self.parity[places[0]] ^= 1

    def _change(self, rng):
        """Shade the tiles, give each a colour, draw rims, and paint what is not a tile."""
        if rng.random() < 0.18:
            self.shading = rng.uniform(0.04, 0.35)
            only = self.labels == HIDDEN if rng.random() < 0.4 else np.ones(TILES, bool)
            light = 1 - self.shading * self.shade * only
            self.pictures[:] = self.pictures * light[:, None, None, None]
        elif rng.random() < 0.05:
            self.coloured, hue = True, rng.uniform(2, 6.28)
            only = rng.random() < 0.7
            for k in np.flatnonzero((self.labels == HIDDEN) | (not only)):
                turned = self.pictures[k] @ hue_turn(self.shade[k] * hue)
                self.pictures[k] = np.clip(turned, 0, 255)
        for k in np.flatnonzero(self.labels == OTHER):
            self.pictures[k] = self._no_tile(rng)
        if rng.random() < 0.07:
            self._draw_rims(rng)

    def _no_tile(self, rng):
        if rng.random() < 0.4:
            turned = self.sheet.pictures[int(rng.integers(COUNT)), 0]
            return turned[::-1] if rng.random() < 0.5 else turned.transpose(1, 0, 2)
        noise = rng.integers(0, 256, (*rng.integers(1, 5, 2), 3), np.uint8)
        method = int(rng.choice([cv2.INTER_NEAREST, cv2.INTER_LINEAR, cv2.INTER_CUBIC]))
        return cv2.resize(noise, (self.side, self.side), interpolation=method)

    def _draw_rims(self, rng):
        """Draw lines where open tiles end, as some programs do."""
        wide = max(1, round(self.side * rng.uniform(0.03, 0.14)))
        rgb, share = rng.integers(0, 256, 3) * (rng.random() < 0.6), rng.uniform(0.3, 1)
        strips = np.s_[:wide], np.s_[-wide:], np.s_[:, :wide], np.s_[:, -wide:]
        for k in np.flatnonzero((self.labels >= ZERO) & (self.labels < FLAG)):
            for at in rng.permutation(4)[: int(rng.choice([0, 0, 1, 1, 2, 3]))]:
                area = self.pictures[k][strips[at]]
                area[:] = area * (1 - share) + rgb * share

    def _disturb(self, rng, k):
        """Lay something over one tile, or change its light."""
        covered = rng.random() < 0.5
        label = HIDDEN if covered else int(rng.choice(self.used[self.used != OTHER]))
        picture = self.sheet.pictures[label, self.parity[k]].copy()
        self.labels[k] = self.truth[k] = label
        kind, side = rng.random(), self.side
        if kind < 0.25:
            lay_cursor(rng, picture, side, rng.uniform(-0.3, 0.8, 2) * side)
        elif kind < 0.5:
            picture = _lit(rng, picture)
        elif kind < 0.62:
            rgb = tuple(int(v) for v in rng.integers(0, 256, 3))
            wide = max(1, side // 12)
            if rng.random() < 0.6:
                cv2.rectangle(picture, (0, 0), (side - 1, side - 1), rgb, wide)
            else:
                cv2.circle(picture, (side // 2, side // 2), round(side * rng.uniform(0.1, 0.45)),
                           rgb, wide if rng.random() < 0.6 else -1)  # fmt: skip
                self.truth[k] = OTHER
        elif kind < 0.72:
            at = rng.integers(0, max(1, side - 3), 2)
            picture[at[0] : at[0] + 3, at[1] : at[1] + 3] = rng.integers(0, 256, 3)
        elif kind < 0.88 and label in (HIDDEN, ZERO):
            self._write_hint(rng, picture)
            self.truth[k] = OTHER
        else:
            picture = self._no_tile(rng)
            self.truth[k] = OTHER
        self.pictures[k] = picture

    def _write_hint(self, rng, picture):
        """Write what another tool says of a tile: two signs or more, as the chance of a mine."""
        text = "".join(rng.choice(list(HINTS), int(rng.integers(2, 4))))
        if rng.random() < 0.5:
            text = f"{int(rng.integers(0, 101))}%"
        rgb = rng.random(3) if rng.random() < 0.6 else np.full(3, float(rng.random() < 0.5))
        high = rng.uniform(0.3, 0.8) * self.side
        sign = glyphs.text(self.characters.font(rng), text, high, rgb=rgb)
        canvas = picture.astype(np.float32) / 255
        lay(canvas, sign, np.full(2, self.side / 2) + rng.uniform(-0.15, 0.15, 2) * self.side)
        picture[:] = np.clip(canvas * 255 + 0.5, 0, 255)

    def cut(self, rng):
        """Show the atlas on a screen and cut it as a finder's grid would: nearly right."""
        side, size = self.side, SIDE * self.side
        tiles = self.pictures.reshape(SIDE, SIDE, side, side, 3)
        picture = np.ascontiguousarray(tiles.swapaxes(1, 2)).reshape(size, size, 3)
        pad = max(2, side // 5)
        if rng.random() < 0.05:
            wide, rgb = int(rng.choice([1, 1, 2])), int(rng.integers(256))
            for k in range(wide):
                picture[k::side] = rgb
                picture[:, k::side] = rgb
        rgb = tuple(int(v) for v in self.sheet.pictures[HIDDEN, 0, 0, 0])
        border = cv2.BORDER_CONSTANT if rng.random() < 0.7 else cv2.BORDER_REFLECT
        picture = cv2.copyMakeBorder(picture, *(pad,) * 4, border, value=rgb)
        shown, scale = Display(rng, side).show(picture)
        reach = 0.035 if rng.random() < 0.5 else 0.01
        shift = rng.uniform(-reach, reach, 2)
        stretch = 1 + rng.uniform(-0.004, 0.004, 2)
        pitch = side * scale[0] * stretch[0], side * scale[1] * stretch[1]
        grid = Grid(pad * scale[0] + shift[0] * pitch[0], pad * scale[1] + shift[1] * pitch[1],
                    *pitch, SIDE, SIDE)  # fmt: skip
        cut = cut_views(shown, grid)
        return cut.views, cut.close_ups(np.arange(TILES))

    def place(self, rng, board):
        """Return the tiles of the atlas that a board shows, and its true labels."""
        index, labels = np.zeros(board.shape, np.int64), board.copy()
        rows, cols = board.shape
        parity = np.add.outer(np.arange(rows), np.arange(cols)) % 2
        light = self._light(rng, rows, cols)
        plain = np.arange(TILES) < TILES - self.special
        for label in np.unique(board):
            for half in (0, 1):
                there = (board == label) & (parity == half)
                fits = plain & (self.labels == label)
                same = fits & (self.parity == half)
                tiles = np.flatnonzero(same if same.any() else fits)
                if light is None:
                    index[there] = rng.choice(tiles, int(there.sum()))
                else:
                    far = np.abs(self.shade[tiles][:, None] - light[there])
                    index[there] = tiles[far.argmin(axis=0)]
        for k in range(TILES - self.special, TILES):
            places = np.flatnonzero((board == self.labels[k]) & (parity == self.parity[k]))
            if len(places):
                at = int(rng.choice(places))
                index.flat[at], labels.flat[at] = k, self.truth[k]
        return index, labels

    def _light(self, rng, rows, cols):
        """Return how shaded each cell is, 0 to 1, or None if no tile is."""
        if not (self.shading or self.coloured):
            return None
        down, along = rng.uniform(-1, 1, 2)
        field = np.linspace(0, down, rows)[:, None] + np.linspace(0, along, cols)
        field = (field - field.min()) / (np.ptp(field) + 1e-6)
        return np.clip(field + rng.normal(0, 0.03, field.shape), 0, 1)

    def distances(self, views):
        """Return how far each tile is from the fresh board, as `fresh_channels` measures it."""
        hidden = np.flatnonzero(self.labels[: TILES - self.special] == HIDDEN)
        inner = views[:, 2:-2, 2:-2].astype(np.int16)
        far = np.stack([np.abs(inner - inner[k]).mean(axis=(1, 2, 3)) for k in hidden[:6]], axis=1)
        far[hidden[:6], np.arange(min(6, len(hidden)))] = 255
        same = far.min(axis=1)
        same = np.where(same == 255, 0, same)
        return np.log1p(np.stack([same, same], axis=1)) / 3


TOO_LARGE = 0.3
"""Share of scenes whose grid goes on beyond the board."""

NO_BOARD = 0.15
"""Share of scenes without a board."""

MARGIN_TILES = 2.5
"""Width of the page around a board."""


class SheetPainter(Painter):
    """Paints boards in the theme of a sheet."""

    def __init__(self, rng, characters, sheet):
        self.rng, self.side, self.sheet = rng, sheet.side, sheet
        self.manner = replace(any_manner(rng), merged=False)
        near = sheet.pictures[0, 0, 0, 0] / 255
        page = near if rng.random() < 0.4 else colour(rng)
        self.theme = SimpleNamespace(page=page, font=characters.font(rng))
        self.ink, self.frame = colour(rng), colour(rng)
        self.seed = int(rng.integers(2**31))

    def period(self, tile):
        return 2

    def drawn(self, tile, place):
        return self.sheet.pictures[COLUMN_OF[tile], place % 2]


def scenes(rng, characters, sheets, rows, cols, count):
    """Return a `Batch` of painted boards, each in a theme of its own."""
    return joined([_scene(rng, characters, sheets, rows, cols) for _ in range(count)])


def _scene(rng, characters, sheets, rows, cols):
    if rng.random() < sheets.published:
        sheet = sheets.any(rng, characters)
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
            sign = glyphs.text(painter.theme.font, glyphs.words(rng),
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
            sign = glyphs.text(painter.theme.font, glyphs.words(rng), 0.5 * grid.tile_h,
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
    font = painter.theme.font
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
