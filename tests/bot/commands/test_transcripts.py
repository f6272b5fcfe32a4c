"""What commands print: files of commands and of all that they answered.

``$ minebot WORDS [< FILE] [> FILE]`` is a command. Indented below it stand the lines of the
standard output, those of the standard error behind ``! ``, and the exit code in brackets unless it
is 0. ``$ ls FOLDER`` names the files of a folder, ``$ cat FILE`` shows one. ``@ NAME`` is a file
for the commands, its lines indented below; all others are comments. The commands of a transcript
share one folder and may open no screen. In it are the screenshots of `screens`, games of other
programs (``games``), and a recording of version 0.2.0 (``before``); none of the files given is
changed. Times are left out.

``pytest tests/bot --update`` writes the answers of today; read the difference before it is kept.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.cli import main
from tests.bot.command_line import ROOT

FOLDER = Path(__file__).parents[1] / "kept" / "commands"
INDENT = "    "
SLOW = ("read", "sessions", "others", "measured")
TIMES = (
    *(r'"ms": ([\d.]+)', r'"ms_per_game": ([\d.]+)', r"(?:[,;]|and) ([\d.]+) ms\b"),
    *(
        r"(?m)^[\w-]+(?:,[\w.]+){12},([\d.]+),\d+$",
        r'"calibrate": ([\d.]+)',
        r'"ms": {.*"read": ([\d.]+)',
    ),
)


def without_times(text: str) -> str:
    for time in TIMES:
        text = re.sub(time, lambda found: found[0].replace(found[1], "N"), text)
    return text


def answers(command: str) -> Iterator[str]:
    """Run a command in the folder of the process; yield the lines that it answers with."""
    if command.startswith("$ ls "):
        yield " ".join(sorted(path.name for path in Path(command[5:]).iterdir()))
        return
    if command.startswith("$ cat "):
        yield from without_times(Path(command[6:]).read_text("utf-8")).splitlines()
        return
    words, _, into = command.removeprefix("$ minebot").partition(" > ")
    words, _, given = words.partition(" < ")
    out, err = io.StringIO(), io.StringIO()
    data = Path(given).read_bytes() if given else b""
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(data), "utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(shlex.split(words))
    finally:
        sys.stdin = before
    if into:
        Path(into).write_text(out.getvalue(), "utf-8")
    for text, mark in (("" if into else out.getvalue(), ""), (err.getvalue(), "! ")):
        yield from (mark + line for line in without_times(text).splitlines() if line)
    if code:
        yield f"[{code}]"


def played(transcript: str) -> str:
    """Run the commands of a transcript in the folder of the process; return it with the answers."""
    lines: list[str] = []
    given = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    file: Path | None = None
    for line in transcript.splitlines():
        if line.startswith("@ "):
            file = Path(line[2:])
            given[file] = b""
        elif not line.startswith(INDENT):
            file = None
        elif file is None:
            continue  # an answer of before
        else:
            given[file] += line.removeprefix(INDENT).encode() + b"\n"
        if file is not None:
            file.write_bytes(given[file])
        lines.append(line)
        if line.startswith("$ "):
            lines += [INDENT + answer.rstrip() for answer in answers(line)]
    assert [path for path, data in given.items() if path.read_bytes() != data] == [], "changed"
    return "\n".join(lines) + "\n"


@pytest.mark.skipif(sys.platform == "win32", reason="names of files have other separators")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name in sorted(path.stem for path in FOLDER.glob("*.txt"))
    ],
)
def test_commands_answer_as_they_did(
    name: str,
    tmp_path: Path,
    screens: Path,
    on_screen: Callable[[None], None],
    monkeypatch: pytest.MonkeyPatch,
    compare: Callable[[str, str], None],
) -> None:
    on_screen(None)
    if name == "others":
        pytest.importorskip("ms_toollib", reason="needs the extra 'replays'")
    monkeypatch.chdir(shutil.copytree(screens, tmp_path / "here"))
    shutil.copytree(ROOT / "fixtures" / "games", "games")
    shutil.copytree(ROOT / "fixtures" / "sessions" / "version-1", "before")
    compare(f"commands/{name}", played((FOLDER / f"{name}.txt").read_text("utf-8")))
