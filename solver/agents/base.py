"""The interface of all agents: ``Agent.decide(board) -> Decision``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from solver.board import Board, Cell, Tile
from solver.engine.calls import Played


class Action(Enum):
    """What a move does to its cell."""

    OPEN = "open"
    FLAG = "flag"
    CHORD = "chord"


class Move(NamedTuple):
    """One click on one cell."""

    cell: Cell
    action: Action = Action.OPEN

    def words(self, board: Board) -> str:
        """Describe the move on this board; a flagging click on a flag removes it.

        >>> Move(Cell(0, 1), Action.FLAG).words(Board.from_text("1F"))
        'Remove the flag from row 1, column 2'
        """
        if self.action is Action.FLAG and board[self.cell] == Tile.FLAG:
            return f"Remove the flag from {self.cell.place}"
        words = {Action.OPEN: "Open", Action.FLAG: "Flag", Action.CHORD: "Chord at"}
        return f"{words[self.action]} {self.cell.place}"


@dataclass(frozen=True)
class Decision:
    """The moves of one turn: all certain moves together, or one guess.

    ``survival`` is the chance that no move hits a mine (1.0 for certain moves). ``win`` is the
    estimated win chance, None if the agent does not estimate it. ``reason`` is one line for the
    user. A decision without moves means that the agent gives up; ``reason`` then says why.

    >>> Decision((Move(Cell(0, 1)),), "the least risk", survival=0.8).certain
    False
    """

    moves: tuple[Move, ...]
    reason: str
    survival: float
    win: float | None = None

    @property
    def certain(self) -> bool:
        """Whether every move is known to be safe."""
        return self.survival == 1.0


class Agent(Protocol):
    """A player: takes a board and returns a decision."""

    @property
    def name(self) -> str:
        """Name in the registry."""
        ...

    def decide(self, board: Board) -> Decision:
        """Choose the moves of the next turn.

        Raises `InconsistentBoard` when no layout fits the board.
        """
        ...


@runtime_checkable
class EnginePlayer(Protocol):
    """An agent that can also play a whole game inside the engine: the same moves, much faster."""

    def play(self, mined: NDArray[np.bool_], first: Cell, seed: int | None) -> Played:
        """Play a layout to the end after the first cell, as `solver.engine.calls.play`."""
        ...


@runtime_checkable
class Thinker(Protocol):
    """An agent that may take seconds over a guess, and reports its progress.

    It calls ``on_progress`` several times a second with the number of worlds done and the largest
    possible number. An exception raised there stops the search and propagates from `Agent.decide`.
    """

    on_progress: Callable[[int, int], None]


def ignore_progress(done: int, most: int) -> None:
    """Ignore the progress of a search."""


@runtime_checkable
class RatesCells(Protocol):
    """An agent that can say how it rates every covered cell, such as a network's Q-values."""

    def rate(self, board: Board) -> NDArray[np.float64]:
        """Return a value for every covered cell, larger where it is safer; NaN elsewhere.

        Raises `SolverError` if it cannot rate this board.
        """
        ...


def avoid_flags(board: Board, decision: Decision) -> Decision:
    """Keep a decision from opening flagged cells.

    A flag does not prove a mine, but programs ignore a click on it. Flagged cells are left for a
    later turn while there are other cells to open; after that, their flags are removed first.
    """
    flagged = [move for move in decision.moves if board[move.cell] == Tile.FLAG]
    if not flagged:
        return decision
    rest = tuple(move for move in decision.moves if board[move.cell] != Tile.FLAG)
    if rest:
        return replace(decision, moves=rest)
    away = tuple(Move(move.cell, Action.FLAG) for move in flagged)
    first = "a flagged cell cannot be opened, so its flag is removed first; then"
    return Decision(away, f"{first}: {decision.reason}", 1.0)
