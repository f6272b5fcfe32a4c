"""Agents that are not part of the program: one that keeps the rules, and one that breaks them."""

import signal
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from solver import Action, Board, Cell, Decision, InconsistentBoard, Move, Rule, analyse


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


def _raise(board: Board) -> None:
    raise ValueError("the cat\nsat on it.")


def _refuse(board: Board) -> None:
    raise InconsistentBoard("No layout fits.")


def moves(*these: Any, survival: float = 1.0, **more: float) -> Callable[[Board], Decision]:
    """Make the same moves on every board."""
    return lambda board: Decision(these, "the same", survival, **more)


FAULTS: dict[str, Callable[[Board], Any]] = {
    "raise": _raise,
    "interrupt": lambda board: signal.raise_signal(signal.SIGINT),
    "impossible": _refuse,
    "leave": lambda board: sys.exit("bye"),
    "none": lambda board: None,
    "text": lambda board: Decision("01", "text", 1.0),  # type: ignore[arg-type]
    "off": lambda board: Decision((Move(Cell(board.rows, 0)),), "off the board", 1.0),
    "half": moves(Move(Cell(0.5, 1))),  # type: ignore[arg-type]
    "pairs": moves((0, 1)),
    "before": moves(Move(Cell(0, -1))),
    "open": moves(Move(Cell(1, 1))),
    "chord": moves(Move(Cell(0, 0), Action.CHORD)),
    "twice": moves(Move(Cell(0, 0)), Move(Cell(0, 0))),
    "nothing": moves(),
    "likely": moves(Move(Cell(0, 0)), survival=1.5),
    "nan": moves(Move(Cell(0, 0)), survival=0.5, win=float("nan")),
    "flags": moves(Move(Cell(0, 0), Action.FLAG)),
}


class Faulty:
    """Does what ``fault`` says on every board."""

    def __init__(self, *, fault: str = "raise") -> None:
        if fault == "constructor":
            raise OSError("the disk is gone")
        self.decide = FAULTS[fault]


def plain() -> int:
    """Return something that is not an agent."""
    return 3


def careful() -> Careful:
    """Make an agent without a class."""
    return Careful()


NUMBER = 3
