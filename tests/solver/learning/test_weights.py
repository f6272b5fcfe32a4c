"""Weights survive the disk, or are refused in one sentence."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from solver.agents import make_agent
from solver.board import Board
from solver.errors import BadRecipe, BadWeights, CannotSave, WrongSize
from solver.game import Game
from solver.learning.recipe import Recipe
from solver.learning.weights import SHIPPED, load_weights, save_weights

LEARNED = ("csp-dqn", "dqn-board", "dqn-window", "risk-net")
ARRAYS = {"a.kernel": np.random.default_rng(0).normal(size=(3, 5, 7)), "a.bias": np.arange(7.0)}


@pytest.mark.parametrize(("bits", "error"), [(16, 0.002), (8, 0.02), (4, 0.3)])
def test_arrays_come_back_nearly_as_they_were(tmp_path: Path, bits: int, error: float) -> None:
    path = tmp_path / "w.npz"
    save_weights(path, ARRAYS, {"network": "risk"}, bits)
    about, arrays = load_weights(path)
    assert about == {"network": "risk"}
    assert arrays["a.bias"] == pytest.approx(ARRAYS["a.bias"])
    assert np.abs(arrays["a.kernel"] - ARRAYS["a.kernel"]).max() < error


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "w.npz"
    save_weights(path, ARRAYS, 1, 16)

    def no_room(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(CannotSave, match="No space left on device"):
        save_weights(path, ARRAYS, 2, 16)
    assert load_weights(path)[0] == 1
    assert os.listdir(tmp_path) == ["w.npz"]


def test_what_holds_no_weights_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.npz"
    broken.write_bytes((SHIPPED / "dqn-window.npz").read_bytes()[:1000])
    text = tmp_path / "text.npz"
    text.write_text("no weights")
    other = tmp_path / "other.npz"
    np.savez(other, numbers=np.arange(3))
    foreign = SHIPPED / "risk-net.npz"
    some = Board.from_text("1#\n##", mines=1)
    for path in (broken, text, other, foreign, tmp_path / "none.npz"):
        with pytest.raises(BadWeights) as caught:
            make_agent(f"dqn-window:weights={path}").decide(some)
        assert path.name in str(caught.value)


def test_dqn_board_refuses_other_sizes() -> None:
    with pytest.raises(WrongSize, match=r"15x15.*9x9"):
        make_agent("dqn-board").decide(Game.random(9, 9, 10).board)


@pytest.mark.parametrize("name", LEARNED)
def test_weights_ship_small_and_beside_their_recipe(name: str) -> None:
    path = SHIPPED / f"{name}.npz"
    assert path.stat().st_size <= 2 * 1024 * 1024
    assert load_weights(path)[0]["agent"] == Recipe.load(path.with_suffix(".toml")).agent == name


def test_recipes_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    start = 'agent = "x"\nnetwork = "window"\nrows = 9\ncols = 9\nmines = 10\n'
    for text, word in (
        ("rows = ", "no recipe"),
        (start + "depth = 3\n", "depth"),
        (start + "tries = 2\n", "gamma"),
        (start.replace("window", "tower"), "network"),
    ):
        path.write_text(text)
        with pytest.raises(BadRecipe, match=word):
            Recipe.load(path)
    with pytest.raises(BadRecipe, match="Cannot read"):
        Recipe.load(tmp_path / "none.toml")
