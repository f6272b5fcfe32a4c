"""The main screen of manual play: status, board, side panel, messages and keys."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Footer, Input, Static

from bot.plain_text import plain
from bot.terminal.manual.advice import (
    PANEL_WIDTH,
    Advice,
    Advisers,
    advice_lines,
    advice_table,
)
from bot.terminal.manual.board import CURSOR_KEYS, BoardWidget, LabelledBoard
from bot.terminal.manual.history import end_sentence
from bot.terminal.manual.play import ManualPlay
from bot.terminal.manual.tasks import start
from bot.terminal.risks import value_shares
from solver.board import Board
from solver.counting import counted, percent
from solver.game import Status

STEP_S = 0.35
"""Seconds between two turns of an agent that plays on by itself."""

TICK_S = 0.5
"""Seconds between two looks at the clock."""


class ManualView(App[None]):
    """The main screen of manual play; its keys are carried out by the classes that extend it.

    ``advisers`` are the agents of the side panel.
    """

    TITLE = "minebot"
    CSS = """
    #status { height: 1; padding: 0 1; background: $boost; }
    #main { height: 1fr; }
    #side { display: none; width: 41; height: 1fr; padding: 0 0 0 1; border-left: solid $panel; }
    #side.shown { display: block; }
    #notes { height: auto; min-height: 4; padding: 0 1; border-top: solid $panel; }
    #notes { overflow-y: auto; }
    #prompt { display: none; dock: bottom; }
    #prompt.asking { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1, 0)", show=False),
        Binding("down", "move(1, 0)", show=False),
        Binding("left", "move(0, -1)", show=False),
        Binding("right", "move(0, 1)", show=False),
        Binding("space,enter", "open", "Open", key_display="␣"),
        Binding("f", "flag", "Flag"),
        Binding("c", "chord", "Chord", show=False),
        Binding("u,ctrl+z", "undo", "Undo"),
        Binding("a", "ask", "Ask"),
        Binding("w", "why", "Why"),
        Binding("k", "compare", "Compare guesses", show=False),
        Binding("v", "advice", "Advice"),
        Binding("s", "step", "Step", show=False),
        Binding("p", "play_on", "Play on", show=False),
        Binding("e", "to_the_end", "Play to the end", show=False),
        Binding("tab", "agent(1)", "Next agent", show=False, priority=True),
        Binding("shift+tab", "agent(-1)", "Previous agent", show=False, priority=True),
        Binding("h", "heat", "Risks"),
        Binding("g", "values", "Agent's values", show=False),
        Binding("m", "mistakes", "Show mistakes", show=False),
        Binding("r", "review", "Review"),
        Binding("n", "new", "New game", show=False),
        Binding("ctrl+s", "save", "Save the position", show=False),
        Binding("ctrl+o", "load", "Load a position", show=False),
        Binding("question_mark", "keys", "Keys"),
        Binding("escape", "close_prompt", "Back"),
        Binding("q", "quit", "Quit"),
        # With priority: an input line, or text that is marked, would take Ctrl-C to copy it.
        Binding("ctrl+c", "stop", show=False, priority=True),
    ]
    show_risks = reactive(False)
    show_values = reactive(False)
    show_advice = reactive(False)

    def __init__(
        self, manual: ManualPlay, *, step_s: float = STEP_S, advisers: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self.manual = manual
        self.step_s = step_s
        self.board_widget = BoardWidget(manual)
        self.labelled_board = LabelledBoard(self.board_widget)
        self.advisers = Advisers(advisers or ("deep", "tank"), seed=manual.seed, rule=manual.rule)
        self.advice: dict[str, Advice] = {}
        self.advised_board: Board | None = None
        self.show_mistakes = True
        self.message_lines = [
            "Move with the arrow keys, or use the mouse: left opens, right flags, middle chords.",
            "? lists all keys.",
        ]
        self.prompt_purpose = ""
        self.stopped = False

    def compose(self) -> ComposeResult:
        """Lay out the status line, the board, the side panel, the messages and the keys."""
        yield Static(id="status")
        with Horizontal(id="main"):
            yield self.labelled_board
            yield Static(id="side")
        yield Static(id="notes")
        yield Input(id="prompt")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Show the first board."""
        self.board_widget.focus()
        self.show_all()
        self.set_interval(TICK_S, self.show_status)

    def on_resize(self) -> None:
        """Adapt the cells to the terminal's new size, once it is known."""
        self.call_after_refresh(self.show_all)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer every key's command in the palette, beside those of the library."""
        yield from super().get_system_commands(screen)
        for binding in self.BINDINGS:
            if (
                isinstance(binding, Binding)
                and binding.description
                and screen is self.screen_stack[0]
                and self.check_action(binding.action, ())
            ):
                action = binding.action
                yield SystemCommand(
                    binding.description,
                    f"key {binding.key}",
                    lambda action=action: self._run(action),
                )

    async def _run(self, action: str) -> None:
        self._clear_message()
        await self.run_action(action)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Offer Escape while the input line is open, and no key of the game then.

        Nor another agent while another screen, such as the review, lies over this one.
        """
        asking = bool(self.prompt_purpose)
        if action == "close_prompt":
            return asking
        if action == "agent":  # its key has priority, so it reaches this screen, too
            return not asking and self.screen is self.screen_stack[0]
        return not asking or action == "stop"

    def action_stop(self) -> None:
        """Quit at Ctrl-C; ``stopped`` tells it from quitting with its own key."""
        self.stopped = True
        if self.is_running:
            self.exit()

    def on_key(self, event: events.Key) -> None:
        """Clear the message of an earlier key, so that it does not pass for the answer to this one.

        It stays while the cursor moves: it may name the cells to go to.
        """
        if not self.prompt_purpose and event.key not in CURSOR_KEYS:
            self._clear_message()

    def _clear_message(self) -> None:
        """Leave only what remains true: how the game ended."""
        if self.message_lines != self.end_message():
            self.show_message(*self.end_message())

    # ---- the screen ----------------------------------------------------------------------

    @property
    def is_laid_out(self) -> bool:
        """Whether there is a main screen to draw on: an agent may answer while the app ends."""
        return bool(self.screen_stack and self.screen_stack[0].query("#notes"))

    def show_all(self) -> None:
        """Draw the status line, the board, the advice and the messages."""
        if not self.is_laid_out:
            return
        analysis = self.manual.analysis() if self.show_risks or self.show_advice else None
        widget = self.board_widget
        widget.analysis = analysis if self.show_risks else None
        values = self.manual.values() if self.show_values else None
        widget.values = None if values is None else value_shares(values)
        beside = self.show_advice and self._has_side_room()
        widget.free_cols = self.size.width - (PANEL_WIDTH + 1 if beside else 0)
        self.labelled_board.draw()
        base = self.screen_stack[0]
        self.show_status()
        side = base.query_one("#side", Static)
        side.set_class(beside, "shown")
        text = Text("\n").join(Text(plain(line)) for line in self.message_lines)
        if beside:
            side.update(advice_table(self.advisers.names, self.advice, analysis))
        elif self.show_advice and not self.manual.over:
            lines = advice_lines(self.advisers.names, self.advice, analysis)
            text = Text("\n").join([*text.split("\n")[:2], Text(" · ").join(lines)])
        notes = base.query_one("#notes", Static)
        notes.styles.max_height = self._rows_for_notes()
        notes.update(text)
        self._ask_advisers()

    def show_status(self) -> None:
        """Draw the status line, whose clock goes on."""
        if self.is_laid_out:
            self.screen_stack[0].query_one("#status", Static).update(self.status_line())

    def _rows_for_notes(self) -> int:
        """Return how many rows the messages may take beside the whole board, at least four."""
        status, column_labels, footer = 1, 1, 1
        others = status + column_labels + self.manual.board.rows + footer
        return min(9, max(4, self.size.height - others))

    def _has_side_room(self) -> bool:
        """Tell whether the panel fits beside the board; without risks, narrow cells will do."""
        cell_width = 3 if self.show_risks or self.show_values else 2
        return self.board_widget.width_of(cell_width) + PANEL_WIDTH + 1 <= self.size.width

    def status_line(self) -> Text:
        """Return one line on the game, its mines left, its seconds, the agent, the mistakes."""
        manual = self.manual
        mines_left = manual.size.mines - manual.board.flags
        state = {
            Status.PLAYING: (f"{counted(mines_left, 'mine')} left", "bold"),
            Status.WON: ("won", "bold green"),
            Status.LOST: ("lost", "bold red"),
        }[manual.game.status]
        seconds = f" · {int(manual.stopwatch.seconds)} s"
        line = Text.assemble(f"{manual.size} · seed {manual.seed} · ", state, seconds)
        line.append(plain(f" · agent {manual.agent_name}"), "cyan")
        if manual.guesses:
            guesses = counted(manual.guesses, "guess", "guesses")
            line.append(f" · {guesses}, survival {percent(manual.chance)}")
        mistakes = len(manual.history.mistakes())
        if self.show_mistakes and mistakes:
            line.append(f" · {counted(mistakes, 'mistake')}", "red")
        if manual.history.undone:
            line.append(f" · {manual.history.undone} taken back", "dim")
        return line

    def show_message(self, *lines: str) -> None:
        """Show lines of text below the board, in place of those before."""
        self.message_lines = list(lines)
        self.show_all()

    def watch_show_risks(self) -> None:
        """Redraw with or without the risks."""
        if self.is_running:
            self.show_all()

    def watch_show_values(self) -> None:
        """Redraw with or without the agent's values."""
        if self.is_running:
            self.show_all()

    def watch_show_advice(self) -> None:
        """Redraw with or without the advice."""
        if self.is_running:
            self.show_all()

    def end_message(self) -> list[str]:
        """Return lines that say how the game ended; no line while it goes on."""
        if not self.manual.over:
            return []
        mistakes = len(self.manual.history.mistakes())
        found = f" {counted(mistakes, 'mistake')}." if mistakes else ""
        return [
            f"{self._end_sentence()}{found}",
            "Press n for a new one, r for the review, u to take the last move back.",
        ]

    def _end_sentence(self) -> str:
        told = end_sentence(self.manual.history, won=self.manual.game.status is Status.WON)
        return f"{told} {self.manual.efficiency()}".rstrip()

    def _ask_advisers(self) -> None:
        """Ask the agents of the panel about a board they have not seen yet."""
        board = self.manual.board
        if not self.show_advice or self.manual.over or board == self.advised_board:
            return
        self.advised_board, self.advice = board, {}
        start(self, partial(self._gather_advice, board), group="advice")

    async def _gather_advice(self, board: Board) -> None:
        for name in self.advisers.names:
            advice = await asyncio.to_thread(self.advisers.ask, name, board)
            if board != self.manual.board:
                return
            self.advice[name] = advice
            self.show_all()
