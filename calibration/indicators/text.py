"""Find and read short lines of text, and seven-segment displays, in a part of a picture.

Text is found and recognised by the two networks of RapidOCR (PP-OCR), which are in its wheel. They
are run here directly: the rest of RapidOCR takes half a second to import and enlarges each small
picture. A strip of 640 by 160 pixels takes 20 ms, and each line 5 to 10 ms more.

Displays are coloured segments on a dark panel, sharp, scaled or dithered. A digit is described by
how bright its seven segments are between the panel (0) and the lit segments (1), and by its two
holes, which are dark. Every width and pitch of two to five digits that ends at the right edge of
the lit pixels is tried. The number counts if the best fit is clear, and all fits of about the same
quality give the same number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import product, takewhile
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.grid import PixelBox, shared_area
from calibration.read.network import session_options

# Segments in the order top, upper right, lower right, bottom, lower left, upper left, middle.
DIGIT_OF_SEGMENTS: Final = {
    (1, 1, 1, 1, 1, 1, 0): "0",
    (0, 1, 1, 0, 0, 0, 0): "1",
    (1, 1, 0, 1, 1, 0, 1): "2",
    (1, 1, 1, 1, 0, 0, 1): "3",
    (0, 1, 1, 0, 0, 1, 1): "4",
    (1, 0, 1, 1, 0, 1, 1): "5",
    (1, 0, 1, 1, 1, 1, 1): "6",
    (0, 0, 1, 1, 1, 1, 1): "6",
    (1, 1, 1, 0, 0, 0, 0): "7",
    (1, 1, 1, 0, 0, 1, 0): "7",
    (1, 1, 1, 1, 1, 1, 1): "8",
    (1, 1, 1, 1, 0, 1, 1): "9",
    (1, 1, 1, 0, 0, 1, 1): "9",
    (0, 0, 0, 0, 0, 0, 1): "-",
}

GAPS_PX: Final = (5, 9, 15, 25, 45)
"""Pixels over which lit segments are joined into one display."""

SAME_LIGHT: Final = 80
"""Most difference of a channel between lit segments of one display."""

HEIGHT: Final = 40
"""Height in pixels to which the digits are scaled."""

MOST_DIGITS: Final = 5

ENDS: Final = (0, 2, 4)
"""How far left of the last lit pixel the last digit may end, in a blurred picture."""

MOST_BETWEEN: Final = 0.3
"""Most mean brightness between two digits; more makes a fit worse."""

LEAST_COLOUR: Final = 90
"""Least difference between the strongest and the weakest channel of a lit segment."""

DARK: Final = 0.55
"""Most brightness of the panel, as a share of the lit segments'."""

LIT: Final = 0.57
"""Brightness from which a segment is lit: unlit ones that are dithered have up to 0.4."""

LEAST_CLEAR: Final = 0.25
"""Least distance of a segment's brightness from `LIT`, doubled."""

MOST_WORSE: Final = 0.2
"""How much worse a fit with more digits may be than the best one."""

RIVAL_SCORE: Final = 0.1
"""Fits that are at most this much worse than the best one must give the same number."""


def find_displays(pixels: NDArray[np.uint8]) -> dict[PixelBox, str]:
    """Find the displays in RGB pixels ``(height, width, 3)``: their boxes, and what they show.

    Part of a display may be read as a shorter one, which does not count. Boxes that overlap with
    other digits are both left out.
    """
    best = dict[PixelBox, str]()
    for box, text in sorted(_candidates(pixels), key=lambda one: -len(one[1])):
        if not any(shared_area(box, other) and text in shown for other, shown in best.items()):
            best[box] = text
    return {
        box: text
        for box, text in best.items()
        if not any(box != other and shared_area(box, other) for other in best)
    }


def _candidates(pixels: NDArray[np.uint8]) -> Iterator[tuple[PixelBox, str]]:
    """Yield what resembles a display: its box, and what it shows."""
    strongest = pixels.max(axis=2)
    lit = strongest - pixels.min(axis=2) > LEAST_COLOUR
    near_dark = cv2.dilate((strongest < 120).astype(np.uint8), np.ones((21, 21), np.uint8))
    lit &= near_dark > 0
    if not lit.any():
        return
    found: list[PixelBox] = []
    for reach in GAPS_PX:
        joined = cv2.morphologyEx(
            lit.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8)
        )
        joined[~lit & (strongest >= 120)] = 0  # no display goes on over the frame around its panel
        _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
        for x, y, w, h, area in stats[1:].tolist():
            box = PixelBox(x - 1, y - 1, x + w + 1, y + h + 1)
            if not (9 <= h <= 120 and 0.8 * h <= w <= 5 * h) or area < 0.4 * w * h or box in found:
                continue
            found.append(box)
            part = pixels[max(0, y - 1) : y + h + 1, max(0, x - 1) : x + w + 1]
            text = read_display(part)
            if text is not None and not _goes_on(pixels, lit, PixelBox(x, y, x + w, y + h)):
                yield box, text


