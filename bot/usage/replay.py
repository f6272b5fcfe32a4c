"""``minebot replay``: run a recorded session again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.usage.declaring import argument, option
from bot.usage.shared import Files, Json


@dataclass(frozen=True, kw_only=True)
class Replay(Files, Json):
    """Run calibration, reader and solver again on the frames of a session recorded by
    'minebot play --record DIR', and report every difference from the recorded results. The exit
    code is 1 if there is a difference.

    examples:
      minebot play --screen sim --record session/
      minebot replay session/
      minebot replay session/ --overlay differences/ --junit report.xml
    """

    session: Path | None = argument(
        "the folder of the recorded session (default: the last one among your data)",
        "SESSION",
        count="?",
    )
    agent: str | None = option(
        "agent that decides again (default: the recorded one if it is built in or installed), or "
        "an agent of your own as FILE.py:Class",
        "NAME",
    )
    theme: str | None = option(
        "program or theme to read with, or a theme file (default: the recorded program)",
        "NAME|FILE.toml",
    )
    overlay: Path | None = option(
        "save in DIR a picture of each step with a difference, with the place marked on it", "DIR"
    )
    junit: Path | None = option("write a report of tests, a step each (XML)", "FILE")
