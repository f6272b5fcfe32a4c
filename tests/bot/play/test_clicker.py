"""The clicks of a turn go to the window of the board, and to no other."""

from __future__ import annotations

import pytest

from bot.events import Click
from bot.mouse.guard import MouseGuard
from bot.mouse.pace import Pace
from bot.mouse.plan import ClickEffect, PlannedClick
from bot.options import Limits
from bot.play.clicker import Clicker
from bot.tracking.follow import Wanted
from bot.tracking.tracker import BoardTracker
from solver.board import Cell
from tests.bot.play.playing import desktop


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("unseen", [False, True])
def test_a_board_that_is_found_anew_is_clicked_in_the_window_where_it_was_read(
    moved: bool, unseen: bool
) -> None:
    """A window that cannot be seen took the click before, so the board was looked for again."""
    desk = desktop()
    tracker = BoardTracker(desk.screen, Wanted(mines=10))
    clicker = Clicker(
        tracker,
        MouseGuard(desk.ports),
        desk.clock,
        limits=Limits(),
        pace=Pace(),
    )

    def click(cell: Cell) -> int:
        """Click a hidden cell; return how many clicks were made."""
        made: list[tuple[PlannedClick, Click]] = []
        frame = tracker.grab_region()
        plan = [PlannedClick(cell, ClickEffect.OPEN, (cell,))]
        clicker.send(plan, frame, tracker.read(frame, same_game=False).board, made, guess=False)
        return len(made)

    tracker.find()
    assert click(Cell(0, 0)) == 1
    desk.under_unseen_window = unseen
    if moved:
        desk.move_window(90, 40)
        tracker.find()
    else:
        tracker.track(tracker.grab_screen(), tracker.target.on_screen)
    hidden = next(cell for cell in desk.game.board.cells() if desk.game.board.covered[cell])
    assert click(hidden) == (0 if unseen else 1)
    assert clicker.below_window == (hidden if unseen else None)
