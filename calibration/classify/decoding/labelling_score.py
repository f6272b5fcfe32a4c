"""The score of a labelling: what witnesses, backgrounds and rules say of it together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.classify.clusters import Clusters, Ints
from calibration.classify.decoding.board_chance import contradictory, log_chance
from calibration.classify.decoding.looks import Looks
from calibration.classify.features import Floats
from calibration.labels import (
    DIGITS,
    EXPLODED,
    FLAG,
    HIDDEN,
    LABELS,
    MINE,
    OTHER,
    QUESTION,
    WRONG_FLAG,
    ZERO,
    are_digits,
)
from calibration.likeness import steps_between

SURPLUS = 2.0
"""Cost of each further look that is hidden, or open, unless the board is a chessboard."""

SPLIT = 5.0
"""Cost of a drawing that is a flag on some tiles and a mine that exploded on others, or a mine and
a wrong flag."""

FAINT_FLAG = 4.0
"""Cost of plain flags that have nearly the colour of hidden tiles."""

SAME_MARK = 40.0
"""Colour steps up to which plain marks have one colour."""

LEAST_CHESS = 4
"""Tiles of a background that are all on one colour of a chessboard, but not by chance."""

OTHER_FLAG, OTHER_MINE = 3.0, 2.0
"""Cost of each further drawing, or plain colour, of a flag or a mine: all of a board look alike."""

DIGITS_ON_HIDDEN = 4.0
"""Cost of plain hidden tiles on whose ground digits stand, if others look different: they are
open."""

PALE_MARK, PALER = 2.0, 60.0
"""Cost of plain flags that are paler than all plain hidden tiles, by so many steps between the
channels: the colourful ones are the marks."""

RARER = np.array([0.0, 0.0, -0.3, -0.8, -1.5, -2.2, -3.0, -3.5], np.float32)
"""How much rarer each higher number is, in logarithms, more faintly than in real games."""

SEVERAL_ZEROS = 3
"""Written zeros from which a program writes them: a button over a corner may look like one."""

ON_HIDDEN, ON_OPEN, ON_OTHER, ON_MARK = 0, 1, 2, 3
"""The rows of `ON_BACKGROUND`."""


def _on_background() -> Floats:
    """Return what a background, hidden, open, any other or a plain mark, says of a glyph."""
    table = np.zeros((4, len(LABELS)), dtype=np.float32)
    table[ON_HIDDEN, DIGITS] = -4.0
    table[ON_MARK, DIGITS] = -12.0
    table[ON_HIDDEN, [FLAG, QUESTION]] = 2.0
    table[ON_HIDDEN, ZERO] = -2.0
    table[ON_HIDDEN, EXPLODED] = -1.0
    table[ON_OPEN, DIGITS] = 1.0
    table[ON_OPEN, [FLAG, QUESTION]] = -3.5
    table[ON_OPEN, HIDDEN] = -2.0
    table[[ON_OTHER, ON_MARK], FLAG] = -0.5
    table[[ON_OTHER, ON_MARK], EXPLODED] = 0.5
    return table


ON_BACKGROUND = _on_background()
"""Log-likelihoods of a glyph's label, one row for each kind of background."""


KIND_OF_GROUND = np.full(len(LABELS) + 1, ON_OTHER)
"""The row of `ON_BACKGROUND` by the label of a glyph's background; the last one: it has none."""
KIND_OF_GROUND[[HIDDEN, ZERO]] = ON_HIDDEN, ON_OPEN
KIND_OF_GROUND[[FLAG, MINE, EXPLODED, OTHER]] = ON_MARK


