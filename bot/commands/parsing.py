"""The parser of all commands, and its messages about wrong usage."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from glob import glob
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from bot.commands.declaring import UNTYPED, Options, add_options, is_argument
from bot.streams import is_terminal
from bot.version import __version__
from solver.counting import meant

COMMANDS = {
    "play": "play the Minesweeper window on the screen, or a simulated one",
    "read": "find and read the board on screenshots",
    "advise": "give the best move for a screenshot; click nothing",
    "solve": "give mine probabilities and the best move for boards in text form",
    "watch": "look on while you play, and review your games",
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
  3  no board in the picture, several, or none that is wholly in sight
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
"""An option whose value is two dashes, which mean that no option follows."""

PATTERN = re.compile(r"[*?]")
"""What stands for other characters in the name of a file."""

SHELL_EXPANDS = os.name != "nt"
"""Whether the shell replaces patterns; those of Windows leave it to the program."""


MISSING = "the following arguments are required: "
"""How argparse begins to say what is missing."""


class WrongUsage(Exception):
    """The command line is invalid; the message is one sentence."""


class Parser(argparse.ArgumentParser):
    """A parser that reports wrong usage as an exception and takes no shortened option names."""

    def __init__(self, **options: Any) -> None:
        options |= {"formatter_class": argparse.RawDescriptionHelpFormatter}
        super().__init__(**(options | {"allow_abbrev": False}))
        # A point left of the main monitor is the value of an option, not another option.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown arguments here, so that the hint names this command."""
        for word in args or ():
            if NO_VALUE.fullmatch(word):  # argparse takes the dashes away and leaves an empty list
                self.error(f"argument {word.partition('=')[0]}: expected one argument")
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            close = meant(rest[0], (name for name in self._option_string_actions if name != "-h"))
            self.error(f"unrecognized arguments: {' '.join(rest)}.{close}".removesuffix("."))
        return found, rest

    def format_help(self) -> str:
        """Lay the help out: in colour on a terminal, else without any library."""
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
        """Return the name of an argument, with all that it can be, or else with its help."""
        for action in self._actions:
            if name == (action.metavar or action.dest.upper()):
                known = action.choices and ", ".join(map(str, action.choices))
                return f"{name} ({known or action.help})"
        return name

    def error(self, message: str) -> NoReturn:
        """Raise `WrongUsage`; what is missing is said with what it can be."""
        if message.startswith(MISSING):
            names = message.removeprefix(MISSING).split(", ")
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
    """Return the options of a command by its subcommands; one without any has its own for None."""
    own, subcommands = declared(command)
    return {name: kind for name, (kind, _) in subcommands.items()} or {None: own}


def build_parser(commands: Collection[str]) -> argparse.ArgumentParser:
    """Build the parser; only these commands get their options."""
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
    # These two may stand anywhere; they are taken out before the parser sees them.
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
    """Return the files that the patterns among words without a name stand for, as a shell does.

    A word that stands alone must stand for one file. Raises `WrongUsage` if there is none.
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
    """Return the command and its options, the untyped ones from the configuration.

    ``config`` is the configuration file, None for the user's own. Raises `WrongUsage` for words
    that make no sense, `UsageError` for a configuration that cannot be used.
    """
    from bot.commands.config import configured, load_config  # needed for commands only

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
