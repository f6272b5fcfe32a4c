"""The board of manual play as a terminal widget: cursor, heat, the proposed move, the mouse."""

from __future__ import annotations

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widgets import Static

from bot.manual import Sitting
from bot.view import DIGITS, SIGNS, heat
from solver.analysis import Analysis
from solver.board import Cell, Tile

COVERED_STYLE = "grey62 on grey19"


class BoardView(Static, can_focus=True):
    """The board, drawn; it turns clicks into messages and shows cursor, heat and proposal."""

    class Clicked(Message):
        """A cell was clicked with a mouse button."""

        def __init__(self, cell: Cell, button: int) -> None:
            super().__init__()
            self.cell, self.button = cell, button

    def __init__(self, sitting: Sitting) -> None:
        super().__init__(id="board")
        self.sitting = sitting
        self.cursor = Cell(sitting.size.rows // 2, sitting.size.cols // 2)
        self.known: Analysis | None = None
        self.cell_width = 3

    def draw(self) -> None:
        """Draw the board as it is now."""
        board = self.sitting.board
        self.cell_width = 3 if 3 * board.cols + 2 <= self.app.size.width else 2
        decision = self.sitting.proposal
        proposed = {move.cell for move in decision.moves} if decision else set()
        text = Text(no_wrap=True)
        for cell in board.cells():
            sign, style = self._look(cell, board[cell])
            if cell in proposed:
                style = "bold black on bright_cyan"
                sign = "✓" if decision and decision.certain else "?"
            if cell == self.cursor:
                style += " reverse bold"
                sign = sign if sign.strip() else "▪"
            text.append(sign.rjust(self.cell_width - 1) + " ", style)
            if cell.col == board.cols - 1 and cell.row < board.rows - 1:
                text.append("\n")
        self.styles.width = board.cols * self.cell_width
        self.styles.height = board.rows
        self.update(text)

    @property
    def wide(self) -> bool:
        """Whether a cell has room for a risk in percent."""
        return self.cell_width >= 3

    def _look(self, cell: Cell, tile: int) -> tuple[str, str]:
        if tile >= 0:
            return (str(tile) if tile else " "), f"bold {DIGITS[tile]}"
        if self.known is not None and tile in (Tile.HIDDEN, Tile.QUESTION):
            risk = float(self.known.probabilities[cell])
            label = "✱" if risk == 1 else f"{min(99, 100 * risk):.0f}" if self.wide else " "
            return label, f"black on {heat(risk)}"
        return SIGNS.get(Tile(tile), ("·", COVERED_STYLE))

    def on_click(self, event: events.Click) -> None:
        """Tell which cell was clicked."""
        board = self.sitting.board
        cell = Cell(int(event.y), int(event.x) // self.cell_width)
        if 0 <= cell.row < board.rows and 0 <= cell.col < board.cols:
            self.post_message(self.Clicked(cell, event.button))
