"""A game played by hand, with any agent at one's side: what manual play knows, without a screen.

Source of the idea: "MineSweeper AI", P. Kulkarni, 2020, section 2.2: at every move reveal, flag,
let an agent move, or let an agent play on to the end. There is no taking back.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from bot.errors import UsageError
from bot.say import place
from bot.view import percent
from solver.agents import Agent, Decision, make, names
from solver.analysis import Analysis, analyse
from solver.arena.boards import Size
from solver.arena.play import carry_out
from solver.arena.worlds import draw_world
from solver.board import Board, Cell, Tile
from solver.errors import BadBoardText, SolverError
from solver.game import Game, Rule, Status


class Sitting:
    """One person's games at one size: the game under way, the agent asked, its last proposal.

    ``proposal`` is what the agent said of the board as it is now, None once the board changed.
    Raises `UnknownAgent` for an agent not in the table.
    """

    def __init__(
        self, size: Size, *, rule: Rule = Rule.SAFE, seed: int = 0, agent: str = "tank"
    ) -> None:
        self.size, self.rule, self.seed = size, rule, seed
        self.agent_name = agent
        self.agent: Agent = make(agent, seed=seed, rule=rule)
        self.proposal: Decision | None = None
        self.guesses = 0
        self.chance = 1.0
        self.game = self._lay()

    @property
    def board(self) -> Board:
        """The board as the player sees it."""
        return self.game.board

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.status is not Status.PLAYING

    # ---- the player's moves --------------------------------------------------------------

    def open(self, cell: Cell) -> None:
        """Open a covered cell; on an open number, chord."""
        if self.board[cell] >= 0:
            self.game.chord(cell)
        else:
            self.game.open(cell)
        self.proposal = None

    def flag(self, cell: Cell) -> None:
        """Set or take away a flag."""
        self.game.flag(cell)
        self.proposal = None

    def chord(self, cell: Cell) -> None:
        """Open the neighbours of a number that has its flags."""
        self.game.chord(cell)
        self.proposal = None

    def new_game(self) -> None:
        """Start the game of the next seed."""
        self.seed += 1
        self.choose(self.agent_name)
        self.game = self._lay()
        self.guesses, self.chance = 0, 1.0

    # ---- the agent -----------------------------------------------------------------------

    def choose(self, agent: str) -> None:
        """Ask another agent from now on."""
        self.agent = make(agent, seed=self.seed, rule=self.rule)
        self.agent_name = agent
        self.proposal = None

    def neighbour_agent(self, step: int) -> str:
        """Return the name ``step`` places further in the table."""
        table = names()
        base = self.agent_name.partition(":")[0]
        return table[(table.index(base) + step) % len(table)]

    def ask(self) -> Decision:
        """Ask the agent for its move. Raises `InconsistentBoard` when no layout fits."""
        if self.proposal is None:
            self.proposal = self.agent.decide(self.board)
        return self.proposal

    def propose(self, board: Board, decision: Decision) -> bool:
        """Take in what the agent said of ``board``; tell whether that still is the board."""
        fresh = board == self.board
        if fresh:
            self.proposal = decision
        return fresh

    def play(self, decision: Decision) -> None:
        """Carry out a decision on the board as it is."""
        if decision.moves and not decision.certain and self._at_risk():
            self.guesses += 1
            self.chance *= decision.survival
        for move in decision.moves:
            carry_out(self.game, move)
        self.proposal = None

    def _at_risk(self) -> bool:
        return self.game.started or self.rule is Rule.NONE

    # ---- what can be known ---------------------------------------------------------------

    def analysis(self) -> Analysis | None:
        """Count the mine probabilities; None over a finished or impossible board."""
        if self.over:
            return None
        try:
            return analyse(self.board)
        except SolverError:
            return None

    def explain(self) -> list[str]:
        """Say why the proposed move was proposed, a sentence a line."""
        if self.proposal is None:
            return ["Ask an agent first."]
        lines = [f"{self.agent_name}: {self.proposal.reason}."]
        known = self.analysis()
        if not self.proposal.moves or known is None:
            return lines
        cell = self.proposal.moves[0].cell
        if self.proposal.certain:
            lines.append(f"No layout of the mines left puts one at {place(cell)}.")
        else:
            lines += self._risk_lines(cell, self.proposal, known)
        return lines + self._number_lines(cell)

    def _risk_lines(self, cell: Cell, decision: Decision, known: Analysis) -> list[str]:
        risks = known.probabilities
        least = Cell(*divmod(int(np.nanargmin(risks)), self.size.cols))
        lines = [
            f"Exact risk at {place(cell)}: {percent(float(risks[cell]))}; the agent reckons "
            f"{percent(1 - decision.survival)}."
        ]
        if risks[least] < risks[cell] - 1e-9:
            lines.append(f"The least risk is {percent(float(risks[least]))}, at {place(least)}.")
        else:
            lines.append("No cell has less.")
        return lines

    def _number_lines(self, cell: Cell) -> list[str]:
        """Say what the numbers around ``cell`` still ask for."""
        board = self.board
        said = []
        for near in board.neighbours(cell):
            if board[near] <= 0:
                continue
            around = [board[other] for other in board.neighbours(near)]
            covered = sum(Tile.QUESTION <= tile <= Tile.HIDDEN for tile in around)
            said.append(f"the {board[near]} at {place(near)} has {covered} covered cells")
        return [f"Beside it: {'; '.join(said)}."] if said else ["No number touches it."]

    # ---- the text form -------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Write the position as text. Raises `UsageError` when the file cannot be written."""
        try:
            path.write_text(f"{self.board}\n", "utf-8")
        except OSError as error:
            raise UsageError(f"Cannot write {path}: {error.strerror}.") from error

    def load(self, path: Path, mines: int | None = None) -> None:
        """Take up a position in text; its unseen mines are drawn anew among all that fit.

        ``mines`` is the total, by default that of the game under way if the size is the same.
        Raises `UsageError`, `BadBoardText`, `BadMineTotal` or `InconsistentBoard`.
        """
        try:
            board = Board.from_text(path.read_text("utf-8"))
        except OSError as error:
            raise UsageError(f"Cannot read {path}: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise BadBoardText(f"{path} is no text.") from error
        if mines is None:
            if (board.rows, board.cols) != (self.size.rows, self.size.cols):
                raise UsageError(f"{path} is {board.rows}x{board.cols}; say its mines: FILE MINES.")
            mines = self.size.mines
        board = board.with_mines(mines)
        if board.covered.all():
            game = Game.random(board.rows, board.cols, mines, rule=self.rule, seed=self.seed)
            for row, col in np.argwhere(board.tiles == Tile.FLAG).tolist():
                game.flag(Cell(row, col))
        else:
            dice = random.Random(f"{self.seed}/{board}")
            game = Game.from_position(board, draw_world(board, dice=dice))
        self.size = Size(board.rows, board.cols, mines)
        self.game = game
        self.proposal = None
        self.guesses, self.chance = 0, 1.0

    def _lay(self) -> Game:
        size = self.size
        return Game.random(size.rows, size.cols, size.mines, rule=self.rule, seed=self.seed)
