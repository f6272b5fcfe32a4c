"""The training loop: rounds, checkpoints from which a killed run resumes; the replay memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solver.errors import BadRecipe, BadWeights
from solver.files import parse_json
from solver.learning.weights import Arrays, Recipe, read_archive, save_weights, write_archive

CURVE = ("round", "loss", "score")
"""The columns of the learning curve: means over every `CURVE_EVERY` rounds."""

CURVE_EVERY = 20


class Learner(Protocol):
    """Something that learns in rounds, and whose state can be saved as arrays."""

    recipe: Recipe

    def step(self) -> dict[str, float]:
        """Do one round; return its ``loss`` and ``score``, NaN if it could not be measured."""
        ...

    def weights(self) -> Arrays:
        """Return the weights by name."""
        ...

    def state(self) -> Arrays:
        """Return everything the next round depends on."""
        ...

    def restore(self, state: Arrays) -> None:
        """Restore the result of `state`."""
        ...


def train(
    learner: Learner,
    folder: Path,
    *,
    every: int = 500,
    stop_after: int | None = None,
    replace: bool = False,
    on_round: Callable[[int, int, dict[str, float]], None] = lambda done, total, figures: None,
) -> Arrays:
    """Train to the end of the recipe, or until round ``stop_after``; return the final state.

    The state includes the ``curve``, whose last point is that of the last round. A checkpoint is
    written every ``every`` rounds and at the end. If ``folder`` has a checkpoint, training resumes
    from it, with the same result as without the interruption. The recipe may then have another
    number of rounds, unless that changes the learning rate of rounds already done. At the end the
    weights are written as ``AGENT.npz``, with the recipe in ``AGENT.toml``; older files are
    replaced if the run was resumed, or with ``replace``. Raises `CannotSave`, `BadRecipe` if the
    checkpoint is of another recipe, `BadWeights` if it is broken.
    """
    recipe = learner.recipe
    path = folder / f"{recipe.agent}.checkpoint.npz"
    begun = _resume(learner, path) if path.exists() else None
    done, curve, recent = begun or (0, np.zeros((0, len(CURVE))), np.zeros((0, 2)))
    last = min(recipe.rounds, stop_after or recipe.rounds)
    while done < last:
        figures = learner.step()
        done += 1
        recent = np.vstack([recent, (figures["loss"], figures["score"])])
        if done % CURVE_EVERY == 0:
            curve, recent = _with_point(curve, done, recent), recent[:0]
        if done % every == 0 or done == last:
            progress = {"done": np.array(done), "curve": curve, "recent": recent}
            # An existing checkpoint belongs to this run: it was read at the start.
            write_archive(path, _checkpoint(learner, progress), replace=True)
        on_round(done, recipe.rounds, figures)
    if done == recipe.rounds:
        save_run(learner, folder, replace=replace or begun is not None)
    return learner.state() | {"curve": _with_point(curve, done, recent)}


def _with_point(curve: np.ndarray, done: int, recent: np.ndarray) -> np.ndarray:
    """Add a point for the rounds since the last one, if there are any."""
    if not len(recent):
        return curve
    means = np.ma.masked_invalid(recent).mean(axis=0).filled(np.nan)
    return np.vstack([curve, (done, *means)])


def save_run(learner: Learner, folder: Path, *, replace: bool = False) -> Path:
    """Write the weights and the recipe of a run; return the path of the weights."""
    recipe = learner.recipe
    path = folder / f"{recipe.agent}.npz"
    save_weights(path, learner.weights(), asdict(recipe), recipe.bits, replace=replace)
    recipe.save(path.with_suffix(".toml"), replace=replace)
    return path


def _checkpoint(learner: Learner, progress: Arrays) -> Arrays:
    about = json.dumps(asdict(learner.recipe))
    return learner.state() | progress | {"about": np.array(about)}


def _resume(learner: Learner, path: Path) -> tuple[int, np.ndarray, np.ndarray]:
    state = read_archive(path)
    try:
        if not _goes_on(parse_json(str(state["about"])), learner.recipe, int(state["done"])):
            raise BadRecipe(
                f"{path} is the checkpoint of another recipe; remove it, or give another folder."
            )
        learner.restore(state)
        return int(state["done"]), state["curve"], state["recent"]
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        raise BadWeights(
            f"{path} is not a checkpoint of this run; remove it to start again."
        ) from error


def _goes_on(about: dict[str, Any], recipe: Recipe, done: int) -> bool:
    """Whether the first ``done`` rounds are the same with the recipe ``about`` and ``recipe``.

    Only the length may differ, and the round in which the rate begins to fall, if it is to come.
    """
    before = replace(recipe, rounds=about["rounds"], cooling=about["cooling"])
    last = max(done - 1, 0)
    not_cooled = before.rate_at(last) == recipe.rate_at(last) == recipe.rate
    return about == asdict(before) and (before == recipe or not_cooled)


# ---- the replay memory ---------------------------------------------------------------------------


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
