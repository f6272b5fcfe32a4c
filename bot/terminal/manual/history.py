"""What happened in a game by hand: turns to take back, and the mistakes among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.record.games import JudgedTurn, Mistake, RecordedTurn, judge_turn
from solver.agents.base import Decision, Move
from solver.board import Board
from solver.counting import percent
from solver.game import Game

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
        """Keep the state before a change; ``moves`` is empty for a flag, which is no turn."""
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
    return judge_turn(RecordedTurn(turn.number, turn.board, decision, (), {}, None))


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
