"""Paint any position and analyse it: the board editor of manual play."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from bot.terminal.explanations import Why, why_certain
from bot.terminal.manual.advice import guess_lines
from bot.terminal.manual.board import CURSOR_KEYS, BoardWidget, LabelledBoard
from bot.terminal.manual.screens import KeysScreen, write
from bot.terminal.manual.tasks import start
from bot.terminal.sentences import analysis_text, decision_line
from solver.agents import Agent, Decision
from solver.analysis import Analysis
from solver.arena.boards import Size
from solver.board import TEXT_OF_TILE, TILE_OF_TEXT, Board, Cell, Tile
from solver.errors import SolverError
from solver.mine_total import analyse_likely

PAINT_KEYS = {
    **{str(number): number for number in range(9)},
    "full_stop": 0,
    "number_sign": int(Tile.HIDDEN),
    "backspace": int(Tile.HIDDEN),
    "delete": int(Tile.HIDDEN),
    "f": int(Tile.FLAG),
    "asterisk": int(Tile.MINE),
}
"""The tile that each key paints."""

KEYS = (
    ("arrow keys", "move the cursor"),
    ("0-8, .", "paint a number; . is 0"),
    ("#, backspace", "cover the cell"),
    ("f", "paint a flag"),
    ("*", "paint a shown mine"),
    ("space, mouse", "paint the last tile again; drag to paint several; right: cover"),
    ("w", "say why the cell under the cursor is certain"),
    ("k", "compare the best guesses"),
    ("a", "ask the agent for its move"),
    ("h", "show or hide the risks"),
    ("m", "set the mine total"),
    ("z", "start an empty board of another size"),
    ("x", "cover all cells"),
    ("enter", "play on from this position"),
    ("escape", "back to the game, as it was"),
    ("ctrl+c", "quit"),
)


@dataclass
class EditedPosition:
    """The board in the editor; ``proposal`` is the answer of the agent, if it was asked."""

    board: Board
    proposal: Decision | None = None


class EditorScreen(ModalScreen[Board | None]):
    """Paints tiles and shows at once what follows; returns the board to play on from, or None."""

    CSS = """
    #editor-status { height: 1; padding: 0 1; background: $boost; }
    #editor-notes { height: auto; min-height: 4; max-height: 8; padding: 0 1;
                    border-top: solid $panel; }
    #editor-prompt { display: none; dock: bottom; }
    #editor-prompt.asking { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1, 0)", show=False),
        Binding("down", "move(1, 0)", show=False),
        Binding("left", "move(0, -1)", show=False),
        Binding("right", "move(0, 1)", show=False),
        Binding("space", "paint", "Paint", key_display="␣"),
        Binding("w", "why", "Why"),
        Binding("k", "compare", "Guesses"),
        Binding("a", "ask", "Ask"),
        Binding("h", "heat", "Risks", show=False),
        Binding("m", "mines", "Mines"),
        Binding("z", "size", "Size"),
        Binding("x", "clear", "Clear", show=False),
        Binding("enter", "play", "Play"),
        Binding("question_mark", "keys", "Keys"),
        Binding("escape", "back", "Back"),
    ]

    def __init__(self, board: Board, agent: Agent) -> None:
        super().__init__()
        self.position = EditedPosition(board)
        self.board_widget = BoardWidget(self.position)
        self.brush = 1
        self.show_risks = True
        self.message_lines = ["Type a number to paint it under the cursor; ? lists all keys."]
        self.prompt_purpose = ""
        self._agent = agent
        self._labelled = LabelledBoard(self.board_widget)

    def compose(self) -> ComposeResult:
        """Lay out the status line, the board, what follows from it, and the keys."""
        yield Static(id="editor-status")
        yield self._labelled
        yield Static(id="editor-notes")
        yield Input(id="editor-prompt")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Show the board."""
        self.board_widget.focus()
        self.show_all()

    def on_resize(self) -> None:
        """Adapt the cells to the new size."""
        self.call_after_refresh(self.show_all)

    # ---- the screen ----------------------------------------------------------------------

    def show_all(self) -> None:
        """Draw the board and what follows from it."""
        analysis, sentence = self._analyse()
        widget = self.board_widget
        widget.analysis = analysis if self.show_risks else None
        widget.free_cols = self.app.size.width
        self._labelled.draw()
        board = self.position.board
        mines = "unknown" if board.mines is None else str(board.mines)
        brush = {0: "0"}.get(self.brush, TEXT_OF_TILE[self.brush])
        status = f"Editor · {board.rows}x{board.cols}, mine total {mines} · paints {brush}"
        write(self, "#editor-status", Text(status))
        write(self, "#editor-notes", Text("\n".join([sentence, *self.message_lines])))

    def _analyse(self) -> tuple[Analysis | None, str]:
        """Return the analysis of the board and a sentence on it."""
        board = self.position.board
        try:
            analysis = analyse_likely(board)
        except SolverError as error:
            return None, str(error)
        return analysis, analysis_text(analysis)

    def _change(self, board: Board) -> None:
        self.position.board = board
        self.position.proposal = None
        self.board_widget.proof = None
        self.message_lines = []
        self.workers.cancel_group(self, "agent")
        self.show_all()

    # ---- painting ------------------------------------------------------------------------

    def action_move(self, down: int, right: int) -> None:
        """Move the cursor."""
        self.board_widget.move_cursor(down, right)
        self._labelled.draw()

    def action_paint(self) -> None:
        """Paint the cell under the cursor."""
        self._paint(self.board_widget.cursor, self.brush)

    def _paint(self, cell: Cell, tile: int) -> None:
        tiles = self.position.board.tiles.copy()
        tiles[cell] = tile
        self._change(Board(tiles, self.position.board.mines))

    def on_board_widget_clicked(self, message: BoardWidget.Clicked) -> None:
        """Paint with the left button; cover with any other."""
        message.stop()  # the app plays what is clicked
        self.board_widget.cursor = message.cell
        self._paint(message.cell, self.brush if message.button == 1 else int(Tile.HIDDEN))

    def on_key(self, event: events.Key) -> None:
        """Paint with the keys of tiles; close the input line on Escape; clear an old message."""
        if self.prompt_purpose:
            if event.key == "escape":
                event.stop()
                event.prevent_default()
                self._close_prompt()
            return
        if event.key not in CURSOR_KEYS and self.message_lines:
            self._say()
        tile = PAINT_KEYS.get(event.key, TILE_OF_TEXT.get(event.character or ""))
        if tile is not None and event.key not in ("x", "w", "question_mark"):
            event.stop()
            self.brush = int(tile)
            self.action_paint()

    def action_clear(self) -> None:
        """Cover all cells."""
        board = self.position.board
        self._change(Board(np.full(board.tiles.shape, Tile.HIDDEN), board.mines))

    def action_heat(self) -> None:
        """Show or hide the risks."""
        self.show_risks = not self.show_risks
        self.show_all()

    # ---- analysing -----------------------------------------------------------------------

    def action_why(self) -> None:
        """Prove the cell under the cursor, or say its risk."""
        why = self._why(self.board_widget.cursor)
        self.board_widget.proof = None if why is None else why.proof
        self.message_lines = ["Choose a covered cell." if why is None else why.text]
        self.show_all()

    def _why(self, cell: Cell) -> Why | None:
        board, (analysis, _) = self.position.board, self._analyse()
        if analysis is None or not board.covered[cell]:
            return None
        return why_certain(board, analysis, cell)

    def action_compare(self) -> None:
        """Compare the best guesses."""
        start(self, self._compare, group="agent")

    async def _compare(self) -> None:
        board, (analysis, _) = self.position.board, self._analyse()
        lines = await guess_lines(board, analysis)
        if board == self.position.board:
            self.message_lines = lines
            self.show_all()

    def action_ask(self) -> None:
        """Ask the agent for its move."""
        start(self, self._ask, group="agent")

    async def _ask(self) -> None:
        board = self.position.board
        try:
            decision = await asyncio.to_thread(self._agent.decide, board)
        except SolverError as error:
            self.message_lines = [str(error)]
        else:
            if board != self.position.board:
                return
            self.position.proposal = decision
            self.message_lines = [f"{self._agent.name}: {decision_line(decision, board)}."]
        self.show_all()

    # ---- size, mines, the way out --------------------------------------------------------

    def action_keys(self) -> None:
        """List the keys."""
        self.app.push_screen(KeysScreen("Keys of the editor", KEYS))

    def action_mines(self) -> None:
        """Ask for the mine total."""
        self._prompt("mines", "Mine total, or nothing if it is unknown")

    def action_size(self) -> None:
        """Ask for the size of a new board."""
        self._prompt("size", "Size: beginner, intermediate, expert or ROWSxCOLSxMINES")

    def _prompt(self, purpose: str, question: str) -> None:
        self.prompt_purpose = purpose
        prompt = self.query_one("#editor-prompt", Input)
        prompt.placeholder, prompt.value = question, ""
        prompt.add_class("asking")
        prompt.focus()

    def _close_prompt(self) -> None:
        self.prompt_purpose = ""
        self.query_one("#editor-prompt", Input).remove_class("asking")
        self.board_widget.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Use the answer of the input line."""
        event.stop()
        purpose, text = self.prompt_purpose, event.value.strip()
        self._close_prompt()
        try:
            if purpose == "size" and text:
                size = Size.parse(text)
                tiles = np.full((size.rows, size.cols), Tile.HIDDEN)
                self.board_widget.cursor = Cell(size.rows // 2, size.cols // 2)
                self._change(Board(tiles, size.mines))
            elif purpose == "mines":
                self._change(self.position.board.with_mines(int(text) if text else None))
        except ValueError:
            self._say(f"{text!r} is not a whole number.")
        except SolverError as error:
            self._say(str(error))

    def _say(self, *lines: str) -> None:
        self.message_lines = list(lines)
        self.show_all()

    def action_play(self) -> None:
        """Play on from this board, if its mine total is known and a layout fits."""
        if self.position.board.mines is None:
            self._say("Set the mine total first: m.")
        elif self._analyse()[0] is None:
            self._say("This board cannot be played.")
        else:
            self.dismiss(self.position.board)

    def action_back(self) -> None:
        """Return to the game as it was."""
        self.dismiss(None)
