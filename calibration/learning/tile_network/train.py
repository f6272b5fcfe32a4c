"""Train the tile network.

``python -m calibration.learning.tile_network.train OUT TILES... --held-out HELD``

The tiles come from `generate`. Needs the extra ``learn`` (JAX, Flax, optax) and
the package onnx. The seed determines the result on one kind of processor. The temperature is then
fitted on tiles in fonts that were not trained on (``generate --held-out``).
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from calibration.classify.tile_network import CLASSES, HINTS, VIEW_SIDE
from calibration.learning.tile_network import layers
from calibration.learning.tile_network.layers import LEAST_DEVIATION

CHANNELS = (16, 32, 48, 32)
HIDDEN_UNITS = 48
BATCH = 256


class TileNetwork(nnx.Module):
    """The layers that `layers.write` puts into the file."""

    def __init__(self, rngs):
        widths = (3, *CHANNELS)
        self.convolutions = nnx.List(
            [nnx.Conv(widths[k], widths[k + 1], (3, 3), rngs=rngs) for k in range(len(CHANNELS))]
        )
        side = VIEW_SIDE // 2 ** (len(CHANNELS) - 1)
        self.hidden = nnx.Linear(side * side * CHANNELS[-1] + HINTS, HIDDEN_UNITS, rngs=rngs)
        self.last = nnx.Linear(HIDDEN_UNITS, len(CLASSES), rngs=rngs)

    def __call__(self, views, hints, rngs=None):
        values = views.astype(jnp.float32)
        values -= values.mean(axis=(1, 2), keepdims=True)
        deviation = jnp.sqrt(jnp.square(values).mean(axis=(1, 2, 3), keepdims=True))
        values /= jnp.maximum(deviation, LEAST_DEVIATION)
        for layer, convolution in enumerate(self.convolutions):
            values = nnx.relu(convolution(values))
            if layer < len(CHANNELS) - 1:
                values = _pool(values)
        features = jnp.concatenate([values.reshape(len(values), -1), hints - 0.5], axis=1)
        if rngs is not None:
            features *= jax.random.bernoulli(rngs, 0.9, features.shape) / 0.9
        return self.last(nnx.relu(self.hidden(features)))


def _pool(values):
    """Keep the largest of each 2×2 values; learns twice as fast as Flax's `max_pool` on the CPU."""
    rows = jnp.maximum(values[:, ::2], values[:, 1::2])
    return jnp.maximum(rows[:, :, ::2], rows[:, :, 1::2])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("tiles", type=Path, nargs="+")
    parser.add_argument("--held-out", type=Path, required=True)
    parser.add_argument("--epochs", type=float, default=5)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, nargs="+", help="go on from the mean of weights")
    options = parser.parse_args()
    views, hints, labels = (np.concatenate(parts) for parts in zip(*map(load, options.tiles),
                                                                   strict=True))  # fmt: skip
    model = TileNetwork(nnx.Rngs(options.seed))
    if options.start:
        restore(model, options.start)
    started = time.perf_counter()
    fit(model, views, hints, labels, options)
    held_views, held_hints, held_labels = load(options.held_out)
    logits = evaluate(model, held_views, held_hints)
    temperature = fit_temperature(logits, held_labels)
    layers.write(options.out, weights_of(model), temperature)
    right = (logits.argmax(axis=1) == held_labels).mean()
    print(f"{time.perf_counter() - started:.0f} s, temperature {temperature:.3f}, held out "
          f"{100 * right:.2f} % right, {options.out.stat().st_size} bytes")  # fmt: skip


def load(path):
    with np.load(path) as file:
        return file["views"], file["hints"], file["labels"]


def fit(model, views, hints, labels, options):
    """Minimise cross-entropy with Adam and a falling rate."""
    steps = int(options.epochs * len(labels) / BATCH)
    schedule = optax.warmup_cosine_decay_schedule(
        0.0, options.rate, min(300, steps // 10 + 1), steps
    )
    optimizer = nnx.Optimizer(model, optax.adamw(schedule, weight_decay=1e-3), wrt=nnx.Param)

    @nnx.jit
    def step(model, optimizer, views, hints, labels, key):
        def loss(model):
            logits = model(views, hints, key)
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

        value, gradients = nnx.value_and_grad(loss)(model)
        optimizer.update(model, gradients)
        return value

    rng = np.random.default_rng(options.seed)
    key, order, losses = jax.random.key(options.seed), np.empty(0, int), []
    for k in range(steps):
        if len(order) < BATCH:
            order = rng.permutation(len(labels))
        batch, order = order[:BATCH], order[BATCH:]
        key, used = jax.random.split(key)
        losses.append(step(model, optimizer, views[batch], hints[batch], labels[batch], used))
        if k % 250 == 249:
            mean = float(np.mean([float(value) for value in losses]))
            print(f"step {k + 1} of {steps}: loss {mean:.4f}", file=sys.stderr, flush=True)
            losses = []


def evaluate(model, views, hints):
    """Return the logits, float32."""
    run = nnx.jit(lambda model, views, hints: model(views, hints))
    parts = [run(model, views[k : k + 512], hints[k : k + 512]) for k in range(0, len(views), 512)]
    return np.concatenate([np.asarray(part) for part in parts])


def fit_temperature(logits, labels):
    """Return the temperature of the least cross-entropy."""

    def entropy(temperature):
        scores = logits / temperature
        scores = scores - scores.max(axis=1, keepdims=True)
        chosen = scores[np.arange(len(labels)), labels]
        return float((np.log(np.exp(scores).sum(axis=1)) - chosen).mean())

    return float(min(np.arange(0.3, 3.0, 0.01), key=entropy))


def weights_of(model):
    """Return the weights by name, as `layers.write` takes them."""
    arrays = {}
    for k, layer in enumerate(model.convolutions):
        arrays |= {f"conv{k}_w": layer.kernel[...], f"conv{k}_b": layer.bias[...]}
    for k, layer in enumerate((model.hidden, model.last)):
        arrays |= {f"dense{k}_w": layer.kernel[...], f"dense{k}_b": layer.bias[...]}
    return {name: np.asarray(array) for name, array in arrays.items()}


def restore(model, paths):
    """Set the weights to the mean of those in files of networks."""
    files = [layers.read(path) for path in paths]
    for k, layer in enumerate(model.convolutions):
        layer.kernel[...], layer.bias[...] = _means(files, f"conv{k}")
    for k, layer in enumerate((model.hidden, model.last)):
        layer.kernel[...], layer.bias[...] = _means(files, f"dense{k}")


def _means(files, name):
    return [np.mean([file[name + part] for file in files], axis=0) for part in ("_w", "_b")]


if __name__ == "__main__":
    main()
