"""Boards to compare agents on: the same for all agents, whatever their first cell.

A board is an ``order``: a random order of at least mines + 9 cell indices (row * cols + col).
When the first cell is known, the mines are the first indices that the first-click rule allows.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from solver.board import MAX_SIDE, Cell
from solver.counting import counted, meant
from solver.errors import BadBoards
from solver.files import RESULTS_BYTES, parse_json, read_text
from solver.game import Game, Rule


@dataclass(frozen=True)
class Size:
    """Rows, columns and mines of a board. Raises `BadBoards`."""

    rows: int
    cols: int
    mines: int

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= MAX_SIDE and 1 <= self.cols <= MAX_SIDE):
            raise BadBoards(f"A board side must lie between 1 and {MAX_SIDE} cells.")
        if self.mines < 0:
            raise BadBoards(f"A board cannot hold {counted(self.mines, 'mine')}: give 0 or more.")
        if self.mines >= self.rows * self.cols:
            raise BadBoards(
                f"{counted(self.mines, 'mine leaves', 'mines leave')} no safe cell on a "
                f"{self.rows}x{self.cols} board."
            )

    @classmethod
    def parse(cls, text: str) -> Size:
        """Read ``beginner``, ``intermediate``, ``expert``, ``thesis-hard`` or ``RxCxM``."""
        if text in NAMED_SIZES:
            return NAMED_SIZES[text]
        try:
            rows, cols, mines = (int(part) for part in text.lower().split("x"))
        except ValueError:
            raise BadBoards(
                f"{text!r} is not a size.{meant(text, NAMED_SIZES)} Give {', '.join(NAMED_SIZES)} "
                "or ROWSxCOLSxMINES."
            ) from None
        return cls(rows, cols, mines)

    def __str__(self) -> str:
        return f"{self.rows}x{self.cols}x{self.mines}"

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.rows * self.cols


NAMED_SIZES = {
    "beginner": Size(9, 9, 10),
    "intermediate": Size(16, 16, 40),
    "expert": Size(16, 30, 99),
    "thesis-hard": Size(16, 30, 85),
}


@dataclass(frozen=True)
class BoardSet:
    """Numbered boards of one size and first-click rule.

    ``orders`` are the boards of a file. Without it, board ``k`` depends on ``seed`` and ``k`` only,
    and there are infinitely many. ``first`` is the first cell that the file prescribes.
    """

    size: Size
    rule: Rule
    seed: int | str = 0
    orders: Sequence[Sequence[int]] | None = None
    first: Cell | None = None

    def __len__(self) -> int:
        """Return the number of boards in the file. Raises `TypeError` for boards from a seed."""
        if self.orders is None:
            raise TypeError("There are infinitely many boards from a seed.")
        return len(self.orders)

    def order(self, number: int) -> list[int]:
        """Return the order of cells of board ``number``, counted from 0."""
        if self.orders is not None:
            return list(self.orders[number])
        rng = random.Random(f"minebot/{self.seed}/{self.size}/{number}")
        cells = self.size.cells
        return rng.sample(range(cells), min(cells, self.size.mines + 9))

    def game(self, number: int) -> Game:
        """Create the game on board ``number``."""
        size = self.size
        return Game(size.rows, size.cols, size.mines, rule=self.rule, order=self.order(number))


def read_boards(path: str | Path, rule: Rule | None = None) -> BoardSet:
    """Read a JSON file of boards; ``rule`` replaces the rule in the file.

    The file holds ``rows``, ``cols``, ``mines``, ``rule``, ``first`` ``[row, col]`` and ``boards``,
    each with its ``order``. Raises `BadBoards` for any other file.
    """
    try:
        data = parse_json(read_text(path, RESULTS_BYTES))
    except OSError as error:
        raise BadBoards(f"Cannot read {path}: {error.strerror}.") from error
    except ValueError as error:  # also bytes that are not UTF-8
        raise BadBoards(f"{path} is not a file of boards: it is not JSON.") from error
    try:
        size = Size(*(_whole(data[name]) for name in ("rows", "cols", "mines")))
        orders = [[_whole(index) for index in board["order"]] for board in data["boards"]]
        first = Cell(*map(_whole, data["first"])) if "first" in data else None
        rule = rule or Rule(data["rule"])
    except KeyError as error:
        raise BadBoards(f"{path} is not a file of boards: it has no {error}.") from error
    except (BadBoards, ValueError) as error:
        reason = str(error).rstrip(".")
        raise BadBoards(f"{path} is not a file of boards: {reason}.") from error
    except TypeError as error:
        raise BadBoards(f"{path} is not a file of boards: it has another form.") from error
    enough = min(size.cells, size.mines + 9)
    for number, order in enumerate(orders):
        fits = len(order) >= enough and len(set(order)) == len(order)
        if not fits or not 0 <= min(order) <= max(order) < size.cells:
            raise BadBoards(f"Board {number} of {path} is not an order of a {size} board's cells.")
    if not orders:
        raise BadBoards(f"{path} holds no boards.")
    if first is not None and not (0 <= first.row < size.rows and 0 <= first.col < size.cols):
        raise BadBoards(f"The first cell of {path} is not on a {size} board.")
    return BoardSet(size, rule, orders=orders, first=first)


def _whole(value: object) -> int:
    """Check that a value is a whole number and return it. Raises `ValueError`."""
    if type(value) is not int:
        raise ValueError(f"{value!r} is not a whole number")
    return value
