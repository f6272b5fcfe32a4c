"""Declare the options of a command, and read them from the command line.

The options of a command are a frozen dataclass. Each field is an option of the same name; its
default is the value without that option, its annotation the type of the value. The docstring of the
class is the help of the command; the part from the line ``examples:`` on is shown below the
options. A TITLE is the heading of the options of its class and of the base classes::

    @dataclass(frozen=True, kw_only=True)
    class Stats(Json):
        '''Summarise all recorded games.'''

        folder: Path | None = argument("folder with the sessions", "DIR", count="?")
        csv: Path | None = option("write the table as CSV", "FILE")
"""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import MISSING, Field, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a command with their values.

    ``typed`` are the names of the options given on the command line, ``config_file`` is the file
    with defaults for the others.
    """

    typed: frozenset[str] = frozenset()
    config_file: Path = Path()


def option(
    help: str,  # noqa: A002  as argparse names it
    metavar: str | None = None,
    *,
    default: Any = None,
    read: Callable[[str], Any] | None = None,
    choices: Collection[str] | None = None,
    short: str | None = None,
    alone: Any = None,
) -> Any:
    """Declare an option with a value.

    ``read`` converts the word, by default as the annotation says. ``short`` is a second name, and
    ``alone`` the value of the option without a word.
    """
    words = {"metavar": metavar, "type": read, "choices": choices and tuple(choices)}
    if alone is not None:
        words |= {"nargs": "?", "const": alone}
    return _declared(help, default, short, words)


def flag(help: str) -> Any:  # noqa: A002
    """Declare an option without a value: true if it is given."""
    return _declared(help, False, None, {"action": "store_true"})


def argument(
    help: str | None,  # noqa: A002
    metavar: str | None,
    *,
    count: str | None = None,
    default: Any = None,
    choices: Collection[str] | None = None,
) -> Any:
    """Declare a word without a name; ``count`` is ``?`` for at most one, ``*`` any, ``+`` some.

    Only one that may be missing has a ``default``.
    """
    words = {"nargs": count, "metavar": metavar, "choices": choices and tuple(choices)}
    if count != "?":
        default = () if count == "*" else MISSING
    return _declared(help, default, None, words, positional=True)


def _declared(
    text: str | None,
    default: Any,
    short: str | None,
    words: dict[str, Any],
    *,
    positional: bool = False,
) -> Any:
    known = {name: value for name, value in words.items() if value is not None}
    metadata = {"help": text, "short": short, "positional": positional, "words": known}
    return field(default=default, metadata=metadata)


def option_name(name: str) -> str:
    """Return the name of a field as on the command line, without dashes."""
    return name.replace("_", "-")


def is_argument(one: Field[Any]) -> bool:
    """Whether a field is a word without a name."""
    return bool(one.metadata["positional"])


def whole_number(text: str, least: int = 0) -> int:
    """Read a whole number of ``least`` or more; for `argparse`."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if number < least:
        raise argparse.ArgumentTypeError(f"{number} is below {least}")
    return number


UNTYPED = object()
"""The value that the parser returns for an option that was not given."""

READERS: dict[str, Callable[[str], Any]] = {"Path": Path, "int": whole_number}


def words_of(one: Field[Any]) -> dict[str, Any]:
    """Return the arguments of `add_argument` for an option, except its names and its help.

    Raises `TypeError` for a bool that takes a value, which would be its text and always true.
    """
    words: dict[str, Any] = one.metadata["words"]
    # An annotation is its text, or the class itself where no `annotations` are imported.
    names = re.findall(r"\w+", str(one.type))
    known = (READERS[name] for name in names if name in READERS)
    reader = None if "action" in words else next(known, None)
    is_bool = "bool" in names or isinstance(one.default, bool)
    if is_bool and "action" not in words and reader is None and "str" not in names:
        raise TypeError(f"{one.name} is a bool: declare it with flag(), which takes no value.")
    return words if reader is None else {"type": reader} | words


def options_in(kind: type[Options]) -> Iterator[tuple[Field[Any], str | None]]:
    """Yield the options of a command with the title of their group, in the order of its help.

    Those of the class itself come first, then those of its bases as they are listed. The title is
    that of the class with a TITLE through which the option came.
    """
    fields = {name: one for name, one in kind.__dataclass_fields__.items() if one.metadata}
    for owner in kind.__mro__:
        titles = (one for one in kind.__mro__ if "TITLE" in vars(one) and issubclass(one, owner))
        title = next((one.TITLE for one in titles), None)  # type: ignore[attr-defined]
        for name in vars(owner).get("__annotations__", {}):
            if name in fields:
                yield fields.pop(name), title


def add_options(parser: argparse.ArgumentParser, kind: type[Options]) -> None:
    """Add the options and the help of a command to its parser.

    The parser gives no default but `UNTYPED`: others stand in the configuration and in ``kind``.
    """
    about, line, examples = inspect.cleandoc(kind.__doc__ or "").partition("examples:\n")
    parser.description, parser.epilog = about.rstrip(), line + examples
    groups: dict[str | None, Any] = {None: parser}
    for one, title in options_in(kind):
        if title not in groups:
            groups[title] = parser.add_argument_group(title)
        names = [one.name] if is_argument(one) else [f"--{option_name(one.name)}"]
        names = [*filter(None, [one.metadata["short"]]), *names]
        groups[title].add_argument(*names, default=UNTYPED, help=_help_of(one), **words_of(one))


def _help_of(one: Field[Any]) -> str | None:
    text: str | None = one.metadata["help"]
    if text is None:
        return None
    complete = "(default:" in text or any(one.default is no for no in (None, False, (), MISSING))
    return (text if complete else f"{text} (default: {one.default})").replace("%", "%%")
