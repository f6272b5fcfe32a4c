"""Files that commands write: missing folders are made, and nothing of others is overwritten."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from bot.cli import main
from bot.terminal.console import console, plain_table
from calibration.theme import load_themes, themes_named
from tests.bot.command_line import PLAY, Capture, run, said

RESULTS = "bench --games 1 --size 5x5x3 --agent basic --results {out}.jsonl"
OUTPUTS = (
    "read {shot} --save-calibration {out}.toml",
    "read {shot} --overlay {folder}",
    "advise {shot} --agent tank --heatmap {out}.png",
    "play --screen sim --size 9x9x10 --agent tank --save-calibration {out}.toml",
    "stats {session} --csv {out}.csv",
    "review {session} --game 1 -o {out}.html",
    "review {session} --game 1 -o {page} --gif {out}.gif",
    "themes export winemine -o {out}.toml",
    "bench --games 1 --size 5x5x3 --agent basic --plot {out}.png",
    "arena sweep --dim 5 --games 1 --density 0.2 --agents basic --csv {out}.csv",
    RESULTS,
)


@pytest.mark.parametrize("command", OUTPUTS)
@pytest.mark.parametrize("there", ["nothing", "file", "file with force", "link", "link with force"])
def test_folders_are_made_files_replaced_with_force_alone_and_links_never_followed(
    command: str, there: str, recorded: Path, screenshot: Path, tmp_path: Path, capsys: Capture
) -> None:
    folder, victim = tmp_path / "new" / "folder", tmp_path / "victim"
    names = {"shot": screenshot, "session": recorded, "out": folder / "out", "folder": folder}
    words = command.format(**names, page=tmp_path / "page.html").split()
    target = folder / f"{screenshot.stem}.png" if "--overlay" in words else Path(words[-1])
    victim.write_text("precious")
    if there != "nothing":
        folder.mkdir(parents=True)
    if there.startswith("file"):
        target.write_text("precious: agent, # Made by minebot, PK about.npy")
    elif there != "nothing":
        target.symlink_to(victim)
    if there.endswith("force"):
        words.append("--force")
    code = main(words)
    written = there == "nothing" or (there == "file with force" and command != RESULTS)
    assert code == (0 if written else 2)
    assert target.read_bytes().startswith(b"precious") != written
    assert victim.read_text("utf-8") == "precious"
    assert [*folder.iterdir()] == [target], "no part is left behind"
    if there == "file" and command != RESULTS:
        assert "--force" in capsys.readouterr().err


def test_a_theme_is_exported_as_it_is(tmp_path: Path, capsys: Capture) -> None:
    assert run(capsys, "themes", "export", "kmines/classic", "-o", tmp_path / "out.toml")[0] == 0
    assert load_themes(tmp_path / "out.toml") == themes_named("kmines/classic")


def test_a_calibration_that_cannot_be_saved_ends_play_with_an_error(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    code, reported = said(capsys, *PLAY, "--seed", "2", "--save-calibration", tmp_path / "at.toml")
    assert (code, "at.toml could not be written" in reported) == (1, True), reported
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk to write to")
def test_a_full_disk_is_reported_after_what_was_found(capsys: Capture) -> None:
    words = ("arena sweep --games 1 --dim 4 --density 0.1 --agents basic", "--csv /dev/full")
    assert main(" ".join(words).split()) == 1
    reported = capsys.readouterr()
    assert "No space left on device" in reported.err
    assert "Unexpected" not in reported.err
    assert "0.1" in reported.out, "the table is kept"


def test_no_figure_of_a_table_is_cut(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a pipe a table is as wide as it needs, whatever the shell says of its columns."""
    monkeypatch.setenv("COLUMNS", "80")
    table = plain_table("t", "a", *[f"column number {at}" for at in range(12)])
    table.add_row(*[f"figure {at}" for at in range(13)])
    console().print(table)
    printed = capsys.readouterr().out
    assert "…" not in printed
    assert "figure 12" in printed
