"""Let agents play the same boards, summarise each agent's games, and compare two agents."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from solver.agents import Agent, EnginePlayer, make_agent
from solver.arena.boards import BoardSet
from solver.arena.games import PlayedGame, play_game, play_in_engine
from solver.arena.runs import NUMBER, Results, Row, Task, Workers, run
from solver.arena.statistics import (
    Estimate,
    PairedDifference,
    compare_values,
    compare_wins,
    mean_estimate,
    wilson,
)
from solver.board import Cell
from solver.errors import WrongSize
from solver.game import Game, Rule

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
