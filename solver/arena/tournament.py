"""Agents on the same boards: play them, sum them up, compare two of them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from solver.agents import Agent, Swift, make
from solver.arena.boards import BoardSet
from solver.arena.engine import Results, Row, Task, Workers, run
from solver.arena.play import Played, play_game, play_swiftly
from solver.arena.statistics import (
    Estimate,
    Paired,
    compare_values,
    compare_wins,
    mean_estimate,
    wilson,
)
from solver.board import Cell
from solver.game import Game, Rule


@dataclass(frozen=True)
class Match:
    """``agents`` on the first ``games`` boards of ``boards``.

    ``first`` prescribes the first cell of every game; None leaves it to the agents. ``weigh``
    works out each game's chance to win beside its result. Agents get ``seed`` and the board's
    number as their seed, so a game can be played again alone.
    """

    boards: BoardSet
    agents: tuple[str, ...]
    games: int
    seed: int = 0
    first: Cell | None = None
    weigh: bool = True

    def settings(self) -> Row:
        """Return all that a game's row depends on."""
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
            "weigh": self.weigh,
        }

    def tasks(self) -> list[Task]:
        """List the games, board by board."""
        orders = self.boards.orders
        return [
            Task(
                f"{agent}/{number}",
                _Seat(agent, number, None if orders is None else tuple(orders[number])),
            )
            for number in range(self.games)
            for agent in self.agents
        ]


@dataclass(frozen=True)
class Standing:
    """How one agent did.

    ``chance`` is the win rate estimated from multiplied survival chances, ``opened_before_loss``
    the mean share of safe cells open in the games it did not win.
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


class _Seat(NamedTuple):
    agent: str
    number: int
    order: tuple[int, ...] | None


def play_match(
    match: Match,
    *,
    path: Path | None = None,
    workers: Workers | None = None,
    on_done: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, list[Played]]:
    """Play every game of ``match`` that the results file at ``path`` does not hold yet.

    Returns each agent's games in the order of the boards. Raises `BadResults` for a file of
    another match.
    """
    bare = BoardSet(match.boards.size, match.boards.rule, seed=match.boards.seed)
    rows = run(
        match.tasks(),
        partial(_play_seat, bare, match.seed, match.first, match.weigh),
        Results(match.settings(), path),
        workers=workers,
        warm=partial(warm_up, match.agents, match.weigh),
        on_done=on_done,
    )
    return {
        agent: [Played(**rows[f"{agent}/{number}"]) for number in range(match.games)]
        for agent in match.agents
    }


def _play_seat(boards: BoardSet, seed: int, first: Cell | None, weigh: bool, seat: _Seat) -> Row:
    """Play one game and return it as a row."""
    order = seat.order if seat.order is not None else boards.order(seat.number)
    size = boards.size
    game = Game(size.rows, size.cols, size.mines, rule=boards.rule, order=order)
    agent = make(seat.agent, seed=seed + seat.number, rule=boards.rule)
    dice = random.Random(f"{seed}/{seat.number}/afterlife") if weigh else None
    return asdict(_play(agent, game, first, dice))


def _play(agent: Agent, game: Game, first: Cell | None, dice: random.Random | None) -> Played:
    """Play one game, inside the kernels where the agent can."""
    if isinstance(agent, Swift) and game.rule is not Rule.NONE:
        first = first or agent.decide(game.board).moves[0].cell
        return play_swiftly(agent, game, first=first, dice=dice)
    return play_game(agent, game, first=first, dice=dice)


@lru_cache(maxsize=8)
def warm_up(agents: tuple[str, ...], weigh: bool) -> None:
    """Play a small game with each agent, once in a process, so that nothing compiles later."""
    for name in agents:
        game = Game.random(6, 6, 8, seed=1)
        _play(make(name), game, None, random.Random(0) if weigh else None)


def standing(agent: str, games: Sequence[Played]) -> Standing:
    """Sum up one agent's games."""
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


def compare(first: Sequence[Played], second: Sequence[Played]) -> tuple[Paired, Paired | None]:
    """Compare two agents' games on the same boards: by wins, and by chance where weighed."""
    wins = compare_wins([game.won for game in first], [game.won for game in second])
    chances: list[Any] = [[game.chance for game in games] for games in (first, second)]
    if None in chances[0] or None in chances[1]:
        return wins, None
    return wins, compare_values(*chances)


def _digest(orders: Sequence[Sequence[int]]) -> str:
    return hashlib.sha256(repr([list(order) for order in orders]).encode()).hexdigest()[:16]
