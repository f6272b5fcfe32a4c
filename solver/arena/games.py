"""One game of one agent, and its chance to win multiplied up along the way.

Counting wins is a noisy measure. The product of the survival chances of a game's guesses has the
same mean and far less noise, provided a lost guess does not end it: the guess is weighed with its
exact chance, the mines are drawn anew among the layouts in which it survives, and play goes on.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.agents.base import Action, Agent, Decision, Move, Swift
from solver.analysis import analyse
from solver.arena.worlds import draw_world
from solver.board import Board, Cell
from solver.game import Game, Rule, Status


@dataclass(frozen=True)
class Played:
    """What came of a game.

    ``opened`` is the share of the safe cells that were open at the end, ``seconds`` the time of
    the game itself, ``chance`` the product of exact survival chances (None if not asked for).
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
    dice: random.Random | None = None,
) -> Played:
    """Play ``game`` to its end; ``first`` prescribes the first cell.

    With ``dice`` the chance to win is worked out too, at the cost of playing on after a loss.
    Raises `RuntimeError` when a turn changes nothing.
    """
    start = time.perf_counter()
    guesses = [
        (board, decision.moves[0].cell)
        for board, decision in turns_of(agent, game, first)
        if is_guess(game, decision)
    ]
    seconds = time.perf_counter() - start
    return Played(
        won=game.status is Status.WON,
        gave_up=game.status is Status.PLAYING,
        guesses=len(guesses),
        opened=share_opened(game),
        seconds=seconds,
        chance=None if dice is None else chance_to_win(agent, game, guesses, dice),
    )


def play_swiftly(
    agent: Swift, game: Game, *, first: Cell, dice: random.Random | None = None
) -> Played:
    """Play the layout of ``game`` inside the kernels: the result of `play_game`, far sooner.

    The rule must spare the first cell. ``game`` gives its mines; no cell of it is opened.
    """
    from solver.play import begin, fresh, outlive, uncover  # noqa: PLC0415  numba loads when needed

    start = time.perf_counter()
    mines = game.lay(first)
    rows, cols = mines.shape
    play = begin(fresh(rows, cols), cols, int(mines.sum()))
    play.mined.reshape(rows + 2, cols + 2)[1:-1, 1:-1] = mines
    uncover(play, (first.row + 1) * (cols + 2) + first.col + 1)
    end = agent.finish(play)
    seconds = time.perf_counter() - start
    won, guesses, chance = end.hit < 0, end.guesses, end.chance
    opened = float((play.field >= 0).sum() / (~mines).sum())
    if dice is not None:
        state = np.array([dice.getrandbits(64)], np.uint64)
        while end.hit >= 0:
            outlive(play, end.hit, state)
            end = agent.finish(play)
            chance *= end.chance
    return Played(
        won=won,
        gave_up=False,
        guesses=guesses,
        opened=opened,
        seconds=seconds,
        chance=None if dice is None else chance,
    )


def turns_of(
    agent: Agent, game: Game, first: Cell | None = None
) -> Iterator[tuple[Board, Decision]]:
    """Play turn by turn; yield each board and the decision on it before it is carried out."""
    while game.status is Status.PLAYING:
        board = game.board
        if first is not None and not game.started:
            decision = Decision((Move(first),), "the prescribed first cell", _blind(board))
        else:
            decision = agent.decide(board)
        yield board, decision
        if not decision.moves:
            return
        for move in decision.moves:
            carry_out(game, move)
        if game.board == board:
            raise RuntimeError(f"{agent.name} changed nothing on\n{board}")


def carry_out(game: Game, move: Move) -> None:
    """Make one move of a decision."""
    if move.action is Action.OPEN:
        game.open(move.cell)
    elif move.action is Action.FLAG:
        game.flag(move.cell)
    else:
        game.chord(move.cell)


def is_guess(game: Game, decision: Decision) -> bool:
    """Tell whether a decision not carried out yet may lose the game."""
    spared = not game.started and game.rule is not Rule.NONE
    return bool(decision.moves) and not decision.certain and not spared


def chance_to_win(
    agent: Agent, game: Game, guesses: list[tuple[Board, Cell]], dice: random.Random
) -> float:
    """Multiply the exact survival chances of a finished game's guesses, and of its afterlives."""
    chance = 1.0
    while True:
        for board, cell in guesses:
            chance *= 1 - float(analyse(board).probabilities[cell])
        if game.status is not Status.LOST:
            return chance if game.status is Status.WON else 0.0
        if chance == 0.0 or not guesses:
            return 0.0
        board, cell = guesses[-1]
        game = Game.from_position(board, draw_world(board, safe=cell, dice=dice))
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


def _blind(board: Board) -> float:
    return 1 - (board.mines or 0) / board.tiles.size
