"""Start the program: ``minebot``, and the same with ``python -m bot``.

Ctrl-C ends it at once, also while it loads and when it has ended: what Python does at its end (it
takes compiled functions apart, for up to half a second) is left out then.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys

STOPPED = 5
"""The exit code of a program that was stopped by the user."""


def main() -> int:
    """Load the command line, run it and return the exit code; do not return if stopped."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop_loading)
    from bot import cli  # noqa: PLC0415  Ctrl-C is handled while it loads

    if signal.getsignal(signal.SIGINT) is _stop_loading:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    code = cli.main()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if code == STOPPED:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


def _stop_loading(number: int, frame: object) -> None:
    if "--json" in sys.argv:
        os.write(1, b'{"error": "StoppedByUser", "message": "Stopped at your request."}\n')
    os.write(2, b"Stopped at your request.\n")
    os._exit(STOPPED)


if __name__ == "__main__":
    sys.exit(main())
