"""Files that commands write: missing folders are made."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from bot.cli import main
from tests.bot.command_line import PLAY, Capture, complaint, run, said

BENCH = ("bench", "--size", "4x4x2", "--games", "1", "--agent", "basic")
SWEEP = ("arena", "sweep", "--dim", "4", "--games", "1", "--density", "0.1", "--agents", "basic")


@pytest.mark.parametrize(
    ("words", "option", "name"),
    [
        (BENCH, "--plot", "rates.png"),
        (BENCH, "--results", "games.jsonl"),
        (SWEEP, "--csv", "table.csv"),
        (PLAY, "--save-calibration", "board.toml"),
        (("read", "SCREENSHOT"), "--save-calibration", "board.toml"),
        (("read", "SCREENSHOT"), "--overlay", "drawn"),
        (("advise", "SCREENSHOT"), "--heatmap", "heat.png"),
    ],
)
def test_a_missing_folder_is_made(
    words: tuple[str, ...],
    option: str,
    name: str,
    tmp_path: Path,
    screenshot: Path,
    capsys: Capture,
) -> None:
    path = tmp_path / "new" / "folder" / name
    given = [str(screenshot) if word == "SCREENSHOT" else word for word in words]
    code, _, reported = run(capsys, *given, option, path)
    assert code == 0, reported
    assert path.exists()


@pytest.mark.parametrize(
    ("words", "option", "name"),
    [
        (BENCH, "--plot", "rates.png"),
        (SWEEP, "--csv", "table.csv"),
        (PLAY, "--save-calibration", "board.toml"),
        (("read", "SCREENSHOT"), "--save-calibration", "board.toml"),
        (("read", "SCREENSHOT"), "--overlay", "drawn"),
        (("advise", "SCREENSHOT"), "--heatmap", "heat.png"),
        (("themes", "export", "winemine"), "-o", "theme.toml"),
    ],
)
def test_a_file_is_replaced_with_force_alone(
    words: tuple[str, ...],
    option: str,
    name: str,
    tmp_path: Path,
    screenshot: Path,
    capsys: Capture,
) -> None:
    given = [str(screenshot) if word == "SCREENSHOT" else word for word in words]
    path = tmp_path / name
    file = path / f"{screenshot.stem}.png" if option == "--overlay" else path
    file.parent.mkdir(exist_ok=True)
    file.write_text("precious: agent, # Made by minebot, PK about.npy")
    code, sentence = complaint(capsys, *given, option, path)
    assert (code, "--force" in sentence) == (2, True), sentence
    assert file.read_text("utf-8").startswith("precious")
    assert said(capsys, *given, option, path, "--force")[0] == 0
    assert not file.read_bytes().startswith(b"precious")
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [file]


def test_results_are_continued_and_another_file_is_kept(tmp_path: Path, capsys: Capture) -> None:
    words = (*BENCH, "--results", tmp_path / "games.jsonl")
    assert run(capsys, *words)[0] == run(capsys, *words)[0] == 0
    (tmp_path / "games.jsonl").write_text("precious")
    for forced in ((), ("--force",)):
        code, sentence = complaint(capsys, *words, *forced)
        assert (code, "holds no results" in sentence) == (2, True), sentence
        assert (tmp_path / "games.jsonl").read_text("utf-8") == "precious"


def recording(folder: Path) -> Path:
    """Record a game; return the file of its lines."""
    assert main([*PLAY, "--record", str(folder)]) == 0
    return folder / "session.jsonl"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["session.jsonl", "00001.png"])
@pytest.mark.parametrize(("command", "option"), [("review", "-o"), ("stats", "--csv")])
def test_no_recording_is_overwritten(
    command: str, option: str, name: str, tmp_path: Path, capsys: Capture
) -> None:
    file = recording(tmp_path / "session").with_name(name)
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
