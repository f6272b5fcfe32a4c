"""``minebot replay``: run a recorded session again."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.parsers.options import add_json

ABOUT = """\
Run calibration, reader and solver again on the frames of a session recorded by
'minebot play --record DIR', and report every difference from the recorded results. The exit code
is 1 if there is a difference."""


EXAMPLES = """\
examples:
  minebot play --screen sim --record session/
  minebot replay session/
  minebot replay session/ --overlay differences/ --junit report.xml"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    parser.add_argument(
        "session",
        nargs="?",
        type=Path,
        metavar="SESSION",
        help="the folder of the recorded session (default: the last one among your data)",
    )
    parser.add_argument(
        "--agent",
        metavar="NAME",
        help="agent that decides again (default: the recorded one if it is built in or installed), "
        "or an agent of your own as FILE.py:Class",
    )
    parser.add_argument(
        "--theme",
        metavar="NAME|FILE.toml",
        help="program or theme to read with, or a theme file (default: the recorded program)",
    )
    parser.add_argument(
        "--overlay",
        type=Path,
        metavar="DIR",
        help="save in DIR a picture of each step with a difference, with the place marked on it",
    )
    parser.add_argument(
        "--junit", type=Path, metavar="FILE", help="write a report of tests, a step each (XML)"
    )
    add_json(parser)
