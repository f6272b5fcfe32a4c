"""Let agents play the same boards, summarise each agent's games, and compare two agents.

Counting wins is noisy. The product of the survival chances of all guesses has the same mean and far
less noise, if a lost guess does not end the game: the exact survival chance of the guess is
multiplied in, the mines are drawn again among the layouts in which the guess is safe, and the game
continues.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.agents import make_agent
from solver.agents.base import Action, Agent, Decision, EnginePlayer, Move
from solver.analysis import analyse, sample_layouts
from solver.arena.boards import BoardSet
from solver.arena.runs import NUMBER, Results, Row, Task, Workers, run
from solver.arena.statistics import (
    Estimate,
    PairedDifference,
    compare_values,
    compare_wins,
    mean_estimate,
    wilson,
)
from solver.board import Board, Cell, Tile
from solver.errors import AgentFailed, BadMineTotal, WrongSize
from solver.game import Game, Rule, Status


@dataclass(frozen=True)
class PlayedGame:
    """The result of one game.

    ``opened`` is the share of the safe cells that were open at the end, ``seconds`` the time of
    the game itself, ``chance`` the product of the exact survival chances (None if not computed).
    """

    won: bool
    gave_up: bool
    guesses: int
    opened: float
    seconds: float
    chance: float | None = None


def play_game(
    agent: Agent,
    game: Game,
    *,
    first: Cell | None = None,
    rng: random.Random | None = None,
) -> PlayedGame:
    """Play ``game`` to its end; ``first`` prescribes the first cell.

    With ``rng`` the win chance is estimated too; the game then continues after a loss. Raises
    `AgentFailed` when a turn changes nothing.
    """
    start = time.perf_counter()
    guesses = [
        (board, decision.moves[0].cell)
        for board, decision in turns_of(agent, game, first)
        if is_guess(game, decision)
    ]
    seconds = time.perf_counter() - start
    return PlayedGame(
        won=game.status is Status.WON,
        gave_up=game.status is Status.PLAYING,
        guesses=len(guesses),
        opened=share_opened(game),
        seconds=seconds,
        chance=None if rng is None else win_chance(agent, game, guesses, rng),
    )


def play_in_engine(
    agent: EnginePlayer, game: Game, *, first: Cell, rng: random.Random | None = None
) -> PlayedGame:
    """Play the layout of ``game`` inside the engine: the result of `play_game`, much faster.

    The first-click rule must spare the first cell. ``game`` is not changed; only its mines are
    used.
    """
    start = time.perf_counter()
    mines = game.lay(first)
    played = agent.play(mines, first, None if rng is None else rng.getrandbits(64))
    return PlayedGame(
        won=played.won,
        gave_up=False,
        guesses=played.guesses,
        opened=float(played.opened / (~mines).sum()),
        seconds=time.perf_counter() - start,
        chance=None if rng is None else played.chance,
    )


def turns_of(
    agent: Agent, game: Game, first: Cell | None = None
) -> Iterator[tuple[Board, Decision]]:
    """Play turn by turn; yield each board with its decision, before the moves are made.

    Raises `AgentFailed` when a turn changes nothing.
    """
    while game.status is Status.PLAYING:
        board = game.board
        if first is not None and not game.started:
            decision = Decision((Move(first),), "the prescribed first cell", _blind_survival(board))
        else:
            decision = agent.decide(board)
        yield board, decision
        if not decision.moves:
            return
        for move in decision.moves:
            carry_out(game, move)
        if game.board == board:
            raise AgentFailed(f"The agent {agent.name} changed nothing on {board!r}.")


def carry_out(game: Game, move: Move) -> None:
    """Make one move of a decision."""
    if move.action is Action.OPEN:
        game.open(move.cell)
    elif move.action is Action.FLAG:
        game.flag(move.cell)
    else:
        game.chord(move.cell)


def is_guess(game: Game, decision: Decision) -> bool:
    """Whether a decision may lose the game."""
    spared = not game.started and game.rule is not Rule.NONE
    return bool(decision.moves) and not decision.certain and not spared


def win_chance(
    agent: Agent, game: Game, guesses: list[tuple[Board, Cell]], rng: random.Random
) -> float:
    """Multiply the exact survival chances of all guesses of a finished game.

    After a loss the game continues with newly drawn mines, and those guesses count as well.
    """
    chance = 1.0
    while True:
        for board, cell in guesses:
            chance *= 1 - float(analyse(board).probabilities[cell])
        if game.status is not Status.LOST:
            return chance if game.status is Status.WON else 0.0
        if chance == 0.0 or not guesses:
            return 0.0
        board, cell = guesses[-1]
        game = Game.from_position(board, draw_layout(board, safe=cell, rng=rng))
        game.open(cell)
        guesses = [
            (board, decision.moves[0].cell)
            for board, decision in turns_of(agent, game)
            if is_guess(game, decision)
        ]


def share_opened(game: Game) -> float:
    """Return the share of the safe cells that are open."""
    board = game.board
    mines: NDArray[np.bool_] | None = game.mines
    if mines is None:
        return 0.0
    return float((board.open & ~mines).sum() / (~mines).sum())


def _blind_survival(board: Board) -> float:
    return 1 - (board.mines or 0) / board.tiles.size


def draw_layout(board: Board, *, safe: Cell | None = None, rng: random.Random) -> NDArray[np.bool_]:
    """Draw one of the layouts that fit ``board``, all equally likely.

    If ``safe`` is given, only layouts without a mine there are drawn. Returns a bool array ``(rows,
    cols)`` of the mines. Raises `InconsistentBoard` if no layout fits, `BadMineTotal` if the total
    is unknown.
    """
    if board.mines is None:
        raise BadMineTotal("Drawing a layout needs the mine total.")
    if safe is not None:
        tiles = board.tiles.copy()
        tiles[safe] = Tile.WRONG_FLAG
        board = Board(tiles, board.mines)
    layout: NDArray[np.bool_] = sample_layouts(board, 1, seed=rng.getrandbits(64))[0]
    return layout


GAME_COLUMNS = {
    "won": (bool,),
    "gave_up": (bool,),
    "guesses": (int,),
    "opened": NUMBER,
    "seconds": NUMBER,
    "chance": (*NUMBER, type(None)),
}
"""The columns of a results file: the fields of `PlayedGame`."""


@dataclass(frozen=True)
class Match:
    """``agents`` on the first ``games`` boards of ``boards``.

    ``first`` prescribes the first cell of every game; by default the agents choose it. With
    ``with_chance`` each game's win chance is estimated too. The seed of an agent is ``seed`` plus
    the number of the board, so that any game can be repeated alone.
    """

    boards: BoardSet
    agents: tuple[str, ...]
    games: int
    seed: int = 0
    first: Cell | None = None
    with_chance: bool = True

    def settings(self) -> Row:
        """Return everything that a game's row depends on."""
        boards = self.boards
        digest = None if boards.orders is None else _digest(boards.orders)
        return {
            "kind": "match",
            "size": str(boards.size),
            "first": boards.rule.value,
            "first_cell": self.first,
            "boards_seed": boards.seed,
            "boards_digest": digest,
            "seed": self.seed,
            "weigh": self.with_chance,
        }

    def tasks(self) -> list[Task]:
        """List the games, board by board."""
        orders = self.boards.orders
        return [
            Task(
                f"{agent}/{number}",
                _MatchGame(agent, number, None if orders is None else tuple(orders[number])),
            )
            for number in range(self.games)
            for agent in self.agents
        ]


