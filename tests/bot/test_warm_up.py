"""What a person is told while the solver is compiled."""

from __future__ import annotations

import pytest

import bot.warm_up
from bot.warm_up import warm_up
from solver.exact.cache import Part


def test_each_part_is_told_when_it_is_compiled_and_then_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled: set[Part] = {Part.ANALYSIS}

    def compile_part(part: Part, **_: object) -> float:
        compiled.add(part)
        return 3.0

    monkeypatch.setattr(bot.warm_up, "is_compiled", compiled.__contains__)
    monkeypatch.setattr(bot.warm_up, "compile_part", compile_part)
    told: list[str] = []
    for parts in ((Part.ANALYSIS, Part.GAMES), (Part.ANALYSIS, Part.GUESSES)):
        warm_up(told.append, parts)
        first, second = told
        assert first.startswith("Compiling the parts of the solver that are used for the first")
        assert "about 20 seconds" in first
        assert second.startswith("Compiled in ")
        assert "these parts are not compiled again" in second
        told.clear()
        warm_up(told.append, parts)
        assert told == []
