"""The score of a labelling: what witnesses, backgrounds and rules say of it together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.classify.clusters import Clusters, Ints
from calibration.classify.decoding.board_chance import contradictory, log_chance
from calibration.classify.decoding.labels import (
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
from calibration.classify.decoding.looks import ONE_SHAPE, SAME_INK, Looks, shapes_alike
from calibration.classify.features import Floats
from calibration.tiles import gather

SURPLUS = 2.0
"""Cost of each further look that is hidden, or open, unless the board is a chessboard."""

FAR_SURPLUS, FAR_COLOUR = 2.0, 60.0
"""What it costs more if its colour is more steps away from that of the most frequent such look."""

SPLIT = 5.0
"""Cost of a drawing that is a digit on some tiles and something else on others, or a flag on some
and a mine that exploded on others."""

OTHER_INK = 3.0
"""Cost of each further ink of a digit: hardly any board draws one in several colours."""

OTHER_PAPER = 6.0
"""Cost of a colour on which one digit stands alone that stands on another, too: it is a mark."""

SAME_MARK = 40.0
"""Colour steps up to which plain marks have one colour."""

LEAST_CHESS = 4
"""Tiles of a background that are all on one colour of a chessboard, but not by chance."""

OTHER_FLAG, OTHER_MINE = 3.0, 2.0
"""Cost of each further drawing, or plain colour, of a flag or a mine: all of a board look alike."""

DIGITS_ON_HIDDEN = 4.0
"""Cost of plain hidden tiles on whose ground digits stand, if others look otherwise: they are
open."""

DRAWN_ON_OPEN = 6.0
"""Cost of hidden tiles that are a drawing on the open background beside others that are even."""

OTHER_DRAWN, FEW_DRAWN = 4.0, 4
"""Cost of hidden tiles that are a drawing beside others that are even, if there are more of them
than so many."""

PALE_MARK, PALER = 2.0, 60.0
"""Cost of plain flags that are paler than all plain hidden tiles, by so many steps between the
channels: the colourful ones are the marks."""

WHOLE_LINES = 15.0
"""Cost of a digit on all tiles of some rows, or columns, and on no others: tiles look so where
scaling puts a line into them."""

OFTEN = 0.6
"""How much each e-fold of its frequency makes it likelier that a look is a tile of the game."""

RARER = np.array([0.0, 0.0, -0.3, -0.8, -1.5, -2.2, -3.0, -3.5], np.float32)
"""How much rarer each higher number is, in logarithms, more faintly than in real games."""

UNCARRIED, MANY_TILES = 10.0, 10
"""Cost of so many open tiles of a colour far from those on which the digits stand: they are hidden,
though a program that opens over sides only leaves some of them beside its zeros."""

CONTRADICTION = 8.0
"""Cost of numbers that contradict each other. It is not more, because on some pages a square holds
two mines, and clear digits must not be read as others there."""

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
        self, clusters: Clusters, looks: Looks, evidence: Floats, *, at_rest: bool
    ) -> None:
        self._looks, self._at_rest = looks, at_rest
        self.own = looks.mean(evidence, clusters.sizes)
        self.own[:, :OTHER] += OFTEN * np.log(np.maximum(looks.sizes, 1))[:, None]
        self.own[:, DIGITS] += RARER
        self._look_of_tile = looks.of_cluster[clusters.of_tile]
        self._written = clusters.zero_written[clusters.of_tile]
        self.own[self._fills_lines(), DIGITS] -= WHOLE_LINES
        self._on_ground = ON_BACKGROUND.copy()
        if self._written.sum() >= SEVERAL_ZEROS:
            # No open tile is empty then, and it may look like a hidden one.
            self._on_ground[ON_HIDDEN, ZERO : DIGITS.stop] = 0.0
        self._glyphs, self._grounds = np.flatnonzero(~looks.empty), np.flatnonzero(looks.empty)
        self._is_ground = looks.background[self._glyphs][:, None] == np.arange(len(looks.empty))
        self._sides = self._chessboard_sides()
        off = np.abs(looks.colour[:, None] - looks.colour[None]).max(axis=2)
        both = looks.empty[:, None] & looks.empty[None]
        self._far, self._off = (off > FAR_COLOUR) & both, np.where(both, off, np.inf)
        kind = np.where(looks.empty, (self._off <= SAME_MARK).argmax(axis=1), looks.drawing)
        self._is_kind = kind[:, None] == np.unique(kind)
        self._same_shape = self._shapes_alike(clusters)
        ink = looks.mean(clusters.features.ink_colour, clusters.sizes)
        self._is_ink, self._is_paper = (
            self._inks(ink, SAME_INK),
            self._inks(looks.colour, FAR_COLOUR),
        )

    def __call__(self, several: Ints) -> NDArray[np.float64]:
        """Return the score of each labelling, ``(m,)``."""
        total = self.own[np.arange(several.shape[1]), several].sum(axis=1).astype(np.float64)
        behind, glyphs = self._behind(several), several[:, self._glyphs]
        total += self._on_ground[behind, glyphs].sum(axis=1)
        grounds, others = self.hidden_with_digits(several)
        total -= DIGITS_ON_HIDDEN * (grounds.any(axis=1) & others)
        even = (several[:, self._grounds] == HIDDEN).any(axis=1)
        drawn = ((behind == ON_OPEN) & (glyphs == HIDDEN)).any(axis=1)
        total -= DRAWN_ON_OPEN * (even & drawn)
        apart = ((behind != ON_OPEN) & (glyphs == HIDDEN)) @ self._looks.sizes[self._glyphs]
        total -= OTHER_DRAWN * (even & (apart > FEW_DRAWN))
        total -= PALE_MARK * self._pale_flags(several)
        for column in (HIDDEN, ZERO):
            spare = (several == column).sum(axis=1) - 1
            chess = self.on_chessboard(several == column)
            spare = spare - chess.any(axis=1)
            total -= SURPLUS * np.maximum(spare, 0)
            total -= FAR_SURPLUS * self._far_from_first((several == column) & ~chess)
        total -= UNCARRIED * self._is_open_without_digits(several)
        total -= SPLIT * self._split_drawings(several)
        for column, cost in ((FLAG, OTHER_FLAG), (MINE, OTHER_MINE)):
            kinds = ((several == column) @ self._is_kind).sum(axis=1)
            total -= cost * np.maximum(kinds - 1, 0)
        digits = several == np.arange(DIGITS.start, DIGITS.stop)[:, None, None]
        inks, papers = digits @ self._is_ink, digits @ self._is_paper
        total -= OTHER_INK * (inks.sum(axis=(0, 2)) - inks.any(axis=2).sum(axis=0))
        lone = papers & (papers.sum(axis=0) == 1)
        spare = lone.sum(axis=2) - (lone.sum(axis=2) == papers.sum(axis=2))
        total -= OTHER_PAPER * np.maximum(spare, 0).sum(axis=0)
        boards = LABELS[several][:, self._look_of_tile]
        return np.asarray(total + log_chance(boards, self._written, at_rest=self._at_rest))

    def strictly(self, several: Ints) -> NDArray[np.float64]:
        """Return the score of each labelling, less where its numbers contradict each other."""
        return np.asarray(self(several) - CONTRADICTION * self.contradictory(several))

    def contradictory(self, several: Ints) -> NDArray[np.bool_]:
        """Tell whether the numbers of each labelling contradict each other, ``(m,)``."""
        boards = LABELS[several][:, self._look_of_tile]
        return np.array([contradictory(board) for board in boards], np.bool_)

    def at_most(self) -> Floats:
        """Return what witnesses and the best background say of each look, ``(looks, 16)``."""
        best = self.own.copy()
        best[self._glyphs] += self._on_ground.max(axis=0)[None]
        return best

    def with_best_glyphs(self, several: Ints, without: Sequence[int] = ()) -> Ints:
        """Give each glyph the label that is best on its background, ``(m, looks)``.

        It is none of the columns ``without``.
        """
        changed = several.copy()
        own = self.own[self._glyphs][None] + self._on_ground[self._behind(several)]
        own[:, :, list(without)] = -np.inf
        changed[:, self._glyphs] = own.argmax(axis=2)
        return changed

    def _shapes_alike(self, clusters: Clusters) -> NDArray[np.bool_]:
        """Tell which glyphs have nearly one shape, as copies have, ``(looks, looks)``."""
        largest = np.lexsort((-clusters.sizes, self._looks.of_cluster))
        _, firsts = np.unique(self._looks.of_cluster[largest], return_index=True)
        first = largest[firsts]
        alike = np.zeros((len(first), len(first)), np.bool_)
        for look in self._glyphs:
            alike[look] = shapes_alike(clusters.features, first, first[look]) >= ONE_SHAPE
        return alike

    def _inks(self, colours: Floats, same: float) -> NDArray[np.bool_]:
        """Tell which glyph is drawn in, or on, which of several colours, ``(looks, colours)``."""
        inks, leaders = gather(colours[self._glyphs], same)
        found = np.zeros((len(colours), max(1, len(leaders))), np.bool_)
        found[self._glyphs, inks] = True
        return found

    def _fills_lines(self) -> NDArray[np.bool_]:
        """Mark the looks whose tiles are whole rows, or whole columns, and no others."""
        tiles = self._look_of_tile
        fills = np.zeros(len(self._looks.empty), np.bool_)
        for look in np.flatnonzero(~self._looks.empty):
            here = tiles == look
            fills[look] = here.any() and any(
                (here.all(axis=k) | ~here.any(axis=k)).all() for k in (0, 1)
            )
        return fills

    def _far_from_first(self, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell if a marked background has another colour than the most frequent one, ``(m,)``."""
        marked = marked & self._looks.empty
        first = (marked * self._looks.sizes).argmax(axis=1)
        return np.asarray((marked & self._far[first]).any(axis=1))

    def _carrying_digits(self, several: Ints) -> NDArray[np.bool_]:
        """Mark the plain looks on which digits stand, ``(m, looks)``."""
        return np.asarray(are_digits(several[:, self._glyphs]) @ self._is_ground)

    def _is_open_without_digits(self, several: Ints) -> NDArray[np.bool_]:
        """Tell if many open tiles have a colour far from all on which digits stand, ``(m,)``."""
        looks = self._looks
        opened = (several == ZERO) & looks.empty
        carrying = opened & self._carrying_digits(several)
        without = opened & ~(carrying @ ~self._far) & (looks.sizes >= MANY_TILES)
        return np.asarray(carrying.any(axis=1) & without.any(axis=1))

    def hidden_with_digits(self, several: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Mark the plain hidden looks on whose ground digits stand, ``(m, looks)``.

        And tell if other hidden tiles look otherwise, ``(m,)``.
        """
        hidden = (several == HIDDEN) & (self._looks.sizes > 0)
        ground = hidden & self._carrying_digits(several)
        return ground, np.asarray((hidden & ~ground).any(axis=1))

    def _pale_flags(self, several: Ints) -> NDArray[np.bool_]:
        """Tell if all plain flags are paler than each plain hidden tile, ``(m,)``."""
        tints, grounds = (
            np.ptp(self._looks.colour[self._grounds], axis=1),
            several[:, self._grounds],
        )
        hidden, flags = grounds == HIDDEN, grounds == FLAG
        palest = np.where(hidden, tints, np.inf).min(axis=1, initial=np.inf)
        strongest = np.where(flags, tints, 0.0).max(axis=1, initial=0.0)
        return np.asarray(hidden.any(axis=1) & flags.any(axis=1) & (palest >= strongest + PALER))

    def _split_drawings(self, several: Ints) -> NDArray[np.int64]:
        """Count the drawings that are a digit here and something else there, ``(m,)``.

        Or a flag and a mine that exploded, or a mine and a wrong flag.
        """
        glyph = ~self._looks.empty
        digit = are_digits(several) & glyph
        other = ~digit & (several != OTHER) & glyph
        split = (digit & (other @ self._same_shape)) @ self._is_kind
        for one, another in ((FLAG, EXPLODED), (MINE, WRONG_FLAG)):
            kinds = (((several == label) & glyph) @ self._is_kind for label in (one, another))
            split |= np.logical_and(*kinds)
        return np.asarray(split.sum(axis=1))

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
