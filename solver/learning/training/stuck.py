"""Train the thesis's network: open or flag the middle of a 5x5 window on which its methods stuck.

Source: "Applying Constraint Satisfaction Problem and Reinforcement Learning on Minesweeper",
A. Leblebjian and J. Alakach, 2023, sections 4.2 and 5. An episode is one stuck position and one
action, rewarded by +1 if it is right and -1 if not; so no later value enters the target. Epsilon
starts at 1 and is multiplied by 0.9985 at each move; a batch of 64 is learned from after each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.learning.archives import Arrays
from solver.learning.convolutions import stuck_values
from solver.learning.recipe import Recipe
from solver.learning.stuck_position import StuckPosition
from solver.learning.training.fitting import Fitting
from solver.learning.training.memory import Memory

OPEN, FLAG = 0, 1


Positions = Callable[[int], StuckPosition]
"""Returns the stuck position of an episode, counted from 0."""


class StuckLearner:
    """Decides one position after another, and learns from what was right."""

    def __init__(self, recipe: Recipe, positions: Positions) -> None:
        self.recipe = recipe
        self.positions = positions
        self.fit = Fitting(recipe, _squared_error)
        self.memory = Memory(
            recipe.memory,
            {
                "codes": ((5, 5), np.float32),
                "action": ((), np.int32),
                "target": ((), np.float32),
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
        codes = np.stack([position.codes for position in found])
        mine = np.array([position.mine for position in found])
        action = stuck_values(self.fit.arrays(), codes).argmax(1)
        epsilon = recipe.epsilon_factor ** (first + np.arange(recipe.boards))
        at_random = rng.random(recipe.boards) < epsilon
        action = np.where(at_random, rng.integers(0, 2, recipe.boards), action)
        right = (action == FLAG) == mine
        self.memory.add(codes=codes, action=action, target=np.where(right, 1.0, -1.0))
        loss = 0.0
        if self.memory.count >= recipe.batch:
            batch = self.memory.draw(recipe.batch, rng, evenly=False)
            del batch["stratum"]
            if recipe.symmetries:
                batch["codes"] = _turned(batch["codes"], int(rng.integers(8)))
            loss = self.fit.update(batch)
        self._round += 1
        return {"loss": loss, "score": float(right.mean())}

    def weights(self) -> Arrays:
        """Return the weights by name."""
        return self.fit.arrays()

    def state(self) -> Arrays:
        """Return all that the next step depends on."""
        return {"round": np.array(self._round)} | self.memory.state() | self.fit.state()

    def restore(self, state: Arrays) -> None:
        """Go on from what `state` returned."""
        self._round = int(state["round"])
        self.memory.restore(state)
        self.fit.restore(state)


def _turned(codes: NDArray[Any], way: int) -> NDArray[Any]:
    """Turn, and from ``way`` 4 on also mirror, all windows."""
    mirrored = codes.transpose(0, 2, 1) if way >= 4 else codes
    return np.ascontiguousarray(np.rot90(mirrored, way % 4, (1, 2)))


def _squared_error(network: Any, batch: Any) -> Any:
    values = network(batch["codes"])
    chosen = values[np.arange(len(batch["action"])), batch["action"]]
    return ((chosen - batch["target"]) ** 2).mean()
