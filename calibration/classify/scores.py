"""The score of a labelling: the sum of cues, backgrounds and rules.

The rules' part is how likely a board is under the rules and habits of the game, whatever its tiles
look like (`log_chance`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.classify.clusters import Clusters, Ints
from calibration.classify.features import Floats
from calibration.classify.kinds import Kinds
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
from calibration.rules import UNREAD, Mask, Tiles, beside
from calibration.tiles import steps_between
from solver.analysis import certain_cells
from solver.board import Tile

BROKEN = 4.0
"""Cost of a number that cannot be right."""

MOST_COST = 60.0
"""Largest cost of all broken numbers of a board together."""


SURE_FLAG, SURE_FLAGS = 1.0, 3.0
"""Gain for a flag on a tile that a number shows to be a mine, and largest gain of all of them."""

OPEN_AREAS = 6.0
"""Largest gain for zeros whose neighbours are all open: few would be so by chance."""

LEAST_MINES = 0.08
"""On nearly all boards at least this share of the cells can be mines."""

SPARSE = 8.0
"""Cost of a labelling with fewer: it probably confuses open and hidden tiles."""

LEAST_LACKING, LEAST_ELSEWHERE = 4, 2
"""Numbers with fewer marks and mines around them than they say, from which not all mines are shown:
the game goes on, or the program shows no mine but the one that exploded. So many of them are not
around one hidden cell: something may lie over a single mine."""

SHOWN_IN_PLAY, MOST_SHOWN_IN_PLAY = 3.0, 12.0
"""Cost of each further mine or wrong flag that is shown then, and most that all of them cost. Of
164 lost boards of 75 pages and programs 149 showed all mines, 15 just one, and none some of
them."""

MOST_MARKED = 6.0
"""Largest cost of marks if nothing is open: flags may be set before the first click."""

OVER_SIDES = 7.0
"""Cost if corners of open areas stay hidden, because the program opens cells only over sides."""

IN_PART = 12.0
"""Further cost if sides stay hidden, too, because an opening ends after some steps."""


def log_chance(
    boards: Tiles, written: Mask | None = None, *, at_rest: bool = False
) -> NDArray[np.float64]:
    """Return the log-chance ``(m,)`` of boards ``(m, rows, cols)``, up to a constant.

    ``written`` ``(rows, cols)`` marks tiles with a written 0: many of these programs open nothing
    around it. ``at_rest`` says that no mines are being shown one after another. An unread tile may
    be anything.
    """
    mine, exploded = boards == Tile.MINE, boards == Tile.EXPLODED
    flag, hidden, wrong = boards == Tile.FLAG, boards == Tile.HIDDEN, boards == Tile.WRONG_FLAG
    asked = boards == Tile.QUESTION
    shown, marks, rest = mine | exploded, flag | asked, asked | (boards == UNREAD)
    zeros, numbers = boards == 0, boards >= 0
    near_shown, near_flags, near_wrong, near_hidden, near_rest, near_numbers, near_asked = (
        _counts_around(shown, flag, wrong, hidden, rest, boards > 0, asked)
    )
    mined = near_shown + near_flags + near_wrong
    broken = boards > mined + near_hidden + near_rest
    broken |= numbers & (boards < near_shown)
    chance = -np.minimum(BROKEN * _count(broken), MOST_COST)
    bare = zeros if written is None else zeros & ~written
    chance -= np.minimum(BROKEN * _count(bare & beside(hidden)), IN_PART)
    chance -= np.minimum(BROKEN * _count(bare & (near_hidden > 0)), OVER_SIDES)
    lonely = (marks | wrong) & (near_numbers == 0) & (boards > 0).any(axis=(1, 2), keepdims=True)
    at_most = mined + near_rest + near_hidden * ~mine.any(axis=(1, 2))[:, None, None]
    too_many = numbers & (boards < near_shown + near_flags)
    missing = numbers & (boards > at_most)
    chance += np.minimum(0.2 * _count(zeros & (near_hidden == 0)), OPEN_AREAS)
    if at_rest:
        lacking = _lacks_mines(boards > mined + near_rest, hidden)
        shown_beside_one = np.maximum(_count(shown | wrong) - 1, 0)
        chance -= lacking * np.minimum(SHOWN_IN_PLAY * shown_beside_one, MOST_SHOWN_IN_PLAY)
    chance += np.where(
        (shown | wrong).any(axis=(1, 2)),
        _lost(mine, exploded, too_many, missing),
        _in_play(boards, near_flags + near_asked, near_hidden),
    )
    chance -= np.minimum(1.2 * _count(lonely), 16.0)
    (near_full,) = _counts_around((boards > 0) & (boards == mined + near_hidden + near_rest))
    in_play = hidden.any(axis=(1, 2)) & ~(mine | wrong).any(axis=(1, 2))
    sure = _count(flag & (near_full > 0)) - _count(lonely)
    chance += in_play * np.clip(SURE_FLAG * sure, 0, SURE_FLAGS)
    read = (boards > 0) | (zeros & ~bare)
    chance += _without_numbers(
        boards, marks, mine & ~exploded.any(axis=(1, 2))[:, None, None], read
    )
    most = _count(hidden | marks | shown | wrong | rest)
    chance -= SPARSE * (most < LEAST_MINES * boards[0].size)
    return np.asarray(chance, np.float64)


def lacks_mines(tiles: Tiles) -> bool:
    """Return whether numbers of a board ``(rows, cols)`` show that not all mines are marked."""
    hidden = tiles == Tile.HIDDEN
    (marked,) = _counts_around(((tiles < 0) & ~hidden)[None])
    return bool(_lacks_mines(tiles[None] > marked, hidden[None])[0])


def _lacks_mines(lacking: Mask, hidden: Mask) -> NDArray[np.bool_]:
    """Return whether numbers that lack a mine, near two hidden cells, show unmarked mines."""
    (near,) = _counts_around(lacking)
    at_one = np.where(hidden, near, 0).max(axis=(1, 2), initial=0)
    count = _count(lacking)
    return np.asarray((count >= LEAST_LACKING) & (count - at_one >= LEAST_ELSEWHERE))


def contradictory(tiles: Tiles) -> bool:
    """Return whether the numbers of a board ``(rows, cols)`` contradict each other.

    They do if no layout of mines fits them. Flags, even crossed-out ones, may be wrong; an unread
    tile may be anything.
    """
    return certain_cells(np.where(tiles == Tile.WRONG_FLAG, np.int8(Tile.HIDDEN), tiles)) is None


def _counts_around(*masks: Mask) -> list[NDArray[np.int8]]:
    """Count the marked cells around each cell, for masks ``(m, rows, cols)``.

    All masks are counted at once, each in four bits of an integer.
    """
    count, rows, cols = masks[0].shape
    packed = np.zeros((count, rows + 2, cols + 2), dtype=np.int32)
    inside = packed[:, 1:-1, 1:-1]
    for mask in reversed(masks):
        inside <<= 4
        inside |= mask
    lines = packed[:, :, :-2] + packed[:, :, 1:-1]
    lines += packed[:, :, 2:]
    total = lines[:, :-2] + lines[:, 1:-1]
    total += lines[:, 2:]
    total -= inside
    return [(total >> 4 * index & 15).astype(np.int8) for index in range(len(masks))]


def _count(masks: Mask) -> NDArray[np.float64]:
    return np.asarray(masks.sum(axis=(1, 2)), np.float64)


def _lost(mine: Mask, exploded: Mask, too_many: Mask, missing: Mask) -> NDArray[np.float64]:
    """Rate a lost game: it shows its mines, and each number has as many around it as it says.

    A program may show them one after another, so that some are ``missing``. One mine exploded; some
    programs show no other, some show it like the others.
    """
    cost = np.minimum(0.8 * _count(too_many), 10.0) + np.minimum(0.2 * _count(missing), 3.0)
    chance = np.asarray(-cost, np.float64)
    blasts = _count(exploded)
    chance -= np.minimum(1.5 * np.maximum(blasts - 1, 0), 8.0)
    chance -= np.where(blasts == 0, 1.5, 0.0)
    chance -= np.where((blasts == 0) & ~mine.any(axis=(1, 2)), 4.0, 0.0)
    return np.asarray(chance - 0.5)


def _in_play(
    boards: Tiles, near_marks: NDArray[np.int8], near_hidden: NDArray[np.int8]
) -> NDArray[np.float64]:
    """Rate a game in play: no number has more marks around it than it says, few are complete.

    A question mark counts like a flag, so that a wrong flag is not read as a question mark. If
    nothing is hidden, the game is won, and no flag is wrong.
    """
    too_many = (boards >= 0) & (near_marks > boards)
    finished = (boards > 0) & (near_marks >= boards) & (near_hidden > 0)
    cost = np.minimum(1.5 * _count(too_many), 12.0) + np.minimum(0.25 * _count(finished), 5.0)
    covered = ((boards == Tile.HIDDEN) | (boards == UNREAD)).any(axis=(1, 2))
    cost += ~covered * np.minimum(BROKEN * _count(too_many), MOST_COST)
    return np.asarray(-cost)


def _without_numbers(
    boards: Tiles, marks: Mask, unprovoked: Mask, read: Mask
) -> NDArray[np.float64]:
    """Rate a board without numbers: nothing is open, and players usually mark none of its tiles.

    It shows mines only if one of them exploded; ``unprovoked`` marks them if none did. ``read``
    marks the numbers, and the zeros that are written.
    """
    none = ~read.any(axis=(1, 2))
    opened = (boards == 0).any(axis=(1, 2))
    cost = -25.0 * opened - np.minimum(3.0 * _count(marks), MOST_MARKED)
    cost -= np.minimum(2.0 * _count(unprovoked), 20.0)
    return np.asarray(np.where(none, cost, 0.0))


SURPLUS = 2.0
"""Cost of each further kind that is hidden, or open, unless the board is a chessboard."""

SPLIT = 5.0
"""Cost of a drawing that is a flag on some tiles and a mine that exploded on others, or a mine and
a wrong flag."""

FAINT_FLAG = 4.0
"""Cost of plain flags that have nearly the colour of hidden tiles."""

SAME_SYMBOL = 40.0
"""Colour steps up to which plain symbols have one colour."""

LEAST_CHESS = 4
"""Tiles of a background that are all on one colour of a chessboard, but not by chance."""

OTHER_FLAG, OTHER_MINE = 3.0, 2.0
"""Cost of each further drawing, or plain colour, of a flag or a mine: all of a board look alike."""

DIGITS_ON_HIDDEN = 4.0
"""Cost of plain hidden tiles on whose ground digits stand, if others look different: they are
open."""

PALE_SYMBOL, PALER = 2.0, 60.0
"""Cost of plain flags that are paler than all plain hidden tiles, by so many steps between the
channels: the colourful ones are the symbols."""

RARER = np.array([0.0, 0.0, -0.3, -0.8, -1.5, -2.2, -3.0, -3.5], np.float32)
"""How much rarer each higher number is, in logarithms, more faintly than in real games."""

SEVERAL_ZEROS = 3
"""Written zeros from which a program writes them: a button over a corner may look like one."""

ON_HIDDEN, ON_OPEN, ON_OTHER, ON_SYMBOL = 0, 1, 2, 3
"""The rows of `ON_BACKGROUND`."""


def _on_background() -> Floats:
    """Return what a background, hidden, open, any other or a plain symbol, says of a glyph."""
    table = np.zeros((4, len(LABELS)), dtype=np.float32)
    table[ON_HIDDEN, DIGITS] = -4.0
    table[ON_SYMBOL, DIGITS] = -12.0
    table[ON_HIDDEN, [FLAG, QUESTION]] = 2.0
    table[ON_HIDDEN, ZERO] = -2.0
    table[ON_HIDDEN, EXPLODED] = -1.0
    table[ON_OPEN, DIGITS] = 1.0
    table[ON_OPEN, [FLAG, QUESTION]] = -3.5
    table[ON_OPEN, HIDDEN] = -2.0
    table[[ON_OTHER, ON_SYMBOL], FLAG] = -0.5
    table[[ON_OTHER, ON_SYMBOL], EXPLODED] = 0.5
    return table


ON_BACKGROUND = _on_background()
"""Log-likelihoods of a glyph's label, one row for each sort of background."""


