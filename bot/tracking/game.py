"""One game that is played or watched: its observations, its counts, and how it ends.

An `Observation` is a frame with the board read from it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from bot.errors import AnotherGame, BoardChanged
from bot.events import GameResult, Outcome, Timings, Turn
from calibration import Frame, Reading
from calibration.verdict import Verdict
from solver import Decision, Status
from solver.board import Board, Tile, count_neighbours


@dataclass(frozen=True)
class Observation:
    """A frame, the board read from it, and how long grabbing and reading took."""

    frame: Frame
    reading: Reading
    grab_ms: float = 0.0
    read_ms: float = 0.0

    @property
    def board(self) -> Board:
        """The board that was read."""
        return self.reading.board

    @property
    def over(self) -> bool:
        """Whether the program shows that the game is over."""
        return self.reading.status is not Status.PLAYING

    @property
    def unplayed(self) -> bool:
        """Whether the game is under way and no cell is open yet."""
        return not self.over and bool(self.board.covered.all())


def check_same_game(before: Board | None, board: Board) -> None:
    """Raise `BoardChanged` if an open number of ``before`` is covered or different now.

    The error is `AnotherGame` if all cells are covered.
    """
    if before is None:
        return
    if before.tiles.shape != board.tiles.shape:
        raise BoardChanged("The board has another size than before: start again to play on it.")
    changed = np.argwhere(before.open & (before.tiles != board.tiles))
    if len(changed):
        row, col = (int(index) for index in changed[0])
        error = AnotherGame if board.covered.all() else BoardChanged
        raise error(
            f"The open number in row {row + 1}, column {col + 1} changed, perhaps because a new "
            "game was started: start minebot again to play it."
        )


def is_same_game(before: Board | None, board: Board) -> bool:
    """Whether ``board`` can be a later state of the same game; see `check_same_game`."""
    with suppress(BoardChanged):
        check_same_game(before, board)
        return True
    return False


def is_new_game(final: Board, observation: Observation) -> bool:
    """Whether an observation shows another game than the one that ended with ``final``.

    A few tiles may be open: some programs open a corner of a new board themselves.
    """
    if observation.over:
        return False
    if final.tiles.shape != observation.board.tiles.shape:
        return True
    opened = final.open & observation.board.covered
    return bool(opened.any()) or not bool(final.open.any())


def status_fits_board(observation: Observation) -> bool:
    """Whether the tiles confirm the status, which may come from the smiley.

    A lost board must show a mine; on a won board exactly the mines are unopened.
    """
    board = observation.board
    if observation.reading.status is Status.LOST:
        return bool((board.tiles <= Tile.MINE).any())
    return board.mines is None or int((~board.open).sum()) == board.mines


def still_opening(board: Board) -> bool:
    """Whether an open zero has a hidden neighbour: the program is still opening cells."""
    beside_zero = count_neighbours(board.tiles == 0) > 0
    return bool((beside_zero & (board.tiles == Tile.HIDDEN)).any())


def without_end_marks(observation: Observation, before: Board) -> Board:
    """Return the board; where marks of its end cover numbers of ``before``, these are put back."""
    if not observation.over or observation.board.tiles.shape != before.tiles.shape:
        return observation.board
    shown = observation.board.tiles
    tiles = np.where(before.open & (shown < 0), before.tiles, shown)
    return Board(tiles, before.mines)


def shows_end(before: Board, observation: Observation) -> bool:
    """Whether an observation shows the end of the game of the board ``before``."""
    known = without_end_marks(observation, before)
    return observation.over and status_fits_board(observation) and is_same_game(before, known)


@dataclass
class GameUnderWay:
    """The counts of one game. ``started`` is the time of its start on the desktop's clock.

    ``ended`` says whether `result` has been called.
    """

    number: int
    started: float
    turns: int = 0
    clicks: int = 0
    guesses: int = 0
    chance: float = 1.0
    ended: bool = False

    def count_turn(
        self,
        frame: Frame,
        reading: Reading,
        decision: Decision,
        *,
        retry: bool = False,
        timings: Timings | None = None,
    ) -> Turn:
        """Count a turn and return it. The risk of a ``retry`` is not counted again.

        A first click counts as a guess only if its agent gave it a risk.
        """
        self.turns += 1
        if not decision.certain and not retry:
            self.guesses += 1
            self.chance *= decision.survival
        return Turn(
            game=self.number,
            number=self.turns,
            frame=frame,
            reading=reading,
            decision=decision,
            timings=timings or Timings(),
            retry=retry,
            chance=self.chance,
        )

    def result(self, verdict: Verdict | None, now: float, **known: Any) -> GameResult:
        """Return the result of the game; without a ``verdict`` it was stopped.

        ``known`` are further fields of the result.
        """
        self.ended = True
        return GameResult(
            game=self.number,
            outcome=outcome_of(verdict),
            turns=self.turns,
            clicks=self.clicks,
            guesses=self.guesses,
            seconds=now - self.started,
            chance=self.chance,
            why_over=verdict.reason if verdict else "",
            **known,
        )


def outcome_of(verdict: Verdict | None) -> Outcome:
    """Return the outcome of a game by its verdict."""
    return Outcome(verdict.status.value) if verdict and verdict.status else Outcome.STOPPED
