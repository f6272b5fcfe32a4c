"""The fonts of this machine that draw ordinary digits, as fontconfig lists them."""

from __future__ import annotations

import subprocess
import zlib
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from PIL import ImageFont

MODEL = ("DejaVu Sans", "Bold")
"""The font that others are compared with, to leave out those that draw ornaments for digits."""

HELD_OUT = 10
"""One family of fonts in so many is kept for calibration and tests, never trained on."""


@dataclass(frozen=True)
class Font:
    """One face: ``index`` counts the faces in a file."""

    path: str
    index: int
    family: str
    style: str

    @property
    def held_out(self):
        return zlib.crc32(self.family.encode()) % HELD_OUT == 0

    def sized(self, size):
        return _sized(self.path, self.index, size)


@lru_cache(maxsize=256)
def _sized(path, index, size):
    return ImageFont.truetype(path, size, index=index)


def installed():
    """Return all faces in formats that FreeType scales, in a fixed order."""
    pattern = "%{file}\t%{index}\t%{family[0]}\t%{style[0]}\n"
    lines = subprocess.run(
        ["fc-list", "--format", pattern], check=True, capture_output=True, text=True
    ).stdout.split("\n")
    fonts = set()
    for line in lines:
        if line.count("\t") != 3:
            continue
        path, index, family, style = line.split("\t")
        if path.lower().endswith((".ttf", ".otf", ".ttc", ".otb", ".pfb")):
            # The upper half of the index names an instance of a variable font.
            fonts.add(Font(path, int(index) & 0xFFFF, family, style))
    return sorted(fonts, key=lambda font: (font.family, font.style, font.path, font.index))


def packages():
    """Return the Debian packages that installed fonts come from, with versions."""
    paths = sorted({font.path for font in installed()})
    owners = subprocess.run(["dpkg", "-S", *paths], check=False, capture_output=True, text=True)
    names = sorted({line.split(":")[0] for line in owners.stdout.splitlines()})
    shown = ["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *names]
    return subprocess.run(shown, check=True, capture_output=True, text=True).stdout.splitlines()


def with_digits():
    """Return the faces whose digits look like digits, at most three of a family."""
    fonts = installed()
    model = next(font for font in fonts if (font.family, font.style) == MODEL)
    shapes = _shapes(model)
    kept, of_family = [], {}
    for font in fonts:
        if of_family.get(font.family, 0) < 3 and _draws_digits(font, shapes):
            kept.append(font)
            of_family[font.family] = of_family.get(font.family, 0) + 1
    return kept


def having(fonts, character):
    """Return the faces that have a picture of their own for a character."""
    return [font for font in fonts if _has(font, character)]


def _has(font, character):
    try:
        sized = font.sized(32)
        shape, missing = sized.getmask(character), sized.getmask("\U0010fff0")
    except (OSError, ValueError):
        return False
    return shape.getbbox() is not None and bytes(shape) != bytes(missing)


def _draws_digits(font, model):
    """Whether most digits are nearest to the model's digit of the same value."""
    try:
        shapes = _shapes(font)
    except (OSError, ValueError):
        return False
    if shapes is None:
        return False
    likeness = shapes.reshape(8, -1) @ model.reshape(8, -1).T
    return int((likeness.argmax(axis=1) == np.arange(8)).sum()) >= 5


def _shapes(font):
    """Return the digits 1 to 8, each stretched to 20×14 pixels and normalised; None if missing."""
    sized = font.sized(40)
    shapes = []
    for digit in "12345678":
        mask = sized.getmask(digit)
        if mask.getbbox() is None:
            return None
        pixels = np.array(mask, np.float32).reshape(mask.size[::-1])
        rows, columns = np.flatnonzero(pixels.any(axis=1)), np.flatnonzero(pixels.any(axis=0))
        inked = pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        small = cv2.resize(inked, (14, 20), interpolation=cv2.INTER_AREA)
        small -= small.mean()
        shapes.append(small / (np.linalg.norm(small) + 1e-6))
    return np.array(shapes)
