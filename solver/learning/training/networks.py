"""The networks for training, as Flax modules. Needs the extra ``learn``; play does not."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import nnx

from solver.learning.convolutions import STUCK_CODES
from solver.learning.recipe import Recipe
from solver.learning.windows import OUTSIDE


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

    ``planes``: ``(batch, rows, cols, 12)``, see `solver.learning.convolutions.risk_planes`. Works
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
