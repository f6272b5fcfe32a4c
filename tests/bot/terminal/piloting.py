"""Drive the screen of manual play with textual's pilot."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bot.terminal.manual_game import ManualGame
from solver.arena.boards import Size
from solver.board import Board
from solver.game import Rule

textual = pytest.importorskip("textual", reason="needs the extra 'manual'")


SIZE = Size(8, 8, 10)


def manual_game(agent: str = "tank", size: Size = SIZE, seed: int = 3) -> ManualGame:
    return ManualGame(size, rule=Rule.ZERO, seed=seed, agent=agent)


def drive(
    script: Callable[[Any, Any], Awaitable[None]],
    game: ManualGame | None = None,
    size: tuple[int, int] = (80, 24),
    step_s: float = 0.0,
) -> ManualGame:
    """Run the screen and let ``script(app, pilot)`` press and click."""
    from bot.terminal.manual_app import ManualApp

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


def notes(app: Any) -> str:
    return str(app.query_one("#notes").render())


def status(app: Any) -> str:
    return str(app.query_one("#status").render())


def guess_board() -> Board:
    """A board with two even guesses at the left, two mines, and two safe cells at the right."""
    return Board.from_text("#102##\n#102##", mines=3)
