"""The command line: usage, help, and errors in one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from bot.commands.parsing import COMMANDS
from tests.bot.command_line import ROOT, Capture, complaint, run, said

MINEBOT = [sys.executable, "-m", "bot"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(capsys: Capture, command: str) -> None:
    code, text = said(capsys, command, "--help")
    assert code == 0
    assert f"minebot {command}" in text
    assert len(text) > 200
    if command in ("play", "read", "advise", "solve", "replay", "bench", "arena", "manual"):
        examples = text.partition("examples:")[2]
        assert examples.count(f"minebot {command} ") >= (1 if command == "replay" else 2)


@pytest.mark.parametrize(("words", "same"), [((), ("--help",)), (("help", "play"), ("play", "-h"))])
def test_no_word_and_the_word_help_show_a_help(
    capsys: Capture, words: tuple[str, ...], same: tuple[str, ...]
) -> None:
    code, text = said(capsys, *words)
    assert (0, text) == said(capsys, *same)
    assert code == (0 if words else 2), "without a command nothing was asked for"
    if not words:
        assert [name for name in (*COMMANDS, "exit codes") if name not in text] == []


def test_python_can_run_the_package() -> None:
    done = subprocess.run(
        [*MINEBOT, "--version"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.startswith("minebot ")


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_output_that_lacks_characters_gets_others(encoding: str) -> None:
    game = ["bench", "--size", "4x4x2", "--games", "1", "--agent", "basic"]
    env = os.environ | {"PYTHONIOENCODING": encoding}
    text, lines = (
        subprocess.run(
            [*MINEBOT, *words], cwd=ROOT, env=env, capture_output=True, check=True
        ).stdout.decode(encoding)
        for words in (game, ["agents", "--json"])
    )
    assert "?" in text  # the dash of an interval
    assert any("Unnebäck" in json.loads(line)["source"] for line in lines.splitlines())


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("bench --agent none --json", 2),
        pytest.param("agents", 0, marks=pytest.mark.slow),
        pytest.param("solve --lines fixtures/positions/expert.jsonl", 0, marks=pytest.mark.slow),
        pytest.param("agents --json", 0, marks=pytest.mark.slow),
        pytest.param("themes show winemine", 0, marks=pytest.mark.slow),
        pytest.param("play --screen sim --size 4x4x2 --agent basic", 0, marks=pytest.mark.slow),
    ],
)
def test_a_closed_pipe_is_no_failure_and_hides_no_sentence(words: str, code: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        done = subprocess.run(
            [*MINEBOT, *words.split()], cwd=ROOT, stdout=pipe, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, b"Traceback" in done.stderr) == (code, False)
    assert len(done.stderr.splitlines()) == 1 or code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text elsewhere")
@pytest.mark.parametrize(("command", "key"), [("read", "image"), ("advise", "message")])
def test_a_file_name_that_is_no_utf_8_is_not_changed(command: str, key: str) -> None:
    name = b"b\xe4d.png"
    words = [*map(os.fsencode, MINEBOT), command.encode(), name, b"--json"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 2
    assert name in os.fsencode(json.loads(done.stdout)[key])


def test_an_unexpected_error_is_one_sentence_too(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the roof\nis on fire")

    monkeypatch.setattr("bot.cli.parse", fail)
    code, sentence = complaint(capsys, "agents")
    assert code == 1
    assert "the roof is on fire" in sentence
    assert "--debug" in sentence


def test_doctor_finds_a_missing_display(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    code, checks, _ = run(capsys, "doctor")
    verdicts = {check["check"]: check["verdict"] for check in checks}
    assert (code, verdicts["session"], verdicts["python"]) == (1, "bad", "ok")
