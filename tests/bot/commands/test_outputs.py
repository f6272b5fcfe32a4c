"""Files that commands write: missing folders are made, and nothing of others is overwritten."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from bot.cli import main
from tests.bot.command_line import PLAY, Capture, complaint, run, said

BENCH = ("bench", "--size", "4x4x2", "--games", "1", "--agent", "basic")
SWEEP = ("arena", "sweep", "--dim", "4", "--games", "1", "--density", "0.1", "--agents", "basic")


RESULTS = "bench --games 1 --size 5x5x3 --agent basic --results {out}.jsonl"
OUTPUTS = (
    "read {shot} --save-calibration {out}.toml",
    "read {shot} --overlay {folder}",
    "advise {shot} --agent tank --heatmap {out}.png",
    "play --screen sim --size 9x9x10 --agent tank --save-calibration {out}.toml",
    "stats {session} --csv {out}.csv",
    "review {session} -o {out}.html",
    "themes export winemine -o {out}.toml",
    "bench --games 1 --size 5x5x3 --agent basic --plot {out}.png",
    "arena sweep --dim 5 --games 1 --density 0.2 --agents basic --csv {out}.csv",
    RESULTS,
)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded") / "session"
    assert main([*PLAY, "--record", str(folder)]) == 0
    return folder


@pytest.mark.parametrize("command", OUTPUTS)
@pytest.mark.parametrize("there", ["nothing", "file", "file with force", "link", "link with force"])
def test_folders_are_made_files_replaced_with_force_alone_and_links_never_followed(
    command: str, there: str, recorded: Path, screenshot: Path, tmp_path: Path, capsys: Capture
) -> None:
    folder, victim = tmp_path / "new" / "folder", tmp_path / "victim"
    names = {"shot": screenshot, "session": recorded, "out": folder / "out", "folder": folder}
    words = command.format(**names).split()
    target = folder / f"{screenshot.stem}.png" if "--overlay" in words else Path(words[-1])
    victim.write_text("precious")
    if there != "nothing":
        folder.mkdir(parents=True)
    if there.startswith("file"):
        target.write_text("precious: agent, # Made by minebot, PK about.npy")
    elif there != "nothing":
        target.symlink_to(victim)
    if there.endswith("force"):
        words.append("--force")
    code = main(words)
    written = there == "nothing" or (there == "file with force" and command != RESULTS)
    assert code == (0 if written else 2)
    assert target.read_bytes().startswith(b"precious") != written
    assert victim.read_text("utf-8") == "precious"
    assert [*folder.iterdir()] == [target], "no part is left behind"
    if there == "file" and command != RESULTS:
        assert "--force" in capsys.readouterr().err


def test_results_are_continued_and_another_file_is_kept(tmp_path: Path, capsys: Capture) -> None:
    words = (*BENCH, "--results", tmp_path / "games.jsonl")
    assert run(capsys, *words)[0] == run(capsys, *words)[0] == 0
    (tmp_path / "games.jsonl").write_text("precious")
    for forced in ((), ("--force",)):
        code, sentence = complaint(capsys, *words, *forced)
        assert (code, "holds no results" in sentence) == (2, True), sentence
        assert (tmp_path / "games.jsonl").read_text("utf-8") == "precious"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["session.jsonl", "00001.png"])
@pytest.mark.parametrize(("command", "option"), [("review", "-o"), ("stats", "--csv")])
def test_no_recording_is_overwritten(
    command: str, option: str, name: str, recorded: Path, capsys: Capture
) -> None:
    file = recorded / name
    before = file.read_bytes()
    capsys.readouterr()
    code, message = complaint(capsys, command, file.parent, option, file)
    assert (code, file.read_bytes()) == (2, before)
    assert "would overwrite a file that is read" in message


def test_no_file_of_boards_or_results_is_overwritten(tmp_path: Path, capsys: Capture) -> None:
    boards = tmp_path / "boards.json"
    size = '"rows": 1, "cols": 2, "mines": 1, "rule": "none"'
    boards.write_text(f'{{{size}, "boards": [{{"order": [0, 1]}}]}}')
    results = tmp_path / "games.jsonl"
    results.write_text("")
    for words in (
        ("bench", "--boards", boards, "--results", boards),
        (*SWEEP, "--results", results, "--csv", results),
    ):
        code, message = complaint(capsys, *words)
        assert (code, "would overwrite" in message) == (2, True), message


def test_a_theme_that_is_read_is_not_overwritten(tmp_path: Path, capsys: Capture) -> None:
    theme = tmp_path / "my.toml"
    assert run(capsys, "themes", "export", "winemine", "-o", theme)[0] == 0
    before = theme.read_bytes()
    code, message = complaint(capsys, *PLAY, "--theme", theme, "--save-calibration", theme)
    assert (code, theme.read_bytes()) == (2, before)
    assert "would overwrite a file that is read" in message


def test_a_calibration_that_cannot_be_saved_ends_play_with_an_error(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    code, reported = said(capsys, *PLAY, "--seed", "2", "--save-calibration", tmp_path / "at.toml")
    assert (code, "at.toml could not be written" in reported) == (1, True), reported
    assert list(tmp_path.iterdir()) == []
