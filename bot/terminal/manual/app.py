"""Run manual play on the terminal: the player's own keys, the review, positions in files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from textual.widgets import Input

from bot.errors import BotError
from bot.terminal.manual.agents import AgentKeys
from bot.terminal.manual.board import BoardWidget
from bot.terminal.manual.history import YOU, ManualTurn, judge
from bot.terminal.manual.screens import MANUAL_KEYS, KeysScreen, ReviewScreen
from bot.terminal.manual.tasks import start
from solver.board import Cell
from solver.errors import SolverError

LEFT_BUTTON, MIDDLE_BUTTON, RIGHT_BUTTON = 1, 2, 3


class ManualApp(AgentKeys):
    """The app of manual play: play by hand, ask an agent, or let it play on."""

    # ---- the player ----------------------------------------------------------------------

    def action_move(self, down: int, right: int) -> None:
        """Move the cursor."""
        self.board_widget.move_cursor(down, right)
        self.labelled_board.draw()

    def on_board_widget_clicked(self, message: BoardWidget.Clicked) -> None:
        """Open, flag or chord, by the mouse button."""
        if message.dragged:
            return
        self.board_widget.cursor = message.cell
        actions = {
            LEFT_BUTTON: self.action_open,
            MIDDLE_BUTTON: self.action_chord,
            RIGHT_BUTTON: self.action_flag,
        }
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

    def action_new(self) -> None:
        """Start the next game."""
        self.stop_agent()
        self.board_widget.proof = None
        self.manual.new_game()
        self.show_message(f"New game, seed {self.manual.seed}.")

    def action_heat(self) -> None:
        """Show or hide the mine probabilities."""
        self.show_risks = not self.show_risks

    def action_values(self) -> None:
        """Show or hide how the agent rates every cell."""
        self.show_values = not self.show_values
        if self.show_values and self.manual.values() is None:
            self.show_message(f"{self.manual.agent_name} does not rate cells; tab chooses another.")

    def action_undo(self) -> None:
        """Take the last change back."""
        self.stop_agent()
        self.board_widget.proof = None
        done = self.manual.undo()
        self.show_message("Taken back." if done else "There is nothing to take back.")

    def action_mistakes(self) -> None:
        """Show or hide mistakes as they happen."""
        self.show_mistakes = not self.show_mistakes
        word = "are shown as they happen" if self.show_mistakes else "wait for the review"
        self.show_message(f"Mistakes {word}.")

    def action_advice(self) -> None:
        """Show or hide the agents' advice."""
        self.show_advice = not self.show_advice

    def action_keys(self) -> None:
        """List all keys."""
        self.push_screen(KeysScreen("Keys", MANUAL_KEYS))

    def action_review(self) -> None:
        """Review the game so far."""
        start(self, self._review, group="review")

    async def _review(self) -> None:
        manual = self.manual
        for turn in manual.history.turns:
            await self._judge(turn)
        if not manual.history.turns:
            self.show_message("There is no turn to review yet.")
            return
        summary = "The game goes on." if not manual.over else self._end_sentence()
        await self.push_screen(ReviewScreen(manual.history, summary))

    def _make_player_move(self, move: Callable[[Cell], None]) -> None:
        """Make a move at the cursor, say if it ended the game, and look for a mistake in it."""
        self.stop_agent()
        was_over, turns = self.manual.over, len(self.manual.history.turns)
        self.board_widget.proof = None
        move(self.board_widget.cursor)
        self.message_lines = [] if was_over else self.end_message()
        self.show_all()
        made = self.manual.history.turns
        if len(made) > turns:
            start(self, partial(self._judge_and_tell, made[-1]), group="judge", exclusive=False)

    async def _judge_and_tell(self, turn: ManualTurn) -> None:
        """Compare a turn with the best one, and say what was wrong if it still stands."""
        await self._judge(turn)
        if turn not in self.manual.history.turns:
            return
        if self.manual.over:
            self.show_message(*self.end_message())
        elif self.show_mistakes and turn.mistakes:
            worst = turn.mistakes[0]
            sentence = str(worst)
            self.show_message(f"{sentence[:1].upper()}{sentence[1:]}. u takes it back.")
        else:
            self.show_all()

    async def _judge(self, turn: ManualTurn) -> None:
        if turn.judged is None and turn.by == YOU:
            turn.judged = await asyncio.to_thread(judge, turn)

    # ---- files ---------------------------------------------------------------------------

    def action_save(self) -> None:
        """Ask for the file to save the position in."""
        self._prompt("save", "Save the position in: FILE")

    def action_load(self) -> None:
        """Ask for the file to load a position from."""
        self._prompt("load", "Load a position from: FILE, or FILE MINES if its mine total differs")

    def _prompt(self, purpose: str, question: str) -> None:
        """Show the input line. ``purpose`` is ``save`` or ``load``."""
        self.stop_agent()
        self.prompt_purpose = purpose
        prompt = self.query_one("#prompt", Input)
        prompt.placeholder = question
        prompt.value = ""
        prompt.add_class("asking")
        prompt.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Save or load with the words of the input line."""
        purpose, text = self.prompt_purpose, event.value.strip()
        self.action_close_prompt()
        if not text:
            return
        try:
            self.show_message(self._save(text) if purpose == "save" else self._load(text))
        except (BotError, SolverError) as error:
            self.show_message(str(error))

    def _save(self, text: str) -> str:
        self.manual.save(Path(text).expanduser())
        return f"Saved in {text}. Its mine total is {self.manual.size.mines}."

    def _load(self, text: str) -> str:
        name, _, total = text.rpartition(" ")
        if not name or not total.isdigit():
            name, total = text, ""
        self.manual.load(Path(name).expanduser(), int(total) if total else None)
        self.action_move(0, 0)
        return "Loaded. The mines are drawn at random among all layouts that fit."

    def action_close_prompt(self) -> None:
        """Close the input line."""
        self.prompt_purpose = ""
        self.query_one("#prompt", Input).remove_class("asking")
        self.board_widget.focus()
