"""Play one game of one agent, and estimate its win chance with little noise.

Counting wins is noisy. The product of the survival chances of all guesses has the same mean and far
less noise, if a lost guess does not end the game: the exact survival chance of the guess is
multiplied in, the mines are drawn again among the layouts in which the guess is safe, and the game
continues.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.agents.base import Action, Agent, Decision, EnginePlayer, Move
from solver.analysis import analyse, sample_layouts
from solver.board import Board, Cell, Tile
from solver.errors import AgentFailed, BadMineTotal
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
