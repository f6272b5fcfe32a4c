"""Releases a mouse button that a killed bot left down.

The X server keeps a button down when the program that pressed it is gone. So a second process knows
which button is down, and releases it when the pipe from the bot closes. It runs Python without site
packages, and loads python-xlib only for the release. The bot imports this module, and the process
runs it as a file.
"""

from __future__ import annotations

import os
import subprocess
import sys
import weakref
from contextlib import suppress
from pathlib import Path

GONE_S = 2.0
"""How long the process may take to end."""


class Guardian:
    """The process that releases a held button. It starts at the first press."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._started = False

    def holds(self, button: int) -> None:
        """Report which button of the mouse is down from now on, 0 for none."""
        if not self._started:
            self._started = True
            self._start()
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):  # the process was ended
                os.write(self._process.stdin.fileno(), bytes([button]))

    def _start(self) -> None:
        import Xlib  # noqa: PLC0415  to say where it lies

        # A process that cannot be started does not keep the bot from playing.
        with suppress(OSError):
            self._process = subprocess.Popen(
                [sys.executable, "-ES", __file__, str(Path(Xlib.__file__).parents[1])],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            weakref.finalize(self, _end, self._process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process: it ends with its pipe."""
    if process.stdin is not None:
        process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(GONE_S)


def watch(libraries: str) -> None:
    """Read which button is down until the pipe closes; then release it."""
    held = 0
    while data := os.read(0, 4096):
        held = data[-1]
    if held:
        sys.path.append(libraries)
        from Xlib import X  # noqa: PLC0415
        from Xlib.display import Display  # noqa: PLC0415
        from Xlib.ext.xtest import fake_input  # noqa: PLC0415

        display = Display()
        fake_input(display, X.ButtonRelease, held)
        display.sync()


if __name__ == "__main__":
    watch(sys.argv[1])
