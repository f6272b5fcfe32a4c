"""Sheets: every label of one theme, drawn once. Published tile sets, drawn themes, and mixtures.

A sheet holds the 15 labels of a theme in both colours of a chessboard. Boards are made from it by
indexing (`calibration.learning.boards`), which is some hundred times as fast as painting them.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from calibration.labels import FLAG, HIDDEN, LABELS, MINE, OTHER, QUESTION, ZERO
from calibration.learning import glyphs
from calibration.learning.painter import Painter

COUNT = OTHER
"""Labels of a sheet: all but the last one, which is not a tile of the game."""

NAMES = "hidden", *"012345678", "flag", "question", "mine", "exploded", "wrong"
"""Files of a published tile set, in the order of `LABELS`."""

FEWEST_DIGITS = 3
"""Digits that a published tile set must show."""

METHODS = cv2.INTER_AREA, cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_NEAREST

SMALL, LARGE = 10, 72
"""Sides of tiles in pixels."""


@dataclass(frozen=True)
class Sheet:
    """Pictures uint8 ``(15, 2, side, side, 3)``, and which labels the theme has, bool ``(15,)``."""

    pictures: NDArray[np.uint8]
    has: NDArray[np.bool_]

    @property
    def side(self):
        return self.pictures.shape[2]

    def copy(self):
        return Sheet(self.pictures.copy(), self.has.copy())

    def resized(self, side, method):
        """Return the sheet with tiles of another side."""
        if side == self.side:
            return self
        flat = self.pictures.reshape(-1, *self.pictures.shape[2:])
        small = np.stack([cv2.resize(one, (side, side), interpolation=method) for one in flat])
        return Sheet(small.reshape(*self.pictures.shape[:2], side, side, 3), self.has)


def load_sets(folders, *, allowed=None):
    """Read published tile sets below folders with an ``index.csv``, by source.

    Returns ``{source: [Sheet]}``. ``allowed(row)`` says of a row of the index whether it counts;
    a set without three digits or without a hidden tile is left out.
    """
    sets = defaultdict(list)
    for folder in map(Path, folders):
        index = (folder / "index.csv").read_text(encoding="utf-8")
        for row in csv.DictReader(index.splitlines()):
            if allowed is None or allowed(row):
                sheet = load_set(folder / row["look"])
                if sheet is not None:
                    sets[row["repo"]].append(sheet)
    return dict(sets)


def has_free_licence(row):
    """Whether what is shipped may be trained on a tile set: its source states a licence."""
    return not row["licence"].lower().startswith(("none", "other", "unknown"))


def load_set(folder):
    """Read one tile set, or return None if it lacks what a theme needs. It keeps its own size."""
    found = {}
    for label, name in enumerate(NAMES):
        for colour, file in enumerate((f"{name}.png", f"{name}_b.png")):
            if (folder / file).exists():
                image = Image.open(folder / file).convert("RGBA")
                page = Image.new("RGBA", image.size, (255,) * 4)
                found[label, colour] = np.asarray(Image.alpha_composite(page, image))[..., :3]
    digits = sum((ZERO + n, 0) in found for n in range(1, 9))
    if (HIDDEN, 0) not in found or digits < FEWEST_DIGITS:
        return None
    side = min(max(found[HIDDEN, 0].shape[:2]), LARGE)
    pictures = np.zeros((COUNT, 2, side, side, 3), np.uint8)
    has = np.zeros(COUNT, bool)
    for (label, colour), picture in sorted(found.items()):
        same = picture.shape[:2] == (side, side)
        pictures[label, colour:] = (
            picture if same else cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA)
        )
        has[label] = True
    if not has[ZERO]:
        pictures[ZERO], has[ZERO] = pictures[HIDDEN], True
    return Sheet(pictures, has)


def drawn_sheet(rng, characters, side):
    """Draw a theme by chance (`calibration.learning.painter`)."""
    painter = Painter(rng, characters, side)
    place = int(rng.integers(14))
    pictures = [[painter.drawn(int(tile), place + k) for k in (0, 1)] for tile in LABELS[:COUNT]]
    return Sheet(np.array(pictures), np.ones(COUNT, bool))


def any_side(rng):
    """Return the side of a tile in pixels; small ones and 16 pixels more often."""
    if rng.random() < 0.12:
        return 16
    return round(float(np.exp(rng.uniform(np.log(SMALL), np.log(LARGE)))))


class EndlessSheets:
    """Sheets without end: published tile sets, drawn themes, mixtures of both, in all colours.

    ``sets`` are published ones by source, ``bank`` drawn sheets. The share of published ones is
    ``published``; each source counts as much as the root of its number of sets.
    """

    def __init__(self, sets, bank, *, published=0.7):
        self.sources = [sets[name] for name in sorted(sets)]
        weights = np.sqrt([len(one) for one in self.sources])
        self.weights = weights / weights.sum() if len(weights) else weights
        self.bank, self.published = bank, published if self.sources else 0.0

    def plain(self, rng, side=None):
        """Return a sheet as it is, at a side by chance or the one given."""
        if rng.random() < self.published:
            source = self.sources[int(rng.choice(len(self.sources), p=self.weights))]
            sheet = source[int(rng.integers(len(source)))]
        else:
            sheet = self.bank[int(rng.integers(len(self.bank)))]
        if side is None:
            native = SMALL <= sheet.side <= LARGE and rng.random() < 0.45
            side = sheet.side if native else any_side(rng)
        small = side < sheet.side and rng.random() < 0.8
        method = cv2.INTER_AREA if small else METHODS[int(rng.integers(1, 4))]
        return sheet.resized(side, method).copy()

    def any(self, rng, characters):
        """Return a sheet by chance, mixed with others, recoloured, with or without gaps."""
        sheet, kind = self.plain(rng), rng.random()
        if kind < 0.25:
            self._other_symbols(rng, sheet)
        elif kind < 0.4:
            self._other_tiles(rng, sheet)
        if kind > 0.88 and sheet.side > 20:
            small_glyphs(rng, sheet)
        if rng.random() < 0.12:
            sheet = _with_gap(rng, sheet)
        _drawn_zeros(rng, sheet, characters)
        missing = [label for label in range(FLAG, COUNT) if not sheet.has[label]]
        if missing and rng.random() < 0.8:
            donor = self.plain(rng, sheet.side)
            carry_over(sheet, donor, missing)
        if rng.random() < 0.06 and sheet.has[MINE]:
            _exploded_by_ground(rng, sheet)
        if rng.random() < 0.06:
            _plain_symbols(rng, sheet)
        if rng.random() < 0.15:
            _near_grounds(rng, sheet)
        return Sheet(recoloured(rng, sheet.pictures), sheet.has)

    def _other_symbols(self, rng, sheet):
        """Draw digits, flags or mines of another theme on the grounds of this one."""
        digits = range(ZERO + 1, FLAG)
        choices = [digits, digits, (FLAG, QUESTION), range(MINE, COUNT), range(ZERO + 1, COUNT)]
        labels = choices[int(rng.integers(len(choices)))]
        scale, shift = 1.0, (0.0, 0.0)
        if rng.random() < 0.5:
            scale = rng.uniform(0.25, 0.9)
            shift = rng.uniform(-0.5, 0.5, 2) * (1 - scale) * (rng.random() < 0.4)
        carry_over(sheet, self.plain(rng, sheet.side), labels, scale, shift)

    def _other_tiles(self, rng, sheet):
        """Take whole tiles from another theme."""
        donor = self.plain(rng, sheet.side)
        pictures = recoloured(rng, donor.pictures)
        groups = [(HIDDEN, FLAG, QUESTION), range(ZERO, FLAG), range(MINE, COUNT), (COUNT - 1,)]
        for label in groups[int(rng.integers(len(groups)))]:
            if donor.has[label]:
                sheet.pictures[label] = pictures[label]
            sheet.has[label] = donor.has[label]


def carry_over(sheet, donor, labels, scale=1.0, shift=(0.0, 0.0)):
    """Draw what a donor draws on its own ground on the ground of a sheet."""
    side = sheet.side
    matrix = np.float32([[scale, 0, side * ((1 - scale) / 2 + shift[0])],
                         [0, scale, side * ((1 - scale) / 2 + shift[1])]])  # fmt: skip
    for label in labels:
        if not donor.has[label]:
            continue
        ground = ZERO if ZERO < label < FLAG else HIDDEN
        far = np.abs(donor.pictures[label, 0].astype(np.int16) - donor.pictures[ground, 0])
        far = far.max(axis=2).astype(np.float32)
        ink = np.clip(far / max(40.0, 0.5 * float(far.max())), 0, 1)
        picture = donor.pictures[label, 0]
        if scale != 1.0:
            ink = cv2.warpAffine(ink, matrix, (side, side), flags=cv2.INTER_AREA)
            picture = cv2.warpAffine(picture, matrix, (side, side), flags=cv2.INTER_AREA,
                                     borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
        ink = ink[..., None]
        sheet.pictures[label] = sheet.pictures[ground] * (1 - ink) + picture * ink
        sheet.has[label] = True


def small_glyphs(rng, sheet):
    """Shrink all glyphs of a theme on their tiles."""
    own, scale = sheet.copy(), rng.uniform(0.25, 0.6)
    labels = range(ZERO + 1, FLAG + 2 if rng.random() < 0.5 else COUNT)
    carry_over(sheet, own, labels, scale)
    sheet.has[:] = own.has


def _exploded_by_ground(rng, sheet):
    """Show an exploded mine by the colour of its ground alone."""
    rgb, share = rng.integers(0, 256, 3), rng.uniform(0.3, 1.0)
    if rng.random() < 0.6:
        rgb = np.array([rng.integers(170, 256), *rng.integers(0, 80, 2)])
    ground = sheet.pictures[ZERO if rng.random() < 0.7 else HIDDEN]
    mine = sheet.pictures[MINE].astype(np.float32)
    far = np.abs(mine - ground).max(axis=-1, keepdims=True)
    ink = np.clip(far / max(40.0, 0.5 * float(far.max())), 0, 1)
    base = ground * (1 - share) + rgb * share
    sheet.pictures[MINE + 1] = np.clip(base * (1 - ink) + mine * ink, 0, 255)
    sheet.has[MINE + 1] = True


def _plain_symbols(rng, sheet):
    """Show flags, mines or question marks by the colour of the whole tile, without a drawing."""
    for label in (FLAG, QUESTION, MINE, MINE + 1):
        if sheet.has[label] and rng.random() < 0.6:
            ground = sheet.pictures[HIDDEN if label < MINE or rng.random() < 0.5 else ZERO]
            share, rgb = rng.uniform(0.5, 1.0), rng.integers(0, 256, 3)
            sheet.pictures[label] = ground * (1 - share) + rgb * share


def _near_grounds(rng, sheet):
    """Give open tiles nearly the colour of hidden ones, as in programs in two greys."""
    inner = np.s_[:, sheet.side // 4 : -(sheet.side // 4), sheet.side // 4 : -(sheet.side // 4)]
    hidden, zero = (sheet.pictures[label][inner].mean(axis=(0, 1, 2)) for label in (HIDDEN, ZERO))
    shift = (hidden - zero) * rng.uniform(0.6, 0.97)
    numbers = sheet.pictures[ZERO:FLAG]
    numbers[:] = np.clip(numbers + shift, 0, 255)


def _with_gap(rng, sheet):
    """Leave a gap between the tiles, at one side or all around."""
    side = sheet.side
    gap = int(rng.integers(1, max(2, side // int(rng.choice([5, 8, 12, 16])) + 1)))
    colours = [sheet.pictures[HIDDEN, 0, 0, 0], sheet.pictures[ZERO, 0, 0, 0], 0, 255,
               rng.integers(0, 256, 3)]  # fmt: skip
    pictures = np.empty_like(sheet.pictures)
    pictures[:] = colours[int(rng.integers(len(colours)))]
    start, inner = int(rng.integers(0, gap + 1)), side - gap
    small = sheet.resized(inner, cv2.INTER_AREA).pictures
    pictures[:, :, start : start + inner, start : start + inner] = small
    return Sheet(pictures, sheet.has)


def _drawn_zeros(rng, sheet, characters):
    """Draw something on open tiles without a number, as few programs do."""
    kind, side = rng.random(), sheet.side
    if kind < 0.04:
        donor = sheet.pictures[ZERO + 8 if sheet.has[ZERO + 8] else HIDDEN, 0, side // 2, side // 2]
        sign = "0.·-"[int(rng.integers(4))]
        zero = glyphs.text(characters.font(rng), sign, rng.uniform(0.4, 0.8) * side)
        for picture in sheet.pictures[ZERO]:
            _stamp(picture, zero, donor)
    elif kind < 0.07:
        high = rng.uniform(0.5, 0.95) * side
        emoji = characters.coloured(rng, glyphs.EMOJI_OTHERS, high)
        ground = sheet.pictures[int(rng.choice([HIDDEN, ZERO]))].copy()
        sheet.pictures[ZERO] = ground
        for picture in sheet.pictures[ZERO]:
            _stamp(picture, emoji)


def _stamp(picture, glyph, rgb=None):
    """Lay a glyph, float ``(h, w, 4)`` from 0 to 1, on the middle of an uint8 picture."""
    side = len(picture)
    high, wide = (min(n, side) for n in glyph.shape[:2])
    glyph = glyph[:high, :wide]
    top, left = (side - high) // 2, (side - wide) // 2
    area = picture[top : top + high, left : left + wide]
    ink = 255 * glyph[..., :3] if rgb is None else np.float32(rgb)
    area[:] = np.clip(area + glyph[..., 3:] * (ink - area), 0, 255)


def recoloured(rng, pictures):
    """Change the colours of a whole look alike: order, hue, saturation, gamma, contrast."""
    if rng.random() < 0.35:
        return pictures
    out = pictures.astype(np.float32)
    if rng.random() < 0.25:
        out = out[..., rng.permutation(3)]
    if rng.random() < 0.5:
        grey = (out @ np.float32([0.299, 0.587, 0.114]))[..., None]
        turn = rng.uniform(-np.pi, np.pi) if rng.random() < 0.6 else 0.0
        out = grey + rng.uniform(0, 1.5) * ((out - grey) @ hue_turn(turn))
    if rng.random() < 0.12:
        out = 255 - out
    if rng.random() < 0.4:
        out = 255 * np.clip(out / 255, 0, 1) ** rng.uniform(0.6, 1.7)
    if rng.random() < 0.5:
        out = (out - 128) * rng.uniform(0.5, 1.25) + 128 + rng.uniform(-40, 40)
    return np.clip(out, 0, 255).astype(np.uint8)


def hue_turn(angle):
    """Return the matrix, float32 ``(3, 3)``, that turns colours around the axis of greys."""
    cos, sin = np.cos(angle), np.sin(angle)
    third, root = (1 - cos) / 3, np.sqrt(1 / 3) * sin
    return np.float32([[cos + third, third + root, third - root],
                       [third - root, cos + third, third + root],
                       [third + root, third - root, cos + third]])  # fmt: skip
