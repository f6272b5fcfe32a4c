"""The worlds of one guess shared among the processor's cores: the same result on any number.

The kernels let go of Python's lock, so threads are enough. Worlds are handed out in small chunks
whose results are put together in their order; which thread does which chunk changes nothing.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final

import numpy as np
from numpy.typing import NDArray

CHUNK: Final = 16
"""Worlds a chunk: 5 to 30 ms of work, so that Ctrl-C ends the thought at once."""

Chunk = Callable[[int, int], NDArray[np.float64]]
"""Tries so many worlds (second) from the one of that number (first); returns one row a world."""


class Workers:
    """Threads that try worlds, one for each core that this process may use."""

    def __init__(self, pool: ThreadPoolExecutor | None) -> None:
        self._pool = pool

    def try_all(
        self, chunk: Chunk, first: int, count: int, on_done: Callable[[int], None]
    ) -> NDArray[np.float64]:
        """Return one row a world, in order; ``on_done`` gets how many worlds are done so far."""
        starts = range(first, first + count, CHUNK)
        sizes = [min(CHUNK, first + count - start) for start in starts]
        each = (
            map(chunk, starts, sizes)
            if self._pool is None
            else self._pool.map(chunk, starts, sizes)
        )
        rows = []
        for found in each:
            rows.append(found)
            on_done(sum(map(len, rows)))
        return np.concatenate(rows)


@contextmanager
def open_workers(threads: int | None = None) -> Iterator[Workers]:
    """Start the threads, None for one a core; an error drops the chunks not begun yet."""
    count = threads or cores()
    if count == 1:
        yield Workers(None)
        return
    pool = ThreadPoolExecutor(count)
    try:
        yield Workers(pool)
    finally:
        pool.shutdown(cancel_futures=True)


def cores() -> int:
    """Return how many cores this process may use: one in a process that shares work with others."""
    if multiprocessing.current_process().name != "MainProcess":
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
