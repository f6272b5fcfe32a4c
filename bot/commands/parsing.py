"""How the options of a command are declared, read from the command line, and configured.

The options of a command are a frozen dataclass. Each field is an option of the same name; its
default is the value without that option, its annotation the type of the value. The docstring of the
class is the help of the command; the part that begins with the line ``examples:`` is shown below
the options. A TITLE is the heading of the options of its class and of the base classes::

    @dataclass(frozen=True, kw_only=True)
    class Stats(Json):
        '''Summarise all recorded games.'''

        folder: Path | None = argument("folder with the sessions", "DIR", count="?")
        csv: Path | None = option("write the table as CSV", "FILE")

The configuration is TOML. A table has the name of a command and holds its options, named as on the
command line but without the dashes; the table ``common`` holds options for all commands that have
them. Options on the command line take precedence.
"""

from __future__ import annotations

import argparse
import inspect
import os
import re
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field
from glob import glob
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from platformdirs import user_config_path

from bot.errors import UsageError
from bot.streams import is_terminal
from bot.version import __version__
from solver.counting import meant


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a command with their values.

    ``typed`` are the names of the options on the command line, ``config_file`` is the file with
    defaults for the others.
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

    ``read`` converts the value, by default to the type of the annotation. ``short`` is a second
    name; ``alone`` is the value if the option is given without one.
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
    """Declare a positional argument; ``count`` is argparse's ``nargs``.

    Only an argument that may be missing has a ``default``.
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
    """Return the name of a field on the command line, without the two dashes in front."""
    return name.replace("_", "-")


def is_argument(one: Field[Any]) -> bool:
    """Whether a field is a positional argument."""
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

    Raises `TypeError` for a bool with a value: any text would be true.
    """
    words: dict[str, Any] = one.metadata["words"]
    # An annotation is a text, or a class if the module does not import `annotations`.
    names = re.findall(r"\w+", str(one.type))
    known = (READERS[name] for name in names if name in READERS)
    reader = None if "action" in words else next(known, None)
    is_bool = "bool" in names or isinstance(one.default, bool)
    if is_bool and "action" not in words and reader is None and "str" not in names:
        raise TypeError(f"{one.name} is a bool: declare it with flag(), which takes no value.")
    return words if reader is None else {"type": reader} | words


