"""A game played by hand: its moves and how to undo them, an agent's proposals and reasons."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bot.errors import UsageError
from bot.record.games import JudgedTurn, Mistake, RecordedTurn, judge_turn
from bot.terminal.words import Why, decision_line, why_certain
from solver import Analysis, Board, Cell, Game, Rule, SolverError, Status, Tile, analyse
from solver.agents import Action, Agent, Decision, Move, agent_names, make_agent
from solver.agents.tank import decide
from solver.arena.boards import Size
from solver.arena.matches import carry_out, draw_layout
from solver.counting import counted, percent
from solver.files import TEXT_BYTES, read_text


@dataclass(eq=False)
class Change:
    """A change of the board that can be taken back: the game before it, and its counts.

    ``moves`` is empty for a flag. ``judged`` compares a move of the person with the best one; it
    is None until that is done, and for agents.
    """

    before: Game
    guesses: int
    chance: float
    moves: tuple[Move, ...]
    judged: JudgedTurn | None = None

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The mistakes found in this move."""
        return () if self.judged is None else self.judged.mistakes

    def judge(self) -> None:
        """Compare the move with the best one. This may take a second: call it in a thread."""
        decision = Decision(self.moves, "by hand", 1.0)
        self.judged = judge_turn(RecordedTurn(1, 1, self.before.board, decision))


class ManualGame:
    """The game under way, the agent that helps, and its proposal.

    ``proposal`` is the agent's decision on the current board, None until it is asked. ``guesses``
    counts the agent's guesses in this game; ``chance`` is the product of their survival chances.
    ``changes`` can be taken back; ``undone`` counts those that were. Raises `UnknownAgent` for an
    agent that is not registered.
    """

    game: Game
    proposal: Decision | None
    changes: list[Change]

    def __init__(
        self, size: Size, *, rule: Rule = Rule.SAFE, seed: int = 0, agent: str = "tank"
    ) -> None:
        self.size, self.rule, self.seed = size, rule, seed
        self._from_file = (agent,) if ".py:" in agent else ()
        self.choose_agent(agent)
        self._begin(self._deal())

    @property
    def board(self) -> Board:
        """The board as the player sees it."""
        return self.game.board

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.status is not Status.PLAYING

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The mistakes found so far in this game."""
        return tuple(mistake for change in self.changes for mistake in change.mistakes)

    # ---- the player's moves --------------------------------------------------------------

    def open(self, cell: Cell) -> None:
        """Open a covered cell; chord on an open number."""
        if self.board[cell] >= 0:
            self.chord(cell)
        else:
            self._change(lambda: self.game.open(cell), [Move(cell)])

    def flag(self, cell: Cell) -> None:
        """Set or remove a flag."""
        self._change(lambda: self.game.flag(cell), [])

    def chord(self, cell: Cell) -> None:
        """Open the neighbours of a number whose flags are complete."""
        self._change(lambda: self.game.chord(cell), [Move(cell, Action.CHORD)])

    def undo(self) -> bool:
        """Take back the last change, also that of an agent; return whether there was one."""
        if not self.changes:
            return False
        last = self.changes.pop()
        self.game, self.guesses, self.chance = last.before, last.guesses, last.chance
        self.proposal = None
        self.undone += 1
        return True

    def _change(self, action: Callable[[], None], moves: Sequence[Move]) -> None:
        """Carry out an action; if it changed the board, it can be taken back."""
        before = Change(copy.deepcopy(self.game), self.guesses, self.chance, tuple(moves))
        action()
        if self.board != before.before.board:
            self.changes.append(before)
        self.proposal = None

    def new_game(self) -> None:
        """Start the game with the next seed."""
        self.seed += 1
        self.choose_agent(self.agent_name)
        self._begin(self._deal())

    def end_sentence(self) -> str:
        """Say in one sentence how the game ended, and why; an empty text while it is in play."""
        if not self.over:
            return ""
        if self.game.status is Status.WON:
            return "The game is won."
        judged = self.changes[-1].judged if self.changes else None
        if judged is None:
            return "The game is lost."
        if judged.mistakes:
            return f"The game is lost by a mistake: {judged.mistakes[0]}."
        return f"The game is lost by bad luck: the last move survives {percent(judged.survival)}."

    # ---- the agent -----------------------------------------------------------------------

    def choose_agent(self, agent: str) -> None:
        """Use another agent from now on. Raises `UnknownAgent`."""
        self.agent: Agent = make_agent(agent, seed=self.seed, rule=self.rule)
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
            # The first-click rule may protect the first click.
            if not decision.certain and (self.game.started or self.rule is Rule.NONE):
                self.guesses += 1
                self.chance *= decision.survival
            for move in decision.moves:
                carry_out(self.game, move)

        self._change(make, decision.moves)

    # ---- risks and reasons ---------------------------------------------------------------

    def analysis(self) -> Analysis | None:
        """Return the mine probabilities; None for a finished game or a board without a solution."""
        if self.over:
            return None
        try:
            return analyse(self.board)
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
        cell, risks = self.proposal.moves[0].cell, analysis.probabilities
        if self.proposal.certain:
            return [*lines, why_certain(self.board, analysis, cell).text]
        least = Cell(*divmod(int(np.nanargmin(risks)), self.size.cols))
        lines.append(f"Exact risk at {cell.place}: {percent(float(risks[cell]))}.")
        if risks[least] < risks[cell] - 1e-9:
            lines.append(f"The lowest risk is {percent(float(risks[least]))}, at {least.place}.")
        else:
            lines.append("No cell has a lower risk.")
        return lines

    def why(self, cell: Cell) -> Why | None:
        """Prove a covered cell, or give its risk; None for an open cell or without an analysis."""
        analysis = self.analysis()
        if analysis is None or not self.board.covered[cell]:
            return None
        return why_certain(self.board, analysis, cell)

    # ---- positions -----------------------------------------------------------------------

    def load(self, path: Path, mines: int | None = None) -> None:
        """Continue from a board in text form; its mines are drawn at random among all that fit.

        ``mines`` is the mine total. Without it, the total of the current game is used, if the board
        has the same size. Raises `UsageError`, `BadBoardText`, `BadMineTotal` or
        `InconsistentBoard`, each with the name of the file.
        """
        try:
            board = Board.from_text(read_text(path, TEXT_BYTES))
            if mines is None and (board.rows, board.cols) != (self.size.rows, self.size.cols):
                raise UsageError(
                    f"{path} has {counted(board.rows, 'row')} and {counted(board.cols, 'column')}, "
                    "another size than this game; give its mine total too: --mines M."
                )
            self.continue_from(board.with_mines(self.size.mines if mines is None else mines))
        except OSError as error:
            raise UsageError(f"Cannot read {path}: {error.strerror}.") from error
        except SolverError as error:
            raise type(error)(f"{path}: {error}") from error

    def continue_from(self, board: Board) -> None:
        """Continue from a board with a known mine total; its mines are drawn at random.

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
        self._begin(game)

    def _begin(self, game: Game) -> None:
        """Use another game and reset all counts."""
        self.game, self.proposal = game, None
        self.changes, self.guesses, self.chance, self.undone = [], 0, 1.0, 0

    def _deal(self) -> Game:
        size = self.size
        return Game.random(size.rows, size.cols, size.mines, rule=self.rule, seed=self.seed)
