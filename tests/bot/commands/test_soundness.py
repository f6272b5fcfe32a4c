"""Nothing is accepted in silence, outputs are checked before the work, and no figure is cut."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli import main
from bot.terminal.console import console
from solver.counting import counted
from tests.bot.command_line import ROOT, Capture


def complaint(capsys: Capture, *words: str | Path) -> tuple[int, str]:
    code = main([str(word) for word in words])
    reported = capsys.readouterr()
    assert len(reported.err.splitlines()) == 1, reported.err
    assert "Unexpected" not in reported.err
    return code, reported.err


PLAY = ("play", "--screen", "sim", "--quiet")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ((*PLAY, "--new-game", "foo"), "foo"),
        ((*PLAY, "--new-game", "ctrl+foo"), "foo"),
        ((*PLAY, "--new-game", "1,x"), "1,x"),
        ((*PLAY, "--close", "nokey"), "nokey"),
        ((*PLAY, "--near=-5,10"), "-5,10"),
        ((*PLAY, "--near=nan,1"), "nan,1"),
        ((*PLAY, "--near=5,99999"), "5,99999"),
        (("bench", "--jobs", "0"), "0 is below 1"),
        (("bench", "--jobs", "-2"), "-2 is below 1: give 1 or more, or -1"),
    ],
)
def test_values_that_make_no_sense_are_refused(
    capsys: Capture, words: tuple[str, ...], part: str
) -> None:
    code, reported = complaint(capsys, *words)
    assert code == 2
    assert part in reported


def test_a_pixel_outside_of_the_picture_is_refused(capsys: Capture, screenshot: Path) -> None:
    for command in ("read", "advise"):
        code, reported = complaint(capsys, command, screenshot, "--near=5,99999")
        assert code == 2
        assert "not in the picture" in reported


def test_heat_maps_are_written_as_png_only(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    code, reported = complaint(capsys, "advise", screenshot, "--heatmap", str(tmp_path / "x.xyz"))
    assert code == 2
    assert ".xyz" in reported
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_theme_that_does_not_fit_is_reported(capsys: Capture, screenshot: Path) -> None:
    assert main(["read", str(screenshot), "--theme", "kmines"]) == 0
    assert "kmines does not fit" in capsys.readouterr().err


def test_a_size_that_is_not_that_of_the_boards_is_reported(capsys: Capture) -> None:
    boards = ROOT / "fixtures" / "boards"
    file = next(path for path in sorted(boards.glob("*9x9*.json")))
    words = ["bench", "--boards", str(file), "--size", "expert", "--games", "1", "--agent", "basic"]
    assert main(words) == 0
    assert "--size 16x30x99 is not used" in capsys.readouterr().err


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


def test_one_thing_is_not_many() -> None:
    assert counted(1, "click") == "1 click"
    assert counted(2, "click") == "2 clicks"
    assert counted(0, "guess", "guesses") == "0 guesses"
