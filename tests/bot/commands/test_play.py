"""The command `play`: the screen that it takes, events, and where it records."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.outputs import sessions_folder
from tests.bot.command_line import PLAY, Capture, complaint, run
from tests.simulated import FaultyDesktop


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a screen")
# python-xlib does not close the socket with which it failed to connect.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_another_game_than_the_one_on_the_screen_is_never_played(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only where there is no screen the simulated window is played, and JSON says so."""
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    words = ("play", "--size", "9x9x10", "--agent", "tank")
    code, (game, summary), said = run(capsys, *words)
    assert code == 0
    assert game["screen"] == summary["summary"]["screen"] == "sim"
    assert "Playing in the simulated window instead." in said
    code, sentence = complaint(capsys, *words, "--screen", "real")
    assert (code, "DISPLAY" in sentence) == (1, True)
    monkeypatch.setenv("DISPLAY", ":7777")
    code, sentence = complaint(capsys, *words)
    assert (code, sentence.endswith(", or use --screen sim.\n")) == (1, True)


@pytest.mark.slow
def test_games_are_recorded_when_asked_and_the_last_session_is_found_again(
    capsys: Capture, tmp_path: Path
) -> None:
    run(capsys, *PLAY)
    assert not sessions_folder().exists()
    for command in ("review", "replay"):
        code, sentence = complaint(capsys, command)
        assert (code, "holds no recorded game: record one" in sentence) == (2, True)
    for agent in ("tank", "glance"):
        _, _, notes = run(capsys, *PLAY, "--record", "--agent", agent)
    first, second = sorted(sessions_folder().iterdir(), key=lambda one: one.stat().st_ctime)
    assert f"Recorded in {second}; 'minebot review' makes a page of it." in notes.splitlines()[-1]
    assert " " not in first.name + second.name
    turnless = sessions_folder() / "later"
    turnless.mkdir()
    (turnless / "session.jsonl").write_text('{"kind": "session", "version": 1}\n')
    _, (game,), _ = run(capsys, "review")
    header = (Path(game["session"]) / "session.jsonl").read_text("utf-8").splitlines()[0]
    assert json.loads(header)["agent"]["name"] == "glance"
    assert run(capsys, "replay")[0] == 0
    _, _, notes = run(capsys, *PLAY, "--record", tmp_path / "two words")
    typed = re.findall(r"'minebot (.*)' makes a page of it\.$", notes.strip())
    assert run(capsys, *shlex.split(typed[0]))[0] == 0, "the last line can be typed"


@pytest.mark.slow
def test_a_failed_start_does_not_block_the_next(
    capsys: Capture, tmp_path: Path, on_screen: Callable[[FaultyDesktop], None]
) -> None:
    desk = FaultyDesktop(rows=9, cols=9, mines=10, windows=())
    words = ("play", "--screen", "real", "--agent", "tank", "--mines", "10")
    words = (*words, "--new-game", "f2", "--record", str(tmp_path / "session"))
    desk.minimise()
    on_screen(desk)
    assert run(capsys, *words)[0] != 0
    assert not (tmp_path / "session").exists()
    on_screen(FaultyDesktop(rows=9, cols=9, mines=10, windows=()))
    assert run(capsys, *words)[0] == 0
    _, (row,), _ = run(capsys, "stats", tmp_path / "session")
    assert row["games"] == 1
