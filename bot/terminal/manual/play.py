"""A game played by hand: its moves, what they were worth, and how they are taken back."""

from __future__ import annotations

import asyncio
import copy
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from bot.errors import UsageError
from bot.outputs import check_writable, write_output
from bot.plain_text import plain
from bot.record.games import JudgedTurn, Mistake, RecordedTurn, judge_turn
from bot.terminal.words import Why, candidate_line, decision_line, why_certain
from solver.agents import Action, Agent, Decision, Move, RatesCells, agent_names, make_agent
from solver.agents.tank import decide
from solver.analysis import Analysis, analyse
from solver.arena.boards import Size
from solver.arena.games import carry_out, draw_layout
from solver.board import Board, Cell, Tile
from solver.bounds import TEXT_BYTES
from solver.counting import counted, percent
from solver.difficulty import efficiency_text, three_bv
from solver.errors import SolverError
from solver.files import read_text
from solver.game import Game, Rule, Status
from solver.guesses import compare_guesses


class ManualPlay:
    """The game under way, the agent that helps, and its proposal.

    ``proposal`` is the agent's decision on the current board, None until it is asked.
    ``guesses`` counts the agent's guesses in this game; ``chance`` is the product of their
    survival chances. ``history`` holds the turns; ``clicks`` counts the clicks of both, and
    ``stopwatch`` the seconds from the first cell opened to the end. Raises `UnknownAgent` for an
    agent that is not registered.
    """

    game: Game
    history: History

    def __init__(
        self,
        size: Size,
        *,
        rule: Rule = Rule.SAFE,
        seed: int = 0,
        agent: str = "tank",
        stopwatch: Stopwatch | None = None,
    ) -> None:
        self.size, self.rule, self.seed = size, rule, seed
        self.agent_name = agent
        self._from_file = (agent,) if ".py:" in agent else ()
        self.agent: Agent = make_agent(agent, seed=seed, rule=rule)
        self.proposal: Decision | None = None
        self.stopwatch = stopwatch or Stopwatch()
        self._saved: set[Path] = set()
        self._begin(self._deal())

    @property
    def board(self) -> Board:
        """The board as the player sees it."""
        return self.game.board

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.status is not Status.PLAYING

    def efficiency(self) -> str:
        """Say how fast and in how few clicks a game was won; nothing of any other."""
        mines = self.game.mines
        if mines is None or self.game.status is not Status.WON:
            return ""
        return efficiency_text(three_bv(mines), self.clicks, self.stopwatch.seconds)

    # ---- the player's moves --------------------------------------------------------------

    def open(self, cell: Cell) -> None:
        """Open a covered cell; chord on an open number."""
        if self.board[cell] >= 0:
            self.chord(cell)
        else:
            self._change(lambda: self.game.open(cell), [Move(cell)], YOU)

    def flag(self, cell: Cell) -> None:
        """Set or remove a flag."""
        self._change(lambda: self.game.flag(cell), [], YOU)

    def chord(self, cell: Cell) -> None:
        """Open the neighbours of a number whose flags are complete."""
        self._change(lambda: self.game.chord(cell), [Move(cell, Action.CHORD)], YOU)

    def undo(self) -> bool:
        """Take the last change back, also that of an agent; return whether there was one."""
        state = self.history.undo()
        if state is None:
            return False
        self.game, self.guesses, self.chance = state
        self.proposal = None
        self._run_stopwatch()
        return True

    def _change(self, action: Callable[[], None], moves: Sequence[Move], by: str) -> None:
        """Carry out an action; if it changed the board, it can be taken back."""
        before, guesses, chance = copy.deepcopy(self.game), self.guesses, self.chance
        action()
        if self.board != before.board:
            self.history.add(before, guesses=guesses, chance=chance, moves=moves, by=by)
            self.clicks += max(1, len(moves))
            self._run_stopwatch()
        self.proposal = None

    def _run_stopwatch(self) -> None:
        self.stopwatch.set_running(self.game.started and not self.over)

    def new_game(self) -> None:
        """Start the game with the next seed."""
        self.seed += 1
        self.choose_agent(self.agent_name)
        self._begin(self._deal())

    # ---- the agent -----------------------------------------------------------------------

    def choose_agent(self, agent: str) -> None:
        """Use another agent from now on. Raises `UnknownAgent`."""
        self.agent = make_agent(agent, seed=self.seed, rule=self.rule)
        self.agent_name = agent
        self.proposal = None

    def agent_after(self, step: int) -> str:
        """Return the agent ``step`` places after the current one in the list of agents."""
        agents = agent_names()
        base = self.agent_name.partition(":")[0]
        at = agents.index(base) if base in agents else len(agents)
        agents += self._from_file
        return agents[(at + step) % len(agents)]

    def ask(self) -> Decision:
        """Return the agent's decision. Raises `InconsistentBoard` if no layout fits the board."""
        if self.proposal is None:
            self.proposal = decide(self.agent, self.board)
        return self.proposal

    def accept_proposal(self, board: Board, decision: Decision) -> bool:
        """Keep a decision on ``board`` if that is still the board; return whether it is."""
        still_current = board == self.board
        if still_current:
            self.proposal = decision
        return still_current

    def make_moves(self, decision: Decision) -> None:
        """Make the moves of a decision on the board."""

        def make() -> None:
            if decision.moves and not decision.certain and self._may_hit_mine():
                self.guesses += 1
                self.chance *= decision.survival
            for move in decision.moves:
                carry_out(self.game, move)

        self._change(make, decision.moves, self.agent_name)

    def _may_hit_mine(self) -> bool:
        """Whether the first-click rule does not protect the next click."""
        return self.game.started or self.rule is Rule.NONE

    # ---- risks and reasons ---------------------------------------------------------------

    def analysis(self) -> Analysis | None:
        """Return the mine probabilities; None for a finished game or a board without a solution."""
        if self.over:
            return None
        try:
            return analyse(self.board)
        except SolverError:
            return None

    def values(self) -> NDArray[np.float64] | None:
        """Return how the agent rates every covered cell; None if it rates none or the game is over.

        The values are NaN on open cells.
        """
        if self.over or not isinstance(self.agent, RatesCells):
            return None
        try:
            return self.agent.rate(self.board)
        except SolverError:
            return None

    def explain(self) -> list[str]:
        """Say why the move is proposed, one sentence a line."""
        if self.proposal is None:
            return ["Ask an agent first."]
        lines = [f"{self.agent_name}: {decision_line(self.proposal, self.board)}."]
        analysis = self.analysis()
        if not self.proposal.moves or analysis is None:
            return lines
        cell = self.proposal.moves[0].cell
        if self.proposal.certain:
            return [*lines, why_certain(self.board, analysis, cell).text]
        return [*lines, *self._risk_lines(cell, self.proposal, analysis), *self._number_lines(cell)]

    def why(self, cell: Cell) -> Why | None:
        """Prove a covered cell, or say its risk; None for an open cell or without an analysis."""
        analysis = self.analysis()
        if analysis is None or not self.board.covered[cell]:
            return None
        return why_certain(self.board, analysis, cell)

    def _risk_lines(self, cell: Cell, decision: Decision, analysis: Analysis) -> list[str]:
        """Compare the exact risk of ``cell`` with the agent's figure and with the least risk."""
        risks = analysis.probabilities
        least = Cell(*divmod(int(np.nanargmin(risks)), self.size.cols))
        lines = [
            f"Exact risk at {cell.place}: {percent(float(risks[cell]))}; "
            f"the agent says {percent(1 - decision.survival)}."
        ]
        if risks[least] < risks[cell] - 1e-9:
            lines.append(f"The lowest risk is {percent(float(risks[least]))}, at {least.place}.")
        else:
            lines.append("No cell has a lower risk.")
        return lines

    def _number_lines(self, cell: Cell) -> list[str]:
        """Say how many covered cells each number beside ``cell`` has."""
        board = self.board
        parts = []
        for near in board.neighbours(cell):
            if board[near] <= 0:
                continue
            around = [board[other] for other in board.neighbours(near)]
            covered = sum(Tile.QUESTION <= tile <= Tile.HIDDEN for tile in around)
            parts.append(
                f"the {board[near]} at {near.place} has {counted(covered, 'covered cell')}"
            )
        return [f"Beside it: {'; '.join(parts)}."] if parts else ["No number touches it."]

    # ---- positions in files --------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the board in its text form; make the folder of the file if it is missing.

        A file is replaced only if this game saved it. Raises `UsageError` or `CannotWrite` if the
        file cannot be written.
        """
        path = Path(path).absolute()
        own = path in self._saved
        if path.is_file() and not own:
            raise UsageError(f"{path} exists already: type another name.")
        check_writable(path, replace=own)
        write_output(path, f"{self.board}\n", replace=own)
        self._saved.add(path)

    def load(self, path: str | Path, mines: int | None = None) -> None:
        """Continue from a board in text form; its mines are drawn at random among all that fit.

        ``mines`` is the mine total. Without it, the total of the game under way is used, if the
        board has the same size. Raises `UsageError`, `BadBoardText`, `BadMineTotal` or
        `InconsistentBoard`, each with the name of the file.
        """
        try:
            board = Board.from_text(read_text(path, TEXT_BYTES))
            self.continue_from(board.with_mines(self._total_for(board, path, mines)))
        except OSError as error:
            raise UsageError(f"Cannot read {path}: {error.strerror}.") from error
        except SolverError as error:
            raise type(error)(f"{path}: {error}") from error

    def _total_for(self, board: Board, path: str | Path, mines: int | None) -> int:
        """Return ``mines`` or, without it, the mine total of the game under way."""
        if mines is not None:
            return mines
        if (board.rows, board.cols) != (self.size.rows, self.size.cols):
            raise UsageError(
                f"{path} has {counted(board.rows, 'row')} and {counted(board.cols, 'column')}, "
                "another size than this game; give its mine total too: --mines M, or FILE MINES "
                "after ctrl+o."
            )
        return self.size.mines

    def continue_from(self, board: Board) -> None:
        """Continue from a board of known mine total; its mines are drawn at random.

        Raises `BadMineTotal` or `InconsistentBoard`.
        """
        mines = board.mines
        assert mines is not None
        if board.covered.all():
            game = Game.random(board.rows, board.cols, mines, rule=self.rule, seed=self.seed)
            for row, col in np.argwhere(board.tiles == Tile.FLAG).tolist():
                game.flag(Cell(row, col))
        else:
            rng = random.Random(f"{self.seed}/{board}")
            game = Game.from_position(board, draw_layout(board, rng=rng))
        self.size = Size(board.rows, board.cols, mines)
        self.proposal = None
        self._begin(game)

    def _begin(self, game: Game) -> None:
        """Take a game and count from nothing."""
        self.game = game
        self.guesses, self.chance, self.clicks, self.history = 0, 1.0, 0, History()
        self.stopwatch.reset()

    def _deal(self) -> Game:
        size = self.size
        return Game.random(size.rows, size.cols, size.mines, rule=self.rule, seed=self.seed)


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
class AgentAdvice:
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

    def ask(self, name: str, board: Board) -> AgentAdvice:
        """Ask one agent; this may take a second: call it in a thread."""
        try:
            return AgentAdvice(name, decide(self._agents[name], board))
        except SolverError as error:
            return AgentAdvice(name, None, str(error))


def advice_table(
    names: Sequence[str], advice: dict[str, AgentAdvice], analysis: Analysis | None
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
    names: Sequence[str], advice: dict[str, AgentAdvice], analysis: Analysis | None
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


def advice_words(advice: AgentAdvice | None, analysis: Analysis | None) -> tuple[str, str, str]:
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


YOU = "you"


@dataclass
class ManualTurn:
    """One turn: the board before it, its moves, and who made them.

    ``judged`` is None until the turn has been compared with the best move; turns of agents are
    not compared.
    """

    number: int
    board: Board
    moves: tuple[Move, ...]
    by: str
    judged: JudgedTurn | None = None

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The mistakes found in this turn."""
        return () if self.judged is None else self.judged.mistakes


