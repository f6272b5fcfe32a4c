"""Run the command line: one parser, one table of commands, one place that reports errors.

What a command needs is imported once its words are understood: helps and mistyped words are
answered without any library.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
import traceback
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from bot.interrupts import interrupts_raised
from bot.terminal.output import emit, note
from bot.version import program_version

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
    "themes": "list, show, forget or export the themes learned in play",
    "teach": "name the tiles on a screenshot that the bot doubts",
    "agents": "list the agents that can play",
    "doctor": "check whether this machine can run the bot",
    "completion": "print a script that completes commands and options in a shell",
}
"""Each command is a module of `bot.parsers`, which knows its options, and one of `bot.commands`,
which does what is asked for."""

LIVE = ("play", "watch", "doctor")
"""The commands that look at the screen; the others read files."""

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


class WrongUsage(Exception):
    """The words of the command line make no sense; the message is one sentence."""


class ShowVersion(argparse.Action):
    """Prints the version. To find it out takes longer than to parse a command."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, nargs=0)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print and exit."""
        print(f"minebot {program_version()}")
        parser.exit()


class Parser(argparse.ArgumentParser):
    """A parser that reports wrong usage as an exception and takes no shortened option names."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**(options | {"allow_abbrev": False}))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse words that nobody knows here, so that the hint names this very command."""
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
        if sys.stdout.isatty():
            from rich_argparse import RawDescriptionRichHelpFormatter  # noqa: PLC0415

            self.formatter_class = RawDescriptionRichHelpFormatter
        return super().format_help()

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(one) for one in action.choices]
        name = (*action.option_strings, action.metavar or action.dest.upper())[0]
        close = meant(value, choices)
        self.error(f"{name} cannot be {value!r}.{close} Known: {', '.join(choices)}")

    def error(self, message: str) -> NoReturn:
        """Raise `WrongUsage`."""
        raise WrongUsage(f"{message[:1].upper()}{message[1:]}; see '{self.prog} --help'.")


