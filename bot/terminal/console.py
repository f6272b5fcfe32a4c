"""Print for people: the console with its tables and progress bars, and the answers of commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn, Protocol

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from bot.plain_text import plain
from bot.streams import is_terminal
from bot.terminal.colours import theme_of
from bot.terminal.output import emit

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


class Answer(Protocol):
    """What a command found out."""

    def json(self) -> Iterable[Mapping[str, Any]]:
        """Return it as objects, of which each is printed on one line."""

    def show(self, terminal: Console) -> None:
        """Print it for a person."""


def print_answer(report: Answer, *, as_json: bool, colours: str = "") -> None:
    """Print a report on standard output, for a person in these ``colours``."""
    if not as_json:
        report.show(console(colours))
        return
    for line in report.json():
        emit(line)


@contextmanager
def progress_bars() -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Show progress bars with counts and the time left, only on a terminal.

    Yields a function that starts a bar with a label and returns a second function, which sets the
    bar to ``done`` of ``total``.
    """
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:

        def start_bar(label: str) -> Callable[[int, int], None]:
            task = bars.add_task(plain(label), total=None)
            return lambda done, total: bars.update(task, completed=done, total=total)

        yield start_bar


def plain_table(title: str, first: str, *others: str) -> Table:
    """Return a table without lines: the first column aligned left, the others right.

    Where the terminal is too narrow, the first column is folded, so that no figure is cut.
    """
    table = Table(title=title, box=None, title_justify="left", padding=(0, 1), pad_edge=False)
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table
