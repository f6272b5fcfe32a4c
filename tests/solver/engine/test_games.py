"""Whole games inside the engine: the same as turn by turn, and their products of chances."""

import random
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from solver.agents import make_agent
from solver.analysis import analyse
from solver.arena.boards import BoardSet, Size, read_boards
from solver.arena.matches import play_game, play_in_engine
from solver.board import Cell
from solver.engine import calls
from solver.engine.calls import Method, PolicyKind
from solver.game import Game, Rule
from solver.levels import LEVELS, SearchLimits

BOARDS = sorted((Path(__file__).parents[3] / "fixtures" / "boards").glob("*.json"))


@pytest.mark.parametrize("player", ["tank", "glance", "deep:think=none", "deep"])
@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_games_are_the_same_in_the_engine_and_turn_by_turn(path: Path, player: str) -> None:
    boards = read_boards(path)
    agent = make_agent(player, rule=boards.rule)
    first = boards.first or Cell(0, 0)
    for number in range(len(boards) if player in ("tank", "glance") else 6):
        rng = [random.Random(number) for _ in range(2)]
        slow = play_game(agent, boards.game(number), first=first, rng=rng[0])
        swift = play_in_engine(agent, boards.game(number), first=first, rng=rng[1])
        assert slow.chance is not None
        assert swift.chance is not None
        if slow.won:
            assert swift.chance == pytest.approx(slow.chance)
        else:  # what comes after a fatal guess is drawn
            assert 0 < swift.chance <= 1
        assert replace(swift, seconds=0, chance=0) == replace(slow, seconds=0, chance=0)


@pytest.mark.parametrize("player", [PolicyKind.TANK, PolicyKind.GLANCE, PolicyKind.DEEP])
def test_survival_product_averages_to_the_share_of_wins(player: PolicyKind) -> None:
    """Over every layout of a board the products of the chances survived average to the wins."""
    size = Size(3, 3, 2)
    wins, chances = [], []
    for pair in combinations(range(1, 9), size.mines):
        game = BoardSet(
            size, Rule.SAFE, orders=[[*pair, *(c for c in range(9) if c not in pair)]]
        ).game(0)
        mined = game.lay(Cell(0, 0))
        for seed in range(20):
            played = calls.play(mined, (0, 0), player, SearchLimits(layouts=1), seed)
            wins.append(played.won)
            chances.append(played.chance)
    spread = np.std(chances) / len(chances) ** 0.5
    assert abs(np.mean(chances) - np.mean(wins)) < 5 * spread + 1e-12
    assert np.std(chances) < np.std(wins)


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "method"),
    [
        (19, 10, 71, Method.LOOK_AHEAD),
        (18, 9, 72, Method.LOOK_AHEAD),
        (16, 16, 60, Method.ROLL_OUTS),
    ],
)
def test_guesses_are_not_rolled_out_where_next_to_nothing_can_be_won(
    rows: int, cols: int, mines: int, method: Method
) -> None:
    """It took a second a game on dense boards."""
    games = [Game.random(rows, cols, mines, seed=seed) for seed in range(20)]
    methods = set()
    for game in games:
        game.open(Cell(0, 0))
        if not analyse(game.board).safe:
            tiles = game.board.tiles
            guess = calls.decide(tiles, mines, PolicyKind.DEEP, LEVELS["brief"])
            methods.add(guess.method)
    assert methods == {method}
