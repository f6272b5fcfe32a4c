"""The screen of manual play, driven by textual's pilot: mouse, keys and agents."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bot.commands.manual import run_until_stopped
from bot.terminal.manual_game import ManualGame
from solver.agents import Decision
from solver.arena.boards import Size
from solver.board import Board, Cell
from solver.errors import InconsistentBoard
from solver.game import Rule

pytest.importorskip("textual", reason="needs the extra 'manual'")

from textual import events

from bot.terminal.manual_app import ManualApp

SIZE = Size(8, 8, 10)


def manual_game(agent: str = "tank", size: Size = SIZE, seed: int = 3) -> ManualGame:
    return ManualGame(size, rule=Rule.ZERO, seed=seed, agent=agent)


def continued(board: str, mines: int, agent: str = "tank") -> ManualGame:
    game = manual_game(agent)
    game.continue_from(Board.from_text(board, mines=mines))
    return game


def drive(
    script: Callable[[Any, Any], Awaitable[None]],
    game: ManualGame | None = None,
    size: tuple[int, int] = (80, 24),
    step_s: float = 0.0,
) -> ManualGame:
    """Run the screen and let ``script(app, pilot)`` press and click."""
    used = game or manual_game()

    async def run() -> None:
        app = ManualApp(used, step_s=step_s)
        async with app.run_test(size=size) as pilot:
            await script(app, pilot)

    asyncio.run(run())
    return used


async def press(app: Any, pilot: Any, *keys: str) -> None:
    """Press keys one by one, each once the agent has answered the one before."""
    for key in keys:
        await pilot.press(key)
        await app.workers.wait_for_complete()
        await pilot.pause()


def text_of(app: Any, name: str) -> str:
    return "\n".join(map(str.rstrip, str(app.query_one(name).render()).split("\n")))


# ---- what the screen shows after each key --------------------------------------------------------

START = {
    "a new game": manual_game,
    # Two even guesses at the left, two mines, and two safe cells at the right.
    "a guess beside safe cells": lambda: continued("#102##\n#102##", 3),
    "a guess": lambda: continued("##1\n##1", 2, "double-improved"),
    "a guess that is not the best": lambda: continued("##3##\n#####", 4, "basic"),
    "an agent that gives up": lambda: manual_game("gac", Size(9, 9, 20), seed=1),
    "one mine": lambda: manual_game(size=Size(4, 4, 1)),
}
SCRIPTS = (
    ("a new game", "up left left f space f space up"),
    ("a new game", "a s w"),
    ("a new game", "p a s h n"),
    ("a new game", "tab shift+tab tab down h p h"),
    ("a guess beside safe cells", "h h"),
    ("a guess beside safe cells", "a @1,5 w f"),
    ("a guess beside safe cells", "@lucky space u"),
    ("a guess beside safe cells", "@1,5 f @1,6 space u u u"),
    ("a guess beside safe cells", "@1,5 f @2,5 f @1,6 space space"),
    ("a guess beside safe cells", "@1,5 space u"),
    ("a guess", "@1,3 w a w s"),
    ("a guess that is not the best", "a @1,3 w"),
    ("an agent that gives up", "p"),
    ("one mine", "h"),
)


@pytest.mark.slow
def test_what_the_screen_shows_after_each_key(compare: Callable[[str, str], None]) -> None:
    """``@ROW,COL`` moves the cursor to a cell, ``@lucky`` to the guess without a mine."""
    shown = list[str]()

    async def script(app: Any, pilot: Any) -> None:
        for key in keys.split():
            if key.startswith("@"):
                mines = app.manual.game.mines
                lucky = Cell(0, 0) if mines is None or not mines[0, 0] else Cell(1, 0)
                row, col = (lucky.row + 1, 1) if key == "@lucky" else map(int, key[1:].split(","))
                app.board_widget.cursor = Cell(row - 1, col - 1)
                continue
            await press(app, pilot, key)
            proof = app.board_widget.proof
            parts = (f"-- {key}, the cursor at {app.board_widget.cursor.place}",)
            shown.extend((*parts, *(text_of(app, part) for part in ("#status", "#notes"))))
            shown.extend([f"proof: {sorted(proof.numbers)}"] if proof else [])
            shown.extend([text_of(app, "#board")] if key in "hfu" else [])

    for name, keys in SCRIPTS:
        shown.append(f"== {name}: {keys}")
        game = drive(script, START[name]())
        shown.append(f"mistakes: {[str(one) for one in game.mistakes]}\n{game.board}\n")
    compare("manual", "\n".join(shown))


# ---- mouse and terminal --------------------------------------------------------------------------


@pytest.mark.slow
def test_mouse_opens_flags_and_chords() -> None:
    async def script(app: Any, pilot: Any) -> None:
        for cell, button in (((0, 4), 3), ((1, 4), 3), ((0, 5), 1), ((0, 5), 2)):
            x, y, *_ = app.board_widget.place_of(Cell(*cell))
            await pilot.click("#board", offset=(x, y), button=button)

    game = drive(script, continued("#102##\n#102##", 3))
    assert game.board.text_rows() == ["#102F2", "#102F2"]


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
        await press(app, pilot, *["up"] * 20, *["left"] * 40)
        assert app.board_widget.cursor == Cell(0, 0), "the cursor stays on the board"

    drive(script, manual_game(size=Size(16, 30, 99)), size=(80, 24))


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


# ---- agents at work ------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_agent_plays_on_step_by_step_until_stopped() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await pilot.press("p")
        async with asyncio.timeout(120):
            while not app.manual.game.started:
                await asyncio.sleep(0.01)
        await press(app, pilot, "p")
        assert "Stopped" in text_of(app, "#notes")
        stopped = app.manual.board
        await asyncio.sleep(0.3)
        assert app.manual.board == stopped

    drive(script, manual_game(size=Size(20, 20, 60)), step_s=0.2)


def test_an_impossible_board_is_reported_on_the_screen() -> None:
    def refuse(board: Board) -> Decision:
        raise InconsistentBoard("On this board no layout fits.")

    async def script(app: Any, pilot: Any) -> None:
        app.manual.agent.decide = refuse
        await press(app, pilot, "a")
        assert "no layout fits" in text_of(app, "#notes")

    drive(script)


@pytest.mark.parametrize("keys", [["ctrl+c"], ["question_mark", "ctrl+c"]])
def test_ctrl_c_ends_the_app_wherever_it_is(keys: list[str]) -> None:
    async def script(app: Any, pilot: Any) -> None:
        for key in keys:
            await pilot.press(key)
        assert app.stopped
        assert not app.is_running

    drive(script)


def test_only_ctrl_c_counts_as_stopped_by_the_user() -> None:
    def run(key: str) -> None:
        class Piloted(ManualApp):
            async def run_async(self, **_: Any) -> None:
                await super().run_async(headless=True, auto_pilot=lambda pilot: pilot.press(key))

        asyncio.run(run_until_stopped(Piloted(manual_game(size=Size(4, 4, 2)))))

    run("q")
    with pytest.raises(KeyboardInterrupt):
        run("ctrl+c")


def test_keys_that_come_faster_than_the_answers_leave_nothing_undone() -> None:
    async def script(app: Any, pilot: Any) -> None:
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
