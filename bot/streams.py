"""Standard input, output and error, and how every command prints on them.

A closed input is empty. A closed or full output is reported once as an error; text that cannot be
written to standard error is lost. Text from outside, such as a recorded name, is shown as text: no
code in it sets a terminal's title, clears the screen or changes the writing direction. No large
library is imported: the first error may come before anything else is loaded.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TextIO

from bot.errors import CannotWrite

_CODES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control codes except tab and line feed, line separators, and marks that change the direction."""


def plain(text: str) -> str:
    r"""Write every code in a text as ``\uXXXX``, which JSON and TOML read back as that code.

    >>> print(plain("a\x1b[2Jb"))
    a\u001b[2Jb
    """
    return _CODES.sub(lambda code: f"\\u{ord(code[0]):04x}", text)


def in_one_line(text: str) -> str:
    r"""Write every code in a text as `plain` does, and a line feed as ``\n``.

    A name with a line feed can therefore not look like a second sentence.

    >>> print(in_one_line("a\nGame 1: won."))
    a\nGame 1: won.
    """
    return plain(text).replace("\n", "\\n")


def emit(line: Mapping[str, Any]) -> None:
    """Print one JSON object on one line of standard output, at once.

    If the output is not in UTF-8, letters outside ASCII are escaped, so that no name is changed.
    `bot.__main__` escapes what UTF-8 cannot write.
    """
    text = plain(json.dumps(line, ensure_ascii=not is_utf_8(), allow_nan=False))
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def is_utf_8() -> bool:
    """Whether standard output is in UTF-8."""
    return codecs.lookup(sys.stdout.encoding or "utf-8").name == "utf-8"


def note(sentence: str) -> None:
    """Print a sentence for people on standard error, separate from results.

    On a terminal, lines end between words.
    """
    text = in_one_line(sentence)
    if is_terminal(sys.stderr):
        columns = shutil.get_terminal_size().columns
        text = textwrap.fill(text, columns, break_long_words=False, break_on_hyphens=False)
    print(text, file=sys.stderr, flush=True)


class Output(io.TextIOWrapper):
    """Standard output. Raises `CannotWrite` once if it cannot be written."""

    def write(self, text: str) -> int:
        """Write text."""
        try:
            return super().write(text)
        except OSError as error:
            raise self._given_up(error) from error

    def flush(self) -> None:
        """Write the buffered text."""
        try:
            super().flush()
        except OSError as error:
            raise self._given_up(error) from error

    def _given_up(self, error: OSError) -> Exception:
        """Return the error to raise; buffered text is discarded, so that exiting raises nothing."""
        if isinstance(error, BrokenPipeError):
            return error
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        return CannotWrite(f"The standard output cannot be written ({error.strerror}).")


class ErrorOutput(io.TextIOWrapper):
    """Standard error. Text that cannot be written there is lost."""

    def write(self, text: str) -> int:
        """Write text, or lose it."""
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Write the buffered text, or lose it."""
        with suppress(OSError):
            super().flush()


def is_terminal(stream: TextIO) -> bool:
    """Whether a stream is a terminal. On Windows, ``isatty`` is true for NUL, too."""
    if sys.platform == "win32" and stream.isatty():
        import ctypes  # noqa: PLC0415  needed on Windows only
        import msvcrt  # noqa: PLC0415

        handle = ctypes.c_void_p(msvcrt.get_osfhandle(stream.fileno()))
        mode = ctypes.byref(ctypes.c_ulong())
        return bool(ctypes.WinDLL("kernel32").GetConsoleMode(handle, mode))
    return stream.isatty()


def open_streams() -> None:
    """Open those of the three streams that are closed; let the outputs report their own errors.

    A file opened later can then not get the number of a standard stream and receive its text.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # An output is opened for reading: writing to it fails, as on a full disk.
            opened = os.open(os.devnull, os.O_RDONLY if number < 2 else os.O_WRONLY)
            os.dup2(opened, number)
            stream = open(number, "w" if number else "r", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)  # so that it stays open
    sys.stdout = _like(sys.stdout, Output)
    sys.stderr = _like(sys.stderr, ErrorOutput)


def _like(stream: TextIO, kind: type[io.TextIOWrapper]) -> TextIO:
    """Return the same stream as another class; only text streams over bytes are converted."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    return kind(
        stream.buffer,
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
