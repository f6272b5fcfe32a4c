"""Run commands in this process."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main

ROOT = Path(__file__).parents[2]
Capture = pytest.CaptureFixture[str]
PLAY = ("play", "--screen", "sim", "--size", "9x9x10", "--agent", "tank")

TOO_LARGE = "\n".join(
    "".join("1" if row % 2 and col % 2 else "#" for col in range(28)) for row in range(28)
)
"""A board whose numbers are joined in too many ways to be counted."""


def run(capsys: Capture, *words: str | Path) -> tuple[int, list[Any], str]:
    """Run a command with --json; return exit code, objects on stdout, text on stderr."""
    code = main([str(word) for word in words] + ["--json"])
    captured = capsys.readouterr()
    return code, [json.loads(line) for line in captured.out.splitlines()], captured.err


def complaint(capsys: Capture, *words: str | Path) -> tuple[int, str]:
    """Run a command that fails; return its exit code and its sentence."""
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert "Unexpected" not in captured.err or code == 1
    assert captured.err.count("\n") == 1
    assert captured.err.strip().endswith((".", "'."))
    return code, captured.err


def said(capsys: Capture, *words: str | Path) -> tuple[int, str]:
    """Run a command without --json; return exit code and text on stdout and stderr."""
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, " ".join((captured.out + captured.err).split())


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write a file of JSON lines."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
