"""Read the words that announce the end of a game: "You win!", "Game over"; and the loss of a life.

Words are read by RapidOCR (PP-OCR models on ONNX Runtime), which takes about a second; it is used
only if the board does not show enough. Lives may be a row of equal pictures, such as hearts.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid, PixelBox
from calibration.tiles import SAME_PIXEL, colour_steps
from solver.game import Status

Pixels = NDArray[np.uint8]

SMALLEST_LIFE, LARGEST_LIFE = 8, 90
"""Least and largest side of a picture that stands for a life, in pixels at scale 1."""

GAP = 5
"""Pixels between parts of one picture."""

SAME = 0.95
"""Least correlation of two equal pictures."""

GREYED_OUTLINE = 0.6
"""Least correlation of the outlines of a picture and of the same one turned grey."""

EVEN = 10.0
"""Largest spread of the colours where a picture is gone."""

GREYED = 0.5
"""Largest share of its tint that a picture keeps if it turned grey."""


def life_lost(before: Frame, after: Frame, grid: Grid) -> bool:
    """Whether one of a row of equal pictures beside a board turned grey or disappeared.

    Both frames show the same part of the screen. The other pictures of the row stay as they are. A
    changed digit of a counter is another drawing, not a grey one.
    """
    if before.pixels.shape != after.pixels.shape:
        return False
    off = colour_steps(before.pixels, after.pixels) > SAME_PIXEL
    x0, y0, x1, y1 = grid.bounds
    off[max(0, y0) : y1, max(0, x0) : x1] = False
    joined = cv2.dilate(off.astype(np.uint8), np.ones((GAP, GAP), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    margin = GAP // 2
    for x, y, width, height, _ in stats[1:].tolist():
        inner = PixelBox(x + margin, y + margin, x + width - margin, y + height - margin)
        sides = (inner.x1 - inner.x0, inner.y1 - inner.y0)
        if min(sides) < SMALLEST_LIFE or max(sides) > LARGEST_LIFE * max(1.0, before.scale):
            continue
        gone = _turned_grey(before.pixels, after.pixels, inner)
        if gone and _has_twin(before.pixels, off, inner):
            return True
    return False


def _turned_grey(before: Pixels, after: Pixels, box: PixelBox) -> bool:
    """Whether a picture disappeared, or lost its colour and kept its outline."""
    old, new = (one[box.y0 : box.y1, box.x0 : box.x1] for one in (before, after))
    if new.std(axis=(0, 1)).max() <= EVEN:
        return True
    tints = [float(np.ptp(one.astype(np.int16), axis=2).mean()) for one in (old, new)]
    grey = [one.mean(axis=2).astype(np.float32) for one in (old, new)]
    outlines = [np.abs(cv2.Laplacian(one, cv2.CV_32F)).ravel() for one in grey]
    if tints[1] > GREYED * tints[0] or not all(np.ptp(one) for one in outlines):
        return False  # it kept its colour, or nothing was drawn there
    return float(np.corrcoef(*outlines)[0, 1]) >= GREYED_OUTLINE


def _has_twin(before: Pixels, off: NDArray[np.bool_], box: PixelBox) -> bool:
    """Whether the same picture is next to it in a row or a column, unchanged."""
    picture = before[box.y0 : box.y1, box.x0 : box.x1]
    high, wide = picture.shape[:2]
    for strip in (
        (slice(box.y0, box.y1), slice(None)),
        (slice(None), slice(box.x0, box.x1)),
    ):
        found = cv2.matchTemplate(before[strip], picture, cv2.TM_CCOEFF_NORMED)
        changed = cv2.boxFilter(
            off[strip].astype(np.float32), -1, (wide, high), anchor=(0, 0), normalize=False
        )[: found.shape[0], : found.shape[1]]
        if ((found >= SAME) & (changed == 0)).any():
            return True
    return False


REACHES: Final = (150, 480, 960)
"""How far from a board words are searched, in pixels at scale 1. Nearer words first, because fewer
small words are found in a larger picture."""

LEAST_ASPECT: Final = 1.4
"""Least width of a line of text, as a multiple of its height; reading a line takes 10 ms or more.
"""

ROOM: Final = 0.15
"""Space around a line, as a share of its height: the box may cut its last letter."""

MOST_WORDS: Final = 12
"""Words of a sentence above which it is an instruction, not a result."""

MOST_CHARACTERS: Final = 12
"""The same for a sentence without spaces, as in Chinese."""

SENTENCE_ENDS: Final = re.compile(r"[.!?;…。！？；]+|:(?=\s*[^\W\d]+\s+[^\W\d])")
"""The end of a sentence, also a colon unless a number follows, as in "Won: 3"."""

COMMAS: Final = re.compile(r"[,，]+")
"""The end of a part of a sentence: "Sorry, you lost". A condition such as "If you hit a mine, you
lose" is recognised in the whole sentence."""

SAME_WORDS: Final = 0.8
"""Similarity of two lines, by `difflib`, from which they are the same line read twice."""

PLAIN_LETTERS: Final = str.maketrans("ıłđø", "ildo")
"""Letters with a stroke, or without a dot, that are not a letter with an accent."""

DRAWN_OUT: Final = re.compile(r"(\w)\1{2,}")
"""A repeated letter, as in "booom"."""


class Said(NamedTuple):
    """The announced status; ``plain`` is False if the words say only that the game is over."""

    status: Status
    plain: bool


LinesIn = Callable[[Frame, PixelBox], list[str]]
"""Returns the lines of text in a part of a frame, as `read_lines` does."""


