"""Training on known answers: the thesis's network for stuck cells, and our own network of risks.

`StuckLearner` trains the thesis's network: open or flag the middle of a 5x5 window in which its
methods stuck. Source: "Applying Constraint Satisfaction Problem and Reinforcement Learning on
Minesweeper", A. Leblebjian and J. Alakach, 2023, sections 4.2 and 5. An episode is one stuck
position and one action, rewarded by +1 if it is correct and -1 if not; so no later value enters the
target. Epsilon starts at 1 and is multiplied by 0.9985 at each move, which is followed by a batch
of 64. The improvements that its chapters 5 and 6 propose are switches: a larger ``epsilon_factor``
(more random moves), more ``rounds``, ``taught`` (the number of first rounds that learn the correct
answer rather than the reward of one action), ``one_hot`` (ten inputs per cell in place of one),
``less_mines`` (the known mines around each number are subtracted from it), and ``all_cells`` (an
action for every covered cell of the window). ``symmetries`` (windows are rotated and mirrored at
random) is ours.

`RiskLearner` trains the network that plays without a solver on the exact risks of the engine. The
engine plays the boards: it opens a random certain cell, or the one of least risk, and a mine does
not end the game. So the network sees positions of every stage, including those with certain cells
that are not open yet.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from solver.learning.boards import COVERED_CODE, LOST_CODE, PLAYING_CODE, Boards, StuckPosition
from solver.learning.nets import risk_planes, stuck_values
from solver.learning.networks import Fitting
from solver.learning.training import ReplayMemory
from solver.learning.weights import Arrays, Recipe

FLAG_ACTION = 1
"""The action that flags a cell; 0 opens it."""

Positions = Callable[[int], StuckPosition]
"""Returns the stuck position of an episode, counted from 0."""


class StuckLearner:
    """Decides one position after another, and learns from the correct decisions."""

    def __init__(self, recipe: Recipe, positions: Positions) -> None:
        self.recipe = recipe
        self.positions = positions
        self.fit = Fitting(recipe, _action_error)
        self._cells = 25 if recipe.all_cells else 1
        self.memory = ReplayMemory(
            recipe.memory,
            {
                "codes": ((5, 5), np.float32),
                "action": ((self._cells,), np.int32),
                "target": ((self._cells,), np.float32),
                "asked": ((self._cells,), np.float32),
                "stratum": ((), np.int8),
            },
        )
        self._round = 0

    def step(self) -> dict[str, float]:
        """Do ``recipe.boards`` episodes, then learn from one batch; ``score``: the share right."""
        recipe = self.recipe
        rng = np.random.default_rng([recipe.seed, self._round])
        first = self._round * recipe.boards
        found = [self.positions(number) for number in range(first, first + recipe.boards)]
        codes = np.stack([one.less if recipe.less_mines else one.codes for one in found])
        mines = np.stack([one.mines.ravel() if recipe.all_cells else [one.mine] for one in found])
        asked = codes.reshape(-1, 25) == COVERED_CODE if recipe.all_cells else np.ones_like(mines)
        action = stuck_values(self.fit.arrays(), codes).argmax(2)
        epsilon = recipe.epsilon_factor ** (first + np.arange(recipe.boards))[:, None]
        at_random = rng.random(action.shape) < epsilon
        action = np.where(at_random, rng.integers(0, 2, action.shape), action)
        right = (action == FLAG_ACTION) == mines
        self.memory.add(codes=codes, action=action, target=np.where(right, 1.0, -1.0), asked=asked)
        loss = math.nan
        if self.memory.count >= recipe.batch:
            loss = self.fit.update(self._batch(rng), recipe.rate_at(self._round))
        self._round += 1
        return {"loss": loss, "score": float(right[asked].mean())}

    def _batch(self, rng: np.random.Generator) -> Arrays:
        recipe = self.recipe
        batch = self.memory.draw(recipe.batch, rng, evenly=False)
        del batch["stratum"]
        if recipe.symmetries:
            way = int(rng.integers(8))
            turned = batch if recipe.all_cells else {"codes": batch["codes"]}
            batch |= {name: _turned_windows(part, way) for name, part in turned.items()}
        return batch | {"taught": np.array(self._round < recipe.taught, np.float32)}

    def weights(self) -> Arrays:
        """Return the weights by name."""
        return self.fit.arrays()

    def state(self) -> Arrays:
        """Return everything the next step depends on."""
        return {"round": np.array(self._round)} | self.memory.state() | self.fit.state()

    def restore(self, state: Arrays) -> None:
        """Restore the result of `state`."""
        self._round = int(state["round"])
        self.memory.restore(state)
        self.fit.restore(state)


def _turned_windows(part: NDArray[Any], way: int) -> NDArray[Any]:
    """Rotate, and from ``way`` 4 on also mirror, all windows; their 25 cells may be flat."""
    square = part.reshape(-1, 5, 5)
    mirrored = square.transpose(0, 2, 1) if way >= 4 else square
    return np.ascontiguousarray(np.rot90(mirrored, way % 4, (1, 2))).reshape(part.shape)


def _action_error(network: Any, batch: Any) -> Any:
    values = network(batch["codes"])
    action, target = batch["action"][..., None], batch["target"]
    chosen = jnp.take_along_axis(values, action, 2)[..., 0]
    other = jnp.take_along_axis(values, 1 - action, 2)[..., 0]
    errors = (chosen - target) ** 2 + batch["taught"] * (other + target) ** 2
    return (errors * batch["asked"]).sum() / batch["asked"].sum()


# ---- exact risks ---------------------------------------------------------------------------------


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
            batch = {name: _turned_boards(part, way) for name, part in batch.items()}
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


def _turned_boards(part: NDArray[Any], way: int) -> NDArray[Any]:
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
