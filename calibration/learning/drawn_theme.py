"""One theme, drawn by chance: its backgrounds, its font and colours, its flags and mines.

The backgrounds of open and covered tiles are drawn in `GROUND_STYLES`, as whole programs have them.
Each style is a function of a generator of chance; it returns the colour of the page and both
backgrounds.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.learning import glyphs, shapes
from calibration.learning.glyphs import over
from calibration.learning.shapes import (
    ALL_SIDES,
    LOWER_RIGHT,
    UPPER_LEFT,
    Background,
    Plates,
    classic_inks,
    colour,
    finished,
    glowing,
    ink,
    padded,
)

SHARE_OF_KIND = {
    "digit": 0.43, "zero": 0.025, "empty": 0.12, "flag": 0.095, "question": 0.045, "mine": 0.095,
    "exploded": 0.065, "wrong_flag": 0.05, "other": 0.075,
}  # fmt: skip
"""How often tiles of each kind are drawn; the digits 1 to 8 equally often."""


def pick(rng, things):
    return things[int(rng.integers(len(things)))]


class DrawnTheme:
    """Random choices that hold for a whole board. `glyph` returns what a label shows."""

    def __init__(self, rng, characters, tile, style=None):
        self.rng, self.characters, self.tile = rng, characters, tile
        self.classic = 0.3 if style is None else style.classic
        self.page, self.open, self.covered = style(rng) if style else any_backgrounds(rng)
        # Some programs colour the whole tile by its number.
        self.of_digits = [Background(rng) for _ in range(8)] if rng.random() < 0.06 else None
        # Others draw the digits on discs, balls or badges, and a few their marks too.
        self.plates = Plates(rng, self.open.on(0, 0)) if rng.random() < 0.14 else None
        self.marks_on_plates = self.plates is not None and rng.random() < 0.2
        self._choose_digits()
        self._choose_symbols()

    def _choose_digits(self):
        rng = self.rng
        bold = self.classic > 0.4 and rng.random() < 0.45
        self.font = self.characters.bold_font(rng) if bold else self.characters.font(rng)
        kind = rng.random()
        self.height = rng.uniform(0.35, 0.85)
        if kind < 0.14:
            self.height = rng.uniform(0.13, 0.35)
        elif kind > 0.93:
            self.height = rng.uniform(0.85, 1.15)
        self.aliased = rng.random() < 0.1
        self.keycaps = rng.random() < 0.04
        # Faint digits are a kind of their own; so are faint and thin ones.
        least = float(rng.choice([0.1, 0.2, 0.35]))
        self.inks = self._digit_inks(least)
        self.place = rng.normal(0, 0.03, 2)
        if rng.random() < 0.07:
            room = max(0.0, (1 - self.height) / 2 - 0.05)
            self.place = rng.choice([-1, 1], 2) * room
        self.effect = pick(rng, ["", "", "", "", "", "", "lcd", "lcd", "shadow", "outline", "glow",
                                 "turned", "stretched", "faded", "bold", "scanned"])  # fmt: skip
        self.effect_ink = colour(rng)

    def _digit_inks(self, least):
        rng, grounds = self.rng, [self.open.on(0, 0), self.open.on(0, 1)]
        kind = rng.random()
        if self.plates:
            if rng.random() < 0.5:
                return [ink(rng, self.plates.colours, least)] * 8
            return [ink(rng, [plate], least) for plate in self.plates.colours]
        if self.of_digits:
            return [ink(rng, [ground.on(0, 0), ground.on(0, 1)], 0.3) for ground in self.of_digits]
        if kind < self.classic:
            inks = classic_inks()
            if self.classic > 0.4 and rng.random() < 0.5:
                inks = np.clip(inks + rng.normal(0, rng.uniform(0.02, 0.12), (8, 3)), 0, 1)
            far = [min(np.abs(one - ground).max() for ground in grounds) >= least for one in inks]
            return [one if ok else ink(rng, grounds, least)
                    for one, ok in zip(inks, far, strict=True)]  # fmt: skip
        if kind < 0.6:
            return [ink(rng, grounds, least)] * 8
        if kind < 0.7:
            start, step = rng.random(), rng.uniform(0.02, 0.1)
            ramp = [np.array(colorsys.hsv_to_rgb((start + step * k) % 1, 0.9, rng.uniform(0.5, 1)))
                    for k in range(8)]  # fmt: skip
            return [one if np.abs(one - grounds[0]).max() >= least else ink(rng, grounds, least)
                    for one in ramp]  # fmt: skip
        return [ink(rng, grounds, least) for _ in range(8)]

    def _choose_symbols(self):
        """Make the one flag, mine and so on of this theme, as a program has them."""
        rng = self.rng
        grounds = [self.covered.on(0, 0), self.open.on(0, 0)]
        self.size = rng.uniform(0.25 if rng.random() < 0.2 else 0.4, 0.95)
        red = np.array([rng.uniform(0.7, 1), rng.uniform(0, 0.25), rng.uniform(0, 0.25)])
        cloth = red if rng.random() < 0.6 else ink(rng, grounds, 0.2)
        pole = ink(rng, grounds, 0.2) if rng.random() < 0.8 else cloth
        body = np.full(3, rng.uniform(0, 0.25)) if rng.random() < 0.6 else ink(rng, grounds, 0.2)
        if min(np.abs(body - ground).max() for ground in grounds) < 0.1:
            body = ink(rng, grounds, 0.2)
        shine = np.ones(3) if rng.random() < 0.6 else colour(rng)
        self.flag = finished(rng, self._flag(cloth, pole), pole)
        self.mine = finished(rng, self._mine(body, shine), shine, turn=np.pi)
        # Some draw only their flags and mines on plates.
        self.flag_plates = Plates(rng, grounds[0]) if rng.random() < 0.07 else None
        self.mine_plates = Plates(rng, grounds[1]) if rng.random() < 0.07 else None
        self.mine_paper = self.open if rng.random() < 0.7 else Background(rng)
        strike = red if rng.random() < 0.6 else ink(rng, grounds, 0.2)
        self.strike = shapes.cross(rng, strike)
        self.wrong_on_red = rng.random() < 0.15
        self.blown_paper = Background(rng, red if rng.random() < 0.75 else colour(rng))
        # A program shows by the background of a mine that it exploded, or by its colour.
        self.blown_ink = None if rng.random() < 0.8 else red

    def _height(self):
        return max(4.0, self.size * self.tile)

    def _flag(self, cloth, pole):
        rng, characters, high = self.rng, self.characters, self._height()
        kind = rng.random()
        if kind < 0.44:
            return shapes.flag(rng, cloth, pole)
        if kind < 0.68:
            return characters.coloured(rng, glyphs.EMOJI_FLAGS, high)
        if kind < 0.8:
            return recolour(characters.symbol(rng, glyphs.FLAG_SIGNS, high), cloth)
        if kind < 0.88:
            return recolour(characters.symbol(rng, glyphs.ICONS["flag"], high), cloth)
        return recolour(characters.letter(rng, self.font, glyphs.FLAG_LETTERS, high), cloth)

    def _mine(self, body, shine):
        rng, characters, high = self.rng, self.characters, self._height()
        kind = rng.random()
        if kind < 0.45:
            return shapes.mine(rng, body, shine)
        if kind < 0.66:
            return characters.coloured(rng, glyphs.EMOJI_MINES, high)
        if kind < 0.8:
            return recolour(characters.symbol(rng, glyphs.MINES, high), body)
        if kind < 0.9:
            return recolour(characters.symbol(rng, glyphs.ICONS["mine"], high), body)
        return recolour(characters.letter(rng, self.font, glyphs.MINE_LETTERS, high), body)

    def background(self, label):
        """Return what a label is drawn on."""
        rng = self.rng
        if label == "exploded":
            return self.blown_paper if self.blown_ink is None else self.mine_paper
        if label == "wrong_flag" and self.wrong_on_red:
            return self.blown_paper
        if label == "mine":
            return self.mine_paper
        if label in ("flag", "question", "wrong_flag"):
            return self.covered if rng.random() < 0.8 else self.open
        if label in ("empty", "other"):
            kind = rng.random()
            if kind < 0.12:
                return Background(rng)
            return self.covered if kind < 0.55 else self.open
        return self.of_digits[int(label) - 1] if self.of_digits and label.isdigit() else self.open

    def glyph(self, label):
        """Return the glyph of a label at its size, and how far from the middle it stands."""
        if label == "empty":
            return None, (0, 0)
        if label.isdigit() or label == "zero":
            return self._digit("0" if label == "zero" else label), self.place
        glyph = getattr(self, "_draw_" + label)()
        plates = self._plates_of(label)
        if plates:
            small = glyphs.shrink(glyph, max(4.0, 0.95 * self.tile / plates.side))
            glyph = plates.under(small, plates.colours[0])
        return glyph, self.rng.normal(0, 0.02, 2)

    def _plates_of(self, label):
        if label not in ("flag", "question", "mine"):
            return None
        own = {"flag": self.flag_plates, "mine": self.mine_plates}.get(label)
        return own or (self.plates if self.marks_on_plates else None)

    def _digit(self, digit):
        high = max(self.height * self.tile, 4.5)
        if self.keycaps:
            return self.characters.keycap(digit, min(high * 1.2, self.tile))
        rgb = self.inks[int(digit) - 1]
        if self.plates:
            high = min(high, 0.95 * self.tile / self.plates.side)
        glyph = glyphs.text(self.font, digit, high, aliased=self.aliased, rgb=rgb)
        glyph = styled(self.rng, glyph, self.effect, self.effect_ink)
        if self.plates:
            glyph = self.plates.under(glyph, self.plates.colours[int(digit) - 1])
        return glyph

    def _draw_flag(self):
        return glyphs.shrink(self.flag, self._height())

    def _draw_mine(self):
        return glyphs.shrink(self.mine, self._height())

    def _draw_question(self):
        rng, high = self.rng, self._height()
        kind = rng.random()
        if kind < 0.15:
            return self.characters.coloured(rng, glyphs.EMOJI_QUESTIONS, high)
        if kind < 0.26:
            small = self.characters.letter(rng, self.font, "?", 0.45 * high)
            return beside(glyphs.shrink(self.flag, high), recolour(small, self._ink()))
        sign = self.inks[int(rng.integers(8))] if rng.random() < 0.5 else self._ink()
        if kind < 0.34:
            signs = glyphs.ICONS["question"] + "❓❔"
            return recolour(self.characters.symbol(rng, signs, high), sign)
        return recolour(self.characters.letter(rng, self.font, "?", high), sign)

    def _draw_exploded(self):
        rng, kind = self.rng, self.rng.random()
        if kind < 0.55:
            mine = self._draw_mine()
            return mine if self.blown_ink is None else recolour(mine, self.blown_ink)
        if kind < 0.75:
            return self.characters.coloured(rng, glyphs.EMOJI_BURSTS, self._height())
        if kind < 0.95:
            return glyphs.shrink(shapes.explosion(rng, self._ink()), self._height())
        return recolour(self.characters.symbol(rng, glyphs.BURSTS, self._height()), self._ink())

    def _draw_wrong_flag(self):
        rng, high = self.rng, self._height()
        kind = rng.random()
        if kind < 0.1:
            return self.characters.coloured(rng, glyphs.EMOJI_CROSSES, high)
        if kind < 0.2:
            signs = glyphs.CROSSES + glyphs.ICONS["cross"]
            return recolour(self.characters.symbol(rng, signs, high), self._ink())
        if kind < 0.24:
            return glyphs.shrink(self.strike, high)
        if self.wrong_on_red and kind < 0.7:
            return self._draw_flag()
        below = self.flag if rng.random() < 0.5 else self.mine
        return struck(glyphs.shrink(below, high), self.strike, rng.uniform(0.75, 1.1))

    def _draw_other(self):
        rng, high = self.rng, self._height()
        kind = rng.random()
        if kind < 0.25:
            return glyphs.text(self.font, glyphs.words(rng), high * 0.6, rgb=self._ink())
        if kind < 0.5:
            sign = pick(rng, glyphs.OTHER_LETTERS)
            return glyphs.text(self.font, sign, high, rgb=self._ink())
        if kind < 0.75:
            return self.characters.coloured(rng, glyphs.EMOJI_OTHERS, high)
        signs = glyphs.OTHER_SYMBOLS + glyphs.ICONS["other"]
        return recolour(self.characters.symbol(rng, signs, high), self._ink())

    def _ink(self):
        return ink(self.rng, [self.open.on(0, 0), self.covered.on(0, 0)], 0.15)


def any_backgrounds(rng):
    """Return the colour of the page and the grounds of open and covered tiles: anything."""
    page = colour(rng)
    ground, covered = Background(rng), Background(rng)
    if rng.random() < 0.3:
        covered = Background(rng, ground.base * rng.uniform(0.8, 1.0))
    return page, ground, covered


def recolour(glyph, rgb):
    glyph = glyph.copy()
    glyph[..., :3] = rgb
    return glyph


def beside(glyph, small):
    """Return a glyph with a small one in its lower right corner."""
    room = np.pad(glyph, ((0, small.shape[0] // 4), (0, small.shape[1] // 2), (0, 0)))
    top = max(0, room.shape[0] - small.shape[0])
    left = max(0, room.shape[1] - small.shape[1])
    upper = np.zeros_like(room)
    part = small[: room.shape[0], : room.shape[1]]
    upper[top : top + part.shape[0], left : left + part.shape[1]] = part
    return over(room, upper)


def styled(rng, glyph, effect, rgb):
    """Return a digit with the effect of its theme."""
    alpha = glyph[..., 3]
    if effect in ("shadow", "outline", "bold"):
        return _thickened(glyph, effect, rgb)
    if effect == "turned":
        height, width = alpha.shape
        matrix = cv2.getRotationMatrix2D((width / 2, height / 2), rng.uniform(-9, 9), 1)
        return cv2.warpAffine(glyph, matrix, (width, height))
    if effect == "stretched":
        size = max(2, round(glyph.shape[1] * rng.uniform(0.7, 1.5))), glyph.shape[0]
        return np.clip(cv2.resize(glyph, size, interpolation=cv2.INTER_AREA), 0, 1)
    if effect == "glow":
        return glowing(glyph, glyph[0, 0, :3] if rng.random() < 0.7 else rgb, 0.15)
    if effect == "scanned":
        return _scanned(glyph, max(2, round(rng.choice([8, 12, 16]) * glyph.shape[0] / 32)))
    if effect == "faded":
        glyph = glyph.copy()
        glyph[..., 3] *= rng.uniform(0.6, 0.95)
    return glyph


def _thickened(glyph, effect, rgb):
    """Add a shadow, an outline, or half a pixel of ink."""
    reach = max(1, round(glyph.shape[0] / 16))
    glyph = padded(glyph, reach)
    alpha = glyph[..., 3]
    if effect == "shadow":
        under = np.roll(alpha, (reach, reach), (0, 1)) * 0.8
    else:
        under = cv2.dilate(alpha, np.ones((2 * reach + 1, 2 * reach + 1), np.float32))
    if effect == "bold":
        return np.dstack([glyph[..., :3], 0.5 * alpha + 0.5 * under])
    lower = glyphs.tinted(under, rgb)
    return over(lower, glyph)


def _scanned(glyph, step):
    """Leave out every second line of a coarse screen, whose lines are ``step`` / 2 pixels high."""
    glyph = glyph.copy()
    glyph[np.arange(len(glyph)) % step >= step / 2, :, 3] *= 0.15
    return glyph


def struck(glyph, strike, scale):
    """Return a glyph with a cross over it."""
    side = max(glyph.shape[:2])
    lower, upper = np.zeros((side, side, 4), np.float32), np.zeros((side, side, 4), np.float32)
    top, left = (side - glyph.shape[0]) // 2, (side - glyph.shape[1]) // 2
    lower[top : top + glyph.shape[0], left : left + glyph.shape[1]] = glyph
    line = cv2.resize(
        strike, (max(2, round(side * min(scale, 1))),) * 2, None, 0, 0, cv2.INTER_AREA
    )
    at = (side - line.shape[0]) // 2
    upper[at : at + line.shape[0], at : at + line.shape[1]] = line
    return over(lower, upper)


@dataclass(frozen=True)
class Backgrounds:
    """A style of grounds; ``classic`` is the share of themes whose digits have usual colours."""

    name: str
    weight: float
    classic: float
    draw: Callable

    def __call__(self, rng):
        return self.draw(rng)


def choose(rng):
    """Return a style, the likelier the larger its weight."""
    weights = np.array([style.weight for style in GROUND_STYLES])
    return GROUND_STYLES[int(rng.choice(len(GROUND_STYLES), p=weights / weights.sum()))]


def plain(rng, base, **drawn):
    """Return a ground of one colour with nothing on it but what is named."""
    ground = Background(rng, np.clip(base, 0, 1))
    ground.checked = ground.rainbow = False
    ground.gradient, ground.stripes, ground.dashes = "", None, 0
    for name in ("gap", "rounded", "bevel", "outline", "texture", "shadow", "cap"):
        setattr(ground, name, 0.0)
    for name, value in drawn.items():
        setattr(ground, name, value)
    return ground


def grey(rng, low=0.55, high=0.95):
    """Return a grey that may have a breath of colour."""
    base = np.full(3, rng.uniform(low, high))
    return base + rng.normal(0, 0.02, 3) * (rng.random() < 0.4)


def tone(rng):
    """Return a colour of a page in one tone: a light, strong or dark one."""
    kind = rng.random()
    if kind < 0.45:
        return grey(rng)
    if kind < 0.6:
        return grey(rng, 0.02, 0.3)
    return np.array(colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.05, 0.9), rng.uniform(0.3, 1)))


def line(rng, base):
    """Return how a thin line around a tile is drawn: its width, colour and sides."""
    ink = base * rng.uniform(0.45, 0.95) if rng.random() < 0.8 else colour(rng)
    sides = [ALL_SIDES, UPPER_LEFT, LOWER_RIGHT][int(rng.integers(3))]
    return {"outline": rng.uniform(0.01, 0.07), "outline_ink": ink, "outlined": sides}


def relief(rng):
    """Covered tiles stand out of a board of nearly one grey; open ones have a line or none."""
    base = grey(rng, 0.6, 0.92) if rng.random() < 0.7 else tone(rng)
    covered = plain(rng, base + rng.uniform(-0.04, 0.06) * (rng.random() < 0.6),
                    bevel=rng.uniform(0.04, 0.17), relief=rng.uniform(0.25, 1.3),
                    gradient=str(rng.choice(["", "", "slant", "down"])))  # fmt: skip
    covered.depth = rng.uniform(-0.15, 0.15)
    if rng.random() < 0.3:
        for name, value in line(rng, base).items():
            setattr(covered, name, value)
    lines = line(rng, base) if rng.random() < 0.65 else {}
    ground = plain(rng, base - rng.uniform(-0.03, 0.08) * (rng.random() < 0.5), **lines)
    if rng.random() < 0.08:
        ground, covered = covered, ground
    return (base if rng.random() < 0.6 else colour(rng)), ground, covered


def flat(rng):
    """Two colours of one tone, with gaps, lines or nothing between tiles."""
    base = tone(rng)
    other = np.clip(base + rng.choice([-1, 1]) * rng.uniform(0.04, 0.35), 0, 1)
    if rng.random() < 0.3:
        other = tone(rng)
    way = rng.random()
    shared = {}
    if way < 0.35:
        shared = {"gap": rng.uniform(0.02, 0.14), "rounded": rng.uniform(0, 0.4) * (way < 0.2)}
    elif way < 0.7:
        shared = line(rng, base)
    ground = plain(rng, base, **shared)
    covered = plain(rng, other, **(shared if rng.random() < 0.7 else {}))
    if rng.random() < 0.25:
        covered.gradient = str(rng.choice(["down", "slant", "gloss", "radial"]))
    return (base if rng.random() < 0.3 else colour(rng)), ground, covered


def checkered(rng):
    """Tints that change from tile to tile as on a chessboard, without lines."""
    ground, covered = plain(rng, tone(rng), checked=True), plain(rng, tone(rng), checked=True)
    for one in (ground, covered):
        one.second = np.clip(one.base + rng.choice([-1, 1]) * rng.uniform(0.015, 0.1), 0, 1)
    if rng.random() < 0.2:
        ground.checked = False
    return colour(rng), ground, covered


def shy(rng):
    """Open and covered tiles differ by a few steps of grey, or by faint lines."""
    base = grey(rng, 0.03, 0.97) if rng.random() < 0.8 else tone(rng)
    step = rng.choice([-1, 1]) * rng.uniform(0.012, 0.06)
    ground = plain(rng, base, **(line(rng, base) if rng.random() < 0.5 else {}))
    covered = plain(rng, base + step, **(line(rng, base) if rng.random() < 0.4 else {}))
    if rng.random() < 0.4:
        covered.bevel, covered.relief = rng.uniform(0.03, 0.1), rng.uniform(0.1, 0.4)
    if rng.random() < 0.3:
        ground.gap = covered.gap = rng.uniform(0.02, 0.1)
    return (base if rng.random() < 0.5 else colour(rng)), ground, covered


def ruled(rng):
    """Black or white ground with strong lines, whole or dotted; covered tiles in a strong tone."""
    base = np.full(3, float(rng.random() < 0.5))
    ink = 1 - base if rng.random() < 0.6 else colour(rng)
    drawn = {"outline": rng.uniform(0.02, 0.07), "outline_ink": ink}
    ground = plain(rng, base, **drawn, dashes=int(rng.choice([0, 0, 3, 6, 9])))
    ground.outlined = [ALL_SIDES, UPPER_LEFT][int(rng.integers(2))]
    covered = plain(rng, tone(rng) if rng.random() < 0.7 else base, **drawn)
    if rng.random() < 0.4:
        covered.bevel, covered.relief = rng.uniform(0.04, 0.14), rng.uniform(0.4, 1.0)
    if np.abs(covered.base - base).max() < 0.03 and not covered.bevel:
        covered.base = np.abs(base - rng.uniform(0.1, 0.6))
    return base, ground, covered


def framed(rng):
    """Open tiles without anything, covered ones rounded or glossy, as on phones."""
    page = tone(rng)
    ground = plain(rng, page)
    covered = plain(rng, tone(rng), gap=rng.uniform(0.0, 0.16), rounded=rng.uniform(0.05, 0.5),
                    gradient=str(rng.choice(["", "", "gloss", "down", "slant"])),
                    shadow=rng.uniform(0.1, 0.4) * (rng.random() < 0.3))  # fmt: skip
    if np.abs(covered.base - page).max() < 0.05:
        covered.base = np.clip(page + (0.15 if page.mean() < 0.5 else -0.15), 0, 1)
    if rng.random() < 0.4:
        ground = plain(rng, page + rng.uniform(-0.12, 0.12), gap=covered.gap,
                       rounded=covered.rounded)  # fmt: skip
        # Every second open tile is as bare as the page.
        ground.checked, ground.second = bool(rng.random() < 0.3), page
    return page, ground, covered


GROUND_STYLES = (
    Backgrounds("relief", 0.3, 0.75, relief),
    Backgrounds("flat", 0.2, 0.5, flat),
    Backgrounds("checkered", 0.07, 0.35, checkered),
    Backgrounds("shy", 0.1, 0.5, shy),
    Backgrounds("ruled", 0.06, 0.3, ruled),
    Backgrounds("framed", 0.07, 0.35, framed),
    Backgrounds("anything", 0.2, 0.3, any_backgrounds),
)