def read_words(
    frame: Frame, grid: Grid, since: Frame | None = None, lines_in: LinesIn | None = None
) -> Said | None:
    """Return the status that words on a board and around it announce; None if there are none.

    Lines that an earlier frame, ``since``, shows do not count.
    """
    lines_in = lines_in or read_lines
    sought = None
    for reach in REACHES:
        near = _around(grid, reach, frame)
        if near == sought:
            break
        sought, lines = near, lines_in(frame, near)
        if said_status(lines) and since is not None:
            before = lines_in(since, near)
            lines = [line for line in lines if not any(_alike(line, one) for one in before)]
        if said := said_status(lines):
            return said
    return None


def counts_lives(frame: Frame, grid: Grid, lines_in: LinesIn | None = None) -> bool:
    """Whether the words near a board count lives, so that a mine may not end the game."""
    lines = (lines_in or read_lines)(frame, _around(grid, REACHES[0], frame))
    counts = [_plain(line) for line in lines]
    counts = [part for part in counts if not phrases("lives").isdisjoint(part.split())]
    return any(next(iter(re.findall(r"\d+", part)), "1").strip("0") for part in counts)


def _around(grid: Grid, reach: int, frame: Frame) -> PixelBox:
    """Return the part of a frame at most ``reach`` (pixels at scale 1) away from a board."""
    x0, y0, x1, y1 = grid.bounds
    most = round(reach * frame.scale)
    right, bottom = min(frame.width, x1 + most), min(frame.height, y1 + most)
    return PixelBox(max(0, x0 - most), max(0, y0 - most), right, bottom)


def read_lines(frame: Frame, box: PixelBox) -> list[str]:
    """Read the lines of text in a part of a frame."""
    pixels = frame.pixels[box.y0 : box.y1, box.x0 : box.x1, ::-1].copy()
    return [
        text
        for line in _cut_lines(pixels)
        for text in _engine()(line, use_det=False, use_cls=False, use_rec=True).txts or ()
    ]


def _cut_lines(pixels: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
    """Cut out lines of text; single characters, such as the digits of a board, are left out."""
    found = _engine()(pixels, use_det=True, use_cls=False, use_rec=False).boxes
    for corners in () if found is None else found:
        (x0, y0), (x1, y1) = corners.min(axis=0).astype(int), corners.max(axis=0).astype(int)
        if x1 - x0 >= LEAST_ASPECT * (y1 - y0):
            room = round(ROOM * (y1 - y0))
            yield pixels[max(0, y0 - room) : y1 + room, max(0, x0 - room) : x1 + room]


def said_status(lines: Iterable[str]) -> Said | None:
    """Return the status that lines of text announce; None if none, or both won and lost.

    >>> said_status(["Mines 10", "Sorry! You lost."])
    Said(status=<Status.LOST: 'lost'>, plain=True)
    >>> said_status(["Open all cells to win!"]) is None
    True
    """
    # The digits of a board behind a message are not words.
    sentences = {*_parts([line for line in lines if re.search(r"[^\W\d]", line)])}
    said = {kind: any(_says(one, kind) for one in sentences) for kind in ("won", "lost", "over")}
    if said["won"]:
        return None if said["lost"] else Said(Status.WON, plain=True)
    return Said(Status.LOST, plain=said["lost"]) if said["lost"] or said["over"] else None


def _alike(line: str, other: str) -> bool:
    """Whether two lines are the same, except for some letters that were read differently."""
    return SequenceMatcher(None, line, other).ratio() >= SAME_WORDS


def _parts(lines: Sequence[str]) -> Iterator[str]:
    """Yield the parts of all sentences that are not conditions, in lower case without accents.

    A sentence may continue on the next line, or end with its line without a full stop; a condition
    continues if the next line begins with a lower-case letter.
    """
    unfinished = ""
    for line in lines:
        *ended, last = SENTENCE_ENDS.split(line)
        first, *others = [*ended, last]
        goes_on = _is_condition(unfinished) and first.lstrip()[:1].islower()
        alone = [] if goes_on else [first]
        for sentence in (*alone, f"{unfinished} {first}", *others):
            if not _is_condition(sentence):
                yield from filter(None, map(_plain, COMMAS.split(sentence)))
        unfinished = last


def _is_condition(sentence: str) -> bool:
    """Whether a sentence says what wins or loses a game, not that it is won or lost."""
    return any(_holds(_plain(sentence), one) for one in phrases("conditional"))


def _plain(text: str) -> str:
    """Return the words of a text in lower case, without accents."""
    bare = unicodedata.normalize("NFKD", text.casefold().translate(PLAIN_LETTERS))
    letters = "".join(one for one in bare if not unicodedata.combining(one))
    return " ".join(re.findall(r"\w+", DRAWN_OUT.sub(r"\1\1", letters)))


def _says(sentence: str, kind: str) -> bool:
    """Whether a part of a sentence says that a game is won, lost or over."""
    if len(sentence.split()) > MOST_WORDS:
        return False
    return sentence in phrases(kind) or any(
        _holds(sentence, phrase)
        for phrase in phrases(kind)
        if " " in phrase or (not phrase.isascii() and len(sentence) <= MOST_CHARACTERS)
    )


def _holds(sentence: str, phrase: str) -> bool:
    """Whether a sentence contains a phrase; in Latin letters, as whole words."""
    return f" {phrase} " in f" {sentence} " if phrase.isascii() else phrase in sentence


@cache
def phrases(kind: str) -> frozenset[str]:
    """Return a list of words and phrases of phrases.toml."""
    text = files("calibration.indicators").joinpath("phrases.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)[kind])


@cache
def _engine() -> Any:
    from rapidocr import RapidOCR  # noqa: PLC0415 - takes half a second, and few games need it

    return RapidOCR(params={"Global.log_level": "critical"})
