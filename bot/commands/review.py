"""``minebot review``: make a page of each recorded game, with its mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands.parsing import argument, option
from bot.commands.shared import Files, Json, positive_number
from bot.errors import BadSession, UsageError
from bot.outputs import check_not_an_input, check_writable, write_output
from bot.streams import emit, note
from solver.counting import counted

if TYPE_CHECKING:
    from bot.record.games import JudgedGame, Mistake
    from bot.record.session import Session


@dataclass(frozen=True, kw_only=True)
class Review(Files, Json):
    """Review recorded games: every move is compared with the best one, and each game becomes one
    HTML page that needs no network. Several games, or several sessions, make a folder with an index
    and a page for each game. Games that other programs saved can be reviewed, too: .avf
    (Minesweeper Arbiter), .evf (Metasweeper), .rmv (Viennasweeper), .mvf (Minesweeper Clone 0.97)
    and .rawvf (text, into which others can be converted).

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
        "page next to the game file)",
        "OUT",
        short="-o",
    )
    game: int | None = option("review only the game of this number", "N", read=positive_number)
    gif: Path | None = option("make a clip of the game too (.gif)", "FILE")


MOST_MISTAKES = 10
"""How many mistakes of a game the terminal lists, the costliest ones; the page lists all."""


def run(args: Review) -> int:
    """Judge the games, write the pages, and list the mistakes."""
    from bot.commands.resolve import last_session
    from bot.record.game_files import is_game_file

    sessions = args.sessions or [last_session()]
    output = args.output
    if output is None and not args.json:
        output = page_of(sessions[0])
    named = args.output is not None
    in_session = not named and not is_game_file(sessions[0])
    return review_sessions(
        sessions,
        output=output,
        as_json=args.json,
        named=named,
        number=args.game,
        clip=args.gif,
        replace=args.force or in_session,
        replace_clip=args.force,
    )


def page_of(session: Path) -> Path:
    """Return where the page is written: in the session, or next to a game file."""
    from bot.record.game_files import is_game_file

    return session.with_suffix(".html") if is_game_file(session) else session / "review.html"


def inputs_of(session: Path) -> tuple[Path, ...]:
    """Return the files that a review of a session reads."""
    from bot.record.game_files import is_game_file
    from bot.record.session import files_of

    return (session,) if is_game_file(session) else files_of(session)


def review_sessions(
    folders: Sequence[Path],
    *,
    output: Path | None,
    as_json: bool,
    named: bool = False,
    number: int | None = None,
    clip: Path | None = None,
    replace: bool = False,
    replace_clip: bool = False,
) -> int:
    """Print what the games of some sessions could have done better; draw pages to ``output``.

    Several games make a folder of pages with an index; ``named`` says that a person named
    ``output``, which then must be a folder. With a ``number``, only the game of this number counts;
    ``clip`` is a file for an animation of it. A page may replace another file only with
    ``replace``, a clip only with ``replace_clip``. If one of several sessions cannot be read, it is
    left out with a note. Raises `BadSession` if none can be read, and `UsageError` if a page cannot
    be written or would replace a recording.
    """
    from bot.failures import USAGE
    from bot.terminal.clips import check_clip_path, make_clip

    for path in filter(None, (output, clip)):
        check_not_an_input(path, (file for folder in folders for file in inputs_of(folder)))
    if output is not None and (output.is_file() or (named and not output.is_dir())):
        check_writable(output, replace=replace)
    if clip is not None:
        check_clip_path(clip)
        check_writable(clip, replace=replace_clip)
    judged, troubles = _judged(folders, number)
    if clip and len(judged) > 1:
        raise UsageError(f"A clip shows one game of {len(judged)}: name it with --game N.")
    several = len({session.folder for session, _ in judged}) > 1
    for session, game in judged:
        if as_json:
            emit(game_json(session, game))
        else:
            _print(session, game, f"{session.folder.name}, game" if several else "Game")
    if output is not None:
        if named and len(judged) > 1 and output.suffix == ".html":
            raise UsageError(f"{len(judged)} games make a folder of pages: name a folder with -o.")
        note(f"The page is {_write(judged, output, replace=replace)}.")
    if clip is not None:
        write_output(clip, make_clip(*judged[0]), replace=replace_clip)
        note(f"The clip is {clip}.")
    return USAGE if troubles else 0


