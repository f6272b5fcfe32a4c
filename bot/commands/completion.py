"""``minebot completion``: print a script that completes commands and options in a shell."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bot.record.themes import kept_themes
from bot.simulated import SKINS
from bot.usage.completion import Completion
from bot.usage.parsing import COMMANDS, build_parser
from calibration.theme import builtin_themes
from solver.agents import agent_entries
from solver.arena.boards import NAMED_SIZES


def run(args: Completion) -> int:
    """Print the script; it is made from the parsers of all commands."""
    import shtab  # noqa: PLC0415

    parser = build_parser(COMMANDS)
    agents = [entry.name for entry in agent_entries()]
    names = {
        "--agent": agents,
        "--against": agents,
        "--skin": list(SKINS),
        "--size": list(NAMED_SIZES),
        "--theme": sorted({theme.name for theme in (*builtin_themes(), *kept_themes())}),
    }
    for action in _actions_of(parser):
        known = next((names[one] for one in action.option_strings if one in names), None)
        if known is not None:
            action.choices = known
        elif action.type is Path or any(word in str(action.metavar) for word in ("FILE", "TOML")):
            action.complete = shtab.FILE
    sys.stdout.write(shtab.complete(parser, shell=args.shell) + "\n")
    return 0


def _actions_of(parser: argparse.ArgumentParser) -> Iterator[Any]:
    """Yield the options and arguments of a parser and of all its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from _actions_of(sub)