@dataclass(frozen=True)
class _State:
    game: Game
    guesses: int
    chance: float
    turns: int


@dataclass
class History:
    """The turns of one game and the states before them; ``undone`` counts what was taken back."""

    turns: list[ManualTurn] = field(default_factory=list)
    undone: int = 0
    _states: list[_State] = field(default_factory=list)

    def add(
        self, before: Game, *, guesses: int, chance: float, moves: Sequence[Move], by: str
    ) -> None:
        """Keep the state before a change; ``moves`` is empty for a flag, which is not a turn."""
        self._states.append(_State(before, guesses, chance, len(self.turns)))
        if moves:
            number = len(self.turns) + 1
            self.turns.append(ManualTurn(number, before.board, tuple(moves), by))

    def undo(self) -> tuple[Game, int, float] | None:
        """Take the last change back; return game, guesses and chance before it, or None."""
        if not self._states:
            return None
        state = self._states.pop()
        del self.turns[state.turns :]
        self.undone += 1
        return state.game, state.guesses, state.chance

    def mistakes(self) -> list[tuple[ManualTurn, Mistake]]:
        """Return all mistakes found so far, the worst first."""
        found = [(turn, mistake) for turn in self.turns for mistake in turn.mistakes]
        return sorted(found, key=lambda item: (-item[1].cost, item[0].number))


