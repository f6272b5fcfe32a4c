"""What tiles look like before anything is drawn on them: colours, gradients, bevels, gaps."""

from __future__ import annotations

import colorsys

import cv2
import numpy as np

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
        # These are set by the kinds of `papers` only.
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
