"""Gymnasium environments: ``minebot/Minesweeper-v0``, one board or thousands in compiled code.

    import gymnasium
    import solver.learning.environments.environment

    one = gymnasium.make("minebot/Minesweeper-v0", rows=9, cols=9, mines=10)
    many = gymnasium.make_vec(
        "minebot/Minesweeper-v0", 1000, vectorization_mode="vector_entry_point"
    )

An action is a cell, ``row * cols + col``. ``info["action_mask"]`` has a 1 for each covered cell. A
game ends with a mine or with the last safe cell. Needs the extra ``learn``.
"""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from solver.board import MAX_SIDE
from solver.counting import counted
from solver.errors import BadMineTotal
from solver.game import Rule
from solver.learning.boards import PLAYING_CODE, Boards
from solver.learning.environments.observations import ObservationForm
from solver.learning.environments.rewards import check_reward, rewards_of
from solver.learning.windows import OUTSIDE

ENVIRONMENT = "minebot/Minesweeper-v0"


class VectorMinesweeper(VectorEnv[NDArray[Any], NDArray[Any], NDArray[Any]]):  # type: ignore[misc]
    """Many boards, stepped together in compiled code.

    ``first`` is the first-click rule. ``observation`` is "codes" or "planes", with ``risk``,
    ``mines_left`` and ``edge`` as in `ObservationForm`. ``reward`` is a scheme of the module
    `rewards`. A board whose game is over starts a new game at the next step; the action is then
    ignored. Raises `BadMineTotal` or `BadRecipe` for invalid settings.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "autoreset_mode": AutoresetMode.NEXT_STEP,
        "render_modes": [],
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        rows: int = 9,
        cols: int = 9,
        mines: int = 10,
        first: str = "safe",
        observation: str = "codes",
        risk: bool = False,
        mines_left: bool = False,
        edge: bool = False,
        reward: str = "safe",
    ) -> None:
        if not (0 < rows <= MAX_SIDE and 0 < cols <= MAX_SIDE and 0 <= mines < rows * cols):
            raise BadMineTotal(f"No game has {counted(mines, 'mine')} on {rows}x{cols} cells.")
        check_reward(reward)
        self.num_envs, self._reward = num_envs, reward
        self._size = (rows, cols, mines, Rule(first))
        self._view = ObservationForm(observation, risk, mines_left, edge)
        shape = self._view.shape(rows, cols)
        codes = spaces.Box(0, OUTSIDE, shape, np.int8)
        planes = spaces.Box(0.0, 1.0, shape, np.float32)
        self.single_observation_space = codes if observation == "codes" else planes
        self.single_action_space = spaces.Discrete(rows * cols)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._boards = Boards(num_envs, *self._size, seed=0)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start a game on every board; ``seed`` determines all mines from here on."""
        number = seed if isinstance(seed, int) or seed is None else seed[0]
        super().reset(seed=number)
        chosen = int(self.np_random.integers(2**31))
        self._boards = Boards(self.num_envs, *self._size, seed=chosen)
        return self._view.of(self._boards), self._info()

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Open one cell on each board; start a new game where the last one was over."""
        boards = self._boards
        over = boards.status != PLAYING_CODE
        boards.deal(over)
        opened = boards.open(np.where(over, -1, actions))
        rewards = np.where(over, 0.0, rewards_of(self._reward, opened))
        ended = boards.status != PLAYING_CODE
        return self._view.of(boards), rewards, ended, np.zeros_like(ended), self._info()

    def board_text(self, number: int = 0) -> str:
        """Draw one board as text, as `Board.from_text` reads it."""
        tiles = self._boards.tiles[number]
        return "\n".join("".join("#" if tile < 0 else str(tile) for tile in row) for row in tiles)

    def _info(self) -> dict[str, Any]:
        covered = self._boards.tiles < 0
        return {"action_mask": covered.reshape(self.num_envs, -1).astype(np.int8)}


class Minesweeper(gymnasium.Env[NDArray[Any], np.int64]):  # type: ignore[misc]
    """One board. The settings are those of `VectorMinesweeper`."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(self, render_mode: str | None = None, **settings: Any) -> None:
        self.render_mode = render_mode
        self._one = VectorMinesweeper(1, **settings)
        self.observation_space = self._one.single_observation_space
        self.action_space = self._one.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start a game."""
        super().reset(seed=seed)
        seen, info = self._one.reset(seed=int(self.np_random.integers(2**31)))
        return seen[0], _first(info)

    def step(self, action: np.int64) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Open one cell. After the end of a game, call `reset`."""
        seen, rewards, ended, _, info = self._one.step(np.array([action]))
        return seen[0], float(rewards[0]), bool(ended[0]), False, _first(info)

    def render(self) -> str | None:
        """Return the board as text."""
        return self._one.board_text() if self.render_mode == "ansi" else None


def _first(info: dict[str, Any]) -> dict[str, Any]:
    return {name: values[0] for name, values in info.items()}


if ENVIRONMENT not in gymnasium.registry:
    gymnasium.register(
        ENVIRONMENT,
        entry_point="solver.learning.environments.environment:Minesweeper",
        vector_entry_point="solver.learning.environments.environment:VectorMinesweeper",
    )