@dataclass(frozen=True)
class Standing:
    """A summary of one agent's games.

    ``chance`` is the win rate estimated from multiplied survival chances, ``opened_before_loss``
    the mean share of safe cells that were open in the games it did not win.
    """

    agent: str
    games: int
    wins: int
    win_rate: Estimate
    chance: Estimate | None
    guesses_per_game: float
    ms_per_game: float
    opened_before_loss: float | None
    gave_up: int


class _MatchGame(NamedTuple):
    agent: str
    number: int
    order: tuple[int, ...] | None


def play_match(
    match: Match,
    *,
    path: str | Path | None = None,
    workers: Workers | None = None,
    on_done: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, list[PlayedGame]]:
    """Play every game of ``match`` that is not in the results file ``path`` yet.

    Returns each agent's games in the order of the boards. Raises `BadResults` for a file of
    another match, `AgentFailed` for an agent that fails.
    """
    bare = BoardSet(match.boards.size, match.boards.rule, seed=match.boards.seed)
    rows = run(
        match.tasks(),
        partial(_play_task, bare, match.seed, match.first, match.with_chance),
        Results(match.settings(), path, GAME_COLUMNS),
        workers=workers,
        warm=partial(warm_up, match.agents, match.with_chance),
        on_done=on_done,
    )
    return {
        agent: [PlayedGame(**rows[f"{agent}/{number}"]) for number in range(match.games)]
        for agent in match.agents
    }


