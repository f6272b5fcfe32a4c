"""Sum up games: those of one run, and all recorded games by program, size and agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import Any

from bot.errors import BadSession
from bot.events import Blame, GameResult, Outcome
from bot.play.progress import certainly_safe
from bot.record.game_files import is_game_file, load_session
from bot.record.games import Kind, RecordedGame, games_of, judge_turn
from bot.record.lines import EndLine
from bot.record.session import LINES_FILE, Session
from solver.arena.charts import pyplot, save_figure
from solver.arena.statistics import wilson
from solver.difficulty import Difficulty, difficulty_of, mines_of
from solver.errors import MissingExtra


@dataclass(frozen=True)
class GameFacts:
    """The figures of one game. Its ``difficulty`` is None if not all mines are known.

    ``chance`` and ``guesses`` are None if no agent judged the moves, as in files of other programs.
    """

    program: str
    size: str
    agent: str
    result: str
    chance: float | None
    seconds: float
    clicks: int
    guesses: int | None
    difficulty: Difficulty | None
    blame: str | None

    @property
    def bv(self) -> int | None:
        """The 3BV, None if not all mines are known."""
        return None if self.difficulty is None else self.difficulty.bv


@dataclass
class Group:
    """The games of one program, size and agent. Stopped games count in neither wins nor losses."""

    program: str
    size: str
    agent: str
    games: list[GameFacts] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Sum up the games; see docs/json.md."""
        ended = [game for game in self.games if game.result in ("won", "lost")]
        won = [game for game in ended if game.result == "won"]
        rate = wilson(len(won), len(ended)) if ended else None
        causes = Counter(game.blame or "unknown" for game in ended if game.result == "lost")
        timed = [game for game in won if game.bv and game.seconds > 0]
        bv, clicks = sum(game.bv or 0 for game in timed), sum(game.clicks for game in timed)
        seconds = sum(game.seconds for game in timed)
        zini = sum(game.difficulty.zini for game in timed if game.difficulty)
        chances = [game.chance for game in ended if game.chance is not None]
        expected = sum(chances) if len(chances) == len(ended) else None
        guesses = [game.guesses for game in self.games if game.guesses is not None]
        return {
            "program": self.program,
            "size": self.size,
            "agent": self.agent,
            "games": len(self.games),
            "wins": len(won),
            "losses": len(ended) - len(won),
            "stopped": len(self.games) - len(ended),
            "win_rate": rate.value if rate else None,
            "ci95": list(rate.ci95) if rate else None,
            "expected_wins": None if expected is None else round(expected, 2),
            "luck": None if expected is None else round(len(won) - expected, 2),
            "causes": dict(causes),
            "clicks": sum(game.clicks for game in self.games),
            "guesses": sum(guesses) if guesses else None,
            "seconds": round(sum(game.seconds for game in self.games), 2),
            "bv": bv,
            "bv_per_s": round(bv / seconds, 3) if seconds else None,
            "efficiency": round(bv / clicks, 3) if clicks else None,
            "zini": zini,
            "zini_efficiency": round(zini / clicks, 3) if clicks else None,
        }


def find_sessions(place: Path) -> Iterator[Path]:
    """Yield the folders below a folder, itself included, that hold a session, and game files.

    A path of a file is yielded whatever the file contains.
    """
    if place.is_file():
        yield place
        return
    sessions = (path.parent for path in place.rglob(LINES_FILE))
    yield from sorted([*sessions, *filter(is_game_file, place.rglob("*.*"))])


def facts_of(session: Session) -> list[GameFacts]:
    """Read the figures of each game of a session. Raises `BadSession`."""
    return [facts_of_game(game, session.header.agent) for game in games_of(session) if game.turns]


def group(facts: Iterable[GameFacts]) -> list[Group]:
    """Group games by program, size and agent, in alphabetical order."""
    groups: dict[tuple[str, str, str], Group] = {}
    for game in facts:
        key = (game.program, game.size, game.agent)
        groups.setdefault(key, Group(*key)).games.append(game)
    return [groups[key] for key in sorted(groups)]


def facts_of_game(game: RecordedGame, agent: str) -> GameFacts:
    """Read the figures of one game."""
    end = game.end or EndLine()
    first = game.turns[0].board if game.turns else game.final
    final = game.final
    total = first.mines if first else None
    layout = None if final is None else mines_of(final.with_mines(total))
    return GameFacts(
        game.program,
        game.size,
        agent,
        game.result,
        end.chance,
        end.seconds or 0.0,
        sum(len(turn.clicks) for turn in game.turns) if end.clicks is None else end.clicks,
        end.guesses,
        None if layout is None else difficulty_of(layout),
        _blame(game),
    )


