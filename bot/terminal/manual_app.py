"""The app of manual play: the board, its keys, and an agent that advises or plays in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.geometry import Region
from textual.message import Message
from textual.widgets import Footer, HelpPanel, Static
from textual.worker import Worker

from bot.streams import plain
from bot.terminal.board_text import board_text, label_width
from bot.terminal.console import coloured, shows_symbols
from bot.terminal.manual_game import Change, ManualGame
from bot.terminal.words import decision_line
from solver import Analysis, Cell, Decision, SolverError, Status, agent_names
from solver.counting import counted, percent
from solver.proof import Proof

LEFT_BUTTON, MIDDLE_BUTTON, RIGHT_BUTTON = 1, 2, 3

STEP_S = 0.35
"""Seconds between two turns of an agent that plays by itself."""

CURSOR_KEYS = ("up", "down", "left", "right")


class BoardWidget(Static, can_focus=True):
    """A widget that draws the board with its labels, and posts `Clicked` for a click on a cell.

    ``analysis`` is set to show the risks; ``proof`` is highlighted.
    """

    class Clicked(Message):
        """A cell was clicked with a mouse button."""

        def __init__(self, cell: Cell, button: int) -> None:
            super().__init__()
            self.cell, self.button = cell, button

    def __init__(self, manual: ManualGame) -> None:
        super().__init__(id="board")
        self.manual = manual
        self.letters = not shows_symbols()
        self.cursor = Cell(manual.board.rows // 2, manual.board.cols // 2)
        self.analysis: Analysis | None = None
        self.proof: Proof | None = None
        self.cell_width = 3

    def draw(self) -> None:
        """Draw the current board; cells are three characters wide if there is room."""
        board, labels = self.manual.board, label_width(self.manual.board)
        self.move_cursor(0, 0)
        self.cell_width = 3 if labels + 3 * board.cols <= self.app.size.width - 2 else 2
        proposal = self.manual.proposal
        text = board_text(
            board,
            self.analysis,
            targets=() if proposal is None else {move.cell for move in proposal.moves},
            proof=self.proof,
            cell_width=self.cell_width,
            letters=self.letters,
            labels=True,
        )
        text = coloured(text)
        row_length = labels + board.cols * self.cell_width + 1
        at = text.plain.index("\n") + 1 + self.cursor.row * row_length
        at += labels + self.cursor.col * self.cell_width
        text.stylize("reverse bold", at, at + self.cell_width - 1)
        self.styles.width, self.styles.height = row_length - 1, board.rows + 1
        self.update(text)

    def move_cursor(self, down: int, right: int) -> None:
        """Move the cursor, at most to the edge of the board."""
        board = self.manual.board
        row = min(max(self.cursor.row + down, 0), board.rows - 1)
        col = min(max(self.cursor.col + right, 0), board.cols - 1)
        self.cursor = Cell(row, col)

    def place_of(self, cell: Cell) -> Region:
        """Return where a cell is drawn in the widget, in characters."""
        left = label_width(self.manual.board) + cell.col * self.cell_width
        return Region(left, cell.row + 1, self.cell_width, 1)

    def on_click(self, event: events.Click) -> None:
        """Post the cell that was clicked and the mouse button."""
        board = self.manual.board
        row, col = int(event.y) - 1, (int(event.x) - label_width(board)) // self.cell_width
        if 0 <= row < board.rows and 0 <= col < board.cols:
            self.post_message(self.Clicked(Cell(row, col), event.button))


class ManualApp(App[None]):
    """The app of manual play: play by hand, ask an agent, or let it play on."""

    TITLE = "minebot"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #status { height: 1; padding: 0 1; background: $boost; }
    #scroll { align: center middle; height: 1fr; width: 1fr; overflow: auto; }
    #notes { height: auto; min-height: 4; max-height: 9; padding: 0 1; }
    #notes { border-top: solid $panel; overflow-y: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1, 0)", "Up", show=False),
        Binding("down", "move(1, 0)", "Down", show=False),
        Binding("left", "move(0, -1)", "Left", show=False),
        Binding("right", "move(0, 1)", "Right", show=False),
        Binding("space,enter", "open", "Open", key_display="␣"),
        Binding("f", "flag", "Flag"),
        Binding("c", "chord", "Chord"),
        Binding("u,ctrl+z", "undo", "Undo"),
        Binding("a", "ask", "Ask"),
        Binding("w", "why", "Why"),
        Binding("s", "step", "Step"),
        Binding("p", "play_on", "Play on, or stop", show=False),
        Binding("tab", "agent(1)", "Next agent", show=False, priority=True),
        Binding("shift+tab", "agent(-1)", "Previous agent", show=False, priority=True),
        Binding("h", "heat", "Risks"),
        Binding("n", "new", "New game", show=False),
        Binding("question_mark", "keys", "Keys"),
        Binding("q", "quit", "Quit"),
        # With priority, because selected text would use Ctrl-C to copy it.
        Binding("ctrl+c", "stop", "Stop", show=False, priority=True),
    ]

    def __init__(self, manual: ManualGame, *, step_s: float = STEP_S) -> None:
        super().__init__()
        self.manual, self.step_s = manual, step_s
        self.board_widget = BoardWidget(manual)
        self.show_risks = self.stopped = False
        self.message_lines = [
            "Move with the arrow keys, or use the mouse: left opens, right flags, middle chords.",
            "? lists all keys.",
        ]

    def compose(self) -> ComposeResult:
        """Lay out the status line, the board, the messages and the keys."""
        yield Static(id="status")
        with Container(id="scroll"):
            yield self.board_widget
        yield Static(id="notes")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Show the first board."""
        self.board_widget.focus()
        self.show_all()

    def on_resize(self) -> None:
        """Adapt the cells to the terminal's new size, once it is known."""
        self.call_after_refresh(self.show_all)

    def on_key(self, event: events.Key) -> None:
        """Clear the message of an earlier key, so that it does not pass for the answer to this one.

        It stays while the cursor moves: it may name the cells to go to. How the game ended stays.
        """
        if event.key not in CURSOR_KEYS and self.message_lines != self.end_message():
            self.show_message(*self.end_message())

    # ---- the screen ----------------------------------------------------------------------

    def show_all(self) -> None:
        """Draw the status line, the board and the messages."""
        if not (self.is_running and self.query("#notes")):  # an agent may answer while it ends
            return
        self.board_widget.analysis = self.manual.analysis() if self.show_risks else None
        self.board_widget.draw()
        place = self.board_widget.place_of(self.board_widget.cursor)
        self.query_one("#scroll").scroll_to_region(place, animate=False)
        self.query_one("#status", Static).update(self.status_line())
        text = Text("\n").join(Text(plain(line)) for line in self.message_lines)
        self.query_one("#notes", Static).update(text)

    def status_line(self) -> Text:
        """Return one line on the game, its mines left, the agent, the mistakes."""
        manual = self.manual
        mines_left = manual.size.mines - manual.board.flags
        state = {
            Status.PLAYING: (f"{counted(mines_left, 'mine')} left", "bold"),
            Status.WON: ("won", "bold green"),
            Status.LOST: ("lost", "bold red"),
        }[manual.game.status]
        line = Text.assemble(f"{manual.size} · seed {manual.seed} · ", state)
        line.append(plain(f" · agent {manual.agent_name}"), "cyan")
        if manual.guesses:
            guesses = counted(manual.guesses, "guess", "guesses")
            line.append(f" · {guesses}, survival {percent(manual.chance)}")
        if manual.mistakes:
            line.append(f" · {counted(len(manual.mistakes), 'mistake')}", "red")
        if manual.undone:
            line.append(f" · {manual.undone} taken back", "dim")
        return line

    def show_message(self, *lines: str) -> None:
        """Show lines of text below the board, in place of those before."""
        self.message_lines = list(lines)
        self.show_all()

    def end_message(self) -> list[str]:
        """Return lines that say how the game ended; no line while it goes on."""
        if not self.manual.over:
            return []
        again = "Press n for a new one, u to take the last move back."
        return [self.manual.end_sentence(), again]

    # ---- the agent -----------------------------------------------------------------------

    def action_agent(self, step: int) -> None:
        """Choose the agent ``step`` places further in the list."""
        self.stop_agent()
        self.manual.choose_agent(self.manual.agent_after(step))
        agents = ", ".join(agent_names())
        self.show_message(f"Agent: {self.manual.agent_name}.", f"All agents: {agents}")

    def action_ask(self) -> None:
        """Show the move that the agent proposes."""
        self._start(self._ask_and_show)

    def action_why(self) -> None:
        """Say why the cell is certain, or why the agent proposes its move."""
        self._start(self._ask_and_explain)

    def action_step(self) -> None:
        """Let the agent play one turn."""
        self._start(partial(self._play, to_the_end=False))

    def action_play_on(self) -> None:
        """Let the agent play to the end, with a pause after each turn; the same key stops it."""
        if any(worker.name == "play on" for worker in self.workers if worker.is_running):
            self.stop_agent()
            self.show_message("Stopped.")
            return
        self._start(partial(self._play, to_the_end=True), name="play on")

    def stop_agent(self) -> None:
        """Cancel what the agent is doing."""
        self.workers.cancel_group(self, "agent")

    def _start(
        self, work: Callable[[], Coroutine[Any, Any, None]], *, group: str = "agent", name: str = ""
    ) -> None:
        """Start ``work`` and cancel the agent's current work; other groups run in parallel.

        The work is a function, not a coroutine: another key may cancel it before it begins, and a
        coroutine would then never be awaited.
        """
        exclusive = group == "agent"
        _: Worker[None] = self.run_worker(work, name=name, group=group, exclusive=exclusive)

    async def _ask(self) -> Decision | None:
        """Return the proposal; None at the end of a game, after an error or on a changed board.

        The agent runs in a thread, so that the screen does not freeze.
        """
        if self.manual.over:
            self.show_message(*self.end_message())
            return None
        if self.manual.proposal is not None:
            return self.manual.proposal
        self.show_message(f"{self.manual.agent_name} thinks …")
        board = self.manual.board
        try:
            decision = await asyncio.to_thread(self.manual.agent.decide, board)
        except SolverError as error:
            self.show_message(str(error))
            return None
        return decision if self.manual.accept_proposal(board, decision) else None

    async def _ask_and_show(self) -> None:
        decision = await self._ask()
        if decision is None:
            return
        if decision.moves:
            self.board_widget.cursor = decision.moves[0].cell
        self.show_message(self.decision_message(decision))

    async def _ask_and_explain(self) -> None:
        """Explain the cell under the cursor if it is certain, else the agent's proposal."""
        cursor, proposal = self.board_widget.cursor, self.manual.proposal
        chosen = proposal is None or any(move.cell == cursor for move in proposal.moves)
        why = None if chosen else self.manual.why(cursor)
        if why is not None:
            lines = [why.text]
        else:
            decision = await self._ask()
            if decision is None:
                return
            lines = self.manual.explain()
            if decision.moves and decision.certain:
                why = self.manual.why(decision.moves[0].cell)
        self.board_widget.proof = None if why is None else why.proof
        self.show_message(*lines)

    async def _play(self, *, to_the_end: bool) -> None:
        """Let the agent play one turn, or ``to_the_end``, pausing after each."""
        while True:
            decision = await self._ask()
            if decision is None:
                return
            message = self.decision_message(decision)
            if not decision.moves:
                self.show_message(message)
                return
            self.board_widget.proof = None
            self.manual.make_moves(decision)
            self.board_widget.cursor = decision.moves[0].cell
            self.show_message(*self.end_message(), message)
            if self.manual.over or not to_the_end:
                return
            await asyncio.sleep(self.step_s)

    def decision_message(self, decision: Decision) -> str:
        """Return one line on the agent's decision."""
        return f"{self.manual.agent_name}: {decision_line(decision, self.manual.board)}."

    # ---- the player ----------------------------------------------------------------------

    def action_move(self, down: int, right: int) -> None:
        """Move the cursor."""
        self.board_widget.move_cursor(down, right)
        self.show_all()

    def on_board_widget_clicked(self, message: BoardWidget.Clicked) -> None:
        """Open, flag or chord, by the mouse button."""
        self.board_widget.cursor = message.cell
        actions = {MIDDLE_BUTTON: self.action_chord, RIGHT_BUTTON: self.action_flag}
        actions.get(message.button, self.action_open)()

    def action_open(self) -> None:
        """Open the cell under the cursor; chord on a number."""
        self._make_player_move(self.manual.open)

    def action_flag(self) -> None:
        """Flag the cell under the cursor."""
        self._make_player_move(self.manual.flag)

    def action_chord(self) -> None:
        """Chord on the number under the cursor."""
        self._make_player_move(self.manual.chord)

    def action_undo(self) -> None:
        """Take the last change back."""
        self.stop_agent()
        self.board_widget.proof = None
        done = self.manual.undo()
        self.show_message("Taken back." if done else "There is nothing to take back.")

    def action_new(self) -> None:
        """Start the next game."""
        self.stop_agent()
        self.board_widget.proof = None
        self.manual.new_game()
        self.show_message(f"New game, seed {self.manual.seed}.")

    def action_heat(self) -> None:
        """Show or hide the mine probabilities."""
        self.show_risks = not self.show_risks
        self.show_all()

    def action_keys(self) -> None:
        """Show or hide the list of all keys."""
        if self.screen.query(HelpPanel):
            self.action_hide_help_panel()
        else:
            self.action_show_help_panel()

    def action_stop(self) -> None:
        """Quit at Ctrl-C; ``stopped`` is true then, unlike after the key that quits."""
        self.stopped = True
        if self.is_running:
            self.exit()

    def _make_player_move(self, move: Callable[[Cell], None]) -> None:
        """Make a move at the cursor, report if it ended the game, and look for a mistake in it."""
        self.stop_agent()
        was_over, made = self.manual.over, len(self.manual.changes)
        self.board_widget.proof = None
        move(self.board_widget.cursor)
        self.message_lines = [] if was_over else self.end_message()
        self.show_all()
        for change in self.manual.changes[made:]:
            if change.moves:
                self._start(partial(self._judge_and_warn, change), group="judge")

    async def _judge_and_warn(self, change: Change) -> None:
        """Compare a move with the best one; report a mistake unless the move was taken back."""
        await asyncio.to_thread(change.judge)
        if change not in self.manual.changes:
            return
        if self.manual.over:
            self.show_message(*self.end_message())
        elif change.mistakes:
            sentence = str(change.mistakes[0])
            self.show_message(f"{sentence[:1].upper()}{sentence[1:]}. u takes it back.")
