"""``minebot train``, from its arguments to the files it leaves; and agents that cannot play."""

import errno
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from bot.cli import main
from solver.extras import install_command
from solver.learning.q_learning import QLearner

RECIPE = """
agent = "dqn-window"
network = "window"
rows = 6
cols = 6
mines = 5
rounds = 20
boards = 8
batch = 16
memory = 200
hidden = 16
"""


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """A tiny run into a folder of its own."""
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(RECIPE)
    return ["train", "dqn-window", "--recipe", str(recipe), "--into", str(tmp_path / "run")]


def failure(capsys: Any, *words: str) -> tuple[int, str]:
    code = main(list(words))
    err = capsys.readouterr().err.strip()
    assert len(err.splitlines()) == 1, err
    return code, err


@pytest.mark.slow
def test_trains_saves_draws_and_plays_against_the_shipped_weights(
    words: list[str], tmp_path: Path, capsys: Any
) -> None:
    plot = tmp_path / "curve.png"
    assert main([*words, "--plot", str(plot), "--games", "4", "--json"]) == 0
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert line["agent"] == "dqn-window"
    assert line["games"] == 4
    assert line["difference"] == line["win_rate"] - line["shipped_win_rate"]
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {"dqn-window.npz", "dqn-window.toml", "dqn-window.checkpoint.npz"}
    assert plot.stat().st_size > 1000


SCORE_COLOUR = (230, 159, 0)
LOSS_COLOUR = (0, 114, 178)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "rounds", "colours"),
    [
        pytest.param((2, 4), "3", {LOSS_COLOUR}, id="loss, but no game over"),
        pytest.param((8, 16), "13", {LOSS_COLOUR, SCORE_COLOUR}, id="both"),
        pytest.param((8, 200), "13", {SCORE_COLOUR}, id="score, but nothing learned"),
        pytest.param((8, 200), "1", set(), id="neither"),
    ],
)
def test_the_curve_of_a_short_run_shows_what_was_measured(
    sizes: tuple[int, int],
    rounds: str,
    colours: set[tuple[int, ...]],
    words: list[str],
    tmp_path: Path,
    capsys: Any,
) -> None:
    text = RECIPE.replace("boards = 8", f"boards = {sizes[0]}")
    Path(words[3]).write_text(text.replace("batch = 16", f"batch = {sizes[1]}"))
    words += ["--seed", "2", "--rounds", rounds, "--games", "0"]
    plot = tmp_path / "new" / "curve.png"
    assert main([*words, "--plot", str(plot)]) == 0
    err = capsys.readouterr().err
    assert plot.exists() == bool(colours)
    assert ("No chart is drawn" in err) != bool(colours)
    if colours:
        with Image.open(plot) as picture:
            seen = {colour for _, colour in picture.convert("RGB").getcolors(1 << 24)}
        assert seen & {LOSS_COLOUR, SCORE_COLOUR} == colours


@pytest.mark.slow
def test_a_full_disk_is_one_sentence(
    words: list[str], capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    code, err = failure(capsys, *words)
    assert code == 1
    assert "No space left on device" in err


def test_a_file_where_the_folder_should_be_is_reported_before_the_training(
    words: list[str], tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run").write_text("no folder")
    monkeypatch.setattr(QLearner, "step", lambda learner: pytest.fail("it trained"))
    code, err = failure(capsys, *words)
    assert code == 2
    assert "cannot be written" in err


@pytest.mark.slow
def test_ctrl_c_keeps_the_last_checkpoint_and_the_next_run_goes_on_from_it(
    words: list[str], tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes as the third checkpoint is written, after 12 of 20 rounds."""
    written: list[int] = []
    sync = os.fsync

    def interrupted(file: int) -> None:
        written.append(file)
        if len(written) == 3:
            signal.raise_signal(signal.SIGINT)
        sync(file)

    monkeypatch.setattr(os, "fsync", interrupted)
    words += ["--every", "4", "--games", "0"]
    code, err = failure(capsys, *words)
    assert code == 5
    assert err == "Stopped at your request."
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["dqn-window.checkpoint.npz"]
    monkeypatch.undo()
    rounds: list[int] = []
    step = QLearner.step

    def counted(learner: QLearner) -> dict[str, float]:
        rounds.append(learner._round)
        return step(learner)

    monkeypatch.setattr(QLearner, "step", counted)
    assert main(words) == 0
    assert rounds == list(range(8, 20))
    assert "Continuing from the checkpoint" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("room", [1, 2])
def test_a_disk_that_fills_at_the_end_loses_nothing(
    room: int, words: list[str], tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is room for the checkpoint, or for it and the weights; then the disk is full."""
    written: list[int] = []
    sync = os.fsync

    def fills(file: int) -> None:
        written.append(file)
        if len(written) > room:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(file)

    monkeypatch.setattr(os, "fsync", fills)
    code, err = failure(capsys, *words, "--games", "0")
    assert code == 1
    assert "No space left on device" in err
    left = {path.name for path in (tmp_path / "run").iterdir()}
    assert left == {"dqn-window.checkpoint.npz", "dqn-window.npz"} - (
        {"dqn-window.npz"} if room < 2 else set()
    )
    monkeypatch.undo()
    assert main([*words, "--games", "0", "--json"]) == 0
    assert (tmp_path / "run" / "dqn-window.toml").exists()


def test_the_missing_extra_is_named(
    words: list[str], capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "flax", None)
    code, err = failure(capsys, *words)
    assert code == 2
    assert f"run {install_command('learn')}." in err


def test_what_cannot_be_trained_or_played_is_one_sentence(
    words: list[str], tmp_path: Path, capsys: Any
) -> None:
    bench = ("bench", "--size", "9x9x10", "--games", "1", "--agent")
    for code, word, arguments in (
        (2, "Known: csp-dqn", ("train", "tank")),
        (2, "not for csp-dqn", ("train", "csp-dqn", *words[2:])),
        (2, "15x15", (*bench, "dqn-board")),
        (2, "below 0", ("train", "csp-dqn", "--games", "-3")),
        (2, "no file", (*bench, f"dqn-window:weights={tmp_path / 'none.npz'}")),
    ):
        assert failure(capsys, *arguments)[0] == code
        assert word in failure(capsys, *arguments)[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["reader"], "tile sets"),
        (["reader", "--sets", "empty"], "tile sets"),
        (["reader", "--sets", "sets", "--rounds", "5"], "no --rounds"),
        (["csp-dqn", "--sets", "sets"], "only"),
        (["csp-dqn", "--minutes", "5"], "only"),
    ],
)
def test_options_of_the_reader_and_of_agents_do_not_mix(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    code, err = failure(capsys, "train", *words, "--into", str(tmp_path / "run"))
    assert code == 2
    assert said in err
    assert not (tmp_path / "run").exists()


def test_training_the_reader_without_torch_says_what_to_install(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.csv").touch()
    monkeypatch.delitem(sys.modules, "calibration.learning.train", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    code, err = failure(capsys, "train", "reader", "--sets", str(tmp_path))
    assert code == 2
    assert "torch" in err
    assert "install" in err
