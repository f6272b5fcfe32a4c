"""The program that compares platforms: on this one it answers as another program has counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from solver.engine.library import library
from solver.engine.toolchain.compiler import find_compiler
from tests.solver.engine.platforms.compare import FIXTURES, GAMES, answers, differences


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    return answers(find_compiler(), [], Path(library()._name), tmp_path_factory.mktemp("platform"))


@pytest.mark.slow
def test_risks_are_those_of_another_program(found: list[list[str]]) -> None:
    lines = (FIXTURES / "positions" / "expert.jsonl").read_text("utf-8").splitlines()
    positions = [words for words in found if words[0] == "position"]
    for line, (_, code, _, *rest) in zip(lines, positions, strict=True):
        risks = [p for row in json.loads(line)["probabilities"] for p in row if p is not None]
        assert code == "0"
        assert list(map(float, rest[: len(risks)])) == pytest.approx(risks, abs=1e-8)


def test_boards_are_played(found: list[list[str]]) -> None:
    games = [words for words in found if words[0] == "game"]
    assert len(games) == 6 * GAMES
    assert all(code == "0" and won in {"0", "1"} for _, code, won, *_ in games)


@pytest.mark.slow
def test_another_move_or_risk_is_a_difference(found: list[list[str]]) -> None:
    assert differences(found, found) == 0
    assert differences(found, found[1:]) > 0
    number = next(n for n, words in enumerate(found) if "." in words[4])
    for place, word in ((4, str(float(found[number][4]) + 1e-9)), (-2, "7")):
        changed = [list(words) for words in found]
        changed[number][place] = word
        assert differences(found, changed) == 1
