"""Joint decoding: the labels of all kinds that explain pictures and board best, and the margin.

The score of a labelling is the sum of the cues for each kind, of the evidence of a glyph's
background, and of the log-probability of the board under the rules. The search tries every
labelling of the frequent backgrounds, gives each glyph its best label there, and improves the best
of these labellings one kind at a time. The margin of a kind is how much worse the score becomes if
the kind means something else. Some kinds cannot be decided from one picture, however well a
labelling explains the board: they are doubted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf

import numpy as np
from numpy.typing import NDArray

from calibration.classify.clusters import Clusters, Ints, Mask
from calibration.classify.features import Floats
from calibration.classify.kinds import (
    BEVEL_SLACK,
    LEAST_BEVEL_SLACK,
    MOST_BACKGROUNDS,
    Kinds,
    find_kinds,
    reached,
)
from calibration.classify.scores import LabellingScore
from calibration.labels import COLUMN_OF, EXPLODED, FLAG, HIDDEN, LABELS, MINE, ZERO, are_digits
from calibration.rules import UNREAD, Tiles, impossible_numbers
from calibration.tiles import steps_between

MARGIN = 0.6
"""A label with less certainty is in doubt. On 234 pictures of pages the reader was not tuned for, a
third of the boards whose least certain tile was from 0.5 to 0.6 were right, above that nine in
ten."""


@dataclass(frozen=True, eq=False)
class Decoding:
    """The best labelling of the clusters.

    ``labels`` int8 ``(n,)``; ``certainty`` ``(n,)`` is the probability of each label, and
    ``chances`` ``(n, 16)`` the probabilities of all labels. ``doubted`` bool ``(n,)`` marks labels
    that must not be trusted. ``open_ground`` marks zeros that are open even if cells around them
    are not: plain tiles with the background of the digits, or tiles with a written 0.
    """

    labels: Tiles
    chances: NDArray[np.float64]
    score: float
    doubted: NDArray[np.bool_]
    open_ground: NDArray[np.bool_]

    @property
    def certainty(self) -> NDArray[np.float64]:
        """The probability of each label, ``(n,)``; 0 where it is not a tile."""
        chance = self.chances[np.arange(len(self.labels)), self._columns]
        return np.where(self.doubted | (self.labels == UNREAD), 0.0, chance)

    @property
    def rivals(self) -> Tiles:
        """The most likely other label of each cluster, int8 ``(n,)``."""
        others = self.chances.copy()
        others[np.arange(len(others)), self._columns] = -1
        return np.asarray(LABELS[others.argmax(axis=1)], np.int8)

    @property
    def _columns(self) -> list[int]:
        return [COLUMN_OF[int(label)] for label in self.labels]

    def impossible(self, of_tile: Ints) -> NDArray[np.bool_]:
        """Mark the tiles whose number cannot be right; ``of_tile`` has the cluster of each tile."""
        return impossible_numbers(self.labels[of_tile], self.open_ground[of_tile])

    def doubting(self, clusters: NDArray[np.bool_]) -> Decoding:
        """Return the decoding without certainty for the marked clusters."""
        return replace(self, doubted=self.doubted | clusters)

    def opening(self, clusters: NDArray[np.bool_]) -> Decoding:
        """Return the decoding with the marked clusters as zeros, open whatever is around."""
        taken = self.taking_for(0, clusters)
        return replace(taken, open_ground=self.open_ground | clusters)

    def joining(self, rivals: Sequence[int], tile: int) -> Decoding:
        """Label clusters as ``tile`` if only which of these ``rivals`` they are is in doubt."""
        columns = [COLUMN_OF[label] for label in rivals]
        chance = self.chances[:, columns].sum(axis=1)
        joined = np.isin(self.labels, rivals) & (chance >= MARGIN)
        joined &= self.chances.max(axis=1) < MARGIN
        chances, labels = self.chances.copy(), np.where(joined, np.int8(tile), self.labels)
        chances[np.ix_(joined, columns)] = 0.0
        chances[joined, COLUMN_OF[tile]] = chance[joined]
        return replace(self, labels=labels, chances=chances)

    def taking_for(self, tile: int, clusters: NDArray[np.bool_]) -> Decoding:
        """Return the decoding with the marked clusters labelled as this tile, with certainty."""
        chances = self.chances.copy()
        chances[clusters], chances[clusters, COLUMN_OF[tile]] = 0.0, 1.0
        labels = np.where(clusters, np.int8(tile), self.labels)
        return replace(self, labels=labels, chances=chances, doubted=self.doubted & ~clusters)

    def taking_tiles(self, tiles: Tiles, of_tile: Ints) -> Decoding:
        """Return the decoding with each cluster labelled as in ``tiles`` ``(rows, cols)``.

        `UNREAD` changes nothing, nor do different tiles of one cluster. ``of_tile`` has the cluster
        of each tile.
        """
        decoding = self
        for cluster in np.unique(of_tile[tiles != UNREAD]):
            said = np.unique(tiles[of_tile == cluster])
            if len(said) == 1:
                decoding = decoding.taking_for(int(said[0]), np.arange(len(self.labels)) == cluster)
        return decoding


KNOWN = 10.0
"""How much likelier a background is hidden than open if a theme or the fresh board shows it."""

CLEARLY_OPEN = 4.0
"""How much likelier a background is open than hidden if it was not on the fresh board."""

SHADES = 24.0
"""Two hidden backgrounds with at most this difference, in colour steps, may be shades of one."""

GRADIENT_STEP = 16.0
"""Largest difference between neighbouring shades of a gradient on hidden tiles, in colour steps."""

PLAIN_MINE = 2.0
"""How much likelier a plain tile is open than a mine if its colour does not mean danger."""

MOST_OTHERS = 4
"""How many tiles of a fresh board may have another colour: pointers lie on them."""


def unclear_kinds(best: Ints, kinds: Kinds, score: LabellingScore) -> Mask:
    """Mark the kinds that cannot be decided from one picture, ``(kinds,)``.

    Among many colours, the one of a symbol cannot be recognised. A second background labelled
    hidden may just as well be open or a symbol, because no rule excludes it. Backgrounds that a
    theme or the fresh board shows are clear. A board without numbers may have many colours, like a
    fresh rainbow, but not just two.
    """
    hidden = kinds.empty & (best == HIDDEN)
    spare = hidden & ~score.on_chessboard(hidden[None])[0]
    if spare.any() and not (hidden & ~spare).any():
        spare[np.where(spare, kinds.sizes, -1).argmax()] = False
    main = np.where(hidden & ~spare, kinds.sizes, -1).argmax()
    spare &= ~_in_gradient(hidden, int(main), kinds)
    spare |= _may_be_open(best, kinds, score)
    known = score.own[:, HIDDEN] - score.own[:, ZERO] > KNOWN
    begun = bool((LABELS[best] > 0).any()) or _two_colours(kinds, hidden & spare)
    unclear = kinds.varied | spare
    return np.asarray(
        (unclear & ~known & begun) | _changed(best, kinds, score) | _shaded(best, kinds, score)
    )


def _may_be_open(best: Ints, kinds: Kinds, score: LabellingScore) -> Mask:
    """Mark the hidden backgrounds that also have digits: zeros may look like them.

    If all hidden tiles look like this and there are zeros, none is marked: these zeros are written.
    """
    (found,), (others,) = score.hidden_with_digits(best[None])
    some = ((best == ZERO) & (kinds.sizes > 0)).any()
    return np.asarray(found & (others or not some))


def _in_gradient(hidden: Mask, main: int, kinds: Kinds) -> Mask:
    """Mark the hidden backgrounds that a chain of shades connects with the ``main`` one."""
    off = steps_between(kinds.colour, kinds.colour)
    near = ((off <= GRADIENT_STEP) | kinds.shaded) & hidden
    return reached(near, np.arange(len(hidden)) == main)


def _two_colours(kinds: Kinds, spare: Mask) -> bool:
    """Whether hidden tiles have one or two more colours, and many tiles have them."""
    spare = spare & ~kinds.varied
    colours, of_kind = np.unique(np.rint(kinds.colour[spare] / SHADES), axis=0, return_inverse=True)
    sizes = np.bincount(of_kind.ravel(), kinds.sizes[spare], len(colours))
    return len(sizes) in (1, 2) and int(sizes.max()) > MOST_OTHERS


def _changed(best: Ints, kinds: Kinds, score: LabellingScore) -> Mask:
    """Mark the hidden backgrounds that look unlike the fresh board.

    They may be open tiles around which more will open in a moment, unless the game is over and all
    of them look like this.
    """
    hidden = kinds.empty & (best == HIDDEN)
    changed = hidden & (score.own[:, ZERO] - score.own[:, HIDDEN] > CLEARLY_OPEN)
    as_before = hidden & ~changed & (kinds.sizes > 0)
    over = np.isin(best, (MINE, EXPLODED)).any() and not as_before.any()
    return np.zeros_like(changed) if over else changed


def _shaded(best: Ints, kinds: Kinds, score: LabellingScore) -> Mask:
    """Mark plain mines whose colour does not mean danger: the pointer may change a tile's shade."""
    mines = kinds.empty & np.isin(best, (MINE, EXPLODED))
    mines &= score.own[:, ZERO] - score.own[:, [MINE, EXPLODED]].max(axis=1) > PLAIN_MINE
    return np.asarray(mines)