def _goes_on(pixels: NDArray[np.uint8], lit: NDArray[np.bool_], box: PixelBox) -> bool:
    """Whether the digits in a box are part of a longer number: the same colour is lit beside it."""
    x0, y0, x1, y1 = box
    reach = round(0.9 * (y1 - y0))
    rows, alight = pixels[y0:y1], lit[y0:y1]
    own = rows[:, x0:x1][alight[:, x0:x1]].mean(axis=0)
    framed = ((rows.max(axis=2) > 120) & ~alight).mean(axis=0) > 0.5  # where the panel has ended
    for outwards in (range(x0 - 1, max(-1, x0 - 1 - reach), -1), range(x1, x1 + reach)):
        columns = list(takewhile(lambda x: x < len(framed) and not framed[x], outwards))
        near = rows[:, columns][alight[:, columns]]
        if (np.abs(near - own).max(axis=1, initial=0) < SAME_LIGHT).sum() >= 0.25 * (y1 - y0):
            return True
    return False


def read_display(pixels: NDArray[np.uint8]) -> str | None:
    """Read the display in RGB pixels that show little else; None if there is no clear one.

    Returns its digits with all leading zeros, after a minus sign if there is one.
    """
    fitted = _lit_part(pixels)
    if fitted is None:
        return None
    fits = sorted(_fits(fitted), reverse=True)
    if not fits or fits[0][0] < LEAST_CLEAR:
        return None
    # A 1 and its neighbour can look like one wide digit, but one digit never like two with a gap.
    most = max(len(text) for score, text in fits if score > fits[0][0] - MOST_WORSE)
    fits = [fit for fit in fits if len(fit[1]) == most]
    best = fits[0][0]
    near = {text for score, text in fits if score > best - RIVAL_SCORE}
    return near.pop() if len(near) == 1 else None


def _lit_part(pixels: NDArray[np.uint8]) -> NDArray[np.float32] | None:
    """Return how lit the pixels of the digits are, 0 to 1, scaled to `HEIGHT`; None if none are."""
    strongest = pixels.max(axis=2).astype(np.float32)
    colour = strongest - pixels.min(axis=2)
    most = float(np.percentile(colour, 97))
    if most < LEAST_COLOUR:
        return None
    lit = colour > 0.6 * most
    rows, cols = np.flatnonzero(lit.sum(axis=1) > 1), np.flatnonzero(lit.any(axis=0))
    if not len(rows) or not len(cols):
        return None
    inside = slice(rows[0], rows[-1] + 1), slice(cols[0], cols[-1] + 1)
    high, wide = rows[-1] + 1 - rows[0], cols[-1] + 1 - cols[0]
    if high < 8 or not 0.5 * high <= wide <= 5 * high:
        return None
    if np.percentile(strongest[inside], 15) > DARK * np.median(strongest[lit]):
        return None
    size = round(wide * HEIGHT / high), HEIGHT
    method = cv2.INTER_AREA if high > HEIGHT else cv2.INTER_LINEAR
    level = cv2.GaussianBlur(colour[inside], (0, 0), 0.02 * high + 0.3)
    level = cv2.resize(level, size, interpolation=method)
    low, top = np.percentile(level, 5), np.percentile(level, 90)
    return np.asarray(np.clip((level - low) / max(top - low, 1.0), 0, 1), np.float32)


def _fits(level: NDArray[np.float32]) -> Iterator[tuple[float, str]]:
    """Yield the numbers that digits of every width and pitch show, each with its score."""
    columns = level.mean(axis=0)
    for width in range(round(0.4 * HEIGHT), round(0.75 * HEIGHT)):
        clear, chars = _digits(level, width)
        for end, gap, count in product(
            ENDS, range(1, round(0.6 * width)), range(2, MOST_DIGITS + 1)
        ):
            first = level.shape[1] - end - width - (width + gap) * (count - 1)
            if not -0.85 * width <= first <= 0.14 * width:
                continue
            starts = range(first, first + count * (width + gap), width + gap)
            score = min(clear[start + width] for start in starts)
            if score < LEAST_CLEAR:
                continue
            text = "".join(chars[start + width] for start in starts)
            ink = max(float(columns[max(0, at - gap) : at].mean()) for at in starts[1:])
            score -= max(0.0, ink - MOST_BETWEEN)
            narrow = first < -0.2 * width  # only a 1 does not reach the left of its place
            if (
                score >= LEAST_CLEAR
                and text.lstrip("-").isdigit()
                and "-" not in text[1:]
                and not (narrow and text[0] != "1")
            ):
                yield score, text


