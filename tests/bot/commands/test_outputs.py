"""Files that commands write: missing folders are made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bot.command_line import PLAY, Capture, run

BENCH = ("bench", "--size", "4x4x2", "--games", "1", "--agent", "basic")
SWEEP = ("arena", "sweep", "--dim", "4", "--games", "1", "--density", "0.1", "--agents", "basic")


@pytest.mark.parametrize(
    ("words", "option", "name"),
    [
        (BENCH, "--plot", "rates.png"),
        (BENCH, "--results", "games.jsonl"),
        (SWEEP, "--csv", "table.csv"),
        (PLAY, "--save-calibration", "board.toml"),
        (PLAY, "--learn", "theme.toml"),
        (("read", "SCREENSHOT"), "--save-calibration", "board.toml"),
        (("read", "SCREENSHOT"), "--overlay", "drawn"),
        (("advise", "SCREENSHOT"), "--heatmap", "heat.png"),
    ],
)
def test_a_missing_folder_is_made(
    words: tuple[str, ...],
    option: str,
    name: str,
    tmp_path: Path,
    screenshot: Path,
    capsys: Capture,
) -> None:
    path = tmp_path / "new" / "folder" / name
    given = [str(screenshot) if word == "SCREENSHOT" else word for word in words]
    code, _, told = run(capsys, *given, option, path)
    assert code == 0, told
    assert path.exists()
