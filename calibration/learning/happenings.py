"""What a game shows at one moment, and what lies on its board: cursors, lit tiles, cards, words.

The moments are those of screenshots: fresh, part-open, before and after a click, over. A game is
played as people play: the first click mostly opens a region, later ones go on from its rim; then a
player's flags and question marks are set. The rules are those of `solver.game`, but whole boards at
once, in about a millisecond.

Each kind changes a `Scene` and keeps its labels true: tiles of which too little is left to read
become unknown. `HAPPENINGS` names the kinds with their chances; a new one is one function there.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.learning import glyphs
from calibration.learning.painter import Painter, apart, lay
from calibration.learning.shapes import colour, scenery
from solver.board import Tile
from solver.game import Status

HIDES = 0.3
"""Share of a tile from which on what covers it hides what it shows."""


@dataclass
class Scene:
    """A painted board, uint8, and its labels, int8 ``(rows, cols)``; both are changed in place."""

    rng: np.random.Generator
    painter: Painter
    board: NDArray[np.uint8]
    labels: NDArray[np.int8]

    @property
    def side(self):
        return self.painter.side

    def any_cell(self, tile=None):
        """Return a cell by chance, of those that show a tile if one is given; None if none does."""
        cells = np.argwhere(np.ones_like(self.labels) if tile is None else self.labels == tile)
        return tuple(cells[int(self.rng.integers(len(cells)))]) if len(cells) else None

    def tile(self, cell):
        """Return a view of a tile."""
        return apart(self.board, self.side)[cell]

    def rgb(self):
        return np.round(255 * colour(self.rng)).astype(np.uint8)

    def hide(self, mask):
        """Make tiles unknown that a mask of the board hides too much of."""
        rows, cols = self.labels.shape
        share = mask.reshape(rows, self.side, cols, self.side).mean(axis=(1, 3))
        self.labels[share > HIDES] = Tile.UNKNOWN


def happen(scene):
    """Let happen what chance wants."""
    for kind, (chance, _) in HAPPENINGS.items():
        if scene.rng.random() < chance:
            let(scene, kind)


def let(scene, kind):
    """Let one kind happen."""
    HAPPENINGS[kind][1](scene)


def _cursor(scene):
    """Lay an arrow, a hand or a cross over a part of one or two tiles."""
    at = scene.rng.random(2) * (scene.board.shape[1], scene.board.shape[0])
    mask = np.zeros(scene.board.shape[:2], np.uint8)
    cv2.fillPoly(mask, [lay_cursor(scene.rng, scene.board, scene.side, at)], 1, shift=4)
    scene.hide(mask)


def lay_cursor(rng, picture, side, at):
    """Draw a cursor at a place of a picture; return its outline in 16ths of a pixel."""
    shape, high = CURSORS[int(rng.integers(len(CURSORS)))], rng.uniform(0.5, 1.1)
    high *= min(max(side, 12), 32)
    outline = np.round((np.array(shape) * high + at) * 16).astype(np.int32)
    inner, outer = (255, 0) if rng.random() < 0.7 else (0, 255)
    wide = max(1, round(high / 16))
    cv2.fillPoly(picture, [outline], (inner,) * 3, cv2.LINE_AA, 4)
    cv2.polylines(picture, [outline], True, (outer,) * 3, wide, cv2.LINE_AA, 4)
    return outline


CURSORS = (
    [(0, 0), (0, 1), (0.23, 0.78), (0.37, 1.1), (0.5, 1.04), (0.37, 0.73), (0.68, 0.73)],
    [(0.2, 0), (0.3, 0), (0.33, 0.4), (0.7, 0.45), (0.75, 0.6), (0.68, 1), (0.28, 1), (0, 0.6),
     (0.05, 0.5), (0.2, 0.62)],
    [(0, 0.46), (0.46, 0.46), (0.46, 0), (0.54, 0), (0.54, 0.46), (1, 0.46), (1, 0.54),
     (0.54, 0.54), (0.54, 1), (0.46, 1), (0.46, 0.54), (0, 0.54)],
)  # fmt: skip
"""Outlines of cursors that are one high."""


def _lit(scene):
    """Light or dim one tile, or change its tone, as under the mouse."""
    tile = scene.tile(scene.any_cell())
    _blend(tile, scene.rgb() if scene.rng.random() < 0.5 else
           np.uint8(255 * (scene.rng.random() < 0.6)), scene.rng.uniform(0.05, 0.35))  # fmt: skip


def _cross_lit(scene):
    """Light the row and the column of a tile."""
    row, col = scene.any_cell()
    view, rgb, share = apart(scene.board, scene.side), scene.rgb(), scene.rng.uniform(0.05, 0.25)
    _blend(view[row], rgb, share)
    _blend(view[:, col], rgb, share)


def _ring(scene):
    """Draw a ring, a frame or a dotted one around a tile."""
    rng, side, cell = scene.rng, scene.side, scene.any_cell()
    wide, near = max(1, round(rng.uniform(0.02, 0.1) * side)), round(rng.uniform(0, 0.12) * side)
    rgb, view = scene.rgb(), scene.tile(cell)
    ring = np.zeros((side, side), bool)
    ring[near : side - near, near : side - near] = True
    ring[near + wide : side - near - wide, near + wide : side - near - wide] = False
    if rng.random() < 0.3:
        ring &= np.add.outer(np.arange(side), np.arange(side)) % 2 == 0
    view[ring] = rgb


def _held(scene):
    """Hold down a covered tile, or all around a cell: as open ones, turned, or dark."""
    cell = scene.any_cell(Tile.HIDDEN)
    if cell is None:
        return
    reach = int(scene.rng.random() < 0.25)
    way = scene.rng.random()
    view = apart(scene.board, scene.side)
    for row in range(cell[0] - reach, cell[0] + reach + 1):
        for col in range(cell[1] - reach, cell[1] + reach + 1):
            if not (0 <= row < view.shape[0] and 0 <= col < view.shape[1]):
                continue
            if scene.labels[row, col] != Tile.HIDDEN:
                continue
            if way < 0.4:
                view[row, col] = scene.painter.drawn(0, int(row + col))
            elif way < 0.7:
                view[row, col] = view[row, col, ::-1, ::-1].copy()
            else:
                _blend(view[row, col], np.uint8(0), 0.2)


def _falling(scene):
    """Let a flag fall on to its tile: shifted, cut off, faint, of another size."""
    cell, rng, side = scene.any_cell(Tile.FLAG), scene.rng, scene.side
    if cell is None:
        return
    place = int(cell[0] + cell[1])
    flag = scene.painter.drawn(Tile.FLAG, place).astype(np.float32)
    if rng.random() < 0.6:
        shift = np.array([[1, 0, rng.normal(0, 0.04)], [0, 1, -rng.uniform(0.03, 0.3)]]) * side
        shift[:, :2] = np.eye(2) * (rng.uniform(0.7, 1.2) if rng.random() < 0.3 else 1.0)
        flag = cv2.warpAffine(flag, shift, (side, side), borderMode=cv2.BORDER_REPLICATE)
    seen = rng.uniform(0.55, 1)
    below = scene.painter.drawn(int(Tile.HIDDEN), place)
    scene.tile(cell)[:] = seen * flag + (1 - seen) * below


def _opening(scene):
    """Leave a tile half-way between covered and open: what it shows is not visible yet."""
    cell, rng, side = scene.any_cell(), scene.rng, scene.side
    if scene.labels[cell] < 0:
        return
    inside = round(rng.uniform(0.35, 0.8) * side)
    small = cv2.resize(scene.painter.drawn(int(Tile.HIDDEN), int(sum(cell))), (inside, inside),
                       interpolation=cv2.INTER_AREA)  # fmt: skip
    near = (side - inside) // 2
    part = scene.tile(cell)[near : near + inside, near : near + inside]
    part[:] = 0.9 * small + 0.1 * part
    if (inside / side) ** 2 > HIDES:
        scene.labels[cell] = Tile.UNKNOWN


def _hint(scene):
    """Write on some covered tiles what another tool says of them."""
    rng, side = scene.rng, scene.side
    font, rgb = scene.painter.theme.font, colour(rng)
    for _ in range(int(rng.integers(1, 9))):
        cell = scene.any_cell(Tile.HIDDEN)
        if cell is None:
            return
        text = f"{int(rng.integers(0, 101))}%" if rng.random() < 0.6 else glyphs.words(rng)[:3]
        sign = glyphs.text(font, text, rng.uniform(0.3, 0.6) * side, rgb=rgb)
        _lay(scene.tile(cell), sign, (side / 2, side / 2))
        scene.labels[cell] = Tile.UNKNOWN


def _veil(scene):
    """Lay a veil over the whole board, as after a game or behind a dialog."""
    rgb = np.uint8(scene.rng.choice([0, 0, 255])) if scene.rng.random() < 0.8 else scene.rgb()
    _blend(scene.board, rgb, scene.rng.uniform(0.15, 0.7))


def _card(scene):
    """Lay a card with words over a part of the board."""
    rng, (height, width) = scene.rng, scene.board.shape[:2]
    high, wide = (round(rng.uniform(0.15, 0.6) * length) for length in (height, width))
    top = (height - high) // 2 if rng.random() < 0.6 else int(rng.integers(height - high + 1))
    left = (width - wide) // 2 if rng.random() < 0.6 else int(rng.integers(width - wide + 1))
    area = scene.board[top : top + high, left : left + wide]
    shown = rng.uniform(0.85, 1.0)
    _blend(area, scene.rgb(), shown)
    lines = int(rng.integers(0, 4))
    for k in range(lines):
        word = glyphs.words(rng) + " " + glyphs.words(rng)
        sign = glyphs.text(scene.painter.theme.font, word, rng.uniform(0.1, 0.2) * high,
                           rgb=colour(rng))  # fmt: skip
        _lay(area, sign, (wide / 2, (k + 0.7) * high / (lines + 0.4)))
    mask = np.zeros((height, width), np.uint8)
    mask[top : top + high, left : left + wide] = 1
    scene.hide(mask)


def _words(scene):
    """Write large letters over the board, as at the end of a game."""
    rng, before = scene.rng, scene.board.copy()
    text = "".join(rng.choice(list("GAMEOVRWINLSTYagmeovrwinlst!"), int(rng.integers(3, 10))))
    high = min(rng.uniform(0.8, 3) * scene.side, 0.4 * len(before))
    sign = glyphs.text(scene.painter.theme.font, text, high, rgb=colour(rng))
    middle = rng.uniform(0.2, 0.8, 2) * (before.shape[1], before.shape[0])
    _lay(scene.board, sign, middle)
    changed = np.abs(scene.board.astype(np.int16) - before).max(axis=2) > 12
    rows, cols = scene.labels.shape
    share = changed.reshape(rows, scene.side, cols, scene.side).mean(axis=(1, 3))
    scene.labels[share > 0.08] = Tile.UNKNOWN


def _pasted(scene):
    """Lay another picture over some tiles: a window, a button, a part of a photograph."""
    rng, (height, width) = scene.rng, scene.board.shape[:2]
    high, wide = (max(2, round(rng.uniform(0.4, 3) * scene.side)) for _ in range(2))
    high, wide = min(high, height), min(wide, width)
    top, left = int(rng.integers(height - high + 1)), int(rng.integers(width - wide + 1))
    picture = scenery(rng, high, wide) * 255 if rng.random() < 0.5 else scene.rgb()
    scene.board[top : top + high, left : left + wide] = picture
    mask = np.zeros((height, width), np.uint8)
    mask[top : top + high, left : left + wide] = 1
    scene.hide(mask)


def _confetti(scene):
    """Strew small coloured dots over the board, or pieces of covered tiles that fly away."""
    rng, (height, width) = scene.rng, scene.board.shape[:2]
    pieces, most = rng.random() < 0.5, 0.1
    if pieces:
        covered, most = scene.painter.drawn(int(Tile.HIDDEN), 0).mean(axis=(0, 1)), 0.3
    mask = np.zeros((height, width), np.uint8)
    for _ in range(int(rng.integers(5, 60))):
        size = max(1.0, rng.uniform(0.03, most) * scene.side)
        turn = rng.uniform(0, np.pi) + np.arange(4) * np.pi / 2
        corners = size * np.stack([np.cos(turn), rng.uniform(0.5, 1) * np.sin(turn)], axis=1)
        at = np.round(16 * (corners + rng.random(2) * (width, height))).astype(np.int32)
        rgb = covered if pieces else scene.rgb()
        cv2.fillPoly(scene.board, [at], tuple(float(v) for v in rgb), cv2.LINE_AA, 4)
        cv2.fillPoly(mask, [at], 1, shift=4)
    scene.hide(mask)


def _blend(area, rgb, share):
    area[:] = np.round(area * (1 - share) + np.asarray(rgb, np.float32) * share)


def _lay(area, glyph, middle):
    canvas = area.astype(np.float32) / 255
    lay(canvas, glyph, middle)
    area[:] = np.clip(canvas * 255 + 0.5, 0, 255)


HAPPENINGS = {
    "cursor": (0.12, _cursor), "lit": (0.1, _lit), "cross_lit": (0.01, _cross_lit),
    "ring": (0.06, _ring), "held": (0.05, _held), "falling": (0.05, _falling),
    "opening": (0.02, _opening), "hint": (0.05, _hint), "veil": (0.05, _veil),
    "card": (0.07, _card),
    "words": (0.05, _words), "pasted": (0.1, _pasted), "confetti": (0.04, _confetti),
}  # fmt: skip
"""The kinds, each with its chance on one board."""


STAGES = {"fresh": 0.08, "playing": 0.57, "won": 0.13, "lost": 0.22}
"""How often each moment is drawn."""

SHARES_OF_MINES = (0.08, 0.16), (0.12, 0.22), (0.25, 0.5)
"""Of the cells; the last one is denser than games are, so that the numbers 5 and 6 are seen."""

RINGED = 0.2
"""Share of games in which some cells are all but surrounded, so that the numbers 7 and 8 are."""

_AROUND = np.ones((3, 3), np.uint8)


@dataclass(frozen=True)
class Moment:
    """What a board shows after a click, and what it showed before.

    ``tiles`` and ``before`` are int8 ``(rows, cols)`` of numbers 0-8 and `Tile` values;
    ``opened`` marks the cells that the player clicked to open.
    """

    tiles: NDArray[np.int8]
    before: NDArray[np.int8]
    opened: NDArray[np.bool_]
    status: Status


class DrawnGame:
    """Mines by chance, and which cells are open."""

    def __init__(self, rng, rows, cols):
        self.rng = rng
        low, high = SHARES_OF_MINES[int(rng.choice(3, p=[0.45, 0.37, 0.18]))]
        share = rng.uniform(low, high)
        mines = np.zeros(rows * cols, np.uint8)
        count = int(np.clip(round(share * rows * cols), 1, rows * cols - 1))
        mines[rng.choice(rows * cols, count, replace=False)] = 1
        self.mines = mines.reshape(rows, cols)
        if rng.random() < RINGED:
            self._ring()
        around = cv2.filter2D(self.mines, -1, _AROUND.astype(np.float32),
                              borderType=cv2.BORDER_CONSTANT)  # fmt: skip
        self.numbers = np.where(self.mines, 9, around).astype(np.int8)
        zeros = (self.numbers == 0).astype(np.uint8)
        self.regions = cv2.connectedComponents(zeros, connectivity=8)[1]
        self.open = np.zeros((rows, cols), bool)
        self.opened = np.zeros((rows, cols), bool)

    def _ring(self):
        """Put mines around a few cells, as chance hardly ever does."""
        for _ in range(int(self.rng.integers(1, 5))):
            row, col = (int(self.rng.integers(1, max(2, size - 1))) for size in self.mines.shape)
            near = self.mines[row - 1 : row + 2, col - 1 : col + 2]
            near[self.rng.random(near.shape) < 0.88] = 1
            near[1, 1] = 0

    def click(self, cell):
        """Open a free cell, and its region if it has no mine around."""
        self.opened[cell] = True
        self.open[cell] = True
        if self.numbers[cell] == 0:
            region = (self.regions == self.regions[cell]).astype(np.uint8)
            self.open |= cv2.dilate(region, _AROUND).astype(bool) & (self.mines == 0)

    def start(self):
        """Open the first cell: mostly one without a mine around."""
        empty = np.argwhere(self.numbers == 0)
        if len(empty) and self.rng.random() < 0.85:
            self.click(_any(self.rng, empty))
        else:
            self.click(_any(self.rng, np.argwhere(self.mines == 0)))

    def next_cell(self):
        """Return a free cell that is not open, mostly beside an open one; None if all are open."""
        left = ~self.open & (self.mines == 0)
        if not left.any():
            return None
        rim = left & cv2.dilate(self.open.astype(np.uint8), _AROUND).astype(bool)
        places = rim if rim.any() and self.rng.random() < 0.9 else left
        return _any(self.rng, np.argwhere(places))

    def play(self, share):
        """Open cells until a share of the free ones is open, the last click apart."""
        free = int((self.mines == 0).sum())
        while self.open.sum() < share * free:
            cell = self.next_cell()
            self.click(cell)


def _any(rng, cells):
    return tuple(int(v) for v in cells[int(rng.integers(len(cells)))])


def moment(rng, rows, cols, stage=None):
    """Return a `Moment` of a game by chance; ``stage`` is a name of `STAGES`."""
    stage = stage or str(rng.choice(list(STAGES), p=list(STAGES.values())))
    game = DrawnGame(rng, rows, cols)
    if stage == "fresh":
        tiles = np.full((rows, cols), Tile.HIDDEN, np.int8)
        return Moment(tiles, tiles, game.opened, Status.PLAYING)
    game.start()
    if stage == "won":
        return _won(rng, game)
    game.play(rng.beta(1.0, 1.3) if rng.random() < 0.85 else 0.0)
    # The last free cell would win the game.
    marks = _marks(rng, game)
    before = np.where(game.open, game.numbers, marks).astype(np.int8)
    if stage == "lost":
        return _lost(rng, game, before)
    return _going_on(rng, game, before, marks)


def _going_on(rng, game, before, marks):
    cell = game.next_cell()
    was = game.open.copy(), game.opened.copy()
    if cell is not None and rng.random() < 0.6:
        game.click(cell)
    if (game.open | (game.mines == 1)).all():
        game.open, game.opened = was
    if (game.open | (game.mines == 1)).all():
        hide = _any(rng, np.argwhere(game.open))
        game.open[hide] = game.opened[hide] = False
        before = np.where(game.open, game.numbers, np.where(marks == 0, Tile.HIDDEN, marks))
    tiles = np.where(game.open, game.numbers, marks).astype(np.int8)
    return Moment(tiles, before.astype(np.int8), game.opened, Status.PLAYING)


def _marks(rng, game):
    """Return what the cells show that are not open: hidden, flags and question marks."""
    marks = np.full(game.mines.shape, Tile.HIDDEN, np.int8)
    mines = game.mines == 1
    near = mines & cv2.dilate(game.open.astype(np.uint8), _AROUND).astype(bool)
    way = rng.random()
    if way < 0.2:
        marks[near & (rng.random(mines.shape) < 0.3)] = Tile.FLAG
    elif way < 0.5:
        marks[near & (rng.random(mines.shape) < 0.95)] = Tile.FLAG
    elif way < 0.58:
        marks[mines & (rng.random(mines.shape) < 0.5)] = Tile.FLAG
    if rng.random() < 0.12:
        marks[rng.random(mines.shape) < rng.uniform(0.01, 0.12)] = Tile.FLAG
    if rng.random() < 0.18:
        marks[rng.random(mines.shape) < rng.uniform(0.01, 0.1)] = Tile.QUESTION
    return marks


def _won(rng, game):
    cell = game.next_cell() or _any(rng, np.argwhere(game.mines == 0))
    free, mines = game.mines == 0, game.mines == 1
    shown = [Tile.FLAG, Tile.HIDDEN, Tile.MINE][int(rng.choice(3, p=[0.5, 0.25, 0.25]))]
    tiles = np.where(free, game.numbers, shown).astype(np.int8)
    if rng.random() < 0.2:
        tiles[mines & (rng.random(mines.shape) < 0.5)] = Tile.FLAG
    before = np.where(mines, Tile.HIDDEN, tiles).astype(np.int8)
    before[mines & (tiles == Tile.FLAG) & (rng.random(mines.shape) < 0.7)] = Tile.FLAG
    before[cell] = Tile.HIDDEN
    game.opened[cell] = True
    return Moment(tiles, before, game.opened, Status.WON)


def _lost(rng, game, before):
    mines = game.mines == 1
    unflagged = mines & (before == Tile.HIDDEN)
    if not unflagged.any():
        unflagged = mines
    cell = _any(rng, np.argwhere(unflagged))
    if rng.random() < 0.3:
        before[(before == Tile.HIDDEN) & ~mines & (rng.random(mines.shape) < 0.05)] = Tile.FLAG
    tiles, flags = before.copy(), before == Tile.FLAG
    if rng.random() < 0.15:
        tiles = game.numbers.copy()
        tiles[flags] = Tile.FLAG
    if rng.random() < 0.93:
        tiles[mines & (~flags | (rng.random() < 0.4))] = Tile.MINE
        if rng.random() < 0.7:
            tiles[flags & ~mines] = Tile.WRONG_FLAG
    tiles[(tiles == 9)] = Tile.MINE
    tiles[cell] = Tile.EXPLODED if rng.random() < 0.85 else Tile.MINE
    if rng.random() < 0.04:
        tiles[tiles == Tile.MINE] = Tile.EXPLODED
    game.opened[cell] = True
    return Moment(tiles.astype(np.int8), before, game.opened, Status.LOST)
