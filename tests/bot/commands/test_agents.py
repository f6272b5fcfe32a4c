"""``agents``: how strong each is and how long it takes, in a table that fits."""

from __future__ import annotations

import io

import pytest

from bot.cli import main
from bot.terminal.console import PipeConsole
from solver.agents.registry import BUILT_IN, strengths
from tests.bot.command_line import Capture, run


def test_every_agent_of_the_program_has_been_measured(capsys: Capture) -> None:
    assert strengths().keys() == set(BUILT_IN)
    reported = {line["agent"]: line for line in run(capsys, "agents")[1]}
    for name, strength in strengths().items():
        assert reported[name]["wins"] <= reported[name]["games"]
        assert reported[name]["win_rate"] == pytest.approx(strength.wins / strength.games)
        assert reported[name]["ms_per_game"] == strength.ms_per_game > 0
    assert {size for one in strengths().values() if (size := one.size)} == {"16x30x99", "15x15x40"}


def test_the_best_come_first_on_a_terminal_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = io.StringIO()
    narrow = PipeConsole(file=sent, width=80, force_terminal=True, color_system=None)
    monkeypatch.setattr("bot.terminal.console.console", lambda: narrow)
    assert main(["agents"]) == 0
    lines = sent.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines[1:4]] == ["deep", "glance", "tank"]
    assert {line.split()[0] for line in lines[1:][: len(BUILT_IN)]} == set(BUILT_IN), "a line each"
    assert len(lines) <= 24
