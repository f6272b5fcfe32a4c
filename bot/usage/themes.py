"""``minebot themes``: list, show, forget or export the themes learned in play."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.usage.declaring import argument, option
from bot.usage.shared import Files, Json


@dataclass(frozen=True, kw_only=True)
class Themes(Files, Json):
    """The themes that play has learned are kept among your data and tried at the next start. What
    is seen decides: a theme that does not fit is not used.

    examples:
      minebot themes                                all themes
      minebot themes show look-1                    how its tiles look
      minebot themes export winemine -o my.toml     a file to change and to use with --theme
      minebot themes forget look-1
    """

    what: str = argument(
        None, None, count="?", default="list", choices=("list", "show", "forget", "export")
    )
    name: str | None = argument(
        "name of a theme; only learned ones can be forgotten", "NAME", count="?"
    )
    output: Path | None = option("file of export (default: print it)", "FILE", short="-o")