def _blame(game: RecordedGame) -> str | None:
    """Return why a game was lost; if that was not recorded, it is derived from the last turn.

    Older recordings call a guess bad luck even if a cell was safe.
    """
    blame = game.end.blame if game.end else None
    if blame == Blame.BAD_LUCK.value and game.turns and certainly_safe(game.turns[-1].board):
        return Blame.MISTAKE.value
    if blame is not None or game.result != "lost" or not game.turns:
        return blame
    last = judge_turn(game.turns[-1])
    if any(one.kind is not Kind.TIME_LOST for one in last.mistakes):
        return Blame.MISTAKE.value
    return Blame.BAD_LUCK.value if last.survival < 1.0 else None


def load_all(places: Sequence[Path]) -> tuple[list[GameFacts], list[str]]:
    """Read every session and game file in some places; return the games, and the errors.

    Raises `BadSession` if there is no session, or none with a game.
    """
    facts: list[GameFacts] = []
    troubles: list[str] = []
    found = list(dict.fromkeys(path for place in places for path in find_sessions(place)))
    named = " and ".join(map(str, places))
    if not found:
        raise BadSession(f"{named} holds no recorded session: record games with --record.")
    for path in found:
        try:
            facts += facts_of(load_session(path))
        except (BadSession, MissingExtra) as error:
            troubles.append(str(error))
    if not facts and not troubles:
        raise BadSession(f"{named} holds no recorded game: nothing was played in its sessions.")
    if not facts and len(troubles) == 1:
        raise BadSession(troubles[0])
    return facts, troubles


def summary_json(results: Sequence[GameResult]) -> dict[str, Any]:
    """Count the games. ``ci95`` is the 95 % Wilson interval of the win rate.

    Stopped games count neither for the rate nor for the interval; both are None if no game was
    won or lost.
    """
    won = sum(result.outcome is Outcome.WON for result in results)
    lost = sum(result.outcome is Outcome.LOST for result in results)
    rate = wilson(won, won + lost) if won + lost else None
    blames = [result.blame.value for result in results if result.blame is not None]
    return {
        "games": len(results),
        "wins": won,
        "losses": lost,
        "stopped": len(results) - won - lost,
        "win_rate": None if rate is None else rate.value,
        "ci95": None if rate is None else list(rate.ci95),
        "seconds": round(sum(result.seconds for result in results), 3),
        "blame": {blame: blames.count(blame) for blame in dict.fromkeys(blames)},
    }


def summary_line(results: Sequence[GameResult]) -> str:
    """Return the summary as one sentence."""
    data = summary_json(results)
    line = f"{data['wins']} won, {data['losses']} lost"
    if data["stopped"]:
        line += f", {data['stopped']} not finished"
    if data["ci95"] is not None and data["wins"] + data["losses"] > 1:
        low, high = data["ci95"]
        line += (
            f": {100 * data['win_rate']:.1f} % ({100 * low:.1f} % to {100 * high:.1f} % with 95 % "
            "confidence)"
        )
    if data["blame"]:
        line += "; lost by " + ", ".join(f"{kind} {n}x" for kind, n in data["blame"].items())
    return line + "."


def draw_wins(rows: Sequence[Mapping[str, Any]], path: Path, *, replace: bool = False) -> None:
    """Draw each group's win rate as a bar with the 95 % interval, and the expected rate as a mark.

    Raises `BadResults` where the file cannot be written, `MissingExtra` without matplotlib.
    """
    plt = pyplot()
    played = [row for row in rows if row["win_rate"] is not None]
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.45 * max(1, len(played))), layout="constrained")
    places = range(len(played))
    rates = [row["win_rate"] for row in played]
    below = [row["win_rate"] - row["ci95"][0] for row in played]
    above = [row["ci95"][1] - row["win_rate"] for row in played]
    expected = [
        nan
        if row["expected_wins"] is None
        else row["expected_wins"] / (row["wins"] + row["losses"])
        for row in played
    ]
    axes.barh(places, rates, height=0.6, color="#4c78a8", label="games won (95 %)")
    axes.errorbar(rates, places, xerr=(below, above), fmt="none", ecolor="#333333", capsize=3)
    label = "expected from the chances survived"
    axes.plot(expected, places, "D", color="#e45756", label=label, clip_on=False, zorder=3)
    for place, row in zip(places, played, strict=True):
        label = f"{row['wins']} of {row['wins'] + row['losses']}"
        axes.annotate(label, (1, place), (8, 0), textcoords="offset points", va="center")
    axes.set_yticks(places, [f"{row['program']} {row['size']}, {row['agent']}" for row in played])
    axes.invert_yaxis()
    axes.set(xlim=(0, 1))
    axes.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(frameon=False, loc="outside lower center", ncols=2)
    save_figure(figure, path, replace=replace)
