"""Manual play: the sitting itself, and the screen through the library's own pilot."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bot.cli import main
from bot.errors import UsageError
from bot.manual import Sitting
from solver.agents import Decision, Move
from solver.arena.boards import Size
from solver.board import Board, Cell, Tile
from solver.errors import BadBoardText, InconsistentBoard, UnknownAgent
from solver.game import Rule, Status

textual = pytest.importorskip("textual", reason="needs the extra 'manual'")

SIZE = Size(8, 8, 10)


def sitting(agent: str = "tank", size: Size = SIZE, seed: int = 3) -> Sitting:
    return Sitting(size, rule=Rule.ZERO, seed=seed, agent=agent)


# ---- the sitting ---------------------------------------------------------------------------


def test_opens_flags_and_chords() -> None:
    game = sitting()
    game.open(Cell(0, 0))
    assert game.board[Cell(0, 0)] == 0
    mine = Cell(*np.argwhere(game.game.mines)[0].tolist())
    game.flag(mine)
    assert game.board[mine] == Tile.FLAG
    game.flag(mine)
    assert game.board[mine] == Tile.HIDDEN


def test_opening_a_number_chords() -> None:
    game = sitting()
    game.open(Cell(0, 0))
    mines = game.game.mines
    assert mines is not None
    board = game.board
    number = next(
        cell
        for cell in board.cells()
        if board[cell] > 0 and any(board[n] < 0 and not mines[n] for n in board.neighbours(cell))
    )
    for near in board.neighbours(number):
        if mines[near]:
            game.flag(near)
    game.open(number)
    assert all(game.board[near] != Tile.HIDDEN for near in board.neighbours(number))


def test_a_move_of_ones_own_drops_the_proposal() -> None:
    game = sitting()
    assert game.ask() is game.ask()
    game.flag(Cell(0, 1))
    assert game.proposal is None


def test_a_late_answer_to_an_older_board_is_not_taken() -> None:
    game = sitting()
    before = game.board
    game.flag(Cell(0, 1))
    assert not game.propose(before, Decision((), "too late", 0.0))
    assert game.proposal is None


def test_counts_the_agents_guesses_and_multiplies_their_chances() -> None:
    game = sitting("basic")
    game.play(Decision((Move(Cell(0, 0)),), "first", 0.8))
    assert (game.guesses, game.chance) == (0, 1.0)  # the rule protects the first click
    covered = next(c for c in game.board.cells() if game.board[c] < 0)
    game.play(Decision((Move(covered),), "guess", 0.5))
    assert (game.guesses, game.chance) == (1, 0.5)
    game.new_game()
    assert (game.guesses, game.seed) == (0, 4)


def test_goes_round_the_table_of_agents() -> None:
    game = sitting("tank")
    seen = [game.agent_name]
    while (name := game.neighbour_agent(1)) not in seen:
        game.choose(name)
        seen.append(name)
    assert "basic" in seen
    assert name == seen[0]
    with pytest.raises(UnknownAgent):
        game.choose("nobody")


def test_explains_a_guess_with_the_exact_risk_and_the_least_one() -> None:
    game = sitting("double-improved", Size(9, 9, 25))
    assert game.explain() == ["Ask an agent first."]
    game.open(Cell(4, 4))
    while game.ask().certain:
        game.play(game.ask())
    lines = game.explain()
    assert lines[0].startswith("double-improved: ")
    assert any("Exact risk at row" in line for line in lines)
    assert any("No cell has less" in line or "The least risk is" in line for line in lines)
    assert any("covered cells" in line or "No number touches it" in line for line in lines)


def test_explains_a_certain_move() -> None:
    game = sitting("tank")
    game.open(Cell(0, 0))
    assert game.ask().certain
    assert any("No layout of the mines left" in line for line in game.explain())


def test_a_saved_position_loads_again(tmp_path: Path) -> None:
    path = tmp_path / "position.txt"
    game = sitting()
    game.open(Cell(0, 0))
    game.flag(next(c for c in game.board.cells() if game.board[c] == Tile.HIDDEN))
    game.save(path)
    other = sitting(seed=99)
    other.load(path)
    assert other.board == game.board
    assert Board.from_text(path.read_text(), SIZE.mines) == game.board
    assert int(other.game.mines.sum()) == SIZE.mines  # type: ignore[union-attr]


def test_a_fresh_or_lost_position_loads_too(tmp_path: Path) -> None:
    path = tmp_path / "position.txt"
    path.write_text("F##\n###\n")
    game = sitting()
    game.load(path, 2)
    assert game.size == Size(2, 3, 2)
    assert game.board[Cell(0, 0)] == Tile.FLAG
    game.open(Cell(1, 2))
    assert game.game.started
    path.write_text("1X#\n11#\n")
    game.load(path, 1)
    assert game.game.status is Status.LOST
    assert game.analysis() is None


@pytest.mark.parametrize(
    ("text", "mines", "error"),
    [
        ("##\n##", None, UsageError),
        ("#1\n1", 1, BadBoardText),
        ("#1\n12", 1, InconsistentBoard),
        ("no board", 1, BadBoardText),
    ],
)
def test_refuses_a_position_that_cannot_be(
    tmp_path: Path, text: str, mines: int | None, error: type[Exception]
) -> None:
    path = tmp_path / "position.txt"
    path.write_text(text)
    game = sitting()
    before = game.board
    with pytest.raises(error):
        game.load(path, mines)
    assert game.board == before
    assert game.size == SIZE


def test_says_when_a_file_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Cannot read"):
        sitting().load(tmp_path / "none.txt")
    with pytest.raises(UsageError, match="Cannot write"):
        sitting().save(tmp_path / "none" / "position.txt")


# ---- the screen ----------------------------------------------------------------------------


def drive(
    script: Callable[[Any, Any], Awaitable[None]],
    game: Sitting | None = None,
    size: tuple[int, int] = (80, 24),
    step_s: float = 0.0,
) -> Sitting:
    """Run the screen and let ``script(app, pilot)`` press and click."""
    from bot.manual_app import ManualApp

    used = game or sitting()

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


def test_mouse_opens_flags_and_chords() -> None:
    async def script(app: Any, pilot: Any) -> None:
        width = app.view.cell_width
        await pilot.click("#board", offset=(0 * width, 0))
        assert app.sitting.board[Cell(0, 0)] == 0
        board, mines = app.sitting.board, app.sitting.game.mines
        mine = next(c for c in board.cells() if mines[c])
        await pilot.click("#board", offset=(mine.col * width + 1, mine.row), button=3)
        assert app.sitting.board[mine] == Tile.FLAG
        number = next(c for c in board.neighbours(mine) if board[c] == 1)
        await pilot.click("#board", offset=(number.col * width, number.row), button=2)
        board = app.sitting.board
        assert all(board[c] != Tile.HIDDEN for c in board.neighbours(number))

    drive(script)


def test_keys_move_open_and_flag() -> None:
    async def script(app: Any, pilot: Any) -> None:
        start = app.view.cursor
        await press(app, pilot, "up", "left", "left", "down", "right")
        assert app.view.cursor == Cell(start.row, start.col - 1)
        await press(app, pilot, *["up"] * 20, *["left"] * 20)
        assert app.view.cursor == Cell(0, 0)
        await press(app, pilot, "f")
        assert app.sitting.board[Cell(0, 0)] == Tile.FLAG
        await press(app, pilot, "space")
        assert not app.sitting.game.started, "a flag protects its cell"
        await press(app, pilot, "f", "enter")
        assert app.sitting.board[Cell(0, 0)] == 0

    drive(script)


def test_asking_shows_the_move_and_changes_nothing() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "a")
        assert not app.sitting.game.started
        assert app.sitting.proposal is not None
        assert app.view.cursor == app.sitting.proposal.moves[0].cell
        assert "tank: " in notes(app)
        await press(app, pilot, "s", "w")
        assert app.sitting.game.started
        assert "No layout of the mines left" in notes(app)
        assert "✓" in str(app.view.render())

    drive(script)


def test_an_agent_plays_to_the_end_at_once_and_the_next_game_starts() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "e")
        assert app.sitting.over
        assert "n starts the next one" in notes(app)
        result = app.sitting.game.status.value
        assert result in status(app)
        await press(app, pilot, "a", "s", "h")
        assert app.sitting.game.status.value == result
        await press(app, pilot, "n")
        assert not app.sitting.over
        assert "seed 4" in status(app)

    drive(script)


def test_an_agent_plays_on_step_by_step_until_stopped() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await pilot.press("p")
        async with asyncio.timeout(30):
            while not app.sitting.game.started:
                await asyncio.sleep(0.01)
        await press(app, pilot, "p")
        assert "Stopped" in notes(app)
        stopped = app.sitting.board
        await asyncio.sleep(0.3)
        assert app.sitting.board == stopped

    drive(script, sitting(size=Size(20, 20, 60)), step_s=0.2)


def test_an_agent_that_gives_up_says_so() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "e")
        assert app.sitting.over or "gives up" in notes(app)

    game = sitting("gac", Size(9, 9, 20), seed=1)
    drive(script, game)
    assert not game.over


def test_turns_to_the_next_agent_and_back() -> None:
    async def script(app: Any, pilot: Any) -> None:
        before = app.sitting.agent_name
        await press(app, pilot, "tab")
        assert app.sitting.agent_name != before
        assert app.sitting.agent_name in status(app)
        await press(app, pilot, "shift+tab")
        assert app.sitting.agent_name == before

    drive(script)


def test_heat_map_shows_every_risk_and_goes_again() -> None:
    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "s", "h")
        shown = str(app.view.render())
        risks = app.sitting.analysis().probabilities
        assert "✱" in shown or not (risks == 1).any()
        far = risks[~np.isnan(risks) & (risks > 0) & (risks < 1)]
        assert f"{100 * far[-1]:.0f}" in shown
        await press(app, pilot, "h")
        assert f"{100 * far[-1]:.0f} " not in str(app.view.render())

    drive(script)


def test_a_narrow_terminal_gets_narrow_cells() -> None:
    async def script(app: Any, pilot: Any) -> None:
        assert app.view.cell_width == 2
        await pilot.resize_terminal(120, 30)
        await pilot.pause()
        assert app.view.cell_width == 3
        await pilot.click("#board", offset=(3 * 29, 15))
        assert app.sitting.board[Cell(15, 29)] == 0

    drive(script, sitting(size=Size(16, 30, 99)), size=(80, 24))


def test_saves_and_loads_at_the_prompt(tmp_path: Path) -> None:
    path = tmp_path / "my position.txt"

    async def type_in(app: Any, pilot: Any, key: str, text: str) -> None:
        await press(app, pilot, key)
        app.query_one("#prompt").value = text
        await press(app, pilot, "enter")

    async def script(app: Any, pilot: Any) -> None:
        await press(app, pilot, "s")
        saved = app.sitting.board
        await type_in(app, pilot, "ctrl+s", str(path))
        assert "Saved" in notes(app)
        await press(app, pilot, "n")
        await type_in(app, pilot, "ctrl+o", f"{path} 12")
        assert "drawn anew" in notes(app)
        assert app.sitting.board == saved.with_mines(12)
        await type_in(app, pilot, "ctrl+o", str(tmp_path / "none.txt"))
        assert "Cannot read" in notes(app)
        await press(app, pilot, "ctrl+o", "escape")
        assert not app.asking
        await press(app, pilot, "q")

    drive(script)


def test_a_board_that_cannot_be_is_said_not_raised(tmp_path: Path) -> None:
    async def script(app: Any, pilot: Any) -> None:
        app.sitting.agent.decide = refuse
        await press(app, pilot, "a")
        assert "no layout fits" in notes(app)

    def refuse(board: Board) -> Decision:
        raise InconsistentBoard("On this board no layout fits.")

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

    monkeypatch.setitem(sys.modules, "bot.manual_app", None)
    assert main(["manual"]) != 0
    assert "pip install 'minebot[manual]'" in capsys.readouterr().err
