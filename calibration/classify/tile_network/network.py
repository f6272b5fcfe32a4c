"""Name single tiles by their picture: a small convolutional network, run with NumPy.

It was trained on generated tiles only (`calibration/learning`), never on a picture of a real
program, and it knows nothing of a tile's neighbours or of the rules. What it returns is evidence to
be weighed with the rest. The weights are ``network.npz``: float16 arrays in NumPy's open format.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.classify.tile_network.close_up import PICTURE_SIDE, close_ups
from calibration.errors import CalibrationError

CLASSES = (
    "empty", "1", "2", "3", "4", "5", "6", "7", "8", "zero",
    "flag", "question", "mine", "exploded", "wrong_flag", "other",
)  # fmt: skip
"""What a tile may show. ``zero`` is a drawn 0, ``other`` a glyph that no game needs, or a cover."""

WEIGHTS = Path(__file__).parent / "network.npz"

LEAST_DEVIATION = 10.0
"""Grey steps: a flatter picture is not stretched to full contrast, so that noise stays small."""

UNLIKE_TRAINING = 0.003
"""Share of tiles that look like nothing the network was trained on, so that its answer is random.

Of tiles of real programs and pages that it named with a stated 0.999 or more, up to that many
were something else; generated tiles alone would let it state certainty.
"""

CONVOLUTIONS = 4

BATCH = 128
"""Tiles at a time: keeps the arrays of the first layer in the processor's cache."""


class BadWeights(CalibrationError):
    """The file of the network's weights is missing or damaged."""


@dataclass(frozen=True)
class Network:
    """Weights of the layers, float32; convolutions ``(3, 3, in, out)``, dense ``(in, out)``."""

    convolutions: tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]
    dense: tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]
    temperature: float

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> Network:
        """Load weights from an ``.npz`` file. Raises `BadWeights`."""
        try:
            with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as file:
                arrays = {name: file[name].astype(np.float32) for name in file.files}
            return cls(
                tuple((arrays[f"conv{k}_w"], arrays[f"conv{k}_b"]) for k in range(CONVOLUTIONS)),
                tuple((arrays[f"dense{k}_w"], arrays[f"dense{k}_b"]) for k in range(2)),
                float(arrays["temperature"]),
            )
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise BadWeights(
                f"The weights in {path} cannot be read ({error}). Install minebot again."
            ) from error

    def scores(self, views: NDArray[np.uint8], hints: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return log-probabilities of `CLASSES`, float32; see `CloseUps` for the arguments."""
        values = normalise(views)
        for layer, (weights, bias) in enumerate(self.convolutions):
            values = np.maximum(_convolve(values, weights) + bias, 0)
            if layer < CONVOLUTIONS - 1:
                values = _pool(values)
        features = np.concatenate([values.reshape(len(values), -1), hints - 0.5], axis=1)
        (first, first_bias), (last, last_bias) = self.dense
        logits = np.maximum(features @ first + first_bias, 0) @ last + last_bias
        return _log_probabilities(logits / self.temperature)


def label_scores(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return how likely each of `CLASSES` is for each tile, as natural logarithms.

    ``pictures`` is uint8 ``(n, PICTURE_SIDE, PICTURE_SIDE, 3)``, as
    ``calibration.tiles.cut(frame, grid, PICTURE_SIDE)`` gives them; the result is float32
    ``(n, len(CLASSES))``. Raises `ValueError` for pictures of another size, `BadWeights`.
    """
    if pictures.shape[1:] != (PICTURE_SIDE, PICTURE_SIDE, 3):
        raise ValueError(f"Tile pictures must be {PICTURE_SIDE} pixels wide and high, in RGB.")
    network = _network()
    parts = []
    for start in range(0, len(pictures), BATCH):
        seen = close_ups(pictures[start : start + BATCH])
        parts.append(network.scores(seen.views, seen.hints))
    return np.concatenate(parts) if parts else np.empty((0, len(CLASSES)), np.float32)


def normalise(views: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Take the mean off each channel and divide by the deviation of the whole picture."""
    values = views.astype(np.float32)
    values -= values.mean(axis=(1, 2), keepdims=True)
    deviation = np.sqrt(np.square(values).mean(axis=(1, 2, 3), keepdims=True))
    return np.asarray(values / np.maximum(deviation, LEAST_DEVIATION), np.float32)


@cache
def _network() -> Network:
    return Network.load()


def _convolve(values: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Convolve with 3×3 filters; the border is filled with zeros."""
    count, height, width, channels = values.shape
    padded = np.pad(values, ((0, 0), (1, 1), (1, 1), (0, 0)))
    patches = np.empty((count, height, width, 9 * channels), np.float32)
    for k in range(9):
        y, x = divmod(k, 3)
        part = padded[:, y : y + height, x : x + width]
        patches[..., k * channels : (k + 1) * channels] = part
    result = patches.reshape(-1, 9 * channels) @ weights.reshape(9 * channels, -1)
    return result.reshape(count, height, width, -1)


def _pool(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Keep the largest of each 2×2 values."""
    rows = np.maximum(values[:, ::2], values[:, 1::2])
    return np.maximum(rows[:, :, ::2], rows[:, :, 1::2])


def _log_probabilities(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the logarithms of the softmax, mixed with `UNLIKE_TRAINING` of an even chance."""
    values = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances = values / values.sum(axis=1, keepdims=True)
    even = UNLIKE_TRAINING / logits.shape[1]
    return np.asarray(np.log((1 - UNLIKE_TRAINING) * chances + even), np.float32)
