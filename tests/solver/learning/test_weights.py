"""Weights survive the disk, or are refused in one sentence."""

import errno
import json
import os
import re
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from solver.agents import make_agent
from solver.board import Board
from solver.errors import BadRecipe, BadWeights, CannotSave, WrongSize
from solver.game import Game
from solver.learning.weights import SHIPPED, Recipe, agent_weights, load_weights, save_weights

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


def test_a_full_disk_leaves_the_old_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights, recipe_file = tmp_path / "w.npz", tmp_path / "r.toml"
    save_weights(weights, ARRAYS, 1, 16)
    recipe = Recipe.load(SHIPPED / "dqn-window.toml")
    recipe.save(recipe_file)

    def no_room(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(CannotSave, match="No space left on device"):
        save_weights(weights, ARRAYS, 2, 16, replace=True)
    with pytest.raises(CannotSave, match="No space left on device"):
        recipe.changed(seed=5).save(recipe_file, replace=True)
    assert load_weights(weights)[0] == 1
    assert Recipe.load(recipe_file) == recipe
    assert {*os.listdir(tmp_path)} == {"w.npz", "r.toml"}


SOME = Board.from_text("1#\n##", mines=1)


def tampered(name: str, **changes: object) -> dict[str, np.ndarray]:
    """Return the arrays of weights that ship, some of them replaced; None takes one away."""
    with np.load(SHIPPED / f"{name}.npz") as archive:
        arrays = {key: archive[key] for key in archive.files} | changes
    return {key: np.asarray(array) for key, array in arrays.items() if array is not None}


@pytest.mark.parametrize("name", ["dqn-window", "risk-net"])
def test_tampered_weights_are_refused(name: str, tmp_path: Path) -> None:
    about, _ = load_weights(SHIPPED / f"{name}.npz")
    path = tmp_path / "w.npz"
    whole = tampered(name)
    cases = [tampered(name, about=json.dumps(one)) for one in (1, [], None, {}, {"network": name})]
    for changes in ({"layers": "x", "radius": "x"}, {"layers": 0, "radius": 0}, {"rows": None}):
        cases.append(tampered(name, about=json.dumps(about | changes)))
    for key in ("out.bias", "inner.bias"):
        cases += [tampered(name, **{key: one}) for one in (None, whole[key][:0], "text", np.nan)]
        cases.append(tampered(name, **{key: whole[key] * 1j}))
    for arrays in cases:
        np.savez(path, **arrays)
        agent_weights.cache_clear()
        with pytest.raises(BadWeights):
            make_agent(f"{name}:weights={path}").decide(SOME)
    raw, foreign = (SHIPPED / f"{one}.npz" for one in (name, LEARNED[LEARNED.index(name) - 1]))
    for data in (raw.read_bytes()[:1000], b"no weights", foreign.read_bytes()):
        path.write_bytes(data)
        agent_weights.cache_clear()
        with pytest.raises(BadWeights, match=re.escape(path.name)):
            make_agent(f"{name}:weights={path}").decide(SOME)
    with pytest.raises(BadWeights, match=r"none\.npz"):
        make_agent(f"{name}:weights={tmp_path / 'none.npz'}").decide(SOME)


@pytest.mark.parametrize("packed", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_unpacks_to_no_more_than_it_says(tmp_path: Path, packed: int) -> None:
    """The sizes in its directory say 1 KB, the data unpacks to 64 MB."""
    path, size = tmp_path / "w.npz", 64_000_000
    with zipfile.ZipFile(path, "w", packed) as archive:
        archive.writestr("about.npy", bytes(size))
    raw = path.read_bytes().replace(size.to_bytes(4, "little"), (1024).to_bytes(4, "little"))
    path.write_bytes(raw)
    tracemalloc.start()
    with pytest.raises(BadWeights):
        load_weights(path)
    assert tracemalloc.get_traced_memory()[1] < 16_000_000
    tracemalloc.stop()


@pytest.mark.filterwarnings("error")
def test_numbers_that_overflow_are_refused_without_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    for large in ({"a": np.full(3, 1e300)}, {"a/numbers": np.full((4,), 100, np.int8),
                  "a/scale": np.full(4, 3e38), "a/shape": np.array([4])}):  # fmt: skip
        np.savez(path, about=np.array("{}"), **large)  # type: ignore[arg-type]
        with pytest.raises(BadWeights):
            load_weights(path)


def test_a_flipped_bit_is_refused_or_does_no_harm(tmp_path: Path) -> None:
    raw = (SHIPPED / "risk-net.npz").read_bytes()
    path = tmp_path / "w.npz"
    refused = 0
    for place in range(100, len(raw), len(raw) // 40):
        path.write_bytes(raw[:place] + bytes([raw[place] ^ 16]) + raw[place + 1 :])
        try:
            load_weights(path)
        except BadWeights:
            refused += 1
    assert refused > 30


def test_dqn_board_refuses_other_sizes() -> None:
    with pytest.raises(WrongSize, match=r"15x15.*9x9"):
        make_agent("dqn-board").decide(Game.random(9, 9, 10).board)


@pytest.mark.parametrize("name", LEARNED)
def test_weights_ship_small_and_beside_their_recipe(name: str) -> None:
    path = SHIPPED / f"{name}.npz"
    assert path.stat().st_size <= 2 * 1024 * 1024
    assert load_weights(path)[0]["agent"] == Recipe.load(path.with_suffix(".toml")).agent == name


def test_invalid_recipes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    start = 'agent = "x"\nnetwork = "window"\nrows = 9\ncols = 9\nmines = 10\n'
    for text, word in (
        ("rows = ", "not a recipe"),
        (start + "depth = 3\n", "depth"),
        (start + "tries = 2\n", "gamma"),
        (start.replace("window", "tower"), "network"),
        (start + 'rounds = "many"\n', "rounds is a whole number, not 'many'"),
        (start + "rounds = true\n", "rounds is a whole number"),
        (start + "edge = 1\n", "edge is true or false"),
        (start + "hidden = 0\n", "above 0"),
    ):
        path.write_text(text)
        with pytest.raises(BadRecipe, match=word):
            Recipe.load(path)
    with pytest.raises(BadRecipe, match="Cannot read"):
        Recipe.load(tmp_path / "none.toml")
