"""``minebot doctor``: check whether this machine can run the bot."""

from __future__ import annotations

import argparse

from bot.parsers.options import add_json

ABOUT = """\
Check the display, screenshots, the pointer, libraries and your
configuration. The exit code is 1 if a problem prevents play on the real
screen. The simulated window (play --screen sim) needs no display."""


EXAMPLES = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    add_json(parser)
