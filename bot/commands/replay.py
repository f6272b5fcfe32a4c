"""``minebot replay``: run a recorded session again and report every difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.parsing import argument, option
from bot.commands.shared import Files, Json
from bot.outputs import check_not_an_input, check_writable
from bot.streams import emit, note
from solver.counting import counted

if TYPE_CHECKING:
    from bot.record.replay import Difference
    from bot.record.session import Session
    from calibration.theme import Theme
    from solver.agents import Agent


@dataclass(frozen=True, kw_only=True)
class Replay(Files, Json):
    """Run calibration, reader and solver again on the frames of a session recorded by
    'minebot play --record DIR', and report every difference from the recorded results. The exit
    code is 1 if there is a difference.

    examples:
      minebot play --screen sim --record session/
      minebot replay session/
      minebot replay session/ --overlay differences/
    """

    session: Path | None = argument(
        "the folder of the recorded session (default: the last one among your data)",
        "SESSION",
        count="?",
    )
    agent: str | None = option(
        "agent that decides again (default: the recorded one if it is built in or installed), or "
        "an agent of your own as FILE.py:Class",
        "NAME",
    )
    theme: str | None = option(
        "program or theme to read with, or a theme file (default: the recorded program)",
        "NAME|FILE.toml",
    )
    overlay: Path | None = option(
        "save in DIR a picture of each step with a difference, with the place marked on it", "DIR"
    )


def agent_and_themes(
    args: Replay, session: Session
) -> tuple[Agent | None, tuple[Theme, ...] | None]:
    """Return the agent and the themes that replace the recorded ones, None for the recorded ones.

    An agent from the configuration is used only if it is the recorded one, and a theme from there
    is ignored: they are meant for all commands.
    """
    from bot.commands.pictures import themes_of
    from bot.record.replay import agent_for, recorded_agent

    agent, theme = args.agent, args.theme
    if "agent" not in args.typed and agent != session.header.agent:
        agent = None
    if "theme" not in args.typed:
        theme = None
    return (
        recorded_agent(session) if agent is None else agent_for(session, agent),
        None if theme is None else themes_of(args.theme),
    )


def run(args: Replay) -> int:
    """Print every difference and a summary."""
    from bot.commands.resolve import last_session
    from bot.record.lines import TurnLine
    from bot.record.replay import is_game_end, names_theme_file, replay
    from bot.record.session import Session, files_of
    from bot.terminal.console import console

    session = Session.load(args.session or last_session())
    if args.overlay is not None:
        path = _first_picture(args.overlay, session)
        check_not_an_input(path, files_of(session.folder))
        check_writable(path, replace=args.force)
    agent, themes = agent_and_themes(args, session)
    if agent is None:
        note(
            f"The moves are not compared: the recording names {session.header.agent!r} as its "
            "agent, which is neither built in nor installed; --agent names one to decide again."
        )
    if themes is None and names_theme_file(session):
        note("The theme file of this recording is not read; --theme names one to read with.")
    count = 0
    for number, together in groupby(
        replay(session, agent=agent, themes=themes), key=attrgetter("step")
    ):
        found = list(together)
        count += len(found)
        _print(found, as_json=args.json)
        if args.overlay is not None:
            _draw(session, number, found, args)
    turns = sum(isinstance(step, TurnLine) for step in session.steps)
    games = [step for step in session.steps if is_game_end(step)]
    if args.json:
        emit({"steps": len(session.steps), "turns": turns, "differences": count})
    else:
        for game in games:
            blame = f", {game.blame}: {game.why}" if game.blame else ""
            console().print(f"Game {game.game}: {game.result}{blame}")
        console().print(
            f"{counted(turns, 'turn')} in {counted(len(session.steps), 'step')} run again, "
            f"{counted(count, 'difference')} found."
        )
    return 1 if count else 0


def _print(differences: Sequence[Difference], *, as_json: bool) -> None:
    """Print the differences of one step."""
    from bot.terminal.console import console

    for one in differences:
        if as_json:
            emit(one.to_json())
        else:
            for sentence in one.sentences():
                console().print(sentence)


def _picture_path(folder: Path, number: int) -> Path:
    return folder / f"step-{number}.png"


def _first_picture(folder: Path, session: Session) -> Path:
    """Return the first picture of a step that exists already, or the path for the first step."""
    paths = [_picture_path(folder, number) for number in range(1, len(session.steps) + 2)]
    return next((path for path in paths if path.exists()), paths[0])


def _draw(session: Session, number: int, differences: Sequence[Difference], args: Replay) -> None:
    """Save a picture of the step with the differences on it, if the step has a frame."""
    from bot.record.lines import PlaceLine
    from bot.record.session import grid_in
    from bot.terminal.pictures import draw_differences, save_picture

    assert args.overlay is not None
    step = session.steps[number - 1] if number <= len(session.steps) else None
    named = getattr(step, "frame", None)
    if named is None:
        return
    frame = session.frame(named)
    before = reversed(session.steps[:number])
    place = next((one for one in before if isinstance(one, PlaceLine)), None)
    grid = None if place is None else grid_in(frame, place)
    picture = draw_differences(frame, grid, differences)
    save_picture(picture, _picture_path(args.overlay, number), replace=args.force)
