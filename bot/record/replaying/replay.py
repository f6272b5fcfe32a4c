"""Run a recorded session again on its frames: calibration, reader and solver.

The same frames must give the same grid, the same boards and the same moves; every difference is
reported. In this way a session shows what a change of the code changes in play.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.desktop.ports import Button
from bot.errors import BadSession
from bot.events import Blame, Click
from bot.mouse.plan import flag_the_mines
from bot.play.blame import explain_loss
from bot.play.first_click import first_click_rule
from bot.record.entries import calibration_json, decision_json, decision_of, reading_json
from bot.record.games import agent_of
from bot.record.replaying.differences import CUT_OFF, Difference, place_of
from bot.record.session import Session
from bot.tracking.places import (
    calibration_in_region,
    cut_as_before,
    is_moved,
    keep_known_theme,
)
from calibration.calibration import Calibration, calibrate
from calibration.errors import CalibrationError, SeveralGrids
from calibration.frame import Frame
from calibration.memory import FreshBoard, Memory
from calibration.points import PixelPoint, ScreenPoint
from calibration.reader import Reader
from calibration.theme import LEARNED, Theme, builtin_themes
from solver.agents import Action, Agent, make_agent
from solver.agents.registry import may_be_recorded
from solver.agents.tank import decide
from solver.board import Board, Cell, Tile
from solver.errors import SolverError, UnknownAgent
from solver.game import Rule

TOLERANCE = 1e-6
"""Largest difference of two equal figures; a replay has no randomness."""


def recorded_themes(session: Session) -> tuple[Theme, ...] | None:
    """Return the built-in themes that the session was played with, None for all.

    A theme file that a recording names is not read: it is a place on another machine.
    """
    named = session.header.get("options", {}).get("theme")
    if named is None:
        return None
    return (
        tuple(theme for theme in builtin_themes() if named in (theme.name, theme.program)) or None
    )


def names_theme_file(session: Session) -> bool:
    """Whether a session was played with a theme file."""
    return str(session.header.get("options", {}).get("theme")).endswith(".toml")


def _player(session: Session) -> Mapping[str, Any]:
    """Return what the header says of the agent, empty if it names none."""
    agent = session.header.get("agent")
    return agent if isinstance(agent, Mapping) else {}


def recorded_rule(session: Session) -> Rule:
    """Return the first-click rule of the session: as its header says, or as its program has it."""
    if rule := _player(session).get("rule"):
        return Rule(rule)
    themes = {theme.name: theme for theme in recorded_themes(session) or builtin_themes()}
    played = [step for step in session.steps if step["kind"] == "calibrated"]
    return first_click_rule(themes.get(played[0]["calibration"]["theme"]) if played else None)


def recorded_agent(session: Session) -> Agent | None:
    """Make the agent that played the session; None if a recording may not name it.

    A recording may come from anybody, so it names no file to run or to read: a built-in agent, or
    an installed one by its name alone.
    """
    if not may_be_recorded(agent_of(session)):
        return None
    try:
        return agent_for(session, agent_of(session))
    except UnknownAgent:  # an option that this agent does not have
        return None


def agent_for(session: Session, name: str) -> Agent:
    """Make an agent with the seed and the first-click rule of a session. Raises `SolverError`."""
    seed = _player(session).get("seed") or 0
    return make_agent(name, seed=seed, rule=recorded_rule(session))


def replay(
    session: Session, *, agent: Agent | None = None, themes: Sequence[Theme] | None = None
) -> Iterator[Difference]:
    """Run every step again and yield all differences.

    ``agent`` decides again, and ``themes`` are those to read with; without them, those that the
    recording may name. Where it may not name its agent, the moves are not compared. Raises
    `BadSession` for a step that cannot be read.
    """
    games = len({step["game"] for step in session.steps if step["kind"] == "turn"})
    for one in _differences(session, agent or recorded_agent(session), themes):
        cut_off = one.what == CUT_OFF
        place = "the last line" if cut_off else place_of(session.steps[one.step - 1], games=games)
        yield replace(one, place=place)


def _differences(
    session: Session, agent: Agent | None, themes: Sequence[Theme] | None
) -> Iterator[Difference]:
    """Yield all differences, as yet without the names of their places."""
    left_out = {"theme"} if names_theme_file(session) and themes is None else set()
    themes = themes or recorded_themes(session)
    if session.cut_off:
        yield Difference(len(session.steps) + 1, CUT_OFF, "cut short", "left out")
    frame_reader: _FrameReader | None = None
    last: Mapping[str, Any] | None = None
    for number, step in enumerate(session.steps, start=1):
        try:
            kind = step["kind"]
            if kind == "calibrated":
                frame = session.frame(step)
                now, calibration = _calibrate(
                    frame, step, session, themes, frame_reader.on_screen if frame_reader else None
                )
                place = _without_kept_look(step["calibration"])
                compared = tuple(key for key in place if key not in left_out)
                yield from _compare(number, place, now, compared)
                frame_reader = (
                    _FrameReader(frame, calibration, frame_reader) if calibration else None
                )
            if kind in ("turn", "game") and "board" in step and frame_reader is not None:
                frame_reader.survived = _survived(step if kind == "turn" else last)
                now = frame_reader.read(
                    session.frame(step), same_game=step.get("turn") != 1, in_turn=kind == "turn"
                )
                yield from _compare(number, step, now, ("board", "status", "mines_left"))
            if kind == "turn":
                if agent is not None:
                    yield from _compare_decision(number, step, agent)
                last = step
            # A game whose last board could not be read has a blame, but no board to find it from.
            if kind == "game" and {"blame", "board"} <= step.keys() and last is not None:
                now = {"blame": blame_of(last, step)}
                if not _is_finer(step["blame"], now["blame"]):
                    yield from _compare(number, step, now, ("blame",))
        except (KeyError, TypeError, ValueError, SolverError) as error:
            raise BadSession(
                f"Step {number} of {session.folder} cannot be read: {error}."
            ) from error


class _FrameReader:
    """Reads the frames that follow a calibration; ``before`` read those before it.

    ``fresh`` is the board before the first click, as in `Reader`, and ``survived``
    the mines that took a life in the game so far.
    """

    survived: frozenset[Cell] = frozenset()

    def __init__(self, screen: Frame, on_screen: Calibration, before: _FrameReader | None) -> None:
        self._screen, self.on_screen = screen, on_screen
        self._readers: dict[Calibration, tuple[Reader, Memory]] = {}
        self.fresh: FreshBoard | None = None
        if before is not None and is_moved(on_screen.grid, before.on_screen.grid):
            self.fresh = before.fresh

    def read(self, frame: Frame, *, same_game: bool, in_turn: bool) -> dict[str, Any]:
        """Read a frame as in play, with one reader that remembers what it learned.

        In a turn a mine that took a life stays known, though the program hides it again.
        """
        local = calibration_in_region(self.on_screen, self._screen, frame)
        x0, y0, x1, y1 = local.grid.bounds
        if min(x0, y0) < 0 or x1 > frame.width or y1 > frame.height:
            raise ValueError("the board lies outside of the frame")
        reader, memory = self._readers.get(local) or _begin(local, self.fresh)
        memory = replace(memory, survived=self.survived)
        result, memory = reader.read(frame, memory, same_game=same_game)
        self._readers[local], self.fresh = (reader, memory), memory.fresh
        if isinstance(result, CalibrationError):
            return {"error": type(result).__name__}
        known = result.board.with_known_mines(self.survived if in_turn else ())
        return reading_json(replace(result, board=known))


def _begin(calibration: Calibration, fresh: FreshBoard | None) -> tuple[Reader, Memory]:
    reader = Reader(calibration)
    return reader, reader.begin(fresh)


def _survived(turn: Mapping[str, Any] | None) -> frozenset[Cell]:
    """Return the mines that the board of a turn shows: the game went on after them."""
    rows = enumerate(turn["board"] if turn else ())
    return frozenset(
        Cell(row, col) for row, text in rows for col, tile in enumerate(text) if tile in "*X"
    )


def _calibrate(
    frame: Frame,
    step: Mapping[str, Any],
    session: Session,
    themes: Sequence[Theme] | None,
    before: Calibration | None,
) -> tuple[dict[str, Any], Calibration | None]:
    """Calibrate again, on the board that was played if the screen shows several."""
    mines = session.header.get("options", {}).get("mines")
    try:
        try:
            calibration = calibrate(frame, mines=mines, themes=themes)
        except SeveralGrids:
            centre = _board_centre(step["calibration"])
            calibration = calibrate(frame, near=centre, mines=mines, themes=themes)
    except CalibrationError as error:
        return {"error": type(error).__name__}, None
    calibration = keep_known_theme(calibration, before)
    if before is not None:
        calibration = cut_as_before(calibration, before.grid)
    return calibration_json(calibration), calibration


def _without_kept_look(calibration: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out which look of earlier games was known; those kept today may be others."""
    kept = str(calibration["theme"]).startswith(f"{LEARNED}/")
    return {**calibration, "theme": LEARNED} if kept else calibration


