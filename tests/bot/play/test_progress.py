"""What is counted of a game under way."""

from __future__ import annotations

import numpy as np
import pytest

from bot.play.progress import Progress
from bot.tracking.observation import Observation
from calibration.frame import Frame
from calibration.reading import Reading
from solver.agents.base import Action, Decision, Move
from solver.board import Board, Cell
from solver.game import Status

RISKY = Decision((Move(Cell(0, 0), Action.OPEN),), "the corner", 0.8)


def observation(text: str) -> Observation:
    board = Board.from_text(text, 1)
    return Observation(
        Frame(np.zeros((9, 9, 3), np.uint8)), Reading(board, Status.PLAYING, confidence=1.0)
    )


def test_a_first_click_has_a_risk_but_is_no_guess() -> None:
    """The review of a game judges it so, too."""
    progress = Progress(1, 0.0)
    for text in ("##\n##", "#1\n##"):
        seen = observation(text)
        progress.begin_turn(seen, seen.board, RISKY, 0.0)
    assert progress.guesses == 1
    assert progress.chance == pytest.approx(0.8 * 0.8)
