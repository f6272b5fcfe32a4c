"""`minebot themes`: what is known of programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.cli import main
from calibration.theme import load_themes, themes_named


def test_themes_are_shown_and_exported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["themes", "show", "winemine"]) == 0
    assert "background #" in capsys.readouterr().out
    assert main(["themes", "export", "kmines/classic", "-o", str(tmp_path / "out.toml")]) == 0
    assert load_themes(tmp_path / "out.toml") == themes_named("kmines/classic")
