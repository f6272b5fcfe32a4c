"""The screens over manual play: all keys, and the review of a game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from bot.terminal.board_text import Window, around, board_text, label_width
from bot.terminal.colours import coloured
from bot.terminal.console import shows_symbols
from bot.terminal.manual.history import History, ManualTurn
from solver.analysis import analyse
from solver.counting import counted
from solver.errors import SolverError

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
        window = Window(range(board.rows), cols)
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
