"""The command line: usage, help, and errors in one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from bot.cli import main
from bot.commands.parsing import COMMANDS
from tests.bot.command_line import ROOT, Capture, complaint, run, said

# ---- usage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(capsys: Capture, command: str) -> None:
    assert main([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert f"minebot {command}" in text
    assert len(text) > 200


@pytest.mark.parametrize(("words", "same"), [((), ("--help",)), (("help", "play"), ("play", "-h"))])
def test_no_word_and_the_word_help_show_a_help(
    capsys: Capture, words: tuple[str, ...], same: tuple[str, ...]
) -> None:
    code, text = said(capsys, *words)
    assert (0, text) == said(capsys, *same)
    assert code == (0 if words else 2), "without a command nothing was asked for"


def test_help_names_every_command_and_the_exit_codes(capsys: Capture) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(command in text for command in COMMANDS)
    assert "exit codes" in text


@pytest.mark.parametrize(
    "command", ["play", "read", "advise", "solve", "replay", "bench", "arena", "manual"]
)
def test_help_has_examples(capsys: Capture, command: str) -> None:
    assert main([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert "examples:" in text
    assert text.count(f"minebot {command} ") >= 2 or command == "replay"


def test_python_can_run_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bot", "--version"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("minebot ")


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_output_that_lacks_characters_gets_others(encoding: str) -> None:
    game = ["bench", "--size", "4x4x2", "--games", "1", "--agent", "basic"]
    text, lines = (
        subprocess.run(
            [sys.executable, "-m", "bot", *words],
            cwd=ROOT,
            env=os.environ | {"PYTHONIOENCODING": encoding},
            capture_output=True,
            check=True,
        ).stdout.decode(encoding)
        for words in (game, ["agents", "--json"])
    )
    assert "?" in text  # the dash of an interval
    assert any("Unnebäck" in json.loads(line)["source"] for line in lines.splitlines())


def test_an_error_is_one_sentence_though_the_pipe_is_closed() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "bot", "bench", "--agent", "none", "--json"]
    with os.fdopen(writer, "wb") as pipe:
        done = subprocess.run(command, cwd=ROOT, stdout=pipe, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (2, False)
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("agents",),
        ("agents", "--json"),
        ("themes", "show", "winemine"),
        ("play", "--screen", "sim", "--size", "4x4x2", "--agent", "basic"),
    ],
)
def test_a_closed_pipe_is_no_failure(words: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "bot", *words]
    with os.fdopen(writer, "wb") as pipe:
        done = subprocess.run(command, cwd=ROOT, stdout=pipe, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text elsewhere")
@pytest.mark.parametrize(("command", "key"), [("read", "image"), ("advise", "message")])
def test_a_file_name_that_is_no_utf_8_is_not_changed(command: str, key: str) -> None:
    name = b"b\xe4d.png"
    words = [os.fsencode(sys.executable), b"-m", b"bot", command.encode(), name, b"--json"]
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


# ---- doctor and agents ---------------------------------------------------------------------------


def test_doctor_finds_a_missing_display(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    code, checks, _ = run(capsys, "doctor")
    assert code == 1
    verdicts = {check["check"]: check["verdict"] for check in checks}
    assert verdicts["session"] == "bad"
    assert verdicts["python"] == "ok"
