"""The state of manual play: answers that come late, and positions from files.

What the screen shows of it is in ``kept/manual.txt``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.commands.manual import Manual, manual_game_of
from bot.commands.parsing import default_config_path, parse
from bot.errors import UsageError
from bot.terminal.manual_game import ManualGame
from solver.agents import Decision
from solver.arena.boards import Size
from solver.board import Cell, Tile
from solver.game import Rule, Status

SIZE = Size(8, 8, 10)


def manual_game(seed: int = 3) -> ManualGame:
    return ManualGame(SIZE, rule=Rule.ZERO, seed=seed, agent="tank")


def test_a_move_by_the_player_discards_the_proposal_and_a_late_answer_is_ignored() -> None:
    game = manual_game()
    before = game.board
    assert game.ask() is game.ask()
    game.flag(Cell(0, 1))
    assert game.proposal is None
    assert not game.accept_proposal(before, Decision((), "too late", 0.0))
    assert game.proposal is None


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


# ---- the command ---------------------------------------------------------------------------------


def test_a_configured_mine_total_is_for_positions_only(tmp_path: Path) -> None:
    def size_of(*words: str) -> Size:
        _, found = parse(["manual", *words])
        assert isinstance(found, Manual)
        return manual_game_of(found).size

    position = tmp_path / "position.txt"
    position.write_text("##\n##\n")
    default_config_path().parent.mkdir(parents=True, exist_ok=True)
    default_config_path().write_text("[common]\nmines = 1\n")
    assert size_of() == Size(16, 16, 40)
    assert size_of("--load", str(position)).mines == 1
    assert size_of("--load", str(position), "--size", "2x2x2").mines == 2
    with pytest.raises(UsageError):
        size_of("--mines", "3")
