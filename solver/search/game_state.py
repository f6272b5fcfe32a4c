"""One position as the search sees it: its field, the counts kept beside it, and room to work in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.exact.constraints import count_around, count_cells, list_ready_numbers, offsets
from solver.exact.kernels import kernel
from solver.exact.probability import LayoutCounts, count_layouts

COVERED, UNKNOWN_MINES, WAITING = 0, 1, 2
"""Places in ``GameState.counts``.

COVERED: cells that are hidden and not known as mines or as free. UNKNOWN_MINES: mines that are not
located yet. WAITING: numbers in the queue.
"""


class GameState(NamedTuple):
    """One game as its player sees it, the layout behind it, and room to work in.

    ``field`` is described in `solver.exact.codes`, ``near``, ``need`` and ``around`` in
    `solver.exact.constraints`. ``mined`` is the true layout; only opening a cell looks at it.
    ``queue`` lists the open numbers that a single-number rule may fit; ``found`` and ``stack`` are
    room for lists of cells. ``counts`` has the places COVERED, UNKNOWN_MINES and WAITING.
    """

    field: NDArray[np.int8]
    mined: NDArray[np.bool_]
    near: NDArray[np.int64]
    need: NDArray[np.int8]
    around: NDArray[np.int8]
    queue: NDArray[np.int32]
    found: NDArray[np.int32]
    stack: NDArray[np.int32]
    counts: NDArray[np.int64]


@kernel
def begin_state(field: NDArray[np.int8], cols: int, mines: int) -> GameState:
    """Return the state of a field with ``mines`` in all; the caller fills in the layout."""
    near = offsets(cols)
    size = field.size
    state = GameState(
        field.copy(),
        np.zeros(size, np.bool_),
        near,
        np.zeros(size, np.int8),
        np.zeros(size, np.int8),
        np.empty(9 * size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.zeros(3, np.int64),
    )
    count_around(state.field, near, state.need, state.around)
    hidden, located = count_cells(field)
    state.counts[COVERED] = hidden
    state.counts[UNKNOWN_MINES] = mines - located
    state.counts[WAITING] = list_ready_numbers(state.field, state.need, state.around, state.queue)
    return state


def study_state(state: GameState) -> LayoutCounts:
    """Count the layouts that fit the game as it stands.

    For Python only. A kernel calls `count_layouts` itself: one more call costs seconds to compile.
    """
    return count_layouts(
        state.field,
        state.near,
        state.need,
        state.around,
        int(state.counts[COVERED]),
        int(state.counts[UNKNOWN_MINES]),
    )
