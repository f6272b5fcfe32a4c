"""The engine's entries as functions over arrays, in the work space of the calling thread.

A board is an int8 array ``(rows, cols)`` of tiles as in `solver.board`; a total of None is unknown.

A call that may take long runs in its own thread while the caller waits, so that an exception in the
caller, such as that of Ctrl-C, stops it within a tenth of a second.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache
from math import isnan
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.engine.library import library
from solver.levels import SearchLimits

CANDIDATES: Final = 32
"""Most candidates that `decide` returns; as in engine.h."""

CELL_INPUTS: Final = 30
"""Inputs of the cell net for a cell; see glance.c."""

JUDGED: Final = 39
"""Inputs of the judge for a candidate; as in engine.h."""


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


class EngineGame(NamedTuple):
    """A game played inside the engine.

    ``guesses`` and ``opened`` count until it was won or lost; ``chance`` is the product of the
    survival chances of all guesses.
    """

    won: bool
    guesses: int
    opened: int
    chance: float


class CLimits(ctypes.Structure):
    """`SearchLimits` in C."""

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


def bounds_of(limits: SearchLimits) -> CLimits:
    """Return limits as a C structure."""
    return CLimits(limits.layouts, limits.positions, limits.worlds, limits.late, limits.work)


@cache
def _nets() -> tuple[CNet, CNet]:
    """Return the cell net and the judge. Cached, because a game of `tank` takes only 0.1 ms."""
    cells, judge = (net_of(FOLDER / f"{name}.npz")[0] for name in ("cell_net", "judge"))
    return cells, judge


def policy_of(player: PolicyKind, limits: SearchLimits) -> CPolicy:
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


# ---- work spaces ---------------------------------------------------------------------------------


MOST_BYTES: Final = 540 << 20
"""Most memory of a work space."""


Progress = Callable[[int, int], None]
"""Called with the number of worlds done, and the largest possible number."""


def ignore_progress(done: int, most: int) -> None:
    """Ignore the progress of a call."""


class EngineError(Exception):
    """Base of the engine's errors."""


class NoLayout(EngineError):
    """No layout of mines fits the board."""


class TooLarge(EngineError):
    """The result takes more work or memory than allowed."""


class Space:
    """A work space, and the flag that stops a call in it."""

    def __init__(self) -> None:
        self.engine = _declared()
        self.stop = ctypes.c_int32(0)
        self.progress = (ctypes.c_int32 * 2)()
        work = self.engine.engine_open(
            ctypes.byref(self.stop), ctypes.byref(self.progress), MOST_BYTES
        )
        if not work:
            raise MemoryError("There is no memory for the solver.")
        self.work = ctypes.c_void_p(work)
        self.log = ctypes.c_double()
        self.log_address = ctypes.byref(self.log)
        closing = weakref.finalize(self, self.engine.engine_close, self.work)
        closing.atexit = False  # a stopped call may still be running then


_spaces = threading.local()


def space() -> Space:
    """Return the work space of this thread."""
    try:
        return _spaces.own  # type: ignore[no-any-return]
    except AttributeError:
        _spaces.own = Space()
        return _spaces.own  # type: ignore[no-any-return]


TYPES: Final = {
    "i": ctypes.c_int,
    "l": ctypes.c_int64,
    "d": ctypes.c_double,
    "p": ctypes.c_void_p,
    "b": ctypes.c_char_p,
}

SIGNATURES: Final = {
    "engine_open": "ppl",
    "engine_close": "p",
    "engine_risks": "piibilpp",
    "engine_totals": "piibdp",
    "engine_draw": "piibiipp",
    "engine_decide": "piibipiiipip",
    "engine_worlds": "piibipiiipppp",
    "engine_first": "piiiipp",
    "engine_play": "piiibppp",
}
"""The argument types of the entries, one letter of TYPES each; see engine.h."""


@cache
def _declared() -> ctypes.CDLL:
    """Return the library with the types of its entries declared."""
    engine = library()
    for name, signature in SIGNATURES.items():
        getattr(engine, name).argtypes = [TYPES[letter] for letter in signature]
    engine.engine_open.restype = ctypes.c_void_p
    engine.engine_close.restype = None
    return engine


