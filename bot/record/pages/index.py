"""An index page of several games: their sums, and a row with a picture for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.record.mistakes import JudgedGame
from bot.record.pages.pictures import thumbnail
from bot.record.pages.rendering import render
from bot.record.session import Session
from solver.counting import counted, percent

TABLE_HEADS = (
    *((name, name) for name in ("session", "date", "result")),
    *((name, name) for name in ("turns", "guesses", "chance", "mistakes")),
    ("cause", "why it was lost"),
)
"""The columns beside the game itself: the key of a row, and the head."""


@dataclass(frozen=True)
class Entry:
    """A game of the index, and the name of the file of its page."""

    href: str
    session: Session
    judged: JudgedGame


def build_index(entries: Sequence[Entry]) -> str:
    """Draw the index of several pages."""
    rows = [_row(entry) for entry in entries]
    sums = index_sums([entry.judged for entry in entries])
    return render("index.html.j2", sums=sums, rows=rows, columns=TABLE_HEADS)


def index_sums(games: Sequence[JudgedGame]) -> str:
    """Sum several games up in two sentences.

    >>> index_sums([])
    '0 games. 0 guesses, 0 mistakes.'
    """
    ended = [judged for judged in games if judged.game.result in ("won", "lost")]
    won = sum(judged.game.result == "won" for judged in ended)
    expected = sum(judged.chance for judged in ended)
    text = counted(len(games), "game")
    if ended:
        text += f": {won} won, {len(ended) - won} lost"
        text += f", {len(games) - len(ended)} not finished" if len(games) > len(ended) else ""
        text += (
            f" ({100 * won / len(ended):.0f} % won; {expected:.1f} wins were to be expected from "
        )
        text += f"the chances survived: luck {won - expected:+.1f})"
    guesses = counted(sum(judged.guesses for judged in games), "guess", "guesses")
    mistakes = counted(sum(len(judged.mistakes) for judged in games), "mistake")
    return f"{text}. {guesses}, {mistakes}."


def _row(entry: Entry) -> dict[str, Any]:
    judged, game = entry.judged, entry.judged.game
    last = judged.turns[-1].turn
    step, place = (last.step, last.place) if game.end is None else (game.end, game.place)
    return {
        "href": entry.href,
        "picture": thumbnail(entry.session, step, place, game.final or last.board),
        "session": entry.session.folder.name,
        "date": str(entry.session.header.get("started", ""))[:16].replace("T", " "),
        "program": game.program,
        "game": game.number,
        "result": game.result,
        "turns": len(judged.turns),
        "guesses": judged.guesses,
        "chance": percent(judged.chance),
        "mistakes": len(judged.mistakes),
        "cause": judged.cause,
    }
