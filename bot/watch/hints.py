"""Interface of a hint display: called on every change and on every stable board."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from calibration.grid import Grid
from solver.board import Board, Cell


@dataclass(frozen=True)
class Sight:
    """The board of a game under way, at rest; ``grid`` is in pixels of the whole screen.

    A tile or two may be unknown, where a pointer or a bubble hides them. ``game`` counts from 1.
    """

    game: int
    board: Board
    grid: Grid


class Hints(Protocol):
    """Receives what happens on the watched board, as soon as it is seen."""

    def board_changed(self, cells: Collection[Cell] | None) -> None:
        """React to another picture of the board: it changes, moves, or something lies over it.

        ``cells`` are those that look different from the stable board; None if that is unknown.
        """
        ...

    def board_at_rest(self, sight: Sight) -> None:
        """React to a board that has been read; it may be the same as before, elsewhere."""
        ...


class NoHints:
    """Shows nothing."""

    def board_changed(self, cells: Collection[Cell] | None) -> None:
        """Do nothing."""

    def board_at_rest(self, sight: Sight) -> None:
        """Do nothing."""


NO_HINTS = NoHints()
