"""The looks a reader has named: found again by their coarse pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration import tiles as tile_pictures
from calibration.rules import UNREAD

SAME_LOOK = 8.0
"""Two tiles whose coarse pictures differ by no more colour steps than this look the same.

On 69 labelled screenshots of five programs, each at three scales, no two tiles of different
meaning fell together; a program draws the same tile within 2 steps.
"""

MOST_COPIES = 20_000
"""Pictures remembered byte by byte; with more, something on the board never rests."""


class Memory:
    """Names of looks, each kept as one coarse picture."""

    def __init__(self) -> None:
        self._rows = np.zeros((0, tile_pictures.COARSE**2 * 3), dtype=np.float32)
        self._names = np.zeros(0, dtype=np.int8)
        self._certainty = np.zeros(0)
        self._copies: dict[bytes, int] = {}

    @property
    def empty(self) -> bool:
        """Whether nothing is remembered."""
        return not len(self._names)

    def find(self, coarse: NDArray[np.float32]) -> NDArray[np.intp]:
        """Return the known look of each coarse picture ``(n, m)``, -1 where none is the same.

        A copy of a picture met before costs one look-up; of 480 tiles nearly all are.
        """
        exact = coarse.astype(np.uint8)
        look = np.empty(len(coarse), dtype=np.intp)
        for index, row in enumerate(exact):
            key = row.tobytes()
            known = self._copies.get(key)
            if known is None:
                known = self._search(coarse[index])
                if known >= 0 and len(self._copies) < MOST_COPIES:
                    self._copies[key] = known
            look[index] = known
        return look

    def names(self, look: NDArray[np.intp]) -> NDArray[np.int8]:
        """Return the names of looks, `UNREAD` for -1."""
        return np.append(self._names, np.int8(UNREAD))[look]

    def certainty(self, look: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return how certain the names of looks are, 0 for -1."""
        return np.append(self._certainty, 0.0)[look]

    def add(
        self,
        coarse: NDArray[np.float32],
        names: NDArray[np.int8],
        certainty: NDArray[np.float64],
    ) -> None:
        """Remember named pictures that look like none known."""
        fresh = np.flatnonzero(self.find(coarse) < 0)
        if fresh.size:
            _, leaders = tile_pictures.gather(coarse[fresh], SAME_LOOK)
            chosen = fresh[leaders]
            self._rows = np.vstack([self._rows, coarse[chosen]])
            self._names = np.concatenate([self._names, names[chosen]])
            self._certainty = np.concatenate([self._certainty, certainty[chosen]])

    def _search(self, row: NDArray[np.float32]) -> int:
        if not len(self._rows):
            return -1
        off = np.abs(self._rows - row).max(axis=1)
        best = int(off.argmin())
        return best if off[best] <= SAME_LOOK else -1
