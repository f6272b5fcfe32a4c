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
    """A network in training. ``loss(network, batch)`` is what its updates make smaller.

    Adam; its rate is that of the recipe, see `Recipe`.
    """

    def __init__(self, recipe: Recipe, loss: Loss) -> None:
        self._graph, self._weights = nnx.split(make_network(recipe))
        optimiser = optax.adam(_rate(recipe))
        self._progress = optimiser.init(self._weights)

        def update(weights: Any, progress: Any, batch: dict[str, Any]) -> tuple[Any, Any, Any]:
            value, slopes = jax.value_and_grad(
                lambda weights: loss(nnx.merge(self._graph, weights), batch)
            )(weights)
            steps, progress = optimiser.update(slopes, progress, weights)
            return optax.apply_updates(weights, steps), progress, value

        self._update = jax.jit(update, donate_argnums=(0, 1))

    def update(self, batch: dict[str, NDArray[Any]]) -> float:
        """Make one step; return the loss before it."""
        self._weights, self._progress, value = self._update(self._weights, self._progress, batch)
        return float(value)

    def arrays(self) -> Arrays:
        """Return the weights by name, such as ``inner.kernel``."""
        found = jax.tree_util.tree_flatten_with_path(nnx.to_pure_dict(self._weights))[0]
        return {".".join(str(key.key) for key in path): np.asarray(leaf) for path, leaf in found}

    def state(self) -> Arrays:
        """Return weights and optimiser as arrays, numbered."""
        leaves = jax.tree.leaves((self._weights, self._progress))
        return {f"fit{at}": np.array(leaf) for at, leaf in enumerate(leaves)}

    def restore(self, state: Arrays) -> None:
        """Take over what `state` returned. Raises `KeyError` or `ValueError` for another run's."""
        leaves, shape = jax.tree.flatten((self._weights, self._progress))
        saved = [state[f"fit{at}"] for at in range(len(leaves))]
        if any(old.shape != new.shape for old, new in zip(leaves, saved, strict=True)):
            raise ValueError("The arrays have other shapes.")
        self._weights, self._progress = jax.tree.unflatten(shape, map(jax.numpy.asarray, saved))


def _rate(recipe: Recipe) -> Any:
    if not 0 < recipe.hold < recipe.rounds:
        return recipe.rate
    falling = optax.cosine_decay_schedule(recipe.rate, recipe.rounds - recipe.hold, 0.01)
    return optax.join_schedules([optax.constant_schedule(recipe.rate), falling], [recipe.hold])
