"""``minebot train``: train a learned agent, and play it against the weights that ship."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.parsers.options import add_json, positive_number, whole_number

ABOUT = """\
Train the network of a learned agent by its recipe. A run that was stopped goes on from its last
checkpoint, with the same result. At the end the new weights and the shipped ones play the same
boards."""


EXAMPLES = """\
examples:
  minebot train csp-dqn --plot curve.png
  minebot train dqn-window --recipe mine.toml --into runs/mine
  minebot play --agent dqn-window:weights=runs/mine/dqn-window.npz"""


LEARNERS = ("csp-dqn", "dqn-board", "dqn-window", "risk-net")
"""The agents that have a recipe."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    parser.add_argument("name", metavar="NAME", help=f"what to train: {', '.join(LEARNERS)}")
    parser.add_argument(
        "--recipe",
        type=Path,
        metavar="FILE",
        help="hyperparameters (TOML; default: those of the shipped weights)",
    )
    parser.add_argument(
        "--into",
        type=Path,
        default=Path("trained"),
        metavar="DIR",
        help="folder of checkpoints, weights and recipe (default: trained)",
    )
    parser.add_argument("--rounds", type=positive_number, metavar="N", help="rounds to train")
    parser.add_argument(
        "--seed", type=whole_number, metavar="S", help="seed (default: the recipe's)"
    )
    parser.add_argument(
        "--every",
        type=positive_number,
        default=500,
        metavar="N",
        help="rounds between checkpoints (default: 500)",
    )
    parser.add_argument(
        "--games",
        type=whole_number,
        default=200,
        metavar="N",
        help="boards to play against the shipped weights; 0 plays none (default: 200)",
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the learning curve (.png or .svg)"
    )
    add_json(parser)
