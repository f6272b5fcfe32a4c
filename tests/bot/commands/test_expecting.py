"""`read --expect`: what was read beside what the labels say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bot.cli import main
from bot.terminal.pictures import save_picture
from tests.bot.command_line import Capture, complaint, run, said


@pytest.fixture
def labels(capsys: Capture, screenshot: Path, tmp_path: Path) -> Path:
    """The labels that `read --json` writes of a screenshot and of a picture without a board."""
    save_picture(np.full((600, 800, 3), 90, np.uint8), tmp_path / "empty.png")
    main(["read", str(screenshot), str(tmp_path / "empty.png"), "--json"])
    file = tmp_path / "labels.json"
    file.write_text(capsys.readouterr().out)
    return file


def changed(labels: Path, **changes: Any) -> Path:
    """Change the first label."""
    first, *others = [json.loads(line) for line in labels.read_text("utf-8").splitlines()]
    labels.write_text("".join(json.dumps(line) + "\n" for line in (first | changes, *others)))
    return labels


def other_board(labels: Path) -> list[str]:
    """The first label's board, with its first tile changed."""
    board: list[str] = json.loads(labels.read_text("utf-8").splitlines()[0])["board"]
    return [("1" if board[0][0] == "#" else "#") + board[0][1:], *board[1:]]


@pytest.mark.slow
def test_what_read_wrote_is_what_it_reads(
    capsys: Capture, labels: Path, screenshot: Path, tmp_path: Path
) -> None:
    images = (screenshot, tmp_path / "empty.png")
    code, lines, _ = run(capsys, "read", *images, "--expect", labels)
    assert (code, lines[0]["differences"]) == (0, [])
    code, reported = said(capsys, "read", *images, "--expect", labels)
    assert code == 0
    assert "0 of 2 pictures not as expected." in reported


@pytest.mark.slow
def test_a_tile_that_differs_is_named(capsys: Capture, labels: Path, screenshot: Path) -> None:
    board = other_board(labels)
    changed(labels, board=board, status="won")
    code, (line,), _ = run(capsys, "read", screenshot, "--expect", labels)
    tile, status = line["differences"]
    assert code == 1
    assert tile == {
        "what": "tile",
        "cell": [0, 0],
        "expected": board[0][0],
        "read": line["board"][0][0],
    }
    assert (status["what"], status["expected"], status["read"]) == ("status", "won", "playing")
    reported = said(capsys, "read", screenshot, "--expect", labels)[1]
    assert f"{screenshot}, row 1, column 1: expected 1, read hidden." in reported
    assert f"{screenshot}, status: expected won, read playing." in reported


@pytest.mark.slow
def test_an_error_that_was_not_expected_keeps_its_code(
    capsys: Capture, labels: Path, screenshot: Path, tmp_path: Path
) -> None:
    changed(labels, image="empty.png")
    code, (line,), _ = run(capsys, "read", tmp_path / "empty.png", "--expect", labels)
    assert (code, line["error"]) == (0, "NoGrid"), "the label of the exact path comes first"
    lines = labels.read_text("utf-8").splitlines()
    labels.write_text(lines[0])
    assert run(capsys, "read", tmp_path / "empty.png", "--expect", labels)[0] == 3
    labels.write_text(json.dumps({"image": screenshot.name, "error": "NoGrid"}))
    code, (line,), _ = run(capsys, "read", screenshot, "--expect", labels)
    assert (code, line["differences"][0]["expected"]) == (1, "NoGrid")


@pytest.mark.slow
def test_a_folder_holds_a_label_for_each_picture(
    capsys: Capture, labels: Path, screenshot: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "labels"
    folder.mkdir()
    (folder / f"{screenshot.stem}.json").write_text(labels.read_text("utf-8").splitlines()[0])
    assert run(capsys, "read", screenshot, "--expect", folder)[0] == 0
    code, sentence = complaint(capsys, "read", tmp_path / "empty.png", "--expect", folder)
    assert code == 2
    assert "empty.json is missing" in sentence


@pytest.mark.slow
def test_labels_are_not_overwritten(capsys: Capture, labels: Path, screenshot: Path) -> None:
    before = labels.read_bytes()
    words = ("read", screenshot, "--expect", labels, "--save-calibration", labels)
    assert complaint(capsys, *words)[0] == 2
    assert labels.read_bytes() == before
