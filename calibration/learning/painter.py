"""Paint whole boards in one theme, and show them as screens and picture files do.

A `Painter` is one program: its theme (`DrawnTheme`) and its manner, which says what it does to the
board as a whole. Every label is drawn once, then placed. Pictures are uint8 RGB as OpenCV and
`Frame` hold them (the order of colours is of no account: the themes are any colours).

A `Display` is drawn once by chance and shows any number of pictures in the same way, as one
recorded game needs: sizes, palettes, dithering, JPEG, noise. `EFFECTS` names what it may do, in
this order, with the chances.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import cv2
import numpy as np
from PIL import Image

from calibration.learning import drawn_theme, glyphs
from calibration.learning.drawn_theme import DrawnTheme
from calibration.learning.shapes import colour, ink, scenery
from solver.board import Tile

BAYER = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16 - 0.47
"""Ordered dithering: by how much of a step each pixel of a 4 by 4 field is shifted."""

SMALLEST = 9.5
"""Smallest side of a tile in pixels after scaling."""


class Display:
    """How one display shows pictures whose tiles are ``side`` pixels wide."""

    def __init__(self, rng, side, effects=None):
        self.seed = int(rng.integers(2**31))
        self.effects = [
            (name, effect(rng, side))
            for name, (chance, effect) in EFFECTS.items()
            if (rng.random() < chance if effects is None else name in effects)
        ]

    def show(self, picture):
        """Return an uint8 picture as the screen shows it, and its scale, ``(x, y)``."""
        rng, (height, width) = np.random.default_rng(self.seed), picture.shape[:2]
        for _, effect in self.effects:
            picture = effect(rng, picture)
        scale = picture.shape[1] / width, picture.shape[0] / height
        return np.ascontiguousarray(picture), scale


def _channels(rng, side):
    order = rng.permutation(3)
    return lambda _, picture: np.ascontiguousarray(picture[..., order])


def _inverted(rng, side):
    return lambda _, picture: 255 - picture


def _gamma(rng, side):
    power = rng.uniform(0.6, 1.6)
    low, high = sorted(rng.uniform(0, 60, 1).tolist() + rng.uniform(200, 255, 1).tolist())
    table = low + (high - low) * (np.arange(256) / 255) ** power
    table = np.round(table).astype(np.uint8)
    return lambda _, picture: cv2.LUT(picture, table)


def _enlarged(rng, side):
    """Whole pixels are repeated, as on dense screens."""
    times = 2 if side > 20 else int(rng.integers(2, 4))
    if side > 32:
        times = 1
    return lambda _, picture: picture.repeat(times, axis=0).repeat(times, axis=1)


def _scaled(rng, side):
    """Any scale, so that tiles begin at fractions of a pixel."""
    least = min(1.0, SMALLEST / side)
    factors = np.full(2, rng.uniform(max(least, 0.45), 2.0 if side < 28 else 1.15))
    if rng.random() < 0.1:
        factors *= rng.uniform(0.93, 1.07, 2)
    if rng.random() < 0.3:
        factors[:] = max(least, rng.choice([0.5, 0.75, 0.8, 0.9, 1.25, 1.5]))
    methods = [cv2.INTER_NEAREST, cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_AREA]
    method = int(rng.choice(methods))

    def effect(_, picture):
        size = tuple(
            max(8, round(n * f)) for n, f in zip(picture.shape[1::-1], factors, strict=True)
        )
        return cv2.resize(picture, size, interpolation=method)

    return effect


def _moved(rng, side):
    """Shift by a part of a pixel."""
    matrix = np.array([[1, 0, rng.uniform(-0.5, 0.5)], [0, 1, rng.uniform(-0.5, 0.5)]])
    return lambda _, picture: cv2.warpAffine(
        picture, matrix, picture.shape[1::-1], borderMode=cv2.BORDER_REPLICATE
    )


def _blurred(rng, side):
    width = rng.uniform(0.3, 0.02 * side + 0.4)
    return lambda _, picture: cv2.GaussianBlur(picture, (0, 0), width)


def _noisy(rng, side):
    depth = rng.uniform(1, 9)

    def effect(chance, picture):
        noise = chance.standard_normal(picture.shape, np.float32) * depth
        return np.clip(picture + noise, 0, 255).astype(np.uint8)

    return effect


def _dithered(rng, side):
    """Few steps of each colour, with ordered dithering."""
    step = 255 / int(rng.integers(3, 9))

    def effect(_, picture):
        height, width = picture.shape[:2]
        field = np.tile(BAYER, (height // 4 + 1, width // 4 + 1))[:height, :width, None]
        return np.clip(np.round(picture / step + field) * step, 0, 255).astype(np.uint8)

    return effect


def _palette(rng, side):
    """Keep few colours, as a GIF does, dithered by spreading the error or not."""
    count = int(rng.choice([8, 16, 32, 64, 128, 256]))
    dither = Image.Dither.FLOYDSTEINBERG if rng.random() < 0.7 else Image.Dither.NONE
    fixed = rng.random() < 0.3

    def effect(_, picture):
        image = Image.fromarray(picture)
        if fixed:
            return np.array(image.convert("P", dither=dither).convert("RGB"))
        few = image.quantize(count, method=Image.Quantize.FASTOCTREE)
        return np.array(image.quantize(palette=few, dither=dither).convert("RGB"))

    return effect


def _jpeg(rng, side):
    quality = int(rng.integers(35, 96))

    def effect(_, picture):
        packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        return cv2.imdecode(packed, cv2.IMREAD_COLOR)

    return effect


EFFECTS = {
    "channels": (0.08, _channels), "inverted": (0.05, _inverted), "gamma": (0.08, _gamma),
    "enlarged": (0.06, _enlarged), "scaled": (0.3, _scaled), "moved": (0.04, _moved),
    "blurred": (0.08, _blurred), "noisy": (0.06, _noisy), "dithered": (0.03, _dithered),
    "palette": (0.05, _palette), "jpeg": (0.13, _jpeg),
}  # fmt: skip


NAMES = {
    Tile.HIDDEN: "covered", 0: "zero", **{k: str(k) for k in range(1, 9)}, Tile.FLAG: "flag",
    Tile.QUESTION: "question", Tile.MINE: "mine", Tile.EXPLODED: "exploded",
    Tile.WRONG_FLAG: "wrong_flag",
}  # fmt: skip
"""What `DrawnTheme` calls the tiles."""

PLAIN_SYMBOLS = "flag", "mine", "exploded"

LEAST_SEEN_CHANGE = 0.09
"""Least change of a colour, as a share, by a glyph or between open and covered tiles' parts."""

