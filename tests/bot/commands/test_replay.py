"""The command `replay`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bot.command_line import Capture, complaint, run


@pytest.mark.slow
def test_play_records_what_replay_replays(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "session"
    words = ("play", "--screen", "sim", "--size", "9x9x10", "--record", folder, "--agent", "tank")
    assert run(capsys, *words)[0] == 0
    code, (summary,), _ = run(capsys, "replay", folder)
    assert code == 0
    assert summary["differences"] == 0
    assert summary["turns"] > 0
    assert complaint(capsys, *words)[0] == 2  # the folder holds a session now


def test_replay_of_nothing_is_wrong_usage(capsys: Capture, tmp_path: Path) -> None:
    assert complaint(capsys, "replay", tmp_path)[0] == 2
