"""``minebot stats``: all recorded games by program, size and agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.usage.declaring import argument, option
from bot.usage.shared import Files, Json


@dataclass(frozen=True, kw_only=True)
class Stats(Files, Json):
    """Summarise all recorded games in some folders by program, size and agent: wins with their 95 %
    interval, expected wins by the chances survived, causes of losses, clicks, and of won games the
    3BV per second and the efficiency (3BV and ZiNi per click). Game files of other programs count
    too, as in 'minebot review'.

    examples:
      minebot stats                       all that 'minebot play --record' has kept
      minebot stats monday/ arbiter/      the sessions and game files in two folders
      minebot stats game.avf --json
    """

    places: Sequence[Path] = argument(
        "folders of sessions or game files, or single files (default: where play --record keeps "
        "them)",
        "DIR|FILE",
        count="*",
    )
    csv: Path | None = option("write the table as CSV", "FILE")
    plot: Path | None = option("draw a chart (PNG or SVG)", "FILE")
