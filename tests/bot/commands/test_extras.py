"""Libraries that are not installed: the command that needs one names the extra that has it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from solver.extras import install_command
from tests.bot.command_line import Capture, complaint


@pytest.mark.parametrize(
    ("words", "missing", "extra"),
    [
        ("arena sweep --games 1 --plot chart.png", "matplotlib", "plots"),
        ("bench --games 1 --agent basic --scheduler tcp://127.0.0.1:1", "distributed", "dask"),
        ("train dqn-window --into run", "flax", "learn"),
        ("manual", "textual", "manual"),
        ("train reader --sets sets", "torch", None),
        ("review game.avf", "ms_toollib", "replays"),
    ],
)
def test_what_is_missing_is_named_with_its_extra(
    words: str,
    missing: str,
    extra: str | None,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "index.csv").touch()
    (tmp_path / "game.avf").write_bytes(b"a game")
    monkeypatch.chdir(tmp_path)
    for loaded in ("bot.terminal.manual_app", "calibration.learning.train"):
        monkeypatch.delitem(sys.modules, loaded, raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    named = f"run {install_command(extra)}." if extra else "install"
    code, sentence = complaint(capsys, *words.split())
    assert (code, named in sentence, missing in sentence or bool(extra)) == (2, True, True)
