"""The work space of each thread, and calls that can be stopped.

A call that may take long runs in its own thread while the caller waits, so that an exception in the
caller, such as that of Ctrl-C, stops it within a tenth of a second.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable
from functools import cache
from typing import Final

from solver.engine.library import library

MOST_BYTES: Final = 540 << 20
"""Most memory of a work space."""


Progress = Callable[[int, int], None]
"""Called with the number of worlds done, and the largest possible number."""


def ignore_progress(done: int, most: int) -> None:
    """Ignore the progress of a call."""


class EngineError(Exception):
    """Base of the engine's errors."""


class NoLayout(EngineError):
    """No layout of mines fits the board."""


class TooLarge(EngineError):
    """The result takes more work or memory than allowed."""


class Space:
    """A work space, and the flag that stops a call in it."""

    def __init__(self) -> None:
        self.engine = _declared()
        self.stop = ctypes.c_int32(0)
        self.progress = (ctypes.c_int32 * 2)()
        work = self.engine.engine_open(
            ctypes.byref(self.stop), ctypes.byref(self.progress), MOST_BYTES
        )
        if not work:
            raise MemoryError("There is no memory for the solver.")
        self.work = ctypes.c_void_p(work)
        self.log = ctypes.c_double()
        self.log_address = ctypes.byref(self.log)
        closing = weakref.finalize(self, self.engine.engine_close, self.work)
        closing.atexit = False  # a stopped call may still be running then


_spaces = threading.local()


def space() -> Space:
    """Return the work space of this thread."""
    try:
        return _spaces.own  # type: ignore[no-any-return]
    except AttributeError:
        _spaces.own = Space()
        return _spaces.own  # type: ignore[no-any-return]


TYPES: Final = {
    "i": ctypes.c_int,
    "l": ctypes.c_int64,
    "d": ctypes.c_double,
    "p": ctypes.c_void_p,
    "b": ctypes.c_char_p,
}

SIGNATURES: Final = {
    "engine_open": "ppl",
    "engine_close": "p",
    "engine_risks": "piibilpp",
    "engine_totals": "piibdp",
    "engine_draw": "piibiipp",
    "engine_decide": "piibipiiipip",
    "engine_worlds": "piibipiiipppp",
    "engine_first": "piiiipp",
    "engine_play": "piiibppp",
}
"""The argument types of the entries, one letter of TYPES each; see engine.h."""


@cache
def _declared() -> ctypes.CDLL:
    """Return the library with the types of its entries declared."""
    engine = library()
    for name, signature in SIGNATURES.items():
        getattr(engine, name).argtypes = [TYPES[letter] for letter in signature]
    engine.engine_open.restype = ctypes.c_void_p
    engine.engine_close.restype = None
    return engine


def checked(code: int) -> None:
    """Raise the error of a return code of engine.h."""
    if code == 1:
        raise NoLayout
    if code == 2:
        raise TooLarge
    if code == 4:
        raise MemoryError("There is no memory for the solver.")
    if code != 0:
        raise ValueError(f"The engine refused its arguments (code {code}).")


PROGRESS_S: Final = 0.1
"""Interval of the calls."""


def stoppable(
    space: Space, call: Callable[[], int], on_progress: Progress = ignore_progress
) -> None:
    """Run a call that may take long in a thread; an exception while waiting stops it."""
    codes: list[int] = []
    space.progress[0] = space.progress[1] = 0
    try:
        thread = threading.Thread(target=lambda: codes.append(call()), daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(PROGRESS_S)
            if space.progress[1]:
                on_progress(space.progress[0], space.progress[1])
    except BaseException:
        # The call may run on for a moment: it keeps its work space, and the next one gets another.
        space.stop.value = 1
        _spaces.__dict__.pop("own", None)
        raise
    checked(codes[0])
