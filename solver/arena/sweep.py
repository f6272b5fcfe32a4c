"""Play agents over a range of mine densities, in games that continue after a mine.

Source: "MineSweeper AI", P. Kulkarni, 2020, sections 2.1 and 4.5. All agents play the same boards.
An opened mine is shown and the game continues, until every cell is open, flagged or an exploded
mine. The score is the number of safely identified mines divided by all mines. The first click is
not protected.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from solver.agents import make_agent
from solver.agents.base import Agent, Reasoner
from solver.analysis import analyse
from solver.arena.boards import BoardSet, Size
from solver.arena.matches import carry_out, warm_up
from solver.arena.runs import NUMBER, Results, Row, Task, Workers, run
from solver.arena.statistics import (
    Estimate,
    PairedDifference,
    compare_values,
    mean_estimate,
    wilson,
)
from solver.board import Board, Cell, Tile
from solver.errors import AgentFailed
from solver.game import Game, Rule

SWEEP_COLUMNS = {"mines": (int,), "identified": (int,), "stepped": (int,), "seconds": NUMBER}
"""The columns of a results file."""


class OpenEndedGame(Game):
    """A game that continues after a mine or the last safe cell, until all mines are known."""

    def _explode(self, hit: Iterable[Cell]) -> None:
        for cell in hit:
            self._tiles[cell] = Tile.EXPLODED

    def _win(self) -> None:
        """Leave the last mines to be found."""


@dataclass(frozen=True)
class Sweep:
    """``agents`` on ``runs`` boards of ``rows`` x ``cols`` at each of ``densities``."""

    rows: int
    cols: int
    densities: tuple[float, ...]
    runs: int
    agents: tuple[str, ...]
    seed: int = 0
    rule: Rule = Rule.NONE

    def boards(self, density: float) -> BoardSet:
        """Return the boards of one density."""
        cells = self.rows * self.cols
        mines = min(max(round(cells * density), 1), cells - 1)
        return BoardSet(Size(self.rows, self.cols, mines), self.rule, seed=self.seed)

    def settings(self) -> Row:
        """Return everything that a row depends on."""
        return {
            "kind": "sweep",
            "rows": self.rows,
            "cols": self.cols,
            "first": self.rule.value,
            "seed": self.seed,
        }

    def tasks(self) -> list[Task]:
        """List the games run by run, so that a stopped sweep has games of every density."""
        return [
            Task(_key(agent, density, number), _SweepGame(agent, density, number))
            for number in range(self.runs)
            for density in self.densities
            for agent in self.agents
        ]


class _SweepGame(NamedTuple):
    agent: str
    density: float
    number: int


@dataclass(frozen=True)
class SweepPoint:
    """One agent at one density. ``scores`` are in the order of the boards.

    ``win_rate`` is the share of the games in which every mine was identified safely.
    """

    agent: str
    density: float
    mines: int
    score: Estimate
    win_rate: Estimate
    ms_per_game: float
    scores: tuple[float, ...]


def play_sweep(
    sweep: Sweep,
    *,
    path: str | Path | None = None,
    workers: Workers | None = None,
    on_done: Callable[[int, int], None] = lambda done, total: None,
) -> list[SweepPoint]:
    """Play every game that is not in the results file ``path`` yet; summarise each point."""
    rows = run(
        sweep.tasks(),
        partial(_play_task, sweep),
        Results(sweep.settings(), path, SWEEP_COLUMNS),
        workers=workers,
        warm=partial(warm_up, sweep.agents, False),
        on_done=on_done,
    )
    return [
        _point(sweep, agent, density, rows) for agent in sweep.agents for density in sweep.densities
    ]


def compare_sweep(points: Sequence[SweepPoint], first: str, second: str) -> PairedDifference:
    """Compare two agents' scores over all boards of a sweep."""
    scores = {
        agent: [score for point in points if point.agent == agent for score in point.scores]
        for agent in (first, second)
    }
    return compare_values(scores[first], scores[second])


def play_out(agent: Agent, game: Game) -> tuple[int, int]:
    """Play until every cell is identified; return how many mines were flagged and opened.

    An agent that gives up leaves the rest unidentified. Raises `AgentFailed` when a turn changes
    nothing.
    """
    while (game.board.tiles == Tile.HIDDEN).any():
        board = game.board
        decision = agent.decide(board)
        for cell in known_mines(agent, board):
            if board[cell] == Tile.HIDDEN:
                game.flag(cell)
        for move in decision.moves:
            carry_out(game, move)
        if game.board == board:
            if not decision.moves:
                break
            raise AgentFailed(f"The agent {agent.name} changed nothing on {board!r}.")
    stepped = int((game.board.tiles == Tile.EXPLODED).sum())
    return game.board.flags, stepped


def known_mines(agent: Agent, board: Board) -> tuple[Cell, ...]:
    """Return the mines that an agent has proven; all certain mines if it does not report them."""
    return agent.infer(board).mines if isinstance(agent, Reasoner) else analyse(board).mines


def as_record(sweep: Sweep, point: SweepPoint) -> Row:
    """Return a point as plain values for JSON."""
    return {
        "agent": point.agent,
        "rows": sweep.rows,
        "cols": sweep.cols,
        "density": point.density,
        "mines": point.mines,
        "first": sweep.rule.value,
        "games": sweep.runs,
        "score": point.score.value,
        "ci95": list(point.score.ci95),
        "win_rate": point.win_rate.value,
        "win_ci95": list(point.win_rate.ci95),
        "ms_per_game": point.ms_per_game,
        "seed": sweep.seed,
    }


def _play_task(sweep: Sweep, task: _SweepGame) -> Row:
    boards = sweep.boards(task.density)
    size = boards.size
    game = OpenEndedGame(
        size.rows, size.cols, size.mines, rule=sweep.rule, order=boards.order(task.number)
    )
    agent = make_agent(task.agent, seed=sweep.seed + task.number, rule=sweep.rule)
    start = time.perf_counter()
    flagged, stepped = play_out(agent, game)
    return {
        "mines": size.mines,
        "identified": flagged,
        "stepped": stepped,
        "seconds": time.perf_counter() - start,
    }


def _point(sweep: Sweep, agent: str, density: float, rows: dict[str, Row]) -> SweepPoint:
    own = [rows[_key(agent, density, number)] for number in range(sweep.runs)]
    mines = sweep.boards(density).size.mines
    scores = tuple(row["identified"] / mines for row in own)
    seconds = fmean(row["seconds"] for row in own)
    wins = wilson(sum(score == 1 for score in scores), len(scores))
    return SweepPoint(agent, density, mines, mean_estimate(scores), wins, 1000 * seconds, scores)


def _key(agent: str, density: float, number: int) -> str:
    return f"{agent}/{density:g}/{number}"
