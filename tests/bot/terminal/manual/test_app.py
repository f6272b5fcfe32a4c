"""The screen of manual play, driven by textual's pilot: mouse, keys and agents."""

from __future__ import annotations

import asyncio
import gc
import warnings
from pathlib import Path
from typing import Any

import pytest

from solver.agents import Decision
from solver.arena.boards import Size
from solver.board import Board, Cell, Tile
from solver.errors import InconsistentBoard
from tests.bot.terminal.manual.piloting import drive, manual_play, notes, press, status


@pytest.mark.slow
def test_mouse_opens_flags_and_chords() -> None:
    async def script(app: Any, pilot: Any) -> None:
        width = app.board_widget.cell_width
        await pilot.click("#board", offset=(0 * width, 0))
        assert app.manual.board[Cell(0, 0)] == 0
        board, mines = app.manual.board, app.manual.game.mines
        mine = next(c for c in board.cells() if mines[c])
        await pilot.click("#board", offset=(mine.col * width + 1, mine.row), button=3)
        assert app.manual.board[mine] == Tile.FLAG
        number = next(c for c in board.neighbours(mine) if board[c] == 1)
        await pilot.click("#board", offset=(number.col * width, number.row), button=2)
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
def test_an_agent_plays_to_the_end_at_once_and_the_next_game_starts() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "e")
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
        async with asyncio.timeout(30):
            while not app.manual.game.started:
                await asyncio.sleep(0.01)
        await press(app, pilot, "p")
        assert "Stopped" in notes(app)
        stopped = app.manual.board
        await asyncio.sleep(0.3)
        assert app.manual.board == stopped

    drive(script, manual_play(size=Size(20, 20, 60)), step_s=0.2)


def test_an_agent_that_gives_up_says_so() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "e")
        assert app.manual.over or "gives up" in notes(app)

    game = manual_play("gac", Size(9, 9, 20), seed=1)
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
        await pilot.click("#board", offset=(3 * 29, 15))
        assert app.manual.board[Cell(15, 29)] == 0

    drive(script, manual_play(size=Size(16, 30, 99)), size=(80, 24))


@pytest.mark.slow
def test_saves_and_loads_at_the_prompt(tmp_path: Path) -> None:
    path = tmp_path / "my position.txt"

    async def type_in(app: Any, pilot: Any, key: str, text: str) -> None:
        await press(app, pilot, key)
        app.query_one("#prompt").value = text
        await press(app, pilot, "enter")

    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "s")
        saved = app.manual.board
        await type_in(app, pilot, "ctrl+s", str(path))
        assert "Saved" in notes(app)
        await press(app, pilot, "n")
        await type_in(app, pilot, "ctrl+o", f"{path} 12")
        assert "drawn at random" in notes(app)
        assert app.manual.board == saved.with_mines(12)
        await type_in(app, pilot, "ctrl+o", str(tmp_path / "none.txt"))
        assert "Cannot read" in notes(app)
        await press(app, pilot, "ctrl+o", "escape")
        assert not app.prompt_purpose
        await press(app, pilot, "q")

    drive(script)


def test_an_impossible_board_is_reported_on_the_screen(tmp_path: Path) -> None:
    async def script(app: Any, pilot: Any) -> None:
        app.manual.agent.decide = refuse
        await press(app, pilot, "a")
        assert "no layout fits" in notes(app)

    def refuse(board: Board) -> Decision:
        raise InconsistentBoard("On this board no layout fits.")

    drive(script)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (100, 40)])
def test_every_key_is_listed_and_reachable(size: tuple[int, int]) -> None:
    async def script(app: Any, pilot: Any) -> None:
        from bot.terminal.manual.screens import MANUAL_KEYS

        await press(app, pilot, "question_mark")
        shown = str(app.screen.query_one("#keys Static").render())
        assert all(key in shown for key, _ in MANUAL_KEYS)
        await press(app, pilot, "escape")
        bound = {key for binding in app.BINDINGS for key in binding.key.split(",")}
        listed = ", ".join(key for key, _ in MANUAL_KEYS)
        named = {"up", "down", "left", "right", "question_mark"}
        assert all(key in listed for key in bound - named)
        keys = app.query_one("Footer").query("FooterKey")
        assert sum(key.size.width for key in keys) <= size[0]
        assert {"?", "q"} <= {key.key_display for key in keys}

    drive(script, size=size)


@pytest.mark.slow
def test_another_key_clears_the_message_of_the_one_before() -> None:
    async def script(app: Any, pilot: Any) -> None:
        for key in ("h", "v", "question_mark", "y"):
            await press(app, pilot, "k")
            assert "Guesses are compared where" in notes(app)
            await press(app, pilot, "down")
            assert "Guesses are compared where" in notes(app), "its cells can be gone to"
            await press(app, pilot, key)
            assert "Guesses are compared where" not in notes(app)
            await press(app, pilot, "escape")
        await press(app, pilot, "e", "k")
        assert "Guesses are compared where" in notes(app)
        await press(app, pilot, "h")
        assert "Guesses are compared where" not in notes(app)
        assert "Press n for a new one" in notes(app), "that is still true"

    drive(script)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["ctrl+s", "ctrl+o"])
def test_the_prompt_offers_the_way_back_and_no_key_of_the_game(key: str) -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "space")
        played, agent = app.manual.board, app.manual.agent_name
        await press(app, pilot, key)
        await pilot.pause()
        assert [key.description for key in app.query("FooterKey")] == ["Back"]
        await press(app, pilot, "ctrl+z", "tab")
        assert (app.manual.board, app.manual.agent_name) == (played, agent)
        await press(app, pilot, "escape")
        await pilot.pause()
        shown = [key.description for key in app.query("FooterKey")]
        assert "Undo" in shown
        assert "Back" not in shown
        assert "Back" not in [one.title for one in app.get_system_commands(app.screen)]
        await press(app, pilot, "u")
        assert app.manual.board != played

    drive(script)


@pytest.mark.parametrize("keys", [["ctrl+c"], ["ctrl+s", "ctrl+c"], ["question_mark", "ctrl+c"]])
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

        for key in ("e", "a", "k", "w", "r", "s", "r", "q"):
            app.post_message(events.Key(key, key))
        async with asyncio.timeout(30):
            while app.is_running:
                await asyncio.sleep(0.01)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        drive(script, manual_play(size=Size(16, 30, 99)))
        gc.collect()
    assert not [str(one.message) for one in caught if "never awaited" in str(one.message)]


def test_a_single_mine_is_reported_in_the_singular() -> None:
    async def script(app: Any, pilot: Any) -> None:
        assert "1 mine left" in status(app)

    drive(script, manual_play(size=Size(4, 4, 1)))
