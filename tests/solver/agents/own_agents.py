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


FAULTS: dict[str, tuple[Callable[[Board], Any], str]] = {
    "constructor": (_raise, r"raised OSError: the disk is gone \(own_agents.py, line \d+\)"),
    "raise": (_raise, r"raised ValueError: the cat sat on it \(own_agents.py, line \d+\)"),
    "leave": (lambda board: sys.exit("bye"), "raised SystemExit: bye"),
    "none": (lambda board: None, "returned None and not a Decision"),
    "text": (lambda board: Decision("01", "text", 1.0), "as its moves"),  # type: ignore[arg-type]
    "half": (moves(Move(Cell(0.5, 1))), "as a move"),  # type: ignore[arg-type]
    "pairs": (moves((0, 1)), "as a move"),
    "off": (moves(Move(Cell(3, 0))), "row 3, column 0.*not on the 3x3 board"),
    "before": (moves(Move(Cell(0, -1))), "row 0, column -1.*not on the 3x3 board"),
    "open": (moves(Move(Cell(1, 1))), "row 1, column 1.*not covered"),
    "chord": (moves(Move(Cell(0, 0), Action.CHORD)), "not an open number"),
    "twice": (moves(Move(Cell(0, 0)), Move(Cell(0, 0))), "names a cell twice"),
    "nothing": (moves(), "makes no move while 8 cells are covered"),
    "likely": (moves(Move(Cell(0, 0)), survival=1.5), "1.5 as its survival"),
    "nan": (moves(Move(Cell(0, 0)), survival=0.5, win=float("nan")), "nan as its win"),
}
"""What an agent does wrong on a board of 3x3 cells, and what is said of it."""

OTHERS: dict[str, Callable[[Board], Any]] = {
    "interrupt": lambda board: signal.raise_signal(signal.SIGINT),
    "impossible": _refuse,
    "flags": moves(Move(Cell(0, 0), Action.FLAG)),
    "outside": lambda board: Decision((Move(Cell(board.rows, 0)),), "off the board", 1.0),
}


class Faulty:
    """Does what ``fault`` says on every board."""

    def __init__(self, *, fault: str = "raise") -> None:
        if fault == "constructor":
            raise OSError("the disk is gone")
        self.decide = OTHERS[fault] if fault in OTHERS else FAULTS[fault][0]


def plain() -> int:
    """Return something that is not an agent."""
    return 3


def careful() -> Careful:
    """Make an agent without a class."""
    return Careful()


NUMBER = 3
