"""Thousands of boards played at once, in compiled code.

Every board is a row of `Boards.field`: a *field* as in `solver.exact.codes`, with a border of one
cell. A cell is named by its place in that row, ``(row + 1) * (cols + 2) + col + 1``.

The *report's game* is that of the DQN report and its program: a zero opens the zeros that touch it,
but no numbers; before the first move, SHOWN draws open zeros; the first move may hit a mine.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.codes import FREE, HIDDEN
from solver.exact.constraints import offsets
from solver.exact.kernels import kernel
from solver.exact.probability import mine_risks
from solver.exact.sampling import uniform
from solver.game import Rule

SHOWN: Final = 5
"""How many zeros are drawn before a game of the report begins; those still covered are opened."""

PLAYING: Final = 0
WON: Final = 1
LOST: Final = 2

HIT: Final = -1
"""What `open_cells` tells of a cell that is a mine; else it tells how many tiles it opened."""


class Boards(NamedTuple):
    """The boards, what lies under them, and how their games stand.

    ``mined[b]`` is meaningful once ``laid[b]``. ``left`` counts the safe cells that are covered,
    ``status`` is PLAYING, WON or LOST, ``random`` holds one word of generator state a board.
    ``shape`` is rows, columns, mines, the number of the first-click rule, and 1 for the report's
    game.
    """

    field: NDArray[np.int8]
    mined: NDArray[np.bool_]
    laid: NDArray[np.bool_]
    left: NDArray[np.int64]
    status: NDArray[np.int8]
    random: NDArray[np.uint64]
    shape: NDArray[np.int64]


def make_boards(
    count: int,
    rows: int,
    cols: int,
    mines: int,
    rule: Rule,
    seed: int,
    *,
    report_game: bool = False,
) -> Boards:
    """Return ``count`` boards before their first move; their mines follow from ``seed``.

    The report's game has no first-click rule: ``rule`` says nothing there.
    """
    size = (rows + 2) * (cols + 2)
    boards = Boards(
        np.empty((count, size), np.int8),
        np.zeros((count, size), np.bool_),
        np.zeros(count, np.bool_),
        np.zeros(count, np.int64),
        np.zeros(count, np.int8),
        np.random.default_rng(seed).integers(0, 2**63, (count, 1)).astype(np.uint64),
        np.array([rows, cols, mines, 0 if report_game else list(Rule).index(rule), report_game]),
    )
    deal(boards, np.ones(count, np.bool_))
    return boards


@kernel
def _is_spared(cell: int, first: int, near: NDArray[np.int64], wide: bool) -> bool:
    if cell == first:
        return True
    if wide:
        for step in near:
            if cell == first + step:
                return True
    return False


@kernel
def _lay(boards: Boards, at: int, first: int, near: NDArray[np.int64]) -> None:
    """Lay the mines of a board whose first opened cell is ``first``."""
    mines, rule = boards.shape[2], boards.shape[3]
    field, mined = boards.field[at], boards.mined[at]
    spared, cells, around = 0, 0, 0
    for place in range(field.size):
        cells += field[place] == HIDDEN
    for step in near:
        around += field[first + step] == HIDDEN
    wide = rule == 2 and mines <= cells - around - 1
    spared = 0 if rule == 0 else 1 + around * wide
    room, left = cells - spared, mines
    for place in range(field.size):
        mined[place] = False
        if field[place] != HIDDEN or (rule > 0 and _is_spared(place, first, near, wide)):
            continue
        mined[place] = uniform(boards.random[at]) * room < left
        left -= mined[place]
        room -= 1
    boards.laid[at] = True


@kernel
def _number(boards: Boards, at: int, cell: int, near: NDArray[np.int64]) -> int:
    """Return how many mines a cell touches."""
    number = 0
    for step in near:
        number += boards.mined[at, cell + step]
    return number


@kernel
def _reveal(boards: Boards, at: int, first: int, near: NDArray[np.int64]) -> int:
    """Open a safe cell, and the area around a zero; return how many tiles were opened.

    In the report's game the area ends where the zeros end.
    """
    field, report_game = boards.field[at], boards.shape[4] == 1
    stack = np.empty(field.size, np.int64)
    stack[0] = first
    waiting, opened = 1, 0
    field[first] = 0
    while waiting > 0:
        waiting -= 1
        cell = stack[waiting]
        number = _number(boards, at, cell, near)
        field[cell] = number
        opened += 1
        if number > 0:
            continue
        for step in near:
            beside = cell + step
            if field[beside] != HIDDEN:
                continue
            if report_game and _number(boards, at, beside, near) > 0:
                continue
            field[beside] = 0
            stack[waiting] = beside
            waiting += 1
    boards.left[at] -= opened
    return opened


@kernel
def _show_zeros(boards: Boards, at: int, near: NDArray[np.int64]) -> None:
    """Draw SHOWN zeros and open those that are covered; a board may have none."""
    field, mined = boards.field[at], boards.mined[at]
    zeros = np.empty(field.size, np.int64)
    count = 0
    for place in range(field.size):
        if field[place] != HIDDEN or mined[place] or _number(boards, at, place, near) > 0:
            continue
        zeros[count] = place
        count += 1
    for _ in range(SHOWN if count else 0):
        place = zeros[int(uniform(boards.random[at]) * count)]
        if field[place] == HIDDEN:
            _reveal(boards, at, place, near)
    if boards.left[at] == 0:
        boards.status[at] = WON


@kernel
def deal(boards: Boards, chosen: NDArray[np.bool_]) -> None:
    """Start a new game on the chosen boards."""
    rows, cols, mines, _, report_game = boards.shape
    near = offsets(cols)
    for at in range(chosen.size):
        if not chosen[at]:
            continue
        field = boards.field[at]
        for place in range(field.size):
            row, col = place // (cols + 2), place % (cols + 2)
            inside = 0 < row <= rows and 0 < col <= cols
            field[place] = HIDDEN if inside else FREE
        boards.laid[at] = False
        boards.left[at] = rows * cols - mines
        boards.status[at] = PLAYING
        if report_game:
            _lay(boards, at, cols + 3, near)
            _show_zeros(boards, at, near)


@kernel
def open_cells(boards: Boards, cells: NDArray[np.int64], opened: NDArray[np.int64]) -> None:
    """Open one cell on each board whose game is not over; place 0 opens nothing.

    ``opened[b]`` becomes the number of tiles that were opened, 0 for a cell that was open already,
    HIT for a mine.
    """
    near = offsets(boards.shape[1])
    for at in range(cells.size):
        cell = cells[at]
        opened[at] = 0
        if boards.status[at] != PLAYING or boards.field[at, cell] != HIDDEN:
            continue
        if not boards.laid[at]:
            _lay(boards, at, cell, near)
        if boards.mined[at, cell]:
            opened[at] = HIT
            boards.status[at] = LOST
            continue
        opened[at] = _reveal(boards, at, cell, near)
        if boards.left[at] == 0:
            boards.status[at] = WON


@kernel
def survive(boards: Boards, chosen: NDArray[np.bool_]) -> None:
    """Go on with the chosen lost games: open another cell that is safe.

    It is a random one beside a number, or any safe one if there is none.
    """
    near = offsets(boards.shape[1])
    for at in range(chosen.size):
        if not chosen[at]:
            continue
        field = boards.field[at]
        best, highest = 0, -1.0
        for place in range(field.size):
            if field[place] != HIDDEN or boards.mined[at, place]:
                continue
            beside = False
            for step in near:
                beside |= field[place + step] >= 0
            mark = uniform(boards.random[at]) + beside
            if mark > highest:
                best, highest = place, mark
        boards.status[at] = PLAYING
        _reveal(boards, at, best, near)
        if boards.left[at] == 0:
            boards.status[at] = WON


def exact_risks(boards: Boards, at: int) -> NDArray[np.float64]:
    """Return the exact risk of every cell of one board's field; open cells hold no meaning."""
    risks, _ = mine_risks(boards.field[at], int(boards.shape[1]), int(boards.shape[2]))
    return risks
