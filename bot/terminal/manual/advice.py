"""Show what several agents would do, side by side, as a panel of manual play."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from bot.plain_text import plain
from bot.terminal.explanations import candidate_line
from solver.agents import Action, Agent, Decision, make_agent
from solver.agents.tank import decide
from solver.analysis import Analysis
from solver.board import Board
from solver.counting import percent
from solver.errors import SolverError
from solver.game import Rule
from solver.guesses import compare_guesses

PANEL_WIDTH = 40

MOST_CANDIDATES = 4
"""Guesses that are compared."""


async def guess_lines(board: Board, analysis: Analysis | None) -> list[str]:
    """Compare the best guesses, one line each; the screen can be used meanwhile."""
    if analysis is None or analysis.safe or not board.open.any() or not board.covered.any():
        return ["Guesses are compared where cells are open and none is certain."]
    found = await asyncio.to_thread(compare_guesses, board, count=MOST_CANDIDATES)
    return list(map(candidate_line, found))


@dataclass(frozen=True)
class Advice:
    """What one agent would do; ``decision`` is None after an error."""

    agent: str
    decision: Decision | None
    error: str = ""


class Advisers:
    """Several agents that are asked about the same board.

    Raises `UnknownAgent` for an agent that is not registered.
    """

    def __init__(self, names: Sequence[str], *, seed: int, rule: Rule) -> None:
        self._agents: dict[str, Agent] = {
            name: make_agent(name, seed=seed, rule=rule) for name in names
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The agents that are asked, in their order."""
        return tuple(self._agents)

    def ask(self, name: str, board: Board) -> Advice:
        """Ask one agent; this may take a second: call it in a thread."""
        try:
            return Advice(name, decide(self._agents[name], board))
        except SolverError as error:
            return Advice(name, None, str(error))


def advice_table(
    names: Sequence[str], advice: dict[str, Advice], analysis: Analysis | None
) -> Table:
    """Return a table of what each agent would do, with the exact risk of its first cell."""
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("agent", no_wrap=True, max_width=16)
    table.add_column("move", no_wrap=True)
    for title in ("risk", "wins"):
        table.add_column(title, justify="right", no_wrap=True)
    for name in names:
        move, risk, win = advice_words(advice.get(name), analysis)
        table.add_row(
            Text(plain(name)), Text(plain(move)), risk, win, style="" if name in advice else "dim"
        )
    return table


def advice_lines(
    names: Sequence[str], advice: dict[str, Advice], analysis: Analysis | None
) -> list[Text]:
    """Return the same in one short text an agent, for a terminal without room for the table."""
    texts = []
    for name in names:
        move, risk, win = advice_words(advice.get(name), analysis)
        chance = f", wins {win}" if win not in ("", "–") else ""
        texts.append(
            Text.assemble(
                (plain(name), "bold"),
                plain(f" {move}" + (f" ({risk}{chance})" if risk else "")),
            )
        )
    return texts


def advice_words(advice: Advice | None, analysis: Analysis | None) -> tuple[str, str, str]:
    """Return the move, its exact risk and the agent's estimate of the chance to win."""
    if advice is None:
        return "…", "", ""
    if advice.decision is None:
        return "no answer", "", ""
    if not advice.decision.moves:
        return "gives up", "", ""
    first, *others = advice.decision.moves
    more = f" +{len(others)}" if others else ""
    action = "" if first.action is Action.OPEN else f"{first.action.value} "
    move = f"{action}r{first.cell.row + 1} c{first.cell.col + 1}{more}"
    if analysis is None:
        return move, "", ""
    risk = float(analysis.probabilities[first.cell])
    word = "safe" if risk == 0.0 else percent(risk)
    if first.action is not Action.OPEN:
        word = "certain" if advice.decision.certain else word
    win = advice.decision.win
    return move, word, "–" if win is None else percent(win)
