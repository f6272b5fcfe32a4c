"""``minebot teach``: name the tiles on a screenshot that the bot doubts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.usage.declaring import argument, option
from bot.usage.shared import Files, Screenshot


@dataclass(frozen=True, kw_only=True)
class Teach(Screenshot, Files):
    """Show the tiles of a screenshot, or of the screen, that cannot be read, one by one, and ask
    what they are. The answers become a theme among your data, which read and play try from then on.

    Answers: a number 0 to 8, # hidden, F flag, ? question mark, * mine, X exploded mine, W wrong
    flag; Enter leaves a tile out.

    examples:
      minebot teach screen.png
      minebot teach --screen --name mygame     the tiles in doubt on the screen now
    """

    image: Path | None = argument("a screenshot", "IMAGE", count="?")
    name: str | None = option("name of the theme (default: look-1, look-2 and so on)", "NAME")
    pictures: Path | None = option(
        "save the pictures of the tiles in doubt in this folder, too", "DIR"
    )
