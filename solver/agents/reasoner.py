"""The common frame of the papers' agents: open what is proven safe, else guess or give up."""

from __future__ import annotations

import random
import zlib
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.agents.base import Decision, Move, heed_flags
from solver.board import Board, Cell, Tile


@dataclass(frozen=True)
class Inference:
    """The covered cells an agent can prove safe, and those it can prove mined."""

    safe: tuple[Cell, ...] = ()
    mines: tuple[Cell, ...] = ()


class Reasoner(ABC):
    """An agent that proves what it can.

    ``infer`` is its logic, ``guess`` what it does when nothing is left to prove. Chance comes
    from ``seed`` and the tiles alone, so the same board always gets the same answer. The last
    inference is kept, since deciding, flagging and explaining all ask for it.
    """

    name: str
    how = "proven"

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed
        self._last: tuple[Board, Inference] | None = None

    @abstractmethod
    def prove(self, board: Board) -> Inference:
        """Find certain cells. Raises `InconsistentBoard` when no layout fits."""

    def guess(self, board: Board, inference: Inference) -> Decision:
        """Choose when nothing is proven safe: by default at random."""
        return self.random_guess(board, inference)

    def infer(self, board: Board) -> Inference:
        """Return what is certain on ``board``."""
        if self._last is None or self._last[0] != board:
            self._last = (board, self.prove(board))
        return self._last[1]

    def decide(self, board: Board) -> Decision:
        """Open every cell proven safe; guess when there is none."""
        inference = self.infer(board)
        safe = inference.safe
        if not safe:
            return self.guess(board, inference)
        decision = Decision(tuple(map(Move, safe)), f"{_cells(len(safe))} {self.how}", 1.0)
        return heed_flags(board, decision)

    def random_guess(self, board: Board, inference: Inference, why: str = "stuck") -> Decision:
        """Pick any cell that is neither flagged nor a known mine."""
        free = np.flatnonzero(guessable(board, inference)).tolist()
        if not free:
            return give_up("nothing is left to open but flagged cells and known mines")
        cell = Cell(*divmod(self.dice(board).choice(free), board.cols))
        return one_guess(cell, f"{why}: a cell at random", background(board, inference))

    def dice(self, board: Board) -> random.Random:
        """Return the dice for this board."""
        return random.Random(f"{self.seed}/{zlib.crc32(board.tiles.tobytes())}")


def guessable(board: Board, inference: Inference) -> NDArray[np.bool_]:
    """Mark the cells a guess may open: covered, without a flag, not known to be mined."""
    free: NDArray[np.bool_] = (board.tiles == Tile.HIDDEN) | (board.tiles == Tile.QUESTION)
    for cell in inference.mines:
        free[cell] = False
    return free


def background(board: Board, inference: Inference) -> float:
    """Return the chance that a covered cell, drawn blindly among the unproven, is safe.

    Without a mine total every cell counts as even.
    """
    unproven = int(board.covered.sum()) - len(inference.mines) - len(inference.safe)
    if board.mines is None or unproven <= 0:
        return 0.5
    shown = int(((board.tiles == Tile.MINE) | (board.tiles == Tile.EXPLODED)).sum())
    left = board.mines - shown - len(inference.mines)
    return below_certain(1 - left / unproven)


def below_certain(survival: float) -> float:
    """Clip a guess's estimated survival into 0..1, short of 1: a guess is never certain."""
    return min(max(survival, 0.0), float(np.nextafter(1.0, 0.0)))


def one_guess(cell: Cell, reason: str, survival: float) -> Decision:
    """Open one cell that may be mined."""
    return Decision((Move(cell),), reason, below_certain(survival))


def give_up(why: str) -> Decision:
    """Make no move."""
    return Decision((), f"gives up: {why}", 0.0)


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"
