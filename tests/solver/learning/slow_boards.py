"""One board as the engine plays thousands, slow and plain: the same draws, the same moves."""

from __future__ import annotations

import numpy as np

from solver.game import Rule
from solver.learning.boards import HIT, LOST_CODE, PLAYING_CODE, WON_CODE

WORD = 2**64
Place = tuple[int, int]


class SlowBoard:
    """One of `Boards`. ``random`` is its word of generator state."""

    def __init__(
        self, rows: int, cols: int, mines: int, rule: Rule, random: int, *, report_game: bool
    ) -> None:
        self.places = list(np.ndindex(rows, cols))
        self.mines, self.rule, self.random = mines, rule, random
        self.report_game = report_game
        self.deal()

    def uniform(self) -> float:
        """Draw a number in [0, 1) by splitmix64."""
        self.random = (self.random + 0x9E3779B97F4A7C15) % WORD
        mixed = self.random
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 % WORD
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % WORD
        return ((mixed ^ mixed >> 31) >> 11) / 2**53

    def near(self, place: Place) -> list[Place]:
        return [
            other
            for other in self.places
            if other != place and abs(other[0] - place[0]) <= 1 and abs(other[1] - place[1]) <= 1
        ]

    def number(self, place: Place) -> int:
        return sum(other in self.mined for other in self.near(place))

    def deal(self) -> None:
        self.mined: set[Place] = set()
        self.laid, self.open_places, self.status = False, set[Place](), PLAYING_CODE
        if self.report_game:
            self.lay([])
            safe = [place for place in self.places if place not in self.mined]
            zeros = [place for place in safe if self.number(place) == 0]
            for _ in range(5 if zeros else 0):
                self.reveal(zeros[int(self.uniform() * len(zeros))])

    def lay(self, spared: list[Place]) -> None:
        """Lay the mines anywhere but on ``spared``, cell by cell."""
        rest = [place for place in self.places if place not in spared]
        for at, place in enumerate(rest):
            if self.uniform() * (len(rest) - at) < self.mines - len(self.mined):
                self.mined.add(place)
        self.laid = True

    def spared(self, first: Place) -> list[Place]:
        """Return what the first click is spared; its neighbours too where the mines fit so."""
        around = [first, *self.near(first)]
        if self.report_game or self.rule is Rule.NONE:
            return []
        fits = self.mines <= len(self.places) - len(around)
        return around if self.rule is Rule.ZERO and fits else [first]

    def open(self, place: Place | None) -> int:
        """Open a cell; None opens nothing. Returns what `Boards.open` does."""
        if place is None or self.status != PLAYING_CODE or place in self.open_places:
            return 0
        if not self.laid:
            self.lay(self.spared(place))
        if place in self.mined:
            self.status = LOST_CODE
            return HIT
        return self.reveal(place)

    def reveal(self, first: Place) -> int:
        before, waiting = len(self.open_places), [first]
        while waiting:
            place = waiting.pop()
            if place in self.open_places:
                continue
            self.open_places.add(place)
            if self.number(place) == 0:
                beside = self.near(place)
                waiting += [one for one in beside if not self.report_game or self.is_zero(one)]
        if self.left == 0:
            self.status = WON_CODE
        return len(self.open_places) - before

    def is_zero(self, place: Place) -> bool:
        return place not in self.mined and self.number(place) == 0

    def survive(self) -> None:
        """Open the safe cell of the largest draw, 1 more beside an open cell."""
        marks = {
            place: self.uniform() + any(other in self.open_places for other in self.near(place))
            for place in self.places
            if place not in self.mined and place not in self.open_places
        }
        self.status = PLAYING_CODE
        self.reveal(max(marks, key=marks.__getitem__))

    @property
    def left(self) -> int:
        return len(self.places) - self.mines - len(self.open_places)

    def tile(self, place: Place) -> int:
        return self.number(place) if place in self.open_places else -1
