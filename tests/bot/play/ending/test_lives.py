"""Whether what stands beside a board tells that the game goes on after a mine."""

from typing import Any

import numpy as np
import pytest

from bot.options import Limits
from bot.play.ending.lives import Lives
from calibration.frame import Frame
from calibration.indicators.words import Said
from solver.board import Cell
from solver.game import Status
from tests.bot.play.ending.cases import Changes, Words

FRAME = Frame(np.zeros((4, 4, 3), np.uint8))


def lives_of(waits: Changes, said: Said | None = None, *, counted: bool = False) -> Lives:
    windows: Any = waits
    words: Any = Words(said, lives=counted)
    return Lives(windows, words, limits=Limits())


def test_the_mines_of_a_game_are_forgotten_as_the_next_one_begins() -> None:
    waits = Changes([])
    lives = lives_of(waits)
    lives.survive([Cell(0, 0)])
    lives.survive([Cell(0, 1)])
    assert waits.survived == {Cell(0, 0), Cell(0, 1)}
    lives.begin_game()
    assert waits.survived == set()


@pytest.mark.parametrize(
    ("clock", "counted", "gone", "said", "goes_on"),
    [
        (False, False, False, None, False),
        (False, True, False, None, True),
        (True, False, False, None, True),
        (False, False, True, None, True),
        (True, True, True, Said(Status.LOST, plain=False), False),
        (True, False, False, Said(Status.WON, plain=False), True),
    ],
)
def test_a_life_was_taken_if_the_game_goes_on(
    clock: bool, counted: bool, gone: bool, said: Said | None, goes_on: bool
) -> None:
    waits = Changes([])
    waits.clock_runs, waits.life_gone = clock, gone
    assert lives_of(waits, said, counted=counted).goes_on(FRAME, FRAME) is goes_on


@pytest.mark.parametrize("other_face", [True, False])
def test_a_program_that_hangs_may_go_on_unless_the_face_beside_its_board_changed(
    other_face: bool,
) -> None:
    """A page hung for 25 s after it drew a mine, and before it took one of its hearts away."""
    waits = Changes([])
    waits.clock_runs, waits.hangs_s, waits.other_face = True, 30.0, other_face
    assert lives_of(waits).goes_on(FRAME, FRAME) is not other_face
