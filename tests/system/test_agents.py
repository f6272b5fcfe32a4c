"""Every agent in the table plays whole games: in the embedded window and through bench."""

import json

import pytest

from bot.cli import main
from solver.agents import names

STOPPING = {"gac", "two-constraint", "contradiction"}
"""Agents that stop when their methods say no more, as their paper counts."""


@pytest.mark.parametrize("name", names())
def test_plays_the_embedded_window(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["play", "--screen", "sim", "--size", "beginner", "--games", "2", "--seed", "2"]
    assert main([*words, "--agent", name, "--json"]) == 0
    *games, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert summary["summary"]["games"] == 2
    for game in games:
        assert game["clicks"] > 0
        assert game["result"] in (
            {"won", "lost", "stopped"} if name in STOPPING else {"won", "lost"}
        )


@pytest.mark.parametrize("name", names())
def test_plays_through_bench(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "--size", "6x6x6", "--games", "3", "--agent", name, "--json"]
    assert main(words) == 0
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (line["agent"], line["games"]) == (name, 3)
