"""The file of the tile network: what is written is read again, and run as NumPy runs it."""

from pathlib import Path

import numpy as np

from calibration.classify.tile_network import HINTS, TILE_NETWORK_FILE, VIEW_SIDE, load_network
from calibration.learning import tiles


def scores_by_numpy(weights, temperature, views, hints):
    """The network in plain NumPy, one tap of the filters after the other."""
    values = views.astype(np.float32)
    values -= values.mean(axis=(1, 2), keepdims=True)
    deviation = np.sqrt((values**2).mean(axis=(1, 2, 3), keepdims=True))
    values /= np.maximum(deviation, tiles.LEAST_DEVIATION)
    for k in range(tiles.CONVOLUTIONS):
        side = values.shape[1]
        padded = np.pad(values, ((0, 0), (1, 1), (1, 1), (0, 0)))
        taps = [(y, x) for y in range(3) for x in range(3)]
        values = sum(
            padded[:, y : y + side, x : x + side] @ weights[f"conv{k}_w"][y, x] for y, x in taps
        )
        values = np.maximum(values + weights[f"conv{k}_b"], 0)
        if k < tiles.CONVOLUTIONS - 1:
            values = values.reshape(len(values), side // 2, 2, side // 2, 2, -1).max(axis=(2, 4))
    values = np.hstack([values.reshape(len(values), -1), hints - 0.5])
    values = np.maximum(values @ weights["dense0_w"] + weights["dense0_b"], 0)
    logits = (values @ weights["dense1_w"] + weights["dense1_b"]) / temperature
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    share = tiles.UNLIKE_TRAINING
    return np.log((1 - share) * chances + share / chances.shape[1])


def test_the_network_is_written_read_and_run(tmp_path: Path) -> None:
    weights, path = tiles.read(TILE_NETWORK_FILE), tmp_path / "network.onnx.gz"
    tiles.write(path, weights, 1.25)
    again = tiles.read(path)
    assert weights.keys() == again.keys()
    assert all((weights[name] == again[name]).all() for name in weights)
    rng = np.random.default_rng(3)
    views = rng.integers(0, 256, (20, VIEW_SIDE, VIEW_SIDE, 3), dtype=np.uint8)
    views[:5] = 128
    hints = rng.random((20, HINTS), dtype=np.float32)
    (scores,) = load_network(path).run(None, {"views": views, "hints": hints})
    np.testing.assert_allclose(scores, scores_by_numpy(weights, 1.25, views, hints), atol=1e-4)
