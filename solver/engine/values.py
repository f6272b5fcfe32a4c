"""What goes into the engine and comes out: the structures of engine.h, and plain values."""

from __future__ import annotations

import ctypes
from enum import Enum
from functools import cache
from math import isnan
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

CANDIDATES: Final = 32
"""Most candidates that `decide` tells of; the same number stands in engine.h."""


CELL_INPUTS: Final = 30
"""Numbers that the cell net sees of a cell; see glance.c."""

JUDGED: Final = 39
"""Numbers that the judge sees of a candidate; the same number stands in engine.h."""


class Limits(Protocol):
    """How much work a guess may take; see engine.h. `solver.levels` has them by name."""

    @property
    def layouts(self) -> int: ...  # noqa: D102
    @property
    def positions(self) -> int: ...  # noqa: D102
    @property
    def worlds(self) -> int: ...  # noqa: D102
    @property
    def late(self) -> float: ...  # noqa: D102
    @property
    def work(self) -> int: ...  # noqa: D102


class Player(Enum):
    """Who chooses the guesses of a game inside the engine."""

    TANK = 0
    GLANCE = 1
    DEEP = 2


class Method(Enum):
    """How a guess was chosen."""

    ENDGAME = 0
    INDEPENDENT = 1
    LOOK_AHEAD = 2
    ROLL_OUTS = 3
    LEAST_RISK = 4


class Candidate(NamedTuple):
    """A cell that may be opened, ``row * cols + col``: what it risks, wins and may show.

    ``win`` is None where it was not estimated. ``shows`` are the chances to be safe and show each
    number from 0 to 8.
    """

    cell: int
    safe: float
    win: float | None
    shows: tuple[float, ...]


class Guess(NamedTuple):
    """A cell to open, the chance to win with it if it is known, and how it was chosen.

    ``candidates`` are the best cells, the chosen one first.
    """

    cell: int
    win: float | None
    method: Method
    candidates: tuple[Candidate, ...] = ()


class Played(NamedTuple):
    """A game played inside the engine.

    ``guesses`` and ``opened`` count until it was won or lost; ``chance`` is the product of the
    chances to survive of all guesses.
    """

    won: bool
    guesses: int
    opened: int
    chance: float


class CLimits(ctypes.Structure):
    """`Limits` as C has them."""

    _fields_ = [
        ("layouts", ctypes.c_int32),
        ("positions", ctypes.c_int32),
        ("worlds", ctypes.c_int32),
        ("late", ctypes.c_double),
        ("work", ctypes.c_int64),
    ]


class CNet(ctypes.Structure):
    """A network as C has it."""

    _fields_ = [
        ("inputs", ctypes.c_int32),
        ("units", ctypes.c_int32),
        ("units2", ctypes.c_int32),
        ("weights", ctypes.c_void_p),
    ]


class CPolicy(ctypes.Structure):
    """Who chooses the guesses, and with how much work."""

    _fields_ = [
        ("kind", ctypes.c_int32),
        ("limits", CLimits),
        ("cells", CNet),
        ("judge", CNet),
    ]


class CCandidate(ctypes.Structure):
    """`Candidate` as C has it."""

    _fields_ = [
        ("cell", ctypes.c_int32),
        ("safe", ctypes.c_double),
        ("win", ctypes.c_double),
        ("shows", ctypes.c_double * 9),
    ]


class CGuess(ctypes.Structure):
    """`Guess` as C has it."""

    _fields_ = [
        ("cell", ctypes.c_int32),
        ("method", ctypes.c_int32),
        ("win", ctypes.c_double),
        ("count", ctypes.c_int32),
        ("candidates", CCandidate * CANDIDATES),
    ]


class CPlayed(ctypes.Structure):
    """`Played` as C has it."""

    _fields_ = [
        ("won", ctypes.c_int32),
        ("guesses", ctypes.c_int32),
        ("opened", ctypes.c_int32),
        ("chance", ctypes.c_double),
    ]


LAYERS: Final = ("first", "first_bias", "second", "second_bias", "out", "out_bias")
"""What a file of weights holds of a network of two hidden layers, in the order of engine.h."""

FOLDER: Final = Path(__file__).parent


@cache
def net_of(path: Path) -> tuple[CNet, NDArray[np.float64]]:
    """Return the network of a file, and the weights that it points to."""
    with np.load(path) as file:
        layers = [np.asarray(file[name], np.float64) for name in LAYERS]
    weights = np.concatenate([layer.ravel() for layer in layers])
    inputs, units = layers[0].shape
    assert units % 16 == layers[3].size % 16 == 0
    return CNet(inputs, units, layers[3].size, weights.ctypes.data), weights


def bounds_of(limits: Limits) -> CLimits:
    """Return limits as C has them."""
    return CLimits(limits.layouts, limits.positions, limits.worlds, limits.late, limits.work)


@cache
def _nets() -> tuple[CNet, CNet]:
    """Return the cell net and the judge. Kept, since a game of `tank` takes but 0.1 ms."""
    cells, judge = (net_of(FOLDER / f"{name}.npz")[0] for name in ("cell_net", "judge"))
    return cells, judge


def policy_of(player: Player, limits: Limits) -> CPolicy:
    """Return a player and its limits as C has them."""
    return CPolicy(player.value, bounds_of(limits), *_nets())


def guess_of(found: CGuess) -> Guess:
    """Return a guess of C as a plain value."""
    candidates = tuple(
        Candidate(one.cell, one.safe, _known(one.win), tuple(one.shows))
        for one in found.candidates[: found.count]
    )
    return Guess(found.cell, _known(found.win), Method(found.method), candidates)


def _known(chance: float) -> float | None:
    return None if isnan(chance) else chance
