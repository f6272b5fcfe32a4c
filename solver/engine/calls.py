"""The engine's entries as functions over arrays, in the work space of the calling thread.

A board is an int8 array ``(rows, cols)`` of tiles as in `solver.board`; a total of None is unknown.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.engine.space import (
    NoLayout,
    Progress,
    TooLarge,
    checked,
    ignore_progress,
    space,
    stoppable,
)
from solver.engine.values import (
    JUDGED,
    CGuess,
    CPlayed,
    EngineCandidate,
    Guess,
    Limits,
    Method,
    Played,
    PolicyKind,
    bounds_of,
    guess_of,
    policy_of,
)

__all__ = [
    "EngineCandidate",
    "Guess",
    "Limits",
    "Method",
    "NoLayout",
    "Played",
    "PolicyKind",
    "TooLarge",
    "decide",
    "draw",
    "first_click",
    "play",
    "risks",
    "totals",
    "worlds",
]

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
    limits: Limits,
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
    tiles: Tiles, mines: int, limits: Limits, most: int, first: int, count: int
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


def first_click(rows: int, cols: int, mines: int, spared: int, limits: Limits) -> Guess:
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
    limits: Limits,
    seed: int | None = None,
) -> Played:
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
    return Played(bool(played.won), played.guesses, played.opened, played.chance)
