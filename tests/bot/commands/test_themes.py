"""`minebot themes`: what is known of programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.cli import main
from calibration.theme import load_themes, themes_named


def test_themes_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["themes"]) == 0
    assert "winemine/default" in capsys.readouterr().out


def test_themes_are_shown_and_exported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["themes", "show", "winemine"]) == 0
    assert "background #" in capsys.readouterr().out
    assert main(["themes", "export", "kmines/classic", "-o", str(tmp_path / "out.toml")]) == 0
    assert load_themes(tmp_path / "out.toml") == themes_named("kmines/classic")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("list", "mine"), "takes no name"),
        (("show",), "Name a theme"),
        (("export",), "Name a theme"),
        (("show", "nobody"), "winemine/default"),
        (("show", "kmines"), "kmines/default, kmines/classic"),
        (("export", "winemine", "-o", "/dev/null/x.toml"), "is a file, not a folder"),
        (("-o", "x.toml"), "-o belongs to 'minebot themes export NAME'"),
        (("show", "winemine", "-o", "x.toml"), "-o belongs to 'minebot themes export NAME'"),
    ],
)
def test_themes_that_are_not_there_are_one_sentence(
    words: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["themes", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert complaint in err
