"""``minebot train``, from its arguments to the files it leaves."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from bot.cli import main
from solver.learning.q_learning import QLearner
from tests.bot.command_line import Capture, complaint, run

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

CHECKPOINT, WEIGHTS = "dqn-window.checkpoint.npz", "dqn-window.npz"


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """A tiny run into a folder of its own."""
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(RECIPE)
    return ["train", "dqn-window", "--recipe", str(recipe), "--into", str(tmp_path / "run")]


@pytest.fixture
def at_file(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, Callable[[], None]], None]:
    """Have something happen each time a file is written to the disk, from the nth one on."""

    def happen(first: int, event: Callable[[], None]) -> None:
        written, sync = [0], os.fsync

        def fsync(file: int) -> None:
            written[0] += 1
            if written[0] >= first:
                event()
            sync(file)

        monkeypatch.setattr(os, "fsync", fsync)

    return happen


def disk_is_full() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.slow
def test_trains_saves_draws_and_plays_against_the_shipped_weights(
    words: list[str], tmp_path: Path, capsys: Capture
) -> None:
    plot = tmp_path / "curve.png"
    code, (line,), _ = run(capsys, *words, "--plot", plot, "--games", "4")
    assert (code, line["agent"], line["games"]) == (0, "dqn-window", 4)
    assert line["difference"] == line["win_rate"] - line["shipped_win_rate"]
    assert files_in(tmp_path / "run") == {WEIGHTS, "dqn-window.toml", CHECKPOINT}
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
    capsys: Capture,
) -> None:
    text = RECIPE.replace("boards = 8", f"boards = {sizes[0]}")
    Path(words[3]).write_text(text.replace("batch = 16", f"batch = {sizes[1]}"))
    plot = tmp_path / "new" / "curve.png"
    words += ["--seed", "2", "--rounds", rounds, "--games", "0", "--plot", str(plot)]
    assert main(words) == 0
    assert ("No chart is drawn" in capsys.readouterr().err) != bool(colours)
    assert plot.exists() == bool(colours)
    if colours:
        with Image.open(plot) as picture:
            seen = {colour for _, colour in picture.convert("RGB").getcolors(1 << 24)}
        assert seen & {LOSS_COLOUR, SCORE_COLOUR} == colours


@pytest.mark.slow
def test_ctrl_c_keeps_the_last_checkpoint_and_the_next_run_goes_on_from_it(
    words: list[str],
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    at_file: Callable[[int, Callable[[], None]], None],
) -> None:
    """It comes as the third checkpoint is written, after 12 of 20 rounds."""
    at_file(3, lambda: signal.raise_signal(signal.SIGINT))
    words += ["--every", "4", "--games", "0"]
    assert complaint(capsys, *words) == (5, "Stopped at your request.\n")
    assert files_in(tmp_path / "run") == {CHECKPOINT}
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
@pytest.mark.parametrize("left", [set(), {CHECKPOINT}, {CHECKPOINT, WEIGHTS}], ids=len)
def test_a_disk_that_fills_loses_nothing(
    left: set[str],
    words: list[str],
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    at_file: Callable[[int, Callable[[], None]], None],
) -> None:
    """There is room for nothing, for the checkpoint, or for it and the weights."""
    at_file(len(left) + 1, disk_is_full)
    code, sentence = complaint(capsys, *words, "--games", "0")
    assert (code, "No space left on device" in sentence) == (1, True)
    assert files_in(tmp_path / "run") == left
    monkeypatch.undo()
    assert main([*words, "--games", "0", "--json"]) == 0
    assert (tmp_path / "run" / "dqn-window.toml").exists()
