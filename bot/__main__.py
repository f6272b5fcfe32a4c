"""Start the program: ``minebot``, and the same with ``python -m bot``.

Ctrl-C ends it at once, even while it loads or exits: Python's cleanup at exit is then skipped.
"""

from __future__ import annotations

import signal


def _stop_loading(number: int, frame: object) -> None:
    import os  # noqa: PLC0415  nothing may be imported before this function is in use
    import sys  # noqa: PLC0415

    if "--json" in sys.argv:
        os.write(1, b'{"error": "StoppedByUser", "message": "Stopped at your request."}\n')
    os.write(2, b"Stopped at your request.\n")
    os._exit(STOPPED)


STOPPED = 5
"""The exit code of a program that was stopped by the user."""

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _stop_loading)

import atexit  # noqa: E402
import io  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402
import warnings  # noqa: E402

# NumPy's matrices are small here: with two threads a game took 50 % more processor time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from bot import cli  # noqa: E402
from bot.streams import is_utf_8, open_streams  # noqa: E402


def main() -> int:
    """Run the command line and return the exit code; do not return if stopped."""
    if signal.getsignal(signal.SIGINT) is _stop_loading:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    open_streams()
    if not sys.warnoptions and "--debug" not in sys.argv:
        warnings.simplefilter("ignore")  # the program reports important ones itself
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Some terminals do not know every character. UTF-8 has all except the bytes of a file name
        # that is not UTF-8: they are escaped, as in JSON, so that the name does not change.
        sys.stdout.reconfigure(errors="backslashreplace" if is_utf_8() else "replace")
    code = cli.main()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if code == STOPPED:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