def meant(word: str, known: Iterable[str]) -> str:
    """Return a sentence that names the known word that is most like ``word``; none like it: ''."""
    bare = {name.lstrip("-"): name for name in known}  # dashes would make all options alike
    close = difflib.get_close_matches(word.partition("=")[0].lstrip("-"), bare, n=1)
    return f" Did you mean {bare[close[0]]}?" if close else ""


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``minebot`` and return its exit code."""
    try:
        with interrupts_raised():
            return _run(argv)
    except KeyboardInterrupt:
        words = sys.argv[1:] if argv is None else argv
        tell("StoppedByUser", "Stopped at your request.", as_json="--json" in words)
        return 5


def _run(argv: Sequence[str] | None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug, as_json, live = "--debug" in arguments, "--json" in arguments, False
    arguments = [argument for argument in arguments if argument != "--debug"]
    if arguments[:1] in ([], ["help"]):
        arguments = [*arguments[1:], "--help"]
    try:
        config, arguments = take_config(arguments)
        try:
            args = build_parser(arguments, config=config).parse_args(arguments)
            as_json = getattr(args, "json", as_json)
            live = args.command in LIVE
            code: int = import_module(f"bot.commands.{args.command}").run(args)
        except SystemExit as exit_request:  # argparse: --help and --version
            code = exit_request.code if isinstance(exit_request.code, int) else 1
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of the pipe has closed it. Without this, Python reports it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except WrongUsage as error:
        tell("UsageError", str(error), as_json=as_json)
        return 2
    except Exception as error:
        if debug:
            traceback.print_exc()
        return report_error(error, debug=debug, as_json=as_json, live=live)


def take_config(arguments: Sequence[str]) -> tuple[Path | None, list[str]]:
    """Return the file of ``--config FILE`` and the other arguments. Raises `WrongUsage`."""
    rest, file = list[str](), None
    words = iter(arguments)
    for word in words:
        if word == "--config" or word.startswith("--config="):
            name = word.partition("=")[2] or next(words, "")
            if not name:
                raise WrongUsage("--config needs the name of a file; see 'minebot --help'.")
            file = Path(name)
        else:
            rest.append(word)
    return file, rest


def build_parser(
    arguments: Sequence[str],
    *,
    config: Path | None = None,
    complete: Collection[str] = (),
) -> argparse.ArgumentParser:
    """Build the parser; of the commands, only the one in ``arguments`` gets its options.

    ``config`` is the configuration file, None for the user's own. The commands in ``complete``
    get their options too. Raises `UsageError` for a configuration that cannot be used.
    """
    parser = Parser(
        prog="minebot",
        description="Plays a Minesweeper window it can only see and click.",
        epilog=f"'minebot COMMAND --help' explains a command.\n\n{EXAMPLES}\n\n{EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=ShowVersion, help="show the program's version")
    # These two may stand anywhere; `main` takes them out before the parser sees them.
    parser.add_argument(
        "--debug", action="store_true", help="show the traceback of an unexpected error"
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="read the defaults of options from FILE (TOML; default: config.toml in your "
        "configuration folder, see 'minebot doctor')",
    )
    commands = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True, parser_class=Parser
    )
    chosen = next((word for word in arguments if not word.startswith("-")), None)
    for name, summary in COMMANDS.items():
        own = commands.add_parser(
            name, help=summary, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        if name == chosen or name in complete:
            words = import_module(f"bot.parsers.{name}")
            own.description, own.epilog = words.ABOUT, words.EXAMPLES
            words.add_options(own)
    # For `completion` and `doctor`, which need other parsers but must not import this module.
    parser.set_defaults(
        whole_parser=lambda: build_parser([], complete=COMMANDS),
        parsers={name: partial(build_parser, [name], config=config) for name in COMMANDS},
    )
    if chosen in COMMANDS:
        from bot.config import load_config, use_config  # noqa: PLC0415  needed for commands only

        file, tables = load_config(config, COMMANDS)
        parser.set_defaults(config_file=file)
        for one in with_kinds(commands.choices[chosen]):
            use_config(one, chosen, file, tables)
    return parser


def with_kinds(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """Return the parsers that hold a command's options: its own, or those of its kinds."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return list(action.choices.values())
    return [parser]


def report_error(error: Exception, *, debug: bool, as_json: bool, live: bool = False) -> int:
    """Print in one sentence what went wrong; return the exit code.

    ``live`` tells whether the command looks at the screen.
    """
    code = exit_code_of(error)
    if code is None and isinstance(error, OSError) and error.filename is not None:
        name = str(error.filename)
        sentence = f"{name if len(name) <= 200 else name[:200] + '...'}: {error.strerror}."
        tell("UsageError", sentence, as_json=as_json)
        return 2
    if code is None:
        hint = (
            ""
            if debug
            else " Run again with --debug to see where it happened, and please report it."
        )
        sentence = f"Unexpected {type(error).__name__}: {one_line(error) or 'no message'}.{hint}"
        tell(type(error).__name__, sentence, as_json=as_json)
        return 1
    sentence = import_module("bot.remedies").told(error, live=live)
    tell(type(error).__name__, one_line(sentence) or type(error).__name__, as_json=as_json)
    return code


def tell(name: str, sentence: str, *, as_json: bool) -> None:
    """Print an error on standard error; with ``as_json`` also as an object on standard output."""
    if as_json:
        emit({"error": name, "message": sentence})
    note(sentence)


def one_line(message: object) -> str:
    """Return a message on one line."""
    return " ".join(str(message).split())


def exit_code_of(error: Exception) -> int | None:
    """Return the exit code of a known error, None for an unexpected one."""
    # `bot.exit_codes` imports packages that load numpy. Where one of their errors is raised, they
    # are loaded already.
    return import_module("bot.exit_codes").exit_code_of(error)  # type: ignore[no-any-return]