LEAST_STEPS = 2.0
"""Least mean difference of open and covered tiles, in grey levels."""


@dataclass(frozen=True)
class Manner:
    """What a program does to the board as a whole.

    Widths and depths are shares of a tile or of the range of colours; 0 is never.
    """

    cliff: float = 0.0
    """Width of a line where open and covered tiles meet."""
    cast: float = 0.0
    """Depth of the shadow that covered tiles cast on open ones below and right of them."""
    shade: float = 0.0
    """Lightest less darkest of a gradient over the whole board."""
    on_covered: bool = False
    """Whether the gradient lies on covered tiles only."""
    way: float = 0.0
    """Its direction in radians."""
    fade: float = 0.0
    """How far numbers with all their flags go to their ground."""
    texture: float = 0.0
    """Share of a picture that lies over the board."""
    tints: float = 0.0
    """Deviation of each tile's own brightness."""
    merged: bool = False
    """Whether hidden tiles beside each other run together, without the gap between them."""
    rim: float = 0.0
    """Width of a frame around the board."""


def any_manner(rng):
    """Return a manner by chance; most programs do nothing of it."""

    def now(chance, low, high):
        return float(rng.uniform(low, high)) if rng.random() < chance else 0.0

    return Manner(
        cliff=now(0.08, 0.02, 0.1), cast=now(0.06, 0.1, 0.5),
        shade=now(0.09, 0.1, 0.7), on_covered=bool(rng.random() < 0.6),
        way=float(rng.uniform(0, 2 * np.pi)), fade=now(0.06, 0.3, 0.8),
        texture=now(0.03, 0.05, 0.3), tints=now(0.04, 0.01, 0.05),
        merged=bool(rng.random() < 0.15), rim=now(0.5, 0.03, 0.4),
    )  # fmt: skip


