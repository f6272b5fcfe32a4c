"""The parts of training that use the agents: the learner of a recipe, and its stuck positions.

Importing this needs no extra; making a learner needs ``learn``.
"""

from __future__ import annotations

import random

import numpy as np

from solver.agents.base import Inference
from solver.agents.constraints import ConstraintStore
from solver.agents.csp_dqn import stuck_cells, stuck_windows, windows_around
from solver.agents.thesis import Contradiction
from solver.arena.boards import BoardSet, Size
from solver.board import Cell
from solver.errors import MissingExtra
from solver.game import Game, Rule, Status
from solver.learning.boards import StuckPosition
from solver.learning.training import Learner
from solver.learning.weights import Recipe


def make_learner(recipe: Recipe) -> Learner:
    """Return a learner at its first round. Raises `MissingExtra` without the training stack."""
    try:
        import flax  # noqa: F401, PLC0415
        import optax  # noqa: F401, PLC0415
    except ImportError as error:
        raise MissingExtra("Training needs", "learn") from error
    if recipe.network == "stuck":
        from solver.learning.supervised import StuckLearner  # noqa: PLC0415

        size = Size(recipe.rows, recipe.cols, recipe.mines)
        return StuckLearner(recipe, StuckPositions(size, recipe.rule, recipe.seed))
    if recipe.network == "risk":
        from solver.learning.supervised import RiskLearner  # noqa: PLC0415

        return RiskLearner(recipe)
    from solver.learning.q_learning import QLearner  # noqa: PLC0415

    return QLearner(recipe)


MEASURES = {
    "board": "mean score of the last 500 games",
    "window": "mean score of the last 500 games",
    "stuck": "share of correct decisions",
    "risk": "divergence from the exact risks",
}
"""What a learner's ``score`` measures."""


# ---- stuck positions -----------------------------------------------------------------------------


class StuckPositions:
    """Numbered stuck positions: number ``k`` depends on the seed and ``k`` only.

    A game is played by the three methods. When they are stuck, one of the cells to be rated is
    drawn. With a chance of one half the game ends with this position; otherwise the cell is opened,
    or flagged if it is a mine, and the game continues.
    """

    def __init__(self, size: Size, rule: Rule, seed: int) -> None:
        self._boards = BoardSet(size, rule, seed=f"stuck/{seed}")
        self._seed = seed
        self._methods = Contradiction()

    def __call__(self, number: int) -> StuckPosition:
        """Return a position."""
        dice = random.Random(f"{self._seed}/{number}")
        attempt = 0
        while True:
            game = self._boards.game(1000 * number + attempt)
            found = self._play(game, dice)
            if found is not None:
                return found
            attempt += 1

    def _play(self, game: Game, dice: random.Random) -> StuckPosition | None:
        """Play a game; return the position that ends it, None if the methods finish the game."""
        game.open(Cell(0, 0))
        flags: set[int] = set()
        while game.status is Status.PLAYING:
            known = self._know(game, flags)
            for cell in known.safe:
                game.open(cell)
            if known.safe:
                continue
            cells = stuck_cells(game.board, known)
            if not len(cells):
                return None
            chosen = cells[dice.randrange(len(cells))]
            cell = Cell(*chosen.tolist())
            assert game.mines is not None
            mine = bool(game.mines[cell])
            if dice.random() < 0.5:
                codes, less = (
                    stuck_windows(game.board, known, chosen[None], less_mines)[0]
                    for less_mines in (False, True)
                )
                mines = windows_around(np.pad(game.mines, 2), chosen[None])[0]
                return StuckPosition(codes, less, mines)
            if mine:
                flags.add(cell.row * game.board.cols + cell.col)
            else:
                game.open(cell)
        return None

    def _know(self, game: Game, flags: set[int]) -> Inference:
        store = ConstraintStore(game.board)
        store.mark_all(mines=flags)
        self._methods.apply(store)
        return Inference(store.cells_at(store.safe), store.cells_at(store.mines))
