"""The status of a game in a program that is not known."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.errors import StatusUnclear
from calibration.frame import Frame
from calibration.indicators.smiley import Smiley
from calibration.indicators.status import told_status
from calibration.theme import LEARNED, Theme
from solver.board import Board
from solver.game import Status

FRAME = Frame(np.zeros((40, 40, 3), np.uint8))
IN_PLAY = Board.from_text("2###\n####\n####\n####").tiles


def told(rows: str, theme: str) -> Status:
    board = Board.from_text(rows)
    return told_status(FRAME, board, Theme(theme, ()), Smiley(()), counted=False, before=IN_PLAY)


@pytest.mark.parametrize("theme", [LEARNED, f"{LEARNED}/look-1"])
def test_a_look_that_was_kept_is_no_known_program(theme: str) -> None:
    """Zeros that still appear may look like mines, all of them in one patch."""
    with pytest.raises(StatusUnclear, match="only one sign"):
        told("2#**\n##**\n####\n####", theme)
    assert told("2##*\n####\n*###\n##*#", theme) is Status.LOST


def test_the_mines_of_a_known_program_are_sign_enough() -> None:
    assert told("2#**\n##**\n####\n####", "xdemineur/default") is Status.LOST
