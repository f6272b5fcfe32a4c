"""Show text from outside as text: no code in it reaches the terminal.

A recorded name, a file's name or the reason of a plug-in may hold codes that set a terminal's
title, clear it, or turn the direction in which it writes.
"""

from __future__ import annotations

import re

_CODES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control codes but tab and line feed, line separators, and marks that change the direction."""


def plain(text: str) -> str:
    r"""Write every code in a text as ``\uXXXX``, which JSON and TOML read back as that code.

    >>> print(plain("a\x1b[2Jb"))
    a\u001b[2Jb
    """
    return _CODES.sub(lambda code: f"\\u{ord(code[0]):04x}", text)


def in_one_line(text: str) -> str:
    r"""Write every code in a text as `plain` does, and a line feed as ``\n``.

    So a name with a line feed shows no second sentence.

    >>> print(in_one_line("a\nGame 1: won."))
    a\nGame 1: won.
    """
    return plain(text).replace("\n", "\\n")
