"""The command `manual`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.commands.manual import Manual, manual_game_of, run_until_stopped
from bot.commands.parsing import default_config_path, parse
from bot.errors import UsageError
from bot.terminal.manual_game import ManualGame
from solver.arena.boards import Size


def test_a_configured_mine_total_is_for_positions_only(tmp_path: Path) -> None:
    def size_of(*words: str) -> Size:
        _, found = parse(["manual", *words])
        assert isinstance(found, Manual)
        return manual_game_of(found).size

    position = tmp_path / "position.txt"
    position.write_text("##\n##\n")
    default_config_path().parent.mkdir(parents=True, exist_ok=True)
    default_config_path().write_text("[common]\nmines = 1\n")
    assert size_of() == Size(16, 16, 40)
    assert size_of("--load", str(position)).mines == 1
    assert size_of("--load", str(position), "--size", "2x2x2").mines == 2
    with pytest.raises(UsageError):
        size_of("--mines", "3")


def test_only_ctrl_c_counts_as_stopped_by_the_user() -> None:
    pytest.importorskip("textual", reason="needs the extra 'manual'")
    from bot.terminal.manual_app import ManualApp

    def run(key: str) -> None:
        class Piloted(ManualApp):
            async def run_async(self, **_: Any) -> None:
                await super().run_async(headless=True, auto_pilot=lambda pilot: pilot.press(key))

        asyncio.run(run_until_stopped(Piloted(ManualGame(Size(4, 4, 2), agent="basic"))))

    run("q")
    with pytest.raises(KeyboardInterrupt):
        run("ctrl+c")
