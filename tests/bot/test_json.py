"""JSON output: docs/json.md names every key, error and reason."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import calibration.errors
import solver.errors
from bot.events import Blame
from bot.failures import exit_code_of
from solver.agents import make_agent
from solver.agents.registry import BUILT_IN
from solver.analysis import analyse
from solver.board import Board
from tests.bot.command_line import ROOT, Capture, run
from tests.bot.conftest import KEPT

PAGE = (ROOT / "docs" / "json.md").read_text("utf-8")


def test_the_page_names_the_errors_of_a_picture_and_of_a_board_with_their_exit_codes() -> None:
    named = {
        name: int(code)
        for names, code in re.findall(r"((?:`\w+`[\s,and]*)+)\((?:exit code )?(\d)\)", PAGE)
        for name in re.findall(r"`(\w+)`", names)
    }
    codes = {
        kind.__name__: exit_code_of(kind.__new__(kind))
        for kind in (
            *leaves_of(calibration.errors.Unreadable),
            *(calibration.errors.NoGrid, calibration.errors.SeveralGrids),
            *(solver.errors.BadBoardText, solver.errors.BadMineTotal),
            *leaves_of(solver.errors.CannotAnalyse),
        )
    }
    assert named == codes


def leaves_of(kind: type[Exception]) -> list[type[Exception]]:
    """Return the errors of a kind that have none below them."""
    below = kind.__subclasses__()
    return [leaf for one in below for leaf in leaves_of(one)] if below else [kind]


OPEN = ("chances", "witnesses", "without")
"""Objects whose keys are tiles or cues."""


def keys_of(value: object) -> set[str]:
    """Collect the keys of an object and of all objects in it."""
    if isinstance(value, dict):
        named = (one for key, one in value.items() if key not in OPEN)
        return set(value).union(*map(keys_of, named))
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    return set()


def test_every_key_is_documented(capsys: Capture) -> None:
    """Those of all commands but one are in the kept transcripts."""
    shown = "".join(path.read_text("utf-8") for path in KEPT.glob("commands/*.txt"))
    objects = [re.sub(r"\bN\b", "0", line) for line in re.findall(r"^    (\{.*\})$", shown, re.M)]
    assert len(objects) > 100
    documented = {*re.findall(r'["`](\w+)["`]', PAGE), *(blame.value for blame in Blame)}
    checks = run(capsys, "doctor")[1]
    assert set().union(*map(keys_of, [*map(json.loads, objects), *checks])) - documented == set()


def test_the_page_names_the_reasons_of_losses_and_the_agents_whose_survival_is_exact() -> None:
    assert [blame.value for blame in Blame if f"`{blame.value}`" not in PAGE] == []
    (sentence,) = re.findall(r"The two are the same for ([^.]+)\.", PAGE)
    guess = Board.from_text("01###\n12###\n##3##\n#####", 5)
    risks = analyse(guess).probabilities

    def is_exact(name: str) -> bool:
        decision = make_agent(name).decide(guess)
        found = [1.0 - risks[move.cell] for move in decision.moves]
        return found == [pytest.approx(decision.survival)]

    agents = set(BUILT_IN) - {"dqn-board"}  # a network that plays 15x15 only
    assert set(re.findall(r"`(\S+)`", sentence)) == {name for name in agents if is_exact(name)}


@pytest.mark.slow
def test_play_shows_what_the_agent_believed_and_review_what_is_exact(
    capsys: Capture, tmp_path: Path
) -> None:
    words = ("play", "--screen", "sim", "--agent", "basic", "--games", "3", "--seed", "3")
    session = tmp_path / "session"
    _, (*played, _), _ = run(capsys, *words, "--size", "beginner", "--record", session)
    _, reviewed, _ = run(capsys, "review", session)
    assert [game["guesses"] for game in played] == [1, 2, 2]
    assert [game["guesses"] for game in reviewed] == [1, 2, 1]
    assert (played[1]["chance"], reviewed[1]["chance"]) == pytest.approx((0.756469, 0.770296))
    _, (group,), _ = run(capsys, "stats", tmp_path)
    assert group["guesses"] == sum(game["guesses"] for game in played)
    assert group["expected_wins"] == round(sum(game["chance"] for game in played), 2)
