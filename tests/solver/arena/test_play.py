"""Games, their multiplied chances, and the sweep's game that goes on after a mine."""

import random

import numpy as np
import pytest

from solver.agents import Decision, Move, make_agent
from solver.arena.boards import BoardSet, Size
from solver.arena.matches import (
    Match,
    PlayedGame,
    compare,
    draw_layout,
    play_game,
    play_match,
    standing,
)
from solver.arena.sweep import OpenEndedGame, Sweep, play_out, play_sweep
from solver.board import Board, Cell, Tile
from solver.errors import AgentFailed, BadMineTotal, InconsistentBoard
from solver.game import Game, Rule, Status


class Scripted:
    """Opens given cells one after the other, each called a guess."""

    name = "scripted"

    def __init__(self, *cells: tuple[int, int]) -> None:
        self.cells = list(cells)

    def decide(self, board: Board) -> Decision:
        if not self.cells:
            return Decision((), "out of cells", 0.0)
        return Decision((Move(Cell(*self.cells.pop(0))),), "next", 0.5)


def laid(rows: int, cols: int, mines: int, rule: Rule = Rule.NONE) -> Game:
    """Lay out a game whose first cells are mines."""
    return Game(rows, cols, mines, rule=rule, order=range(rows * cols))


def test_what_a_played_game_counts() -> None:
    played = play_game(Scripted((1, 0), (1, 1), (0, 0)), laid(2, 3, 2, Rule.SAFE))
    assert (played.won, played.gave_up, played.chance) == (False, False, None)
    assert (played.guesses, played.opened) == (2, 2 / 4)
    for rule, guesses in ((Rule.NONE, 1), (Rule.SAFE, 0)):  # the first click may be protected
        assert play_game(Scripted((1, 2)), laid(2, 3, 1, rule)).guesses == guesses
    given_up = play_game(Scripted((1, 2)), laid(2, 3, 1), rng=random.Random(0))
    assert (given_up.gave_up, given_up.chance) == (True, 0)
    play_game(Scripted(), game := laid(3, 3, 2), first=Cell(2, 2))
    assert game.board[Cell(2, 2)] >= 0, "a prescribed first cell is opened first"
    with pytest.raises(AgentFailed, match="scripted changed nothing"):
        play_game(Scripted((1, 2), (1, 2)), laid(2, 3, 1))


def test_a_drawn_layout_fits_the_numbers_and_spares_the_safe_cell() -> None:
    board = Board.from_text("1##\n###\n###", 3)
    drawn = [draw_layout(board, safe=Cell(1, 1), rng=random.Random(k)) for k in range(60)]
    assert {(int(one.sum()), bool(one[1, 1])) for one in drawn} == {(3, False)}
    assert {int(one[:2, :2].sum()) for one in drawn} == {1}
    assert len({one.tobytes() for one in drawn}) > 10
    with pytest.raises(BadMineTotal):
        draw_layout(Board.from_text("1#"), rng=random.Random(0))
    with pytest.raises(InconsistentBoard):
        draw_layout(Board.from_text("1#", 1), safe=Cell(0, 1), rng=random.Random(0))


def test_a_game_goes_on_from_a_position() -> None:
    mines = np.array([[False, False, True], [False, False, False]])
    game = Game.from_position(Board.from_text("01#\n01#", 1), mines)
    game.open(Cell(1, 2))
    assert game.status is Status.WON
    with pytest.raises(InconsistentBoard):
        Game.from_position(Board.from_text("02#\n01#", 1), mines)
    lost = Game.from_position(Board.from_text("01X\n01#", 1), mines)
    assert lost.status is Status.LOST


def test_matches_are_reproducible_and_compared() -> None:
    match = Match(BoardSet(Size(6, 6, 7), Rule.SAFE, seed=4), ("basic", "gac"), 20, seed=3)
    games, twice = play_match(match), play_match(match)
    assert [g.chance for g in games["basic"]] == [g.chance for g in twice["basic"]]
    alone = play_match(Match(match.boards, ("gac",), 20, seed=3))
    assert [g.won for g in alone["gac"]] == [g.won for g in games["gac"]]
    line = standing("gac", games["gac"])
    assert line.gave_up + line.wins == line.games == 20
    wins, chances = compare(games["basic"], games["gac"])
    difference = (sum(g.won for g in games["basic"]) - line.wins) / 20
    assert wins.difference.value == pytest.approx(difference)
    assert chances is not None
    assert standing("basic", []).opened_before_loss is None
    won, lost = (PlayedGame(x, False, 1, 1.0 if x else 0.25, 0.0) for x in (True, False))
    assert standing("any", [won, lost, lost]).opened_before_loss == 0.25


def test_the_sweep_counts_mines_found_and_mines_stepped_on() -> None:
    for seed in range(20):
        game = OpenEndedGame(
            5, 5, 8, rule=Rule.NONE, order=random.Random(seed).sample(range(25), 25)
        )
        found, stepped = play_out(make_agent("double-improved", seed=seed), game)
        assert found + stepped == 8
        assert game.mines is not None
        flags = game.board.tiles == Tile.FLAG
        assert (flags <= game.mines).all()
        assert int((game.board.tiles >= 0).sum()) == 17


def test_a_sweep_goes_on_after_a_mine_and_an_agent_may_leave_mines_unidentified() -> None:
    game = OpenEndedGame(2, 2, 2, rule=Rule.NONE, order=[0, 1, 2, 3])
    game.open(Cell(0, 0))
    assert game.status is Status.PLAYING
    game.open(Cell(1, 0))
    assert (game.board[Cell(0, 0)], game.board[Cell(1, 0)]) == (Tile.EXPLODED, 2)
    for *shape, order, left in ((1, 3, [1, 0, 2], (1, 0)), (2, 2, [3, 0, 1, 2], (0, 0))):
        stuck = OpenEndedGame(*shape, 1, rule=Rule.NONE, order=order)
        assert play_out(make_agent("gac"), stuck) == left
    sweep = Sweep(6, 6, (0.1, 0.3), 8, ("basic", "single-improved"))
    points = play_sweep(sweep)
    found = [(p.agent, p.density, p.mines) for p in points]
    assert found == [(name, *one) for name in sweep.agents for one in ((0.1, 4), (0.3, 11))]
    for point in points:
        assert len(point.scores) == 8
        assert min(point.scores) >= 0
        assert point.score.value == pytest.approx(sum(point.scores) / 8)