class LabellingScore:
    """Scores labellings of the looks of one board, given as columns ``(m, looks)``.

    Products of sets are products of truth values here: numpy gives products of floats to BLAS,
    which on some processors warns of an invalid value where there is none.
    """

    def __init__(
        self, clusters: Clusters, looks: Looks, testimony: Floats, *, at_rest: bool
    ) -> None:
        self._looks, self._at_rest = looks, at_rest
        self.own = looks.mean(testimony, clusters.sizes)
        self._look_of_tile = looks.of_cluster[clusters.of_tile]
        self.own[:, DIGITS] += RARER
        self._written = clusters.zero_written[clusters.of_tile]
        self._on_ground = ON_BACKGROUND.copy()
        if self._written.sum() >= SEVERAL_ZEROS:
            # No open tile is empty then, and it may look like a hidden one.
            self._on_ground[ON_HIDDEN, ZERO : DIGITS.stop] = 0.0
        self._glyphs, self._grounds = np.flatnonzero(~looks.empty), np.flatnonzero(looks.empty)
        self._is_ground = looks.background[self._glyphs][:, None] == np.arange(len(looks.empty))
        self._sides = self._chessboard_sides()
        off = steps_between(looks.colour, looks.colour)
        both = looks.empty[:, None] & looks.empty[None]
        self._off = np.where(both, off, np.inf)
        kind = np.where(looks.empty, (self._off <= SAME_MARK).argmax(axis=1), looks.drawing)
        self._is_kind = kind[:, None] == np.unique(kind)

    def __call__(self, several: Ints) -> NDArray[np.float64]:
        """Return the score of each labelling, ``(m,)``."""
        total = self.own[np.arange(several.shape[1]), several].sum(axis=1).astype(np.float64)
        glyphs = several[:, self._glyphs]
        total += self._on_ground[self._behind(several), glyphs].sum(axis=1)
        grounds, others = self.hidden_with_digits(several)
        total -= DIGITS_ON_HIDDEN * (grounds.any(axis=1) & others)
        total -= PALE_MARK * self._pale_flags(several)
        for column in (HIDDEN, ZERO):
            spare = (several == column).sum(axis=1) - 1
            chess = self.on_chessboard(several == column)
            total -= SURPLUS * np.maximum(spare - chess.any(axis=1), 0)
        for column, cost in ((FLAG, OTHER_FLAG), (MINE, OTHER_MINE)):
            kinds = ((several == column) @ self._is_kind).sum(axis=1)
            total -= cost * np.maximum(kinds - 1, 0)
        total -= FAINT_FLAG * self.faint_flags(several, SAME_MARK).any(axis=1)
        for pair in ((FLAG, EXPLODED), (MINE, WRONG_FLAG)):
            one, other = (
                ((several == label) & ~self._looks.empty) @ self._is_kind for label in pair
            )
            total -= SPLIT * (one & other).sum(axis=1)
        boards = LABELS[several][:, self._look_of_tile]
        return np.asarray(total + log_chance(boards, self._written, at_rest=self._at_rest))

    def contradictory(self, several: Ints) -> NDArray[np.bool_]:
        """Return whether the numbers of each labelling contradict each other, ``(m,)``."""
        boards = LABELS[several][:, self._look_of_tile]
        return np.array([contradictory(board) for board in boards], np.bool_)

    def at_most(self) -> Floats:
        """Return what witnesses and the best background say of each look, ``(looks, 16)``."""
        best = self.own.copy()
        best[self._glyphs] += self._on_ground.max(axis=0)[None]
        return best

    def with_best_glyphs(self, several: Ints) -> Ints:
        """Give each glyph the label that is best on its background, ``(m, looks)``."""
        changed = several.copy()
        own = self.own[self._glyphs][None] + self._on_ground[self._behind(several)]
        changed[:, self._glyphs] = own.argmax(axis=2)
        return changed

    def _carrying_digits(self, several: Ints) -> NDArray[np.bool_]:
        """Mark the plain looks on which digits stand, ``(m, looks)``."""
        return np.asarray(are_digits(several[:, self._glyphs]) @ self._is_ground)

    def hidden_with_digits(self, several: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Mark the plain hidden looks on whose ground digits stand, ``(m, looks)``.

        And whether other hidden tiles look different, ``(m,)``.
        """
        hidden = (several == HIDDEN) & (self._looks.sizes > 0)
        ground = hidden & self._carrying_digits(several)
        return ground, np.asarray((hidden & ~ground).any(axis=1))

    def _pale_flags(self, several: Ints) -> NDArray[np.bool_]:
        """Return whether all plain flags are paler than each plain hidden tile, ``(m,)``."""
        tints, grounds = (
            np.ptp(self._looks.colour[self._grounds], axis=1),
            several[:, self._grounds],
        )
        hidden, flags = grounds == HIDDEN, grounds == FLAG
        palest = np.where(hidden, tints, np.inf).min(axis=1, initial=np.inf)
        strongest = np.where(flags, tints, 0.0).max(axis=1, initial=0.0)
        return np.asarray(hidden.any(axis=1) & flags.any(axis=1) & (palest >= strongest + PALER))

    def faint_flags(self, several: Ints, most_off: float) -> NDArray[np.bool_]:
        """Mark plain flags at most so many colour steps away from hidden tiles, ``(m, looks)``."""
        near_hidden = (several == HIDDEN) @ (self._off <= most_off)
        return np.asarray((several == FLAG) & near_hidden)

    def _behind(self, several: Ints) -> Ints:
        """Return the kind of background of each glyph, ``(m, glyphs)``."""
        ground = self._looks.background[self._glyphs]
        label = np.where(ground >= 0, several[:, ground], -1)
        return np.asarray(KIND_OF_GROUND[label])

    def _chessboard_sides(self) -> Ints:
        """Return 1 or 2 for backgrounds that are all on one colour of a chessboard, else 0."""
        parity = np.indices(self._look_of_tile.shape).sum(axis=0) % 2
        on_odd = np.bincount(self._look_of_tile.ravel(), parity.ravel(), len(self._looks.empty))
        sizes, often = self._looks.sizes, self._looks.sizes >= LEAST_CHESS
        sides = np.where(on_odd == 0, 1, np.where(on_odd == sizes, 2, 0))
        return np.asarray(sides * (often & self._looks.empty), np.intp)

    def on_chessboard(self, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mark the two backgrounds, of those marked ``(m, looks)``, that make a chessboard."""
        one, other = marked & (self._sides == 1), marked & (self._sides == 2)
        both = one.any(axis=1) & other.any(axis=1)
        return np.asarray((one | other) & both[:, None])
