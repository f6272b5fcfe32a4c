"""``minebot review``: a recorded game as one page, with its mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.usage.declaring import argument, option
from bot.usage.shared import Files, Json, positive_number


@dataclass(frozen=True, kw_only=True)
class Review(Files, Json):
    """Review recorded games: every move is compared with the best one, and each game becomes one
    HTML page that needs no network. Several games, or several sessions, make an index page and one
    page a game in a folder. Games that other programs saved are reviewed too: .avf (Minesweeper
    Arbiter), .evf (Metasweeper), .rmv (Viennasweeper) and .mvf (Minesweeper Clone 0.97).

    examples:
      minebot review                            the last session of 'minebot play --record'
      minebot review session/                   writes session/review.html
      minebot review session/ -o game.html
      minebot review monday/ tuesday/ -o pages/
      minebot review --game 2 --gif game.gif    the second game, and a clip of it
      minebot review game.avf                   writes game.html
      minebot review session/ --json            the mistakes, one line a game
    """

    sessions: Sequence[Path] = argument(
        "folders recorded into, or game files (default: the last session among your data)",
        "SESSION",
        count="*",
    )
    output: Path | None = option(
        "the page to write, or the folder for several (default: review.html in the session, or a "
        "page beside the game file)",
        "OUT",
        short="-o",
    )
    game: int | None = option("review only the game of this number", "N", read=positive_number)
    gif: Path | None = option("make a clip of the game too (.gif)", "FILE")
