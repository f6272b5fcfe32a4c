"""Print what every command prints the same way: JSON lines, and notes for people.

Nothing heavy is imported: the first error may come before anything else is loaded.
"""

from __future__ import annotations

import codecs
import json
import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import Any

from bot.plain_text import in_one_line, plain
from bot.streams import is_terminal


def emit(line: Mapping[str, Any]) -> None:
    """Print one JSON object on one line of standard output, at once.

    Where the output is not in UTF-8, other letters than those of ASCII are escaped, so that no name
    is changed. What UTF-8 cannot write is escaped by `bot.__main__`.
    """
    text = plain(json.dumps(line, ensure_ascii=not is_utf_8(), allow_nan=False))
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def is_utf_8() -> bool:
    """Whether standard output is in UTF-8."""
    return codecs.lookup(sys.stdout.encoding or "utf-8").name == "utf-8"


def note(sentence: str) -> None:
    """Print a sentence for people on standard error, so that it does not mix with results.

    On a terminal, lines end between words.
    """
    text = in_one_line(sentence)
    if is_terminal(sys.stderr):
        columns = shutil.get_terminal_size().columns
        text = textwrap.fill(text, columns, break_long_words=False, break_on_hyphens=False)
    print(text, file=sys.stderr, flush=True)
