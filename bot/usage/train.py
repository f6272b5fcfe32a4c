"""``minebot train``: train a learned agent, and play it against the weights that ship."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.usage.declaring import argument, option
from bot.usage.shared import Files, Json, positive_number

LEARNERS = ("csp-dqn", "dqn-board", "dqn-window", "risk-net")
"""The agents that have a recipe."""


@dataclass(frozen=True, kw_only=True)
class Train(Files, Json):
    """Train the network of a learned agent by its recipe. A run that was stopped goes on from its
    last checkpoint, with the same result. At the end the new weights and the shipped ones play the
    same boards.

    examples:
      minebot train csp-dqn --plot curve.png
      minebot train dqn-window --recipe mine.toml --into runs/mine
      minebot play --agent dqn-window:weights=runs/mine/dqn-window.npz
    """

    name: str = argument(f"what to train: {', '.join(LEARNERS)}", "NAME")
    recipe: Path | None = option(
        "hyperparameters (TOML; default: those of the shipped weights)", "FILE"
    )
    into: Path = option("folder of checkpoints, weights and recipe", "DIR", default=Path("trained"))
    rounds: int | None = option("rounds to train", "N", read=positive_number)
    seed: int | None = option("seed (default: the recipe's)", "S")
    every: int = option("rounds between checkpoints", "N", default=500, read=positive_number)
    games: int = option(
        "boards to play against the shipped weights; 0 plays none", "N", default=200
    )
    plot: Path | None = option("draw the learning curve (.png or .svg)", "FILE")
