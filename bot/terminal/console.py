"""The console that prints text for people, with its styles and tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from bot.plain_text import plain
from bot.streams import is_terminal
from bot.terminal.colours import theme_of

MODERN_TERMINALS = ("WT_SESSION", "TERM_PROGRAM", "ConEmuANSI", "ALACRITTY_WINDOW_ID", "MSYSTEM")
"""Variables of terminals on Windows that borrow missing symbols from other fonts."""

PIPE_COLUMNS = 1000
"""Columns of what is printed into a pipe or a file: more than any table has."""


class PipeConsole(Console):
    """A console that prints all text as it is, but for the codes in it: no markup, no emoji names.

    It tells its caller if the reader of a pipe has closed it; Rich itself would end the program
    with the exit code of a failure.
    """

    def __init__(self, *, colours: str = "", **options: Any) -> None:
        """Print in the ``colours`` of `bot.terminal.colours.theme_of`; ``none`` leaves them out."""
        plainly = {"markup": False, "emoji": False, "highlight": False}
        if colours == "none":
            plainly |= {"no_color": True}
        super().__init__(theme=theme_of(colours), **(plainly | options))

    def render_str(self, text: str, **options: Any) -> Text:
        """Return the text as it will be shown, so that columns are wide enough."""
        return super().render_str(plain(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render with the codes of each text written out; those of Rich itself are no text."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(plain(text), style)

    def on_broken_pipe(self) -> NoReturn:
        """Raise `BrokenPipeError`."""
        raise BrokenPipeError


def shows_symbols(shown: Console | None = None, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether signs such as ``⚑`` and ``✓`` are shown.

    A terminal may know only ASCII, and the classic console of Windows draws only what its font has:
    Consolas and Lucida Console have no such signs.
    """
    if shown is not None and shown.options.ascii_only:
        return False
    return sys.platform != "win32" or any(map(environ.get, MODERN_TERMINALS))


def console(colours: str = "") -> Console:
    """Return a console that prints text for people on standard output, in these ``colours``.

    On a terminal, lines end between words. A pipe or a file has no width: no line ends there, and
    no column of a table is cut.
    """
    if is_terminal(sys.stdout):
        return PipeConsole(colours=colours)
    return PipeConsole(soft_wrap=True, width=PIPE_COLUMNS)