def checked(code: int) -> None:
    """Raise the error of a return code of engine.h."""
    if code == 1:
        raise NoLayout
    if code == 2:
        raise TooLarge
    if code == 4:
        raise MemoryError("There is no memory for the solver.")
    if code != 0:
        raise ValueError(f"The engine refused its arguments (code {code}).")


PROGRESS_S: Final = 0.1
"""Interval of the calls."""


def stoppable(
    space: Space, call: Callable[[], int], on_progress: Progress = ignore_progress
) -> None:
    """Run a call that may take long in a thread; an exception while waiting stops it."""
    codes: list[int] = []
    space.progress[0] = space.progress[1] = 0
    try:
        thread = threading.Thread(target=lambda: codes.append(call()), daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(PROGRESS_S)
            if space.progress[1]:
                on_progress(space.progress[0], space.progress[1])
    except BaseException:
        # The call may run on for a moment: it keeps its work space, and the next one gets another.
        space.stop.value = 1
        _spaces.__dict__.pop("own", None)
        raise
    checked(codes[0])


# ---- the entries ---------------------------------------------------------------------------------


def address(array: NDArray[Any], kind: type[np.generic], shape: tuple[int, ...]) -> int:
    """Return the address of an array. The caller keeps the array alive while the engine uses it.

    Raises `ValueError` for an array of another type or shape, or one that is not contiguous: the
    engine would access memory outside it.
    """
    if array.dtype != kind or array.shape != shape or not array.flags.c_contiguous:
        raise ValueError(
            f"The engine needs a contiguous array of {np.dtype(kind)} {shape}, not {array.dtype} "
            f"{array.shape}."
        )
    return array.ctypes.data


Tiles = NDArray[np.int8]

MOST_NODES: Final = 1 << 23
"""Most nodes of one count. In 150 expert games no turn had more than 600; only boards that do not
occur in games exceed this, such as 24x24 cells with every second cell of every second row open."""

QUICK_NODES: Final = 1 << 15
"""A count with more nodes takes over 10 ms, and is repeated in a thread that can be stopped."""


def _board(tiles: Tiles, mines: int | None) -> tuple[int, int, bytes, int]:
    """Return a board as arguments of an entry."""
    assert tiles.dtype == np.int8
    rows, cols = tiles.shape
    return rows, cols, tiles.tobytes(), -1 if mines is None else mines


def risks(
    tiles: Tiles, mines: int | None, *, quick: bool = False
) -> tuple[NDArray[np.float64], float]:
    """Return the risks ``(rows, cols)``, NaN for cells that are not covered.

    The second result is the natural logarithm of the number of layouts. Raises `NoLayout` and
    `TooLarge`; with ``quick`` the latter as soon as the count takes over 10 ms.
    """
    own = space()
    risk = np.empty(tiles.shape)
    board = _board(tiles, mines)
    address = risk.ctypes.data
    entry = own.engine.engine_risks
    code = entry(own.work, *board, QUICK_NODES, address, own.log_address)
    if code == 2 and not quick:
        stoppable(own, lambda: int(entry(own.work, *board, MOST_NODES, address, own.log_address)))
    else:
        checked(code)
    return risk, own.log.value


def totals(tiles: Tiles, density: float) -> NDArray[np.float64]:
    """Return the logarithm of the number of layouts of each total, up to a common constant.

    Float64, one value for each total from 0 to all cells. Raises `NoLayout`, `TooLarge`.
    """
    own = space()
    logs = np.empty(tiles.size + 1)
    rows, cols, flat, _ = _board(tiles, None)
    entry, address = own.engine.engine_totals, logs.ctypes.data
    stoppable(own, lambda: int(entry(own.work, rows, cols, flat, density, address)))
    return logs


def draw(tiles: Tiles, mines: int | None, count: int, seed: int) -> NDArray[np.bool_]:
    """Draw ``count`` layouts, all equally likely, as bool ``(count, rows, cols)``.

    Raises `NoLayout`, `TooLarge`.
    """
    own = space()
    layouts = np.empty((count, *tiles.shape), np.bool_)
    random = ctypes.c_uint64(seed % 2**64)
    board, address = _board(tiles, mines), layouts.ctypes.data
    entry = own.engine.engine_draw
    stoppable(own, lambda: int(entry(own.work, *board, count, ctypes.byref(random), address)))
    return layouts


def decide(
    tiles: Tiles,
    mines: int,
    player: PolicyKind,
    limits: SearchLimits,
    *,
    compared: int = 0,
    estimated: int = 0,
    sample: int = 0,
    also: Sequence[int] = (),
    on_progress: Progress = ignore_progress,
) -> Guess:
    """Choose a guess on a board where nothing is certainly safe.

    The result lists ``compared`` candidates, the chosen one first, with win chances for the first
    ``estimated`` of them; unless known, these are estimated in ``sample`` worlds. The cells in
    ``also``, which must be hidden and not certain mines, are among the candidates. Raises
    `NoLayout`, `TooLarge`.
    """
    own = space()
    policy, found, board = policy_of(player, limits), CGuess(), _board(tiles, mines)
    asked = (ctypes.c_int32 * len(also))(*also)
    entry = own.engine.engine_decide
    stoppable(
        own,
        lambda: int(
            entry(
                own.work,
                *board,
                ctypes.byref(policy),
                compared,
                estimated,
                sample,
                asked,
                len(also),
                ctypes.byref(found),
            )
        ),
        on_progress,
    )
    return guess_of(found)


def worlds(
    tiles: Tiles, mines: int, limits: SearchLimits, most: int, first: int, count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Describe up to ``most`` candidates of a position, and try each in ``count`` worlds.

    Returns the judge's inputs ``[candidate, JUDGED]``, and the win chance in each world from number
    ``first`` on ``[candidate, world]``: the data that the nets are fitted to.
    """
    own = space()
    policy, board = policy_of(PolicyKind.DEEP, limits), _board(tiles, mines)
    described, won = np.empty((most, JUDGED)), np.empty((most, count))
    cells, found = (ctypes.c_int32 * most)(), ctypes.c_int32()
    arrays = (cells, described.ctypes.data, won.ctypes.data, ctypes.byref(found))
    entry = own.engine.engine_worlds
    stoppable(
        own,
        lambda: int(entry(own.work, *board, ctypes.byref(policy), most, first, count, *arrays)),
    )
    return described[: found.value], won[: found.value].reshape(found.value, count)


def first_click(rows: int, cols: int, mines: int, spared: int, limits: SearchLimits) -> Guess:
    """Choose the first click of a small board by searching all possible games.

    ``spared`` is the first-click rule: 0 nothing, 1 the cell, 2 its neighbours too are free of
    mines. Raises `TooLarge`.
    """
    own = space()
    found, bounds = CGuess(), bounds_of(limits)
    entry = own.engine.engine_first
    stoppable(
        own,
        lambda: int(
            entry(own.work, rows, cols, mines, spared, ctypes.byref(bounds), ctypes.byref(found))
        ),
    )
    return guess_of(found)


def play(
    mined: NDArray[np.bool_],
    first: tuple[int, int],
    player: PolicyKind,
    limits: SearchLimits,
    seed: int | None = None,
) -> EngineGame:
    """Play a whole game on a layout, bool ``(rows, cols)``, after the ``first`` cell.

    With ``seed`` a lost game continues in another layout in which the guess was safe, so that
    ``chance`` estimates the win chance.
    """
    own = space()
    policy, played = policy_of(player, limits), CPlayed()
    random = None if seed is None else ctypes.byref(ctypes.c_uint64(seed % 2**64))
    rows, cols = mined.shape
    board = (
        rows,
        cols,
        first[0] * cols + first[1],
        np.ascontiguousarray(mined, np.bool_).tobytes(),
    )
    entry = own.engine.engine_play

    def whole_game() -> int:
        return int(entry(own.work, *board, ctypes.byref(policy), random, ctypes.byref(played)))

    if player is PolicyKind.DEEP and limits.worlds:
        stoppable(own, whole_game)
    else:
        checked(whole_game())
    return EngineGame(bool(played.won), played.guesses, played.opened, played.chance)
