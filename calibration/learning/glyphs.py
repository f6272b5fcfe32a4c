"""Characters, icons and emoji in the installed fonts that draw ordinary digits."""

from __future__ import annotations

import string
import subprocess
import zlib
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

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


FLAG_SIGNS = "⚑⚐🏴🏳⛳🏁🚩✗✖"
MINES = "✸✹☀✱✲●☢☠💣☼✺✶❋☣♁⊛"
BURSTS = "💥✹🔥"
CROSSES = "✖✗✘❌⊗❎🚫"
QUESTIONS = "?❓❔？"
FLAG_LETTERS = "FFFPP!!!!!!▶►"
MINE_LETTERS = "MMB***X@¤"
OTHER_SYMBOLS = "♥♦♣♠★☆←→↑↓♪♫✓✔☺☹▲■□◆$%&#+=~<>/()[]{}"
OTHER_LETTERS = "ACDEGHJKLNRTUVWYabcdefghkmnpqrstuvwxyz"

EMOJI_FLAGS = "🚩🚩🚩🚩🚩🚩🏁🏴🏳⛳🎌📍📌🚧⛔🚨❗⚠🔰🛑"
EMOJI_MINES = "💣💣💣💣💣💣💣💣☢☣☠💀🧨🐛🕷🦠👾👻🎃"
EMOJI_BURSTS = "💥💥💥💥💥🔥🔥🌋😵🤯"
EMOJI_CROSSES = "❌❌🚫❎✖"
EMOJI_QUESTIONS = "❓❓❔"
EMOJI_OTHERS = "😀😎🐥🐣🌱🌸🌊🐱🐶🍎🍕🚀🎉⭐🌙🏆🎈👍👀💎🟦🟩🟥⬜⬛🔲🔳❤🍀🐟🦀🧀🎁⏰🔔💡📦"

ICONS = {"flag": "\uf024\uf11d\uf11e", "mine": "\uf1e2\uf069\uf188\uf185\uf0a3", "cross": "\uf00d",
         "question": "\uf128\uf059", "other": "\uf004\uf005\uf015\uf0e7\uf013\uf007"}  # fmt: skip
"""Characters of FontAwesome 4."""

STAND_IN = "*"
"""What is drawn where no installed font has any of the signs."""

EMOJI_SIZE = 109
"""The one size in which Noto Color Emoji has its pictures."""


class Characters:
    """Finds a face for each character, and draws it."""

    def __init__(self, fonts, everything, having):
        self.fonts = fonts
        self.plain = [font for font in fonts if font.family.startswith(PLAIN_FAMILIES)]
        self.bold = [font for font in fonts if "Bold" in font.style or "Black" in font.style]
        wide = [font for font in everything if font.family in SYMBOL_FAMILIES]
        symbols = FLAG_SIGNS + MINES + BURSTS + CROSSES + QUESTIONS + OTHER_SYMBOLS + "▶►¤"
        self.faces = {sign: having(wide, sign) for sign in set(symbols)}
        icons = [font for font in everything if font.family == "FontAwesome"]
        self.faces |= {sign: icons for signs in ICONS.values() for sign in signs}
        self.asking = set(having(fonts, "?"))
        emoji = (font for font in everything if font.family == "Noto Color Emoji")
        self.emoji = next(emoji, None)

    def font(self, rng):
        """Return a face with digits; the plain ones more often."""
        return _pick(rng, self.plain if rng.random() < 0.3 else self.fonts)

    def bold_font(self, rng):
        """Return a bold face with digits."""
        return _pick(rng, self.bold)

    def symbol(self, rng, signs, height):
        """Return one of the signs from a face that has it."""
        there = [sign for sign in signs if self.faces.get(sign)]
        if not there:
            return text(_pick(rng, self.fonts), STAND_IN, height)
        sign = _pick(rng, there)
        return text(_pick(rng, self.faces[sign]), sign, height)

    def letter(self, rng, font, signs, height):
        sign = _pick(rng, signs)
        if sign in self.faces and (ord(sign) > 127 or (sign == "?" and font not in self.asking)):
            return self.symbol(rng, sign, height)
        return text(font, sign, height)

    def coloured(self, rng, signs, height):
        """Return a colour emoji, or a sign of another face where none is installed."""
        if self.emoji is None:
            return self.symbol(rng, signs, height)
        return shrink(_emoji(self.emoji.path, _pick(rng, signs)), height)

    def keycap(self, digit, height):
        """Return the colour emoji of a digit on a key, or the digit where none is installed."""
        if self.emoji is None:
            return text(self.fonts[0], digit, height)
        return shrink(_emoji(self.emoji.path, digit + "\ufe0f\u20e3"), height)


