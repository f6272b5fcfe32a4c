"""What programs do to a drawn flag or mine: shading, a rim, a glow, coarse pixels, a turn."""

from __future__ import annotations

from functools import partial

import cv2
import numpy as np

from calibration.learning.glyphs import over, tinted

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
