"""The command `play`: a line a game, recordings, events."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from bot.cli import main
from bot.outputs import sessions_folder
from bot.simulated import SimulatedDesktop
from calibration.frame import Frame
from tests.bot.command_line import PLAY, Capture, complaint, run, said


def test_play_prints_a_line_a_game_and_a_summary(capsys: Capture) -> None:
    words = ("play", "--screen", "sim", "--size", "9x9x10", "--games", "2", "--agent", "tank")
    code, lines, _ = run(capsys, *words)
    assert code == 0
    *games, summary = lines
    assert [game["game"] for game in games] == [1, 2]
    for game in games:
        assert game.keys() >= {"game", "result", "clicks", "guesses", "seconds", "chance"}
        assert game["result"] in ("won", "lost")
        assert (game["result"] == "lost") == ("blame" in game)
    assert summary["summary"]["games"] == 2
    low, high = summary["summary"]["ci95"]
    assert 0 <= low <= summary["summary"]["win_rate"] <= high <= 1


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
    monkeypatch.setenv("DISPLAY", ":7777")
    code, (error,), said = run(capsys, *words)
    assert (code, error["error"]) == (1, "NoDesktop")
    assert said.endswith(", or use --screen sim.\n")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ("--size", "foo"),
        ("--size", "9x9x81"),
        ("--skin", "clasic"),
        ("--save-calibration", "file/x.toml"),
        ("--record", "file"),
        ("--near", "foo"),
        ("--events", "--quiet"),
    ],
    ids=" ".join,
)
def test_bad_options_are_refused_before_a_screen_is_opened(
    words: tuple[str, str], capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    monkeypatch.setattr("bot.desktop.routes.open_desktop", lambda *_: pytest.fail("opened"))
    assert complaint(capsys, "play", *words)[0] == 2


@pytest.mark.slow
def test_play_is_the_same_game_for_the_same_seed(capsys: Capture) -> None:
    words = ("play", "--screen", "sim", "--size", "9x9x10", "--seed", "7", "--agent", "tank")
    _, first, _ = run(capsys, *words)
    _, second, _ = run(capsys, *words)
    assert first == second


@pytest.mark.slow
def test_play_says_on_request_what_showed_the_end_of_each_game(capsys: Capture) -> None:
    words = ("play", "--screen", "sim", "--size", "9x9x10", "--agent", "tank", "--quiet")
    assert main([*words, "--seed", "7", "--why-over"]) == 0
    said_why, summary = capsys.readouterr().out.splitlines()
    (game, _), _ = run(capsys, *words[:-1], "--seed", "7")[1:]
    assert said_why == f"Game 1, {game['result']}: {game['why_over']}"
    assert "0 lost" in summary


def test_a_dry_run_says_the_first_move_and_plays_no_game(capsys: Capture) -> None:
    words = ("play", "--screen", "sim", "--size", "9x9x10", "--dry-run", "--agent", "tank")
    assert main([*words]) == 0
    assert capsys.readouterr().out.endswith("Open row 1, column 1: first click.\n")
    code, (advice, summary), _ = run(capsys, *words)
    assert code == 0
    assert advice["move"]["cell"] == [0, 0]
    assert advice["moves"] == [{"cell": [0, 0], "action": "open"}]
    assert summary["summary"]["games"] == 0


def test_play_without_a_display_says_so(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    code, sentence = complaint(capsys, "play", "--screen", "real", "--agent", "tank")
    assert code == 1
    assert "DISPLAY" in sentence


# ---- events --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_events_show_of_every_turn(capsys: Capture) -> None:
    code, lines, _ = run(capsys, *PLAY, "--seed", "7", "--events")
    assert code == 0
    events = [line for line in lines if "event" in line]
    assert events[0]["event"] == "calibrated"
    decisions = [line for line in events if line["event"] == "decision"]
    turns = [line for line in events if line["event"] == "turn"]
    (game,) = [line for line in lines if "result" in line]
    assert len(decisions) == len(turns) == game["turns"]
    assert sum(len(turn["clicks"]) for turn in turns) == game["clicks"]
    assert [turn["turn"] for turn in turns] == list(range(1, len(turns) + 1))
    assert decisions[0]["move"]["cell"] == decisions[0]["moves"][0]["cell"]
    assert "summary" in lines[-1]
    assert not any("event" in line for line in run(capsys, *PLAY, "--seed", "7")[1])


# ---- recording -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_play_records_into_the_users_data_only_when_asked(capsys: Capture) -> None:
    run(capsys, *PLAY)
    assert not sessions_folder().exists()
    _, _, notes = run(capsys, *PLAY, "--record")
    (session,) = sessions_folder().iterdir()
    assert (session / "session.jsonl").exists()
    assert " " not in session.name
    assert f"Recorded in {session}; 'minebot review' makes a page of it." in notes.splitlines()[-1]
    run(capsys, *PLAY, "--record")
    assert len(list(sessions_folder().iterdir())) == 2


@pytest.mark.slow
def test_the_last_line_of_a_recording_can_be_typed(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "two words"
    _, _, notes = run(capsys, *PLAY, "--record", folder)
    typed = re.findall(r"'minebot (.*)' makes a page of it\.$", notes.strip())
    assert run(capsys, *shlex.split(typed[0]))[0] == 0


@pytest.mark.slow
def test_review_and_replay_take_the_last_session(capsys: Capture, tmp_path: Path) -> None:
    for words in (["review"], ["replay"]):
        code, complaint = said(capsys, *words)
        assert code == 2
        assert "holds no recorded game: record one" in complaint
    for agent in ("tank", "glance"):
        run(capsys, "play", "--screen", "sim", "--size", "9x9x10", "--record", "--agent", agent)
    turnless = sessions_folder() / "later"
    turnless.mkdir()
    (turnless / "session.jsonl").write_text('{"kind": "session", "version": 1}\n')
    _, (game,), _ = run(capsys, "review")
    assert (
        json.loads((Path(game["session"]) / "session.jsonl").read_text("utf-8").splitlines()[0])[
            "agent"
        ]["name"]
        == "glance"
    )
    assert run(capsys, "replay")[0] == 0


def test_a_failed_start_does_not_block_the_next(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "d1"
    monkeypatch.setattr(
        SimulatedDesktop, "grab", lambda *_: Frame(np.zeros((300, 400, 3), np.uint8))
    )
    assert run(capsys, *PLAY, "--record", folder)[0] != 0
    assert not folder.exists()
    monkeypatch.undo()
    assert run(capsys, *PLAY, "--record", folder)[0] == 0
    _, (row,), _ = run(capsys, "stats", folder)
    assert row["games"] == 1
