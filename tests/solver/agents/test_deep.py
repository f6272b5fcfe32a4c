"""The strong agent wins what can be won, and guesses where a guess can teach something."""

import itertools
import random

import numpy as np
import pytest

from solver.agents import make_agent
from solver.agents.deep import HOW
from solver.analysis import analyse, number_chances
from solver.arena.matches import play_game
from solver.board import Board, Cell, Tile
from solver.engine.calls import Method
from solver.game import Game, Rule, Status
from solver.levels import SearchLimits


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "rule", "optimum"),
    [
        (3, 3, 2, Rule.SAFE, 6 / 7),
        (3, 3, 2, Rule.NONE, 2 / 3),
        (2, 5, 3, Rule.SAFE, 0.25),
        (2, 5, 3, Rule.NONE, 0.175),
        (4, 4, 2, Rule.ZERO, 1.0),
    ],
)
def test_wins_the_optimum_over_all_layouts(
    rows: int, cols: int, mines: int, rule: Rule, optimum: float
) -> None:
    """Play every layout; a protected first click weighs the layouts it allows alike."""
    agent = make_agent("deep", rule=rule)
    first = agent.decide(Board(np.full((rows, cols), Tile.HIDDEN), mines)).moves[0].cell
    blank = Board(np.full((rows, cols), Tile.HIDDEN))
    spared = {cell[0] * cols + cell[1] for cell in rule.spared(blank, first)}
    won = played = 0
    for layout in itertools.combinations(range(rows * cols), mines):
        if spared & set(layout):
            continue
        rest = [cell for cell in range(rows * cols) if cell not in layout]
        game = Game(rows, cols, mines, rule=rule, order=[*layout, *rest])
        won += play_game(agent, game).won
        played += 1
    assert won / played == pytest.approx(optimum)


def test_dead_cells_are_left_alone() -> None:
    """Where a living cell exists, no guess goes to one that can show a single number.

    Guesses that can never be settled are made at once, dead or not.
    """
    agent = make_agent("deep", limit=SearchLimits(layouts=1))
    apart = HOW[Method.INDEPENDENT]
    rng = random.Random(4)
    guesses = 0
    for seed in range(8):
        game = Game.random(9, 9, 17, seed=seed)
        game.open(Cell(rng.randrange(9), rng.randrange(9)))
        while game.status is Status.PLAYING:
            board = game.board
            decision = agent.decide(board)
            if not decision.certain and not decision.reason.startswith(apart):
                guesses += 1
                covered = [cell for cell in board.cells() if board.covered[cell]]
                living = [c for c in covered if (number_chances(board, c) > 0).sum() > 1]
                assert not living or decision.moves[0].cell in living
            for move in decision.moves:
                game.open(move.cell)
    assert guesses > 5


@pytest.mark.slow
def test_where_looking_ahead_takes_too_much_memory_the_least_risk_is_opened() -> None:
    """The count itself just fits: every second cell of every second row shows a 1."""
    side = 21
    rows = ["".join("1" if r % 2 and c % 2 else "#" for c in range(side)) for r in range(side)]
    board = Board.from_text("\n".join(rows), 40)
    decision = make_agent("deep").decide(board)
    assert "so large a board" in decision.reason
    known = analyse(board).probabilities
    assert known[decision.moves[0].cell] == pytest.approx(np.nanmin(known))
