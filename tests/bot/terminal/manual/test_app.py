"""The screen of manual play, driven by textual's pilot, and its command."""

import asyncio
import io
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from bot.cli import main
from bot.terminal.manual.play import ManualPlay
from solver.agents import Decision
from solver.arena.boards import Size
from solver.board import Board, Cell, Tile
from solver.errors import InconsistentBoard
from solver.game import Rule

textual = pytest.importorskip("textual", reason="needs the extra 'manual'")

SIZE = Size(8, 8, 10)


def manual_play(agent: str = "tank", size: Size = SIZE, seed: int = 3) -> ManualPlay:
    return ManualPlay(size, rule=Rule.ZERO, seed=seed, agent=agent)


def drive(
    script: Callable[[Any, Any], Awaitable[None]],
    game: ManualPlay | None = None,
    size: tuple[int, int] = (80, 24),
    step_s: float = 0.0,
    advisers: tuple[str, ...] = (),
) -> ManualPlay:
    """Run the screen and let ``script(app, pilot)`` press and click."""
    from bot.terminal.manual.app import ManualApp

    used = game or manual_play()

    async def run() -> None:
        app = ManualApp(used, step_s=step_s, advisers=advisers)
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


def side(app: Any) -> str:
    """Return the text of the side panel."""
    console = Console(file=io.StringIO(), width=60)
    console.print(app.query_one("#side").visual._renderable)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def guess_board() -> Board:
    """A board with two even guesses at the left, two mines, and two safe cells at the right."""
    return Board.from_text("#102##\n#102##", mines=3)


async def type_at_prompt(app: Any, pilot: Any, key: str, text: str, prompt: str) -> None:
    await press(app, pilot, key)
    app.screen.query_one(prompt).value = text
    await press(app, pilot, "enter")


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
        assert "was certainly safe" in notes(app)
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


@pytest.mark.parametrize("size", [(80, 24), (100, 40)])
def test_every_key_is_listed_and_reachable(size: tuple[int, int]) -> None:
    async def script(app: Any, pilot: Any) -> None:
        from bot.terminal.manual.view import KEYS

        await press(app, pilot, "question_mark")
        shown = str(app.screen.query_one("#keys Static").render())
        assert all(key in shown for key, _ in KEYS)
        await press(app, pilot, "escape")
        bound = {key for binding in app.BINDINGS for key in binding.key.split(",")}
        listed = ", ".join(key for key, _ in KEYS)
        named = {"up", "down", "left", "right", "question_mark"}
        assert all(key in listed for key in bound - named)
        keys = app.query_one("Footer").query("FooterKey")
        assert sum(key.size.width for key in keys) <= size[0]
        assert {"?", "q"} <= {key.key_display for key in keys}

    drive(script, size=size)


def test_the_editor_offers_no_keys_of_the_game_behind_it() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "space")
        played = str(app.manual.board)
        await press(app, pilot, "d")
        shown = {key.description for key in app.screen.query("FooterKey")}
        assert "Paint" in shown
        assert not shown & {"Undo", "Flag", "Review", "Draw"}
        await press(app, pilot, "u", "f")
        assert str(app.manual.board) == played

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


# ---- the command ---------------------------------------------------------------------------


def test_the_command_needs_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["manual", "--size", "beginner"]) == 2
    assert "needs a terminal" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--size", "9x9"], ["--agent", "nobody"], ["--first", "kind"]])
def test_the_command_refuses_what_it_cannot_play(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["manual", *words]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_the_command_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "bot.terminal.manual.app", None)
    assert main(["manual"]) != 0
    assert "pip install 'minebot[manual]'" in capsys.readouterr().err
