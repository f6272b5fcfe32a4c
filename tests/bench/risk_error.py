"""The error of `risk-net`'s risks against the exact ones, as a figure.

python -m tests.bench.risk_error OUT.png [--boards 100] [--size 16x30x99] [--weights FILE]
"""

import argparse
from pathlib import Path

import numpy as np

from solver.agents import RatesCells, make_agent
from solver.analysis import analyse
from solver.arena.boards import BoardSet, Size
from solver.arena.charts import pyplot, save_figure
from solver.arena.games import turns_of
from solver.board import Board, count_neighbours
from solver.game import Rule
from solver.learning.weights import weights_file

EVERY = 3
"""One position of so many is looked at."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--boards", type=int, default=100)
    parser.add_argument("--size", default="16x30x99")
    parser.add_argument("--weights", default="")
    args = parser.parse_args()
    agent = make_agent(f"risk-net:weights={weights_file('risk-net', args.weights)}")
    assert isinstance(agent, RatesCells)
    exact, seen = [], []
    for board in positions(Size.parse(args.size), args.boards):
        near = board.covered & (count_neighbours(board.open) > 0)
        exact.append(analyse(board).probabilities[near])
        seen.append(1.0 - agent.rate(board)[near])
    truth, risk = np.concatenate(exact), np.concatenate(seen)
    error = np.abs(risk - truth)
    print(
        f"{len(exact)} positions, {truth.size} cells beside a number: mean error {error.mean():.4f}"
    )
    for words, chosen in (
        ("safe", truth == 0),
        ("mines", truth == 1),
        ("uncertain", (truth > 0) & (truth < 1)),
    ):
        print(f"  {words}: {chosen.sum()} cells, mean error {error[chosen].mean():.4f}")
    draw(truth, risk, args.out)


def positions(size: Size, count: int) -> list[Board]:
    """Collect positions of games that `tank` plays."""
    boards = BoardSet(size, Rule.ZERO, seed="risk-error")
    found = []
    for number in range(count):
        turns = turns_of(make_agent("tank", rule=Rule.ZERO), boards.game(number))
        found += [board for board, _ in turns if board.open.any()][::EVERY]
    return found


def draw(truth: np.ndarray, risk: np.ndarray, out: Path) -> None:
    """Draw what the network says against the exact risk, and how the errors spread."""
    figure, (left, right) = pyplot().subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    left.hexbin(truth, risk, gridsize=45, bins="log", cmap="viridis", mincnt=1)
    left.plot([0, 1], [0, 1], color="#d55e00", lw=1)
    left.set(xlabel="exact risk", ylabel="risk by the network")
    right.hist(np.abs(risk - truth), bins=np.linspace(0, 1, 51), log=True, color="#0072b2")
    right.set(xlabel="absolute error", ylabel="cells")
    save_figure(figure, out)


if __name__ == "__main__":
    main()
