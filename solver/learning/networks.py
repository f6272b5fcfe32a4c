"""The networks for training, as Flax modules, and their optimiser. Needs the extra ``learn``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from numpy.typing import NDArray

from solver.learning.nets import OUTSIDE, STUCK_CODES
from solver.learning.weights import Arrays, Recipe


class Dense(nnx.Module):  # type: ignore[misc]
    """The report's network: one-hot tiles, one hidden layer, one value for each output.

    ``codes``: ``(batch, slots)`` tile codes; ``plane``: ``(batch, slots)``, or ``(batch, 0)``.
    """

    def __init__(
        self, slots: int, codes: int, plane: bool, hidden: int, outputs: int, rngs: nnx.Rngs
    ) -> None:
        self.codes = codes
        self.inner = nnx.Linear(slots * (codes + plane), hidden, rngs=rngs)
        self.out = nnx.Linear(hidden, outputs, rngs=rngs)

    def __call__(self, codes: jax.Array, plane: jax.Array) -> jax.Array:
        """Return the values ``(batch, outputs)``, in hundreds of the reward."""
        hot = jax.nn.one_hot(codes, self.codes).reshape(codes.shape[0], -1)
        return self.out(nnx.relu(self.inner(jnp.concatenate([hot, plane], 1))))


class Stuck(nnx.Module):  # type: ignore[misc]
    """The thesis's network: 5x5 tiles, three convolutions of 3x3, two dense layers, two values.

    The thesis gives no widths: 16, 32 and 32 channels and 64 units are ours. ``one_hot``: one plane
    per code in place of the codes. ``cells``: 1 for the values of the middle, 25 for those of all.
    """

    def __init__(self, one_hot: bool, cells: int, rngs: nnx.Rngs) -> None:
        self.one_hot, self.cells = one_hot, cells
        self.first = nnx.Conv(STUCK_CODES if one_hot else 1, 16, (3, 3), rngs=rngs)
        self.second = nnx.Conv(16, 32, (3, 3), rngs=rngs)
        self.third = nnx.Conv(32, 32, (3, 3), rngs=rngs)
        self.inner = nnx.Linear(25 * 32, 64, rngs=rngs)
        self.out = nnx.Linear(64, 2 * cells, rngs=rngs)

    def __call__(self, codes: jax.Array) -> jax.Array:
        """Return the values of opening and of flagging ``(batch, cells, 2)`` of ``codes``.

        The codes are ``(batch, 5, 5)``.
        """
        planes = codes[..., None]
        if self.one_hot:
            planes = jax.nn.one_hot(codes.astype(int) + 2, STUCK_CODES)
        seen = nnx.relu(self.first(planes))
        seen = nnx.relu(self.third(nnx.relu(self.second(seen))))
        values = self.out(nnx.relu(self.inner(seen.reshape(codes.shape[0], -1))))
        return values.reshape(-1, self.cells, 2)


class Risk(nnx.Module):  # type: ignore[misc]
    """Our own network: one 3x3 convolution, repeated, so that information spreads over the board.

    ``planes``: ``(batch, rows, cols, 12)``, see `solver.learning.nets.risk_planes`. Works
    for any board size.
    """

    def __init__(self, channels: int, layers: int, rngs: nnx.Rngs) -> None:
        self.layers = layers
        self.first = nnx.Conv(12, channels, (3, 3), rngs=rngs)
        self.again = nnx.Conv(channels, channels, (3, 3), rngs=rngs)
        self.spread = nnx.Conv(channels, channels, (3, 3), rngs=rngs)
        self.inner = nnx.Linear(channels, channels, rngs=rngs)
        self.out = nnx.Linear(channels, 1, rngs=rngs)

    def __call__(self, planes: jax.Array) -> jax.Array:
        """Return the log odds of a mine ``(batch, rows, cols)``."""
        inside = 1.0 - planes[..., 10:11]
        given = self.first(planes)
        seen = nnx.relu(given) * inside
        for _ in range(self.layers):
            inner = nnx.relu(self.again(seen) + given) * inside
            seen = nnx.relu(seen + self.spread(inner)) * inside
        return self.out(nnx.relu(self.inner(seen)))[..., 0]


def make_network(recipe: Recipe) -> nnx.Module:
    """Return the network of a recipe, with weights drawn from its seed."""
    rngs = nnx.Rngs(recipe.seed)
    if recipe.network == "stuck":
        return Stuck(recipe.one_hot, 25 if recipe.all_cells else 1, rngs)
    if recipe.network == "risk":
        return Risk(recipe.hidden, recipe.layers, rngs)
    slots, outputs = dense_shape(recipe)
    return Dense(slots, code_count(recipe), recipe.plane, recipe.hidden, outputs, rngs)


def dense_shape(recipe: Recipe) -> tuple[int, int]:
    """Return how many tiles a dense network sees and how many values it returns."""
    if recipe.network == "board":
        return recipe.rows * recipe.cols, recipe.rows * recipe.cols
    return (2 * recipe.radius + 1) ** 2, 1


def code_count(recipe: Recipe) -> int:
    """Return how many codes of a tile the network distinguishes."""
    return OUTSIDE + recipe.edge


# ---- the optimiser -------------------------------------------------------------------------------


Loss = Callable[[Any, dict[str, Any]], Any]


class Fitting:
    """A network trained by Adam, which minimises ``loss(network, batch)``.

    `arrays` are a running mean of the weights over the updates (Polyak and Juditsky, 1992), or the
    weights themselves if the recipe has no averaging.
    """

    def __init__(self, recipe: Recipe, loss: Loss) -> None:
        self._graph, self._weights = nnx.split(make_network(recipe))
        optimiser = optax.scale_by_adam()
        self._progress = optimiser.init(self._weights)
        self._averaging = recipe.averaging
        self._mean = jax.tree.map(jax.numpy.array, self._weights) if recipe.averaging else None
        self._updates = np.zeros((), np.int64)

        def update(state: Any, keep: Any, rate: Any, batch: dict[str, Any]) -> tuple[Any, Any]:
            weights, progress, mean = state
            value, slopes = jax.value_and_grad(
                lambda weights: loss(nnx.merge(self._graph, weights), batch)
            )(weights)
            steps, progress = optimiser.update(slopes, progress, weights)
            weights = jax.tree.map(lambda old, step: old - rate * step, weights, steps)
            if mean is not None:
                mean = jax.tree.map(lambda old, new: keep * old + (1 - keep) * new, mean, weights)
            return (weights, progress, mean), value

        self._update = jax.jit(update, donate_argnums=0)

    def update(self, batch: dict[str, NDArray[Any]], rate: float) -> float:
        """Make one step with this learning rate; return the loss before it."""
        self._updates += 1
        # The mean is short at the beginning, so that it does not keep the initial weights.
        keep = min(self._averaging, float(self._updates / (self._updates + 9)))
        state, value = self._update(
            (self._weights, self._progress, self._mean),
            np.float32(keep),
            np.float32(rate),
            batch,
        )
        self._weights, self._progress, self._mean = state
        return float(value)

    def arrays(self) -> Arrays:
        """Return the weights for play by name, such as ``inner.kernel``.

        Release them before `update`, which then needs no copies.
        """
        weights = self._weights if self._mean is None else self._mean
        found = jax.tree_util.tree_flatten_with_path(nnx.to_pure_dict(weights))[0]
        return {".".join(str(key.key) for key in path): np.asarray(leaf) for path, leaf in found}

    def state(self) -> Arrays:
        """Return weights, optimiser and mean as numbered arrays."""
        leaves = jax.tree.leaves((self._weights, self._progress, self._mean))
        numbered = {f"fit{at}": np.array(leaf) for at, leaf in enumerate(leaves)}
        return numbered | {"updates": self._updates}

    def restore(self, state: Arrays) -> None:
        """Restore the result of `state`. Raises `KeyError` or `ValueError` for another network."""
        leaves, shape = jax.tree.flatten((self._weights, self._progress, self._mean))
        saved = [state[f"fit{at}"] for at in range(len(leaves))]
        if any(old.shape != new.shape for old, new in zip(leaves, saved, strict=True)):
            raise ValueError("The arrays have other shapes.")
        self._updates = state["updates"].copy()
        self._weights, self._progress, self._mean = jax.tree.unflatten(
            shape, map(jax.numpy.asarray, saved)
        )
