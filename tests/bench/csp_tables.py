"""The thesis's chapter 5 again: tables 5.1 to 5.3, and the share of right decisions.

python -m tests.bench.csp_tables [--games 500] [--first zero] [--weights FILE]
"""

import argparse

import numpy as np

from solver.agents import make_agent
from solver.arena.boards import BoardSet, Size
from solver.arena.games import is_guess, turns_of
from solver.arena.statistics import mean_estimate, wilson
from solver.arena.training import StuckPositions
from solver.board import Cell
from solver.game import Rule, Status
from solver.learning.nets import middle_values, stuck_values
from solver.learning.weights import agent_weights, weights_file

SIZES = ("9x9x10", "16x16x40", "16x30x85")
POSITIONS = 300
UNSEEN = 77
"""A seed of positions that no shipped network was trained on."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--first", default="zero", choices=[rule.value for rule in Rule])
    parser.add_argument("--weights", default="")
    args = parser.parse_args()
    rule = Rule(args.first)
    learned = f"csp-dqn:weights={weights_file('csp-dqn', args.weights)}"
    for size in SIZES:
        for name in ("gac", "contradiction", learned):
            play(Size.parse(size), rule, name, args.games)
        decide(Size.parse(size), rule, args.weights)


def play(size: Size, rule: Rule, name: str, count: int) -> None:
    """Print a row of tables 5.1 to 5.3."""
    boards = BoardSet(size, rule, seed="thesis")
    wins, asked, right, opened = 0, 0, 0, []
    for number in range(count):
        game = boards.game(number)
        for _, decision in turns_of(make_agent(name, rule=rule), game):
            if is_guess(game, decision):
                asked += 1
                right += not mined(game.mines, decision.moves[0].cell)
        wins += game.status is Status.WON
        if game.status is not Status.WON:
            assert game.mines is not None
            opened.append(float((game.board.open & ~game.mines).sum() / (~game.mines).sum()))
    rate, before = wilson(wins, count), mean_estimate(opened)
    print(
        f"{size} {rule.value} {name.partition(':')[0]:14} won {rate.value:.1%} ({rate.low:.1%} to "
        f"{rate.high:.1%}); open before a loss {before.value:.0%}; asked {asked}, right "
        f"{right / max(1, asked):.1%}"
    )


def mined(mines: np.ndarray | None, cell: Cell) -> bool:
    assert mines is not None
    return bool(mines[cell])


def decide(size: Size, rule: Rule, weights: str) -> None:
    """Print how often the network decides an unseen stuck position rightly: open or flag."""
    about, arrays = agent_weights(weights_file("csp-dqn", weights), "stuck")
    source = StuckPositions(size, rule, UNSEEN)
    found = [source(number) for number in range(POSITIONS)]
    less = about.get("less_mines")
    codes = np.stack([one.less if less else one.codes for one in found])
    flags = middle_values(stuck_values(arrays, codes)).argmax(1) == 1
    mine = np.array([one.mine for one in found])
    rate = wilson(int((flags == mine).sum()), POSITIONS)
    print(
        f"{size} right decisions on {POSITIONS} unseen stuck positions: {rate.value:.1%} "
        f"({rate.low:.1%} to {rate.high:.1%}); mines among them {mine.mean():.1%}"
    )


if __name__ == "__main__":
    main()
