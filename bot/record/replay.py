"""Run a recorded session again, on its frames: calibration, reader and solver.

The same frames must give the same grid, the same boards and the same moves; whatever differs
is reported. So a session tells what a change of the program changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.blame import attribute
from bot.errors import BadSession
from bot.eye import known_as, local_calibration
from bot.plan import flag_the_mines
from bot.ports import Button
from bot.rules import rule_of
from bot.session import (
    Session,
    calibration_json,
    decision_json,
    decision_of,
    reading_json,
)
from bot.turn import Click
from calibration.calibrate import Calibration, calibrate
from calibration.errors import CalibrationError, SeveralGrids
from calibration.frame import Frame, PixelPoint, ScreenPoint
from calibration.reader import Reader
from calibration.theme import builtin_themes, themes_named
from solver.agents import Action, Agent, make
from solver.board import Board, Cell
from solver.errors import SolverError
from solver.game import Rule

TOLERANCE = 1e-6
"""Figures that differ by less are the same: nothing random is left in a replay."""


@dataclass(frozen=True)
class Difference:
    """One thing that came out otherwise: in which step (counted from 1), what, and both values."""

    step: int
    what: str
    recorded: Any
    now: Any

    def __str__(self) -> str:
        return f"Step {self.step}: {self.what} was {self.recorded}, is {self.now} now."


def agent_of(session: Session) -> Agent:
    """Make the agent that played. Raises `BadSession`."""
    try:
        agent = session.header["agent"]
        themes = {theme.name: theme for theme in builtin_themes()}
        played = [step for step in session.steps if step["kind"] == "calibrated"]
        theme = themes.get(played[0]["calibration"]["theme"]) if played else None
        rule = Rule(agent["rule"]) if agent["rule"] else rule_of(theme)
        return make(agent["name"], seed=agent["seed"], rule=rule)
    except (KeyError, TypeError, ValueError, SolverError) as error:
        raise BadSession(f"The session's agent cannot be made again: {error}") from error


def replay(session: Session) -> Iterator[Difference]:
    """Run every step again and yield every difference.

    Raises `BadSession` for a step that cannot be read.
    """
    agent = agent_of(session)
    eyes: _Eyes | None = None
    last: Mapping[str, Any] | None = None
    for number, step in enumerate(session.steps, start=1):
        try:
            kind = step["kind"]
            if kind == "calibrated":
                frame = session.frame(step)
                now, calibration = _calibrate(frame, step, session, eyes.whole if eyes else None)
                yield from _differences(number, step["calibration"], now)
                eyes = _Eyes(frame, calibration) if calibration else None
            if kind in ("turn", "game") and "board" in step and eyes is not None:
                now = eyes.read(session.frame(step), same_game=step.get("turn") != 1)
                yield from _differences(number, step, now, ("board", "status", "mines_left"))
            if kind == "turn":
                yield from _decision(number, step, agent)
                last = step
            if kind == "game" and "blame" in step and last is not None:
                yield from _differences(number, step, {"blame": blame_of(last, step)}, ("blame",))
        except (KeyError, TypeError, ValueError) as error:
            raise BadSession(f"Step {number} of the session cannot be read: {error}.") from error


class _Eyes:
    """The reader of the frames that follow a calibration."""

    def __init__(self, screen: Frame, whole: Calibration) -> None:
        self._screen, self.whole = screen, whole
        self._readers: dict[Calibration, Reader] = {}

    def read(self, frame: Frame, *, same_game: bool) -> dict[str, Any]:
        """Read a frame as play did: by one reader that remembers what it learned."""
        local = local_calibration(self.whole, self._screen, frame)
        reader = self._readers.setdefault(local, Reader(local))
        try:
            return reading_json(reader.read(frame, same_game=same_game))
        except CalibrationError as error:
            return {"error": type(error).__name__}


def _calibrate(
    frame: Frame, step: Mapping[str, Any], session: Session, before: Calibration | None
) -> tuple[dict[str, Any], Calibration | None]:
    """Calibrate again; with several boards on the screen, the one that was played."""
    options = session.header.get("options", {})
    mines, theme = options.get("mines"), options.get("theme")
    themes = None if theme is None else themes_named(theme)
    try:
        try:
            calibration = calibrate(frame, mines=mines, themes=themes)
        except SeveralGrids:
            centre = _centre(step["calibration"])
            calibration = calibrate(frame, near=centre, mines=mines, themes=themes)
    except CalibrationError as error:
        return {"error": type(error).__name__}, None
    calibration = known_as(calibration, before)
    return calibration_json(calibration), calibration


def _centre(grid: Mapping[str, Any]) -> PixelPoint:
    return PixelPoint(
        grid["x0"] + grid["cols"] * grid["tile_w"] / 2,
        grid["y0"] + grid["rows"] * grid["tile_h"] / 2,
    )


def _decision(number: int, step: Mapping[str, Any], agent: Agent) -> Iterator[Difference]:
    """Decide again on the board as recorded, so that a misread is told only once."""
    board = Board.from_text("\n".join(step["board"]), step["mines"])
    recorded = decision_of(step["decision"])
    only_flags = all(move.action is Action.FLAG for move in recorded.moves)
    try:
        decision = flag_the_mines(board) if only_flags else agent.decide(board)
        now: dict[str, Any] = decision_json(decision)
    except SolverError as error:
        now = {"error": type(error).__name__}
    yield from _differences(number, decision_json(recorded), now)


def _differences(
    number: int,
    recorded: Mapping[str, Any],
    now: Mapping[str, Any],
    keys: tuple[str, ...] | None = None,
) -> Iterator[Difference]:
    if "error" in now:
        yield Difference(number, "the result", "no error", now["error"])
        return
    for key in keys or recorded:
        if not _same(recorded[key], now.get(key)):
            yield Difference(number, key, recorded[key], now.get(key))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, int | float):
        return abs(one - other) <= TOLERANCE
    return bool(one == other)


def blame_of(last: Mapping[str, Any], game: Mapping[str, Any]) -> str:
    """Say again why a lost ``game`` was lost, from its ``last`` turn."""
    clicks = [
        Click(Cell(*click["cell"]), ScreenPoint(*click["point"]), Button(click["button"]))
        for click in last["clicks"]
    ]
    board = Board.from_text("\n".join(last["board"]), last["mines"])
    final = Board.from_text("\n".join(game["board"]))
    return attribute(board, decision_of(last["decision"]), clicks, final)[0].value
