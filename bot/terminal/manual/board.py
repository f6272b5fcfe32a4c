"""Show a board as a widget: tiles, cursor, risks, proposed moves, a proof, mouse."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, ScrollableContainer
from textual.geometry import Region
from textual.message import Message
from textual.widgets import Static

from bot.terminal.board_text import (
    TARGET,
    cells_text,
    label_width,
    proof_style,
    risk_style,
    tile_symbol,
)
from bot.terminal.colours import coloured
from bot.terminal.console import shows_symbols
from bot.terminal.risks import short_percent, value_colour
from solver.agents import Decision
from solver.analysis import Analysis
from solver.board import Board, Cell, Tile
from solver.proof import Proof

CURSOR_KEYS = ("up", "down", "left", "right")


class Position(Protocol):
    """What the widget draws: a game under way, or a board that is edited."""

    @property
    def board(self) -> Board:
        """The board."""
        ...

    @property
    def proposal(self) -> Decision | None:
        """The moves to mark."""
        ...


class BoardWidget(Static, can_focus=True):
    """A widget that draws the board and posts `Clicked` for every click on a cell.

    ``analysis`` is set to show the risks, ``values`` (0 to 1) to show how an agent rates the
    cells; ``proof`` is highlighted; ``free_cols`` are the terminal columns that the board may take.
    """

    class Clicked(Message):
        """A cell was clicked with a mouse button, or the mouse was dragged over it."""

        def __init__(self, cell: Cell, button: int, *, dragged: bool = False) -> None:
            super().__init__()
            self.cell, self.button, self.dragged = cell, button, dragged

    def __init__(self, position: Position) -> None:
        super().__init__(id="board")
        self.position = position
        self.letters = not shows_symbols()
        board = position.board
        self.cursor = Cell(board.rows // 2, board.cols // 2)
        self.analysis: Analysis | None = None
        self.values: NDArray[np.float64] | None = None
        self.proof: Proof | None = None
        self.cell_width = 3
        self.free_cols = 80
        self._dragged_to: Cell | None = None

    def width_of(self, cell_width: int) -> int:
        """Return how many columns of the terminal the board takes, with its labels."""
        board = self.position.board
        return label_width(board) + board.cols * cell_width + 2

    def draw(self) -> None:
        """Draw the current board; cells are three characters wide if there is room."""
        board = self.position.board
        self.cursor = Cell(
            min(self.cursor.row, board.rows - 1), min(self.cursor.col, board.cols - 1)
        )
        self.cell_width = 3 if self.width_of(3) <= self.free_cols else 2
        self.styles.width = board.cols * self.cell_width
        self.styles.height = board.rows
        self.update(coloured(cells_text(board, self._symbol_and_style, self.cell_width)))

    def move_cursor(self, down: int, right: int) -> None:
        """Move the cursor, at most to the edge of the board."""
        board = self.position.board
        row = min(max(self.cursor.row + down, 0), board.rows - 1)
        col = min(max(self.cursor.col + right, 0), board.cols - 1)
        self.cursor = Cell(row, col)
        self.draw()

    def _symbol_and_style(self, cell: Cell) -> tuple[str, str]:
        """Return how a cell is drawn: tile or risk, then proposal and proof, then the cursor."""
        tile = self.position.board[cell]
        symbol, style = tile_symbol(tile, letters=self.letters)
        if self.analysis is not None and tile in (Tile.HIDDEN, Tile.QUESTION):
            risk = float(self.analysis.probabilities[cell])
            symbol, style = self._risk_label(risk), risk_style(risk)
        elif self.values is not None and not np.isnan(self.values[cell]):
            symbol, style = self._value_label(float(self.values[cell]))
        proposal = self.position.proposal
        if proposal is not None and any(move.cell == cell for move in proposal.moves):
            certain = "o" if self.letters else "✓"
            symbol, style = (certain if proposal.certain else "?"), TARGET
        style = proof_style(self.proof, cell) or style
        if cell == self.cursor:
            symbol, style = (symbol if symbol.strip() else "▪"), f"{style} reverse bold"
        return symbol, style

    def _risk_label(self, risk: float) -> str:
        if risk == 1.0:
            return tile_symbol(Tile.MINE, letters=self.letters)[0]
        return short_percent(risk) if self.cell_width >= 3 else " "

    def _value_label(self, share: float) -> tuple[str, str]:
        """Return 0 to 99 for a value between the least and the best, and its style."""
        red, green, blue = value_colour(share)
        symbol = f"{99 * share:.0f}" if self.cell_width >= 3 else " "
        return symbol, f"white on rgb({red},{green},{blue})"

    def on_click(self, event: events.Click) -> None:
        """Post the cell that was clicked and the mouse button."""
        cell = self._cell_at(event)
        if cell is not None:
            self.post_message(self.Clicked(cell, event.button))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Post each cell that the mouse is dragged over."""
        cell = self._cell_at(event) if event.button else None
        if cell is not None and cell != self._dragged_to:
            self.post_message(self.Clicked(cell, event.button, dragged=True))
        self._dragged_to = cell

    def _cell_at(self, event: events.MouseEvent) -> Cell | None:
        board = self.position.board
        cell = Cell(int(event.y), int(event.x) // self.cell_width)
        inside = 0 <= cell.row < board.rows and 0 <= cell.col < board.cols
        return cell if inside else None


class LabelledBoard(ScrollableContainer, can_focus=False):
    """The board with the numbers of its rows and columns, scrolled to the cursor if it is large."""

    DEFAULT_CSS = """
    LabelledBoard { align: center middle; height: 1fr; width: 1fr; }
    LabelledBoard > Container { width: auto; height: auto; }
    LabelledBoard Horizontal { width: auto; height: auto; }
    LabelledBoard .labels { width: auto; height: auto; color: $text-muted; }
    """

    def __init__(self, board_widget: BoardWidget) -> None:
        super().__init__(id="scroll")
        self.board_widget = board_widget
        self._columns = Static(classes="labels")
        self._rows = Static(classes="labels")

    def compose(self) -> ComposeResult:
        """Lay out the labels above and left of the board."""
        with Container():
            yield self._columns
            with Horizontal():
                yield self._rows
                yield self.board_widget

    def draw(self) -> None:
        """Draw the board and its labels, and scroll to the cursor."""
        widget, board = self.board_widget, self.board_widget.position.board
        widget.draw()
        indent = label_width(board)
        drawn = cells_text(board, lambda cell: ("", ""), widget.cell_width, labels=True)
        self._columns.update(Text(drawn.plain.partition("\n")[0], no_wrap=True))
        names = [str(row + 1).rjust(indent - 1) + " " for row in range(board.rows)]
        self._rows.update(Text("\n".join(names)))
        self._columns.styles.width = widget.width_of(widget.cell_width) - 2
        self._rows.styles.width = indent
        cursor, width = widget.cursor, widget.cell_width
        place = Region(indent + cursor.col * width, cursor.row + 1, width, 1)
        self.scroll_to_region(place, animate=False)
