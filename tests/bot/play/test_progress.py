"""What is counted of a game under way."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

from bot.errors import WindowStuck
from bot.events import Outcome
from bot.play.progress import Progress
from bot.tracking.game import Observation
from calibration.frame import Frame
from calibration.reading import Reading
from solver.agents.base import Action, Decision, Move
from solver.board import Board, Cell, Tile
from solver.game import Status

RISKY = Decision((Move(Cell(0, 0), Action.OPEN),), "the corner", 0.8)


def observation(text: str) -> Observation:
    board = Board.from_text(text, 1)
    return Observation(
        Frame(np.zeros((9, 9, 3), np.uint8)), Reading(board, Status.PLAYING, confidence=1.0)
    )


def test_a_first_click_that_has_a_risk_is_a_guess() -> None:
    """The review of a game judges it so, too."""
    progress = Progress(1, 0.0)
    for text in ("##\n##", "#1\n##"):
        seen = observation(text)
        progress.begin_turn(seen, seen.board, RISKY, 0.0)
    assert progress.guesses == 2
    assert progress.chance == pytest.approx(0.8 * 0.8)


def test_a_game_that_is_broken_off_has_a_result_once() -> None:
    progress = Progress(1, 2.0)
    assert progress.sum_up_stopped(3.0) is None
    seen = observation("##\n##")
    progress.end_turn(progress.begin_turn(seen, seen.board, RISKY, 0.0), (), send_ms=0, wait_ms=0)
    result = progress.sum_up_stopped(5.0)
    assert result is not None
    assert (result.outcome, result.turns, result.seconds) == (Outcome.STOPPED, 1, 3.0)
    assert progress.sum_up_stopped(6.0) is None


def test_why_an_agent_stopped_is_a_sentence() -> None:
    result = Progress(1, 0.0).sum_up(None, 1.0, Board.from_text("##"), "gives up: stuck")
    assert result.why == "Gives up: stuck."


@pytest.mark.parametrize(
    ("clicks", "mines", "tile", "is_game"),
    [
        (49, None, 0, False),
        (49, 40, 0, False),
        (30, 40, 0, True),  # an opening of a page that opens one cell a click
        (49, 40, 1, True),
        (49, 2, 0, True),
    ],
)
def test_a_board_without_any_number_is_doubted_in_the_end(
    clicks: int, mines: int | None, tile: int, is_game: bool
) -> None:
    tiles = np.full((16, 16), Tile.HIDDEN, np.int8)
    tiles[:7, :7] = 0
    tiles[7, 7] = tile
    progress = Progress(1, 0.0, clicks=clicks)
    with nullcontext() if is_game else pytest.raises(WindowStuck, match="none shows a number"):
        progress.check_numbers(Board(tiles, mines))
