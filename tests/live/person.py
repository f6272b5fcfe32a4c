"""A scripted person: plays a real program by known clicks, and knows which were mistakes.

The script looks at the screen on its own and uses none of the code that watches.
"""

import re
import time
from contextlib import suppress
from random import Random
from typing import NamedTuple

import numpy as np

from calibration import CalibrationError, Frame, calibrate
from solver.agents import make_agent
from solver.analysis import analyse
from solver.board import Cell, Tile
from solver.game import Status
from tests.calibration.reading import Frames
from tests.live.command import Bot, lines_of
from tests.live.match import new_game_point
from tests.live.session import DeskError, wait_until

LEFT, CHORD, RIGHT = 1, 2, 3

REST_S = 0.35  # seconds without a change before the next click; the programs animate nothing slower


class Planted(NamedTuple):
    """A mistake made on purpose, as the review should name it."""

    game: int
    kind: str
    place: str


class Person:
    """Plays games in one window; ``planted``, ``clicks`` and ``keys`` are what it did."""

    def __init__(self, running, seed=0):
        self.running, self._random = running, Random(seed)
        self.planted: list[Planted] = []
        self.clicks: list[tuple[int, int]] = []
        self.results: list[str] = []
        self.game = self.keys = 0
        self._calibration = calibrate(self._frame(), mines=running.size[2])
        self.grid = self._calibration.grid
        self._frames = Frames(self._calibration)

    def play(self, mistake, most_clicks):
        """Play one game, and make a mistake as soon as there is a chance to.

        Two certain cells at a time are opened before and after it. The game is left when it is
        over, or after ``most_clicks``.
        """
        if self.game:
            self.new_game()
        self.game += 1
        made, clicks = len(self.planted), len(self.clicks) + most_clicks
        reading = self._look()
        while reading.status is Status.PLAYING and len(self.clicks) < clicks:
            board = self._board(reading)
            wanted = len(self.planted) == made and board.open.any()
            if not (wanted and self._plant(mistake, board)):
                self._play_well(board, 2)
            reading = self._look()
        self.results.append(reading.status.value)

    def click_well(self):
        """Make one good click; return the board after it, None if the game is over then."""
        self.game = self.game or 1
        self._play_well(self._board(self._look()), 1)
        reading = self._look()
        return self._board(reading) if reading.status is Status.PLAYING else None

    def _play_well(self, board, count):
        if not board.open.any():
            self._click(Cell(board.rows // 2, board.cols // 2))
        elif safe := analyse(board).safe:
            for cell in self._random.sample(safe, min(count, len(safe))):
                self._click(cell)
        else:
            self._click(make_agent("deep").decide(board).moves[0].cell)

    def _plant(self, kind, board):
        """Make a mistake of this kind if the board has a place for it."""
        known = analyse(board)
        places = PLANTS[kind](board, known)
        if not places:
            return False
        cell = wrong = self._random.choice(places)
        if kind == "wrong flag":
            wrong = next(near for near in board.neighbours(cell) if _doubtful(board, known, near))
            self._click(wrong, RIGHT)
            self._look()
        self.planted.append(Planted(self.game, kind, wrong.place))
        self._click(cell, LEFT if wrong is cell else CHORD)
        return True

    def _click(self, cell, button=LEFT):
        centre = self.grid.centre(cell)
        point = round(centre.x), round(centre.y)
        self.clicks.append(point)
        self.running.desk.click(*point, button)

    def new_game(self):
        point = new_game_point(self.running)
        if point is None:
            window = self.running.window
            self.keys += 1
            self.running.desk.xdotool("windowfocus", "--sync", window, "key", "n")
        else:
            self.clicks.append(point)
            self.running.desk.click(*point)
        self._frames = Frames(self._calibration)

    def _frame(self):
        return Frame(self.running.desk.wait_stable(REST_S))

    def _look(self):
        def read():
            with suppress(CalibrationError):
                return self._frames.read(self._frame(), same_game=False)

        return wait_until(read, 10, "a board that can be read")

    def _board(self, reading):
        return reading.board.with_mines(self.running.size[2])


def _doubtful(board, known, cell):
    return board[cell] == Tile.HIDDEN and 0.02 < known.probabilities[cell] < 0.98


def _cells(board, tile):
    return [Cell(*at) for at in np.argwhere(board.tiles == tile).tolist()]


def _numbers_for_a_wrong_flag(board, known):
    """Find each 1 without flags around it, beside a cell that may be a mine or not."""
    return [
        cell
        for cell in _cells(board, 1)
        if not any(board[near] == Tile.FLAG for near in board.neighbours(cell))
        and any(_doubtful(board, known, near) for near in board.neighbours(cell))
    ]


PLANTS = {
    "needless risk": lambda board, known: [
        cell for cell in _cells(board, Tile.HIDDEN) if known.safe and _doubtful(board, known, cell)
    ],
    "certain mine opened": lambda board, known: [
        cell for cell in known.mines if board[cell] == Tile.HIDDEN
    ],
    "wrong flag": _numbers_for_a_wrong_flag,
}
"""Finds the cells to click for each kind of mistake."""


class Watch(Bot):
    """`minebot watch` beside a person, recorded in a folder."""

    def __init__(self, running, session, *options):
        super().__init__(running, "watch", "--json", "--record", session, *options)
        self.session = session
        try:
            wait_until(lambda: "is found" in self.err, 120, "the watch to find the board")
        except DeskError:
            self.close()
            raise
        time.sleep(0.5)

    def wait_reported(self, game):
        """Wait until the end of a game is recorded: words may be read for seconds."""
        lines, end = self.session / "session.jsonl", f'"kind": "game", "game": {game},'
        wait_until(lambda: end in lines.read_text(), 60, f"the end of game {game}")

    def end(self):
        """Wait for the end; return exit code, what was said, and the reviews of the games."""
        code, _ = self.wait()
        return code, self.err, [line for line in lines_of(self.out) if "mistakes" in line]


def compare(person, reviews):
    """Return the planted mistakes that the reviews lack, and those they name that were not made."""
    named = [
        (review["game"], one["kind"], one["text"])
        for review in reviews
        for one in review["mistakes"]
    ]
    missed = []
    for planted in person.planted:
        place = re.compile(rf"{planted.place}\b")
        hits = [one for one in named if one[:2] == (planted.game, planted.kind)]
        hit = next((one for one in hits if place.search(one[2])), None)
        if hit is None:
            missed.append(str(planted))
        else:
            named.remove(hit)
    return missed, [f"game {game}: {kind}: {text}" for game, kind, text in named]
