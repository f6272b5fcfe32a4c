"""The screen of manual play, driven by textual's pilot: mouse, keys and agents."""

from __future__ import annotations

import asyncio
import gc
import warnings
from typing import Any

import pytest

from solver.agents import Decision
from solver.arena.boards import Size
from solver.board import Board, Cell, Tile
from solver.errors import InconsistentBoard
from tests.bot.terminal.piloting import drive, guess_board, manual_game, notes, press, status


@pytest.mark.slow
def test_mouse_opens_flags_and_chords() -> None:
    async def script(app: Any, pilot: Any) -> None:
        async def click(cell: Cell, button: int = 1) -> None:
            x, y, *_ = app.board_widget.place_of(cell)
            await pilot.click("#board", offset=(x, y), button=button)

        await click(Cell(0, 0))
        assert app.manual.board[Cell(0, 0)] == 0
        board, mines = app.manual.board, app.manual.game.mines
        mine = next(c for c in board.cells() if mines[c])
        await click(mine, 3)
        assert app.manual.board[mine] == Tile.FLAG
        number = next(c for c in board.neighbours(mine) if board[c] == 1)
        await click(number, 2)
        board = app.manual.board
        assert all(board[c] != Tile.HIDDEN for c in board.neighbours(number))

    drive(script)


@pytest.mark.slow
def test_keys_move_open_and_flag() -> None:
    async def script(app: Any, pilot: Any) -> None:
        start = app.board_widget.cursor
        await press(app, pilot, "up", "left", "left", "down", "right")
        assert app.board_widget.cursor == Cell(start.row, start.col - 1)
        await press(app, pilot, *["up"] * 20, *["left"] * 20)
        assert app.board_widget.cursor == Cell(0, 0)
        await press(app, pilot, "f")
        assert app.manual.board[Cell(0, 0)] == Tile.FLAG
        await press(app, pilot, "space")
        assert not app.manual.game.started, "a flag protects its cell"
        await press(app, pilot, "f", "enter")
        assert app.manual.board[Cell(0, 0)] == 0

    drive(script)


@pytest.mark.slow
def test_an_agent_plays_to_the_end_and_the_next_game_starts() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "p")
        assert app.manual.over
        assert "Press n for a new one" in notes(app)
        result = app.manual.game.status.value
        assert result in status(app)
        await press(app, pilot, "a", "s", "h")
        assert app.manual.game.status.value == result
        await press(app, pilot, "n")
        assert not app.manual.over
        assert "seed 4" in status(app)

    drive(script)


@pytest.mark.slow
def test_an_agent_plays_on_step_by_step_until_stopped() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await pilot.press("p")
        async with asyncio.timeout(120):
            while not app.manual.game.started:
                await asyncio.sleep(0.01)
        await press(app, pilot, "p")
        assert "Stopped" in notes(app)
        stopped = app.manual.board
        await asyncio.sleep(0.3)
        assert app.manual.board == stopped

    drive(script, manual_game(size=Size(20, 20, 60)), step_s=0.2)


def test_an_agent_that_gives_up_says_so() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "p")
        assert app.manual.over or "gives up" in notes(app)

    game = manual_game("gac", Size(9, 9, 20), seed=1)
    drive(script, game)
    assert not game.over


def test_chooses_the_next_agent_and_the_one_before() -> None:
    async def script(app: Any, pilot: Any) -> None:
        before = app.manual.agent_name
        await press(app, pilot, "tab")
        assert app.manual.agent_name != before
        assert app.manual.agent_name in status(app)
        await press(app, pilot, "shift+tab")
        assert app.manual.agent_name == before

    drive(script)


@pytest.mark.slow
def test_a_narrow_terminal_gets_narrow_cells() -> None:
    async def script(app: Any, pilot: Any) -> None:
        assert app.board_widget.cell_width == 2
        await pilot.resize_terminal(120, 30)
        await pilot.pause()
        assert app.board_widget.cell_width == 3
        x, y, *_ = app.board_widget.place_of(Cell(15, 29))
        await pilot.click("#board", offset=(x, y))
        assert app.manual.board[Cell(15, 29)] == 0

    drive(script, manual_game(size=Size(16, 30, 99)), size=(80, 24))


def test_an_impossible_board_is_reported_on_the_screen() -> None:
    async def script(app: Any, pilot: Any) -> None:
        app.manual.agent.decide = refuse
        await press(app, pilot, "a")
        assert "no layout fits" in notes(app)

    def refuse(board: Board) -> Decision:
        raise InconsistentBoard("On this board no layout fits.")

    drive(script)


