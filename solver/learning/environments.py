"""Gymnasium environments: ``minebot/Minesweeper-v0``, one board or thousands in compiled code.

    import gymnasium
    import solver.learning.environments

    one = gymnasium.make("minebot/Minesweeper-v0", rows=9, cols=9, mines=10)
    many = gymnasium.make_vec(
        "minebot/Minesweeper-v0", 1000, vectorization_mode="vector_entry_point"
    )

An action is a cell, ``row * cols + col``. ``info["action_mask"]`` has a 1 for each covered cell. A
game ends with a mine or with the last safe cell.

The rewards "tiles" and "safe" are those of the DQN report: 100 for each opened tile, or 100 for a
safe move; -50 for a mine. "signs" is that of the thesis: +1 and -1. Opening an open tile gives
-100, as in the report's program, or -1. Needs the extra ``learn``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from solver.board import MAX_SIDE
from solver.counting import counted
from solver.errors import BadMineTotal, BadRecipe
from solver.game import Rule
from solver.learning.boards import HIT, PLAYING_CODE, Boards
from solver.learning.nets import COVERED, OUTSIDE, codes_of

FORMS = ("codes", "planes")


@dataclass(frozen=True)
class ObservationForm:
    """The form of an observation: "codes" ``(rows, cols)`` of int8, or "planes" ``(planes, ...)``.

    Codes: 0-8 a number, 9 covered, 10 outside. The planes are 0-8, covered, outside, each 0 or 1,
    then optionally the exact ``risk`` of covered cells, and the mines left as a share of the
    covered cells (``mines_left``). ``edge`` adds a border of one outside cell.
    Raises `BadRecipe`.
    """

    form: str = "codes"
    risk: bool = False
    mines_left: bool = False
    edge: bool = False

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise BadRecipe(f"An observation is one of {', '.join(FORMS)}, not {self.form!r}.")
        if self.form == "codes" and (self.risk or self.mines_left):
            raise BadRecipe("Risks and mines left are planes; use the form 'planes'.")

    def shape(self, rows: int, cols: int) -> tuple[int, ...]:
        """Return the shape of the observation of one board."""
        around = 2 * self.edge
        flat = (rows + around, cols + around)
        if self.form == "codes":
            return flat
        return (OUTSIDE + 1 + self.risk + self.mines_left, *flat)

    def of(self, boards: Boards) -> NDArray[np.generic]:
        """Return the observations of all boards; the first axis is the board."""
        around = ((0, 0), (1, 1), (1, 1)) if self.edge else 0
        codes = np.pad(codes_of(boards.tiles), around, constant_values=OUTSIDE)
        if self.form == "codes":
            return codes
        planes = [codes == code for code in range(OUTSIDE + 1)]
        if self.risk:
            planes.append(np.pad(boards.exact_risks(), around))
        if self.mines_left:
            covered = np.maximum((codes == COVERED).sum((1, 2)), 1)
            planes.append(np.broadcast_to((boards.mines / covered)[:, None, None], codes.shape))
        return np.stack(planes, 1).astype(np.float32)


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
        entry_point="solver.learning.environments:Minesweeper",
        vector_entry_point="solver.learning.environments:VectorMinesweeper",
    )
