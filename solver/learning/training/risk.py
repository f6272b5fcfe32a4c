"""Train the network that plays without a solver on the exact risks of the engine.

The engine plays the boards: it opens a random certain cell, or the one of least risk, and a mine
does not end the game. So the network sees positions of every stage, including those with certain
cells that are not open yet.
"""

from __future__ import annotations

from typing import Any, Final

import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from solver.learning.archives import Arrays
from solver.learning.boards import LOST_CODE, PLAYING_CODE, Boards
from solver.learning.convolutions import risk_planes
from solver.learning.recipe import Recipe
from solver.learning.training.fitting import Fitting

FAR_WEIGHT: Final = 0.05
"""The weight of a cell that touches no number: they all have the same risk."""

MOST_OPENED: Final = 6
"""Most moves between two positions used for training; the least is 1."""


class RiskLearner:
    """Plays boards with exact risks and fits the network to these risks."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.boards = Boards(
            recipe.boards, recipe.rows, recipe.cols, recipe.mines, recipe.rule, recipe.seed
        )
        self.fit = Fitting(recipe, _cross_entropy)
        self._round = 0
        play_on(self.boards, np.random.default_rng([recipe.seed, 0, 1]), 40)

    def step(self) -> dict[str, float]:
        """Play on, then learn from all boards; ``score`` is the mean error of the risks."""
        recipe = self.recipe
        rng = np.random.default_rng([recipe.seed, self._round])
        risks = play_on(self.boards, rng, int(rng.integers(1, MOST_OPENED + 1)))
        batch = self._batch(risks, int(rng.integers(8)))
        loss = self.fit.update(batch, recipe.rate_at(self._round))
        self._round += 1
        return {"loss": loss, "score": loss}

    def weights(self) -> Arrays:
        """Return the weights by name."""
        return self.fit.arrays()

    def state(self) -> Arrays:
        """Return everything the next step depends on."""
        return {"round": np.array(self._round)} | self.boards.state() | self.fit.state()

    def restore(self, state: Arrays) -> None:
        """Restore the result of `state`."""
        self._round = int(state["round"])
        self.boards.restore(state)
        self.fit.restore(state)

    def _batch(self, risks: NDArray[np.float64], way: int) -> Arrays:
        recipe = self.recipe
        planes = risk_planes(self.boards.tiles, recipe.mines)
        risk = np.pad(risks, ((0, 0), (1, 1), (1, 1))).astype(np.float32)
        hidden = planes[..., 9]
        near = _beside_numbers(planes)
        weight = hidden * np.where(near, 1.0, FAR_WEIGHT)
        batch = {"planes": planes, "risk": risk, "weight": weight.astype(np.float32)}
        if recipe.rows == recipe.cols:
            batch = {name: _turned(part, way) for name, part in batch.items()}
        return batch


def play_on(boards: Boards, rng: np.random.Generator, moves: int) -> NDArray[np.float64]:
    """Make moves on all boards, with new games where one is over; return the exact risks."""
    count = len(boards)
    for _ in range(moves):
        risks = boards.exact_risks()
        marks = np.where(boards.tiles < 0, risks + 1e-6 * rng.random(risks.shape), 2.0)
        boards.open(marks.reshape(count, -1).argmin(1))
        boards.survive(boards.status == LOST_CODE)
        over = boards.status != PLAYING_CODE
        boards.deal(over)
        first = rng.integers(0, boards.rows * boards.cols, count)
        boards.open(np.where(over, first, -1))
    return boards.exact_risks()


def _beside_numbers(planes: NDArray[np.float32]) -> NDArray[np.bool_]:
    shown = np.pad(planes[..., :9].sum(-1) > 0, ((0, 0), (1, 1), (1, 1)))
    rows, cols = planes.shape[1:3]
    near = np.zeros(planes.shape[:3], np.bool_)
    for down in range(3):
        for right in range(3):
            near |= shown[:, down : down + rows, right : right + cols]
    return near


def _turned(part: NDArray[Any], way: int) -> NDArray[Any]:
    """Rotate, and from ``way`` 4 on also mirror, all boards of a batch."""
    mirrored = part.swapaxes(1, 2) if way >= 4 else part
    return np.ascontiguousarray(np.rot90(mirrored, way % 4, (1, 2)))


def _cross_entropy(network: Any, batch: Any) -> Any:
    losses = optax.sigmoid_binary_cross_entropy(network(batch["planes"]), batch["risk"])
    entropy = optax.sigmoid_binary_cross_entropy(_log_odds(batch["risk"]), batch["risk"])
    return ((losses - entropy) * batch["weight"]).sum() / batch["weight"].sum()


def _log_odds(risk: Any) -> Any:
    inner = jnp.clip(risk, 1e-6, 1 - 1e-6)
    return jnp.log(inner) - jnp.log1p(-inner)
