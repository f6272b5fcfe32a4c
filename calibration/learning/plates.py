"""Plates that digits and marks are drawn on: discs, balls, badges and stars, flat or glossy."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.learning.backgrounds import colour, ink


class Plates:
    """The plates of one look: one form and shading, in one colour or in one for each digit."""

    def __init__(self, rng, paper):
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
        one = ink(rng, [paper], 0.12)
        several = rng.random() < 0.4
        self.colours = [ink(rng, [paper], 0.12) if several else one for _ in range(8)]

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
