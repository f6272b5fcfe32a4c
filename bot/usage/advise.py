"""``minebot advise``: give the best move for a screenshot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.usage.declaring import argument, option
from bot.usage.shared import AgentChoice, Explanations, Files, Screenshot, Shown


@dataclass(frozen=True, kw_only=True)
class Advise(Screenshot, Explanations, AgentChoice, Files, Shown):
    """Read the board on a screenshot, or on the screen, and print the best move with its chances.
    Nothing is clicked.

    examples:
      minebot advise screen.png
      minebot advise --screen                      for the game that is open
      minebot advise screen.png --heatmap risks.png
      minebot advise screen.png --why 3,7          why row 3, column 7 is certain
      minebot advise screen.png --candidates 5     the five best cells to open
      minebot advise screen.png --think high       think longer about a guess
    """

    image: Path | None = argument("a screenshot", "IMAGE", count="?")
    heatmap: Path | None = option(
        "save a picture of the board coloured by risk, or by the values of an agent's network",
        "OUT.png",
    )
