"""The keys of manual play that ask agents: for a move, a reason, a turn, or the rest of a game."""

from __future__ import annotations

import asyncio
from functools import partial

from rich.text import Text
from textual.widgets import Static

from bot.plain_text import plain
from bot.terminal.manual.advice import guess_lines
from bot.terminal.manual.tasks import start
from bot.terminal.manual.view import ManualView
from bot.terminal.sentences import decision_line
from solver.agents import Decision, agent_names
from solver.errors import SolverError


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
