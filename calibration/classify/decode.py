"""Joint decoding: the labels of all looks that explain pictures and board best, and the margin.

The score of a labelling is the sum of what the witnesses say of each look, of what a glyph's
background says of it, and of the log-chance of the board under the rules. The search tries every
labelling of the frequent backgrounds, gives each glyph its best label on it, and improves the
best of these labellings one look at a time. The margin of a look is what the score loses if the
look means something else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from calibration.classify.board_chance import log_chance
from calibration.classify.clusters import Clusters, Ints
from calibration.classify.features import Floats
from calibration.classify.labels import (
    DIGITS,
    EXPLODED,
    FLAG,
    HIDDEN,
    LABELS,
    OTHER,
    QUESTION,
    ZERO,
)
from calibration.classify.looks import BEVEL_SLACKS, MOST_BACKGROUNDS, Looks, find_looks
from calibration.rules import UNREAD, Tiles, impossible_numbers

MOST_LABELLINGS = 8
"""Labellings of the backgrounds that are improved, the best ones."""

FAR_BEHIND = 60.0
"""How far a labelling of the backgrounds may be behind the best one and still be improved."""

MOST_BEHIND = 10.0
"""How far a label of a look may be behind its best one and still be tried."""

TEMPERATURE = 1.5
"""Scores count this many times less in a probability: the witnesses are not independent."""

SURPLUS = 1.5
"""Cost of each further background with the same label, unless the board is a chessboard."""


@dataclass(frozen=True, eq=False)
class Decoding:
    """The best labelling of the clusters.

    ``labels`` int8 ``(n,)``; ``certainty`` ``(n,)`` is the probability of each label, and ``chances``
    ``(n, 16)`` that of all labels. ``doubted`` bool ``(n,)`` marks labels
    that must not be trusted.
    """

    labels: Tiles
    chances: NDArray[np.float64]
    score: float
    doubted: NDArray[np.bool_]

    @property
    def certainty(self) -> NDArray[np.float64]:
        """The probability of each label, ``(n,)``; 0 where the best one is no tile."""
        best = self.chances.max(axis=1)
        return np.where(self.doubted | (self.labels == UNREAD), 0.0, best)

    def doubting(self, clusters: NDArray[np.bool_]) -> Decoding:
        """Return the decoding with no certainty for the marked clusters."""
        return replace(self, doubted=self.doubted | clusters)


def decode(clusters: Clusters, evidence: Floats, mines: int | None = None) -> Decoding:
    """Label all clusters together. ``evidence`` ``(n, 16)`` is the sum of the witnesses."""
    drawn = evidence[:, ZERO + 1 : OTHER].argmax(axis=1)
    favourite = np.where(drawn < 8, drawn, 8)
    best: Decoding | None = None
    for slack in BEVEL_SLACKS:
        found = _Search(clusters, find_looks(clusters, favourite, slack), evidence, mines).run()
        if best is None or found.score > best.score:
            best = found
        if not impossible_numbers(best.labels[clusters.of_tile]).any():
            break
    assert best is not None
    return best


def _on_background() -> Floats:
    """Return what a background, hidden or open or of another kind, says of a glyph: ``(3, 16)``."""
    table = np.zeros((3, len(LABELS)), dtype=np.float32)
    table[0, DIGITS] = -4.0
    table[0, [FLAG, QUESTION]] = 1.0
    table[0, ZERO] = -2.0
    table[0, EXPLODED] = -1.0
    table[1, DIGITS] = 1.0
    table[1, [FLAG, QUESTION]] = -3.5
    table[1, HIDDEN] = -2.0
    table[2, FLAG] = -0.5
    table[2, EXPLODED] = 0.5
    return table


_ON_BACKGROUND = _on_background()


class _Search:
    """The search over the labellings ``(m, looks)`` of one board; labels are columns."""

    def __init__(
        self, clusters: Clusters, looks: Looks, evidence: Floats, mines: int | None
    ) -> None:
        self._clusters, self._looks, self._mines = clusters, looks, mines
        self._own = looks.mean(evidence, clusters.sizes)
        often = 0.4 * np.log(np.maximum(looks.sizes, 1))
        self._own[:, :OTHER] += often[:, None]
        self._look_of_tile = looks.of_cluster[clusters.of_tile]
        self._glyphs = np.flatnonzero(~looks.empty)
        self._grounds = np.flatnonzero(looks.empty)
        self._checkered = self._chessboard()

    def run(self) -> Decoding:
        """Find the best labelling, and the best ones in which a look means something else."""
        several = self._start()
        scores = self.scores(several)
        order = np.argsort(-scores, kind="stable")[:MOST_LABELLINGS]
        order = order[scores[order] >= scores[order[0]] - FAR_BEHIND]
        kept, scores = several[order], scores[order]
        choices = self._choices()
        for _ in range(3):
            before = scores.copy()
            for look, columns in choices:
                for column in columns:
                    changed = kept.copy()
                    changed[:, look] = column
                    new = self.scores(changed)
                    better = new > scores + 1e-9
                    kept[better], scores[better] = changed[better], new[better]
            if (scores <= before + 1e-9).all():
                break
        return self._decoding(kept, scores, choices)

    def scores(self, several: Ints) -> NDArray[np.float64]:
        """Return the score of each labelling."""
        looks = self._looks
        total = self._own[np.arange(several.shape[1]), several].sum(axis=1).astype(np.float64)
        if self._glyphs.size:
            total += self._said_by_background(several).sum(axis=1)
        for column in (HIDDEN, ZERO):
            same = (several[:, self._grounds] == column).sum(axis=1)
            spare = np.maximum(0, same - 1)
            if self._checkered:
                first, second = self._checkered
                both = (several[:, first] == column) & (several[:, second] == column)
                spare = spare - both
            total -= SURPLUS * spare
        boards = LABELS[several][:, self._look_of_tile]
        return np.asarray(total + log_chance(boards, self._mines))

    def _said_by_background(self, several: Ints) -> Floats:
        """Return what the backgrounds say of the glyphs' labels, ``(m, glyphs)``."""
        behind = self._looks.background[self._glyphs]
        kind = np.where(behind >= 0, several[:, behind], OTHER)
        kind = np.where(kind == HIDDEN, 0, np.where(kind == ZERO, 1, 2))
        return np.asarray(_ON_BACKGROUND[kind, several[:, self._glyphs]])

    def _start(self) -> Ints:
        """Return the labellings to begin with: one for each choice of the backgrounds."""
        looks, own = self._looks, self._own
        major = self._grounds[np.argsort(-looks.sizes[self._grounds], kind="stable")]
        major = major[:MOST_BACKGROUNDS]
        options = [self._hidden_or_open(int(look)) for look in major]
        tuples = list(product(*options))
        choices = np.array(tuples, dtype=np.intp).reshape(len(tuples), len(major))
        several = np.tile(own.argmax(axis=1), (len(choices), 1))
        several[:, major] = choices
        if self._glyphs.size:
            behind = looks.background[self._glyphs]
            kind = np.where(behind >= 0, several[:, behind], OTHER)
            kind = np.where(kind == HIDDEN, 0, np.where(kind == ZERO, 1, 2))
            several[:, self._glyphs] = (own[self._glyphs][None] + _ON_BACKGROUND[kind]).argmax(2)
        return several

    def _hidden_or_open(self, look: int) -> tuple[int, ...]:
        """Return the labels to try for a frequent background."""
        gap = self._own[look, HIDDEN] - self._own[look, ZERO]
        if abs(gap) > MOST_BEHIND:
            return (HIDDEN,) if gap > 0 else (ZERO,)
        return (HIDDEN, ZERO)

    def _choices(self) -> list[tuple[int, list[int]]]:
        """Return the labels worth trying for each look, those of the doubtful looks first."""
        reachable = self._own.copy()
        reachable[self._glyphs] += _ON_BACKGROUND.max(axis=0)[None]
        behind = reachable.max(axis=1, keepdims=True) - reachable
        choices = []
        for look in np.argsort(np.sort(behind, axis=1)[:, 1], kind="stable"):
            columns = [
                int(c) for c in np.argsort(behind[look])[:6] if behind[look, c] <= MOST_BEHIND
            ]
            if len(columns) > 1 and self._looks.sizes[look]:
                choices.append((int(look), columns))
        return choices

    def _decoding(
        self, kept: Ints, scores: NDArray[np.float64], choices: list[tuple[int, list[int]]]
    ) -> Decoding:
        """Turn the scores of the best labelling and of its rivals into probabilities."""
        top = int(scores.argmax())
        best = kept[top]
        rivals = np.full(self._own.shape, -np.inf)
        every = np.arange(len(best))
        rivals[every, self._own.argmax(axis=1)] = -99.0
        for labelling, score in zip(kept, scores, strict=True):
            rivals[every, labelling] = np.maximum(rivals[every, labelling], score - scores[top])
        for look, columns in choices:
            changed = np.tile(best, (len(columns), 1))
            changed[:, look] = columns
            behind = self.scores(changed) - scores[top]
            rivals[look, columns] = np.maximum(rivals[look, columns], behind)
        weight = np.exp(np.maximum(rivals, -99) / TEMPERATURE)
        chances = weight / weight.sum(axis=1, keepdims=True)
        of_cluster = self._looks.of_cluster
        return Decoding(
            LABELS[best][of_cluster],
            chances[of_cluster],
            float(scores[top]),
            np.zeros(len(of_cluster), dtype=np.bool_),
        )

    def _chessboard(self) -> tuple[int, int] | None:
        """Return the two backgrounds that alternate like a chessboard's, if any."""
        grounds = self._grounds[np.argsort(-self._looks.sizes[self._grounds], kind="stable")]
        parity = np.indices(self._look_of_tile.shape).sum(axis=0) % 2
        sides = {}
        for look in grounds[:4]:
            own = np.unique(parity[self._look_of_tile == look])
            if len(own) == 1:
                sides.setdefault(int(own[0]), []).append(int(look))
        if 0 in sides and 1 in sides:
            return sides[0][0], sides[1][0]
        return None
