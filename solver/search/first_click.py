"""Choose the first click of a small board: every game that may follow is searched.

First clicks that are images of each other, by a turn or a reflection, are searched once.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.exact import cache
from solver.exact.kernels import kernel
from solver.search.endgame.best_play import GIVEN_UP, most_wins
from solver.search.endgame.layouts import MINED, list_layouts, numbers_shown
from solver.search.endgame.memo import Search, begin_search
from solver.search.game_state import begin_state, study_state
from solver.search.limit import Limit

MIRRORED: Final = 64
"""Cells of the largest board whose mirror images are listed."""


def decide_first(
    field: NDArray[np.int8], cols: int, mines: int, limit: Limit, spared: int
) -> tuple[int, float]:
    """Return the best first click and its chance to win; a cell of -1 past the allowed work.

    ``spared`` is what the first-click rule keeps free of mines: 0 nothing, 1 the cell, 2 its
    neighbours too. Waits for a process that compiles the kernels now, if there is one.
    """
    cache.wait_for(cache.Part.GUESSES)
    return search_first_clicks(field, cols, mines, limit, spared)


def search_first_clicks(
    field: NDArray[np.int8], cols: int, mines: int, limit: Limit, spared: int
) -> tuple[int, float]:
    """Return what `decide_first` does, without waiting."""
    state = begin_state(field, cols, mines)
    cells, layouts = list_layouts(state.field, state.near, study_state(state), limit.layouts)
    count = len(layouts)
    shown = numbers_shown(state.field, state.near, cells, layouts)
    search = begin_search(shown, mirror_images(layouts, cols), limit.positions)
    best, chance = -1, 0.0
    for at in range(cells.size):
        if not _is_first_of_its_images(int(cells[at]), cols, field.size):
            continue
        last = MINED
        among = count
        if spared == 2 and (shown[at] == 0).any():
            last = 1  # the rule gives a zero where there is room for one
        if spared > 0:
            among = int((shown[at] < last).sum())
        won = wins_after(search, shown[at], last, int(chance * among))
        if won == GIVEN_UP:
            return -1, 0.0
        if among > 0 and (best < 0 or won > chance * among):
            best, chance = at, won / among
    return int(cells[best]), chance


def wins_after(search: Search, shown: NDArray[np.int8], last: int, to_beat: int) -> int:
    """Return the layouts won once a first cell, showing less than ``last``, is open.

    ``shown[layout]`` is what the cell shows. A result that is not more than ``to_beat`` is an upper
    bound; it is GIVEN_UP if the search takes more work than allowed.
    """
    most = int((shown < last).sum())
    for number in range(last):
        part = np.flatnonzero(shown == number).astype(np.int32)
        if part.size > 1 and most > to_beat:
            won, _ = most_wins(search, part, max(0, to_beat - most + part.size))
            if won == GIVEN_UP:
                return GIVEN_UP
            most += won - part.size
    return most


def _is_first_of_its_images(cell: int, cols: int, size: int) -> bool:
    """Whether a cell comes first of all cells that a turn or reflection of the board puts on it."""
    row, col = cell // (cols + 2) - 1, cell % (cols + 2) - 1
    rows = size // (cols + 2) - 2
    return 2 * row < rows and 2 * col < cols and (rows != cols or row <= col)


@kernel
def mirror_images(layouts: NDArray[np.bool_], cols: int) -> NDArray[np.int32]:
    """Return the place of each layout's image under every turn and reflection of the board.

    int32 ``[image, layout]``, without images on boards of more than MIRRORED cells. ``layouts`` are
    all layouts of an untouched board in the order of `list_layouts`: as rising binary numbers.
    """
    count, cells = layouts.shape
    if cells > MIRRORED or count < 2:
        return np.empty((0, count), np.int32)
    rows, mines = cells // cols, layouts[0].sum()
    binomials = np.zeros((cells + 1, mines + 1), np.int64)
    binomials[:, 0] = 1
    for size in range(1, cells + 1):
        for held in range(1, mines + 1):
            binomials[size, held] = binomials[size - 1, held - 1] + binomials[size - 1, held]
    images = 8 if rows == cols else 4
    found = np.empty((images - 1, count), np.int32)
    turned = np.empty(cells, np.int64)
    for image in range(1, images):
        for cell in range(cells):
            row, col = cell // cols, cell % cols
            if image & 1:
                row = rows - 1 - row
            if image & 2:
                col = cols - 1 - col
            turned[cell] = col * cols + row if image & 4 else row * cols + col
        for layout in range(count):
            place, left = 0, mines
            for cell in range(cells):
                if layouts[layout, turned[cell]]:
                    place += binomials[cells - cell - 1, left]
                    left -= 1
            found[image - 1, layout] = place
    return found
