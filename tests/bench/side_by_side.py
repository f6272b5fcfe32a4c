"""Let a learned agent play many boards side by side: the same moves, in far less time.

    python -m tests.bench.side_by_side dqn-window [--size 9x9x10] [--first zero] [--games 1000]
                                       [--passes N] [--no-symmetries] [--weights FILE]

The agent is `dqn-window`, `dqn-board` or `risk-net`. The boards follow from the seed and are others
than those of `minebot bench`. The score is 100 for each safe tile that is open at the end.
`risk-net` is run by the training stack (extra ``learn``).
"""

import argparse
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from flax import nnx

from solver.agents.base import first_click
from solver.arena.boards import Size
from solver.arena.statistics import wilson
from solver.board import Board, Tile
from solver.game import Rule
from solver.learning.boards import PLAYING_CODE, WON_CODE, Boards
from solver.learning.nets import COVERED, WindowView, board_values, codes_of, risk_planes
from solver.learning.training.networks import code_count, dense_shape, make_network
from solver.learning.weights import Arrays, Recipe, dense_weights, load_weights, weights_file

BLOCK = 20
"""Boards that the network of `risk-net` sees at once."""

Choose = Callable[[Boards, np.ndarray], np.ndarray]
"""Returns the cell to open on each of the boards of these numbers."""


def window_choice(recipe: Recipe, arrays: Arrays) -> Choose:
    """Choose as `dqn-window` does."""
    net = dense_weights(arrays, dense_shape(recipe)[0], code_count(recipe))

    def choose(boards: Boards, live: np.ndarray) -> np.ndarray:
        view = WindowView(net, boards.tiles[live], recipe.radius)
        view.run(recipe.passes, recipe.flag_above, symmetries=recipe.symmetries)
        order = np.lexsort((-view.values, view.boards))
        return view.cells[order[np.searchsorted(view.boards, np.arange(live.size))]]

    return choose


def board_choice(recipe: Recipe, arrays: Arrays) -> Choose:
    """Choose as `dqn-board` does."""
    net = dense_weights(arrays, dense_shape(recipe)[0], code_count(recipe))

    def choose(boards: Boards, live: np.ndarray) -> np.ndarray:
        codes = codes_of(boards.tiles[live]).reshape(live.size, -1)
        values = board_values(net, codes, recipe.rows, symmetries=recipe.symmetries)
        return np.asarray(np.where(codes == COVERED, values, -np.inf).argmax(1))

    return choose


def risk_choice(recipe: Recipe, arrays: Arrays) -> Choose:
    """Choose as `risk-net` does."""
    graph, weights = nnx.split(make_network(recipe))
    nnx.replace_by_pure_dict(weights, _tree(nnx.to_pure_dict(weights), arrays, ""))

    @jax.jit
    def run(planes: np.ndarray) -> jax.Array:
        return nnx.merge(graph, weights)(planes)

    def choose(boards: Boards, live: np.ndarray) -> np.ndarray:
        found = []
        for start in range(0, live.size, BLOCK):
            tiles = boards.tiles[np.resize(live[start : start + BLOCK], BLOCK)]
            odds = np.asarray(run(risk_planes(tiles, boards.mines)))[:, 1:-1, 1:-1]
            found.append(np.where(tiles < 0, odds, np.inf).reshape(BLOCK, -1).argmin(1))
        return np.concatenate(found)[: live.size]

    return choose


def _tree(names: dict[str, Any], arrays: Arrays, before: str) -> dict[str, Any]:
    return {
        name: _tree(part, arrays, f"{before}{name}.")
        if isinstance(part, dict)
        else jax.numpy.asarray(arrays[f"{before}{name}"])
        for name, part in names.items()
    }


def play(choose: Choose, size: Size, rule: Rule, count: int, seed: int) -> Boards:
    """Play boards to their ends; those of one seed are the same for every player."""
    boards = Boards(count, size.rows, size.cols, size.mines, rule, seed)
    first = first_click(Board(np.full((size.rows, size.cols), Tile.HIDDEN), size.mines), rule)
    cells = np.full(count, first.row * size.cols + first.col)
    while (boards.status == PLAYING_CODE).any():
        boards.open(cells)
        live = np.flatnonzero(boards.status == PLAYING_CODE)
        if live.size:
            cells[live] = choose(boards, live)
    return boards


CHOICES = {"dqn-window": window_choice, "dqn-board": board_choice, "risk-net": risk_choice}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("agent", choices=tuple(CHOICES))
    parser.add_argument("--size", default="9x9x10")
    parser.add_argument("--first", default="zero", choices=[rule.value for rule in Rule])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=4242)
    parser.add_argument("--passes", type=int)
    parser.add_argument("--no-symmetries", action="store_true")
    parser.add_argument("--weights", default="")
    args = parser.parse_args()
    about, arrays = load_weights(weights_file(args.agent, args.weights))
    recipe = Recipe(**about)
    if args.no_symmetries:
        recipe = recipe.changed(symmetries=False)
    recipe = recipe.changed(passes=args.passes or recipe.passes)
    size, rule = Size.parse(args.size), Rule(args.first)
    boards = play(CHOICES[args.agent](recipe, arrays), size, rule, args.games, args.seed)
    won = wilson(int((boards.status == WON_CODE).sum()), args.games)
    scores = 100 * (size.rows * size.cols - size.mines - boards.left)
    error = 1.96 * scores.std() / np.sqrt(args.games)
    print(
        f"{args.agent} {size} {rule.value}: {won.value:.1%} ({won.low:.1%} to {won.high:.1%}) of "
        f"{args.games} won; mean score {scores.mean():.0f} ± {error:.0f}"
    )


if __name__ == "__main__":
    main()