class Painter:
    """One program. ``side`` is the side of a tile in whole pixels."""

    def __init__(self, rng, characters, side, style=None, manner=None):
        self.rng, self.side = rng, side
        self.manner = any_manner(rng) if manner is None else manner
        for _ in range(20):
            self.style = drawn_theme.choose(rng) if style is None else style
            self.theme = DrawnTheme(rng, characters, side, self.style)
            self.zeros, self.tinted = self._zeros(), self._tints()
            # Some programs show marks by the colour of the tile alone.
            self.plain = {name for name in PLAIN_SYMBOLS if rng.random() < 0.05}
            self._grounds, self._drawn = {}, {}
            if self._open_differ():
                break
        self.ink, self.frame = colour(rng), colour(rng)
        self.seed = int(rng.integers(2**31))

    def _plain_colour(self):
        """Return a colour that neither open nor covered tiles have."""
        return ink(self.rng, [self.theme.open.base, self.theme.covered.base], 0.2)

    def _zeros(self):
        """Return what an open tile without mines around it shows, None for nothing."""
        kind = self.rng.random()
        if kind < 0.03:
            return self.theme.glyph("zero")
        if kind < 0.07:
            dot = glyphs.text(self.theme.font, str(self.rng.choice(list(".·-o"))), 0.5 * self.side)
            return glyphs.tinted(dot[..., 3], self.theme.inks[0]), (0, 0)
        if kind < 0.09:
            return self.theme.characters.coloured(
                self.rng, glyphs.EMOJI_OTHERS, 0.6 * self.side), (0, 0)  # fmt: skip
        return None

    def _tints(self):
        """Return the grounds' colours of programs that tint each number's ground, else None."""
        if self.theme.of_digits or self.rng.random() > 0.06:
            return None
        far, depth = colour(self.rng), self.rng.uniform(0.1, 0.5)
        steps = np.linspace(0.2, 1, 8)[:, None] * depth
        return self.theme.open.base + steps * (far - self.theme.open.base)

    def _open_differ(self):
        """Return whether open tiles differ from covered ones at all."""
        off = self.drawn(0, 0).astype(np.int16) - self.drawn(Tile.HIDDEN, 0)
        return np.abs(off).mean() >= LEAST_STEPS or np.abs(off).max() >= 255 * LEAST_SEEN_CHANGE

    def ground(self, tile):
        """Return what a tile is drawn on: the same one each time."""
        name = NAMES[tile]
        if name not in self._grounds:
            plain = {"covered": self.theme.covered, "zero": self.theme.open}
            self._grounds[name] = plain[name] if name in plain else self._ground(name)
        return self._grounds[name]

    def _ground(self, name):
        """Return the ground of a glyph: that of the theme, or one that programs draw more often."""
        theme, kind = self.theme, self.rng.random()
        if name in self.plain:
            return drawn_theme.plain(self.rng, self._plain_colour(), gap=theme.covered.gap,
                                rounded=theme.covered.rounded)  # fmt: skip
        if self.tinted is not None and name.isdigit():
            return coloured(theme.open, self.tinted[int(name) - 1])
        if name == "mine" and kind < 0.3:
            return theme.covered
        if name in ("exploded", "wrong_flag") and kind < 0.15:
            return theme.covered if kind < 0.07 else theme.open
        ground = theme.background(name)
        if ground is theme.blown_paper and kind < 0.7:
            return coloured(theme.open if kind < 0.5 else theme.covered, ground.base)
        return ground

    def period(self, tile):
        """Return after how many steps to the right or down a tile is drawn alike."""
        ground = self.ground(tile)
        return 14 if ground.rainbow else 2 if ground.checked else 1

    def drawn(self, tile, place):
        """Return the picture of a tile, uint8 ``(side, side, 3)``; ``place`` is row plus column."""
        key = tile, place % self.period(tile)
        if key not in self._drawn:
            self._drawn[key] = self._draw(*key)
        return self._drawn[key]

    def _draw(self, tile, place):
        side, name = self.side, NAMES[tile]
        margin = side // 2
        canvas = np.tile(self.theme.page.astype(np.float32), (side + 2 * margin,) * 2 + (1,))
        box = margin, margin, margin + side, margin + side
        self.ground(tile).draw(self.rng, canvas, box, (place, 0))
        inside = np.s_[margin : margin + side, margin : margin + side]
        bare = name in ("covered", "zero") or name in self.plain
        glyph, place = (None, (0, 0)) if bare else self.theme.glyph(name)
        if name == "zero" and self.zeros:
            glyph, place = self.zeros
        if glyph is not None:
            before = canvas[inside].copy()
            middle = margin + side / 2 + place[0] * side, margin + side / 2 + place[1] * side
            lay(canvas, glyph, middle, fringes=self.theme.effect == "lcd")
            if np.abs(canvas[inside] - before).max() < LEAST_SEEN_CHANGE:
                ink = 1.0 - np.round(before.mean())
                lay(canvas, glyphs.tinted(glyph[..., 3], ink), middle)
        return np.clip(canvas[inside] * 255 + 0.5, 0, 255).astype(np.uint8)

    def paint(self, tiles):
        """Paint the board of an int8 array of tiles, uint8 ``(rows * side, cols * side, 3)``."""
        rows, cols = tiles.shape
        places = np.add.outer(np.arange(rows), np.arange(cols))
        kinds = {int(tile): self.period(int(tile)) for tile in np.unique(tiles)}
        index, stack = np.zeros(tiles.shape, np.intp), []
        for tile, period in kinds.items():
            for place in range(period):
                index[(tiles == tile) & (places % period == place)] = len(stack)
                stack.append(self.drawn(tile, place))
        if self.manner.fade:
            self._fade(tiles, index, stack)
        board = join(np.stack(stack)[index])
        self._as_a_whole(board, tiles)
        return board

    def _fade(self, tiles, index, stack):
        """Let numbers go to their ground whose flags are all set."""
        flags = (tiles == Tile.FLAG).astype(np.float32)
        around = cv2.filter2D(
            flags, -1, np.ones((3, 3), np.float32), borderType=cv2.BORDER_CONSTANT
        )
        done = (tiles > 0) & (around == tiles)
        for number in np.unique(tiles[done]):
            mean = cv2.addWeighted(self.drawn(int(number), 0), 1 - self.manner.fade,
                                   self.drawn(0, 0), self.manner.fade, 0)  # fmt: skip
            index[done & (tiles == number)] = len(stack)
            stack.append(mean)

    def _as_a_whole(self, board, tiles):
        manner, covered = self.manner, is_covered(tiles)
        chance = np.random.default_rng(self.seed)
        if manner.tints:
            shift = chance.normal(0, 255 * manner.tints, tiles.shape)
            _add(board, np.repeat(np.repeat(shift, self.side, 0), self.side, 1))
        if manner.texture:
            picture = np.clip(scenery(chance, *board.shape[:2]) * 255, 0, 255).astype(np.uint8)
            cv2.addWeighted(board, 1 - manner.texture, picture, manner.texture, 0, dst=board)
        if manner.shade:
            self._shade(board, covered)
        if manner.merged and (self.theme.covered.gap or self.theme.covered.rounded):
            self._merge(board, tiles == Tile.HIDDEN)
        if manner.cast:
            self._cast(board, covered)
        if manner.cliff:
            self._cliffs(board, covered)

    def _merge(self, board, hidden):
        ground, view = self.theme.covered, apart(board, self.side)
        reach = 1 + round(max(0.5 * ground.gap, 0.3 * ground.rounded) * self.side)
        ink = np.round(255 * np.clip(ground.base, 0, 1)).astype(np.uint8)
        above, beside = hidden[1:] & hidden[:-1], hidden[:, 1:] & hidden[:, :-1]
        inner = slice(reach, self.side - reach)
        view[1:, :, :, inner][above, :reach] = ink
        view[:-1, :, :, inner][above, -reach:] = ink
        view[:, 1:, inner][beside, :, :reach] = ink
        view[:, :-1, inner][beside, :, -reach:] = ink
        for r, c in np.argwhere(above[:, 1:] & above[:, :-1]):
            corner = (r + 1) * self.side, (c + 1) * self.side
            y, x = (slice(at - reach, at + reach) for at in corner)
            board[y, x] = ink

    def _shade(self, board, covered):
        height, width = board.shape[:2]
        down = np.linspace(-0.5, 0.5, height)[:, None] * np.sin(self.manner.way)
        along = np.linspace(-0.5, 0.5, width)[None] * np.cos(self.manner.way)
        shift = 255 * self.manner.shade * (down + along)
        if self.manner.on_covered:
            shift = shift * np.repeat(np.repeat(covered, self.side, 0), self.side, 1)
        _add(board, shift)

    def _cast(self, board, covered):
        reach = max(1, round(0.12 * self.side))
        view, share = apart(board, self.side), 1 - self.manner.cast
        below = ~covered[1:] & covered[:-1]
        view[1:][below, :reach] = view[1:][below, :reach] * share
        right = ~covered[:, 1:] & covered[:, :-1]
        view[:, 1:][right, :, :reach] = view[:, 1:][right, :, :reach] * share

    def _cliffs(self, board, covered):
        wide = max(1, round(self.manner.cliff * self.side))
        view, ink = apart(board, self.side), np.round(255 * self.ink).astype(np.uint8)
        view[1:][covered[1:] != covered[:-1], :wide] = ink
        view[:, 1:][covered[:, 1:] != covered[:, :-1], :, :wide] = ink

    def on_page(self, board, margin):
        """Return the board on its page, ``margin`` pixels wide, in the frame of its manner."""
        wide = min(margin, round(self.manner.rim * self.side))
        rgb = tuple(float(v) for v in np.round(255 * self.theme.page))
        if wide:
            frame = tuple(float(v) for v in np.round(255 * self.frame))
            board = cv2.copyMakeBorder(*(board, *(wide,) * 4), cv2.BORDER_CONSTANT, value=frame)
        rest = (margin - wide,) * 4
        return cv2.copyMakeBorder(board, *rest, cv2.BORDER_CONSTANT, value=rgb)


