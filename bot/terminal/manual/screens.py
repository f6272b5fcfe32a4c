"""What manual play shows: the board as a widget, the list of keys, the review of a game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, ScrollableContainer, Vertical, VerticalScroll
from textual.geometry import Region
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from bot.terminal.board_text import (
    TARGET,
    VisiblePart,
    around,
    board_text,
    cells_text,
    label_width,
    proof_style,
    risk_style,
    short_percent,
    tile_symbol,
    value_colour,
)
from bot.terminal.console import coloured, shows_symbols
from bot.terminal.manual.play import History, ManualTurn
from solver.agents import Decision
from solver.analysis import Analysis, analyse
from solver.board import Board, Cell, Tile
from solver.counting import counted
from solver.errors import SolverError
from solver.proof import Proof

MANUAL_KEYS = (
    ("arrow keys", "move the cursor"),
    ("space, enter", "open the cell; on a number, chord"),
    ("f", "set or remove a flag (right click)"),
    ("c", "chord (middle click)"),
    ("u, ctrl+z", "take the last change back"),
    ("a", "ask the agent for a move"),
    ("w", "prove why a cell is safe or a mine"),
    ("k", "compare the best guesses"),
    ("v", "several agents' advice side by side"),
    ("s", "let the agent play one turn"),
    ("p", "let the agent play on; p stops it"),
    ("e", "let the agent play to the end"),
    ("tab, shift+tab", "choose the next or the previous agent"),
    ("h", "show or hide the risk of every cell"),
    ("g", "show or hide how a learned agent rates every cell"),
    ("m", "show or hide mistakes as they happen"),
    ("r", "review the game: turns, mistakes, chances"),
    ("n", "new game"),
    ("ctrl+s, ctrl+o", "save or load the position as text"),
    ("ctrl+p", "find a command by its name, choose a colour theme"),
    ("escape", "close the input line of ctrl+s and ctrl+o"),
    ("q, ctrl+c", "quit"),
)

LIST_COLS = 30
"""Columns of the list of turns, where it stands beside the board."""

OTHER_COLS = 8
"""Further columns of the review that the board cannot use: borders, a scroll bar."""

NARROW_COLS = 64
"""A terminal with fewer columns shows the board below the list of turns."""

MIN_COLS = 3
"""Fewest columns of a board that are shown: the cell of the turn and one on each side."""

_BARS = " ▁▂▃▄▅▆▇█"


def write(screen: Screen[Any], where: str, text: Text) -> None:
    """Write into a widget of a screen.

    Nothing is written on a screen that was closed before it was laid out: keys may come faster.
    """
    for widget in screen.query(where).results(Static):
        widget.update(text)


class KeysScreen(ModalScreen[None]):
    """A list of all keys."""

    CSS = """
    KeysScreen { align: center middle; }
    #keys { width: 66; max-width: 95%; max-height: 95%; height: auto; border: round $accent;
            padding: 0 1; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,enter", "dismiss", "Back"),
    ]

    def __init__(self, title: str, keys: Iterable[tuple[str, str]]) -> None:
        super().__init__()
        self._title, self._keys = title, list(keys)

    def compose(self) -> ComposeResult:
        """Lay out one key a line."""
        text = Text()
        for key, meaning in self._keys:
            text.append(f"{key:>14}  ", "bold cyan")
            text.append(f"{meaning}\n")
        text.append("\nEscape closes this list; the arrow keys scroll it.", "dim")
        with VerticalScroll(id="keys") as box:
            box.border_title = self._title
            yield Static(text)


