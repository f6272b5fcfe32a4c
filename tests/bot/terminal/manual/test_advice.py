"""What the screen of manual play says of a position: proposals, risks, proofs."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from solver.board import Board, Cell
from tests.bot.terminal.manual.piloting import drive, guess_board, notes, press


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
        assert "✓" in str(app.board_widget.render())

    drive(script)


@pytest.mark.slow
def test_heat_map_shows_every_risk_and_goes_again() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "s", "h")
        shown = str(app.board_widget.render())
        risks = app.manual.analysis().probabilities
        assert "✱" in shown or not (risks == 1).any()
        far = risks[~np.isnan(risks) & (risks > 0) & (risks < 1)]
        assert f"{100 * far[-1]:.0f}" in shown
        await press(app, pilot, "h")
        assert f"{100 * far[-1]:.0f} " not in str(app.board_widget.render())

    drive(script)


@pytest.mark.slow
def test_a_learned_agent_shows_how_it_rates_the_cells() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "s", "g")
        assert "does not rate cells" in str(app.message_lines)
        app.manual.choose_agent("dqn-window")
        await press(app, pilot, "g", "g")
        assert app.board_widget.values is not None
        assert "99" in str(app.board_widget.render())
        await press(app, pilot, "g")
        assert app.board_widget.values is None

    drive(script)


def side(app: Any) -> str:
    """Return the text of the side panel."""
    console = Console(file=io.StringIO(), width=60)
    console.print(app.query_one("#side").visual._renderable)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


@pytest.mark.slow
def test_the_agents_stand_side_by_side() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "s", "v")
        await app.workers.wait_for_complete()
        table = side(app)
        assert "tank" in table
        assert "gac" in table
        assert "safe" in table
        await pilot.resize_terminal(50, 24)
        await pilot.pause()
        assert not app.query_one("#side").has_class("shown")
        assert "gac" in notes(app)
        await press(app, pilot, "v")
        assert "gac" not in notes(app)

    drive(script, size=(120, 30), advisers=("tank", "gac"))


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


def test_guesses_are_compared() -> None:
    async def script(app: Any, pilot: Any) -> None:
        app.manual.continue_from(Board.from_text("##\n11", mines=1))
        await press(app, pilot, "k")
        assert notes(app).count("survives 50.0 %") == 2

    drive(script)
