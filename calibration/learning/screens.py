"""What screens and picture files do to a board: sizes, palettes, dithering, JPEG, noise.

A `Display` is drawn once by chance and shows any number of pictures in the same way, as one
recorded game needs. `EFFECTS` names what it may do, in this order, with the chances.
"""

from __future__ import annotations

import cv2
import numpy as np
from PIL import Image

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
