"""The app of manual play: the board, its keys, and agents that advise or play in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.dom import DOMNode
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Footer, Input, Static
from textual.worker import Worker

from bot.errors import BotError
from bot.plain_text import plain
from bot.terminal.board_text import value_shares
from bot.terminal.manual.play import (
    PANEL_WIDTH,
    YOU,
    Advisers,
    AgentAdvice,
    ManualPlay,
    ManualTurn,
    advice_lines,
    advice_table,
    end_sentence,
    guess_lines,
    judge,
)
from bot.terminal.manual.screens import (
    CURSOR_KEYS,
    MANUAL_KEYS,
    BoardWidget,
    KeysScreen,
    LabelledBoard,
    ReviewScreen,
)
from bot.terminal.words import decision_line
from solver.agents import Decision, agent_names
from solver.board import Board, Cell
from solver.counting import counted, percent
from solver.errors import SolverError
from solver.game import Status

LEFT_BUTTON, MIDDLE_BUTTON, RIGHT_BUTTON = 1, 2, 3

STEP_S = 0.35
"""Seconds between two turns of an agent that plays on by itself."""


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
        self.advice: dict[str, AgentAdvice] = {}
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
        """Quit at Ctrl-C; ``stopped`` is true then, unlike after the key that quits."""
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
        """Whether the panel fits beside the board; without risks, narrow cells will do."""
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
        sentence = end_sentence(self.manual.history, won=self.manual.game.status is Status.WON)
        return f"{sentence} {self.manual.efficiency()}".rstrip()

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


class AgentKeys(ManualView):
    """The main screen with the keys that ask agents."""

    def action_agent(self, step: int) -> None:
        """Choose the agent ``step`` places further in the list."""
        self.stop_agent()
        self.manual.choose_agent(self.manual.agent_after(step))
        agents = ", ".join(agent_names())
        self.show_message(f"Agent: {self.manual.agent_name}.", f"All agents: {agents}")

    def action_ask(self) -> None:
        """Show the move that the agent proposes."""
        start(self, self._ask_and_show, group="agent")

    def action_why(self) -> None:
        """Say why the move is proposed; ask the agent first if there is no proposal."""
        start(self, self._ask_and_explain, group="agent")

    def action_step(self) -> None:
        """Let the agent play one turn."""
        start(self, partial(self._play, 1, 0.0), group="agent")

    def action_play_on(self) -> None:
        """Let the agent play on, with a pause after each turn; the same key stops it."""
        if any(worker.name == "play on" for worker in self.workers if worker.is_running):
            self.stop_agent()
            self.show_message("Stopped.")
            return
        start(self, partial(self._play, None, self.step_s), name="play on", group="agent")

    def action_to_the_end(self) -> None:
        """Let the agent play to the end without pauses."""
        start(self, partial(self._play, None, 0.0), group="agent")

    def stop_agent(self) -> None:
        """Cancel what the agent is doing."""
        self.workers.cancel_group(self, "agent")

    async def _ask(self) -> Decision | None:
        """Return the proposal; None at the end of a game, after an error or on a changed board.

        The agent runs in a thread, so that the screen does not freeze.
        """
        if self.manual.over:
            self.show_message(*self.end_message())
            return None
        if self.manual.proposal is not None:
            return self.manual.proposal
        if not self.is_laid_out:
            return None
        self.screen_stack[0].query_one("#notes", Static).update(
            Text(plain(f"{self.manual.agent_name} thinks …"))
        )
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
        if why is None:
            decision = await self._ask()
            if decision is None:
                return
            lines = self.manual.explain()
            if decision.moves and decision.certain:
                why = self.manual.why(decision.moves[0].cell)
        else:
            lines = [why.text]
        self.board_widget.proof = None if why is None else why.proof
        self.show_message(*lines)

    def action_compare(self) -> None:
        """Compare the best guesses."""
        start(self, self._compare, group="agent")

    async def _compare(self) -> None:
        board = self.manual.board
        lines = await guess_lines(board, self.manual.analysis())
        if board == self.manual.board:
            self.show_message(*lines)

    async def _play(self, turns: int | None, pause_s: float) -> None:
        """Let the agent play ``turns`` turns, or to the end if None, pausing after each."""
        while turns is None or turns > 0:
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
            turns = None if turns is None else turns - 1
            if self.manual.over:
                return
            await asyncio.sleep(pause_s)

    def decision_message(self, decision: Decision) -> str:
        """Return one line on the agent's decision."""
        return f"{self.manual.agent_name}: {decision_line(decision, self.manual.board)}."


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
            start(self, partial(self._judge_and_warn, made[-1]), group="judge", exclusive=False)

    async def _judge_and_warn(self, turn: ManualTurn) -> None:
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


TICK_S = 0.5
"""Seconds between two looks at the clock."""


def start(
    node: DOMNode,
    work: Callable[[], Coroutine[Any, Any, None]],
    *,
    group: str,
    name: str = "",
    exclusive: bool = True,
) -> None:
    """Start ``work``; if it is ``exclusive``, it takes the place of what its group does.

    The work is a function, not a coroutine: another key may cancel it before it begins, and a
    coroutine would then never be awaited.
    """
    _: Worker[None] = node.run_worker(work, name=name, group=group, exclusive=exclusive)