def _judged(
    folders: Sequence[Path], number: int | None
) -> tuple[list[tuple[Session, JudgedGame]], list[BadSession]]:
    """Judge the games, or those of one number; also return what prevented reading others.

    Raises `BadSession` if none can be read, `UsageError` if nothing was played.
    """
    from bot.record.game_files import load_session
    from bot.record.games import games_of, judge

    judged: list[tuple[Session, JudgedGame]] = []
    troubles: list[BadSession] = []
    for folder in folders:
        try:
            session = load_session(folder)
            games = [game for game in games_of(session) if number in (None, game.number)]
            judged += [(session, judge(game)) for game in games if game.turns]
        except BadSession as error:
            troubles.append(error)
    if troubles and not judged:
        raise troubles[0]
    for trouble in troubles:
        note(f"Left out: {trouble}")
    if not judged:
        which = "in these sessions" if number is None else f"in a game {number} of these sessions"
        raise UsageError(f"There is no turn to review: nothing was played {which}.")
    return judged, troubles


def _write(judged: Sequence[tuple[Session, JudgedGame]], output: Path, *, replace: bool) -> Path:
    """Write one page, or a folder of pages with an index; return the file to open."""
    from bot.record.pages import IndexedGame, build_index, build_page

    if len(judged) == 1:
        path = output / "review.html" if output.is_dir() else output
        _save(path, build_page(*judged[0]), replace=replace)
        return path
    folder = output.with_suffix("") if output.suffix == ".html" else output
    names = [f"game-{number:03d}.html" for number in range(1, len(judged) + 1)]
    for name in (*names, "index.html"):
        check_writable(folder / name, replace=replace)
    entries = []
    for name, (session, game) in zip(names, judged, strict=True):
        _save(folder / name, build_page(session, game), replace=replace)
        entries.append(IndexedGame(name, session, game))
    _save(folder / "index.html", build_index(entries), replace=replace)
    return folder / "index.html"


def _save(path: Path, html: str, *, replace: bool) -> None:
    """Write a page completely or not at all. Raises `UsageError` or `CannotWrite`."""
    if path.parent.is_symlink():
        raise UsageError(f"{path.parent} is a link, which is not followed: name a folder with -o.")
    write_output(path, html, replace=replace)


def game_json(session: Session, judged: JudgedGame) -> dict[str, Any]:
    """Describe a judged game as ``review --json`` prints it."""
    from bot.record.statistics import facts_of_game

    difficulty = facts_of_game(judged.game, session.header.agent).difficulty
    return {
        "session": str(session.folder),
        "game": judged.game.number,
        "program": judged.game.program,
        "result": judged.game.result,
        "turns": len(judged.turns),
        "guesses": judged.guesses,
        "chance": judged.chance,
        "cause": judged.cause or None,
        "mistakes": [mistake_json(one) for one in judged.mistakes],
        "difficulty": difficulty and difficulty.to_json(),
    }


def mistake_json(mistake: Mistake) -> dict[str, Any]:
    """Describe a mistake; ``cost`` is in shares of 1."""
    return {
        "turn": mistake.turn,
        "kind": mistake.kind.value,
        "text": mistake.text,
        "cost": mistake.cost,
        "cost_in": "survival" if mistake.in_survival else "win",
        "best": None if mistake.best is None else list(mistake.best),
    }


def _print(session: Session, judged: JudgedGame, name: str) -> None:
    from bot.record.pages import figures_text
    from bot.terminal.console import console

    game = judged.game
    reason = game.ending if game.result in ("stopped", "unfinished") else judged.cause
    console().print(f"{name} {game.number}: {game.result}. {reason}".rstrip())
    console().print(f"  {figures_text(session, judged)}")
    worst = sorted(judged.mistakes, key=lambda one: -one.cost)[:MOST_MISTAKES]
    for one in judged.mistakes:
        if one in worst:
            console().print(f"  turn {one.turn}: {one}")
    if not judged.mistakes:
        console().print("  no mistakes")
    if rest := len(judged.mistakes) - len(worst):
        more = counted(rest, "more mistake")
        console().print(f"  and {more}, none costlier: see the page, or use --json")
