"""The command `manual`."""

from __future__ import annotations

import pytest

from bot.cli import main


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

    monkeypatch.setitem(sys.modules, "bot.terminal.manual.app", None)
    assert main(["manual"]) != 0
    assert "pip install 'minebot[manual]'" in capsys.readouterr().err
