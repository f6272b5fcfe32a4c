"""A tiny run trains, is killed, goes on, and ends as if it had not been."""

from pathlib import Path

import numpy as np
import pytest

from solver.agents import RatesCells, make_agent
from solver.analysis import analyse
from solver.arena.training import make_learner
from solver.board import Board
from solver.errors import BadRecipe
from solver.learning.training import train
from solver.learning.weights import Recipe, load_weights

WINDOW = Recipe(
    "dqn-window", "window", 6, 6, 5, rounds=40, boards=8, batch=32, memory=500, hidden=16,
    gamma=0.0, passes=2, diverse=True, tries=3, symmetries=True, edge=True,
)  # fmt: skip


STUCK = WINDOW.changed(agent="csp-dqn", network="stuck", passes=1, tries=1, boards=2)
BOARD = WINDOW.changed(
    agent="dqn-board", network="board", passes=1, tries=1, gamma=0.9, masked=False
)
RECIPES = {
    "window": WINDOW,
    "risk": WINDOW.changed(agent="risk-net", network="risk", passes=1, tries=1, layers=2, rounds=8),
    "stuck": STUCK,
    "stuck, all switches": STUCK.changed(
        taught=30, one_hot=True, less_mines=True, all_cells=True, cooling=0.25
    ),
    "board": BOARD,
    "board, the report's game": BOARD.changed(
        symmetries=False, diverse=False, edge=False, report_game=True, latest=True
    ),
    "board, several tries": BOARD.changed(gamma=0.0, masked=True, tries=6, edge=False),
}


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_a_killed_run_goes_on_with_the_same_result(recipe: Recipe, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    done = train(make_learner(recipe), whole)
    train(make_learner(recipe), cut, every=recipe.rounds // 4, stop_after=recipe.rounds // 2)
    assert not (cut / f"{recipe.agent}.npz").exists()
    again = train(make_learner(recipe), cut)
    assert done.keys() == again.keys()
    for name, value in done.items():
        assert np.array_equal(value, again[name], equal_nan=True), name
    about, arrays = load_weights(cut / f"{recipe.agent}.npz")
    assert about["network"] == recipe.network
    assert all(np.isfinite(array).all() for array in arrays.values())
    assert Recipe.load(cut / f"{recipe.agent}.toml") == recipe
    with pytest.raises(BadRecipe, match="another recipe"):
        train(make_learner(recipe.changed(seed=9)), cut)


@pytest.mark.slow
def test_a_run_can_be_made_longer_until_its_rate_falls(tmp_path: Path) -> None:
    short = WINDOW.changed(rounds=10)
    longer = WINDOW.changed(rounds=20, cooling=0.4)
    rates = [longer.rate_at(done) / longer.rate for done in (0, 11, 16, 19)]
    assert rates == pytest.approx([1, 1, 0.5, 0.125])
    train(make_learner(short), tmp_path / "two")
    in_two = train(make_learner(longer), tmp_path / "two")
    at_once = train(make_learner(longer), tmp_path / "one")
    assert all(np.array_equal(value, in_two[name]) for name, value in at_once.items())
    with pytest.raises(BadRecipe, match="another recipe"):
        train(make_learner(longer.changed(rounds=30)), tmp_path / "two")


@pytest.mark.slow
def test_a_window_learns_which_cells_are_safe(tmp_path: Path) -> None:
    recipe = WINDOW.changed(rounds=300, hidden=64, batch=128, random_moves=20, rate=0.003)
    train(make_learner(recipe), tmp_path)
    agent = make_agent(f"dqn-window:weights={tmp_path / 'dqn-window.npz'}")
    assert isinstance(agent, RatesCells)
    board = Board.from_text(
        """
        001###
        001###
        112###
        ######
        ######
        ######
    """,
        mines=5,
    )
    risks = analyse(board).probabilities
    values = agent.rate(board)
    assert values[risks == 0].min() > values[risks > 0.5].max()
