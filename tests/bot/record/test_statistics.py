"""Recorded games summed up."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from bot.record.replay import replay
from bot.record.statistics import GameFacts, facts_of, group
from solver.difficulty import Difficulty
from tests.bot.command_line import PLAY, Capture, complaint, run, said
from tests.bot.record.written_games import end, session_of, turn


def game(result: str, chance: float, *, agent: str = "tank") -> GameFacts:
    board = Difficulty(bv=20, openings=3, islands=2, zini=15, human_zini=17)
    return GameFacts("kmines", "9x9x10", agent, result, chance, 4.0, 25, 1, board, "bad luck")


def test_games_are_grouped_and_summed() -> None:
    first, second = group(
        [game("won", 0.9), game("lost", 0.5), game("stopped", 0.7), game("won", 1.0, agent="deep")]
    )
    assert first.agent == "deep"
    row = second.to_json()
    assert (row["games"], row["wins"], row["losses"], row["stopped"]) == (3, 1, 1, 1)
    assert row["expected_wins"] == pytest.approx(1.4)
    assert row["luck"] == pytest.approx(-0.4)
    assert row["causes"] == {"bad luck": 1}
    assert row["bv_per_s"] == pytest.approx(5.0)
    assert row["efficiency"] == pytest.approx(0.8)
    assert (row["zini"], row["zini_efficiency"]) == (15, pytest.approx(0.6))


@pytest.mark.slow
def test_the_command_sums_up_recorded_sessions(tmp_path: Path, capsys: Capture) -> None:
    results = []
    for seed in ("2", "3"):
        words = ("--games", "2", "--seed", seed, "--record", tmp_path / seed)
        results += run(capsys, *PLAY, *words)[1]
    won = sum(line.get("result") == "won" for line in results)
    code, (row,), _ = run(capsys, "stats", tmp_path, "--csv", tmp_path / "t.csv")
    assert (code, row["games"], row["wins"], row["size"]) == (0, 4, won, "9x9x10")
    assert row["agent"] == "tank"
    with (tmp_path / "t.csv").open() as file:
        assert [line["games"] for line in csv.DictReader(file)] == ["4"]
    assert "9x9x10" in said(capsys, "stats", tmp_path)[1]


@pytest.mark.parametrize(
    ("simulated", "program"), [(True, "simulated window"), (False, "gnome-mines")]
)
def test_a_simulated_window_is_booked_as_such_whatever_its_skin(
    simulated: bool, program: str, tmp_path: Path
) -> None:
    grid = {"x0": 0, "y0": 0, "tile_w": 16, "tile_h": 16, "rows": 1, "cols": 2}
    frame = {"frame": "1.png", "origin": [0, 0], "scale": 1.0}
    place = {"kind": "calibrated", "calibration": {**grid, "theme": "gnome-mines/classic"}, **frame}
    steps = (place, turn("1#", ("open", 0, 0)), end("won"))
    (facts,) = facts_of(session_of(tmp_path, *steps, simulated=simulated))
    assert facts.program == program


def test_a_start_without_a_game_is_not_counted(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "empty").mkdir()
    code, sentence = complaint(capsys, "stats", tmp_path / "empty")
    assert (code, "no recorded session" in sentence) == (2, True)
    stopped = {"kind": "stopped", "error": "NoGrid", "message": "There is no board."}
    assert facts_of(session_of(tmp_path, stopped)) == []


@pytest.mark.parametrize(("recorded", "differs"), [("bad luck", False), ("misread", True)])
def test_a_guess_beside_a_safe_cell_is_a_mistake_in_recordings_of_before(
    recorded: str, differs: bool, tmp_path: Path
) -> None:
    decision = {"moves": [["open", 0, 0]], "reason": "test", "survival": 0.8, "win": None}
    clicks = [{"cell": [0, 0], "point": [0, 0], "button": "left"}]
    step = turn("### 121", decision=decision, clicks=clicks, mines=None)
    over = end("lost", blame=recorded, board=["X#*", "121"])
    agent = {"name": "basic", "seed": 0, "rule": None}
    session = session_of(tmp_path, step, over, agent=agent)
    (facts,) = facts_of(session)
    assert facts.blame == ("misread" if differs else "mistake")
    assert any(one.what == "blame" for one in replay(session)) == differs