MOST_KINDS = 80
"""A grid with more kinds is not a board: a picture has hundreds, boards of 69 pages up to 40.
Decoding 544 tiles of a photograph took 6 s."""

FEW_KINDS = 50
"""With more kinds than this, no finer kinds are tried: four decodings of fireworks over a won board
took 11 s, for each of 16 frames."""

LEAST_FREQUENT = 0.1
"""Least share of the tiles with a frequent drawing."""

MOST_LABELLINGS = 8
"""How many labellings of the backgrounds are improved, the best ones."""

BEAM = 60.0
"""How far a labelling of the backgrounds may be behind the best one and still be improved."""

MOST_BEHIND = 10.0
"""How far a label of a kind may be behind its best one and still be tried."""

MOST_COLUMNS = 15
"""How many labels are tried for one kind."""

LEAST_CARRIED = 2
"""A background is open if it has at least this many digits."""

MOST_SWEEPS = 3
"""How often the search goes through all kinds."""

TEMPERATURE = 1.5
"""Scores are divided by this before they become probabilities: the cues are not independent."""

Drawings = list[tuple[Ints, list[int]]]
"""Kinds that are changed at once, with the labels to try."""


def decode(clusters: Clusters, cue_sum: Floats, *, at_rest: bool = False) -> Decoding:
    """Label all clusters together. ``cue_sum`` ``(n, 16)`` is the sum of the cues.

    ``at_rest`` says that no mines are being shown one after another.
    """
    kinds = find_kinds(clusters, cue_sum, BEVEL_SLACK)
    if len(kinds.sizes) > MOST_KINDS:
        return _undecoded(len(cue_sum))
    best = _Search(clusters, kinds, cue_sum, at_rest=at_rest).run()
    if (best.labels == 0).any() or not best.impossible(clusters.of_tile).any():
        return best
    kinds = find_kinds(clusters, cue_sum, LEAST_BEVEL_SLACK)
    if len(kinds.sizes) > FEW_KINDS:
        return best
    finer = _Search(clusters, kinds, cue_sum, at_rest=at_rest).run()
    return finer if finer.score > best.score else best


