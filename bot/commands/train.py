"""``minebot train``: train a learned agent, and play it against the weights that ship."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.commands.long_runs import load_solver, progress_bars
from bot.commands.options import add_json, positive_number, whole_number
from bot.errors import UsageError
from bot.outputs import check_output, check_writable
from bot.terminal.output import console, emit, note
from solver.arena.boards import BoardSet, Size
from solver.arena.tournament import Match, compare, play_match, standing
from solver.counting import counted
from solver.learning.archives import is_archive
from solver.learning.recipe import Recipe
from solver.learning.training.loop import train
from solver.learning.weights import SHIPPED

ABOUT = """\
Train the network of a learned agent by its recipe. A run that was stopped goes on from its last
checkpoint, with the same result. At the end the new weights and the shipped ones play the same
boards."""

EXAMPLES = """\
examples:
  minebot train csp-dqn --plot curve.png
  minebot train dqn-window --recipe mine.toml --into runs/mine
  minebot play --agent dqn-window:weights=runs/mine/dqn-window.npz"""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "train",
        help="train a learned agent",
        description=ABOUT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = recipes()
    parser.add_argument("name", metavar="NAME", help=f"what to train: {', '.join(names)}")
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
    parser.set_defaults(run=run)


def recipes() -> tuple[str, ...]:
    """Return the agents that have a recipe."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.toml")))


def run(args: argparse.Namespace) -> int:
    """Train, save, draw and evaluate."""
    recipe = recipe_of(args)
    weights = args.into / f"{recipe.agent}.npz"
    check_output(None, args.plot)
    check_writable(weights, is_archive)
    from solver.arena.training.learners import MEASURES, make_learner  # noqa: PLC0415

    learner = make_learner(recipe)
    if (args.into / f"{recipe.agent}.checkpoint.npz").exists():
        note(f"Going on from the checkpoint in {args.into}.")
    with progress_bars() as start_bar:
        bar = start_bar(recipe.agent)
        state = train(
            learner,
            args.into,
            every=args.every,
            on_round=lambda done, total, figures: bar(done, total),
        )
    if args.plot:
        draw(recipe, state["curve"], MEASURES[recipe.network], args.plot)
    report(args, recipe, weights)
    return 0


def recipe_of(args: argparse.Namespace) -> Recipe:
    """Return the recipe to train by. Raises `UsageError` for an unknown name, `BadRecipe`."""
    if args.recipe is None and args.name not in recipes():
        raise UsageError(
            f"There is no recipe for {args.name!r}. Known: {', '.join(recipes())}, or give "
            "--recipe FILE."
        )
    recipe = Recipe.load(args.recipe or SHIPPED / f"{args.name}.toml")
    if recipe.agent != args.name:
        raise UsageError(f"{args.recipe} is a recipe for {recipe.agent}, not for {args.name}.")
    changes = {"rounds": args.rounds, "seed": args.seed}
    return recipe.changed(**{name: value for name, value in changes.items() if value is not None})


def draw(recipe: Recipe, curve: NDArray[np.float64], measure: str, path: Path) -> None:
    """Draw the learning curve, or say that there is nothing to draw."""
    from solver.arena.training.curves import is_measured, plot_curve  # noqa: PLC0415

    if is_measured(curve):
        plot_curve(recipe.agent, curve, measure, path)
    else:
        note(
            f"No chart is drawn: {recipe.agent} needs more than {recipe.rounds} rounds before it "
            "has a loss or a score."
        )


def report(args: argparse.Namespace, recipe: Recipe, weights: Path) -> None:
    """Play the new weights and the shipped ones on the same boards; print where the weights are."""
    line: dict[str, Any] = {"agent": recipe.agent, "weights": str(weights), "games": args.games}
    if args.games > 0:
        trained = f"{recipe.agent}:weights={weights}"
        agents = (trained, recipe.agent)
        load_solver(agents)
        boards = BoardSet(Size(recipe.rows, recipe.cols, recipe.mines), recipe.rule)
        played = play_match(Match(boards, agents, args.games, with_chance=False))
        new, shipped = (standing(agent, played[agent]).win_rate for agent in agents)
        paired, _ = compare(played[trained], played[recipe.agent])
        line |= {
            "win_rate": new.value,
            "ci95": list(new.ci95),
            "shipped_win_rate": shipped.value,
            "difference": paired.difference.value,
            "difference_ci95": list(paired.difference.ci95),
            "p_value": paired.p_value,
        }
    if args.json:
        emit(line)
        return
    console().print(f"Weights saved in {weights}.")
    if args.games > 0:
        console().print(
            f"On {counted(args.games, 'board')} of {boards.size}: {new.value:.1%} won, "
            f"the shipped weights {shipped.value:.1%}; difference "
            f"{100 * paired.difference.value:+.1f} points, p = {paired.p_value:.2g}."
        )