@lru_cache(maxsize=2)
def characters(*, held_out=False):
    """Return the characters of the installed fonts, or those in fonts that are never trained on."""
    chosen = [font for font in with_digits() if font.held_out == held_out]
    return Characters(chosen, installed(), having)


PLAIN_FAMILIES = ("DejaVu", "Liberation", "Roboto", "Noto Sans", "Noto Serif", "Carlito", "Caladea",
         "Open Sans", "Lato", "Inter", "Cantarell", "Arimo", "Tinos", "Cousine", "Free", "Nimbus",
         "Ubuntu", "Comic Neue", "Courier", "Tahoma", "Oxygen")  # fmt: skip
SYMBOL_FAMILIES = ("DejaVu Sans", "Symbola", "Noto Sans Symbols2", "Noto Sans Symbols", "Unifont",
                   "Unifont Upper", "FreeSerif", "FreeSans", "FreeMono", "D050000L")  # fmt: skip


def _pick(rng, things):
    return things[int(rng.integers(len(things)))]


def text(font, letters, height, *, aliased=False, rgb=(0.0, 0.0, 0.0)):
    """Return letters whose digits would be ``height`` pixels high, their box cut tight.

    The box keeps the line's height, so that signs which stand low or high stay there.
    """
    size = max(4, round(height * font_scale(font)))
    sized = font.sized(size)
    left, top, right, bottom = sized.getbbox(letters, anchor="ls")
    eight = sized.getbbox("8", anchor="ls")
    top, bottom = min(top, eight[1]), max(bottom, eight[3])
    if right - left < 1 or bottom - top < 1 or max(right - left, bottom - top) > 900:
        return blank()
    picture = Image.new("L", (right - left + 2, bottom - top + 2))
    draw = ImageDraw.Draw(picture)
    draw.fontmode = "1" if aliased else "L"
    draw.text((1 - left, 1 - top), letters, font=sized, fill=255, anchor="ls")
    return tinted(np.asarray(picture, np.float32) / 255, rgb)


@lru_cache(maxsize=4096)
def font_scale(font):
    """Return the size of a face whose digits are one pixel high."""
    box = font.sized(64).getbbox("8")
    return float(np.clip(64 / max(box[3] - box[1], 16), 0.8, 3.0))


@lru_cache(maxsize=256)
def _emoji(path, sign):
    font = ImageFont.truetype(path, EMOJI_SIZE)
    picture = Image.new("RGBA", (160, 160))
    ImageDraw.Draw(picture).text((12, 12), sign, font=font, embedded_color=True)
    box = picture.getbbox()
    if box is None:
        return blank()
    return np.asarray(picture.crop(box), np.float32) / 255


def blank():
    """Return a glyph that shows nothing."""
    return np.zeros((2, 2, 4), np.float32)


def tinted(alpha, rgb):
    """Return a glyph of one colour."""
    glyph = np.empty((*alpha.shape, 4), np.float32)
    glyph[..., :3] = rgb
    glyph[..., 3] = alpha
    return glyph


def shrink(glyph, height):
    """Resize a glyph to a height."""
    scale = max(height, 2) / glyph.shape[0]
    size = max(2, round(glyph.shape[1] * scale)), max(2, round(height))
    premultiplied = glyph * np.concatenate([glyph[..., 3:]] * 3 + [np.ones_like(glyph[..., 3:])], 2)
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = cv2.resize(premultiplied, size, interpolation=method)
    small[..., :3] /= np.maximum(small[..., 3:], 1e-3)
    return np.clip(small, 0, 1)


def over(lower, upper):
    """Lay one glyph over another of the same size."""
    top, below = upper[..., 3:], lower[..., 3:]
    alpha = top + below * (1 - top)
    rgb = (upper[..., :3] * top + lower[..., :3] * below * (1 - top)) / np.maximum(alpha, 1e-3)
    return np.concatenate([rgb, alpha], axis=2).astype(np.float32)


def words(rng):
    """Return letters that are not a digit of the game: several digits, letters, short words."""
    kind = rng.random()
    if kind < 0.45:
        return str(int(rng.integers(10, 130)))
    if kind < 0.6:
        return f"{int(rng.integers(10))}:{int(rng.integers(60)):02d}"
    count = int(rng.integers(2, 7))
    return "".join(_pick(rng, string.ascii_letters) for _ in range(count))
