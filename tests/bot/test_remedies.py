"""Advice where no board can be read; for a file, none about windows, clicks or waiting."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from bot.failures import REMEDIES, sentence_for
from calibration import verdict
from calibration.errors import (
    BadCalibration,
    BadImage,
    BadNetwork,
    CalibrationError,
    SeveralGrids,
    UnreadableGrid,
)
from calibration.grid import Grid
from tests.bot.command_line import ROOT

LIVE_WORDS = re.compile(
    r"\b(windows?|front|screen|clicks?|clicked|wait|close it|move|again|new game|play on)\b", re.I
)
"""What a person can do nothing about in a picture file."""

SELF_EXPLAINING = (BadCalibration, BadImage, BadNetwork, SeveralGrids)
"""Errors whose messages say what to do about a file, or name an option."""


def kinds(base: type[CalibrationError] = CalibrationError) -> Iterator[type[CalibrationError]]:
    """Yield the leaves of the errors."""
    for kind in base.__subclasses__():
        yield from kinds(kind) if kind.__subclasses__() else [kind]


def made(kind: type[CalibrationError]) -> CalibrationError:
    if kind is UnreadableGrid:
        return UnreadableGrid("It is so.", Grid(0.0, 0.0, 16.0, 16.0, 9, 9))
    return kind("It is so.")


@pytest.mark.parametrize("kind", tuple(kinds()), ids=lambda kind: kind.__name__)
def test_every_error_says_what_helps_where_the_picture_comes_from(
    kind: type[CalibrationError],
) -> None:
    if kind in SELF_EXPLAINING:
        assert kind not in REMEDIES
        return
    error = made(kind)
    in_file, on_screen = sentence_for(error, live=False), sentence_for(error, live=True)
    assert in_file.startswith("It is so. ")
    assert on_screen.startswith("It is so. ")
    assert in_file != on_screen
    assert in_file.endswith(".")
    assert not LIVE_WORDS.search(in_file), in_file


def messages() -> Iterator[tuple[str, str]]:
    """Yield the texts with which calibration refuses a picture, each with its file."""
    names = {kind.__name__ for kind in kinds()}
    for path in (ROOT / "calibration").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            refuses = isinstance(node, ast.Call) and getattr(node.func, "id", "") in names
            if refuses or (isinstance(node, ast.FunctionDef) and node.name.endswith("_message")):
                for text in ast.walk(node):
                    if isinstance(text, ast.Constant) and isinstance(text.value, str):
                        yield path.name, text.value
    for row in vars(verdict).values():  # those of doubt, but for one of a game
        if (
            isinstance(row, verdict.Verdict)
            and row.status is None
            and row is not verdict.OTHER_MARKS
        ):
            yield "verdict.py", row.reason


def test_no_message_of_calibration_shows_what_to_do_on_a_screen() -> None:
    found = list(messages())
    assert len(found) > 30
    again = re.compile(r"save the screenshot again|Install minebot again")  # damaged files
    live = [
        one
        for one in found
        if LIVE_WORDS.search(again.sub("", one[1])) and "moved on the screen" not in one[1]
    ]
    assert live == []
