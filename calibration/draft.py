"""A board half named: the looks on it, what is known of them, and what is guessed so far."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibration import glyphs, looks
from calibration.letterings import SYMBOLS
from calibration.looks import Features, Floats
from calibration.rules import UNREAD, Tiles, count_around
from solver.board import Tile

Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]


KNOWN = 0.95
"""Certainty of a look that a theme describes or that was named before."""


@dataclass(eq=False)
class Draft:
    """The looks of one board while they are being named.

    ``pictures`` uint8 ``(n, SIDE, SIDE, 3)``, one a look; ``groups`` ``(rows, cols)`` says which
    look each tile has, ``counts`` ``(n,)`` how often; ``symmetry`` ``(n,)`` is the drawing's.
    ``names`` int8 ``(n,)`` starts `UNREAD` and ``certainty`` ``(n,)`` 0. ``grounds`` ``(n,)`` is
    the paper a drawing lies on, the paper itself for empty looks, -1 where none fits;
    ``fixed`` marks looks whose names are given and stay.
    """

    pictures: NDArray[np.uint8]
    groups: Ints
    counts: Ints
    features: Features
    symmetry: Floats
    grounds: Ints
    names: Tiles
    certainty: NDArray[np.float64]
    fixed: Mask

    @classmethod
    def start(cls, pictures: NDArray[np.uint8], groups: Ints) -> Draft:
        """Describe the looks; nothing is named yet."""
        features = looks.describe(pictures)
        count = len(pictures)
        return cls(
            pictures,
            groups,
            np.bincount(groups.ravel(), minlength=count),
            features,
            np.array([_symmetry(form) for form in features.outline], dtype=np.float32),
            np.full(count, -1, dtype=np.intp),
            np.full(count, UNREAD, dtype=np.int8),
            np.zeros(count),
            np.zeros(count, dtype=np.bool_),
        )

    @property
    def tiles(self) -> Tiles:
        """The board as named so far, int8 ``(rows, cols)``."""
        return self.names[self.groups]

    @cached_property
    def scores(self) -> Floats:
        """How much each look is like each symbol, ``(n, 9)``; those of fixed looks are certain.

        As `glyphs.match_digits` has it; -1 for empty looks.
        """
        scores = np.full((len(self.names), len(SYMBOLS)), -1, dtype=np.float32)
        digits = np.flatnonzero(self.fixed & (self.names > 0))
        scores[digits, self.names[digits] - 1] = 1.0
        fresh = ~self.features.empty & ~self.fixed
        if fresh.any():
            scores[fresh] = glyphs.match_digits(self.features.form[fresh])
        return scores

    @cached_property
    def shapes(self) -> Floats:
        """Each look's drawing at six by six, as themes describe it, ``(n, 6, 6)``."""
        return np.stack([looks.shape_of(form) for form in self.features.form])

    def name(self, looks_: Ints | Mask | int, tile: int, certainty: float) -> None:
        """Give looks a name."""
        self.names[looks_] = tile
        self.certainty[looks_] = certainty

    def settle(self, names: Tiles) -> None:
        """Fix the looks that are known already; `UNREAD` leaves one open."""
        known = names != UNREAD
        self.names[known] = names[known]
        self.certainty[known] = KNOWN
        self.fixed |= known

    def papers_named(self, tile: int) -> set[int]:
        """Return the papers whose empty looks have this name."""
        mine = self.features.empty & (self.names == tile) & (self.grounds >= 0)
        return set(self.grounds[mine].tolist())

    def room(self) -> Ints:
        """How many mines each look's tiles can have around them, the fewest of its tiles.

        Everything but an open tile of some certainty counts as a place for a mine.
        """
        closed = (self.names < 0) | (self.certainty < 0.4)
        places = count_around(closed[self.groups])
        fewest = np.full(len(self.names), 9, dtype=np.intp)
        np.minimum.at(fewest, self.groups.ravel(), places.ravel().astype(np.intp))
        return fewest

    def mines_seen(self) -> Ints:
        """How many shown mines each look's tiles have around them, the most of its tiles."""
        shown = np.isin(self.tiles, (Tile.MINE, Tile.EXPLODED))
        most = np.zeros(len(self.names), dtype=np.intp)
        np.maximum.at(most, self.groups.ravel(), count_around(shown).ravel().astype(np.intp))
        return most


def _symmetry(form: Floats) -> float:
    """Smallest correlation of a glyph with its mirror images and its transpose."""
    centred = form - form.mean()
    power = float((centred * centred).sum())
    if power == 0:
        return 0.0
    images = (centred[:, ::-1], centred[::-1], centred.T)
    return min(float((centred * image).sum()) for image in images) / power
