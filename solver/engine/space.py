"""The work space of each thread, and calls in it that can be stopped.

Calls that may take long run in a thread of their own while the caller waits: so an exception in the
waiting thread, such as that of Ctrl-C, ends the call within a tenth of a second.
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
"""Is told how many worlds are done, and how many there are at most."""


def ignore_progress(done: int, most: int) -> None:
    """Do nothing: nobody asked how far the work is."""


class EngineError(Exception):
    """Base of what keeps the engine from an answer."""


class NoLayout(EngineError):
    """No layout of mines fits the board."""


class TooLarge(EngineError):
    """The answer takes more work or memory than is allowed."""


class Space:
    """A work space, and what to stop a call in it with."""

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
        closing.atexit = False  # a call that was stopped may still run then


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
"""The arguments of the entries that are called here, a letter of TYPES for each; see engine.h."""


@cache
def _declared() -> ctypes.CDLL:
    """Return the library with the types of the entries that are called here."""
    engine = library()
    for name, signature in SIGNATURES.items():
        getattr(engine, name).argtypes = [TYPES[letter] for letter in signature]
    engine.engine_open.restype = ctypes.c_void_p
    engine.engine_close.restype = None
    return engine


def checked(code: int) -> None:
    """Raise what a code of engine.h says."""
    if code == 1:
        raise NoLayout
    if code == 2:
        raise TooLarge
    if code == 4:
        raise MemoryError("There is no memory for the solver.")
    if code != 0:
        raise ValueError(f"The engine refused its arguments (code {code}).")


PROGRESS_S: Final = 0.1
"""How often it is told."""


def stoppable(
    space: Space, call: Callable[[], int], on_progress: Progress = ignore_progress
) -> None:
    """Run a call that may take long in a thread; an exception while it is waited for ends it."""
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
        # The call may go on for a moment: it keeps its work space, and the next one gets another.
        space.stop.value = 1
        _spaces.__dict__.pop("own", None)
        raise
    checked(codes[0])
