"""``minebot stats``: all recorded games by program, size and agent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.usage.declaring import argument, option
from bot.usage.shared import Files, Json


@dataclass(frozen=True, kw_only=True)
class Stats(Files, Json):
    """Sum up all recorded games below a folder by program, size and agent: wins with their 95 %
    interval, the wins to be expected from the chances survived, what losses were due to, clicks,
    3BV a second and efficiency (3BV a click) of the games won.
    """

    folder: Path | None = argument(
        "where the sessions lie (default: where play --record keeps them)", "DIR", count="?"
    )
    csv: Path | None = option("write the table as CSV", "FILE")
    plot: Path | None = option("draw a chart (PNG or SVG)", "FILE")
