"""Waiting for what the program shows, in a window that answers at a set time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bot.errors import WindowCovered
from bot.mouse.plan import ClickEffect, PlannedClick
from calibration.errors import ImpossibleBoard
from calibration.grid import PixelBox
from solver.board import Board, Cell
from tests.bot.scene import LEFT, SIDE, TOP, Scene

FRESH = "####\n####\n####\n####"
OPENED = "001#\n001#\n111#\n####"


def opening(cell: Cell) -> list[PlannedClick]:
    return [PlannedClick(cell, ClickEffect.OPEN, (cell,))]


def test_the_pictures_of_a_changing_board_are_remembered_until_the_next_clicks() -> None:
    scene = Scene(FRESH)
    first = scene.waits.wait_readable()
    before = scene.tracker.target.crop_board(first.frame)
    scene.clock.later(0.1, lambda: scene.show("001#\n0###\n####\n####"))
    scene.clock.later(0.15, lambda: scene.show(OPENED))
    seen, unanswered = scene.waits.wait_answered(opening(Cell(0, 0)), before, after=first.board)
    assert (seen.board.text_rows(), unanswered) == (OPENED.splitlines(), [])
    tracker = scene.tracker
    reported = [
        tracker.try_reading(one) for one in tracker.memory.look_back(tracker.target, seen.frame)
    ]
    assert len(reported) == len(tracker.memory.pictures) > 0
    tracker.expect_clicks([Cell(3, 3)], [])
    assert tracker.memory.pictures == ()


def test_a_wrong_number_that_was_seen_for_a_moment_is_not_held_against_the_board() -> None:
    """It was read from a frame between two turns, as a page draws it while cells still open."""
    scene = Scene(OPENED)
    first, memory = scene.waits.wait_readable(), scene.tracker.memory
    assert memory.reader.previous is not None
    wrong = memory.reader.previous.tiles.copy()
    wrong[0, 2] = 2
    seen = replace(memory.reader.previous, pixels=np.zeros_like(first.frame.pixels), tiles=wrong)
    scene.tracker.remember(replace(memory, reader=replace(memory.reader, previous=seen)))
    assert isinstance(scene.tracker.try_reading(scene.frame()), ImpossibleBoard)
    assert scene.waits.wait_readable(after=first.board).board == first.board


def test_what_is_only_asked_is_not_remembered() -> None:
    scene = Scene(FRESH)
    scene.waits.wait_readable()
    before = scene.tracker.memory
    scene.show(OPENED)
    assert scene.tracker.try_reading(scene.frame()).board == Board.from_text(OPENED)
    assert scene.tracker.memory is before


@pytest.mark.slow
def test_a_board_that_something_covers_for_a_while_is_read_once_it_is_gone() -> None:
    scene = Scene(OPENED)
    first = scene.waits.wait_readable()
    scene.cover = PixelBox(LEFT + 10, TOP + 10, LEFT + 3 * SIDE, TOP + 4 * SIDE)

    def uncover() -> None:
        scene.cover = None

    scene.clock.later(2.0, uncover)
    assert scene.waits.wait_readable(after=first.board).board == first.board
    assert 2.0 <= scene.clock.now() < 3.0
    scene.cover = PixelBox(LEFT + 10, TOP + 10, LEFT + 3 * SIDE, TOP + 4 * SIDE)
    with pytest.raises(WindowCovered):
        scene.waits.wait_readable(after=first.board)


def test_a_target_takes_the_border_that_is_on_the_screen_now() -> None:
    scene = Scene(OPENED)
    target = scene.tracker.target
    scene.cover = PixelBox(LEFT - 4, TOP, LEFT + 10, TOP + 20)
    covered = scene.tracker.grab_board()
    assert target.border_change(covered) > 0
    assert target.with_border_of(scene.grab()).border_change(covered) == 0
