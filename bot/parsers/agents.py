"""``minebot agents``: list the agents."""

from __future__ import annotations

import argparse

from bot.parsers.options import add_json

ABOUT = "List the agents that can play, with their idea and its source."
EXAMPLES = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options and arguments."""
    add_json(parser)
