"""Mistakes are named, moves taken back, and a finished game is reviewed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from solver.arena.boards import Size
from solver.board import Cell
from tests.bot.terminal.manual.piloting import (
    drive,
    guess_board,
    manual_play,
    notes,
    press,
    status,
)


@pytest.mark.slow
def test_a_move_is_taken_back_even_after_a_loss() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "u")
        assert "nothing to take back" in notes(app)
        app.board_widget.cursor = Cell(0, 0)
        await press(app, pilot, "space")
        opened = app.manual.board
        mine = next(cell for cell in opened.cells() if app.manual.game.mines[cell])
        app.board_widget.cursor = mine
        await press(app, pilot, "space")
        assert app.manual.over
        assert "lost" in notes(app)
        await press(app, pilot, "u")
        assert not app.manual.over
        assert app.manual.board == opened
        assert "1 taken back" in status(app)
        await press(app, pilot, "f", "ctrl+z")
        assert app.manual.board == opened
        await press(app, pilot, "s", "u")
        assert app.manual.board == opened

    drive(script)


def test_a_mistake_is_named_as_it_happens_unless_it_is_hidden() -> None:
    async def script(app: Any, pilot: Any) -> None:
        app.manual.continue_from(guess_board())
        lucky = next(cell for cell in (Cell(0, 0), Cell(1, 0)) if not app.manual.game.mines[cell])
        app.board_widget.cursor = lucky
        await press(app, pilot, "space")
        assert "Needless risk: " in notes(app)
        assert "while 2 cells were safe" in notes(app)
        assert "1 mistake" in status(app)
        assert app.manual.history.mistakes()
        await press(app, pilot, "m")
        assert "wait for the review" in notes(app)
        assert "mistake" not in status(app)

    drive(script)


def test_a_good_move_is_no_mistake() -> None:
    async def script(app: Any, pilot: Any) -> None:
        app.manual.continue_from(guess_board())
        app.board_widget.cursor = app.manual.analysis().mines[0]
        await press(app, pilot, "f")
        safe = app.manual.analysis().safe[0]
        app.board_widget.cursor = safe
        await press(app, pilot, "space")
        assert not app.manual.history.mistakes()
        assert len(app.manual.history.turns) == 1

    drive(script)


@pytest.mark.slow
@pytest.mark.parametrize(("cols", "shown"), [(40, True), (20, True), (10, False)])
def test_the_review_shows_what_a_narrow_terminal_has_room_for(cols: int, shown: bool) -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "space", "s", "r")
        board = app.screen.query_one("#turn-board")
        assert ("too narrow" in str(board.render())) is not shown
        if shown:
            *rows, which = str(board.render()).splitlines()
            assert which.startswith("columns ")
            assert max(map(len, rows)) <= board.size.width
            assert app.screen.query_one("#turns").size.height > 0
        await pilot.resize_terminal(120, 30)
        await pilot.pause()
        assert "too narrow" not in str(board.render())
        assert app.screen.query_one("#turns").region.right <= board.region.x

    drive(script, manual_play(size=Size(16, 30, 99), seed=4), size=(cols, 12))


@pytest.mark.slow
@pytest.mark.parametrize("steps", range(5))
def test_keys_may_close_the_review_before_it_is_laid_out(steps: int) -> None:
    async def script(app: Any, pilot: Any) -> None:
        from bot.terminal.manual.screens import ReviewScreen

        async def open_and_close() -> None:
            app.push_screen(ReviewScreen(app.manual.history, "The game goes on."))
            for _ in range(steps):
                await asyncio.sleep(0)
            app.screen.dismiss(None)

        await press(app, pilot, "space")
        app.call_later(open_and_close)
        await pilot.pause()
        await press(app, pilot, "f")
        assert type(app.screen).__name__ != "ReviewScreen"

    drive(script)


@pytest.mark.slow
def test_the_review_shows_turns_and_the_worst_mistake() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "r")
        assert "no turn to review" in notes(app)
        app.manual.continue_from(guess_board())
        app.board_widget.cursor = app.manual.analysis().safe[0]
        await press(app, pilot, "space")
        mine = app.manual.analysis().mines[0]
        app.board_widget.cursor = mine
        await press(app, pilot, "space", "r")
        assert type(app.screen).__name__ == "ReviewScreen"
        assert "1 mistake" in str(app.screen.query_one("#summary").render())
        assert app.screen.query_one("#turns").highlighted == 1
        assert "certain mine opened" in str(app.screen.query_one("#turn-text").render())
        await press(app, pilot, "up")
        assert "Turn 1" in str(app.screen.query_one("#turn-text").render())
        await press(app, pilot, "m")
        assert app.screen.query_one("#turns").highlighted == 1
        await press(app, pilot, "escape")
        assert type(app.screen).__name__ != "ReviewScreen"

    drive(script)
