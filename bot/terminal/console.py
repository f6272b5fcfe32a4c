"""The console that prints text for people, with its styles and tables."""

from __future__ import annotations

import sys
from typing import NoReturn

from rich.console import Console

PIPE_COLUMNS = 1000
"""Columns of what is printed into a pipe or a file: more than any table has."""


class PipeConsole(Console):
    """A console that tells its caller if the reader of a pipe has closed it.

    Rich itself would end the program with the exit code of a failure.
    """

    def on_broken_pipe(self) -> NoReturn:
        """Raise `BrokenPipeError`."""
        raise BrokenPipeError


def console() -> Console:
    """Return a console that prints text for people on standard output.

    A pipe or a file has no width: there, no column of a table is cut.
    """
    width = None if sys.stdout.isatty() else PIPE_COLUMNS
    return PipeConsole(highlight=False, soft_wrap=True, width=width)
