"""``minebot completion``: print a script that completes commands in a shell."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.commands.parsing import COMMANDS, Options, argument, build_parser

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")


@dataclass(frozen=True, kw_only=True)
class Completion(Options):
    """Print a script that lets a shell complete the commands, options and files of minebot.

      bash        minebot completion bash > ~/.local/share/bash-completion/completions/minebot
      zsh         minebot completion zsh > DIR/_minebot, for a folder DIR of $fpath
      fish        minebot completion fish > ~/.config/fish/completions/minebot.fish
      tcsh        minebot completion tcsh > ~/.minebot.tcsh; ~/.tcshrc: source ~/.minebot.tcsh
      powershell  minebot completion powershell >> $PROFILE

    Open a new shell afterwards.
    """

    shell: str = argument(", ".join(SHELLS), "SHELL", choices=SHELLS)


def run(args: Completion) -> int:
    """Print the script; it is made from the parsers of all commands."""
    import shtab

    from bot.simulated import SKINS
    from calibration.theme import builtin_themes
    from solver.agents import agent_entries
    from solver.arena.boards import NAMED_SIZES

    parser = build_parser(COMMANDS)
    agents = [entry.name for entry in agent_entries()]
    names = {
        "--agent": agents,
        "--against": agents,
        "--skin": list(SKINS),
        "--size": list(NAMED_SIZES),
        "--theme": sorted(theme.name for theme in builtin_themes()),
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
