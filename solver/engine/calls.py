"""The engine's entries, called with arrays that are checked and with work spaces of each thread.

A board is an int8 array ``(rows, cols)`` of tiles as in `solver.board`; a total of None is unknown.
Calls that may take long run in a thread of their own while the caller waits: so an exception in the
waiting thread, such as that of Ctrl-C, ends the call within a tenth of a second.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from solver.engine.library import library

Tiles = NDArray[np.int8]

MOST_BYTES: Final = 600 << 20
"""Most memory of a work space."""

MOST_NODES: Final = 1 << 23
"""Most nodes of one count. In 150 expert games no turn had more than 600; what exceeds this are
boards that no game leads to, such as 24x24 cells of which every second of every second row is open.
"""

QUICK_NODES: Final = 1 << 15
"""A count with more nodes takes over 10 ms, and is done again in a thread."""

CANDIDATES: Final = 32
"""Most candidates that `decide` tells of; the same number stands in engine.h."""


class EngineError(Exception):
    """Base of what keeps the engine from an answer."""


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


class NoLayout(EngineError):
    """No layout of mines fits the board."""


class TooLarge(EngineError):
    """The answer takes more work or memory than is allowed."""


class _Limits(ctypes.Structure):
    _fields_ = [
        ("layouts", ctypes.c_int32),
        ("positions", ctypes.c_int32),
        ("worlds", ctypes.c_int32),
        ("late", ctypes.c_double),
        ("work", ctypes.c_int64),
    ]


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


class _Net(ctypes.Structure):
    _fields_ = [
        ("units", ctypes.c_int32),
        ("units2", ctypes.c_int32),
        ("weights", ctypes.c_void_p),
    ]


class _Policy(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("limits", _Limits), ("net", _Net)]


class _Candidate(ctypes.Structure):
    _fields_ = [
        ("cell", ctypes.c_int32),
        ("safe", ctypes.c_double),
        ("win", ctypes.c_double),
        ("shows", ctypes.c_double * 9),
    ]


class _Guess(ctypes.Structure):
    _fields_ = [
        ("cell", ctypes.c_int32),
        ("method", ctypes.c_int32),
        ("win", ctypes.c_double),
        ("count", ctypes.c_int32),
        ("candidates", _Candidate * CANDIDATES),
    ]


class _Played(ctypes.Structure):
    _fields_ = [
        ("won", ctypes.c_int32),
        ("guesses", ctypes.c_int32),
        ("opened", ctypes.c_int32),
        ("chance", ctypes.c_double),
    ]


class _Space:
    """A work space, and what to stop a call in it with."""

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
        weakref.finalize(self, self.engine.engine_close, self.work)


_spaces = threading.local()


def _space() -> _Space:
    """Return the work space of this thread."""
    try:
        return _spaces.own  # type: ignore[no-any-return]
    except AttributeError:
        _spaces.own = _Space()
        return _spaces.own  # type: ignore[no-any-return]


@cache
def _declared() -> ctypes.CDLL:
    """Return the library with the types of the entries that are called here."""
    engine = library()
    whole, pointer = ctypes.c_int, ctypes.c_void_p
    board = [pointer, whole, whole, ctypes.c_char_p]
    engine.engine_open.argtypes = [pointer, pointer, ctypes.c_int64]
    engine.engine_open.restype = pointer
    engine.engine_close.argtypes = [pointer]
    engine.engine_close.restype = None
    engine.engine_risks.argtypes = [*board, whole, ctypes.c_int64, pointer, pointer]
    engine.engine_totals.argtypes = [*board, ctypes.c_double, pointer]
    engine.engine_draw.argtypes = [*board, whole, whole, pointer, pointer]
    engine.engine_decide.argtypes = [*board, whole, pointer, *3 * [whole], pointer, whole, pointer]
    engine.engine_first.argtypes = [pointer, whole, whole, whole, whole, pointer, pointer]
    engine.engine_play.argtypes = [pointer, whole, whole, whole, ctypes.c_char_p] + 3 * [pointer]
    return engine


def _checked(code: int) -> None:
    """Raise what a code of engine.h says."""
    if code == 1:
        raise NoLayout
    if code == 2:
        raise TooLarge
    if code == 4:
        raise MemoryError("There is no memory for the solver.")
    if code != 0:
        raise ValueError(f"The engine refused its arguments (code {code}).")


Progress = Callable[[int, int], None]
"""Is told how many worlds are done, and how many there are at most."""

PROGRESS_S: Final = 0.1
"""How often it is told."""


def _stoppable(
    space: _Space, call: Callable[[], int], on_progress: Progress = lambda done, most: None
) -> None:
    """Run a call that may take long in a thread; an exception while it is waited for ends it."""
    codes: list[int] = []
    space.progress[0] = space.progress[1] = 0
    thread = threading.Thread(target=lambda: codes.append(call()), daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(PROGRESS_S)
            if space.progress[1]:
                on_progress(space.progress[0], space.progress[1])
    except BaseException:
        space.stop.value = 1
        thread.join()
        space.stop.value = 0
        raise
    _checked(codes[0])


def _board(tiles: Tiles, mines: int | None) -> tuple[int, int, bytes, int]:
    """Return what the entries take of a board."""
    assert tiles.dtype == np.int8
    rows, cols = tiles.shape
    return rows, cols, tiles.tobytes(), -1 if mines is None else mines


def risks(tiles: Tiles, mines: int | None) -> tuple[NDArray[np.float64], float]:
    """Return the risks ``(rows, cols)``, NaN where a cell is not covered.

    With them comes the natural logarithm of the number of layouts. Raises `NoLayout`, `TooLarge`.
    """
    space = _space()
    risk = np.empty(tiles.shape)
    board = _board(tiles, mines)
    address = risk.ctypes.data
    entry = space.engine.engine_risks
    code = entry(space.work, *board, QUICK_NODES, address, space.log_address)
    if code == 2:
        _stoppable(
            space, lambda: int(entry(space.work, *board, MOST_NODES, address, space.log_address))
        )
    else:
        _checked(code)
    return risk, space.log.value


def totals(tiles: Tiles, density: float) -> NDArray[np.float64]:
    """Return the logarithm of the number of layouts of each total, less one constant for all.

    Float64, one value for each total from 0 to all cells. Raises `NoLayout`, `TooLarge`.
    """
    space = _space()
    logs = np.empty(tiles.size + 1)
    rows, cols, flat, _ = _board(tiles, None)
    entry, address = space.engine.engine_totals, logs.ctypes.data
    _stoppable(space, lambda: int(entry(space.work, rows, cols, flat, density, address)))
    return logs


def draw(tiles: Tiles, mines: int | None, count: int, seed: int) -> NDArray[np.bool_]:
    """Draw ``count`` layouts, all equally likely, as bool ``(count, rows, cols)``.

    Raises `NoLayout`, `TooLarge`.
    """
    space = _space()
    layouts = np.empty((count, *tiles.shape), np.bool_)
    random = ctypes.c_uint64(seed % 2**64)
    board, address = _board(tiles, mines), layouts.ctypes.data
    entry = space.engine.engine_draw
    _stoppable(
        space, lambda: int(entry(space.work, *board, count, ctypes.byref(random), address))
    )
    return layouts


@cache
def _net() -> tuple[_Net, NDArray[np.float64]]:
    """Return the cell net that ships with the package, and the weights that it points to."""
    names = ("first", "first_bias", "second", "second_bias", "out", "out_bias")
    with np.load(Path(__file__).parent / "cell_net.npz") as file:
        layers = [np.asarray(file[name], np.float64) for name in names]
    weights = np.concatenate([layer.ravel() for layer in layers])
    return _Net(layers[1].size, layers[3].size, weights.ctypes.data), weights


def _bounds(limits: Limits) -> _Limits:
    return _Limits(limits.layouts, limits.positions, limits.worlds, limits.late, limits.work)


def _policy(player: Player, limits: Limits) -> _Policy:
    return _Policy(player.value, _bounds(limits), _net()[0])


def decide(
    tiles: Tiles,
    mines: int,
    player: Player,
    limits: Limits,
    *,
    compared: int = 0,
    estimated: int = 0,
    sample: int = 0,
    also: Sequence[int] = (),
    on_progress: Progress = lambda done, most: None,
) -> Guess:
    """Choose a guess where nothing is certainly safe.

    ``compared`` candidates are told, the chosen one first, and the chances to win of the first
    ``estimated`` of them; where these are not known, they are estimated in ``sample`` worlds.
    The cells in ``also``, hidden and no certain mines, are among the candidates. Raises `NoLayout`,
    `TooLarge`.
    """
    space = _space()
    policy, found, board = _policy(player, limits), _Guess(), _board(tiles, mines)
    asked = (ctypes.c_int32 * len(also))(*also)
    entry = space.engine.engine_decide
    _stoppable(
        space,
        lambda: int(
            entry(
                space.work,
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
    return _guess(found)


def _guess(found: _Guess) -> Guess:
    candidates = tuple(
        Candidate(one.cell, one.safe, _known(one.win), tuple(one.shows))
        for one in found.candidates[: found.count]
    )
    return Guess(found.cell, _known(found.win), Method(found.method), candidates)


def _known(chance: float) -> float | None:
    return None if np.isnan(chance) else chance


def first_click(rows: int, cols: int, mines: int, spared: int, limits: Limits) -> Guess:
    """Choose the first click of a small board by searching all games that may follow.

    ``spared`` is what the first-click rule keeps free of mines: 0 nothing, 1 the cell, 2 its
    neighbours too. Raises `TooLarge`.
    """
    space = _space()
    found, bounds = _Guess(), _bounds(limits)
    entry = space.engine.engine_first
    _stoppable(
        space,
        lambda: int(
            entry(
                space.work, rows, cols, mines, spared, ctypes.byref(bounds), ctypes.byref(found)
            )
        ),
    )
    return _guess(found)


def play(
    mined: NDArray[np.bool_],
    first: tuple[int, int],
    player: Player,
    limits: Limits,
    seed: int | None = None,
) -> Played:
    """Play a whole game on a layout, bool ``(rows, cols)``, after the ``first`` cell.

    With ``seed`` a lost game goes on in another layout in which the guess was safe, so that
    ``chance`` estimates the chance to win.
    """
    space = _space()
    policy, played = _policy(player, limits), _Played()
    random = None if seed is None else ctypes.byref(ctypes.c_uint64(seed % 2**64))
    rows, cols = mined.shape
    board = (rows, cols, first[0] * cols + first[1], np.ascontiguousarray(mined, np.bool_).tobytes())
    entry = space.engine.engine_play

    def whole_game() -> int:
        return int(
            entry(space.work, *board, ctypes.byref(policy), random, ctypes.byref(played))
        )

    if player is Player.DEEP and limits.worlds:
        _stoppable(space, whole_game)
    else:
        _checked(whole_game())
    return Played(bool(played.won), played.guesses, played.opened, played.chance)


