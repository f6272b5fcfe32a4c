"""One network, its optimiser, and their state as plain arrays. Needs the extra ``learn``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import optax
from flax import nnx
from numpy.typing import NDArray

from solver.learning.archives import Arrays
from solver.learning.recipe import Recipe
from solver.learning.training.networks import make_network

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
