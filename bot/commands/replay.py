"""``minebot replay``: run a recorded session again."""

from __future__ import annotations

import argparse

from bot.commands.pictures import themes_of
from bot.commands.recording import last_session
from bot.config import Configured
from bot.record.games import agent_of
from bot.record.replay import agent_for, names_theme_file, recorded_agent, replay
from bot.record.session import Session
from bot.terminal.console import console
from bot.terminal.output import emit, note
from calibration.theme import Theme
from solver.agents import Agent
from solver.counting import counted


def chosen(
    args: argparse.Namespace, session: Session
) -> tuple[Agent | None, tuple[Theme, ...] | None]:
    """Return the agent that decides again and the themes to read with, None for what is recorded.

    What the configuration names for all commands counts where it is what was recorded.
    """
    agent, theme = args.agent, args.theme
    if isinstance(agent, Configured) and agent != agent_of(session):
        agent = None
    if isinstance(theme, Configured):
        theme = None
    return (
        recorded_agent(session) if agent is None else agent_for(session, agent),
        None if theme is None else themes_of(args),
    )


def run(args: argparse.Namespace) -> int:
    """Print every difference and a summary."""
    session = Session.load(args.session or last_session())
    agent, themes = chosen(args, session)
    if agent is None:
        note(
            f"The moves are not compared: the recording names {agent_of(session)!r} as its agent, "
            "which is neither built in nor installed; --agent names one to decide again."
        )
    if themes is None and names_theme_file(session):
        note("The theme file of this recording is not read; --theme names one to read with.")
    found = 0
    for difference in replay(session, agent=agent, themes=themes):
        found += 1
        if args.json:
            emit(vars(difference))
        else:
            console().print(str(difference))
    turns = sum(step.get("kind") == "turn" for step in session.steps)
    games = [step for step in session.steps if step.get("kind") == "game"]
    if args.json:
        emit({"steps": len(session.steps), "turns": turns, "differences": found})
    else:
        for game in games:
            blame = f", {game['blame']}: {game.get('why', '')}" if "blame" in game else ""
            console().print(f"Game {game['game']}: {game['result']}{blame}")
        console().print(
            f"{counted(turns, 'turn')} in {counted(len(session.steps), 'step')} run again, "
            f"{counted(found, 'difference')} found."
        )
    return 1 if found else 0
