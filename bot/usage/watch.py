"""``minebot watch``: look on while a person plays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.usage.declaring import flag, option
from bot.usage.shared import Files, Mines, Picture, Recording, Shown


@dataclass(frozen=True, kw_only=True)
class Watch(Recording, Mines, Picture, Files, Shown):
    """Look on while you play Minesweeper yourself, in whatever program you like. The mouse and the
    keyboard are never touched. The terminal shows what is certain on the board, all risks and the
    best move, and warns of each mistake as you make it. Press Ctrl-C, or close the game's window,
    to end: then every move is compared with the best one, and your mistakes are listed.

    examples:
      minebot watch                       see hints; list the mistakes at the end
      minebot watch --overlay             see hints on the game's window, too
      minebot watch -o mine.html          and make a page of the games
      minebot watch --record session/     keep the recording, with its page
    """

    output: Path | None = option("the page to write", "OUT", short="-o")
    overlay: bool = flag("draw the hints over the game's window, too (X11, wlroots)")