GROUND_OF = np.full(len(LABELS) + 1, ON_OTHER)
"""The row of `ON_BACKGROUND` by the label of a glyph's background; the last one: it has none."""
GROUND_OF[[HIDDEN, ZERO]] = ON_HIDDEN, ON_OPEN
GROUND_OF[[FLAG, MINE, EXPLODED, OTHER]] = ON_SYMBOL


class LabellingScore:
    """Scores labellings of the kinds of one board, given as columns ``(m, kinds)``.

    Products of sets are products of truth values here: numpy gives products of floats to BLAS,
    which on some processors warns of an invalid value where there is none.
    """

    def __init__(self, clusters: Clusters, kinds: Kinds, cue_sum: Floats, *, at_rest: bool) -> None:
        self._kinds, self._at_rest = kinds, at_rest
        self.own = kinds.mean(cue_sum, clusters.sizes)
        self._kind_of_tile = kinds.of_cluster[clusters.of_tile]
        self.own[:, DIGITS] += RARER
        self._written = clusters.zero_written[clusters.of_tile]
        self._on_ground = ON_BACKGROUND.copy()
        if self._written.sum() >= SEVERAL_ZEROS:
            # No open tile is empty then, and it may look like a hidden one.
            self._on_ground[ON_HIDDEN, ZERO : DIGITS.stop] = 0.0
        self._glyphs, self._grounds = np.flatnonzero(~kinds.empty), np.flatnonzero(kinds.empty)
        self._is_ground = kinds.background[self._glyphs][:, None] == np.arange(len(kinds.empty))
        self._sides = self._chessboard_sides()
        off = steps_between(kinds.colour, kinds.colour)
        both = kinds.empty[:, None] & kinds.empty[None]
        self._off = np.where(both, off, np.inf)
        drawing = np.where(kinds.empty, (self._off <= SAME_SYMBOL).argmax(axis=1), kinds.drawing)
        self._is_drawing = drawing[:, None] == np.unique(drawing)

    def __call__(self, several: Ints) -> NDArray[np.float64]:
        """Return the score of each labelling, ``(m,)``."""
        total = self.own[np.arange(several.shape[1]), several].sum(axis=1).astype(np.float64)
        glyphs = several[:, self._glyphs]
        total += self._on_ground[self._behind(several), glyphs].sum(axis=1)
        grounds, others = self.hidden_with_digits(several)
        total -= DIGITS_ON_HIDDEN * (grounds.any(axis=1) & others)
        total -= PALE_SYMBOL * self._pale_flags(several)
        for column in (HIDDEN, ZERO):
            spare = (several == column).sum(axis=1) - 1
            chess = self.on_chessboard(several == column)
            total -= SURPLUS * np.maximum(spare - chess.any(axis=1), 0)
        for column, cost in ((FLAG, OTHER_FLAG), (MINE, OTHER_MINE)):
            drawings = ((several == column) @ self._is_drawing).sum(axis=1)
            total -= cost * np.maximum(drawings - 1, 0)
        total -= FAINT_FLAG * self.faint_flags(several, SAME_SYMBOL).any(axis=1)
        for pair in ((FLAG, EXPLODED), (MINE, WRONG_FLAG)):
            one, other = (
                ((several == label) & ~self._kinds.empty) @ self._is_drawing for label in pair
            )
            total -= SPLIT * (one & other).sum(axis=1)
        boards = LABELS[several][:, self._kind_of_tile]
        return np.asarray(total + log_chance(boards, self._written, at_rest=self._at_rest))

    def contradictory(self, several: Ints) -> NDArray[np.bool_]:
        """Return whether the numbers of each labelling contradict each other, ``(m,)``."""
        boards = LABELS[several][:, self._kind_of_tile]
        return np.array([contradictory(board) for board in boards], np.bool_)

    def at_most(self) -> Floats:
        """Return what cues and the best background say of each kind, ``(kinds, 16)``."""
        best = self.own.copy()
        best[self._glyphs] += self._on_ground.max(axis=0)[None]
        return best

    def with_best_glyphs(self, several: Ints) -> Ints:
        """Give each glyph the label that is best on its background, ``(m, kinds)``."""
        changed = several.copy()
        own = self.own[self._glyphs][None] + self._on_ground[self._behind(several)]
        changed[:, self._glyphs] = own.argmax(axis=2)
        return changed

    def _carrying_digits(self, several: Ints) -> NDArray[np.bool_]:
        """Mark the plain kinds on which digits stand, ``(m, kinds)``."""
        return np.asarray(are_digits(several[:, self._glyphs]) @ self._is_ground)

    def hidden_with_digits(self, several: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Mark the plain hidden kinds on whose ground digits stand, ``(m, kinds)``.

        And whether other hidden tiles look different, ``(m,)``.
        """
        hidden = (several == HIDDEN) & (self._kinds.sizes > 0)
        ground = hidden & self._carrying_digits(several)
        return ground, np.asarray((hidden & ~ground).any(axis=1))

    def _pale_flags(self, several: Ints) -> NDArray[np.bool_]:
        """Return whether all plain flags are paler than each plain hidden tile, ``(m,)``."""
        tints, grounds = (
            np.ptp(self._kinds.colour[self._grounds], axis=1),
            several[:, self._grounds],
        )
        hidden, flags = grounds == HIDDEN, grounds == FLAG
        palest = np.where(hidden, tints, np.inf).min(axis=1, initial=np.inf)
        strongest = np.where(flags, tints, 0.0).max(axis=1, initial=0.0)
        return np.asarray(hidden.any(axis=1) & flags.any(axis=1) & (palest >= strongest + PALER))

    def faint_flags(self, several: Ints, most_off: float) -> NDArray[np.bool_]:
        """Mark plain flags at most so many colour steps away from hidden tiles, ``(m, kinds)``."""
        near_hidden = (several == HIDDEN) @ (self._off <= most_off)
        return np.asarray((several == FLAG) & near_hidden)

    def _behind(self, several: Ints) -> Ints:
        """Return the sort of background of each glyph, ``(m, glyphs)``."""
        ground = self._kinds.background[self._glyphs]
        label = np.where(ground >= 0, several[:, ground], -1)
        return np.asarray(GROUND_OF[label])

    def _chessboard_sides(self) -> Ints:
        """Return 1 or 2 for backgrounds that are all on one colour of a chessboard, else 0."""
        parity = np.indices(self._kind_of_tile.shape).sum(axis=0) % 2
        on_odd = np.bincount(self._kind_of_tile.ravel(), parity.ravel(), len(self._kinds.empty))
        sizes, often = self._kinds.sizes, self._kinds.sizes >= LEAST_CHESS
        sides = np.where(on_odd == 0, 1, np.where(on_odd == sizes, 2, 0))
        return np.asarray(sides * (often & self._kinds.empty), np.intp)

    def on_chessboard(self, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mark the two backgrounds, of those marked ``(m, kinds)``, that make a chessboard."""
        one, other = marked & (self._sides == 1), marked & (self._sides == 2)
        both = one.any(axis=1) & other.any(axis=1)
        return np.asarray((one | other) & both[:, None])
