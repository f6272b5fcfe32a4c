"""What tests of the loop share, with a fake clock or a real one."""

from __future__ import annotations

import pytest

from bot.simulated.program import MineProgram


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys that the simulated program hears."""
    keys_heard: list[str] = []
    press = MineProgram.press

    def hear(program: MineProgram, keys: str) -> None:
        keys_heard.append(keys)
        press(program, keys)

    monkeypatch.setattr(MineProgram, "press", hear)
    return keys_heard
