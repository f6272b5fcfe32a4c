"""Manual play on the terminal: the screen, its keys and what they do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ScrollableContainer
from textual.reactive import reactive
from textual.widgets import Footer, Input, Static

from bot.errors import BotError
from bot.manual import Sitting
from bot.manual_board import BoardView
from bot.say import place
from bot.view import percent
from solver.agents import Decision, names
from solver.board import Cell
from solver.errors import SolverError
from solver.game import Status

LEFT, MIDDLE, RIGHT = 1, 2, 3
STEP_S = 0.35
"""Pause between two moves of an agent that plays on by itself."""


class ManualApp(App[None]):
    """Play by hand, ask any agent, let any agent play on."""

    TITLE = "minebot"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #status { height: 1; padding: 0 1; background: $boost; }
    #scroll { height: 1fr; align: center middle; }
    #notes { height: 6; padding: 0 1; border-top: solid $panel; }
    #prompt { display: none; dock: bottom; }
    #prompt.asking { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1, 0)", show=False),
        Binding("down", "move(1, 0)", show=False),
        Binding("left", "move(0, -1)", show=False),
        Binding("right", "move(0, 1)", show=False),
        Binding("space,enter", "open", "Open"),
        Binding("f", "flag", "Flag"),
        Binding("c", "chord", "Chord"),
        Binding("a", "ask", "Ask"),
        Binding("w", "why", "Why"),
        Binding("s", "step", "Step"),
        Binding("p", "play_on", "Play on"),
        Binding("e", "to_the_end", "To end"),
        Binding("tab", "agent(1)", "Agent", priority=True),
        Binding("shift+tab", "agent(-1)", show=False, priority=True),
        Binding("h", "heat", "Heat"),
        Binding("n", "new", "New"),
        Binding("ctrl+s", "save", "Save"),
        Binding("ctrl+o", "load", "Load"),
        Binding("q", "quit", "Quit"),
    ]
    show_heat = reactive(False)

    def __init__(self, sitting: Sitting, *, step_s: float = STEP_S) -> None:
        super().__init__()
        self.sitting = sitting
        self.step_s = step_s
        self.view = BoardView(sitting)
        self.said: list[str] = ["Arrows move, the mouse works too: left, right, middle button."]
        self.asking = ""

    def compose(self) -> ComposeResult:
        """Lay out status, board, notes and keys."""
        yield Static(id="status")
        with ScrollableContainer(id="scroll", can_focus=False):
            yield self.view
        yield Static(id="notes")
        yield Input(id="prompt")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Show the first board."""
        self.view.focus()
        self.show_all()

    def on_resize(self) -> None:
        """Fit the cells to the terminal, once its new size is known."""
        self.call_after_refresh(self.show_all)

    # ---- what is shown -------------------------------------------------------------------

    def show_all(self) -> None:
        """Draw status, board and notes as they are now."""
        self.view.known = self.sitting.analysis() if self.show_heat else None
        self.view.draw()
        self.query_one("#status", Static).update(self.status_line())
        self.query_one("#notes", Static).update(Text("\n".join(self.said)))

    def status_line(self) -> Text:
        """Sum up game, counter and agent in one line."""
        sitting, board = self.sitting, self.sitting.board
        left = sitting.size.mines - board.flags
        state = {
            Status.PLAYING: (f"{left} mines left", "bold"),
            Status.WON: ("won", "bold green"),
            Status.LOST: ("lost", "bold red"),
        }[sitting.game.status]
        line = Text.assemble(f"{sitting.size} · seed {sitting.seed} · ", state)
        line.append(f" · agent {sitting.agent_name}", "cyan")
        if sitting.guesses:
            guesses = "1 guess" if sitting.guesses == 1 else f"{sitting.guesses} guesses"
            line.append(f" · {guesses}, {percent(sitting.chance)}")
        return line

    def say(self, *lines: str) -> None:
        """Show sentences below the board."""
        self.said = list(lines)
        self.show_all()

    def watch_show_heat(self) -> None:
        """Redraw with or without heat."""
        if self.is_running:
            self.show_all()

    # ---- the player ----------------------------------------------------------------------

    def action_move(self, down: int, right: int) -> None:
        """Move the cursor."""
        board, cursor = self.sitting.board, self.view.cursor
        row = min(max(cursor.row + down, 0), board.rows - 1)
        col = min(max(cursor.col + right, 0), board.cols - 1)
        self.view.cursor = Cell(row, col)
        self.view.draw()

    def on_board_view_clicked(self, message: BoardView.Clicked) -> None:
        """Open, flag or chord by the button."""
        self.view.cursor = message.cell
        actions = {LEFT: self.action_open, MIDDLE: self.action_chord, RIGHT: self.action_flag}
        actions.get(message.button, self.action_open)()

    def action_open(self) -> None:
        """Open the cell under the cursor; on a number, chord."""
        self._hands(self.sitting.open)

    def action_flag(self) -> None:
        """Flag the cell under the cursor."""
        self._hands(self.sitting.flag)

    def action_chord(self) -> None:
        """Chord at the cursor."""
        self._hands(self.sitting.chord)

    def action_new(self) -> None:
        """Start the next game."""
        self.stop_agent()
        self.sitting.new_game()
        self.say(f"Game of seed {self.sitting.seed}.")

    def action_heat(self) -> None:
        """Show or hide the mine probabilities."""
        self.show_heat = not self.show_heat

    def _hands(self, move: Callable[[Cell], None]) -> None:
        self.stop_agent()
        was_over = self.sitting.over
        move(self.view.cursor)
        self.said = [] if was_over else self.ending()
        self.show_all()

    def ending(self) -> list[str]:
        """Say that the game is over, if it is."""
        if not self.sitting.over:
            return []
        return [f"The game is {self.sitting.game.status.value}. n starts the next one."]

    # ---- the agents ----------------------------------------------------------------------

    def action_agent(self, step: int) -> None:
        """Turn to the next agent in the table."""
        self.stop_agent()
        self.sitting.choose(self.sitting.neighbour_agent(step))
        others = ", ".join(names())
        self.say(f"Agent {self.sitting.agent_name}.", f"All: {others}")

    def action_ask(self) -> None:
        """Show the agent's move."""
        self.run_worker(self._ask_and_show(), exclusive=True, group="agent")

    def action_why(self) -> None:
        """Say why the move was proposed; ask first if need be."""
        self.run_worker(self._ask_and_explain(), exclusive=True, group="agent")

    def action_step(self) -> None:
        """Let the agent make one move."""
        self.run_worker(self._play(1, 0.0), exclusive=True, group="agent")

    def action_play_on(self) -> None:
        """Let the agent play on step by step; the same key stops it."""
        if any(worker.name == "play on" for worker in self.workers if worker.is_running):
            self.stop_agent()
            self.say("Stopped.")
            return
        self.run_worker(
            self._play(None, self.step_s), name="play on", exclusive=True, group="agent"
        )

    def action_to_the_end(self) -> None:
        """Let the agent play to the end at once."""
        self.run_worker(self._play(None, 0.0), exclusive=True, group="agent")

    def stop_agent(self) -> None:
        """Drop whatever an agent is doing."""
        self.workers.cancel_group(self, "agent")

    async def _ask(self) -> Decision | None:
        """Ask in a thread, so that a long think does not freeze the screen."""
        if self.sitting.over:
            self.say(*self.ending())
            return None
        if self.sitting.proposal is not None:
            return self.sitting.proposal
        self.query_one("#notes", Static).update(f"{self.sitting.agent_name} thinks …")
        board = self.sitting.board
        try:
            decision = await asyncio.to_thread(self.sitting.agent.decide, board)
        except SolverError as error:
            self.say(str(error))
            return None
        return decision if self.sitting.propose(board, decision) else None

    async def _ask_and_show(self) -> None:
        decision = await self._ask()
        if decision is None:
            return
        if decision.moves:
            self.view.cursor = decision.moves[0].cell
        self.say(self.sentence(decision), f"{self.sitting.agent_name}: {decision.reason}.")

    async def _ask_and_explain(self) -> None:
        decision = await self._ask()
        if decision is not None:
            self.say(self.sentence(decision), *self.sitting.explain())

    async def _play(self, turns: int | None, pause_s: float) -> None:
        while turns is None or turns > 0:
            decision = await self._ask()
            if decision is None:
                return
            sentence = self.sentence(decision)
            if not decision.moves:
                self.say(sentence, decision.reason)
                return
            self.sitting.play(decision)
            self.view.cursor = decision.moves[0].cell
            self.say(f"{self.sitting.agent_name}: {sentence}", decision.reason, *self.ending())
            turns = None if turns is None else turns - 1
            if self.sitting.over:
                return
            await asyncio.sleep(pause_s)

    def sentence(self, decision: Decision) -> str:
        """Say in one line what is proposed."""
        if not decision.moves:
            return "No move."
        if decision.certain:
            count = len(decision.moves)
            return "One certain cell." if count == 1 else f"{count} certain cells."
        win = "" if decision.win is None else f", {percent(decision.win)} to win"
        where = place(decision.moves[0].cell)
        return f"Guess {where}: {percent(decision.survival)} to survive{win}."

    # ---- files ---------------------------------------------------------------------------

    def action_save(self) -> None:
        """Ask where to save the position."""
        self._prompt("save", "Save the position as (file)")

    def action_load(self) -> None:
        """Ask what position to load."""
        self._prompt("load", "Load the position from (file, and the mine total if it differs)")

    def _prompt(self, what: str, question: str) -> None:
        self.stop_agent()
        self.asking = what
        prompt = self.query_one("#prompt", Input)
        prompt.placeholder = question
        prompt.value = ""
        prompt.add_class("asking")
        prompt.focus()

    def on_key(self, event: events.Key) -> None:
        """Leave the prompt with Escape."""
        if event.key == "escape" and self.asking:
            self._close_prompt()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Save or load."""
        what, text = self.asking, event.value.strip()
        self._close_prompt()
        if not text:
            return
        try:
            self.say(self._save(text) if what == "save" else self._load(text))
        except (BotError, SolverError) as error:
            self.say(str(error))

    def _save(self, text: str) -> str:
        self.sitting.save(Path(text).expanduser())
        return f"Saved in {text}; it has {self.sitting.size.mines} mines."

    def _load(self, text: str) -> str:
        name, _, total = text.rpartition(" ")
        if not name or not total.isdigit():
            name, total = text, ""
        self.sitting.load(Path(name).expanduser(), int(total) if total else None)
        self.action_move(0, 0)
        return "Loaded. The mines nobody has seen were drawn anew among all that fit."

    def _close_prompt(self) -> None:
        self.asking = ""
        self.query_one("#prompt", Input).remove_class("asking")
        self.view.focus()
