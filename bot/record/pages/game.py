"""One self-contained HTML page of a recorded game."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from bot.errors import BadSession
from bot.record.games import agent_of
from bot.record.mistakes import JudgedGame
from bot.record.pages.pictures import board_pictures
from bot.record.pages.rendering import page_text, render, script_json
from bot.record.pages.turns import describe_final, describe_turn, ending
from bot.record.session import Session
from bot.record.statistics import facts_of_game
from solver.counting import counted, percent
from solver.difficulty import efficiency_text

LARGEST_PAGE = 3_000_000
"""Largest page: what one attaches to a message without a thought."""


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
    steps = [(turn.turn.step, turn.turn.place) for turn in judged.turns]
    if game.end is not None:
        steps.append((game.end, game.place))
    pictures = board_pictures(session, steps, LARGEST_PAGE - 400_000)
    final = None if game.end is None else describe_final(judged, pictures.pop())
    boards = [*(turn.turn.board for turn in judged.turns), game.final]
    data = {
        "turns": [
            describe_turn(turn, picture, after)
            for turn, picture, (_, after) in zip(
                judged.turns, pictures, pairwise(boards), strict=True
            )
        ],
        "mistakes": [
            {"turn": _position(judged, one.turn), "text": str(one)} for one in judged.mistakes
        ],
        "final": final,
        "end": ending(judged),
        "result": game.result,
    }
    html = render(
        "review.html.j2",
        title=title,
        summary=_summary(session, judged),
        figures=figures_text(session, judged),
        filmed=any("frame" in step for step, _ in steps),
        script=Markup(page_text("review.js")),
        data=script_json(data),
    )
    return Page(title, html)


def _position(judged: JudgedGame, number: int) -> int:
    """Return where a turn stands on the page, counted from 1."""
    return next(at for at, turn in enumerate(judged.turns, start=1) if turn.turn.number == number)


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
