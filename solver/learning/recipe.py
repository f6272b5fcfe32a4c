"""The hyperparameters of one training run, read from and written to TOML."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import tomli_w

from solver.bounds import TOML_BYTES
from solver.errors import BadRecipe
from solver.files import parse_toml, read_text
from solver.game import Rule
from solver.learning.archives import write_whole

NETWORKS = ("board", "window", "stuck", "risk")
REWARDS = ("tiles", "safe")

_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "str": ((str,), "a text"),
    "int": ((int,), "a whole number"),
    "float": ((float, int), "a number"),
    "bool": ((bool,), "true or false"),
}
_ABOVE_0 = "hidden, radius, passes, tries and layers are above 0"


@dataclass(frozen=True)
class Recipe:
    """What to train, on which boards, and how. Raises `BadRecipe` for invalid settings.

    ``network``: "board" and "window" are the report's, "stuck" the thesis's, "risk" our own.
    ``rounds`` is the number of updates; before each, one move is made on ``boards`` boards.
    The weights for play are a running mean of those in training, which keeps the share
    ``averaging`` at each update. ``rate`` is the learning rate of Adam; it falls linearly to 0 over
    the last share ``cooling`` of the rounds. ``reward`` is "tiles" (100 for each opened tile) or
    "safe" (100 for a safe move). The switches ``edge`` to ``latest`` belong to "window" and
    "board", see `solver.learning.training.q_learning`; those from ``epsilon_factor`` on to "stuck",
    see `solver.learning.training.stuck`. ``bits`` is the precision of stored weights.
    """

    agent: str
    network: str
    rows: int
    cols: int
    mines: int
    first: str = "safe"
    seed: int = 1
    rounds: int = 1000
    boards: int = 32
    batch: int = 512
    memory: int = 50_000
    rate: float = 1e-3
    cooling: float = 0.0
    averaging: float = 0.998
    hidden: int = 1280
    gamma: float = 0.9
    reward: str = "safe"
    random_moves: int = 200
    radius: int = 2
    edge: bool = False
    passes: int = 1
    flag_above: float = 0.0
    diverse: bool = False
    tries: int = 1
    symmetries: bool = False
    masked: bool = True
    report_game: bool = False
    latest: bool = False
    layers: int = 8
    epsilon_factor: float = 0.9985
    taught: int = 0
    one_hot: bool = False
    less_mines: bool = False
    all_cells: bool = False
    bits: int = 16

    def __post_init__(self) -> None:
        self._check_kinds()
        checks = (
            (self.network in NETWORKS, f"network is one of {', '.join(NETWORKS)}"),
            (self.reward in REWARDS, f"reward is one of {', '.join(REWARDS)}"),
            (self.first in {rule.value for rule in Rule}, "first is none, safe or zero"),
            (0 < self.mines < self.rows * self.cols - 9, "mines leave at least ten safe cells"),
            (min(self.rounds, self.boards, self.batch, self.memory) > 0, "sizes are above 0"),
            (min(self.hidden, self.radius, self.passes, self.tries, self.layers) > 0, _ABOVE_0),
            (self.rate > 0, "rate is above 0"),
            (0 <= self.cooling <= 1, "cooling lasts a share of the rounds, 0 to 1"),
            (0 <= self.averaging < 1, "averaging lies in 0..1, 1 excluded"),
            (0 <= self.gamma < 1, "gamma lies in 0..1, 1 excluded"),
            (self.tries == 1 or self.gamma == 0, "several tries need gamma = 0"),
            (self.passes == 1 or self.gamma == 0, "several passes need gamma = 0"),
            (self.passes == 1 or self.network == "window", "several passes need a window"),
            (
                self.network != "board" or not self.symmetries or self.rows == self.cols,
                "a board that is rotated has as many rows as columns",
            ),
            (
                not self.latest or self.batch >= self.boards,
                "with latest, a batch is at least as large as boards",
            ),
            (self.bits in (4, 8, 16), "bits are 4, 8 or 16"),
        )
        for holds, rule in checks:
            if not holds:
                raise BadRecipe(f"The recipe of {self.agent} cannot be used: {rule}.")

    def _check_kinds(self) -> None:
        """Raise `BadRecipe` for a value of the wrong type."""
        for field in fields(self):
            value = getattr(self, field.name)
            types, words = _KINDS[str(field.type)]
            if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
                raise BadRecipe(
                    f"The recipe cannot be used: {field.name} is {words}, not {value!r}."
                )

    @property
    def rule(self) -> Rule:
        """The first-click rule."""
        return Rule(self.first)

    @property
    def plane(self) -> bool:
        """Whether the network has a plane of its own earlier output: risks, or flags."""
        return self.passes > 1

    def rate_at(self, round_number: int) -> float:
        """Return the learning rate of a round, counted from 0."""
        left = 1 - round_number / self.rounds
        return self.rate * min(1.0, left / self.cooling) if self.cooling else self.rate

    def changed(self, **values: Any) -> Recipe:
        """Return a copy with other values. Raises `BadRecipe`."""
        try:
            return replace(self, **values)
        except TypeError as error:
            raise BadRecipe(f"The recipe of {self.agent} cannot be changed: {error}.") from None

    @classmethod
    def load(cls, path: str | Path) -> Recipe:
        """Read a recipe. Raises `BadRecipe` for an invalid file."""
        try:
            data = parse_toml(read_text(path, TOML_BYTES))
            known = {field.name: field.type for field in fields(cls)}
            unknown = sorted(set(data) - set(known))
            if unknown:
                raise BadRecipe(f"{path} has an unknown setting: {unknown[0]}.")
            return cls(**data)
        except OSError as error:
            raise BadRecipe(f"Cannot read {path}: {error.strerror}.") from error
        except (TypeError, ValueError) as error:
            raise BadRecipe(f"{path} is not a recipe: {error}.") from error

    def save(self, path: str | Path, *, replace: bool = False) -> None:
        """Write the recipe; an old file needs ``replace``. Raises `CannotSave`."""
        text = tomli_w.dumps(asdict(self)).encode()
        write_whole(Path(path), lambda file: file.write(text), replace=replace)
