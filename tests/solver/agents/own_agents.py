"""Agents that are not part of the program: one that keeps the rules, and one that breaks them."""

import sys
from typing import Any

import numpy as np

from solver import Action, Board, Cell, Decision, InconsistentBoard, Move, Rule, analyse, give_up


class Careful:
    """Opens what is certain, else the cell of least risk; prints what it does."""

    name = "careful"

    def __init__(
        self, *, seed: int = 0, rule: Rule = Rule.SAFE, last: bool = False, depth: int = 1
    ) -> None:
        self.last = last
        self.rule = rule

    def decide(self, board: Board) -> Decision:
        analysis = analyse(board)
        print("thinking")
        if analysis.safe:
            return Decision(tuple(map(Move, analysis.safe)), "certainly safe", 1.0)
        if board.covered.sum() == len(analysis.mines):
            return Decision((), "no cell is left to open", 1.0)
        risks = analysis.probabilities
        cells = np.argwhere(risks == np.nanmin(risks))
        row, col = cells[-1 if self.last else 0]  # numbers of numpy are welcome
        spared = board.covered.all() and self.rule is not Rule.NONE
        return Decision(
            (Move(Cell(row, col)),), "least risk", 1.0 if spared else 1 - risks[row, col]
        )


class Faulty:
    """Does what ``fault`` says on every board."""

    def __init__(self, *, fault: str = "raise") -> None:
        self.fault = fault
        if fault == "constructor":
            raise OSError("the disk is gone")

    def decide(self, board: Board) -> Any:
        return getattr(self, f"_{self.fault}")(board)

    def _raise(self, board: Board) -> None:
        raise ValueError("the cat\nsat on it.")

    def _loop(self, board: Board) -> None:
        print("looping", flush=True)
        while True:
            pass

    def _leave(self, board: Board) -> None:
        sys.exit("bye")

    def _none(self, board: Board) -> None:
        return None

    def _text(self, board: Board) -> Decision:
        return Decision("01", "text", 1.0)  # type: ignore[arg-type]

    def _half(self, board: Board) -> Decision:
        return Decision((Move(Cell(0.5, 1)),), "half", 1.0)  # type: ignore[arg-type]

    def _pairs(self, board: Board) -> Decision:
        return Decision(((0, 1),), "pairs", 1.0)  # type: ignore[arg-type]

    def _off(self, board: Board) -> Decision:
        return Decision((Move(Cell(board.rows, 0)),), "off the board", 1.0)

    def _before(self, board: Board) -> Decision:
        return Decision((Move(Cell(0, -1)),), "before the board", 1.0)

    def _open(self, board: Board) -> Decision:
        return Decision((Move(Cell(1, 1)),), "open already", 1.0)

    def _chord(self, board: Board) -> Decision:
        return Decision((Move(Cell(0, 0), Action.CHORD),), "nothing to chord", 1.0)

    def _twice(self, board: Board) -> Decision:
        return Decision((Move(Cell(0, 0)), Move(Cell(0, 0))), "twice", 1.0)

    def _nothing(self, board: Board) -> Decision:
        return Decision((), "nothing", 1.0)

    def _likely(self, board: Board) -> Decision:
        return Decision((Move(Cell(0, 0)),), "more than certain", 1.5)

    def _nan(self, board: Board) -> Decision:
        return Decision((Move(Cell(0, 0)),), "unknown", 0.5, win=float("nan"))

    def _flags(self, board: Board) -> Decision:
        return Decision((Move(Cell(0, 0), Action.FLAG),), "flags", 1.0)

    def _up(self, board: Board) -> Decision:
        return give_up("it has enough")

    def _impossible(self, board: Board) -> None:
        raise InconsistentBoard("No layout fits.")


def plain() -> int:
    """Return something that is not an agent."""
    return 3


def careful() -> Careful:
    """Make an agent without a class."""
    return Careful()


NUMBER = 3
