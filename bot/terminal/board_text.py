"""Draw a board as text with colours, and a risk as a colour and in percent."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from solver.analysis import Analysis
from solver.board import TEXT_OF_TILE, Board, Cell, Tile, count_neighbours
from solver.notation import BLANK_ZERO, GUESS_SIGN, MINE_SIGNS, SAFE_SIGNS
from solver.proof import Proof

TARGET, LAST, SURE = "tile.target", "tile.last", "tile.sure"
"""Styles of cells about to be clicked, of cells clicked last (in addition to their tile's style),
and of certain mines."""

SYMBOLS = {
    0: (BLANK_ZERO, "tile.0"),
    Tile.HIDDEN: ("·", "tile.hidden"),
    Tile.FLAG: ("⚑", "tile.flag"),
    Tile.QUESTION: ("?", "tile.question"),
    Tile.MINE: ("✱", "tile.mine"),
    Tile.EXPLODED: ("X", "tile.exploded"),
    Tile.WRONG_FLAG: ("✗", "tile.wrong"),
    Tile.UNKNOWN: ("~", "tile.unknown"),
    **{number: (str(number), f"tile.{number}") for number in range(1, 9)},
}
"""Symbol and style of each tile. All can be read back (`solver.notation`)."""


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
    window: VisiblePart | None = None,
) -> Text:
    """Draw a board: digits, certain cells, and the cells of the frontier coloured by risk.

    ``targets`` are the cells about to be clicked, ``last`` those clicked before; the numbers of a
    ``proof`` and its cell are highlighted. Cells that are three characters wide show their risk in
    percent, narrower ones only its colour. With ``letters``, tiles are letters of the text form
    (ASCII); with ``labels``, rows and columns are numbered from 1; ``window`` is the part to draw.
    `Board.from_text` reads the text as this board, whatever is drawn on hidden tiles.
    """
    on_frontier = frontier(board)

    def draw(cell: Cell) -> tuple[str, str]:
        tile = board[cell]
        risk = float("nan") if analysis is None else float(analysis.probabilities[cell])
        symbol, style = SYMBOLS[tile]
        if letters:
            symbol = TEXT_OF_TILE[tile] if tile else "."
        hidden = tile == Tile.HIDDEN
        if tile in (Tile.HIDDEN, Tile.QUESTION) and not np.isnan(risk):
            if risk == 1.0:
                symbol, style = MINE_SIGNS[letters] if hidden else symbol, SURE
            elif on_frontier[cell]:
                percents = hidden and cell_width >= 3 and risk > 0.0
                symbol = f"{short_percent(risk):0>2}" if percents else symbol
                style = risk_style(risk)
        if cell in targets:
            style = TARGET
            if hidden and risk == 0.0:
                symbol = SAFE_SIGNS[letters]
            elif hidden and analysis is not None and len(symbol) == 1:
                symbol = GUESS_SIGN
        elif hidden and risk == 0.0:
            symbol = SAFE_SIGNS[letters]
        elif cell in last and style.startswith("tile."):
            style = f"{style} {LAST}"
        return symbol, proof_style(proof, cell) or style

    return cells_text(board, draw, cell_width, labels=labels, window=window)


class VisiblePart(NamedTuple):
    """The rows and columns of a board that are drawn."""

    rows: range
    cols: range


def around(centre: int, shown: int, total: int) -> range:
    """Return ``shown`` of ``total`` rows or columns, with ``centre`` in the middle if possible."""
    first = min(max(0, centre - shown // 2), total - shown)
    return range(first, first + shown)


def cells_text(
    board: Board,
    draw: Callable[[Cell], tuple[str, str]],
    cell_width: int,
    *,
    labels: bool = False,
    window: VisiblePart | None = None,
) -> Text:
    """Join the symbols and styles that ``draw`` returns for the cells, one line for each row.

    A style is a name of `bot.terminal.console`, several names separated by blanks, or a style of
    `rich`.
    """
    rows, cols = window or VisiblePart(range(board.rows), range(board.cols))
    text = Text(no_wrap=True)
    if labels:
        text.append(_column_labels(board, cols, cell_width), "label")
    for row in rows:
        if labels:
            text.append(str(row + 1).rjust(label_width(board) - 1) + " ", "label")
        for col in cols:
            symbol, style = draw(Cell(row, col))
            start = len(text)
            text.append(symbol.rjust(cell_width - 1) + " ")
            for name in _styles(style):
                text.stylize(name, start)
        if row != rows[-1]:
            text.append("\n")
    return text


def _styles(style: str) -> list[str]:
    """Split a style into names of `bot.terminal.console`; a style with colours is not split."""
    return style.split() if style.startswith("tile.") else [style]


def cell_width_for(board: Board, columns: int) -> int:
    """Return how wide cells may be, 3 or 2 characters, on a terminal with so many columns."""
    return 3 if columns >= label_width(board) + 3 * board.cols else 2


def label_width(board: Board) -> int:
    """Return the width of the row labels, with the space after them."""
    return len(str(board.rows)) + 1


def _column_labels(board: Board, cols: range, cell_width: int) -> str:
    """Return the line of column labels; the last digit of each is above its column.

    If two labels would touch, only the first column and every fifth one get a label.
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
        return "tile.proved"
    return "tile.proof" if cell in proof.numbers else ""


def risk_style(risk: float) -> str:
    """Return the style of a covered cell of known risk."""
    red, green, blue = heat(risk)
    return f"black on rgb({red},{green},{blue})"


def frontier(board: Board) -> NDArray[np.bool_]:
    """Return the mask of the covered cells that touch a number."""
    return (count_neighbours(board.open) > 0) & board.covered


Colour = tuple[int, int, int]

_GREEN: Colour = (70, 200, 90)

_YELLOW: Colour = (250, 230, 80)

_RED: Colour = (225, 60, 50)


def heat(risk: float) -> Colour:
    """Return the colour of a risk: from green over yellow, at one third, to red."""
    if risk < 1 / 3:
        return blend(_GREEN, _YELLOW, 3 * risk)
    return blend(_YELLOW, _RED, 1.5 * (risk - 1 / 3))


def blend(low: Colour, high: Colour, share: float) -> Colour:
    """Mix two colours. ``share`` is the part of ``high``; it is limited to 0..1."""
    red, green, blue = (
        round(a + (b - a) * min(1.0, max(0.0, share))) for a, b in zip(low, high, strict=True)
    )
    return red, green, blue


def value_colour(share: float) -> Colour:
    """Return the colour of a network's value: black is the lowest, bright red the best.

    ``share`` is its place between these, 0..1. The colours are those of the DQN report.
    """
    return blend((20, 0, 0), (255, 40, 40), share)


def value_shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale values so that the lowest is 0 and the best is 1; NaN stays NaN."""
    known = values[~np.isnan(values)]
    if not known.size:
        return values
    span = float(known.max() - known.min())
    shares: NDArray[np.float64] = (values - known.min()) / span if span else values - values + 1.0
    return shares


def short_percent(risk: float, *, tenths: bool = False) -> str:
    """Write a risk in whole percent for one cell; 0 and 100 only if it is certain.

    With ``tenths``, a risk below 10 % has one decimal.
    """
    if risk in (0.0, 1.0):
        return f"{100 * risk:.0f}"
    if tenths and risk < 0.1:
        return f"{max(0.1, 100 * risk):.1f}"
    return f"{min(99.0, max(1.0, 100 * risk)):.0f}"
