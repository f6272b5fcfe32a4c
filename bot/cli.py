"""The command line: one parser, one table of commands, one place where errors become sentences.

A command's module is imported only when the command is used, so that ``minebot --help`` does
not wait for libraries it does not need. Each module offers ``add_parser(commands)`` and
``run(args) -> exit code``.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import NoReturn

COMMANDS = {
    "play": ("bot.commands.play", "play the Minesweeper window on the screen, or a simulated one"),
    "read": ("bot.commands.read", "find and read the board on screenshots"),
    "advise": ("bot.commands.advise", "say the best move for a screenshot; click nothing"),
    "solve": ("bot.commands.solve", "mine probabilities and the best move for boards in text"),
    "replay": ("bot.commands.replay", "run a recorded session again and report every difference"),
    "bench": (
        "bot.commands.bench",
        "play games headless and report the win rate with its interval",
    ),
    "arena": ("bot.commands.arena", "the papers' players side by side: sweep, table and charts"),
    "manual": ("bot.commands.manual", "play in the terminal, with any agent at your side"),
    "agents": ("bot.commands.agents", "list the agents that can play"),
    "doctor": ("bot.commands.doctor", "say what on this machine would keep the bot from playing"),
}

EXIT_CODES = """\
exit codes: 0 done; 1 the program failed; 2 wrong usage; 3 no board in the picture;
4 the board could not be read with confidence; 5 stopped by the user; 6 the window is
stuck, gone or covered"""


class Parser(argparse.ArgumentParser):
    """A parser that answers wrong usage in one sentence, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and what to do, and leave."""
        self.exit(2, f"{message[:1].upper()}{message[1:]}; see '{self.prog} --help'.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``minebot`` and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    try:
        args = build_parser(words).parse_args(words)
        code: int = args.run(args)
        sys.stdout.flush()
        return code
    except SystemExit as leaving:  # argparse: --help, --version and wrong usage
        return leaving.code if isinstance(leaving.code, int) else 1
    except BrokenPipeError:
        # Who reads our output has left; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("Stopped at your request.", file=sys.stderr)
        return 5
    except Exception as error:
        if debug:
            traceback.print_exc()
        return complain(error, debug=debug)


def build_parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Build the parser; only the command named in ``words`` is imported and gets its options."""
    parser = Parser(
        prog="minebot",
        description="Plays a Minesweeper window it can only see and click.",
        epilog=f"'minebot COMMAND --help' explains a command.\n\n{EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"minebot {program_version()}")
    parser.add_argument(
        "--debug", action="store_true", help="show the traceback of an unexpected error"
    )
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=Parser
    )
    chosen = next((word for word in words if not word.startswith("-")), None)
    for name, (module, about) in COMMANDS.items():
        if name == chosen:
            import_module(module).add_parser(commands)
        else:
            commands.add_parser(name, help=about)
    return parser


def complain(error: Exception, *, debug: bool) -> int:
    """Say in one sentence what went wrong; return the exit code."""
    code = exit_code_of(error)
    if code is None:
        hint = "" if debug else " Run again with --debug to see where, and please report it."
        print(f"Unexpected {type(error).__name__}: {one_line(error)}.{hint}", file=sys.stderr)
        return 1
    print(one_line(error), file=sys.stderr)
    return code


def one_line(error: Exception) -> str:
    """Return an error's message on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def exit_code_of(error: Exception) -> int | None:
    """Return the exit code of a known error, None for an unexpected one."""
    # These packages load numpy; an error of theirs can only come up once they are loaded.
    return import_module("bot.exit_codes").exit_code_of(error)  # type: ignore[no-any-return]


def program_version() -> str:
    """Return the installed version, or ``unknown`` in a bare checkout."""
    try:
        return version("minebot")
    except PackageNotFoundError:
        return "unknown"
