"""The command `manual`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from bot.commands.manual import Manual, manual_game_of, run_until_stopped
from bot.commands.parsing import default_config_path, parse
from bot.errors import UsageError
from bot.terminal.manual_game import ManualGame
from solver.arena.boards import Size
from solver.extras import install_command


def test_the_command_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "bot.terminal.manual_app", None)
    assert main(["manual"]) != 0
    assert f"run {install_command('manual')}." in capsys.readouterr().err


def options(*words: str) -> Manual:
    _, found = parse(["manual", *words])
    assert isinstance(found, Manual)
    return found


@pytest.fixture
def position(tmp_path: Path) -> str:
    path = tmp_path / "position.txt"
    path.write_text("##\n##\n")
    return str(path)


def test_a_configured_mine_total_is_for_positions_only(position: str) -> None:
    default_config_path().parent.mkdir(parents=True, exist_ok=True)
    default_config_path().write_text("[common]\nmines = 1\n")
    assert manual_game_of(options()).size == Size(16, 16, 40)
    assert manual_game_of(options("--load", position)).size.mines == 1
    assert manual_game_of(options("--load", position, "--size", "2x2x2")).size.mines == 2
    with pytest.raises(UsageError):
        manual_game_of(options("--mines", "3"))


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
