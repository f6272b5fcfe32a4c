"""The rewards of an environment.

"tiles" and "safe" are those of the DQN report: 100 for each opened tile, or 100 for a safe move;
-50 for a mine. "signs" is that of the thesis: +1 and -1. Opening an open tile gives -100, as in the
report's program, or -1.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.errors import BadRecipe
from solver.learning.boards import HIT

SAFE_MOVE: Final = {"tiles": 100.0, "safe": 100.0, "signs": 1.0}
MINE_HIT: Final = {"tiles": -50.0, "safe": -50.0, "signs": -1.0}
OPEN_TILE: Final = {"tiles": -100.0, "safe": -100.0, "signs": -1.0}


def check_reward(scheme: str) -> None:
    """Raise `BadRecipe` for an unknown scheme."""
    if scheme not in SAFE_MOVE:
        raise BadRecipe(f"A reward is one of {', '.join(SAFE_MOVE)}, not {scheme!r}.")


def rewards_of(scheme: str, opened: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the reward of each move, given the result of `Boards.open`."""
    safe = SAFE_MOVE[scheme] * (opened if scheme == "tiles" else 1)
    return np.where(
        opened > 0, safe, np.where(opened == HIT, MINE_HIT[scheme], OPEN_TILE[scheme])
    ).astype(np.float64)
