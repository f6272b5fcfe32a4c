"""``minebot train``: train a learned agent, and play it against the weights that ship."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.commands.long_runs import progress_bars
from bot.errors import UsageError
from bot.outputs import check_output, check_writable
from bot.terminal.console import console
from bot.terminal.output import emit, note
from bot.usage.train import LEARNERS, Train
from solver.arena.boards import BoardSet, Size
from solver.arena.matches import Match, compare, play_match, standing
from solver.counting import counted
from solver.learning.training.loop import train
from solver.learning.weights import SHIPPED, Recipe


def run(args: Train) -> int:
    """Train, save, draw and evaluate."""
    recipe = recipe_of(args)
    weights = args.into / f"{recipe.agent}.npz"
    check_output(None, args.plot, replace=args.force)
    goes_on = (args.into / f"{recipe.agent}.checkpoint.npz").exists()
    for path in (weights, weights.with_suffix(".toml")):
        check_writable(path, replace=args.force or goes_on)
    from solver.arena.training import MEASURES, make_learner  # noqa: PLC0415

    learner = make_learner(recipe)
    if goes_on:
        note(f"Going on from the checkpoint in {args.into}.")
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


def recipe_of(args: Train) -> Recipe:
    """Return the recipe to train by. Raises `UsageError` for an unknown name, `BadRecipe`."""
    if args.recipe is None and args.name not in LEARNERS:
        raise UsageError(
            f"There is no recipe for {args.name!r}. Known: {', '.join(LEARNERS)}, or give "
            "--recipe FILE."
        )
    recipe = Recipe.load(args.recipe or SHIPPED / f"{args.name}.toml")
    if recipe.agent != args.name:
        raise UsageError(f"{args.recipe} is a recipe for {recipe.agent}, not for {args.name}.")
    changes = {"rounds": args.rounds, "seed": args.seed}
    return recipe.changed(**{name: value for name, value in changes.items() if value is not None})


def draw(
    recipe: Recipe, curve: NDArray[np.float64], measure: str, path: Path, *, replace: bool
) -> None:
    """Draw the learning curve, or say that there is nothing to draw."""
    from solver.arena.charts import is_measured, plot_curve  # noqa: PLC0415

    if is_measured(curve):
        plot_curve(recipe.agent, curve, measure, path, replace=replace)
    else:
        note(
            f"No chart is drawn: {recipe.agent} needs more than {recipe.rounds} rounds before it "
            "has a loss or a score."
        )


def report(args: Train, recipe: Recipe, weights: Path) -> None:
    """Play the new weights and the shipped ones on the same boards; print where the weights are."""
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
