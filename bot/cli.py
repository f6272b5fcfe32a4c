"""Run the command line: parse it, run the command, and report errors in one place.

A command imports its libraries only after the command line was understood: a help or a mistyped
word is answered without them.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module

from bot.commands.parsing import WrongUsage, parse, take_config
from bot.interrupts import interrupts_raised
from bot.streams import emit, note

LIVE = ("play", "watch", "doctor")
"""The commands that look at the screen; the others read files unless ``--screen`` is given."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``minebot`` and return its exit code."""
    try:
        with interrupts_raised():
            return _run(argv)
    except KeyboardInterrupt:
        words = sys.argv[1:] if argv is None else argv
        print_error("StoppedByUser", "Stopped at your request.", as_json="--json" in words)
        return 5


def _run(argv: Sequence[str] | None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug, as_json, live = "--debug" in arguments, "--json" in arguments, False
    arguments = [argument for argument in arguments if argument != "--debug"]
    bare = not arguments
    if bare or arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    try:
        config, arguments = take_config(arguments)
        try:
            command, options = parse(arguments, config)
            as_json = getattr(options, "json", as_json)
            live = command in LIVE or getattr(options, "screen", None) is True
            code: int = import_module(f"bot.commands.{command}").run(options)
        except SystemExit as exit_request:  # argparse: --help and --version
            code = exit_request.code if isinstance(exit_request.code, int) else 1
            code = 2 if bare else code  # no command was named
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        drop_output()
        return 0
    except WrongUsage as error:
        print_error("UsageError", str(error), as_json=as_json)
        return 2
    except Exception as error:
        if debug:
            traceback.print_exc()
        return report_error(error, debug=debug, as_json=as_json, live=live)


def report_error(error: Exception, *, debug: bool, as_json: bool, live: bool = False) -> int:
    """Print in one sentence what went wrong; return the exit code.

    ``live`` says whether the command looks at the screen.
    """
    code = exit_code_of(error)
    if code is None and isinstance(error, OSError) and error.filename is not None:
        name = str(error.filename)
        sentence = f"{name if len(name) <= 200 else name[:200] + '...'}: {error.strerror}."
        print_error("UsageError", sentence, as_json=as_json)
        return 2
    if code is None:
        hint = (
            ""
            if debug
            else " Run again with --debug to see where it happened, and please report it."
        )
        sentence = f"Unexpected {type(error).__name__}: {one_line(error) or 'no message'}.{hint}"
        print_error(type(error).__name__, sentence, as_json=as_json)
        note_all(error)
        return 1
    sentence = import_module("bot.failures").sentence_for(error, live=live)
    print_error(type(error).__name__, one_line(sentence) or type(error).__name__, as_json=as_json)
    note_all(error)
    return code


def note_all(error: Exception) -> None:
    """Print the notes of an error, such as the place of its report."""
    for sentence in getattr(error, "__notes__", ()):
        note(sentence)


def print_error(name: str, sentence: str, *, as_json: bool) -> None:
    """Print an error on standard error; with ``as_json`` also as an object on standard output."""
    if as_json:
        try:
            emit({"error": name, "message": sentence})
            sys.stdout.flush()
        except BrokenPipeError:
            drop_output()
    note(sentence)


def drop_output() -> None:
    """Discard all output from now on: the reader of the pipe has closed it.

    Without this, Python reports it again at exit.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def one_line(message: object) -> str:
    """Return a message on one line."""
    return " ".join(str(message).split())


def exit_code_of(error: Exception) -> int | None:
    """Return the exit code of a known error, None for an unexpected one."""
    # `bot.failures` imports packages that load numpy. If one of them raised the error, they are
    # loaded already.
    return import_module("bot.failures").exit_code_of(error)  # type: ignore[no-any-return]
