"""Nothing is accepted in silence, outputs are checked before the work, and no figure is cut."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli import main
from bot.terminal.console import console
from tests.bot.command_line import ROOT, Capture


def complaint(capsys: Capture, *words: str | Path) -> tuple[int, str]:
    code = main([str(word) for word in words])
    reported = capsys.readouterr()
    assert len(reported.err.splitlines()) == 1, reported.err
    assert "Unexpected" not in reported.err
    return code, reported.err


@pytest.mark.slow
def test_a_theme_that_does_not_fit_is_reported(capsys: Capture, screenshot: Path) -> None:
    assert main(["read", str(screenshot), "--theme", "kmines"]) == 0
    assert "kmines does not fit" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("bench", "--games", "1", "--results"),
        ("arena", "sweep", "--games", "1", "--csv"),
        ("arena", "sweep", "--games", "1", "--results"),
        ("arena", "table", "--games", "1", "--results"),
        ("stats", "--csv"),
        ("read", "screen.png", "--save-calibration"),
        ("play", "--screen", "sim", "--quiet", "--save-calibration"),
    ],
)
def test_outputs_are_checked_before_the_work(
    capsys: Capture, tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("the work began")

    monkeypatch.setattr("solver.arena.matches.play_match", work)
    monkeypatch.setattr("solver.arena.sweep.play_sweep", work)
    monkeypatch.setattr("solver.arena.table.play_table", work)
    monkeypatch.setattr("bot.record.statistics.load_all", work)
    monkeypatch.setattr("bot.commands.pictures.read_screenshot", work)
    monkeypatch.setattr("bot.play.player.Player", work)
    (tmp_path / "file").touch()
    code, reported = complaint(capsys, *words, str(tmp_path / "file" / "out.csv"))
    assert code == 2
    assert "cannot be written" in reported


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk to write to")
def test_a_full_disk_is_reported_after_what_was_found(capsys: Capture) -> None:
    code = main(["arena", "sweep", "--games", "1", "--dim", "4", "--density", "0.1",
                 "--agents", "basic", "--csv", "/dev/full"])  # fmt: skip
    reported = capsys.readouterr()
    assert code == 1
    assert "No space left on device" in reported.err
    assert "Unexpected" not in reported.err
    assert "0.1" in reported.out  # the table is kept


def test_a_table_in_a_pipe_keeps_its_figures() -> None:
    code = (
        "from bot.terminal.console import console, plain_table; "
        "t = plain_table('t', 'a', *['column number %d' % n for n in range(12)]); "
        "t.add_row(*['figure %d' % n for n in range(13)]); console().print(t)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "…" not in done.stdout
    assert "figure 12" in done.stdout
    assert console().width > 80