@pytest.mark.slow
def test_every_key_is_listed_and_goes_again() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "question_mark")
        table = app.query_one("BindingsTable").render_bindings_table()
        listed = [str(cell) for cell in table.columns[1].cells]
        for binding in app.BINDINGS:
            assert any(line.startswith(binding.description) for line in listed)
        await press(app, pilot, "question_mark")
        assert not app.query("HelpPanel")
        keys = app.query_one("Footer").query("FooterKey")
        assert sum(key.size.width for key in keys) <= 80
        assert {"?", "q"} <= {key.key_display for key in keys}

    drive(script)


def test_another_key_clears_the_message_of_the_one_before() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "tab")
        assert "All agents" in notes(app)
        await press(app, pilot, "down")
        assert "All agents" in notes(app), "its cells can be gone to"
        await press(app, pilot, "h")
        assert "All agents" not in notes(app)
        await press(app, pilot, "p", "h")
        assert "Press n for a new one" in notes(app), "that is still true"

    drive(script)


@pytest.mark.slow
def test_asking_shows_the_move_and_changes_nothing() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "a")
        assert not app.manual.game.started
        assert app.manual.proposal is not None
        assert app.board_widget.cursor == app.manual.proposal.moves[0].cell
        assert "tank: " in notes(app)
        await press(app, pilot, "s", "w")
        assert app.manual.game.started
        assert "is certainly safe: " in notes(app)

    drive(script)


def test_the_risks_are_shown_and_go_again() -> None:
    async def script(app: Any, pilot: Any) -> None:
        app.manual.continue_from(guess_board())
        await press(app, pilot, "h")
        assert "50" in str(app.board_widget.render())
        await press(app, pilot, "h")
        assert "50" not in str(app.board_widget.render())

    drive(script)


def test_the_proof_of_a_cell_is_said_and_highlighted() -> None:
    async def script(app: Any, pilot: Any) -> None:
        app.manual.continue_from(guess_board())
        await press(app, pilot, "a")
        app.board_widget.cursor = app.manual.analysis().mines[0]
        await press(app, pilot, "w")
        assert "is certainly a mine" in notes(app)
        assert set(app.board_widget.proof.numbers) & {Cell(0, 3), Cell(1, 3)}
        await press(app, pilot, "f")
        assert app.board_widget.proof is None

    drive(script)


def test_a_mistake_is_named_as_it_happens() -> None:
    async def script(app: Any, pilot: Any) -> None:
        app.manual.continue_from(guess_board())
        lucky = next(cell for cell in (Cell(0, 0), Cell(1, 0)) if not app.manual.game.mines[cell])
        app.board_widget.cursor = lucky
        await press(app, pilot, "space")
        assert "Needless risk: " in notes(app)
        assert "while 2 cells were safe" in notes(app)
        assert "1 mistake" in status(app)
        await press(app, pilot, "u")
        assert "mistake" not in status(app)
        assert "1 taken back" in status(app)

    drive(script)


def test_a_good_move_is_no_mistake() -> None:
    async def script(app: Any, pilot: Any) -> None:
        app.manual.continue_from(guess_board())
        app.board_widget.cursor = app.manual.analysis().mines[0]
        await press(app, pilot, "f")
        app.board_widget.cursor = app.manual.analysis().safe[0]
        await press(app, pilot, "space")
        assert app.manual.changes[-1].judged is not None
        assert not app.manual.mistakes

    drive(script)


@pytest.mark.parametrize("keys", [["ctrl+c"], ["question_mark", "ctrl+c"]])
def test_ctrl_c_ends_the_app_wherever_it_is(keys: list[str]) -> None:
    async def script(app: Any, pilot: Any) -> None:
        for key in keys:
            await pilot.press(key)
        assert app.stopped
        assert not app.is_running

    drive(script)


def test_keys_that_come_faster_than_the_answers_leave_nothing_undone() -> None:
    async def script(app: Any, pilot: Any) -> None:
        from textual import events

        for key in ("p", "a", "w", "s", "space", "q"):
            app.post_message(events.Key(key, key))
        async with asyncio.timeout(120):
            while app.is_running:
                await asyncio.sleep(0.01)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        drive(script, manual_game(size=Size(16, 30, 99)))
        gc.collect()
    assert not [str(one.message) for one in caught if "never awaited" in str(one.message)]


def test_a_single_mine_is_reported_in_the_singular() -> None:
    async def script(app: Any, pilot: Any) -> None:
        assert "1 mine left" in status(app)

    drive(script, manual_game(size=Size(4, 4, 1)))
