"""Make the learner of a recipe, for training. Needs the extra ``learn``."""

from __future__ import annotations

from solver.arena.boards import Size
from solver.arena.training.stuck_positions import StuckPositions
from solver.errors import MissingExtra
from solver.learning.recipe import Recipe
from solver.learning.training.loop import Learner


def make_learner(recipe: Recipe) -> Learner:
    """Return a learner at its first round. Raises `MissingExtra` without the training stack."""
    try:
        import flax  # noqa: F401, PLC0415
        import optax  # noqa: F401, PLC0415
    except ImportError as error:
        raise MissingExtra("Training needs", "learn") from error
    if recipe.network == "stuck":
        from solver.learning.training.stuck import StuckLearner  # noqa: PLC0415

        size = Size(recipe.rows, recipe.cols, recipe.mines)
        return StuckLearner(recipe, StuckPositions(size, recipe.rule, recipe.seed))
    if recipe.network == "risk":
        from solver.learning.training.risk import RiskLearner  # noqa: PLC0415

        return RiskLearner(recipe)
    from solver.learning.training.q_learning import QLearner  # noqa: PLC0415

    return QLearner(recipe)


MEASURES = {
    "board": "mean score of the last 500 games",
    "window": "mean score of the last 500 games",
    "stuck": "share of correct decisions",
    "risk": "divergence from the exact risks",
}
"""What a learner's ``score`` measures."""
