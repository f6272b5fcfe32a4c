"""The board editor on the screen of manual play."""

from __future__ import annotations

from typing import Any

import pytest

from solver.board import Board, Cell, Tile
from tests.bot.terminal.manual.piloting import drive, press


async def type_at_prompt(app: Any, pilot: Any, key: str, text: str, prompt: str) -> None:
    await press(app, pilot, key)
    app.screen.query_one(prompt).value = text
    await press(app, pilot, "enter")


def test_the_editor_offers_no_keys_of_the_game_behind_it() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "space")
        played = str(app.manual.board)
        await press(app, pilot, "d")
        shown = {key.description for key in app.screen.query("FooterKey")}
        assert "Paint" in shown
        assert not shown & {"Undo", "Flag", "Review", "Draw"}
        agent = app.manual.agent_name
        await press(app, pilot, "u", "f", "tab")
        assert str(app.manual.board) == played
        assert app.manual.agent_name == agent

    drive(script)


@pytest.mark.slow
def test_the_editor_paints_analyses_and_starts_a_game() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "d")
        editor = app.screen
        await type_at_prompt(app, pilot, "z", "3x3x1", "#editor-prompt")
        assert editor.position.board == Board.from_text("###\n###\n###", mines=1)
        await press(app, pilot, "1", "up", "left", "full_stop")
        assert str(editor.position.board) == "0##\n#1#\n###"
        assert "layouts fit" in str(editor.query_one("#editor-notes").render())
        await press(app, pilot, "down", "w")
        assert "certainly safe" in str(editor.query_one("#editor-notes").render())
        await press(app, pilot, "8")
        assert "fits" in str(editor.query_one("#editor-notes").render())
        await press(app, pilot, "enter")
        assert app.screen is editor, "an impossible board is not played"
        await press(app, pilot, "backspace")
        await type_at_prompt(app, pilot, "m", "2", "#editor-prompt")
        assert editor.position.board.mines == 2
        await type_at_prompt(app, pilot, "m", "many", "#editor-prompt")
        assert "not a whole number" in str(editor.query_one("#editor-notes").render())
        await press(app, pilot, "up", "number_sign", "a", "k", "h", "h")
        await type_at_prompt(app, pilot, "m", "1", "#editor-prompt")
        await press(app, pilot, "enter")
        assert app.screen is not editor
        assert str(app.manual.board) == "###\n#1#\n###"
        assert not app.manual.over

    drive(script)


def test_a_drawn_board_full_of_mines_is_a_message_not_a_crash() -> None:
    async def script(app: Any, pilot: Any) -> None:
        before = app.manual.board
        await press(app, pilot, "d")
        await type_at_prompt(app, pilot, "z", "3x3x2", "#editor-prompt")
        await type_at_prompt(app, pilot, "m", "9", "#editor-prompt")
        await press(app, pilot, "enter")
        assert app.manual.board == before
        await press(app, pilot, "space")

    drive(script)


@pytest.mark.slow
def test_the_mouse_paints_and_escape_returns_to_the_game() -> None:
    async def script(app: Any, pilot: Any) -> None:
        before = app.manual.board
        await press(app, pilot, "d", "3")
        await pilot.click("#board", offset=(0, 0))
        await pilot.click("#board", offset=(3, 0), button=3)
        board = app.screen.position.board
        assert board[Cell(0, 0)] == 3
        assert board[Cell(0, 1)] == Tile.HIDDEN
        await press(app, pilot, "x", "escape")
        assert app.manual.board == before

    drive(script)


def test_another_key_clears_the_message_of_the_one_before() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "d")
        told = app.screen.query_one("#editor-notes")
        await press(app, pilot, "k", "down")
        assert "Guesses are compared where" in str(told.render())
        await press(app, pilot, "h")
        assert "Guesses are compared where" not in str(told.render())

    drive(script)