class ReviewScreen(ModalScreen[None]):
    """The turns of a game: chance to win, mistakes, and the board of the turn chosen."""

    CSS = """
    ReviewScreen { align: center middle; }
    #review { width: 98%; height: 98%; border: round $accent; padding: 0 1; background: $surface; }
    #summary { height: auto; max-height: 5; }
    #turns { width: 30; height: 1fr; }
    #turn { width: 1fr; height: 1fr; padding: 0 0 0 1; }
    #review Horizontal { height: 1fr; }
    ReviewScreen.narrow #summary { max-height: 2; }
    ReviewScreen.narrow #review Horizontal { layout: vertical; }
    ReviewScreen.narrow #turns { width: 1fr; border: none; }
    ReviewScreen.narrow #turn { height: 2fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,r,q", "dismiss", "Back"),
        Binding("m", "next_mistake", "Next mistake"),
    ]

    def __init__(self, history: History, summary: str) -> None:
        super().__init__()
        self._history, self._summary = history, summary

    def compose(self) -> ComposeResult:
        """Lay out the summary, the list of turns and the turn chosen."""
        with Vertical(id="review") as box:
            box.border_title = "Review"
            box.border_subtitle = "↑ ↓ a turn · m next mistake · Escape back"
            yield Static(self._summary_text(), id="summary")
            with Horizontal():
                yield OptionList(*map(self._option, self._history.turns), id="turns")
                with VerticalScroll(id="turn", can_focus=False):
                    yield Static(id="turn-text")
                    yield Static(id="turn-board")

    def on_mount(self) -> None:
        """Choose the worst mistake, else the last turn."""
        worst = self._history.mistakes()
        for turns in self.query(OptionList):  # none, if a key closed the screen already
            if worst:
                turns.highlighted = worst[0][0].number - 1
            elif self._history.turns:
                turns.highlighted = len(self._history.turns) - 1
            turns.focus()

    def action_next_mistake(self) -> None:
        """Choose the next turn with a mistake, from the start again after the last one."""
        wrong = [turn.number - 1 for turn in self._history.turns if turn.mistakes]
        turns = self.query_one(OptionList)
        here = -1 if turns.highlighted is None else turns.highlighted
        if wrong:
            turns.highlighted = next((number for number in wrong if number > here), wrong[0])

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the turn chosen."""
        self._show_turn(event.option_index)

    def on_resize(self) -> None:
        """Draw the turn chosen again, as there is room for it now."""
        self.set_class(self._narrow, "narrow")
        for turns in self.query(OptionList):
            if turns.highlighted is not None:
                self._show_turn(turns.highlighted)

    @property
    def _narrow(self) -> bool:
        return self.app.size.width < NARROW_COLS

    def _show_turn(self, index: int) -> None:
        turn = self._history.turns[index]
        write(self, "#turn-text", self._turn_text(turn))
        write(self, "#turn-board", self._board(turn))

    def _summary_text(self) -> Text:
        found = self._history.mistakes()
        text = Text(f"{self._summary} {counted(len(found), 'mistake')}.")
        if self._history.undone:
            text.append(f" Taken back: {self._history.undone}.")
        wins = [
            turn.judged.win
            for turn in self._history.turns
            if turn.judged is not None and turn.judged.win is not None
        ]
        if wins:
            text.append("\nChance to win at the guesses: ")
            text.append("".join(_BARS[round(8 * win)] for win in wins), "green")
            text.append(f" {100 * wins[0]:.0f} % → {100 * wins[-1]:.0f} %")
        return text

    def _option(self, turn: ManualTurn) -> Option:
        first = turn.moves[0]
        text = Text.assemble(
            (f"{turn.number:>3} ", "dim"),
            f"{first.action.value} r{first.cell.row + 1} c{first.cell.col + 1}",
            (f" +{len(turn.moves) - 1}" if len(turn.moves) > 1 else "", "dim"),
        )
        if turn.by != "you":
            text.append(f" {turn.by}", "dim")
        if turn.mistakes:
            text.append(f" {turn.mistakes[0].kind.value}", "bold red")
        return Option(text)

    def _turn_text(self, turn: ManualTurn) -> Text:
        """Say the move of a turn, and what was wrong with it."""
        first = turn.moves[0]
        text = Text(f"Turn {turn.number}: {first.action.value} {first.cell.place}")
        for mistake in turn.mistakes:
            text.append(f"\n{mistake}", "red")
            if mistake.best is not None:
                text.append(f"\nBetter: {mistake.best.place}.", "green")
        return text

    def _board(self, turn: ManualTurn) -> Text:
        """Draw the board before a turn with its risks; of a large board, the part around it.

        Where not even a part of it has room, say so.
        """
        board = turn.board
        try:
            analysis = analyse(board)
        except SolverError:
            analysis = None
        list_cols = 0 if self._narrow else LIST_COLS
        room = int(0.98 * self.app.size.width) - list_cols - OTHER_COLS - label_width(board)
        width = 3 if 3 * board.cols <= room else 2
        if room < min(MIN_COLS, board.cols) * width:
            return Text("\nThe terminal is too narrow to show the board here.", "dim")
        cols = around(turn.moves[0].cell.col, min(board.cols, room // width), board.cols)
        window = VisiblePart(range(board.rows), cols)
        targets = [move.cell for move in turn.moves]
        text = Text("\n", no_wrap=True)
        shown = board_text(
            board,
            analysis,
            targets=targets,
            cell_width=width,
            letters=not shows_symbols(),
            labels=True,
            window=window,
        )
        text.append_text(coloured(shown))
        if len(window.cols) < board.cols:
            text.append(f"\ncolumns {window.cols[0] + 1} to {window.cols[-1] + 1}", "dim")
        return text


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
