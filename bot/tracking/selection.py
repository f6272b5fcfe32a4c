"""A click that takes away a selection of text, and does nothing else.

Quick clicks may select the text of a page: its digits are white on blue then, and the board cannot
be read. A click on a 0 around which all is open opens nothing in any program.
"""

from __future__ import annotations

import numpy as np

from bot.tracking.tracker import BoardTracker
from calibration.points import ScreenPoint
from calibration.theme import LEARNED
from solver.board import Board, Cell, count_neighbours

LEAST_SELECTED = 2
"""Numbers that look different from the last board that was read, if text is selected."""


def deselecting_point(tracker: BoardTracker, after: Board) -> ScreenPoint | None:
    """Return where to click, if numbers look different and a 0 of ``after`` does not.

    None for a known program, and where no such 0 looks as it did when the board was read last.
    """
    read, now = tracker.last_read, tracker.last_frame
    if read is None or now is None or tracker.target.on_screen.theme.program != LEARNED:
        return None
    idle = _cells((after.tiles == 0) & (count_neighbours(~after.open) == 0))
    numbers = _cells(after.tiles > 0)
    if now.pixels.shape != read[0].pixels.shape:
        return None
    same = {*idle} - {*tracker.changed_cells(read[0], now, idle)}
    selected = tracker.changed_cells(read[0], now, numbers)
    if not same or len(selected) < LEAST_SELECTED:
        return None
    return tracker.click_point(now, min(same))


def _cells(marked: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> list[Cell]:
    return [Cell(*cell) for cell in np.argwhere(marked).tolist()]
