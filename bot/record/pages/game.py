"""One self-contained HTML page of a recorded game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bot.errors import BadSession
from bot.record.games import agent_of
from bot.record.mistakes import JudgedGame
from bot.record.pages.pictures import board_pictures
from bot.record.pages.rendering import render, script_json
from bot.record.pages.turns import describe_final, describe_turn, ending
from bot.record.session import Session
from bot.record.statistics import facts_of_game
from solver.counting import counted, percent
from solver.difficulty import efficiency_text

LARGEST_PAGE = 3_000_000
"""Largest page, in bytes: what one attaches to a message without a thought."""

OTHER_PARTS = 100_000
"""What a page has beside its turns: style, script and headings."""

MOST_CELLS = 400_000
"""Cells of all boards that a page shows; each takes up to nine bytes, half of them on average. A
game of expert has up to 833 turns then, more than any that was played."""


@dataclass(frozen=True)
class Page:
    """What a page is called, and its HTML."""

    title: str
    html: str


def build_page(session: Session, judged: JudgedGame) -> Page:
    """Draw a game as one HTML page of at most `LARGEST_PAGE`.

    A frame that is missing or cannot be read leaves its turn without a picture. Raises
    `BadSession` for a game without a turn.
    """
    game = judged.game
    if not judged.turns:
        raise BadSession(f"Game {game.number} of the session has no turn to show.")
    title = f"{game.program}, game {game.number}: {game.result}"
    shown = shown_turns(judged, MOST_CELLS // judged.turns[0].turn.board.tiles.size)
    boards = [*(turn.turn.board for turn in judged.turns), game.final]
    turns = [describe_turn(judged.turns[at], boards[at + 1]) for at in shown]
    final = None if game.end is None else describe_final(judged)
    data = {
        "turns": turns,
        "mistakes": [
            {"turn": at, "text": str(one)}
            for one in judged.mistakes
            if (at := _position(judged, shown, one.turn)) is not None
        ],
        "final": final,
        "end": ending(judged),
        "result": game.result,
    }
    steps = [(judged.turns[at].turn.step, judged.turns[at].turn.place) for at in shown]
    if game.end is not None:
        steps.append((game.end, game.place))
    room = LARGEST_PAGE - OTHER_PARTS - len(script_json(data).encode())
    described = [*turns, final] if final else turns
    for turn, picture in zip(described, board_pictures(session, steps, room), strict=True):
        turn["picture"] = picture
    html = render(
        "review.html.j2",
        title=title,
        summary=_summary(session, judged) + _left_out(judged, shown),
        figures=figures_text(session, judged),
        filmed=any("frame" in step for step, _ in steps),
        data=script_json(data),
    )
    return Page(title, html)


def shown_turns(judged: JudgedGame, most: int) -> list[int]:
    """Return which turns are shown, counted from 0: all, or about ``most``.

    The last one, the mistakes and the guesses come first; what is left is spread over the game.
    """
    turns = judged.turns
    most = max(2, most)
    if len(turns) <= most:
        return list(range(len(turns)))
    place = {turn.turn.number: at for at, turn in enumerate(turns)}
    first = [len(turns) - 1, *(place[one.turn] for one in judged.mistakes)]
    first += [at for at, turn in enumerate(turns) if turn.guess]
    chosen = dict.fromkeys(list(dict.fromkeys(first))[:most])
    spread = np.linspace(0, len(turns) - 1, most - len(chosen)).round().astype(int).tolist()
    return sorted(chosen | dict.fromkeys(spread))


def _left_out(judged: JudgedGame, shown: Sequence[int]) -> str:
    """Say how many turns are not shown, if there are any."""
    if len(shown) == len(judged.turns):
        return ""
    return (
        f" This page shows {len(shown)} of them: the last one, mistakes and guesses as far as "
        "there is room, and some in between."
    )


def _position(judged: JudgedGame, shown: Sequence[int], number: int) -> int | None:
    """Return where a turn stands on the page, counted from 1; None where it is left out."""
    places = enumerate(shown, start=1)
    return next((at for at, one in places if judged.turns[one].turn.number == number), None)


def _summary(session: Session, judged: JudgedGame) -> str:
    header, agent = session.header, agent_of(session)
    turns = judged.turns
    first = turns[0].turn.board if turns else None
    mines = counted(first.mines, "mine") if first and first.mines is not None else "unknown mines"
    size = f"{first.rows}x{first.cols} with {mines}" if first else ""
    started = str(header.get("started", ""))[:16].replace("T", " ")
    survived = f", all of which survive with a chance of {percent(judged.chance)}"
    return (
        f"{size}, played by {agent}, {started}. {counted(len(turns), 'turn')}, "
        f"{counted(judged.guesses, 'guess', 'guesses')}{survived if judged.guesses else ''}; "
        f"{counted(len(judged.mistakes), 'mistake')}."
    )


def figures_text(session: Session, judged: JudgedGame) -> str:
    """Say how much the game asked for, how fast it was played and with how many clicks.

    Only a game that was won has a speed and an efficiency: the 3BV of the others is not solved.
    """
    facts = facts_of_game(judged.game, agent_of(session))
    clicks = counted(facts.clicks, "click") + (
        f" in {facts.seconds:.1f} s" if facts.seconds else ""
    )
    if facts.difficulty is None:
        return f"{clicks}."
    speed = efficiency_text(facts.bv, facts.clicks, facts.seconds) if facts.result == "won" else ""
    if not speed:
        return f"{clicks}. {facts.difficulty}."
    others = str(facts.difficulty).partition(", ")[2]
    return f"{clicks}. {speed} {others[:1].upper()}{others[1:]}."
