"""Tiles and what is drawn on them: backgrounds; flags, mines and crosses as programs draw them.

Backgrounds have colours, gradients, bevels and gaps. Shapes are drawn by chance, RGBA float32 in
0..1, with the plates that glyphs lie on (discs, balls, badges and stars, flat or glossy), and what
programs do to a drawn flag or mine: shading, a rim, a glow, coarse pixels, a turn.
"""

from __future__ import annotations

import colorsys
from functools import partial

import cv2
import numpy as np

from calibration.learning.glyphs import over, tinted

ALL_SIDES, UPPER_LEFT, LOWER_RIGHT = slice(None), slice(2), slice(2, None)
"""Which sides of a tile its outline is drawn on."""


def colour(rng):
    """Return any colour; greys, light and dark ones more often."""
    kind = rng.random()
    if kind < 0.3:
        return np.full(3, rng.uniform(0.55, 1.0))
    if kind < 0.42:
        return np.full(3, rng.uniform(0.0, 0.35))
    saturation = rng.uniform(0.05, 0.4) if kind < 0.75 else rng.uniform(0.4, 1.0)
    return np.array(colorsys.hsv_to_rgb(rng.random(), saturation, rng.uniform(0.1, 1.0)))


def ink(rng, backgrounds, least):
    """Return a colour that differs from each background by ``least``, 0..1, in some channel."""
    best, best_gap = None, -1.0
    for _ in range(12):
        kind = rng.random()
        if kind < 0.3:
            trial = np.full(3, rng.choice([0.0, 1.0, rng.random()]))
        elif kind < 0.4:
            trial = np.clip(backgrounds[0] + rng.choice([-1, 1]) * rng.uniform(least, 0.4), 0, 1)
        else:
            trial = np.array(colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.4, 1), rng.random()))
        gap = min(np.abs(trial - background).max() for background in backgrounds)
        if gap >= least:
            return trial
        if gap > best_gap:
            best, best_gap = trial, gap
    return best


def classic_inks():
    """Return the usual colours of the digits 1 to 8."""
    return np.array(
        [(0, 0, 1), (0, 0.5, 0), (1, 0, 0), (0, 0, 0.5), (0.5, 0, 0), (0, 0.5, 0.5), (0, 0, 0),
         (0.5, 0.5, 0.5)]
    )  # fmt: skip


