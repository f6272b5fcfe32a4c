"""The command `completion`: what shells propose."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bot.cli import main
from bot.commands.completion import SHELLS
from bot.commands.parsing import COMMANDS
from tests.bot.command_line import Capture


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_knows_every_command(capsys: Capture, shell: str) -> None:
    pytest.importorskip("shtab")
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(command in script for command in COMMANDS)
    assert "candidates" in script


def test_help_says_for_every_shell_where_its_script_goes(capsys: Capture) -> None:
    assert main(["completion", "--help"]) == 0
    reported = capsys.readouterr().out
    assert [shell for shell in SHELLS if f"minebot completion {shell} >" not in reported] == []


@pytest.mark.parametrize(
    ("words", "proposed"),
    [
        ("solve --cand", ["--candidates"]),
        ("play --agent gla", ["glance"]),
        ("bench --size be", ["beginner"]),
        ("play --skin classi", ["classic"]),
        ("read --theme winem", ["winemine/default"]),
    ],
)
def test_completion_works_in_bash(
    capsys: Capture, tmp_path: Path, words: str, proposed: list[str]
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
    try:
        done = subprocess.run(["bash", "-c", probe], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no bash")
    assert done.stdout.split() == proposed, done.stderr
