"""Play games by hand with an agent's help: the state of manual play, without its screen.

Source of the idea: "MineSweeper AI", P. Kulkarni, 2020, section 2.2: at every move the person can
open, flag, let an agent move, or let an agent play on to the end.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bot.errors import UsageError
from bot.outputs import check_writable, write_output
from bot.terminal.explanations import Why, why_certain
from bot.terminal.manual.history import YOU, History
from bot.terminal.manual.stopwatch import Stopwatch
from bot.terminal.sentences import decision_line
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
        """Take the last change back, also that of an agent; tell whether there was one."""
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
        """Keep a decision on ``board`` if that is still the board; tell whether it is."""
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
        """Tell whether the first-click rule does not protect the next click."""
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