def coloured(ground, base):
    """Return the same ground in another colour."""
    other = copy(ground)
    other.base = other.second = np.asarray(base)
    other.rainbow = other.checked = False
    return other


def is_covered(tiles):
    """Mark the tiles that a player has not opened, as programs draw them."""
    return (tiles == Tile.HIDDEN) | (tiles == Tile.FLAG) | (tiles == Tile.QUESTION)


def join(pictures):
    """Return tile pictures ``(rows, cols, side, side, 3)`` as one picture of the board."""
    rows, cols, side = pictures.shape[:3]
    return np.ascontiguousarray(pictures.swapaxes(1, 2)).reshape(rows * side, cols * side, 3)


def apart(board, side):
    """Return a view of the tiles of a board, ``(rows, cols, side, side, 3)``."""
    rows, cols = board.shape[0] // side, board.shape[1] // side
    return board.reshape(rows, side, cols, side, 3).swapaxes(1, 2)


def _add(board, shift):
    board[:] = np.clip(board + shift[..., None].astype(np.float32), 0, 255)


def lay(canvas, glyph, middle, *, fringes=False):
    """Lay a glyph on the canvas around a place in pixels; with the coloured rims of LCD screens."""
    height, width = glyph.shape[:2]
    left, top = round(middle[0] - width / 2), round(middle[1] - height / 2)
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + width, canvas.shape[1]), min(top + height, canvas.shape[0])
    if x1 <= x0 or y1 <= y0:
        return
    part = glyph[y0 - top : y1 - top, x0 - left : x1 - left]
    alpha = part[..., 3:]
    if fringes:
        padded = np.pad(part[..., 3], ((0, 0), (1, 1)))
        before, after = padded[:, :-2], padded[:, 2:]
        alpha = np.dstack([(2 * alpha[..., 0] + before) / 3, alpha[..., 0],
                           (2 * alpha[..., 0] + after) / 3])  # fmt: skip
    area = canvas[y0:y1, x0:x1]
    area += alpha * (part[..., :3] - area)
