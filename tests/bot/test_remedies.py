"""Advice where no board can be read; for a file, none about windows, clicks or waiting."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.failures import REMEDIES, sentence_for
from bot.terminal.pictures import save_picture
from calibration import verdict
from calibration.calibration import calibrate
from calibration.errors import (
    BadCalibration,
    BadImage,
    BadNetwork,
    CalibrationError,
    SeveralGrids,
    Unreadable,
    UnreadableGrid,
)
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.images import load_image
from solver.board import Cell
from tests.bot.command_line import ROOT, Capture, complaint, run

LIVE_WORDS = re.compile(
    r"\b(windows?|front|screen|clicks?|clicked|wait|close it|move|again|new game|play on)\b", re.I
)
"""What a person can do nothing about in a picture file."""

SELF_EXPLAINING = (BadCalibration, BadImage, BadNetwork, SeveralGrids)
"""Errors whose messages say what to do about a file, or name an option."""

Pixels = NDArray[np.uint8]


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


def shuffled(screenshot: Path) -> Pixels:
    """Lay the tiles in another order, so that the numbers contradict each other."""
    frame = load_image(screenshot)
    grid, pixels = calibrate(frame).grid, frame.pixels.copy()
    boxes = [grid.box(Cell(row, col)) for row in range(grid.rows) for col in range(grid.cols)]
    places = [(slice(box.y0, box.y0 + 16), slice(box.x0, box.x0 + 16)) for box in boxes]
    tiles = [pixels[place].copy() for place in places]
    order = np.random.default_rng(1).permutation(len(tiles))
    for place, other in zip(places, order, strict=True):
        pixels[place] = tiles[other]
    return pixels


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blank", "cut-off", "covered", "two-boards", "shuffled"])
@pytest.mark.parametrize("command", ["read", "advise"])
def test_a_refused_file_is_reported_without_a_word_about_windows(
    command: str, name: str, screens: Path, tmp_path: Path, capsys: Capture
) -> None:
    picture = screens / f"{name}.png"
    if name == "shuffled":
        picture = tmp_path / "shuffled.png"
        save_picture(shuffled(screens / "half-played.png"), picture)
    code, sentence = complaint(capsys, command, picture)
    assert code in (3, 4)
    assert not LIVE_WORDS.search(sentence), sentence
    _, lines, _ = run(capsys, command, picture)
    assert lines[-1]["message"] in sentence


def test_on_the_screen_the_window_may_be_named() -> None:
    assert sentence_for(Unreadable("nothing"), live=True) == "nothing"
    with pytest.raises(CalibrationError) as none:
        calibrate(Frame(np.full((400, 600, 3), 90, np.uint8)))
    assert "Bring its window to the front" in sentence_for(none.value, live=True)
