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
from calibration.rules import mines_in
from calibration.verdict import Evidence, Verdict, verdict
from solver.agents.base import Action, Decision, Move
from solver.analysis import Analysis
from solver.board import Board, Cell, Tile
from solver.errors import CannotAnalyse
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

    def result(self, verdict: Verdict | None, now: float) -> GameResult:
        """Summarise the game; without a ``verdict`` it was given up."""
        self.ended = True
        outcome = Outcome(verdict.status.value) if verdict and verdict.status else Outcome.STOPPED
        return GameResult(
            game=self.number,
            outcome=outcome,
            turns=self.turns,
            clicks=self.clicks,
            guesses=self.guesses,
            seconds=now - self.started,
            chance=self.chance,
            why_over=verdict.reason if verdict else "",
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


def end_of(
    before: Board, shown: Observation, pointer: Cell | None, words: Callable[[], Said | None]
) -> Verdict:
    """Find out how the game on the board ``before`` ended.

    The cells clicked are inferred: the one under the ``pointer`` if it shows a mine, or those that
    the first of the moves opened. ``words`` is asked what the window says.
    """
    board = without_end_marks(shown, before)
    moves = infer_moves(before, shown.board, pointer=pointer, over=True)
    opened = _opened(before, moves[0]) if moves else []
    if pointer is not None and before.covered[pointer] and mines_in(board.tiles)[pointer]:
        opened = [pointer]
    return verdict(
        Evidence(
            board.tiles,
            before.tiles,
            shown.board.mines,
            words=words,
            read=shown.reading.status,
            at_rest=True,
            opened=frozenset(opened),
            inferred=True,
        )
    )


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
