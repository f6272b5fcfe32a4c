"""``minebot train``: train a learned agent, or the network that reads boards."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands.parsing import argument, option
from bot.commands.shared import Files, Json, positive_number
from bot.errors import UsageError
from bot.outputs import check_output, check_writable
from bot.streams import emit, note
from solver.counting import counted
from solver.extras import pip_command

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from solver.learning.weights import Recipe


LEARNERS = ("csp-dqn", "dqn-board", "dqn-window", "risk-net")
"""The agents that have a recipe."""

READER = "reader"
"""The name of the network that reads boards."""

MINUTES = 120
"""Processor time to train the reader if no other is given."""


@dataclass(frozen=True, kw_only=True)
class Train(Files, Json):
    """Train the network of a learned agent by its recipe. A stopped run continues from its last
    checkpoint, with the same result. At the end the new and the shipped weights play the same
    boards. "reader" trains the network that reads boards; see docs/reader.md.

    examples:
      minebot train csp-dqn --plot curve.png
      minebot train dqn-window --recipe mine.toml --into runs/mine
      minebot play --agent dqn-window:weights=runs/mine/dqn-window.npz
      minebot train reader --sets tile-sets --minutes 120
    """

    name: str = argument(f"what to train: {', '.join((*LEARNERS, READER))}", "NAME")
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
    sets: Path | None = option("folder with the tile sets to train the reader on", "DIR")
    minutes: int | None = option(
        "processor time to train the reader (default: 120)", "N", read=positive_number
    )


def run(args: Train) -> int:
    """Train, save, draw and evaluate."""
    if args.name == READER:
        return train_reader(args)
    if args.sets is not None or args.minutes is not None:
        raise UsageError(f"--sets and --minutes are for `minebot train {READER}` only.")
    from bot.terminal.console import progress_bars
    from solver.learning.training import train

    recipe = recipe_of(args)
    weights = args.into / f"{recipe.agent}.npz"
    check_output(None, args.plot, replace=args.force)
    goes_on = (args.into / f"{recipe.agent}.checkpoint.npz").exists()
    for path in (weights, weights.with_suffix(".toml")):
        check_writable(path, replace=args.force or goes_on)
    from solver.arena.training import MEASURES, make_learner

    learner = make_learner(recipe)
    if goes_on:
        note(f"Continuing from the checkpoint in {args.into}.")
    with progress_bars() as start_bar:
        bar = start_bar(recipe.agent)
        state = train(
            learner,
            args.into,
            every=args.every,
            replace=args.force,
            on_round=lambda done, total, figures: bar(done, total),
        )
    if args.plot:
        draw(recipe, state["curve"], MEASURES[recipe.network], args.plot, replace=args.force)
    report(args, recipe, weights)
    return 0


def train_reader(args: Train) -> int:
    """Train the network that reads boards; needs torch and onnx."""
    if any(one is not None for one in (args.recipe, args.rounds, args.plot)):
        raise UsageError("The reader has no --recipe, no --rounds and no --plot.")
    folders = sorted(path.parent for path in args.sets.rglob("index.csv")) if args.sets else []
    if not folders:
        raise UsageError("Name a folder with tile sets, each with its index.csv: --sets DIR.")
    try:
        from calibration.learning import train as training
    except ModuleNotFoundError as error:
        raise UsageError(
            f"Training the reader needs {error.name}: run `{pip_command('torch', 'onnx')}`."
        ) from None
    minutes, seed = args.minutes or MINUTES, 1 if args.seed is None else args.seed
    path = training.train_reader(args.into, folders, minutes=minutes, seed=seed)
    if args.json:
        emit({"agent": READER, "weights": str(path), "games": 0})
    else:
        note(f"Network saved in {path}, learning curve in {args.into / 'curve.csv'}.")
    return 0


def recipe_of(args: Train) -> Recipe:
    """Return the recipe to train by. Raises `UsageError` for an unknown name, `BadRecipe`."""
    from solver.learning.weights import SHIPPED, Recipe

    if args.recipe is None and args.name not in LEARNERS:
        raise UsageError(
            f"There is no recipe for {args.name!r}. Known: {', '.join((*LEARNERS, READER))}, or "
            "give --recipe FILE."
        )
    recipe = Recipe.load(args.recipe or SHIPPED / f"{args.name}.toml")
    if recipe.agent != args.name:
        raise UsageError(f"{args.recipe} is a recipe for {recipe.agent}, not for {args.name}.")
    changes = {"rounds": args.rounds, "seed": args.seed}
    return recipe.changed(**{name: value for name, value in changes.items() if value is not None})


def draw(
    recipe: Recipe, curve: NDArray[np.float64], measure: str, path: Path, *, replace: bool
) -> None:
    """Draw the learning curve, or print why there is none."""
    from solver.arena.charts import is_measured, plot_curve

    if is_measured(curve):
        plot_curve(recipe.agent, curve, measure, path, replace=replace)
    else:
        note(
            f"No chart is drawn: {recipe.agent} needs more than {recipe.rounds} rounds before it "
            "has a loss or a score."
        )


def report(args: Train, recipe: Recipe, weights: Path) -> None:
    """Print where the weights are, and how they compare with the shipped ones on the same
    boards.
    """
    from bot.terminal.console import console
    from solver.arena.boards import BoardSet, Size
    from solver.arena.matches import Match, compare, play_match, standing

    line: dict[str, Any] = {"agent": recipe.agent, "weights": str(weights), "games": args.games}
    if args.games > 0:
        trained = f"{recipe.agent}:weights={weights}"
        agents = (trained, recipe.agent)
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