def options_in(kind: type[Options]) -> Iterator[tuple[Field[Any], str | None]]:
    """Yield the options of a command with the title of their group, in the order of its help.

    Those of the class itself come first, then those of its bases in their order. The title belongs
    to the class with a TITLE from which the option is inherited.
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

    The only default of the parser is `UNTYPED`: the configuration and ``kind`` have the others.
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


COMMON = "common"

COMMON_OPTIONS = (
    *("agent", "calibration", "first", "jobs", "json", "mines", "near", "record", "scheduler"),
    *("seed", "size", "theme", "think"),
)
"""The options that mean the same in several commands, and may therefore stand in ``common``."""


def default_config_path() -> Path:
    """Return the path of the configuration without ``--config``; the file may not exist."""
    return user_config_path("minebot", appauthor=False) / "config.toml"


def load_config(
    path: Path | None, commands: Collection[str]
) -> tuple[Path, dict[str, dict[str, Any]]]:
    """Read the configuration from ``path``, or from the user's folder if that is None.

    Returns the file and its tables; if ``path`` is None and there is no file, there are none.
    Raises `UsageError` for a file that cannot be read, or a table that no command has.
    """
    file = path or default_config_path()
    if path is None and not file.exists():
        return file, {}
    try:
        # Without a configuration the TOML reader is not imported.
        from solver.files import TOML_BYTES, parse_toml, read_text

        tables = parse_toml(read_text(file, TOML_BYTES))
    except FileNotFoundError as error:
        raise UsageError(f"There is no configuration file {file}.") from error
    except OSError as error:
        raise UsageError(f"The configuration {file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise UsageError(f"The configuration {file} is not valid TOML: {error}.") from error
    for name, table in tables.items():
        if name not in (COMMON, *commands) or not isinstance(table, dict):
            raise UsageError(
                f"{file}: {name!r} is not a table of options; use [{COMMON}] or the name of a "
                "command."
            )
    for name in tables.get(COMMON, {}):
        if name not in COMMON_OPTIONS:
            known = ", ".join(COMMON_OPTIONS)
            raise UsageError(
                f"{file}: {name!r} belongs in the table of a command, not in [{COMMON}]; "
                f"[{COMMON}] takes options that mean the same in several commands: {known}."
            )
    if isinstance(tables.get(COMMON, {}).get("record"), str):
        raise UsageError(
            f"{file}: 'record' in [{COMMON}] takes true or false: a folder holds one session only."
        )
    return file, tables


def configured(
    kind: type[Options],
    command: str,
    file: Path,
    tables: Mapping[str, Mapping[str, Any]],
    *,
    kinds: Iterable[type[Options]] = (),
) -> dict[str, Any]:
    """Return the values that the configuration gives to the options of a command.

    The table of a command with several ``kinds`` has the options of all; those of ``kind`` are
    returned. Raises `UsageError` for an option that the command does not have, or a wrong value.
    """
    own = tables.get(command, {})
    options = _named(kind)
    lacking = set(own).difference(options, *map(_named, kinds))
    if lacking:
        raise UsageError(f"{file}: '{command}' has no option {min(lacking)!r}.")
    values = {**tables.get(COMMON, {}), **own}
    return {
        options[name].name: _value(options[name], name, value, file)
        for name, value in values.items()
        if name in options
    }


def _named(kind: type[Options]) -> dict[str, Field[Any]]:
    """Return the options of a command by their names, without positional arguments."""
    return {option_name(one.name): one for one, _ in options_in(kind) if not is_argument(one)}


def _value(one: Field[Any], name: str, value: object, file: Path) -> Any:
    """Convert a value of the configuration as the command line converts it."""
    words = words_of(one)
    if "action" in words:
        if not isinstance(value, bool):
            raise UsageError(f"{file}: {name!r} takes true or false, not {value!r}.")
        return value
    if isinstance(value, bool) and "const" in words:
        return words["const"] if value else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f"{file}: {name!r} takes text or a number, not {value!r}.")
    if str(value) not in words.get("choices", [str(value)]):
        choices = ", ".join(words["choices"])
        raise UsageError(f"{file}: {name!r} takes one of {choices}, not {value!r}.")
    try:
        return words.get("type", str)(str(value))
    except ArgumentTypeError as error:
        raise UsageError(f"{file}: {name!r} has a wrong value: {error}.") from error


COMMANDS = {
    "play": "play the Minesweeper window on the screen, or a simulated one",
    "read": "find and read the board on screenshots, or on the screen",
    "advise": "give the best move for a screenshot, or the screen; click nothing",
    "solve": "give mine probabilities and the best move for boards in text form",
    "watch": "watch while you play, and review your games",
    "review": "make a page of recorded games, with their mistakes",
    "stats": "sum up all recorded games",
    "replay": "run a recorded session again and report every difference",
    "report": "make a file of the last failure, to send with a report",
    "bench": "play games without a window and report the win rate with its interval",
    "arena": "compare the agents of the papers: sweep, table and charts",
    "train": "train a learned agent",
    "manual": "play by hand on the terminal, with an agent's help",
    "themes": "list, show or export the themes of known programs",
    "agents": "list the agents that can play",
    "doctor": "check whether this machine can run the bot",
    "completion": "print a script that completes commands and options in a shell",
}
"""Each command is a module of this folder: a class with its options, and ``run``."""

EXIT_CODES = """\
exit codes:
  0  done
  1  the program failed
  2  wrong usage, or a file that cannot be used
  3  no board in the picture, several boards, or none that is completely visible
  4  a board that cannot be read with confidence, or no board that can be solved
  5  stopped by the user
  6  the window does not react, is gone or is covered"""

EXAMPLES = """\
examples:
  minebot play --screen sim           watch a game in a simulated window
  minebot play --games 5 --record     play the window on the screen, record five games
  minebot advise screen.png           the best move for a screenshot
  minebot manual                      play by hand, with agents at your side"""

NO_VALUE = re.compile(r"-[^=]*=--")
"""An option whose value is ``--``, which normally ends the options."""

PATTERN = re.compile(r"[*?]")
"""Characters that make a file name a pattern."""

SHELL_EXPANDS = os.name != "nt"
"""Whether the shell replaces patterns; on Windows the program must do it."""


REQUIRED = "the following arguments are required: "
"""The beginning of argparse's message about missing arguments."""


class WrongUsage(Exception):
    """The command line is invalid; the message is one sentence."""


class Parser(argparse.ArgumentParser):
    """A parser that reports wrong usage as an exception and takes no shortened option names."""

    def __init__(self, **options: Any) -> None:
        options |= {"formatter_class": argparse.RawDescriptionHelpFormatter}
        super().__init__(**(options | {"allow_abbrev": False}))
        # A point left of the main monitor, such as -5,10, is a value and not an option.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown arguments here, so that the hint names this command."""
        for word in args or ():
            if NO_VALUE.fullmatch(word):  # argparse would make it an empty list
                self.error(f"argument {word.partition('=')[0]}: expected one argument")
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            close = meant(rest[0], (name for name in self._option_string_actions if name != "-h"))
            self.error(f"unrecognized arguments: {' '.join(rest)}.{close}".removesuffix("."))
        return found, rest

    def format_help(self) -> str:
        """Format the help: in colour on a terminal, else without any library."""
        if is_terminal(sys.stdout):
            from rich_argparse import RawDescriptionRichHelpFormatter

            self.formatter_class = RawDescriptionRichHelpFormatter
        return super().format_help()

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(one) for one in action.choices]
        name = (*action.option_strings, action.metavar or action.dest.upper())[0]
        close = meant(value, choices)
        self.error(f"{name} cannot be {value!r}.{close} Known: {', '.join(choices)}")

    def _with_choices(self, name: str) -> str:
        """Return the name of an argument with its choices, or with its help if it has none."""
        for action in self._actions:
            if name == (action.metavar or action.dest.upper()):
                known = action.choices and ", ".join(map(str, action.choices))
                return f"{name} ({known or action.help})"
        return name

    def error(self, message: str) -> NoReturn:
        """Raise `WrongUsage`; missing arguments are listed with their choices."""
        if message.startswith(REQUIRED):
            names = message.removeprefix(REQUIRED).split(", ")
            message = f"Missing: {', '.join(map(self._with_choices, names))}"
        see = " See" if message.endswith("?") else "; see"
        raise WrongUsage(f"{message[:1].upper()}{message[1:]}{see} '{self.prog} --help'.")


