"""The colours of the terminal: one palette for dark backgrounds, one for light ones, one for both.

What is printed names what a part is (``tile.1``, ``muted``); the console looks the colour up. The
palette is that of ``--colours``, else the one for the terminal's background, as ``COLORFGBG`` or
the terminal itself says, else one that can be read on any background.

A terminal of sixteen colours shows the nearest one, and in bold often the brighter one of two: what
is drawn on a light background is therefore not bold, and no colour may become a pale one
(`tests/bot/terminal/test_colours.py`).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from types import MappingProxyType

from rich.text import Text
from rich.theme import Theme

from bot.streams import is_terminal

ANSWER_S = 0.3
"""Seconds that a terminal has to name its background; most take some milliseconds."""

_ANYWHERE = {
    "tile.exploded": "bold bright_white on red3",
    "tile.target": "black on bright_cyan",
    "tile.proof": "black on bright_yellow",
    "tile.proved": "black on bright_magenta",
}
"""What has a background of its own looks the same on every terminal."""

DARK: Mapping[str, str] = MappingProxyType(
    _ANYWHERE
    | {
        "tile.0": "grey54",
        "tile.1": "bold deep_sky_blue1",
        "tile.2": "bold green3",
        "tile.3": "bold red1",
        "tile.4": "bold medium_purple1",
        "tile.5": "bold orange3",
        "tile.6": "bold turquoise2",
        "tile.7": "bold white",
        "tile.8": "bold grey70",
        "tile.hidden": "grey70 on grey19",
        "tile.flag": "bold red1",
        "tile.question": "bright_yellow",
        "tile.mine": "red1",
        "tile.wrong": "bold orange1",
        "tile.unknown": "bold bright_magenta",
        "tile.sure": "bold orange1 on grey19",
        "tile.last": "underline on grey30",
        "label": "grey58",
        "muted": "grey62",
        "good": "green3",
        "bad": "red1",
        "warn": "bright_yellow",
        "info": "bright_cyan",
    }
)
"""Styles on a dark background."""

LIGHT: Mapping[str, str] = MappingProxyType(
    _ANYWHERE
    | {
        "tile.0": "grey42",
        "tile.1": "blue3",
        "tile.2": "dark_green",
        "tile.3": "red3",
        "tile.4": "dark_magenta",
        "tile.5": "dark_red",
        "tile.6": "dodger_blue3",
        "tile.7": "bold black",
        "tile.8": "bold grey35",
        "tile.hidden": "grey30 on grey82",
        "tile.flag": "red3",
        "tile.question": "deep_pink4",
        "tile.mine": "red3",
        "tile.wrong": "underline red3",
        "tile.unknown": "dark_violet",
        "tile.sure": "dark_red on grey82",
        "tile.last": "underline on light_goldenrod2",
        "label": "grey42",
        "muted": "grey37",
        "good": "dark_green",
        "bad": "red3",
        "warn": "dark_magenta",
        "info": "blue3",
    }
)
"""Styles on a light background."""

ANY: Mapping[str, str] = MappingProxyType(
    _ANYWHERE
    | {
        "tile.0": "grey42",
        "tile.1": "bold dodger_blue2",
        "tile.2": "green4",
        "tile.3": "bold red3",
        "tile.4": "bold medium_purple3",
        "tile.5": "medium_violet_red",
        "tile.6": "turquoise4",
        "tile.7": "bold",
        "tile.8": "bold grey42",
        "tile.hidden": "black on grey62",
        "tile.flag": "bold red3",
        "tile.question": "medium_violet_red",
        "tile.mine": "red3",
        "tile.wrong": "underline red3",
        "tile.unknown": "magenta3",
        "tile.sure": "dark_red on grey82",
        "tile.last": "underline reverse",
        "label": "grey42",
        "muted": "grey42",
        "good": "green4",
        "bad": "red3",
        "warn": "medium_violet_red",
        "info": "turquoise4",
    }
)
"""Styles that can be read on both."""

PALETTES = {"dark": DARK, "light": LIGHT, "none": ANY, "": ANY}


def coloured(text: Text, palette: Mapping[str, str] = DARK) -> Text:
    """Return a text with the styles of a palette, for what has no console of its own."""
    spans = [span._replace(style=palette.get(str(span.style), span.style)) for span in text.spans]
    return Text(text.plain, spans=spans, no_wrap=text.no_wrap)


def theme_of(colours: str) -> Theme:
    """Return the theme of a console: ``dark``, ``light`` or ``none``; ``auto`` looks what fits."""
    return Theme(PALETTES[background() if colours == "auto" else colours])


def background() -> str:
    """Return whether the terminal is ``dark`` or ``light``, an empty text where it does not say."""
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
    r"""Read what a terminal answers when its background is asked for.

    >>> shade_of(b"\x1b]11;rgb:ffff/ffff/dddd\x07"), shade_of(b"\x1b[?1;2c")
    ('light', '')
    """
    found = re.search(rb"11;rgba?:([0-9a-fA-F]+)/([0-9a-fA-F]+)/([0-9a-fA-F]+)", answer)
    if found is None:
        return ""
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
    # Rec. 709: how bright the three are for the eye.
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

        Every terminal answers what it is (DA1), so that none is waited for that does not know its
        background. A job in the background of a shell asks nothing, because that would stop it.
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
