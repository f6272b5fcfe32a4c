"""The tile network in training: its layers are those of the shipped file, and can be written."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from calibration.classify.tile_network import HINTS, TILE_NETWORK_FILE, VIEW_SIDE, load_network


def shipped(tiles):
    """Return the network with the shipped weights, whose file was made by other code."""
    import onnx
    import torch

    model = onnx.load_from_string(gzip.decompress(TILE_NETWORK_FILE.read_bytes()))
    arrays = {one.name: onnx.numpy_helper.to_array(one) for one in model.graph.initializer}
    network = tiles.TileNetwork()
    layers = {f"conv{k}": layer for k, layer in enumerate(network.convolutions)}
    for name, layer in {**layers, "dense0": network.hidden, "dense1": network.last}.items():
        weights = arrays[f"{name}_w"]
        layer.weight.data = torch.tensor(weights.T if weights.ndim == 2 else weights).float()
        layer.bias.data = torch.tensor(arrays[f"{name}_b"]).float()
    (division,) = (node for node in model.graph.node if node.op_type == "Div"
                   and node.output[0] in {one.input[0] for one in model.graph.node
                                          if one.op_type == "Softmax"})  # fmt: skip
    network.temperature.fill_(float(arrays[division.input[1]]))
    return network


@pytest.mark.by_hand
@pytest.mark.filterwarnings("ignore")
def test_the_layers_are_those_of_the_shipped_network_and_are_written(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from calibration.learning import tiles

    network, path = shipped(tiles), tmp_path / "network.onnx.gz"
    tiles.write(path, network)
    rng = np.random.default_rng(3)
    views = rng.integers(0, 256, (20, VIEW_SIDE, VIEW_SIDE, 3), dtype=np.uint8)
    views[:5] = 128
    hints = rng.random((20, HINTS), dtype=np.float32)
    expected, written = (
        load_network(file).run(None, {"views": views, "hints": hints})[0]
        for file in (TILE_NETWORK_FILE, path)
    )
    np.testing.assert_allclose(written, expected, atol=1e-4)
