"""The base class of the papers' agents: open what is proven safe, else guess or give up."""

from __future__ import annotations

import random
import zlib
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.agents.base import Decision, Move, avoid_flags
from solver.board import Board, Cell, Tile
from solver.counting import counted
from solver.errors import CannotAnalyse
from solver.mine_total import analyse_likely


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
