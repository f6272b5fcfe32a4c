"""The command `completion`: what shells propose."""

from __future__ import annotations

import subprocess
from pathlib import Path
from shutil import which

import pytest

from bot.cli import main
from bot.commands.completion import SHELLS
from bot.commands.parsing import COMMANDS
from tests.bot.command_line import Capture, said


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_knows_every_command(capsys: Capture, shell: str) -> None:
    pytest.importorskip("shtab")
    code, script = said(capsys, "completion", shell)
    assert code == 0
    assert [name for name in (*COMMANDS, "candidates") if name not in script] == []
    assert f"minebot completion {shell} >" in said(capsys, "completion", "--help")[1]


@pytest.mark.skipif(which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "proposed"),
    [
        ("solve --cand", "--candidates"),
        ("play --agent gla", "glance"),
        ("bench --size be", "beginner"),
        ("play --skin classi", "classic"),
        ("read --theme winem", "winemine/default"),
    ],
)
def test_completion_works_in_bash(
    capsys: Capture, tmp_path: Path, words: str, proposed: str
) -> None:
    pytest.importorskip("shtab")
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "minebot.sh"
    script.write_text(capsys.readouterr().out)
    *before, last = words.split()
    probe = (
        f"source {script}; COMP_WORDS=(minebot {words}); COMP_CWORD={len(before) + 1}; "
        '$(complete -p minebot | sed -E "s/.*-F ([^ ]+).*/\\1/") '
        f"minebot {last} {before[-1]}; "
        'echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", probe], capture_output=True, text=True, check=False)
    assert done.stdout.split() == [proposed], done.stderr
