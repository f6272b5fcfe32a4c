"""Ctrl-C that is never lost: a signal that comes during an import raises once that is finished.

A signal handler that raises does so in the Python code that runs at that moment. A module whose
import is cut short may hide that, or fail in other ways later. RapidOCR turns what is raised within
it into an error of its own.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from bot.errors import StoppedByUser

FRAGILE = ("importlib.", "rapidocr.")
"""How the names of the modules begin whose code must not raise: the import system, and the reading
of words, which takes any error for one of its own."""

AGAIN_S = 0.01
"""Seconds after which a signal is sent again whose exception was lost."""


@contextmanager
def interrupts_raised() -> Iterator[None]:
    """Raise `KeyboardInterrupt` at Ctrl-C within the block, as Python does, but where it can.

    Does nothing outside the main thread, and where Ctrl-C is ignored or handled otherwise.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise_in(frame, KeyboardInterrupt())

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

    Python can only print what a destructor or a callback of C code raises, and goes on.
    """
    if issubclass(lost.exc_type, KeyboardInterrupt | StoppedByUser):
        threading.Timer(AGAIN_S, _thread.interrupt_main).start()
    else:
        report(lost)


def raise_in(frame: FrameType | None, error: BaseException) -> None:
    """Raise ``error`` for a signal that interrupted ``frame``: now, or after the import under way.

    It is then raised in the function that imports, before its next line or as it returns.
    """
    caller = _caller_of_fragile(frame)
    if caller is None:
        raise error

    def raise_here(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "exception":  # at the end of a loop Python drops what is raised here
            return raise_here
        sys.settrace(None)
        frame.f_trace = None
        raise error

    caller.f_trace = raise_here
    sys.settrace(lambda frame, event, argument: None)  # the trace of a frame needs one of all


def _caller_of_fragile(frame: FrameType | None) -> FrameType | None:
    """Return the frame that called the outermost fragile one; None if there is none."""
    caller = None
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith(FRAGILE):
            caller = frame.f_back
        frame = frame.f_back
    return caller
