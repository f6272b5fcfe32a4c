"""Standard input, output and error that may be closed, or full.

A closed input is empty. A closed or full output is one error, reported once; what cannot be
written to standard error is lost.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TextIO

from bot.errors import CannotWrite


class Output(io.TextIOWrapper):
    """Standard output. Raises `CannotWrite` where it cannot be written, once."""

    def write(self, text: str) -> int:
        """Write text."""
        try:
            return super().write(text)
        except OSError as error:
            raise self._given_up(error) from error

    def flush(self) -> None:
        """Write what is waiting."""
        try:
            super().flush()
        except OSError as error:
            raise self._given_up(error) from error

    def _given_up(self, error: OSError) -> Exception:
        """Return what to raise; what is waiting goes nowhere, so that the end raises nothing."""
        if isinstance(error, BrokenPipeError):
            return error
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        return CannotWrite(f"The standard output cannot be written ({error.strerror}).")


class ErrorOutput(io.TextIOWrapper):
    """Standard error. What cannot be written there is lost."""

    def write(self, text: str) -> int:
        """Write text, or lose it."""
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Write what is waiting, or lose it."""
        with suppress(OSError):
            super().flush()


def is_terminal(stream: TextIO) -> bool:
    """Whether a stream is a terminal. On Windows, ``isatty`` says so of NUL, too."""
    if sys.platform == "win32" and stream.isatty():
        import ctypes  # noqa: PLC0415  needed on Windows only
        import msvcrt  # noqa: PLC0415

        handle = ctypes.c_void_p(msvcrt.get_osfhandle(stream.fileno()))
        mode = ctypes.byref(ctypes.c_ulong())
        return bool(ctypes.WinDLL("kernel32").GetConsoleMode(handle, mode))
    return stream.isatty()


def open_streams() -> None:
    """Open what is closed of the three streams; let the outputs answer for themselves.

    No file that is opened later gets the number of a standard stream, so that nothing that is
    printed gets into it.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # The output is opened to be read: what is written there fails, as on a full disk.
            opened = os.open(os.devnull, os.O_RDONLY if number < 2 else os.O_WRONLY)
            os.dup2(opened, number)
            stream = open(number, "w" if number else "r", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)  # and it lives on
    sys.stdout = _like(sys.stdout, Output)
    sys.stderr = _like(sys.stderr, ErrorOutput)


def _like(stream: TextIO, kind: type[io.TextIOWrapper]) -> TextIO:
    """Return the same stream as another class; one that is not text over bytes stays as it is."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    return kind(
        stream.buffer,
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
