"""The state of manual play: the player's moves, the agent's proposals, positions."""

import re
from pathlib import Path

import numpy as np
import pytest

from bot.errors import UsageError
from bot.terminal.manual_game import ManualGame
from solver.agents import Decision, Move
from solver.arena.boards import Size
from solver.board import Cell, Tile
from solver.errors import BadBoardText, BadMineTotal, InconsistentBoard, UnknownAgent
from solver.game import Rule, Status

SIZE = Size(8, 8, 10)


def manual_game(agent: str = "tank", size: Size = SIZE, seed: int = 3) -> ManualGame:
    return ManualGame(size, rule=Rule.ZERO, seed=seed, agent=agent)


def test_opening_a_number_chords() -> None:
    game = manual_game()
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


def test_a_move_by_the_player_discards_the_proposal_and_a_late_answer_is_ignored() -> None:
    game = manual_game()
    before = game.board
    assert game.ask() is game.ask()
    game.flag(Cell(0, 1))
    assert game.proposal is None
    assert not game.accept_proposal(before, Decision((), "too late", 0.0))
    assert game.proposal is None


def test_counts_the_agents_guesses_and_multiplies_their_chances() -> None:
    game = manual_game("basic")
    game.make_moves(Decision((Move(Cell(0, 0)),), "first", 0.8))
    assert (game.guesses, game.chance) == (0, 1.0)  # the rule protects the first click
    covered = next(c for c in game.board.cells() if game.board[c] < 0)
    game.make_moves(Decision((Move(covered),), "guess", 0.5))
    assert (game.guesses, game.chance) == (1, 0.5)
    game.new_game()
    assert (game.guesses, game.seed) == (0, 4)


def test_goes_through_all_agents_and_starts_over() -> None:
    game = manual_game("tank")
    seen = [game.agent_name]
    while (name := game.agent_after(1)) not in seen:
        game.choose_agent(name)
        seen.append(name)
    assert "basic" in seen
    assert name == seen[0]
    with pytest.raises(UnknownAgent):
        game.choose_agent("nobody")


def test_explains_a_guess_with_the_exact_risk_and_the_least_one() -> None:
    game = manual_game("double-improved", Size(9, 9, 25))
    assert game.explain() == ["Ask an agent first."]
    game.open(Cell(4, 4))
    while game.ask().certain:
        game.make_moves(game.ask())
    lines = game.explain()
    assert lines[0].startswith("double-improved: ")
    assert any("Exact risk at row" in line for line in lines)
    assert any("No cell has a lower risk" in line or "The lowest risk is" in line for line in lines)


def test_a_position_loads_again(tmp_path: Path) -> None:
    path = tmp_path / "position.txt"
    game = manual_game()
    game.open(Cell(0, 0))
    game.flag(next(c for c in game.board.cells() if game.board[c] == Tile.HIDDEN))
    path.write_text(f"{game.board}\n")
    other = manual_game(seed=99)
    other.load(path)
    assert other.board == game.board
    assert int(other.game.mines.sum()) == SIZE.mines  # type: ignore[union-attr]


def test_a_fresh_or_lost_position_loads_too(tmp_path: Path) -> None:
    path = tmp_path / "position.txt"
    path.write_text("F##\n###\n")
    game = manual_game()
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
        ("##\n##", 5, BadMineTotal),
        (None, None, UsageError),
    ],
)
def test_refuses_a_position_that_cannot_be(
    tmp_path: Path, text: str | None, mines: int | None, error: type[Exception]
) -> None:
    path = tmp_path / "position.txt"
    if text is not None:
        path.write_text(text)
    game = manual_game()
    before = game.board
    with pytest.raises(error, match=re.escape(str(path))):
        game.load(path, mines)
    assert game.board == before
    assert game.size == SIZE


def test_every_change_can_be_taken_back_and_a_loss_is_explained() -> None:
    game = manual_game()
    game.open(Cell(0, 0))
    opened, mines = game.board, game.game.mines
    assert mines is not None
    game.open(Cell(*np.argwhere(mines)[0].tolist()))
    assert game.over
    game.changes[-1].judge()
    assert game.end_sentence().startswith("The game is lost by ")
    game.undo()
    assert (game.board, game.undone, game.mistakes) == (opened, 1, ())
    game.make_moves(game.ask())
    game.undo()
    assert game.board == opened
    game.undo()
    assert not game.undo()
