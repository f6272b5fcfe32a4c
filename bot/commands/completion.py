"""``minebot completion``: print a script that completes commands and options in a shell."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def run(args: argparse.Namespace) -> int:
    """Print the script; it is made from the parsers of all commands."""
    import shtab  # noqa: PLC0415

    parser = args.whole_parser()
    _complete_files(parser, shtab)
    sys.stdout.write(shtab.complete(parser, shell=args.shell) + "\n")
    return 0


def _complete_files(parser: argparse.ArgumentParser, shtab: Any) -> None:
    """Complete file names for every option and argument that takes a path."""
    for action in parser._actions:
        if action.type is Path or "FILE" in str(action.metavar) or "TOML" in str(action.metavar):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                _complete_files(sub, shtab)
