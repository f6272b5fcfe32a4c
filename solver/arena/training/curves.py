"""Draw the progress of a training run: the loss over its rounds, and the scores of its games."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.arena.plots import pyplot, save_figure

GAMES_A_MEAN = 200
"""Number of games in the moving mean of a score."""


FEW_POINTS = 30
"""A curve of at most this many points gets markers, because a single point has no line."""


def is_measured(curve: NDArray[Any]) -> bool:
    """Whether a curve has a loss or a score that can be drawn."""
    return bool(np.isfinite(curve[:, 1:]).any())


def plot_curve(
    agent: str, curve: NDArray[Any], measure: str, path: str | Path, *, replace: bool = False
) -> None:
    """Draw loss and ``measure`` over the rounds; ``curve`` has the columns of `training.CURVE`."""
    figure, panels = pyplot().subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
    for axes, values, name, colour in (
        (panels[0], curve[:, 1], "loss", "#0072b2"),
        (panels[1], curve[:, 2], measure, "#e69f00"),
    ):
        axes.set(ylabel=name)
        axes.grid(alpha=0.3)
        if np.isfinite(values).any():
            mark = "o" if len(values) <= FEW_POINTS else ""
            axes.plot(curve[:, 0], values, color=colour, lw=1, marker=mark, ms=4)
        else:
            axes.set(yticks=[])
            axes.text(0.5, 0.5, "not measured yet", ha="center", transform=axes.transAxes)
    if np.isfinite(curve[:, 1]).any():
        panels[0].set_yscale("log")
    panels[1].set_xlabel("round")
    panels[1].set_xlim(left=0)
    panels[1].locator_params(axis="x", integer=True)
    figure.suptitle(f"training of {agent}")
    save_figure(figure, path, replace=replace)


def plot_scores(
    runs: Sequence[tuple[str, NDArray[Any]]], path: str | Path, *, replace: bool = False
) -> None:
    """Draw the score of every game and two means, one panel a run: the DQN report's figures 6-8.

    A run is a title and the scores of its games in order. The means are over all games so far, as
    in the report, and over the last `GAMES_A_MEAN`.
    """
    figure, panels = pyplot().subplots(
        1, len(runs), figsize=(5 * len(runs), 4.2), sharey=True, squeeze=False, layout="constrained"
    )
    for axes, (title, scores) in zip(panels[0], runs, strict=True):
        games = np.arange(1, len(scores) + 1)
        axes.plot(games, scores, ".", color="#56b4e9", ms=1.5, alpha=0.5, label="score")
        axes.plot(games, np.cumsum(scores) / games, color="#e69f00", label="mean so far")
        axes.plot(games, moving_mean(scores), color="#d55e00", lw=1, label="mean of the last 200")
        axes.set(title=title, xlabel="games")
        axes.grid(alpha=0.3)
    panels[0][0].set_ylim(bottom=0)  # for all panels, once all are drawn
    panels[0][0].set_ylabel("score")
    panels[0][0].legend(frameon=False, markerscale=4)
    save_figure(figure, path, replace=replace)


def moving_mean(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Return the mean of each score and those before it, over at most `GAMES_A_MEAN` games."""
    sums = np.concatenate([[0.0], np.cumsum(scores)])
    ends = np.arange(1, len(scores) + 1)
    starts = np.maximum(ends - GAMES_A_MEAN, 0)
    means: NDArray[np.float64] = (sums[ends] - sums[starts]) / (ends - starts)
    return means
