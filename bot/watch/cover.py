"""What can be seen of a board while something, such as a dialog, covers it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bot.tracking.observation import Observation
from bot.tracking.tracker import BoardTracker
from calibration.frame import Frame
from calibration.rules import UNREAD
from solver.board import Board, Cell, Tile
from solver.game import Status

MOST_CHANGED = 5
"""If more open tiles than this look different, something covers the board. Reading such a frame
takes up to a second, in which the person may close a dialog and start the next game."""

SIGNS_OF_LOSS = 2
"""Visible mines from which a loss is recognised: two signs."""


def is_covered(tracker: BoardTracker, last: Observation, frame: Frame) -> bool:
    """Whether many of the tiles that were open on the ``last`` board look different in a frame."""
    opened = [cell for cell in last.board.cells() if last.board.open[cell]]
    return len(tracker.target.changed_cells(last.frame, frame, opened)) > MOST_CHANGED


def loss_beside_cover(
    tracker: BoardTracker,
    last: Observation,
    frame: Frame,
    *,
    pointer: Cell | None,
    before: Observation | None,
) -> Observation | None:
    """Return the lost end of a game as far as a ``frame`` of its covered board shows it.

    ``before`` is what an earlier frame showed; it stays if this one shows too few mines, or mines
    where the ``last`` board is open, or if it shows the mine that exploded. If that mine is not in
    sight, it is the hidden cell that was under the ``pointer``.
    """
    if before is not None and (before.board.tiles == Tile.EXPLODED).any():
        return before
    mines = tracker.target.reader.shown_mines(frame)
    seen = mines != UNREAD
    if seen.sum() < SIGNS_OF_LOSS or (seen & last.board.open).any():
        return before
    tiles = np.where(seen, mines, last.board.tiles)
    if pointer is not None and not (tiles == Tile.EXPLODED).any():
        tiles[pointer] = Tile.EXPLODED if tiles[pointer] == Tile.HIDDEN else tiles[pointer]
    board = Board(tiles, last.board.mines)
    return Observation(frame, replace(last.reading, board=board, status=Status.LOST))
