"""Ctrl-C that is never lost: one that comes during an import is sent again until that is finished.

A signal handler raises its exception in the Python code that runs at that moment. A module whose
import is interrupted may hide that or fail later. RapidOCR turns every exception inside it into an
error of its own.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from bot.errors import StoppedByUser

FRAGILE = ("importlib.", "rapidocr.")
"""Modules in whose code no exception must be raised, by the beginning of their names: the import
system, and the reader of words, which mistakes any error for its own."""

AGAIN_S = 0.01
"""Seconds after which a signal is sent again if it could not raise, or its exception was lost."""


@contextmanager
def interrupts_raised() -> Iterator[None]:
    """Raise `KeyboardInterrupt` at Ctrl-C within the block, but only where that is safe.

    Does nothing outside the main thread, or if Ctrl-C is ignored or has another handler.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise_in(frame, KeyboardInterrupt(), number)

    report = sys.unraisablehook
    signal.signal(signal.SIGINT, interrupt)
    sys.unraisablehook = lambda lost: _send_again(lost, report)
    try:
        yield
    finally:
        sys.unraisablehook = report
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _send_again(
    lost: sys.UnraisableHookArgs, report: Callable[[sys.UnraisableHookArgs], object]
) -> None:
    """Send SIGINT again if its exception was lost, as in a destructor; report other exceptions.

    Python only prints an exception of a destructor or a callback of C code, and continues.
    """
    if issubclass(lost.exc_type, KeyboardInterrupt | StoppedByUser):
        _again(signal.SIGINT)
    else:
        report(lost)


def _again(number: int) -> None:
    """Call the handler of a signal again in the main thread, a little later."""
    threading.Timer(AGAIN_S, _send_to_main_thread, [number]).start()


def _send_to_main_thread(number: int) -> None:
    main_thread = threading.main_thread().ident
    if sys.platform == "win32" or main_thread is None:
        _thread.interrupt_main(signal.Signals(number))
    else:
        signal.pthread_kill(main_thread, number)  # this ends a sleep, too


def raise_in(frame: FrameType | None, error: BaseException, number: int = signal.SIGINT) -> None:
    """Raise ``error`` for a signal that interrupted ``frame``, unless an import is running.

    If one is, the signal is sent again until its handler calls this at a safe place.
    """
    if _is_fragile(frame):
        _again(number)
    else:
        raise error


def _is_fragile(frame: FrameType | None) -> bool:
    """Whether no exception must be raised in a frame, because of its code or that of a caller."""
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith(FRAGILE):
            return True
        frame = frame.f_back
    return False