def judge(turn: ManualTurn) -> JudgedTurn:
    """Compare a turn with the best move. This may take a second: call it in a thread."""
    decision = Decision(turn.moves, "by hand", 1.0)
    return judge_turn(RecordedTurn(1, turn.number, turn.board, decision))


def end_sentence(history: History, *, won: bool) -> str:
    """Say in one sentence why a game ended as it did."""
    if won:
        return "The game is won."
    last = history.turns[-1] if history.turns else None
    if last is None or last.judged is None or last.by != YOU:
        return "The game is lost."
    if last.mistakes:
        return f"The game is lost by a mistake: {last.mistakes[0]}."
    survival = last.judged.survival
    if 0.0 < survival < 1.0:
        return f"The game is lost by bad luck: the last move survives {percent(survival)}."
    return "The game is lost."


class Stopwatch:
    """Counts seconds while it runs. ``now`` is the time in seconds, from any start."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._before = 0.0
        self._since: float | None = None

    @property
    def seconds(self) -> float:
        """The seconds counted so far."""
        return self._before + (0.0 if self._since is None else self._now() - self._since)

    def set_running(self, running: bool) -> None:
        """Go on, or stand still."""
        self._before = self.seconds
        self._since = self._now() if running else None

    def reset(self) -> None:
        """Stand still at 0."""
        self._before, self._since = 0.0, None
