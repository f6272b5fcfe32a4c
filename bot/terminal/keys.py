"""Read single keys from the terminal without waiting and without a thread.

On Linux and macOS the terminal is in cbreak mode meanwhile: keys come at once and are not shown,
and Ctrl-C still is a signal. The old mode is restored on every way out, and while the program is
suspended with Ctrl-Z. On Windows ``msvcrt`` reads the keys.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from bot.streams import is_terminal

ReadKey = Callable[[], str]
"""Returns the next key that was pressed, an empty text if there is none."""


@contextmanager
def open_keys() -> Iterator[ReadKey | None]:
    """Read keys within the block; yields None where standard input is no terminal."""
    if not is_terminal(sys.stdin):
        yield None
    elif sys.platform == "win32":
        yield _read_windows_key
    else:
        with _cbreak(sys.stdin.fileno()):
            yield lambda: _read_posix_key(sys.stdin.fileno())


if sys.platform == "win32":
    import msvcrt

    def _read_windows_key() -> str:
        if not msvcrt.kbhit():
            return ""
        key = msvcrt.getwch()
        if key in ("\x00", "\xe0"):  # the first half of an arrow or function key
            msvcrt.getwch()
            return ""
        return key

else:
    import select
    import termios
    import tty

    def _read_posix_key(descriptor: int) -> str:
        """Return the next key; a sequence of an arrow or function key is dropped as a whole."""
        if not select.select([descriptor], [], [], 0)[0]:
            return ""
        try:
            data = os.read(descriptor, 1)
        except OSError:  # the terminal was closed; a signal says so, too
            return ""
        if data != b"\x1b":
            return data.decode("ascii", "ignore")
        while select.select([descriptor], [], [], 0)[0]:
            last = os.read(descriptor, 1)
            if last.isalpha() or last in (b"~", b""):
                break
        return ""

    @contextmanager
    def _cbreak(descriptor: int) -> Iterator[None]:
        """Put a terminal in cbreak mode within the block."""
        try:
            before = termios.tcgetattr(descriptor)
        except termios.error:  # a terminal that is gone
            yield
            return

        # A terminal that was closed takes no mode any more; the system only sends SIGCONT then.
        def restore() -> None:
            with suppress(termios.error):
                termios.tcsetattr(descriptor, termios.TCSADRAIN, before)

        def suspend(number: int, frame: FrameType | None) -> None:
            restore()
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTSTP)

        def resume(number: int, frame: FrameType | None) -> None:
            signal.signal(signal.SIGTSTP, suspend)
            with suppress(termios.error):
                tty.setcbreak(descriptor, termios.TCSANOW)

        handlers = {signal.SIGTSTP: suspend, signal.SIGCONT: resume}
        old = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        tty.setcbreak(descriptor, termios.TCSANOW)
        try:
            yield
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)
            restore()
