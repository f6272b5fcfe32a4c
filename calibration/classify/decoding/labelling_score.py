"""The score of a labelling: what witnesses, backgrounds and rules say of it together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.classify.clusters import Clusters, Ints
from calibration.classify.decoding.board_chance import log_chance
from calibration.classify.decoding.labels import (
    DIGITS,
    EXPLODED,
    FLAG,
    HIDDEN,
    LABELS,
    OTHER,
    QUESTION,
    ZERO,
)
from calibration.classify.decoding.looks import Looks
from calibration.classify.features import Floats

SURPLUS = 2.0
"""Cost of each further look that is hidden, or open, unless the board is a chessboard."""

OTHER_FLAG = 3.0
"""Cost of each further drawing of a flag: all flags of a board look the same."""

DRAWN_ON_OPEN = 6.0
"""Cost of hidden tiles that are a drawing on the open background beside others that are even."""

OFTEN = 0.6
"""How much each e-fold of its frequency makes it likelier that a look is a tile of the game."""

RARER = np.array([0.0, 0.0, -0.3, -0.8, -1.5, -2.2, -3.0, -3.5], np.float32)
"""How much rarer each higher number is, in logarithms, more faintly than in real games."""

ON_HIDDEN, ON_OPEN, ON_OTHER = 0, 1, 2
"""The rows of `ON_BACKGROUND`."""


def _on_background() -> Floats:
    """Return what a background, hidden, open or any other, says of a glyph, ``(3, 16)``."""
    table = np.zeros((3, len(LABELS)), dtype=np.float32)
    table[ON_HIDDEN, DIGITS] = -4.0
    table[ON_HIDDEN, [FLAG, QUESTION]] = 2.0
    table[ON_HIDDEN, ZERO] = -2.0
    table[ON_HIDDEN, EXPLODED] = -1.0
    table[ON_OPEN, DIGITS] = 1.0
    table[ON_OPEN, [FLAG, QUESTION]] = -3.5
    table[ON_OPEN, HIDDEN] = -2.0
    table[ON_OTHER, FLAG] = -0.5
    table[ON_OTHER, EXPLODED] = 0.5
    return table


ON_BACKGROUND = _on_background()
"""Log-likelihoods of a glyph's label, one row for each kind of background."""


class LabellingScore:
    """Scores labellings of the looks of one board, given as columns ``(m, looks)``.

    ``chessboard`` names the two backgrounds that alternate like a chessboard's, if any.
    """

    def __init__(
        self, clusters: Clusters, looks: Looks, evidence: Floats, mines: int | None
    ) -> None:
        self._looks, self._mines = looks, mines
        self.own = looks.mean(evidence, clusters.sizes)
        self.own[:, :OTHER] += OFTEN * np.log(np.maximum(looks.sizes, 1))[:, None]
        self.own[:, DIGITS] += RARER
        self._look_of_tile = looks.of_cluster[clusters.of_tile]
        self._glyphs, self._grounds = np.flatnonzero(~looks.empty), np.flatnonzero(looks.empty)
        self.chessboard = self._find_chessboard()

    def __call__(self, several: Ints) -> NDArray[np.float64]:
        """Return the score of each labelling, ``(m,)``."""
        total = self.own[np.arange(several.shape[1]), several].sum(axis=1).astype(np.float64)
        behind, glyphs = self._behind(several), several[:, self._glyphs]
        total += ON_BACKGROUND[behind, glyphs].sum(axis=1)
        even = (several[:, self._grounds] == HIDDEN).any(axis=1)
        drawn = ((behind == ON_OPEN) & (glyphs == HIDDEN)).any(axis=1)
        total -= DRAWN_ON_OPEN * (even & drawn)
        for column in (HIDDEN, ZERO):
            spare = np.maximum(0, (several == column).sum(axis=1) - 1)
            if self.chessboard:
                spare = spare - (several[:, self.chessboard] == column).all(axis=1)
            total -= SURPLUS * np.maximum(spare, 0)
        flags = (glyphs == FLAG).sum(axis=1)
        total -= OTHER_FLAG * np.maximum(flags - 1, 0)
        return np.asarray(total + log_chance(LABELS[several][:, self._look_of_tile], self._mines))

    def at_most(self) -> Floats:
        """Return what witnesses and the best background say of each look, ``(looks, 16)``."""
        best = self.own.copy()
        best[self._glyphs] += ON_BACKGROUND.max(axis=0)[None]
        return best

    def with_best_glyphs(self, several: Ints, *, marked: bool = False) -> Ints:
        """Give each glyph the label that is best on its background, ``(m, looks)``.

        With ``marked`` it is one with a drawing: neither hidden nor an open tile without number.
        """
        changed = several.copy()
        own = self.own[self._glyphs][None] + ON_BACKGROUND[self._behind(several)]
        if marked:
            own[:, :, [HIDDEN, ZERO]] = -np.inf
        changed[:, self._glyphs] = own.argmax(axis=2)
        return changed

    def _behind(self, several: Ints) -> Ints:
        """Return the kind of background of each glyph, ``(m, glyphs)``."""
        ground = self._looks.background[self._glyphs]
        label = np.where(ground >= 0, several[:, ground], OTHER)
        return np.where(label == HIDDEN, ON_HIDDEN, np.where(label == ZERO, ON_OPEN, ON_OTHER))

    def _find_chessboard(self) -> list[int]:
        """Return the two backgrounds that alternate like a chessboard's, if any."""
        grounds = self._grounds[np.argsort(-self._looks.sizes[self._grounds], kind="stable")]
        parity = np.indices(self._look_of_tile.shape).sum(axis=0) % 2
        sides: dict[int, int] = {}
        for look in grounds[:4]:
            own = np.unique(parity[self._look_of_tile == look])
            if len(own) == 1:
                sides.setdefault(int(own[0]), int(look))
        return [sides[0], sides[1]] if len(sides) == 2 else []
