"""The command `manual`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from bot.commands.config import default_config_path
from bot.commands.manual import Manual, manual_game_of, run_until_stopped
from bot.commands.parsing import parse
from bot.errors import UsageError
from bot.terminal.manual_game import ManualGame
from solver.arena.boards import Size
from solver.extras import install_command


def test_the_command_needs_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["manual", "--size", "beginner"]) == 2
    assert "needs a terminal" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--size", "9x9"], ["--agent", "nobody"], ["--first", "kind"]])
def test_the_command_refuses_what_it_cannot_play(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["manual", *words]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


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


def complaint(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["manual", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_a_mine_total_without_a_position_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--mines belongs to --load" in complaint(["--mines", "3"], capsys)


def test_a_position_takes_one_mine_total(position: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--load", position, "--mines", "1", "--size", "2x2x2"]
    assert "leave one out" in complaint(words, capsys)
    assert manual_game_of(options("--load", position, "--mines", "1")).board.mines == 1
    assert manual_game_of(options("--load", position, "--size", "2x2x2")).size.mines == 2
    assert "--mines M" in complaint(["--load", position], capsys)


def test_a_configured_mine_total_is_for_positions_only(position: str) -> None:
    default_config_path().parent.mkdir(parents=True, exist_ok=True)
    default_config_path().write_text("[common]\nmines = 1\n")
    assert manual_game_of(options()).size == Size(16, 16, 40)
    assert manual_game_of(options("--load", position)).size.mines == 1
    assert manual_game_of(options("--load", position, "--size", "2x2x2")).size.mines == 2
    with pytest.raises(UsageError):
        manual_game_of(options("--mines", "3"))


def test_a_position_that_cannot_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("ex")
    assert main(["manual", "--load", str(path), "--mines", "1"]) == 4
    assert capsys.readouterr().err.startswith(f"{path}: Row 1 holds 'e'")


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
