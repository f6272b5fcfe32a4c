"""The interface of all agents, ``Agent.decide(board) -> Decision``, and what several share."""

from __future__ import annotations

import random
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from solver.analysis import analyse_likely
from solver.board import Board, Cell, Tile
from solver.counting import counted
from solver.engine.calls import EngineGame
from solver.errors import CannotAnalyse
from solver.game import Rule


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

    def play(self, mined: NDArray[np.bool_], first: Cell, seed: int | None) -> EngineGame:
        """Play a layout to the end after the first cell, as `solver.engine.calls.play`."""
        ...


@runtime_checkable
class Thinker(Protocol):
    """An agent that may take seconds over a guess, and reports its progress.

    It calls ``on_progress`` several times a second with the number of worlds done and the largest
    possible number. An exception raised there stops the search and propagates from `Agent.decide`.
    """

    on_progress: Callable[[int, int], None]


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


# ---- the first click of a game -------------------------------------------------------------------


def untouched(board: Board) -> bool:
    """Whether every cell is still covered."""
    return bool(board.covered.all())


def first_click(board: Board, rule: Rule) -> Cell:
    """Choose the first cell for the first-click rule.

    A corner is most likely to show a zero. If the rule guarantees a zero, a cell a little inside
    opens more, because its area meets fewer edges.
    """
    if rule is not Rule.ZERO:
        return Cell(0, 0)
    inset = 3 if board.rows * board.cols > 256 else 2
    return Cell(min(inset, (board.rows - 1) // 2), min(inset, (board.cols - 1) // 2))


def first_survival(board: Board, rule: Rule) -> float:
    """Return the chance that the first click is safe."""
    if rule is not Rule.NONE:
        return 1.0
    return 1.0 - float(analyse_likely(board).probabilities[0, 0])


# ---- the base class of the papers' agents --------------------------------------------------------


@dataclass(frozen=True)
class Inference:
    """The covered cells that an agent can prove safe, and those it can prove to be mines."""

    safe: tuple[Cell, ...] = ()
    mines: tuple[Cell, ...] = ()


class Reasoner(ABC):
    """An agent that opens the cells it can prove safe.

    A subclass proves cells in ``prove`` and may choose in ``guess`` what to do when no cell is
    proven safe. Random choices depend on ``seed`` and the tiles alone, so the same board always
    gets the same decision. ``method`` ends the sentence "3 cells ..." in the decision's reason.
    The last inference is kept, because deciding, flagging and explaining all ask for it.
    """

    name: str
    method = "proven"

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed
        self._last: tuple[Board, Inference] | None = None

    @abstractmethod
    def prove(self, board: Board) -> Inference:
        """Find certain cells. Raises `InconsistentBoard` when no layout fits."""

    def guess(self, board: Board, inference: Inference) -> Decision:
        """Choose a move when no cell is proven safe: by default a random cell."""
        return self.random_guess(board, inference)

    def infer(self, board: Board) -> Inference:
        """Return what is certain on ``board``."""
        if self._last is None or self._last[0] != board:
            self._last = (board, self.prove(board))
        return self._last[1]

    def decide(self, board: Board) -> Decision:
        """Open all cells that are proven safe; guess if there are none."""
        inference = self.infer(board)
        safe = inference.safe
        if not safe:
            return self.guess(board, inference)
        decision = Decision(
            tuple(map(Move, safe)), f"{counted(len(safe), 'cell')} {self.method}", 1.0
        )
        return avoid_flags(board, decision)

    def random_guess(self, board: Board, inference: Inference, why: str = "stuck") -> Decision:
        """Open a random cell that is neither flagged nor a proven mine."""
        allowed = np.flatnonzero(guessable(board, inference)).tolist()
        if not allowed:
            return give_up("only flagged cells and known mines are left")
        cell = Cell(*divmod(self.random_for(board).choice(allowed), board.cols))
        return guess_one(cell, f"{why}: a cell at random", blind_survival(board, inference))

    def random_for(self, board: Board) -> random.Random:
        """Return the random generator for this board."""
        return random.Random(f"{self.seed}/{zlib.crc32(board.tiles.tobytes())}")


def guessable(board: Board, inference: Inference) -> NDArray[np.bool_]:
    """Mark the cells that a guess may open: covered, without a flag, not a proven mine."""
    allowed: NDArray[np.bool_] = (board.tiles == Tile.HIDDEN) | (board.tiles == Tile.QUESTION)
    for cell in inference.mines:
        allowed[cell] = False
    return allowed


def blind_survival(board: Board, inference: Inference) -> float:
    """Return the chance that a random unproven covered cell is safe.

    If the mine total is unknown, it is the mean over the likely totals, or 0.5 if the board cannot
    be analysed.
    """
    unproven = int(board.covered.sum()) - len(inference.mines) - len(inference.safe)
    if unproven <= 0:
        return 0.5
    if board.mines is None:
        try:
            risks = analyse_likely(board).probabilities
        except CannotAnalyse:
            return 0.5
        left = float(np.nansum(risks)) - len(inference.mines)
    else:
        shown = int(((board.tiles == Tile.MINE) | (board.tiles == Tile.EXPLODED)).sum())
        left = board.mines - shown - len(inference.mines)
    return below_certain(1 - left / unproven)


def below_certain(survival: float) -> float:
    """Clip the estimated survival of a guess to 0..1, 1 excluded: a guess is never certain."""
    return min(max(survival, 0.0), float(np.nextafter(1.0, 0.0)))


def guess_one(cell: Cell, reason: str, survival: float) -> Decision:
    """Open one cell that may be mined."""
    return Decision((Move(cell),), reason, below_certain(survival))


def give_up(why: str) -> Decision:
    """Return the decision to make no more moves, for the reason ``why``."""
    return Decision((), f"gives up: {why}", 0.0)
