"""The labels a reader has given before, found again by the coarse picture of a tile."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration import tiles as tile_pictures
from calibration.rules import UNREAD
from calibration.tiles import SAME_APPEARANCE

MOST_COPIES = 20_000
"""Exact pictures kept for a quick look-up; if there are more, something keeps changing."""


class TileCache:
    """Labels of tiles. Each entry is one coarse picture with its label and certainty.

    It never changes: `adding` returns another one. Only what was found is noted.
    """

    def __init__(self) -> None:
        self._rows: NDArray[np.float32] | None = None
        self._labels = np.zeros(0, dtype=np.int8)
        self._certainty = np.zeros(0)
        self._entry_of_copy: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._labels)

    def find(self, coarse: NDArray[np.float32]) -> NDArray[np.intp]:
        """Return the entry of each coarse picture ``(n, m)``, -1 where none looks the same.

        An exact copy of an earlier picture costs one look-up; of 480 tiles nearly all are copies.
        """
        exact = coarse.astype(np.uint16)  # some colours count up to 2.5 times
        entries = np.empty(len(coarse), dtype=np.intp)
        for index, row in enumerate(exact):
            key = row.tobytes()
            known = self._entry_of_copy.get(key)
            if known is None:
                known = self._search(coarse[index])
                if known >= 0 and len(self._entry_of_copy) < MOST_COPIES:
                    self._entry_of_copy[key] = known
            entries[index] = known
        return entries

    def labels(self, entries: NDArray[np.intp]) -> NDArray[np.int8]:
        """Return the labels of entries, `UNREAD` for -1."""
        return np.append(self._labels, np.int8(UNREAD))[entries]

    def certainty(self, entries: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return how certain the labels of entries are, 0 for -1."""
        return np.append(self._certainty, 0.0)[entries]

    def adding(
        self,
        coarse: NDArray[np.float32],
        labels: NDArray[np.int8],
        certainty: NDArray[np.float64],
    ) -> TileCache:
        """Return the cache with the labelled pictures that look like no entry yet."""
        fresh = np.flatnonzero(self.find(coarse) < 0)
        if not fresh.size:
            return self
        _, leaders = tile_pictures.gather(coarse[fresh], SAME_APPEARANCE)
        chosen, more = fresh[leaders], TileCache()
        rows = coarse[chosen]
        more._rows = rows if self._rows is None else np.vstack([self._rows, rows])
        more._labels = np.concatenate([self._labels, labels[chosen]])
        more._certainty = np.concatenate([self._certainty, certainty[chosen]])
        more._entry_of_copy = dict(self._entry_of_copy)
        return more

    def _search(self, row: NDArray[np.float32]) -> int:
        """Return the nearest entry if it looks the same, else -1."""
        if self._rows is None:
            return -1
        off = np.abs(self._rows - row).max(axis=1)
        best = int(off.argmin())
        return best if off[best] <= SAME_APPEARANCE else -1