def _play_task(
    boards: BoardSet, seed: int, first: Cell | None, with_chance: bool, task: _MatchGame
) -> Row:
    """Play one game and return it as a row."""
    order = task.order if task.order is not None else boards.order(task.number)
    size = boards.size
    game = Game(size.rows, size.cols, size.mines, rule=boards.rule, order=order)
    agent = make_agent(task.agent, seed=seed + task.number, rule=boards.rule)
    rng = random.Random(f"{seed}/{task.number}/afterlife") if with_chance else None
    return asdict(_play(agent, game, first, rng))


def _play(agent: Agent, game: Game, first: Cell | None, rng: random.Random | None) -> PlayedGame:
    """Play one game, inside the engine if the agent can."""
    if isinstance(agent, EnginePlayer) and game.rule is not Rule.NONE:
        first = first or agent.decide(game.board).moves[0].cell
        return play_in_engine(agent, game, first=first, rng=rng)
    return play_game(agent, game, first=first, rng=rng)


@lru_cache(maxsize=8)
def warm_up(agents: tuple[str, ...], with_chance: bool) -> None:
    """Play a small game with each agent, once per process, to load everything before timing.

    Agents that play boards of another size only are skipped.
    """
    for name in agents:
        game = Game.random(6, 6, 8, seed=1)
        with suppress(WrongSize):
            _play(make_agent(name), game, None, random.Random(0) if with_chance else None)


def standing(agent: str, games: Sequence[PlayedGame]) -> Standing:
    """Summarise one agent's games."""
    wins = sum(game.won for game in games)
    chances = [game.chance for game in games if game.chance is not None]
    lost = [game.opened for game in games if not game.won]
    return Standing(
        agent=agent,
        games=len(games),
        wins=wins,
        win_rate=wilson(wins, len(games)),
        chance=mean_estimate(chances) if len(chances) == len(games) and games else None,
        guesses_per_game=fmean(game.guesses for game in games) if games else 0.0,
        ms_per_game=1000 * fmean(game.seconds for game in games) if games else 0.0,
        opened_before_loss=fmean(lost) if lost else None,
        gave_up=sum(game.gave_up for game in games),
    )


def compare(
    first: Sequence[PlayedGame], second: Sequence[PlayedGame]
) -> tuple[PairedDifference, PairedDifference | None]:
    """Compare two agents' games on the same boards, by wins and, if estimated, by win chance."""
    wins = compare_wins([game.won for game in first], [game.won for game in second])
    chances: list[Any] = [[game.chance for game in games] for games in (first, second)]
    if None in chances[0] or None in chances[1]:
        return wins, None
    return wins, compare_values(*chances)


def _digest(orders: Sequence[Sequence[int]]) -> str:
    return hashlib.sha256(repr([list(order) for order in orders]).encode()).hexdigest()[:16]
