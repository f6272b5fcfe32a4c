"""``minebot report``: make a file of the last failure, to send with a report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.usage.declaring import flag, option
from bot.usage.shared import Files, Json


@dataclass(frozen=True, kw_only=True)
class Report(Files, Json):
    """Make one zip file of the last run of play or watch that stopped in trouble, or that lost a
    game by a fault of its own: the last pictures of the board (60 at most), what was read, decided
    and clicked, the versions, the monitors and the sentence it ended with. Of the screen it shows
    the place of the board only. What lies around the board and its counter is painted over, and of
    a window that covered the board only the shape is left. Nothing is sent: look at the file, then
    send it yourself.

    examples:
      minebot report                     writes minebot-report.zip
      minebot report -o trouble.zip
      minebot report --whole-window      if the trouble lies in the header of the window
    """

    output: Path = option(
        "the file to write", "FILE", short="-o", default=Path("minebot-report.zip")
    )
    whole_window: bool = flag(
        "leave what lies around and over the board as it was, as far as the bot looked at it; "
        "parts of other windows may show"
    )