def _undecoded(count: int) -> Decoding:
    """Return a decoding of so many clusters with all labels in doubt."""
    chances = np.full((count, len(LABELS)), 1 / len(LABELS))
    doubted = np.ones(count, np.bool_)
    return Decoding(np.full(count, UNREAD, np.int8), chances, -inf, doubted, ~doubted)


class _Search:
    """The search over the labellings ``(m, kinds)`` of one board; labels are columns."""

    def __init__(self, clusters: Clusters, kinds: Kinds, cue_sum: Floats, *, at_rest: bool) -> None:
        self._kinds, self._plain = kinds, clusters.plain
        self._written = clusters.zero_written
        self._score = LabellingScore(clusters, kinds, cue_sum, at_rest=at_rest)
        self._own = self._score.own
        best = self._score.at_most()
        self._behind = best.max(axis=1, keepdims=True) - best

    def run(self) -> Decoding:
        """Find the best labelling, and the best ones in which a kind means something else."""
        kept, scores = self._best(self._start(), MOST_LABELLINGS)
        drawings = self._drawings(self._choices())
        kept, scores = self._swept(kept, scores, drawings)
        best = kept[scores.argmax()]
        if self._score.contradictory(best[None]).any():
            others = self._other_grounds(best, kept)
            if len(others):
                return self._decoding(others, self._score(others), drawings)
        return self._decoding(kept, scores, drawings)

    def _other_grounds(self, best: Ints, kept: Ints) -> Ints:
        """Return labellings with the digits of ``best`` for which a layout of mines exists.

        If hidden and open tiles were exchanged, hardly any number has enough cells around it.
        """
        digits, of_best = (np.where(are_digits(one), one, -1) for one in (kept, best))
        same = (digits == of_best).all(axis=1) & ~self._score.contradictory(kept)
        return np.asarray(kept[same])

    def _swept(
        self, kept: Ints, scores: NDArray[np.float64], drawings: Drawings
    ) -> tuple[Ints, NDArray[np.float64]]:
        """Improve labellings one drawing after another until no change improves the best one."""
        for _ in range(MOST_SWEEPS):
            before = scores.max()
            for kinds, columns in drawings:
                kept, scores = self._improved(kept, kinds, columns)
            kept = np.concatenate([kept, self._exchanged(kept[scores.argmax()])])
            kept, scores = self._best(kept, MOST_LABELLINGS // 2)
            if scores.max() <= before + 1e-6:
                break
        return kept, scores

    def _best(self, several: Ints, most: int) -> tuple[Ints, NDArray[np.float64]]:
        """Return the best labellings, each once, and their scores."""
        several = several[np.sort(np.unique(several, axis=0, return_index=True)[1])]
        scores = self._score(several)
        order = np.argsort(-scores, kind="stable")[:most]
        order = order[scores[order] >= scores[order[0]] - BEAM]
        return several[order], scores[order]

    def _improved(
        self, kept: Ints, kinds: Ints, columns: list[int]
    ) -> tuple[Ints, NDArray[np.float64]]:
        """Give one or more kinds the best label in each labelling, or keep the present one."""
        changed = np.repeat(kept[:, None], len(columns) + 1, axis=1)
        changed[:, 1:, kinds] = np.array(columns)[None, :, None]
        scores = self._score(changed.reshape(-1, kept.shape[1])).reshape(len(kept), -1)
        # Among equally good labels, keep the present one.
        scores[:, 0] += 1e-6
        every, best = np.arange(len(kept)), scores.argmax(axis=1)
        return changed[every, best], scores[every, best]

    def _start(self) -> Ints:
        """Return the labellings to begin with: one for each choice of the backgrounds.

        Without a digit all backgrounds may be hidden, whatever colours a fresh board has.
        """
        kinds, own = self._kinds, self._own
        grounds = np.flatnonzero(kinds.empty)
        major = grounds[np.argsort(-kinds.sizes[grounds], kind="stable")][:MOST_BACKGROUNDS]
        tuples = list(product(*(self._hidden_or_open(int(kind)) for kind in major)))
        choices = np.array(tuples, dtype=np.intp).reshape(len(tuples), len(major))
        several = np.tile(own.argmax(axis=1), (len(choices), 1))
        several[:, major] = choices
        if not are_digits(several).any():
            fresh = several[:1].copy()
            fresh[:, grounds] = HIDDEN
            several = np.concatenate([several, fresh])
        start, fresh = self._score.with_best_glyphs(several), np.full_like(several[:1], HIDDEN)
        return np.concatenate([start, *self._with_frequent_drawings(start), fresh])

    def _with_frequent_drawings(self, several: Ints) -> Iterator[Ints]:
        """Yield labellings in which frequent drawings belong to all hidden, or all open, tiles.

        First each drawing alone, then all together.
        """
        kinds = self._kinds
        tiles = np.bincount(kinds.drawing, kinds.sizes * ~kinds.empty, len(kinds.sizes))
        frequent = np.flatnonzero(tiles >= LEAST_FREQUENT * kinds.sizes.sum())
        for drawings in [[one] for one in frequent] + [frequent] * (len(frequent) > 1):
            for column in (HIDDEN, ZERO):
                changed = several.copy()
                changed[:, np.isin(kinds.drawing, drawings) & ~kinds.empty] = column
                yield changed

    def _hidden_or_open(self, kind: int) -> tuple[int, ...]:
        """Return the labels to try for a frequent background: hidden and zero, if possible."""
        own = self._own[kind]
        possible = [one for one in (HIDDEN, ZERO) if own[one] >= own.max() - MOST_BEHIND]
        return tuple(possible) or (int(own.argmax()),)

    def _choices(self) -> list[tuple[int, list[int]]]:
        """Return the labels worth trying for each kind, doubtful kinds first.

        Glyphs come before backgrounds, so that they fit each background.
        """
        behind = self._behind
        choices = []
        for kind in np.lexsort((np.sort(behind, axis=1)[:, 1], self._kinds.empty)):
            order = np.argsort(behind[kind])[:MOST_COLUMNS]
            columns = [int(column) for column in order if behind[kind, column] <= MOST_BEHIND]
            if len(columns) > 1 and self._kinds.sizes[kind]:
                choices.append((int(kind), columns))
        return choices

    def _drawings(self, choices: list[tuple[int, list[int]]]) -> Drawings:
        """Return the kinds that are changed at once, with the labels to try.

        First single kinds, then all kinds with the same drawing together: they mean the same even
        if the cues favour different labels.
        """
        kinds = self._kinds
        singles = [(np.array([kind]), columns) for kind, columns in choices]
        together = []
        for drawing in np.unique(kinds.drawing[~kinds.empty]):
            copies = np.flatnonzero((kinds.drawing == drawing) & ~kinds.empty)
            if len(copies) > 1:
                behind = self._behind[copies].min(axis=0)
                together.append((copies, np.flatnonzero(behind <= MOST_BEHIND).tolist()))
        return singles + together

    def _decoding(self, kept: Ints, scores: NDArray[np.float64], drawings: Drawings) -> Decoding:
        """Turn the scores of the best labelling and of its rivals into probabilities."""
        top = int(scores.argmax())
        best, every = kept[top], np.arange(kept.shape[1])
        rivals = np.full(self._own.shape, -99.0)
        for one, score in zip(kept, scores, strict=True):
            rivals[every, one] = np.maximum(rivals[every, one], score - scores[top])
        for changing, columns in drawings:
            changed = np.tile(best, (len(columns), 1))
            changed[:, changing] = np.array(columns)[:, None]
            scored = self._score(np.concatenate([best[None], changed]))
            behind = scored[1:] - scored[0]
            for kind in changing:
                rivals[kind, columns] = np.maximum(rivals[kind, columns], behind)
        several = np.concatenate([best[None], self._exchanged(best)])
        plain = self._score(several)
        for one, behind in zip(several[1:], plain[1:] - plain[0], strict=True):
            kinds = np.flatnonzero(one != best)
            rivals[kinds, one[kinds]] = np.maximum(rivals[kinds, one[kinds]], behind)
        weight = np.exp(rivals / TEMPERATURE)
        chances = weight / weight.sum(axis=1, keepdims=True)
        of_cluster = self._kinds.of_cluster
        labels = LABELS[best][of_cluster]
        ground = self._plain & self._carries_digits(best)[of_cluster]
        return Decoding(
            labels,
            chances[of_cluster],
            float(scores[top]),
            unclear_kinds(best, self._kinds, self._score)[of_cluster],
            ground | (self._written & (labels == 0)),
        )

    def _exchanged(self, labelling: Ints) -> Ints:
        """Exchange each plain symbol with a hidden kind, ``(m, kinds)``.

        Both change together, because each change alone may make the labelling less likely.
        """
        symbols = self._kinds.empty & np.isin(labelling, (FLAG, MINE, EXPLODED))
        hidden = np.flatnonzero((labelling == HIDDEN) & (self._kinds.sizes > 0))
        found = [labelling[:0].reshape(0, len(labelling))]
        for symbol in np.flatnonzero(symbols & (self._kinds.sizes > 0)):
            changed = np.tile(labelling, (len(hidden), 1))
            changed[:, symbol] = HIDDEN
            changed[np.arange(len(hidden)), hidden] = labelling[symbol]
            found.append(changed)
        return np.concatenate(found)

    def _carries_digits(self, best: Ints) -> NDArray[np.bool_]:
        """Mark the open backgrounds that have digits; none if hidden ones have some, too."""
        kinds = self._kinds
        digits = are_digits(best) & (kinds.background >= 0)
        carried = np.bincount(kinds.background[digits], kinds.sizes[digits], len(best))
        ground = kinds.empty & (best == ZERO) & (carried > 0)
        on_hidden = carried[kinds.empty & (best == HIDDEN)].any()
        return np.asarray(ground & (carried[ground].sum() >= LEAST_CARRIED and not on_hidden))
