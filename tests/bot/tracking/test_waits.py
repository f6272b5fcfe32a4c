"""Waiting for what the program shows, against a program that answers at a set time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bot.options import Limits
from bot.tracking.waits import Waits
from calibration.frame import Frame
from calibration.reading import Reading
from calibration.theme import LEARNED
from solver.board import Board
from solver.game import Status

BEFORE = Board.from_text("####\n####\n####\n####")
PAINTED, OPENED = (
    Board.from_text(text) for text in ("X**#\n***#\n####\n####", "001#\n001#\n111#\n####")
)


class Program:
    """A program that hangs for a while with its first opening half painted, and its clock."""

    def __init__(self, hangs_s: float) -> None:
        self.hangs_s, self.seconds = hangs_s, 0.0
        self.target = SimpleNamespace(
            on_screen=SimpleNamespace(theme=SimpleNamespace(program=LEARNED)),
            reader=SimpleNamespace(),
        )

    def now(self) -> float:
        return self.seconds

    def wait(self, seconds: float) -> None:
        self.seconds += seconds

    def grab_region(self) -> Frame:
        shade = 200 if self.seconds >= self.hangs_s else 100
        return Frame(np.full((4, 4, 3), shade, np.uint8))

    def crop_board(self, frame: Frame) -> Any:
        return frame.pixels

    def grab_board(self) -> Any:
        return self.grab_region().pixels

    def border_intact(self, _: Any) -> bool:
        return True

    def read(self, frame: Frame, **_: Any) -> Reading:
        if frame.pixels[0, 0, 0] == 100:
            return Reading(PAINTED, Status.LOST, 1.0)
        return Reading(OPENED, Status.PLAYING, 1.0)


@pytest.mark.parametrize(
    ("hangs_s", "hang_s", "status"),
    [(25.0, 35.0, Status.PLAYING), (25.0, 0.0, Status.LOST), (99.0, 35.0, Status.LOST)],
)
def test_a_half_painted_board_has_as_long_to_change_as_a_program_may_hang(
    hangs_s: float, hang_s: float, status: Status
) -> None:
    program: Any = Program(hangs_s)
    waits = Waits(program, program, program, limits=Limits(), search=program)
    seen = waits._observe(program.grab_region(), BEFORE, 0.0)
    last = waits.wait_end_confirmed(seen, after=BEFORE, hang_s=hang_s)
    assert last.reading.status is status
    assert min(hangs_s, hang_s) <= program.seconds < min(hangs_s, hang_s) + 3
