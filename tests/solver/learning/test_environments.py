"""The Gymnasium environments keep Gymnasium's promises and the papers' rewards."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from solver.errors import BadMineTotal, BadRecipe
from solver.learning.environments import ENVIRONMENT, VectorMinesweeper

SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"observation": "planes", "risk": True, "mines_left": True, "edge": True, "reward": "signs"},
    {"rows": 3, "cols": 7, "mines": 20, "first": "none", "reward": "tiles"},
)


@pytest.mark.parametrize("settings", SETTINGS)
def test_passes_the_checks_of_gymnasium(settings: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(ENVIRONMENT, **settings).unwrapped)


@pytest.mark.parametrize(
    ("reward", "mine", "again"), [("tiles", -50, -100), ("safe", -50, -100), ("signs", -1, -1)]
)
def test_rewards_are_those_of_the_papers(reward: str, mine: float, again: float) -> None:
    env = VectorMinesweeper(60, rows=4, cols=4, mines=5, first="none", reward=reward)
    seen, _ = env.reset(seed=1)
    _, rewards, ended, _, info = env.step(np.full(60, 5))
    tiles = 16 - info["action_mask"].sum(1)
    hit = tiles == 0
    assert 0 < hit.sum() < 60
    assert (seen == 9).all()
    assert (rewards[hit] == mine).all()
    assert ended[hit].all()
    safe = {"tiles": 100.0 * tiles, "safe": 100.0, "signs": 1.0}[reward]
    assert (rewards[~hit] == np.broadcast_to(safe, 60)[~hit]).all()
    _, rewards, ended, _, info = env.step(np.full(60, 5))
    assert (rewards[hit] == 0).all()
    assert not ended[hit].any()
    assert (info["action_mask"][hit] == 1).all()
    assert (rewards[~hit] == again).all()


def test_planes_show_tiles_risks_and_the_edge() -> None:
    env = VectorMinesweeper(
        4, rows=4, cols=5, mines=3, observation="planes", risk=True, mines_left=True, edge=True
    )
    env.reset(seed=0)
    seen = env.step(np.zeros(4, np.int64))[0]
    assert seen.shape == (4, 13, 6, 7)
    assert (seen[:, :11].sum(1) == 1).all()
    assert seen[:, 10].sum() == 4 * (6 * 7 - 4 * 5)
    covered = seen[:, 9].sum((1, 2))
    assert seen[:, 11].sum((1, 2)) == pytest.approx(3 * np.ones(4), abs=1e-5)
    assert seen[:, 12, 0, 0] == pytest.approx(3 / covered)


def test_invalid_settings_are_refused() -> None:
    with pytest.raises(BadMineTotal):
        VectorMinesweeper(1, rows=3, cols=3, mines=9)
    with pytest.raises(BadRecipe, match="reward"):
        VectorMinesweeper(1, reward="joy")
    with pytest.raises(BadRecipe, match="planes"):
        VectorMinesweeper(1, risk=True)
