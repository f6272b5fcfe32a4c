"""What commands print: files of commands and of all that they answered.

``$ minebot WORDS [< FILE]`` is a command. Indented below it stand the lines of the standard output,
those of the standard error behind ``! ``, and the exit code in brackets unless it is 0. ``@ NAME``
is a file for the commands, its lines indented below; all others are comments. The commands of a
transcript share one folder, with the picture ``half-played.png`` in it. Times are left out, and
figures have four digits: the last ones differ between processors.

``pytest tests/bot --update`` writes the answers of today; read the difference before it is kept.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.cli import main

FOLDER = Path(__file__).parents[1] / "kept" / "commands"
INDENT = "    "
TIMES = (r'"ms": ([\d.]+)', r'"ms_per_game": ([\d.]+)', r"(?:[,;]|and) ([\d.]+) ms\b")
FIGURE = re.compile(r"(?<![\w.])-?\d+\.\d{4,}(?:e[-+]\d+)?")


def answers(command: str) -> Iterator[str]:
    """Run a command in the folder of the process; yield the lines that it answers with."""
    words, _, given = command.removeprefix("$ minebot").partition(" < ")
    out, err = io.StringIO(), io.StringIO()
    data = Path(given).read_bytes() if given else b""
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(data), "utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(shlex.split(words))
    finally:
        sys.stdin = before
    for text, mark in ((out, ""), (err, "! ")):
        said = text.getvalue()
        for time in TIMES:
            said = re.sub(time, lambda found: found[0].replace(found[1], "N"), said)
        said = FIGURE.sub(lambda figure: f"{float(figure[0]):.4g}", said)
        yield from (mark + line for line in said.splitlines() if line)
    if code:
        yield f"[{code}]"


def played(transcript: str) -> str:
    """Run the commands of a transcript in the folder of the process; return it with the answers."""
    lines: list[str] = []
    file: Path | None = None
    for line in transcript.splitlines():
        if line.startswith("@ "):
            file = Path(line[2:])
            file.write_text("", "utf-8")
        elif not line.startswith(INDENT):
            file = None
        elif file is None:
            continue  # an answer of before
        else:
            with file.open("a", encoding="utf-8") as open_file:
                open_file.write(line.removeprefix(INDENT) + "\n")
        lines.append(line)
        if line.startswith("$ "):
            lines += [INDENT + answer.rstrip() for answer in answers(line)]
    return "\n".join(lines) + "\n"


@pytest.mark.skipif(sys.platform == "win32", reason="names of files have other separators")
@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.txt")))
def test_commands_answer_as_they_did(
    name: str,
    tmp_path: Path,
    screenshot: Path,
    monkeypatch: pytest.MonkeyPatch,
    compare: Callable[[str, str], None],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "half-played.png").write_bytes(screenshot.read_bytes())
    compare(f"commands/{name}", played((FOLDER / f"{name}.txt").read_text("utf-8")))
