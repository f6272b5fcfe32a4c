"""The file of the tile network: write its layers for ONNX Runtime, and read the weights again.

All of the network stands in the file, from the enlarged pictures to the log-probabilities, so that
the product only has to run it. The weights are kept as float16 and computed with as float32.
"""

from __future__ import annotations

import gzip

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from calibration.classify.tile_network import CLASSES, HINTS, INPUTS, VIEW_SIDE

CONVOLUTIONS = 4

LEAST_DEVIATION = 10.0
"""Grey steps: a flatter picture is not stretched to full contrast, so that noise stays small."""

UNLIKE_TRAINING = 0.003
"""Share of tiles that look like nothing the network was trained on, so that its answer is random.

Of tiles of real programs and pages that it named with a stated 0.999 or more, up to that many
were something else; generated tiles alone would let it state certainty.
"""

OPSET, IR = 17, 8


def write(path, weights, temperature):
    """Write the network.

    ``weights`` are arrays by name: ``conv0_w`` ``(3, 3, in, out)`` to ``conv3_w``, ``dense0_w``
    ``(in, out)`` and ``dense1_w``, with their biases ``conv0_b`` and so on. Before the softmax the
    logits are divided by the ``temperature``.
    """
    graph = _Graph()
    values = graph.add("Cast", INPUTS[0], to=TensorProto.FLOAT)
    values = _normalised(graph, graph.add("Transpose", values, perm=[0, 3, 1, 2]))
    for k in range(CONVOLUTIONS):
        kernel = weights[f"conv{k}_w"].transpose(3, 2, 0, 1)
        layer = (
            graph.weights(f"conv{k}_w", kernel),
            graph.weights(f"conv{k}_b", weights[f"conv{k}_b"]),
        )
        values = graph.add("Relu", graph.add("Conv", values, *layer, pads=[1, 1, 1, 1]))
        if k < CONVOLUTIONS - 1:
            values = graph.add("MaxPool", values, kernel_shape=[2, 2], strides=[2, 2])
    values = graph.add("Flatten", graph.add("Transpose", values, perm=[0, 2, 3, 1]))
    hints = graph.add("Sub", INPUTS[1], graph.number(0.5))
    values = graph.add("Concat", values, hints, axis=1)
    for k in range(2):
        names = f"dense{k}_w", f"dense{k}_b"
        values = graph.add("Gemm", values, *(graph.weights(name, weights[name]) for name in names))
        if k == 0:
            values = graph.add("Relu", values)
    chances = graph.add("Softmax", graph.add("Div", values, graph.number(temperature)))
    chances = graph.add("Mul", chances, graph.number(1 - UNLIKE_TRAINING))
    chances = graph.add("Add", chances, graph.number(UNLIKE_TRAINING / len(CLASSES)))
    model = graph.model(graph.add("Log", chances))
    path.write_bytes(gzip.compress(model.SerializeToString(), mtime=0))


def read(path):
    """Return the weights that `write` was given, float32 arrays by name."""
    model = onnx.load_from_string(gzip.decompress(path.read_bytes()))
    arrays = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    return {
        name: (array.transpose(2, 3, 1, 0) if array.ndim == 4 else array).astype(np.float32)
        for name, array in arrays.items()
        if name.startswith(("conv", "dense"))
    }


def _normalised(graph, values):
    """Take the mean off each channel and divide by the deviation of the whole picture."""
    values = graph.add("Sub", values, graph.add("ReduceMean", values, axes=[2, 3]))
    square = graph.add("ReduceMean", graph.add("Mul", values, values), axes=[1, 2, 3])
    deviation = graph.add("Max", graph.add("Sqrt", square), graph.number(LEAST_DEVIATION))
    return graph.add("Div", values, deviation)


class _Graph:
    """Nodes and arrays of a network; what is added returns the name of its result."""

    def __init__(self):
        self._nodes, self._arrays = [], []

    def add(self, kind, *inputs, **attributes):
        name = f"{kind}{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def weights(self, name, array):
        array = np.ascontiguousarray(array, np.float16)
        self._arrays.append(numpy_helper.from_array(array, name))
        return self.add("Cast", name, to=TensorProto.FLOAT)

    def number(self, value):
        name = f"number{len(self._arrays)}"
        self._arrays.append(numpy_helper.from_array(np.array(value, np.float32), name))
        return name

    def model(self, result):
        views = helper.make_tensor_value_info(
            INPUTS[0], TensorProto.UINT8, ["n", VIEW_SIDE, VIEW_SIDE, 3]
        )
        hints = helper.make_tensor_value_info(INPUTS[1], TensorProto.FLOAT, ["n", HINTS])
        scores = helper.make_tensor_value_info(result, TensorProto.FLOAT, ["n", len(CLASSES)])
        graph = helper.make_graph(
            self._nodes, "tile_network", [views, hints], [scores], self._arrays
        )
        opset = helper.make_opsetid("", OPSET)
        model = helper.make_model(graph, opset_imports=[opset], ir_version=IR)
        onnx.checker.check_model(model, full_check=True)
        return model
