"""How likely a board is under the rules and habits of the game, whatever its tiles look like."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.rules import UNREAD, Mask, Tiles, beside
from solver.analysis import certain_cells
from solver.board import Tile

BROKEN = 4.0
"""Cost of a number that cannot be right."""

MOST_COST = 60.0
"""Most that all broken numbers of a board cost."""


SURE_FLAG, SURE_FLAGS = 1.0, 3.0
"""What a flag says on a tile that a number shows to be a mine, and most that all of them say."""

OPEN_AREAS = 6.0
"""What zeros whose neighbours are all open say at most: by chance few would be so."""

LEAST_MINES, SPARSE = 0.08, 8.0
"""Share of the cells that can be mines at least on nearly all boards, and the cost of fewer: then
the open tiles are taken for the hidden ones."""

LEAST_LACKING, LEAST_ELSEWHERE = 4, 2
"""Numbers with fewer marks and mines around them than they say, from which not all mines are shown:
the game goes on, or the program shows no mine but the one that exploded. So many of them are not
around one hidden cell: something may lie over a single mine."""

SHOWN_IN_PLAY, MOST_SHOWN_IN_PLAY = 3.0, 12.0
"""Cost of each further mine or wrong flag that is shown then, and most that all of them cost. Of
164 lost boards of 75 pages and programs 149 showed all mines, 15 just one, and none some of
them."""

MOST_MARKED = 6.0
"""What marks cost at most where nothing is open: flags may be set before the first click."""

OVER_SIDES, IN_PART = 7.0, 12.0
"""Cost of a program that opens over sides only, so that corners of open areas stay hidden; and what
it costs more if sides stay hidden, too, as where an opening ends after some steps."""


def log_chance(
    boards: Tiles, written: Mask | None = None, *, at_rest: bool = False
) -> NDArray[np.float64]:
    """Return the log-chance ``(m,)`` of boards ``(m, rows, cols)``, up to a constant.

    ``written`` ``(rows, cols)`` marks tiles on which a 0 is written: many of these programs open
    nothing around it. ``at_rest`` says that no mines are being shown one after another. An unread
    tile may be anything.
    """
    mine, exploded = boards == Tile.MINE, boards == Tile.EXPLODED
    flag, hidden, wrong = boards == Tile.FLAG, boards == Tile.HIDDEN, boards == Tile.WRONG_FLAG
    shown, marks = mine | exploded, flag | (boards == Tile.QUESTION)
    rest = (boards == Tile.QUESTION) | (boards == UNREAD)
    zeros, numbers = boards == 0, boards >= 0
    near_shown, near_flags, near_wrong, near_hidden, near_rest, near_numbers = _counts_around(
        shown, flag, wrong, hidden, rest, boards > 0
    )
    mined = near_shown + near_flags + near_wrong
    broken = boards > mined + near_hidden + near_rest
    broken |= numbers & (boards < near_shown)
    chance = -np.minimum(BROKEN * _count(broken), MOST_COST)
    bare = zeros if written is None else zeros & ~written
    chance -= np.minimum(BROKEN * _count(bare & beside(hidden)), IN_PART)
    chance -= np.minimum(BROKEN * _count(bare & (near_hidden > 0)), OVER_SIDES)
    lonely = (marks | wrong) & (near_numbers == 0) & (boards > 0).any(axis=(1, 2), keepdims=True)
    at_most = mined + near_rest + near_hidden * ~mine.any(axis=(1, 2))[:, None, None]
    too_many = numbers & (boards < near_shown + near_flags)
    missing = numbers & (boards > at_most)
    chance += np.minimum(0.2 * _count(zeros & (near_hidden == 0)), OPEN_AREAS)
    if at_rest:
        lacking = _lacks_mines(boards > mined + near_rest, hidden)
        shown_beside_one = np.maximum(_count(shown | wrong) - 1, 0)
        chance -= lacking * np.minimum(SHOWN_IN_PLAY * shown_beside_one, MOST_SHOWN_IN_PLAY)
    chance += np.where(
        (shown | wrong).any(axis=(1, 2)),
        _lost(mine, exploded, too_many, missing),
        _in_play(boards, near_flags, near_hidden),
    )
    chance -= np.minimum(1.2 * _count(lonely), 16.0)
    (near_full,) = _counts_around((boards > 0) & (boards == mined + near_hidden + near_rest))
    in_play = hidden.any(axis=(1, 2)) & ~(mine | wrong).any(axis=(1, 2))
    sure = _count(flag & (near_full > 0)) - _count(lonely)
    chance += in_play * np.clip(SURE_FLAG * sure, 0, SURE_FLAGS)
    read = (boards > 0) | (zeros & ~bare)
    chance += _without_numbers(
        boards, marks, mine & ~exploded.any(axis=(1, 2))[:, None, None], read
    )
    most = _count(hidden | marks | shown | wrong | rest)
    chance -= SPARSE * (most < LEAST_MINES * boards[0].size)
    return np.asarray(chance, np.float64)


def lacks_mines(tiles: Tiles) -> bool:
    """Return whether numbers of a board ``(rows, cols)`` show that not all mines are marked."""
    hidden = tiles == Tile.HIDDEN
    (marked,) = _counts_around(((tiles < 0) & ~hidden)[None])
    return bool(_lacks_mines(tiles[None] > marked, hidden[None])[0])


def _lacks_mines(lacking: Mask, hidden: Mask) -> NDArray[np.bool_]:
    """Return whether numbers that lack a mine show that not all are marked, by two hidden cells."""
    (near,) = _counts_around(lacking)
    at_one = np.where(hidden, near, 0).max(axis=(1, 2), initial=0)
    count = _count(lacking)
    return np.asarray((count >= LEAST_LACKING) & (count - at_one >= LEAST_ELSEWHERE))


def contradictory(tiles: Tiles) -> bool:
    """Return whether the numbers of a board ``(rows, cols)`` contradict each other.

    No layout of mines fits them then. A flag may be wrong, and so may a crossed-out one; an unread
    tile may be anything.
    """
    return certain_cells(np.where(tiles == Tile.WRONG_FLAG, np.int8(Tile.HIDDEN), tiles)) is None


def _counts_around(*masks: Mask) -> list[NDArray[np.int8]]:
    """Count the marked cells around each cell, for masks ``(m, rows, cols)``.

    All masks are counted at once, each in four bits of an integer.
    """
    count, rows, cols = masks[0].shape
    packed = np.zeros((count, rows + 2, cols + 2), dtype=np.int32)
    inside = packed[:, 1:-1, 1:-1]
    for mask in reversed(masks):
        inside <<= 4
        inside |= mask
    lines = packed[:, :, :-2] + packed[:, :, 1:-1]
    lines += packed[:, :, 2:]
    total = lines[:, :-2] + lines[:, 1:-1]
    total += lines[:, 2:]
    total -= inside
    return [(total >> 4 * index & 15).astype(np.int8) for index in range(len(masks))]


def _count(masks: Mask) -> NDArray[np.float64]:
    return np.asarray(masks.sum(axis=(1, 2)), np.float64)


def _lost(mine: Mask, exploded: Mask, too_many: Mask, missing: Mask) -> NDArray[np.float64]:
    """Judge a lost game: it shows its mines, and each number has as many around it as it says.

    A program may show them one after another, so that some are ``missing``. One mine exploded; some
    programs show no other, some show it like the others.
    """
    cost = np.minimum(0.8 * _count(too_many), 10.0) + np.minimum(0.2 * _count(missing), 3.0)
    chance = np.asarray(-cost, np.float64)
    blasts = _count(exploded)
    chance -= np.minimum(1.5 * np.maximum(blasts - 1, 0), 8.0)
    chance -= np.where(blasts == 0, 1.5, 0.0)
    chance -= np.where((blasts == 0) & ~mine.any(axis=(1, 2)), 4.0, 0.0)
    return np.asarray(chance - 0.5)


def _in_play(
    boards: Tiles, near_flags: NDArray[np.int8], near_hidden: NDArray[np.int8]
) -> NDArray[np.float64]:
    """Judge a game in play: no number has more flags around it than it says, few are done.

    If nothing is hidden, it is won, and no flag is wrong.
    """
    too_many = (boards >= 0) & (near_flags > boards)
    finished = (boards > 0) & (near_flags >= boards) & (near_hidden > 0)
    cost = np.minimum(1.5 * _count(too_many), 12.0) + np.minimum(0.25 * _count(finished), 5.0)
    covered = ((boards == Tile.HIDDEN) | (boards == UNREAD)).any(axis=(1, 2))
    cost += ~covered * np.minimum(BROKEN * _count(too_many), MOST_COST)
    return np.asarray(-cost)


def _without_numbers(
    boards: Tiles, marks: Mask, unprovoked: Mask, read: Mask
) -> NDArray[np.float64]:
    """Judge a board without numbers: nothing is open on it, and a player marks none of its tiles.

    It shows mines only if one of them exploded; ``unprovoked`` marks them if none did. ``read``
    marks the numbers, and the zeros that are written.
    """
    none = ~read.any(axis=(1, 2))
    opened = (boards == 0).any(axis=(1, 2))
    cost = -25.0 * opened - np.minimum(3.0 * _count(marks), MOST_MARKED)
    cost -= np.minimum(2.0 * _count(unprovoked), 20.0)
    return np.asarray(np.where(none, cost, 0.0))