def _board_centre(grid: Mapping[str, Any]) -> PixelPoint:
    return PixelPoint(
        grid["x0"] + grid["cols"] * grid["tile_w"] / 2,
        grid["y0"] + grid["rows"] * grid["tile_h"] / 2,
    )


def _compare_decision(number: int, step: Mapping[str, Any], agent: Agent) -> Iterator[Difference]:
    """Decide again on the recorded board, so that a misread tile counts only once."""
    board = Board.from_text("\n".join(step["board"]), step["mines"])
    recorded = decision_of(step["decision"])
    only_flags = all(move.action is Action.FLAG for move in recorded.moves)
    try:
        decision = flag_the_mines(board) if only_flags else decide(agent, board)
        if only_flags and len(recorded.moves) == 1:  # a first flag is tried
            decision = replace(decision, moves=decision.moves[:1])
        now: dict[str, Any] = decision_json(decision)
    except SolverError as error:
        now = {"error": type(error).__name__}
    yield from _compare(number, decision_json(recorded), now)


def _compare(
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


def _is_finer(recorded: str, now: str) -> bool:
    """Whether today's blame is a finer one: recordings of before know no mistakes of guesses."""
    return (recorded, now) == (Blame.BAD_LUCK.value, Blame.MISTAKE.value)


def blame_of(last: Mapping[str, Any], game: Mapping[str, Any]) -> str:
    """Find again why a lost ``game`` was lost, from its ``last`` turn."""
    clicks = [
        Click(Cell(*click["cell"]), ScreenPoint(*click["point"]), Button(click["button"]))
        for click in last["clicks"]
    ]
    board = Board.from_text("\n".join(last["board"]), last["mines"])
    tiles = Board.from_text("\n".join(game["board"])).tiles.copy()
    for row, col in game.get("unsure", ()):
        if row < tiles.shape[0] and col < tiles.shape[1]:
            tiles[row, col] = Tile.UNKNOWN
    final = Board(tiles)
    return explain_loss(board, decision_of(last["decision"]), clicks, final)[0].value
