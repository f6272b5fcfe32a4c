"""The training loop: rounds, checkpoints from which a killed run resumes, progress figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from solver.errors import BadRecipe, BadWeights
from solver.files import parse_json
from solver.learning.archives import Arrays, read_archive, write_archive
from solver.learning.recipe import Recipe
from solver.learning.weights import save_weights

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
