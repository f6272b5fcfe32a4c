"""One game that is watched: what is counted of it, and how its boards follow from each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bot.events import GameResult, Outcome, Turn
from bot.tracking.observation import Observation
from bot.watch.moves import infer_moves
from calibration.frame import Frame
from calibration.indicators.words import Said
from calibration.reading import Reading
from calibration.rules import shows_win_or_loss
from solver.agents.base import Action, Decision, Move
from solver.analysis import Analysis
from solver.board import Board, Cell, Tile
from solver.errors import CannotAnalyse
from solver.game import Status
from solver.mine_total import analyse_likely

DIFFERENT = 3
"""Numbers that differ on another game's board; fewer may be misread."""


class GameUnderWay:
    """What is counted of the game that is watched."""

    def __init__(self, number: int, started: float) -> None:
        self.number = number
        self.started = started
        self.turns = self.clicks = self.guesses = 0
        self.chance = 1.0
        self.ended = False

    def turn(self, frame: Frame, reading: Reading, decision: Decision) -> Turn:
        """Count a turn and describe it."""
        self.turns += 1
        self.clicks += len(decision.moves)
        if not decision.certain:
            self.guesses += 1
            self.chance *= decision.survival
        return Turn(
            game=self.number,
            number=self.turns,
            frame=frame,
            reading=reading,
            decision=decision,
            chance=self.chance,
        )

    def result(self, outcome: Outcome, now: float) -> GameResult:
        """Sum the game up."""
        return GameResult(
            game=self.number,
            outcome=outcome,
            turns=self.turns,
            clicks=self.clicks,
            guesses=self.guesses,
            seconds=now - self.started,
            chance=self.chance,
        )


def analysis_of(board: Board) -> Analysis | None:
    """Analyse a board; None if that is not possible, for instance if no layout fits it."""
    try:
        return analyse_likely(board)
    except CannotAnalyse:
        return None


def risk_on(board: Board, move: Move) -> float:
    """Return the risk of the riskiest cell that a move opens, 0 if it cannot be analysed."""
    opened = _opened(board, move)
    analysis = analysis_of(board) if opened else None
    if analysis is None:
        return 0.0
    return max(float(analysis.probabilities[cell]) for cell in opened)


def _opened(board: Board, move: Move) -> list[Cell]:
    """List the covered cells that a move opens, those of chords included."""
    if move.action is Action.OPEN:
        return [move.cell] if board.covered[move.cell] else []
    if move.action is Action.CHORD:
        return [near for near in board.neighbours(move.cell) if board[near] == Tile.HIDDEN]
    return []


def outcome_of(
    before: Board, shown: Observation, pointer: Cell | None, words: Callable[[], Said | None]
) -> Outcome:
    """Tell how a game ended that was under way on the board ``before``.

    Some programs show their mines after a win, and some open every cell after a loss. Then
    ``words`` is asked what the window says; without a word it was won if one move opened all that
    is open now, and ``pointer`` is not on a mine.
    """
    board, status = shown.board, shown.reading.status
    if status is Status.LOST and shows_win_or_loss(board.tiles):
        said = words()
        if said is not None:
            status = said.status
        elif pointer is None or board.open[pointer]:
            moves = infer_moves(before, board, pointer=pointer, over=True)
            status = Status.WON if len(moves) == 1 else Status.LOST
    return Outcome.WON if status is Status.WON else Outcome.LOST


def is_reset(last: Observation, now: Observation) -> bool:
    """Whether another board has come in the place of the one under way, which was given up.

    Most open cells are covered again, or several show another number. A move taken back covers
    a few cells and changes no number.
    """
    before, after = last.board, now.board
    closed = before.open & after.covered
    differs = before.open & after.open & (before.tiles != after.tiles)
    return bool(now.unplayed or 2 * closed.sum() > before.open.sum() or differs.sum() >= DIFFERENT)


def without_end_marks(observation: Observation, before: Board) -> Board:
    """Return the board with the numbers of ``before`` where a finished board covers them."""
    if not observation.over or observation.board.tiles.shape != before.tiles.shape:
        return observation.board
    shown = observation.board.tiles
    tiles = np.where(before.open & (shown < 0), before.tiles, shown)
    return Board(tiles, before.mines)