def take_config(arguments: Sequence[str]) -> tuple[Path | None, list[str]]:
    """Return the file of ``--config FILE`` and the other arguments. Raises `WrongUsage`."""
    rest, file = list[str](), None
    words = iter(arguments)
    for word in words:
        if word == "--config" or word.startswith("--config="):
            name = word.partition("=")[2] if "=" in word else next(words, "")
            if not name or name.startswith("-"):
                raise WrongUsage("--config needs the name of a file; see 'minebot --help'.")
            file = Path(name)
        else:
            rest.append(word)
    return file, rest


def declared(command: str) -> tuple[type[Options], Mapping[str, tuple[type[Options], str]]]:
    """Return the options of a command, and those of its subcommands with their summaries."""
    module = import_module(f"bot.commands.{command}")
    return getattr(module, command.capitalize()), getattr(module, "SUBCOMMANDS", {})


def kinds_of(command: str) -> Mapping[str | None, type[Options]]:
    """Return the options of a command by subcommand; None stands for a command without any."""
    own, subcommands = declared(command)
    return {name: kind for name, (kind, _) in subcommands.items()} or {None: own}


def build_parser(commands: Collection[str]) -> argparse.ArgumentParser:
    """Build the parser; only these ``commands`` get their options."""
    parser = Parser(
        prog="minebot",
        description="Plays a Minesweeper window it can only see and click.",
        epilog="'minebot COMMAND --help' or 'minebot help COMMAND' explains a command.\n\n"
        f"{EXAMPLES}\n\n{EXIT_CODES}",
    )
    parser.add_argument(
        "--version",
        action="version",
        version=f"minebot {__version__}",
        help="show the program's version",
    )
    # These two may come anywhere; they are removed before the parser runs.
    parser.add_argument(
        "--debug", action="store_true", help="show the traceback of an unexpected error"
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="read the defaults of options from FILE (TOML; default: config.toml in your "
        "configuration folder, see 'minebot doctor')",
    )
    each = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True, parser_class=Parser
    )
    for name, summary in COMMANDS.items():
        own = each.add_parser(name, help=summary)
        if name in commands:
            _add_options(own, name)
    return parser


def _add_options(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the options of a command, and a parser for each of its subcommands."""
    own, subcommands = declared(command)
    add_options(parser, own)
    if subcommands:
        each = parser.add_subparsers(
            title="what to play", dest="kind", metavar="KIND", required=True
        )
        for name, (kind, summary) in subcommands.items():
            add_options(each.add_parser(name, help=summary), kind)


def expanded(value: Any) -> Any:
    """Replace the patterns of a positional argument by the files that match, as a shell does.

    A single value must match exactly one file. Raises `WrongUsage` if it does not.
    """
    words = value if isinstance(value, list) else [value]
    found = list[Any]()
    for word in words:
        if not isinstance(word, str | Path) or not PATTERN.search(str(word)):
            found.append(word)
            continue
        names = sorted(glob(str(word).replace("[", "[[]")))
        if not names:
            raise WrongUsage(f"No file matches {word}.")
        found += map(type(word), names)
    if isinstance(value, list):
        return found
    if len(found) > 1:
        raise WrongUsage(f"{value} stands for {len(found)} files: name one.")
    return found[0]


def parse(arguments: Sequence[str], config: Path | None = None) -> tuple[str, Options]:
    """Return the command and its options; those not typed come from the configuration.

    ``config`` is the configuration file, None for the user's own. Raises `WrongUsage` for a wrong
    command line, `UsageError` for a configuration that cannot be used.
    """
    chosen = next((word for word in arguments if not word.startswith("-")), "")
    words = vars(build_parser([chosen]).parse_args(arguments))
    kinds = kinds_of(chosen)
    kind = kinds[words.get("kind")]
    file, tables = load_config(config, COMMANDS)
    fields = kind.__dataclass_fields__
    typed = {
        name: value if SHELL_EXPANDS or not is_argument(fields[name]) else expanded(value)
        for name, value in words.items()
        if value is not UNTYPED and name in fields
    }
    defaults = configured(kind, chosen, file, tables, kinds=kinds.values())
    return chosen, kind(**(defaults | typed), typed=frozenset(typed), config_file=file)