class Background:
    """One kind of tile without a glyph; `draw` puts it on a canvas, float32 RGB in 0..1."""

    def __init__(self, rng, base=None):
        self.base = colour(rng) if base is None else np.asarray(base)
        self.second = np.clip(self.base + rng.uniform(-0.12, 0.12), 0, 1)
        self.checked = rng.random() < 0.12
        self.rainbow = rng.random() < 0.05
        self.gradient = rng.choice(["", "", "", "", "", "down", "slant", "radial", "gloss", "rim"])
        self.depth = rng.uniform(0.04, 0.3) * rng.choice([-1, 1])
        self.gap = rng.choice([0, 0, 0, 0.02, rng.uniform(0.02, 0.2)])
        self.rounded = rng.uniform(0.05, 0.5) if rng.random() < 0.22 else 0.0
        self.bevel = rng.uniform(0.03, 0.2) if rng.random() < 0.3 else 0.0
        self.raised = rng.choice([-1, 1, 1])
        self.outline = rng.uniform(0.01, 0.09) if rng.random() < 0.35 else 0.0
        self.outline_ink = colour(rng) if rng.random() < 0.4 else self.base * rng.uniform(0.4, 0.95)
        self.dashes = int(rng.integers(2, 9)) if rng.random() < 0.12 else 0
        self.texture = rng.uniform(0.01, 0.1) if rng.random() < 0.1 else 0.0
        self.grain = int(rng.integers(1, 4))
        self.stripes = _Stripes(rng) if rng.random() < 0.05 else None
        self.shadow = rng.uniform(0.1, 0.5) if rng.random() < 0.06 else 0.0
        # A filled square within the tile, as on a key of a keyboard.
        self.cap = rng.uniform(0.5, 0.92) if rng.random() < 0.07 else 0.0
        self.cap_ink = colour(rng)
        # These are set by the styles of `drawn_theme.GROUND_STYLES` only.
        self.relief, self.outlined = 1.0, ALL_SIDES

    def on(self, row, col):
        """Return the colour on which a glyph is drawn in a place."""
        return self.cap_ink if self.cap else self.at(row, col)

    def at(self, row, col):
        """Return the colour of the tile in a place."""
        if self.rainbow:
            return np.array(colorsys.hsv_to_rgb((row + col) * 0.07 % 1, 0.5, 0.9))
        return self.second if self.checked and (row + col) % 2 else self.base

    def draw(self, rng, canvas, box, place):
        """Draw the tile into ``box`` (left, top, right, bottom) of a canvas."""
        left, top, right, bottom = self._inset(box)
        height, width = bottom - top, right - left
        if min(height, width) < 3:
            return
        tile = np.tile(self.at(*place).astype(np.float32), (height, width, 1))
        tile += self._shade(rng, height, width)
        self._edges(tile)
        if self.cap:
            self._lay_cap(tile)
        area = canvas[top:bottom, left:right]
        mask = _rounded(height, width, self.rounded)
        if self.shadow:
            below = canvas[top + 1 : bottom + 1, left + 1 : right + 1]
            below *= 1 - self.shadow * mask
        area += mask * (np.clip(tile, 0, 1) - area)

    def _inset(self, box):
        left, top, right, bottom = box
        gap = round(self.gap * (right - left))
        return left + gap // 2, top + gap // 2, right - (gap - gap // 2), bottom - (gap - gap // 2)

    def _shade(self, rng, height, width):
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        y, x = y / height - 0.5, x / width - 0.5
        shade = np.zeros((height, width), np.float32)
        if self.gradient == "down":
            shade = self.depth * y
        elif self.gradient == "slant":
            shade = self.depth * (x + y)
        elif self.gradient == "radial":
            shade = self.depth * 2 * np.hypot(x + 0.2, y + 0.2)
        elif self.gradient == "gloss":
            shade = abs(self.depth) * (y < 0) * 0.7
        elif self.gradient == "rim":
            shade = self.depth * (2 * np.maximum(np.abs(x), np.abs(y))) ** 4
        if self.texture:
            small = rng.normal(0, self.texture, (height // self.grain + 1, width // self.grain + 1))
            shade = shade + cv2.resize(small.astype(np.float32), (width, height))
        if self.stripes is not None:
            shade = shade + self.stripes.draw(height, width)
        return shade[..., None]

    def _edges(self, tile):
        height, width = tile.shape[:2]
        if self.bevel:
            depth = max(1, round(self.bevel * width))
            light, dark = (0.25, -0.25) if self.raised > 0 else (-0.25, 0.15)
            light, dark = self.relief * light, self.relief * dark
            for k in range(depth):
                tile[k, k : width - k] += light
                tile[k : height - k, k] += light
                tile[height - 1 - k, k : width - k] += dark
                tile[k : height - k, width - 1 - k] += dark
        if self.outline:
            wide = max(1, round(self.outline * width))
            sides = (tile[:wide], tile[:, :wide], tile[-wide:], tile[:, -wide:])
            for part in sides[self.outlined]:
                lines = part if part.shape[0] > part.shape[1] else part.swapaxes(0, 1)
                drawn = np.arange(len(lines)) * 2 * self.dashes // len(lines) % 2 == 0
                lines[drawn] = self.outline_ink

    def _lay_cap(self, tile):
        height, width = tile.shape[:2]
        high, wide = round(self.cap * height), round(self.cap * width)
        top, left = (height - high) // 2, (width - wide) // 2
        area = tile[top : top + high, left : left + wide]
        area += _rounded(high, wide, self.rounded) * (self.cap_ink - area)


class _Stripes:
    """Thin parallel stripes, upright, level or slanting."""

    def __init__(self, rng):
        angle = rng.choice([0.0, np.pi / 2, np.pi / 4, -np.pi / 4])
        self.way = np.cos(angle), np.sin(angle)
        self.count = rng.uniform(3, 12)
        self.strength = rng.uniform(0.02, 0.12)

    def draw(self, height, width):
        """Return what they add to a tile, ``(height, width)``."""
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        along = (self.way[0] * y + self.way[1] * x) / max(height, width)
        return self.strength * np.sign(np.sin(2 * np.pi * self.count * along))


def _rounded(height, width, share):
    """Return the mask of a rectangle whose corners are rounded by a share of its side."""
    if not share:
        return np.ones((height, width, 1), np.float32)
    radius = min(max(1, round(share * min(width, height))), min(width, height) // 2)
    mask = np.zeros((height, width), np.uint8)
    cv2.rectangle(mask, (radius, 0), (width - 1 - radius, height - 1), 255, -1)
    cv2.rectangle(mask, (0, radius), (width - 1, height - 1 - radius), 255, -1)
    for x in (radius, width - 1 - radius):
        for y in (radius, height - 1 - radius):
            cv2.circle(mask, (x, y), radius, 255, -1, cv2.LINE_AA)
    return mask[..., None].astype(np.float32) / 255


def scenery(rng, height, width):
    """Return a picture that is not a tile: soft coloured noise with shapes, as on a wallpaper."""
    picture = np.zeros((height, width, 3), np.float32)
    for cells in (2, 4, 9):
        noise = rng.random((cells, cells, 3)).astype(np.float32)
        picture += cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC) / 3
    for _ in range(int(rng.integers(0, 5))):
        x, y = int(rng.integers(width)), int(rng.integers(height))
        rgb = tuple(float(v) for v in colour(rng))
        if rng.random() < 0.5:
            cv2.circle(picture, (x, y), int(rng.integers(2, 4 + width // 3)), rgb, -1, cv2.LINE_AA)
        else:
            end = int(rng.integers(width)), int(rng.integers(height))
            cv2.line(picture, (x, y), end, rgb, int(rng.integers(1, 3 + width // 12)), cv2.LINE_AA)
    return np.clip(picture, 0, 1)


CANVAS = 96
"""Side of the canvas in pixels; the shapes are drawn in sixteenths of a pixel."""

SHIFT = 4


class Pen:
    """Draws filled shapes with smooth edges on a transparent canvas; places are 0 to 1."""

    def __init__(self):
        self.glyph = np.zeros((CANVAS, CANVAS, 4), np.float32)

    def polygon(self, points, rgb):
        mask = np.zeros((CANVAS, CANVAS), np.uint8)
        cv2.fillPoly(mask, [_fixed(points)], 255, cv2.LINE_AA, SHIFT)
        self._lay(mask, rgb)

    def disc(self, x, y, radius, rgb, thickness=None):
        width = -1 if thickness is None else max(1, round(thickness * CANVAS))
        self._lay(_circle(x, y, radius, width), rgb)

    def line(self, points, rgb, thickness):
        mask = np.zeros((CANVAS, CANVAS), np.uint8)
        width = max(1, round(thickness * CANVAS))
        cv2.polylines(mask, [_fixed(points)], False, 255, width, cv2.LINE_AA, SHIFT)
        self._lay(mask, rgb)

    def hole(self, x, y, radius):
        """Cut a round hole."""
        self.glyph[..., 3] *= 1 - _circle(x, y, radius, -1).astype(np.float32) / 255

    def _lay(self, mask, rgb):
        alpha = mask.astype(np.float32)[..., None] / 255
        self.glyph[..., :3] += alpha * (np.asarray(rgb, np.float32) - self.glyph[..., :3])
        self.glyph[..., 3:] = np.maximum(self.glyph[..., 3:], alpha)

    def cut(self):
        """Return the drawn part."""
        rows = np.flatnonzero(self.glyph[..., 3].any(axis=1))
        columns = np.flatnonzero(self.glyph[..., 3].any(axis=0))
        return self.glyph[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _circle(x, y, radius, width):
    """Return the mask of a circle, or of a disc if ``width`` is -1."""
    mask = np.zeros((CANVAS, CANVAS), np.uint8)
    centre = tuple(int(v) for v in _fixed([(x, y)])[0])
    cv2.circle(mask, centre, int(radius * CANVAS * 16), 255, width, cv2.LINE_AA, SHIFT)
    return mask


def _fixed(points):
    return np.round(np.asarray(points, np.float64) * CANVAS * 16).astype(np.int32)


def flag(rng, cloth, pole):
    """Draw a flag: a pole, with a foot or none, and a cloth of one of many forms; or a map pin."""
    pen = Pen()
    if rng.random() < 0.05:
        return _pin(rng, pen, cloth, pole)
    x = rng.uniform(0.2, 0.6)
    top, bottom = rng.uniform(0.05, 0.2), rng.uniform(0.78, 0.95)
    side = -1 if rng.random() < 0.35 else 1
    width, thick = rng.uniform(0.3, 0.6), rng.uniform(0.03, 0.11)
    if rng.random() < 0.92:
        pen.line([(x, top), (x, bottom)], pole, thick)
    _foot(rng, pen, x, bottom, pole)
    low = top + rng.uniform(0.25, 0.5)
    points = _cloth(rng, x, top + rng.uniform(0, 0.05), x + side * width, low)
    pen.polygon(points, cloth)
    kind = rng.random()
    if kind < 0.25:
        pen.line([*points, points[0]], pole, rng.uniform(0.015, 0.05))
    elif kind < 0.33:
        pen.disc(x, top, rng.uniform(0.04, 0.08), pole)
    elif kind < 0.4:
        _checks(pen, points, pole)
    return _leaning(pen.cut(), rng.uniform(-0.4, 0.4)) if rng.random() < 0.25 else pen.cut()


def _leaning(glyph, share):
    """Lean a glyph to the side, by a share of its height."""
    height, width = glyph.shape[:2]
    matrix = np.array([[1, share, max(0.0, -share * height)], [0, 1, 0]], np.float32)
    return cv2.warpAffine(glyph, matrix, (round(width + abs(share) * height), height))


def _pin(rng, pen, cloth, pole):
    radius = rng.uniform(0.22, 0.32)
    pen.polygon([(0.5 - radius, 0.36), (0.5 + radius, 0.36), (0.5, 0.95)], cloth)
    pen.disc(0.5, 0.32, radius, cloth)
    inner = radius * rng.uniform(0.3, 0.55)
    if rng.random() < 0.5:
        pen.hole(0.5, 0.32, inner)
    else:
        pen.disc(0.5, 0.32, inner, pole)
    return pen.cut()


def _checks(pen, points, rgb):
    """Draw the squares of a finish flag over a cloth."""
    (left, top), (right, bottom) = np.min(points, axis=0), np.max(points, axis=0)
    wide, high = (right - left) / 4, (bottom - top) / 3
    for k in range(0, 12, 2):
        row, col = divmod(k, 4)
        x, y = left + (col + row % 2) * wide, top + row * high
        pen.polygon([(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)], rgb)


def _foot(rng, pen, x, bottom, pole):
    kind, wide, high = rng.integers(5), rng.uniform(0.12, 0.35), rng.uniform(0.04, 0.15)
    if kind == 1:
        pen.polygon([(x - wide, bottom), (x + wide, bottom), (x + wide, bottom - high),
                     (x - wide, bottom - high)], pole)  # fmt: skip
    elif kind == 2:
        pen.polygon([(x - wide, bottom), (x + wide, bottom), (x, bottom - 1.5 * high)], pole)
    elif kind == 3:
        for step in (0.5, 1.0):
            at = bottom - high * (1 - step)
            pen.polygon([(x - wide * step, at - high / 2), (x + wide * step, at - high / 2),
                         (x + wide * step, at), (x - wide * step, at)], pole)  # fmt: skip
    elif kind == 4:
        angles = np.linspace(np.pi, 2 * np.pi, 12)
        pen.polygon([(x + wide * np.cos(a), bottom + 1.5 * high * np.sin(a)) for a in angles], pole)


def _cloth(rng, x, top, end, low):
    kind, middle = rng.integers(5), (top + low) / 2
    if kind == 0:
        return [(x, top), (end, middle), (x, low)]
    if kind == 1:
        return [(x, top), (end, top), (end, low), (x, low)]
    if kind == 2:
        notch = x + (end - x) * rng.uniform(0.55, 0.8)
        return [(x, top), (end, top), (notch, middle), (end, low), (x, low)]
    if kind == 3:
        return [(x, top), (end, top + rng.uniform(0, 0.1)), (end, low), (x, low - 0.1)]
    across = np.linspace(0, 1, 12)
    wave = rng.uniform(0.02, 0.07) * np.sin(across * 2 * np.pi + rng.uniform(0, 6))
    upper = [(x + (end - x) * a, top + w) for a, w in zip(across, wave, strict=True)]
    lower = [(x + (end - x) * a, low + w) for a, w in zip(across, wave, strict=True)]
    return upper + lower[::-1]


def mine(rng, body, shine):
    """Draw a mine: a ball with spikes, a bomb with a fuse, a star, a disc, or what replaces it."""
    kind = rng.random()
    pen = Pen()
    if kind < 0.46:
        _spiked(rng, pen, body, shine)
    elif kind < 0.68:
        _bomb(rng, pen, body, shine)
    elif kind < 0.76:
        _cogwheel(rng, pen, body, shine)
    elif kind < 0.8:
        _skull(rng, pen, body)
    elif kind < 0.84:
        _dynamite(rng, pen, body, shine)
    elif kind < 0.92:
        star(rng, pen, body, int(rng.integers(6, 14)), rng.uniform(0.4, 0.7))
    else:
        pen.disc(0.5, 0.5, rng.uniform(0.15, 0.42), body)
        if rng.random() < 0.6:
            pen.disc(0.5, 0.5, rng.uniform(0.05, 0.13), shine)
    return pen.cut()


def _spiked(rng, pen, body, shine):
    radius, reach = rng.uniform(0.17, 0.36), rng.uniform(0.36, 0.48)
    count, thick = int(rng.choice([4, 4, 6, 8, 8, 8, 10, 12])), rng.uniform(0.03, 0.1)
    if count == 4:
        thick = rng.uniform(0.05, 0.2)
    turn, tip = rng.choice([0, np.pi / count]), rng.integers(4)
    colour = shine if rng.random() < 0.15 else body
    for k in range(count):
        a = turn + 2 * np.pi * k / count
        far = reach * (rng.choice([0.8, 1.0]) if k % 2 and rng.random() < 0.2 else 1.0)
        end = (0.5 + far * np.cos(a), 0.5 + far * np.sin(a))
        if tip == 0:
            wide = 0.25 + thick
            sides = [(0.5 + radius * np.cos(a + s), 0.5 + radius * np.sin(a + s))
                     for s in (-wide, wide)]  # fmt: skip
            pen.polygon([sides[0], end, sides[1]], colour)
        else:
            pen.line([(0.5, 0.5), end], colour, thick)
        if tip == 1:
            pen.disc(*end, thick * 0.8, colour)
    pen.disc(0.5, 0.5, radius, body)
    if rng.random() < 0.15:
        pen.disc(0.5, 0.5, radius, shine, rng.uniform(0.01, 0.04))
    if rng.random() < 0.6:
        away = radius * rng.uniform(0.2, 0.5)
        pen.disc(0.5 - away, 0.5 - away, radius * rng.uniform(0.15, 0.35), shine)


def _bomb(rng, pen, body, shine):
    radius, side = rng.uniform(0.24, 0.36), rng.choice([-1, 1])
    x, y = 0.5 - side * 0.07, 0.58
    neck = (x + side * radius * 0.75, y - radius * 0.75)
    bend = (neck[0] + side * 0.1, neck[1] - rng.uniform(0.05, 0.14))
    end = (bend[0] + side * rng.uniform(0.0, 0.12), bend[1] + rng.uniform(-0.08, 0.08))
    pen.line([neck, bend, end], body, rng.uniform(0.02, 0.06))
    pen.disc(x, y, radius, body)
    wide = radius * rng.uniform(0.25, 0.45)
    pen.polygon([(neck[0] - side * wide, neck[1] - wide), (neck[0] + side * wide, neck[1] + wide),
                 (neck[0] + side * wide * 0.3, neck[1] + wide * 1.6),
                 (neck[0] - side * wide * 1.6, neck[1] - wide * 0.3)], body)  # fmt: skip
    if rng.random() < 0.7:
        spark = shine if rng.random() < 0.4 else (1.0, rng.uniform(0.4, 0.8), 0.1)
        star(rng, pen, spark, int(rng.integers(5, 9)), 0.45, centre=end, radius=0.12)
    if rng.random() < 0.5:
        pen.disc(x - radius * 0.35, y - radius * 0.35, radius * rng.uniform(0.12, 0.3), shine)


def _cogwheel(rng, pen, body, shine):
    """Draw a wheel with teeth, and a hole or a hub."""
    count, radius, reach = int(rng.integers(6, 15)), rng.uniform(0.26, 0.36), rng.uniform(0.4, 0.48)
    half = np.pi / count * rng.uniform(0.35, 0.65)
    for k in range(count):
        a, tip = 2 * np.pi * k / count, half * rng.uniform(0.6, 1.0)
        sides = [(radius, -half), (reach, -tip), (reach, tip), (radius, half)]
        pen.polygon([(0.5 + r * np.cos(a + s), 0.5 + r * np.sin(a + s)) for r, s in sides], body)
    pen.disc(0.5, 0.5, radius * 1.05, body)
    kind, inner = rng.random(), radius * rng.uniform(0.25, 0.65)
    if kind < 0.45:
        pen.hole(0.5, 0.5, inner)
    elif kind < 0.85:
        pen.disc(0.5, 0.5, inner, shine)


def _skull(rng, pen, body):
    radius, wide = rng.uniform(0.28, 0.36), rng.uniform(0.14, 0.2)
    pen.disc(0.5, 0.42, radius, body)
    pen.polygon(
        [(0.5 - wide, 0.6), (0.5 + wide, 0.6), (0.5 + wide, 0.88), (0.5 - wide, 0.88)], body
    )
    eye = radius * rng.uniform(0.22, 0.32)
    for side in (-1, 1):
        pen.hole(0.5 + side * radius * 0.45, 0.44, eye)
    if rng.random() < 0.6:
        pen.hole(0.5, 0.62, eye * 0.5)


def _dynamite(rng, pen, body, shine):
    """Draw some sticks in a bundle, with a fuse."""
    count, wide = int(rng.integers(1, 4)), rng.uniform(0.14, 0.2)
    top, left = rng.uniform(0.25, 0.35), 0.5 - count * wide / 2
    for k in range(count):
        x = left + k * wide
        pen.polygon([(x, top), (x + 0.9 * wide, top), (x + 0.9 * wide, 0.92), (x, 0.92)], body)
    band = rng.uniform(0.5, 0.65)
    pen.line([(left, band), (left + count * wide, band)], shine, rng.uniform(0.04, 0.1))
    pen.line([(0.5, top), (0.55, top - 0.1), (0.65, top - 0.15)], body, 0.03)
    if rng.random() < 0.7:
        star(rng, pen, (1.0, 0.7, 0.1), 7, 0.45, centre=(0.66, top - 0.16), radius=0.1)


def star(rng, pen, rgb, points, inner, centre=(0.5, 0.5), radius=0.45):
    """Draw a star of many points."""
    turn = rng.uniform(0, 2 * np.pi)
    angles = turn + np.pi * np.arange(2 * points) / points
    lengths = np.where(np.arange(2 * points) % 2, inner, 1.0) * radius
    pen.polygon(
        [(centre[0] + r * np.cos(a), centre[1] + r * np.sin(a))
         for a, r in zip(angles, lengths, strict=True)], rgb,
    )  # fmt: skip


def explosion(rng, core):
    """Draw an explosion: stars within each other, red or dark outside, yellow inside."""
    pen = Pen()
    points, inner = int(rng.integers(8, 15)), rng.uniform(0.5, 0.75)
    rim = (0, 0, 0) if rng.random() < 0.3 else (rng.uniform(0.6, 1), rng.uniform(0, 0.4), 0.0)
    star(rng, pen, rim, points, inner)
    star(rng, pen, (1.0, rng.uniform(0.4, 1), rng.uniform(0, 0.4)), points, inner, radius=0.36)
    if rng.random() < 0.4:
        star(rng, pen, (1.0, 1.0, rng.uniform(0.2, 1)), 9, 0.6, radius=0.22)
    if rng.random() < 0.4:
        pen.disc(0.5, 0.5, rng.uniform(0.06, 0.14), core)
    return pen.cut()


def cross(rng, rgb):
    """Draw a cross, one stroke, or a ring with a stroke."""
    pen = Pen()
    thick, near = rng.uniform(0.04, 0.16), rng.uniform(0.05, 0.2)
    kind = rng.random()
    if kind > 0.9:
        pen.disc(0.5, 0.5, 0.45 - thick / 2, rgb, thick)
        near = 0.2
    pen.line([(near, near), (1 - near, 1 - near)], rgb, thick)
    if kind < 0.85:
        pen.line([(near, 1 - near), (1 - near, near)], rgb, thick)
    return pen.cut()


class Plates:
    """The plates of one theme: one form and shading, in one colour or in one for each digit."""

    def __init__(self, rng, ground):
        self.form = rng.choice(["disc", "disc", "badge", "star", "polygon"])
        self.shading = rng.choice(["", "ball", "gloss", "down"])
        self.depth = rng.uniform(0.1, 0.45)
        self.side = rng.uniform(1.25, 1.9)
        """Side by the longer side of what lies on it."""
        self.corners = int(rng.integers(5, 13))
        self.inner = rng.uniform(0.7, 0.92)
        self.rounded = rng.uniform(0.1, 0.45)
        self.turn = rng.uniform(0, 2 * np.pi)
        self.rim = rng.uniform(0.03, 0.12) if rng.random() < 0.45 else 0.0
        self.rim_ink = np.ones(3) if rng.random() < 0.4 else colour(rng)
        self.highlight = rng.uniform(0.3, 0.9) if rng.random() < 0.3 else 0.0
        one = ink(rng, [ground], 0.12)
        several = rng.random() < 0.4
        self.colours = [ink(rng, [ground], 0.12) if several else one for _ in range(8)]

    def under(self, glyph, rgb):
        """Return a glyph, float32 RGBA, in the middle of a plate of a colour."""
        height, width = glyph.shape[:2]
        side = max(6, round(self.side * max(height, width)))
        plate = self._drawn(side, rgb)
        top, left = (side - height) // 2, (side - width) // 2
        area = plate[top : top + height, left : left + width]
        alpha = glyph[..., 3:] * (area[..., 3:] > 0)
        area[..., :3] += alpha * (glyph[..., :3] - area[..., :3])
        return plate

    def _drawn(self, side, rgb):
        shade = self._shade(side)[..., None]
        picture = np.clip(np.asarray(rgb, np.float32) + shade, 0, 1).astype(np.float32)
        whole = self._mask(side, 1.0)
        if self.rim:
            inside = self._mask(side, 1 - 2 * self.rim)[..., None]
            picture = inside * picture + (1 - inside) * np.asarray(self.rim_ink, np.float32)
        if self.highlight:
            spot = np.zeros((side, side), np.uint8)
            middle, axes = (round(0.36 * side), round(0.24 * side)), (side // 7, side // 12)
            cv2.ellipse(spot, middle, axes, -35, 0, 360, 255, -1, cv2.LINE_AA)
            alpha = self.highlight * spot[..., None].astype(np.float32) / 255
            picture = picture + alpha * (1 - picture)
        return np.dstack([picture, whole]).astype(np.float32)

    def _shade(self, side):
        y, x = np.mgrid[0:side, 0:side].astype(np.float32) / side - 0.5
        if self.shading == "ball":
            return self.depth * (0.5 - 1.6 * np.hypot(x + 0.14, y + 0.17))
        if self.shading == "gloss":
            return np.where(y < 0, 0.7 * self.depth, -0.2 * self.depth)
        if self.shading == "down":
            return -self.depth * y
        return np.zeros((side, side), np.float32)

    def _mask(self, side, share):
        """Return the form, 0 to 1, shrunk to a share of its size."""
        mask, middle, reach = np.zeros((side, side), np.uint8), side / 2, share * side / 2
        if self.form == "disc":
            cv2.circle(mask, (int(middle), int(middle)), max(1, int(reach)), 255, -1, cv2.LINE_AA)
            return mask.astype(np.float32) / 255
        if self.form == "badge":
            corner = self.rounded * reach
            angles = np.linspace(0, 2 * np.pi, 32, endpoint=False)
            round_off = np.stack([np.cos(angles), np.sin(angles)], axis=1)
            points = middle + np.sign(round_off) * (reach - corner) + corner * round_off
        else:
            count = 2 * self.corners if self.form == "star" else self.corners
            angles = self.turn + 2 * np.pi * np.arange(count) / count
            odd = np.arange(count) % 2 == 1
            lengths = np.where(odd & (self.form == "star"), self.inner, 1.0) * reach
            points = middle + lengths[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        cv2.fillPoly(mask, [np.round(points * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
        return mask.astype(np.float32) / 255


UNFINISHED = 0.55
"""Share of flags and mines that stay as they were drawn."""


def finished(rng, glyph, rgb, *, turn=0.3):
    """Return a glyph with one or two finishes; ``rgb`` is the colour of rims, ``turn`` radians."""
    if rng.random() < UNFINISHED:
        return glyph
    turned = partial(_turned, turn=turn)
    finishes = [_shaded, _hollow, _rimmed, _glowing, _coarse, turned]
    chosen = rng.choice(len(finishes), int(rng.integers(1, 3)), replace=False)
    for index in sorted(chosen):
        glyph = finishes[index](rng, glyph, rgb)
    return glyph


def glowing(glyph, rgb, reach):
    """Return a glyph in a glow of a colour that reaches a share of its height."""
    wide = max(2, round(reach * len(glyph)))
    glyph = padded(glyph, wide)
    glow = cv2.GaussianBlur(glyph[..., 3], (0, 0), wide / 2)
    return over(tinted(np.clip(1.6 * glow, 0, 1), rgb), glyph)


def padded(glyph, wide):
    """Return a glyph with room around it, in the colours of its edge."""
    wider = np.pad(glyph, ((wide, wide), (wide, wide), (0, 0)), mode="edge")
    wider[..., 3] = np.pad(glyph[..., 3], wide)
    return wider


def _shaded(rng, glyph, _):
    """Lighten one side and darken the other, or shade a ball."""
    height, width = glyph.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    y, x = y / height - 0.5, x / width - 0.5
    if rng.random() < 0.5:
        shade = 0.4 - 1.4 * np.hypot(x + 0.15, y + 0.18)
    else:
        angle = rng.uniform(0, 2 * np.pi)
        shade = np.cos(angle) * x + np.sin(angle) * y
    shaded = glyph.copy()
    shaded[..., :3] += rng.uniform(0.2, 0.8) * shade[..., None]
    return np.clip(shaded, 0, 1)


def _hollow(rng, glyph, rgb):
    """Leave the outline only, in one colour or in the glyph's own."""
    wide = max(1, round(rng.uniform(0.04, 0.09) * len(glyph)))
    alpha = padded(glyph, 1)[..., 3]
    inner = cv2.erode(alpha, np.ones((2 * wide + 1, 2 * wide + 1), np.float32))[1:-1, 1:-1]
    rim = glyph[..., 3] - inner
    if rng.random() < 0.5:
        return tinted(rim, rgb)
    return np.dstack([glyph[..., :3], rim])


def _rimmed(rng, glyph, rgb):
    wide = max(1, round(rng.uniform(0.02, 0.07) * len(glyph)))
    glyph = padded(glyph, wide)
    under = cv2.dilate(glyph[..., 3], np.ones((2 * wide + 1, 2 * wide + 1), np.float32))
    return over(tinted(under, rgb), glyph)


def _glowing(rng, glyph, rgb):
    return glowing(glyph, rgb, rng.uniform(0.06, 0.2))


def _coarse(rng, glyph, _):
    """Draw with few large pixels."""
    rows = int(rng.integers(8, 17))
    size = max(2, round(rows * glyph.shape[1] / len(glyph))), rows
    few = cv2.resize(glyph, size, interpolation=cv2.INTER_AREA)
    few[..., 3] = np.round(few[..., 3])
    times = max(1, round(96 / rows))
    return few.repeat(times, axis=0).repeat(times, axis=1)


def _turned(rng, glyph, _, turn):
    wide = round(0.2 * max(glyph.shape[:2]))
    glyph = padded(glyph, wide)
    height, width = glyph.shape[:2]
    angle = np.degrees(rng.uniform(-turn, turn))
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1)
    return np.clip(cv2.warpAffine(glyph, matrix, (width, height)), 0, 1)
