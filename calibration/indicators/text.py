"""Find and read short lines of text in a part of a picture, with the networks of RapidOCR.

The two networks (PP-OCR, finding and recognising lines) lie in RapidOCR's wheel. They are run here
directly: what RapidOCR does around them imports for half a second and enlarges each small picture.
A strip of 640 by 160 pixels takes 20 ms, and each line 5 to 10 ms more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.networks import session_options
from calibration.points import PixelBox

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
