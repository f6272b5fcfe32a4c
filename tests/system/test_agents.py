"""Every registered agent plays whole games: in the simulated window and through bench."""

import json
from pathlib import Path

import pytest

from bot.cli import main
from solver.agents.registry import BUILT_IN

OWN_AGENTS = Path(__file__).parents[1] / "solver" / "agents" / "own_agents.py"
NAMES = (*BUILT_IN, pytest.param(f"{OWN_AGENTS}:Careful", id="plug-in"))

ONLY_SIZES = {"dqn-board": "15x15x30"}
"""The sizes of the agents that play no other."""

STOPPING = {"gac", "two-constraint", "contradiction"}
"""Agents that stop when their method finds no certain move, as in the papers they come from."""


@pytest.mark.slow
@pytest.mark.sampled(14)
@pytest.mark.parametrize("name", NAMES)
def test_plays_the_simulated_window(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    size = ONLY_SIZES.get(name, "beginner")
    words = ["play", "--screen", "sim", "--size", size, "--games", "2", "--seed", "2"]
    assert main([*words, "--agent", name, "--json"]) == 0
    *games, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert summary["summary"]["games"] == 2
    for game in games:
        assert game["clicks"] > 0
        assert game["result"] in (
            {"won", "lost", "stopped"} if name in STOPPING else {"won", "lost"}
        )


@pytest.mark.parametrize("name", NAMES)
def test_plays_through_bench(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    size = ONLY_SIZES.get(name, "6x6x6")
    words = ["bench", "--size", size, "--games", "3", "--agent", name, "--json"]
    assert main(words) == 0
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (line["agent"], line["games"]) == (name, 3)
