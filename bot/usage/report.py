"""``minebot report``: make a file of the last failure, to send with a report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.usage.declaring import flag, option
from bot.usage.shared import Files, Json


@dataclass(frozen=True, kw_only=True)
class Report(Files, Json):
    """Make a zip file of the last run of play or watch that stopped with an error, or that lost a
    game by its own fault: the last pictures of the board (60 at most), what was read, decided and
    clicked, the versions, the monitors and the error message. It shows only the part of the screen
    with the board. Everything around the board and its counter is painted over, and only the shape
    is left of a window that covered the board. Nothing is sent: look at the file, then send it
    yourself.

    examples:
      minebot report                     writes minebot-report.zip
      minebot report -o trouble.zip
      minebot report --whole-window      if the trouble lies in the header of the window
    """

    output: Path = option(
        "the file to write", "FILE", short="-o", default=Path("minebot-report.zip")
    )
    whole_window: bool = flag(
        "do not paint over what is around and over the board in the pictures; parts of other "
        "windows may be visible"
    )
