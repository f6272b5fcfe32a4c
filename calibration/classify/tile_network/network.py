"""Name single tiles by their picture: a small convolutional network, run by ONNX Runtime.

It was trained on generated tiles only (`calibration.learning`), never on a picture of a real
program, and it knows nothing of a tile's neighbours or of the rules. What it returns is one of
several witnesses. ``network.onnx.gz`` holds its layers, 48,000 weights as float16;
`calibration.learning.tile_network.layers` writes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibration.classify.tile_network.close_up import PICTURE_SIDE, close_ups
from calibration.networks import load_session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

CLASSES = (
    "empty", "1", "2", "3", "4", "5", "6", "7", "8", "zero",
    "flag", "question", "mine", "exploded", "wrong_flag", "other",
)  # fmt: skip
"""What a tile may show. ``zero`` is a drawn 0, ``other`` a glyph that no game needs, or a cover."""

NETWORK_FILE = Path(__file__).parent / "network.onnx.gz"

INPUTS = ["views", "hints"]
"""Names of the inputs; see `CloseUps` for the arrays."""


def label_scores(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return how likely each of `CLASSES` is for each tile, as natural logarithms.

    ``pictures`` is uint8 ``(n, PICTURE_SIDE, PICTURE_SIDE, 3)``, as
    ``calibration.tiles.cut(frame, grid, PICTURE_SIDE)`` gives them; the result is float32
    ``(n, len(CLASSES))``. Raises `ValueError` for pictures of another size, `BadNetwork`.
    """
    if pictures.shape[1:] != (PICTURE_SIDE, PICTURE_SIDE, 3):
        raise ValueError(f"Tile pictures must be {PICTURE_SIDE} pixels wide and high, in RGB.")
    if not len(pictures):
        return np.empty((0, len(CLASSES)), np.float32)
    seen = close_ups(pictures)
    (scores,) = load_network().run(None, {"views": seen.views, "hints": seen.hints})
    return np.asarray(scores, np.float32)


def load_network(path: Path = NETWORK_FILE) -> InferenceSession:
    """Load the network, to be run on one thread. Raises `BadNetwork`."""
    return load_session(path, tuple(INPUTS))