def _digits(level: NDArray[np.float32], width: int) -> tuple[list[float], list[str]]:
    """Return how clear the digit at each place is, and which one; "" where there is none.

    Place n begins n - ``width`` columns from the left.
    """
    padded = np.pad(level, ((0, 0), (width, 0)))
    parts = np.lib.stride_tricks.sliding_window_view(padded, width, axis=1)  # row, place, column
    upper, lower = parts[8:15].mean(axis=0), parts[25:32].mean(axis=0)
    middle = parts[:, :, round(0.38 * width) : round(0.62 * width) + 1].mean(axis=2)
    side = round(0.38 * width)
    found = np.stack(
        [
            middle[:9].max(axis=0),
            upper[:, -side:].max(axis=1),
            lower[:, -side:].max(axis=1),
            middle[-9:].max(axis=0),
            lower[:, :side].max(axis=1),
            upper[:, :side].max(axis=1),
            middle[15:25].max(axis=0),
        ],
        axis=1,
    )
    chars = [DIGIT_OF_SEGMENTS.get(tuple(lit), "") for lit in (found > LIT).astype(int).tolist()]
    holes = np.maximum(middle[10:15].min(axis=0), middle[25:30].min(axis=0))
    clear = np.minimum(2 * np.abs(found - LIT).min(axis=1), 2 * (0.75 - holes)).clip(max=1.0)
    return np.where(np.array(chars) == "", 0.0, clear).tolist(), chars


Pixels = NDArray[np.uint8]

STEP: Final = 32
"""The network that finds lines takes pictures whose sides are multiples of this."""

LEAST_INK: Final = 0.3
"""Least chance of a pixel that belongs to a line of text."""

LINE_HEIGHT_PX: Final = 48
"""The height of a line that the other network takes."""

MOST_WIDTH: Final = 40
"""Most width of a line, as a multiple of its height: longer ones are sentences. The
core that the network marks is half as high as the line."""


@dataclass(frozen=True)
class Line:
    """A line of text and its box in the picture.

    ``sure`` is the confidence of each character, and ``at`` the column of its middle.
    """

    text: str
    box: PixelBox
    sure: tuple[float, ...]
    at: tuple[float, ...]


def find_lines(pixels: Pixels, scale: float = 1.0) -> list[PixelBox]:
    """Find lines of text in RGB pixels ``(height, width, 3)``, enlarged by ``scale`` for this."""
    height, width = pixels.shape[:2]
    sides = [max(STEP, round(side * scale / STEP) * STEP) for side in (width, height)]
    try:
        network = _network("det")
    except FileNotFoundError:
        return []
    chances = network.run(
        cv2.resize(pixels, sides, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    )[0]
    mask = (chances > LEAST_INK).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    across, down = width / sides[0], height / sides[1]
    boxes = []
    for x, y, w, h in stats[1:, :4].tolist():
        if min(w, h) < 3 or chances[y : y + h, x : x + w].max() < 0.6:
            continue
        if w > MOST_WIDTH * h:
            continue
        room = 0.8 * w * h / (w + h)  # the network marks the core of a line only
        boxes.append(
            PixelBox(
                max(0, round((x - room) * across)),
                max(0, round((y - room) * down)),
                min(width, round((x + w + room) * across)),
                min(height, round((y + h + room) * down)),
            )
        )
    return sorted(boxes)


def read_line(pixels: Pixels, box: PixelBox) -> Line:
    """Recognise the characters of one line."""
    part = pixels[box.y0 : box.y1, box.x0 : box.x1]
    wide = max(8, round(part.shape[1] * LINE_HEIGHT_PX / part.shape[0]))
    chances = _network("rec").run(
        cv2.resize(part, (wide, LINE_HEIGHT_PX), interpolation=cv2.INTER_CUBIC)
    )
    best, sure = chances.argmax(axis=1), chances.max(axis=1)
    characters = _network("rec").characters
    # Of neighbouring steps with the same character one counts (connectionist temporal decoding).
    new = (best > 0) & (best != np.append(0, best[:-1]))
    text = "".join(characters[one] for one in best[new])
    at = box.x0 + (np.flatnonzero(new) + 0.5) * (box.x1 - box.x0) / len(best)
    return Line(text, box, tuple(sure[new].tolist()), tuple(at.tolist()))


class _Network:
    def __init__(self, path: Path) -> None:
        from onnxruntime import InferenceSession  # noqa: PLC0415

        self._session: Any = InferenceSession(
            path, session_options(), providers=["CPUExecutionProvider"]
        )
        self._name = self._session.get_inputs()[0].name
        listed = self._session.get_modelmeta().custom_metadata_map.get("character", "")
        self.characters: Sequence[str] = ["", *listed.splitlines(), " "]

    def run(self, pixels: NDArray[Any]) -> NDArray[np.float32]:
        """Return the network's output for RGB pixels."""
        values = pixels[..., ::-1].astype(np.float32) / 127.5 - 1
        result = self._session.run(None, {self._name: values.transpose(2, 0, 1)[None]})[0]
        return np.asarray(result[0], dtype=np.float32)


@cache
def _network(kind: str) -> _Network:
    found = find_spec("rapidocr")
    folders = found.submodule_search_locations if found else None
    for folder in folders or ():
        for path in Path(folder).glob(f"models/*_{kind}_*.onnx"):
            return _Network(path)
    raise FileNotFoundError(f"RapidOCR brings no network {kind!r}: install rapidocr again.")
