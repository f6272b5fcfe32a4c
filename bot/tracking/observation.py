"""What a board that was read says of the game: under way, over, another one, not to be trusted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bot.errors import BoardChanged
from calibration.frame import Frame
from calibration.reader import Reading
from solver.board import Board, Tile, count_neighbours
from solver.game import Status


@dataclass(frozen=True)
class View:
    """A picture that could be read, what was read, and how long both took."""

    frame: Frame
    reading: Reading
    grab_ms: float = 0.0
    read_ms: float = 0.0

    @property
    def board(self) -> Board:
        """The board as read."""
        return self.reading.board

    @property
    def over(self) -> bool:
        """Whether the program says that the game is over."""
        return self.reading.status is not Status.PLAYING

    @property
    def fresh(self) -> bool:
        """Whether nobody has played on this board."""
        return not self.over and bool(self.board.covered.all())


def check_follows(before: Board | None, board: Board) -> None:
    """Raise `BoardChanged` if a number open ``before`` is closed or another one now."""
    if before is None:
        return
    if before.tiles.shape != board.tiles.shape:
        raise BoardChanged("The board has another size than a moment ago: start again.")
    changed = np.argwhere(before.open & (before.tiles != board.tiles))
    if len(changed):
        row, col = (int(index) for index in changed[0])
        raise BoardChanged(
            f"The open number in row {row + 1}, column {col + 1} does not look as before: was a "
            "new game started by hand? Start again to play on."
        )


def begun_anew(final: Board, view: View) -> bool:
    """Whether a view shows another game than the one that ended with ``final``.

    Some programs open a corner of a new board themselves, so it need not be all covered.
    """
    if view.over:
        return False
    if final.tiles.shape != view.board.tiles.shape:
        return True
    opened = final.open & view.board.covered
    return bool(opened.any()) or not bool(final.open.any())


def plausible(view: View) -> bool:
    """Whether the board itself bears out the status: the second sign."""
    board = view.board
    if view.reading.status is Status.LOST:
        return bool((board.tiles <= Tile.MINE).any())
    return board.mines is None or int((~board.open).sum()) == board.mines


def half_flooded(board: Board) -> bool:
    """Whether an open zero has a closed neighbour: the program is still opening cells."""
    beside_zero = count_neighbours(board.tiles == 0) > 0
    return bool((beside_zero & (board.tiles == Tile.HIDDEN)).any())
