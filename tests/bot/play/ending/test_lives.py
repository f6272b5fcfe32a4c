"""Mines that took one of several lives."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bot.options import Limits
from bot.play.ending.last_turn import only_mines_left
from bot.play.ending.lives import Lives
from calibration.frame import Frame
from calibration.indicators.words import Said
from solver.board import Board, Cell
from solver.game import Status
from tests.bot.play.ending.cases import Changes, Words

FRAME = Frame(np.zeros((4, 4, 3), np.uint8))


def lives_of(waits: Changes, said: Said | None = None, *, counted: bool = False) -> Lives:
    quiet: Any = SimpleNamespace(noticed=lambda _: None)
    windows: Any = waits
    words: Any = Words(said, lives=counted)
    return Lives(windows, words, observer=quiet, limits=Limits())


def test_each_mine_alone_takes_a_life_and_two_at_once_end_the_game() -> None:
    waits = Changes([])
    waits.clock_runs = True
    lives = lives_of(waits)
    assert lives.is_taken(Board.from_text("X##\n###"), FRAME, FRAME)
    assert lives.is_taken(Board.from_text("*X#\n###"), FRAME, None)
    assert waits.survived == {Cell(0, 0), Cell(0, 1)}
    assert not lives.is_taken(Board.from_text("**#\nX*#"), FRAME, FRAME)
    lives.begin_game()
    assert waits.survived == set()


@pytest.mark.parametrize(
    ("clock", "counted", "gone", "said", "taken"),
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
    clock: bool, counted: bool, gone: bool, said: Said | None, taken: bool
) -> None:
    waits = Changes([])
    waits.clock_runs, waits.life_gone = clock, gone
    lives = lives_of(waits, said, counted=counted)
    assert lives.is_taken(Board.from_text("X##\n###"), FRAME, FRAME) is taken
    assert bool(waits.survived) is taken


@pytest.mark.parametrize("other_face", [True, False])
def test_a_program_that_hangs_may_go_on_unless_the_face_beside_its_board_changed(
    other_face: bool,
) -> None:
    """A page hung for 25 s after it drew a mine, and before it took one of its hearts away."""
    waits = Changes([])
    waits.clock_runs, waits.hangs_s, waits.other_face = True, 30.0, other_face
    taken = lives_of(waits).is_taken(Board.from_text("X##\n###"), FRAME, FRAME)
    assert taken is not other_face
    assert bool(waits.survived) is taken


def test_mines_that_took_lives_count_as_covered_at_the_end() -> None:
    assert only_mines_left(Board.from_text("X2#\n132\n01#"), None)
    assert not only_mines_left(Board.from_text("X2#\n##2\n01#"), None)
