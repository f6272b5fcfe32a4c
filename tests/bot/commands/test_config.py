"""The configuration file: what of it the transcripts do not show."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from bot.commands.parsing import COMMANDS, COMMON_OPTIONS, default_config_path, kinds_of, options_in
from bot.outputs import sessions_folder
from tests.bot.command_line import PLAY, ROOT, Capture, run


def configure(text: str) -> Path:
    path = default_config_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_common_takes_what_several_commands_have() -> None:
    commands = [
        {one.name for kind in kinds_of(name).values() for one, _ in options_in(kind)}
        for name in COMMANDS
    ]
    for name in COMMON_OPTIONS:
        assert sum(name in options for options in commands) > 1, name
    page = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    listed = page.partition("several commands: ")[2].partition(".")[0]
    assert re.findall(r"`(\w+)`", listed) == sorted(COMMON_OPTIONS)


def test_the_users_file_is_read_unless_another_is_named(capsys: Capture, tmp_path: Path) -> None:
    configure('[common]\njson = true\n[bench]\nagent = "gac"\ngames = 1\n')
    path = tmp_path / "mine.toml"
    path.write_text('[bench]\nagent = "basic"\ngames = 1\njson = true\n')
    bench = ["bench", "--size", "4x4x2"]
    for words, agent in ((bench, "gac"), (["--config", str(path), *bench], "basic")):
        assert main(words) == 0
        assert json.loads(capsys.readouterr().out)["agent"] == agent
    assert str(path) in doctors_line(capsys, "--config", path)[1]["message"]


@pytest.mark.slow
def test_record_can_be_configured(capsys: Capture, tmp_path: Path) -> None:
    configure("[play]\nrecord = true\n")
    run(capsys, *PLAY)
    assert len(list(sessions_folder().iterdir())) == 1
    configure(f"[play]\nrecord = {json.dumps(str(tmp_path / 'here'))}\n")
    run(capsys, *PLAY)
    assert (tmp_path / "here" / "session.jsonl").exists()


def doctors_line(capsys: Capture, *words: str | Path) -> tuple[int, dict[str, Any]]:
    """Return the exit code of `doctor`, and what it says of the configuration."""
    code, checks, _ = run(capsys, "doctor", *words)
    (line,) = [check for check in checks if check["check"] == "configuration"]
    return code, line


BAD = "With {} play cannot start: "


@pytest.mark.parametrize(
    ("text", "verdict", "words"),
    [
        ("[play]\nbogus = 1\n", "bad", BAD),
        ("[play]\ngames = 'x'\n", "bad", BAD),
        ("[play]\nnear = 'here'\n", "bad", BAD),
        ("[common]\nagent = 'nobody'\n", "bad", BAD),
        ("[common]\ntheme = 'nobody'\n", "bad", BAD),
        ("[common]\ncalibration = 'nowhere.toml'\n", "bad", BAD),
        ("[bench]\ngames = 'x'\n", "note", "'bench' cannot start: "),
        # A table has the options of all kinds of its command.
        ('[arena]\ndim = "4"\nboards = "4x4x2"\n[bench]\ngames = 1\n', "ok", ""),
    ],
)
def test_doctor_finds_a_configuration_with_which_a_command_cannot_start(
    text: str, verdict: str, words: str, capsys: Capture
) -> None:
    path = configure(text)
    code, line = doctors_line(capsys)
    assert (line["verdict"], words.format(path) in line["message"]) == (verdict, True)
    assert code == 1 or verdict != "bad"
