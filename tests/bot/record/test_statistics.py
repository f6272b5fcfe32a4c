"""Recorded games summed up: what the transcripts of `stats` do not show."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.record.replay import replay
from bot.record.statistics import facts_of
from tests.bot.record.written_games import end, session_of, turn


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


def test_a_start_without_a_game_is_not_counted(tmp_path: Path) -> None:
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
