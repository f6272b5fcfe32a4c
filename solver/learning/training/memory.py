"""The replay memory of a learner: moves and their results, the oldest replaced first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.learning.archives import Arrays

STRATA = 8
"""Kinds of positions: four ranges of the share of open cells, with or without a high number."""

HIGH_NUMBER = 4


class ReplayMemory:
    """The samples of a learner, as rows. ``columns`` maps names to the shape and type of an entry.

    The column ``stratum`` is the index of the row's stratum, below STRATA.
    """

    def __init__(self, size: int, columns: dict[str, tuple[tuple[int, ...], type]]) -> None:
        self.rows: Arrays = {
            name: np.zeros((size, *shape), kind) for name, (shape, kind) in columns.items()
        }
        self._size, self._next, self.count = size, 0, 0

    def add(self, **columns: NDArray[np.generic]) -> None:
        """Add rows, at most as many as the memory holds."""
        many = len(next(iter(columns.values())))
        into = (self._next + np.arange(many)) % self._size
        for name, values in columns.items():
            self.rows[name][into] = values
        self._next = int((self._next + many) % self._size)
        self.count = min(self._size, self.count + many)

    def draw(self, count: int, rng: np.random.Generator, *, evenly: bool) -> Arrays:
        """Draw rows at random; ``evenly``: equally many from every stratum that has any."""
        if evenly:
            strata = self.rows["stratum"][: self.count]
            weight = 1.0 / np.maximum(np.bincount(strata, minlength=STRATA), 1)
            ends = np.cumsum(weight[strata])
            chosen = np.searchsorted(ends, rng.random(count) * ends[-1])
            chosen = np.minimum(chosen, self.count - 1)
        else:
            chosen = rng.integers(0, self.count, count)
        return {name: rows[chosen] for name, rows in self.rows.items()}

    def latest(self, count: int) -> Arrays:
        """Return the rows added last."""
        chosen = (self._next - 1 - np.arange(count)) % self._size
        return {name: rows[chosen] for name, rows in self.rows.items()}

    def state(self) -> Arrays:
        """Return all as arrays."""
        own = {f"memory.{name}": rows for name, rows in self.rows.items()}
        return own | {"memory": np.array([self._next, self.count])}

    def restore(self, state: Arrays) -> None:
        """Restore the result of `state`."""
        for name, rows in self.rows.items():
            rows[:] = state[f"memory.{name}"]
        self._next, self.count = map(int, state["memory"])


def strata_of(share: NDArray[np.float64], codes: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the stratum of each row, from the share of open cells and the visible codes."""
    high = ((codes >= HIGH_NUMBER) & (codes <= 8)).any(1)
    return (np.minimum((share * 4).astype(np.int8), 3) * 2 + high).astype(np.int8)
