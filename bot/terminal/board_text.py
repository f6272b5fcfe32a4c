"""Draw a board with colours for the terminal.

Tiles are drawn as symbols such as ``⚑``, or as the letters of the boards' text form (see
`solver.board`) where a person may copy them and on terminals that know only ASCII.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from bot.terminal.risks import heat, short_percent
from solver.analysis import Analysis
from solver.board import TEXT_OF_TILE, Board, Cell, Tile, count_neighbours
from solver.proof import Proof

DIGIT_COLOURS = (
    "grey42",
    "dodger_blue1",
    "green3",
    "red1",
    "medium_purple1",
    "orange3",
    "turquoise2",
    "white",
    "grey70",
)
COVERED_STYLE = "grey62 on grey19"
TARGET_STYLE = "bold black on bright_cyan"
LAST_STYLE = "underline2 bold on grey30"
"""Style of the cell that was clicked last, added to the style of its tile."""
PROOF_STYLE = "bold black on bright_yellow"
PROVED_STYLE = "bold black on bright_magenta"
"""Styles of the numbers of a proof, and of the cell that they make certain."""
LABEL_STYLE = "grey50"
SYMBOLS = {
    Tile.HIDDEN: ("·", COVERED_STYLE),
    Tile.FLAG: ("⚑", "bold red1"),
    Tile.QUESTION: ("?", "yellow"),
    Tile.MINE: ("✱", "red1"),
    Tile.EXPLODED: ("✱", "bold white on red3"),
    Tile.WRONG_FLAG: ("✗", "bold orange1"),
    Tile.UNKNOWN: ("~", "bold magenta"),
}
"""Symbol and style of each tile that is no number."""


def board_text(
    board: Board,
    analysis: Analysis | None = None,
    *,
    targets: Collection[Cell] = (),
    last: Collection[Cell] = (),
    proof: Proof | None = None,
    cell_width: int = 2,
    letters: bool = False,
    labels: bool = False,
    window: Window | None = None,
) -> Text:
    """Draw a board: digits, certain mines as flags, the cells of the frontier coloured by risk.

    ``targets`` are the cells about to be clicked, ``last`` those clicked before. The numbers of a
    ``proof`` and its cell are highlighted. A cell that is three characters wide shows its risk in
    percent, a narrower one its colour only, so that without colours it still looks covered. With
    ``letters`` the tiles are drawn as letters of the text form, ASCII only; with ``labels``, rows
    and columns are numbered, from 1. Of a board that is too large, only the ``window`` is drawn.
    """
    on_frontier = frontier(board)

    def draw(cell: Cell) -> tuple[str, str]:
        risk = float("nan") if analysis is None else float(analysis.probabilities[cell])
        symbol, style = tile_symbol(board[cell], letters=letters)
        if board[cell] in (Tile.HIDDEN, Tile.QUESTION) and not np.isnan(risk):
            if risk == 1.0:
                symbol, style = tile_symbol(Tile.FLAG, letters=letters)[0], "red1 on grey19"
            elif on_frontier[cell]:
                symbol = short_percent(risk) if cell_width >= 3 else symbol
                style = risk_style(risk)
        if cell in targets:
            style = TARGET_STYLE
            if risk == 0.0:
                symbol = "o" if letters else "✓"
            elif not symbol.strip("·"):
                symbol = "?"
        elif cell in last:
            symbol, style = symbol if symbol.strip() else "·", f"{style} {LAST_STYLE}"
        return symbol, proof_style(proof, cell) or style

    return cells_text(board, draw, cell_width, labels=labels, window=window)


class Window(NamedTuple):
    """The rows and columns of a board that are drawn."""

    rows: range
    cols: range


def around(centre: int, shown: int, total: int) -> range:
    """Return ``shown`` of ``total`` rows or columns, with ``centre`` in the middle if it can be."""
    first = min(max(0, centre - shown // 2), total - shown)
    return range(first, first + shown)


def cells_text(
    board: Board,
    draw: Callable[[Cell], tuple[str, str]],
    cell_width: int,
    *,
    labels: bool = False,
    window: Window | None = None,
) -> Text:
    """Join what ``draw`` returns for each cell, symbol and style, one row a line."""
    rows, cols = window or Window(range(board.rows), range(board.cols))
    text = Text(no_wrap=True)
    if labels:
        text.append(_column_labels(board, cols, cell_width), LABEL_STYLE)
    for row in rows:
        if labels:
            text.append(str(row + 1).rjust(label_width(board) - 1) + " ", LABEL_STYLE)
        for col in cols:
            symbol, style = draw(Cell(row, col))
            text.append(symbol.rjust(cell_width - 1) + " ", style)
        if row != rows[-1]:
            text.append("\n")
    return text


def cell_width_for(board: Board, columns: int) -> int:
    """Return how wide cells may be, 3 or 2 characters, if the terminal has so many columns."""
    return 3 if columns >= label_width(board) + 3 * board.cols else 2


def label_width(board: Board) -> int:
    """Return how many characters the row labels take, with the space after them."""
    return len(str(board.rows)) + 1


def _column_labels(board: Board, cols: range, cell_width: int) -> str:
    """Return the line of column labels; the last digit of each stands over its column.

    Where two labels would touch, only the first column and every fifth one are named.
    """
    step = 1 if len(str(board.cols)) < cell_width else 5
    indent = label_width(board)
    line = [" "] * (indent + len(cols) * cell_width)
    for index, col in enumerate(cols, start=1):
        name = str(col + 1)
        if (col + 1) % step == 0 or (index == 1 and (col + 1) % step <= 2):
            end = indent + index * cell_width - 1
            line[end - len(name) : end] = name
    return "".join(line).rstrip() + "\n"


def proof_style(proof: Proof | None, cell: Cell) -> str:
    """Return the style of a cell that belongs to the proof, an empty text for any other."""
    if proof is None:
        return ""
    if cell == proof.cell:
        return PROVED_STYLE
    return PROOF_STYLE if cell in proof.numbers else ""


def tile_symbol(tile: int, *, letters: bool = False) -> tuple[str, str]:
    """Return the symbol of a tile, or its letter in the text form, and its style."""
    if tile >= 0:
        empty = "." if letters else " "
        return (str(tile) if tile else empty), f"bold {DIGIT_COLOURS[tile]}"
    symbol, style = SYMBOLS[Tile(tile)]
    return (TEXT_OF_TILE[tile] if letters else symbol), style


def risk_style(risk: float) -> str:
    """Return the style of a covered cell of known risk."""
    red, green, blue = heat(risk)
    return f"black on rgb({red},{green},{blue})"


def frontier(board: Board) -> NDArray[np.bool_]:
    """Return the mask of the covered cells that touch a number."""
    return (count_neighbours(board.open) > 0) & board.covered
