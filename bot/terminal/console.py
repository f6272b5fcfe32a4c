"""Print for people: the console and its colours; reports, tables, progress of commands."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn, Protocol

from rich import progress
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from bot.streams import emit, in_one_line, is_terminal, plain

MODERN_TERMINALS = ("WT_SESSION", "TERM_PROGRAM", "ConEmuANSI", "ALACRITTY_WINDOW_ID", "MSYSTEM")
"""Variables of terminals on Windows that borrow missing symbols from other fonts."""

PIPE_COLUMNS = 1000
"""Width of a pipe or a file in columns: more than any table has."""


class PipeConsole(Console):
    """A console that prints text literally, without markup and emoji names, and escapes codes.

    It raises an error if the reader of a pipe has closed it; Rich itself would end the program with
    the exit code of a failure.
    """

    def __init__(self, *, colours: str = "", **options: Any) -> None:
        """Print in the ``colours`` of `bot.terminal.console.theme_of`; ``none`` leaves them out."""
        plainly = {"markup": False, "emoji": False, "highlight": False}
        if colours == "none":
            plainly |= {"no_color": True}
        super().__init__(theme=theme_of(colours), **(plainly | options))

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a string as one line, as it will be shown: only a `Text` may have several."""
        return super().render_str(in_one_line(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render with the codes in each text escaped, but not those of Rich itself."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(plain(text), style)

    def on_broken_pipe(self) -> NoReturn:
        """Raise `BrokenPipeError`."""
        raise BrokenPipeError


def shows_symbols(shown: Console | None = None, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether signs such as ``⚑`` and ``✓`` can be shown.

    A terminal may know only ASCII, and the classic console of Windows draws only characters of its
    font: Consolas and Lucida Console do not have these signs.
    """
    if shown is not None and shown.options.ascii_only:
        return False
    return sys.platform != "win32" or any(map(environ.get, MODERN_TERMINALS))


def console(colours: str = "") -> Console:
    """Return a console that prints text for people on standard output, in these ``colours``.

    On a terminal, lines break between words. A pipe or a file has no width: lines do not break
    there, and no column of a table is cut.
    """
    if is_terminal(sys.stdout):
        return PipeConsole(colours=colours)
    return PipeConsole(soft_wrap=True, width=PIPE_COLUMNS)


class Answer(Protocol):
    """The result of a command, for programs and people."""

    def json(self) -> Iterable[Mapping[str, Any]]:
        """Return the result as objects; each is printed on one line."""

    def show(self, terminal: Console) -> None:
        """Print the result for a person."""


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
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TaskProgressColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console, disable=not console.is_terminal) as bars:

        def start_bar(label: str) -> Callable[[int, int], None]:
            task = bars.add_task(in_one_line(label), total=None)
            return lambda done, total: bars.update(task, completed=done, total=total)

        yield start_bar


def plain_table(title: str, first: str, *others: str) -> Table:
    """Return a table without lines: the first column aligned left, the others right.

    If the terminal is too narrow, the first column wraps, so that no figure is cut.
    """
    table = Table(title=title, box=None, title_justify="left", padding=(0, 1), pad_edge=False)
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


ANSWER_S = 0.3
"""Seconds that a terminal has to report its background; most take some milliseconds."""

SAME_ANYWHERE = {
    "tile.exploded": "bold bright_white on red3",
    "tile.target": "black on bright_cyan",
    "tile.proof": "black on bright_yellow",
    "tile.proved": "black on bright_magenta",
}
"""Styles with their own background, which look the same on every terminal."""

STYLES_ON = {
    "tile.0": ("grey54", "grey42", "grey42"),
    "tile.1": ("bold deep_sky_blue1", "blue3", "bold dodger_blue2"),
    "tile.2": ("bold green3", "dark_green", "green4"),
    "tile.3": ("bold red1", "red3", "bold red3"),
    "tile.4": ("bold medium_purple1", "dark_magenta", "bold medium_purple3"),
    "tile.5": ("bold orange3", "dark_red", "medium_violet_red"),
    "tile.6": ("bold turquoise2", "dodger_blue3", "turquoise4"),
    "tile.7": ("bold white", "bold black", "bold"),
    "tile.8": ("bold grey70", "bold grey35", "bold grey42"),
    "tile.hidden": ("grey70 on grey19", "grey30 on grey82", "black on grey62"),
    "tile.flag": ("bold red1", "red3", "bold red3"),
    "tile.question": ("bright_yellow", "deep_pink4", "medium_violet_red"),
    "tile.mine": ("red1", "red3", "red3"),
    "tile.wrong": ("bold orange1", "underline red3", "underline red3"),
    "tile.unknown": ("bold bright_magenta", "dark_violet", "magenta3"),
    "tile.sure": ("bold orange1 on grey19", "dark_red on grey82", "dark_red on grey82"),
    "tile.last": ("underline on grey30", "underline on light_goldenrod2", "underline reverse"),
    "label": ("grey58", "grey42", "grey42"),
    "muted": ("grey62", "grey37", "grey42"),
    "good": ("green3", "dark_green", "green4"),
    "bad": ("red1", "red3", "red3"),
    "warn": ("bright_yellow", "dark_magenta", "medium_violet_red"),
    "info": ("bright_cyan", "blue3", "turquoise4"),
}
"""Styles on a dark background, on a light one, and those that can be read on both. In a terminal
with sixteen colours bold is often brighter, so that bold green would be pale on a light background;
`tests/bot/terminal/test_colours.py` checks all."""

DARK, LIGHT, ANY = (
    SAME_ANYWHERE | {name: styles[at] for name, styles in STYLES_ON.items()} for at in range(3)
)

PALETTES = {"dark": DARK, "light": LIGHT, "none": ANY, "": ANY}


def coloured(text: Text, palette: Mapping[str, str] = DARK) -> Text:
    """Return a text with the styles of a palette, for output without a console of this module."""
    spans = [span._replace(style=palette.get(str(span.style), span.style)) for span in text.spans]
    return Text(text.plain, spans=spans, no_wrap=text.no_wrap)


def theme_of(colours: str) -> Theme:
    """Return the theme of a console: ``dark``, ``light``, ``none``; ``auto`` asks the terminal."""
    return Theme(PALETTES[background() if colours == "auto" else colours])


def background() -> str:
    """Return whether the terminal is ``dark`` or ``light``; an empty text if it does not answer."""
    if not (is_terminal(sys.stdout) and is_terminal(sys.stdin)):
        return ""
    number = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    if number.isdecimal():
        return "light" if int(number) in (7, *range(9, 16)) else "dark"
    term = os.environ.get("TERM", "")
    if term == "linux":
        return "dark"
    return "" if term in ("", "dumb") else shade_of(_asked())


def shade_of(answer: bytes) -> str:
    r"""Read a terminal's answer to the question for its background.

    >>> shade_of(b"\x1b]11;rgb:ffff/ffff/dddd\x07"), shade_of(b"\x1b[?1;2c")
    ('light', '')
    """
    found = re.search(rb"11;rgba?:([0-9a-fA-F]+)/([0-9a-fA-F]+)/([0-9a-fA-F]+)", answer)
    if found is None:
        return ""
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
    # Rec. 709: how bright the three colours are for the eye.
    return "light" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 else "dark"


if sys.platform == "win32":

    def _asked() -> bytes:
        return b""

else:
    import select
    import termios
    import time
    import tty

    def _asked() -> bytes:
        """Ask the terminal for its background; its answer to a second question ends the first.

        Every terminal answers the second one, what it is (DA1), so the wait is short even if it
        does not know its background. A job in the background of a shell does not ask, because that
        would stop it.
        """
        keys = sys.stdin.fileno()
        try:
            if os.tcgetpgrp(keys) != os.getpgrp():
                return b""
            before = termios.tcgetattr(keys)
        except (OSError, termios.error):
            return b""
        answer, until = b"", time.monotonic() + ANSWER_S
        try:
            tty.setcbreak(keys, termios.TCSANOW)
            os.write(sys.stdout.fileno(), b"\x1b]11;?\x1b\\\x1b[c")
            while not re.search(rb"\x1b\[\?[0-9;]*c", answer):
                left = until - time.monotonic()
                if left <= 0 or not select.select([keys], [], [], left)[0]:
                    break
                answer += os.read(keys, 64)
        except OSError:
            return b""
        finally:
            termios.tcsetattr(keys, termios.TCSANOW, before)
        return answer
