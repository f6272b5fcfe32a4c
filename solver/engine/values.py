"""The arguments and results of the engine: the structures of engine.h, and plain values."""

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
"""Most candidates that `decide` returns; as in engine.h."""

CELL_INPUTS: Final = 30
"""Inputs of the cell net for a cell; see glance.c."""

JUDGED: Final = 39
"""Inputs of the judge for a candidate; as in engine.h."""


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


class PolicyKind(Enum):
    """How the engine chooses guesses: like the agent of that name."""

    TANK = 0
    GLANCE = 1
    DEEP = 2


class Method(Enum):
    """How a guess was found."""

    ENDGAME = 0
    INDEPENDENT = 1
    LOOK_AHEAD = 2
    ROLL_OUTS = 3
    LEAST_RISK = 4


class EngineCandidate(NamedTuple):
    """A cell that may be opened, ``row * cols + col``, as the engine returns it.

    ``safe`` is its chance to be safe, ``win`` the win chance, None if it was not estimated.
    ``shows`` are the chances that it is safe and shows each number from 0 to 8.
    """

    cell: int
    safe: float
    win: float | None
    shows: tuple[float, ...]


class Guess(NamedTuple):
    """A cell to open, the win chance with it if known, and how it was found.

    ``candidates`` are the best cells, the chosen one first.
    """

    cell: int
    win: float | None
    method: Method
    candidates: tuple[EngineCandidate, ...] = ()


class Played(NamedTuple):
    """A game played inside the engine.

    ``guesses`` and ``opened`` count until it was won or lost; ``chance`` is the product of the
    survival chances of all guesses.
    """

    won: bool
    guesses: int
    opened: int
    chance: float


class CLimits(ctypes.Structure):
    """`Limits` in C."""

    _fields_ = [
        ("layouts", ctypes.c_int32),
        ("positions", ctypes.c_int32),
        ("worlds", ctypes.c_int32),
        ("late", ctypes.c_double),
        ("work", ctypes.c_int64),
    ]


class CNet(ctypes.Structure):
    """A network in C."""

    _fields_ = [
        ("inputs", ctypes.c_int32),
        ("units", ctypes.c_int32),
        ("units2", ctypes.c_int32),
        ("weights", ctypes.c_void_p),
    ]


class CPolicy(ctypes.Structure):
    """How guesses are chosen, and with how much work."""

    _fields_ = [
        ("kind", ctypes.c_int32),
        ("limits", CLimits),
        ("cells", CNet),
        ("judge", CNet),
    ]


class CCandidate(ctypes.Structure):
    """`EngineCandidate` in C."""

    _fields_ = [
        ("cell", ctypes.c_int32),
        ("safe", ctypes.c_double),
        ("win", ctypes.c_double),
        ("shows", ctypes.c_double * 9),
    ]


class CGuess(ctypes.Structure):
    """`Guess` in C."""

    _fields_ = [
        ("cell", ctypes.c_int32),
        ("method", ctypes.c_int32),
        ("win", ctypes.c_double),
        ("count", ctypes.c_int32),
        ("candidates", CCandidate * CANDIDATES),
    ]


class CPlayed(ctypes.Structure):
    """`Played` in C."""

    _fields_ = [
        ("won", ctypes.c_int32),
        ("guesses", ctypes.c_int32),
        ("opened", ctypes.c_int32),
        ("chance", ctypes.c_double),
    ]


LAYERS: Final = ("first", "first_bias", "second", "second_bias", "out", "out_bias")
"""The arrays in a file of weights for two hidden layers, in the order of engine.h."""

FOLDER: Final = Path(__file__).parent


@cache
def net_of(path: Path) -> tuple[CNet, NDArray[np.float64]]:
    """Read a network from a file; return it with the weights that it points to."""
    with np.load(path) as file:
        layers = [np.asarray(file[name], np.float64) for name in LAYERS]
    weights = np.concatenate([layer.ravel() for layer in layers])
    inputs, units = layers[0].shape
    assert units % 16 == layers[3].size % 16 == 0
    return CNet(inputs, units, layers[3].size, weights.ctypes.data), weights


def bounds_of(limits: Limits) -> CLimits:
    """Return limits as a C structure."""
    return CLimits(limits.layouts, limits.positions, limits.worlds, limits.late, limits.work)


@cache
def _nets() -> tuple[CNet, CNet]:
    """Return the cell net and the judge. Cached, because a game of `tank` takes only 0.1 ms."""
    cells, judge = (net_of(FOLDER / f"{name}.npz")[0] for name in ("cell_net", "judge"))
    return cells, judge


def policy_of(player: PolicyKind, limits: Limits) -> CPolicy:
    """Return a policy and its limits as a C structure."""
    return CPolicy(player.value, bounds_of(limits), *_nets())


def guess_of(found: CGuess) -> Guess:
    """Return a guess from C as a plain value."""
    candidates = tuple(
        EngineCandidate(one.cell, one.safe, _known(one.win), tuple(one.shows))
        for one in found.candidates[: found.count]
    )
    return Guess(found.cell, _known(found.win), Method(found.method), candidates)


def _known(chance: float) -> float | None:
    return None if isnan(chance) else chance
