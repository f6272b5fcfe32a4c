"""The seam every player stands behind: ``Agent.decide(board) -> Decision``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from solver.board import Board, Cell, Tile

if TYPE_CHECKING:
    from solver.play import End, Play


class Action(Enum):
    """What a move does to its cell."""

    OPEN = "open"
    FLAG = "flag"
    CHORD = "chord"


class Move(NamedTuple):
    """One click on one cell."""

    cell: Cell
    action: Action = Action.OPEN


@dataclass(frozen=True)
class Decision:
    """The moves of one turn: all certain clicks together, or one guess.

    ``survival`` is the chance that no move hits a mine (1.0 for certain moves); ``win`` the
    estimated chance to win the game, None where the agent does not estimate it. ``reason`` is
    one line for people. No moves: the agent gives up, and ``reason`` says why.
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
    """A player."""

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
class Swift(Protocol):
    """An agent that can also play a game inside the kernels: the same moves, far faster."""

    def finish(self, play: Play) -> End:
        """Play on to the end, after the first cell."""
        ...


def heed_flags(board: Board, decision: Decision) -> Decision:
    """Leave flagged cells closed.

    A flag says nothing of what lies under it, but a click must not fall on one. Flagged cells are
    left for a later turn while there are others to open; at last their flags are taken away.
    """
    flagged = [move for move in decision.moves if board[move.cell] == Tile.FLAG]
    if not flagged:
        return decision
    rest = tuple(move for move in decision.moves if board[move.cell] != Tile.FLAG)
    if rest:
        return replace(decision, moves=rest)
    away = tuple(Move(move.cell, Action.FLAG) for move in flagged)
    return Decision(away, f"takes a flag away first; then: {decision.reason}", 1.0)
