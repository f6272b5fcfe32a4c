"""Run a recorded session again on its frames: calibration, reader and solver.

The same frames must give the same grid, the same boards and the same moves; every difference is
reported. In this way a session shows what a change of the code changes in play.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from bot.desktop.ports import Button
from bot.errors import BadSession
from bot.events import Blame, Click
from bot.mouse.plan import flag_the_mines
from bot.options import first_click_rule
from bot.play.progress import explain_loss
from bot.record import lines
from bot.record.session import Session
from bot.tracking.places import calibration_in_region, cut_as_before, is_moved, keep_known_theme
from calibration import Calibration, CalibrationError, Frame, PixelPoint, SeveralGrids, calibrate
from calibration.classify.refusals import TILE_NAMES
from calibration.reader import Reader
from calibration.reading import FreshBoard, Memory
from calibration.theme import Theme, builtin_themes
from solver import Action, Agent, Rule, make_agent
from solver.agents.registry import may_be_recorded
from solver.agents.tank import decide
from solver.board import TEXT_OF_TILE, Board, Cell, Tile
from solver.counting import counted, percent
from solver.errors import SolverError, UnknownAgent

TOLERANCE = 1e-6
"""Largest difference of two equal figures; a replay has no randomness."""


def recorded_themes(session: Session) -> tuple[Theme, ...] | None:
    """Return the built-in themes that the session was played with, None for all.

    A theme file that a recording names is not read: its path belongs to another machine.
    """
    named = session.header.theme
    if named is None:
        return None
    return (
        tuple(theme for theme in builtin_themes() if named in (theme.name, theme.program)) or None
    )


def names_theme_file(session: Session) -> bool:
    """Whether a session was played with a theme file."""
    return (session.header.theme or "").endswith(".toml")


def recorded_rule(session: Session) -> Rule:
    """Return the first-click rule of the session: the one in its header, or of its program."""
    if session.header.rule is not None:
        return session.header.rule
    themes = {theme.name: theme for theme in recorded_themes(session) or builtin_themes()}
    played = [step.theme for step in session.steps if isinstance(step, lines.PlaceLine)]
    return first_click_rule(themes.get(played[0]) if played else None)


def recorded_agent(session: Session) -> Agent | None:
    """Make the agent that played the session; None if a recording may not name it.

    A recording may come from anyone, so it must not name a file to run or to read, but only a
    built-in agent, or an installed one by its name.
    """
    if not may_be_recorded(session.header.agent):
        return None
    try:
        return agent_for(session, session.header.agent)
    except UnknownAgent:  # an unknown option of the agent
        return None


def agent_for(session: Session, name: str) -> Agent:
    """Make an agent with the seed and the first-click rule of a session. Raises `SolverError`."""
    return make_agent(name, seed=session.header.seed or 0, rule=recorded_rule(session))


def replay(
    session: Session, *, agent: Agent | None = None, themes: Sequence[Theme] | None = None
) -> Iterator[Difference]:
    """Run every step again and yield all differences.

    ``agent`` decides again, and ``themes`` are the themes to read with; by default those of the
    recording, if they are allowed. If its agent is not, the moves are not compared. Raises
    `BadSession` for a step that cannot be read.
    """
    games = len({step.game for step in session.steps if isinstance(step, lines.TurnLine)})
    for one in _differences(session, agent or recorded_agent(session), themes):
        cut_off = one.what == CUT_OFF
        place = "the last line" if cut_off else place_of(session.steps[one.step - 1], games=games)
        yield replace(one, place=place)


def _differences(
    session: Session, agent: Agent | None, themes: Sequence[Theme] | None
) -> Iterator[Difference]:
    """Yield all differences, without the names of their places."""
    left_out = {"theme"} if names_theme_file(session) and themes is None else set()
    themes = themes or recorded_themes(session)
    if session.cut_off:
        yield Difference(len(session.steps) + 1, CUT_OFF, "cut short", "left out")
    frame_reader: _FrameReader | None = None
    last: lines.TurnLine | None = None
    for number, step in enumerate(session.steps, start=1):
        try:
            if isinstance(step, lines.PlaceLine):
                now, calibration = _calibrate(
                    session.frame(step.frame),
                    step,
                    session,
                    themes,
                    frame_reader.on_screen if frame_reader else None,
                )
                place = step.to_json()
                compared = tuple(key for key in place if key not in left_out)
                yield from _compare(number, place, now, compared)
                frame_reader = (
                    _FrameReader(session.frame(step.frame), calibration, frame_reader)
                    if calibration
                    else None
                )
            elif isinstance(step, lines.TurnLine | lines.EndLine):
                if frame_reader is not None:
                    yield from _compare_reading(number, session, step, last, frame_reader)
                if isinstance(step, lines.TurnLine):
                    if agent is not None:
                        yield from _compare_decision(number, step, agent)
                    last = step
                elif last is not None:
                    yield from _compare_blame(number, step, last)
        except (KeyError, TypeError, ValueError, SolverError) as error:
            raise BadSession(
                f"Step {number} of {session.folder} cannot be read: {error}."
            ) from error


def _compare_reading(
    number: int,
    session: Session,
    step: lines.TurnLine | lines.EndLine,
    last: lines.TurnLine | None,
    frame_reader: _FrameReader,
) -> Iterator[Difference]:
    """Read the frame of a turn, or the last one of a game, again."""
    if step.board is None or (isinstance(step, lines.EndLine) and step.by_error):
        return
    in_turn = isinstance(step, lines.TurnLine)
    frame_reader.survived = _survived(step if in_turn else last)
    same_game = not (isinstance(step, lines.TurnLine) and step.number == 1)
    now = frame_reader.read(session.frame(step.frame), same_game=same_game, in_turn=in_turn)
    recorded = {"board": step.board.text_rows(), "status": step.status}
    yield from _compare(number, recorded | {"mines_left": step.mines_left}, now)


def _compare_blame(number: int, end: lines.EndLine, last: lines.TurnLine) -> Iterator[Difference]:
    """Find the blame again, which is impossible for a board that could not be read."""
    if end.by_error or end.blame is None or end.board is None:
        return
    now = blame_of(last, end)
    # A more precise blame does not count: older recordings have no mistakes of guesses.
    if (end.blame, now) != (Blame.BAD_LUCK.value, Blame.MISTAKE.value):
        yield from _compare(number, {"blame": end.blame}, {"blame": now})


class _FrameReader:
    """Reads the frames after a calibration; ``before`` read those before it.

    ``fresh`` is the board before the first click, as in `Reader`, and ``survived`` are the mines
    that cost a life in the game so far.
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

        In a turn, a mine that cost a life stays known even if the program hides it again.
        """
        local = calibration_in_region(self.on_screen, self._screen, frame)
        x0, y0, x1, y1 = local.grid.bounds
        if min(x0, y0) < 0 or x1 > frame.width or y1 > frame.height:
            raise ValueError("the board lies outside of the frame")
        reader = Reader(local)
        reader, memory = self._readers.get(local) or (reader, reader.begin(self.fresh))
        memory = replace(memory, survived=self.survived)
        result, memory = reader.read(frame, memory, same_game=same_game)
        self._readers[local], self.fresh = (reader, memory), memory.fresh
        if isinstance(result, CalibrationError):
            return {"error": type(result).__name__}
        known = result.board.with_known_mines(self.survived if in_turn else ())
        return lines.reading_json(replace(result, board=known))


def _survived(turn: lines.TurnLine | lines.EndLine | None) -> frozenset[Cell]:
    """Return the mines that the board of a turn shows: the game continued after them."""
    if turn is None or turn.board is None:
        return frozenset()
    tiles = turn.board.tiles
    shown = np.argwhere((tiles == Tile.MINE) | (tiles == Tile.EXPLODED))
    return frozenset(Cell(row, col) for row, col in shown.tolist())


def _calibrate(
    frame: Frame,
    step: lines.PlaceLine,
    session: Session,
    themes: Sequence[Theme] | None,
    before: Calibration | None,
) -> tuple[dict[str, Any], Calibration | None]:
    """Calibrate again; if the screen shows several boards, on the one that was played."""
    mines = session.header.mines
    try:
        try:
            calibration = calibrate(frame, mines=mines, themes=themes)
        except SeveralGrids:
            (x0, y0, x1, y1) = step.grid.bounds
            centre = PixelPoint((x0 + x1) / 2, (y0 + y1) / 2)
            calibration = calibrate(frame, near=centre, mines=mines, themes=themes)
    except CalibrationError as error:
        return {"error": type(error).__name__}, None
    calibration = keep_known_theme(calibration, before)
    if before is not None:
        calibration = cut_as_before(calibration, before.grid)
    return lines.calibration_json(calibration), calibration


def _compare_decision(number: int, step: lines.TurnLine, agent: Agent) -> Iterator[Difference]:
    """Decide again on the recorded board, so that a misread tile counts only once."""
    board, recorded = step.board, step.decision
    only_flags = all(move.action is Action.FLAG for move in recorded.moves)
    try:
        decision = flag_the_mines(board) if only_flags else decide(agent, board)
        if only_flags and len(recorded.moves) == 1:  # the first flag is on trial
            decision = replace(decision, moves=decision.moves[:1])
        now: dict[str, Any] = lines.decision_json(decision)
    except SolverError as error:
        now = {"error": type(error).__name__}
    yield from _compare(number, lines.decision_json(recorded), now)


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


def blame_of(last: lines.TurnLine, end: lines.EndLine) -> str:
    """Find again why a game was lost, from its ``last`` turn."""
    assert end.board is not None
    clicks = [Click(click.cell, click.point, Button(click.button)) for click in last.clicks]
    tiles = end.board.tiles.copy()
    for row, col in end.unsure:
        if row < tiles.shape[0] and col < tiles.shape[1]:
            tiles[row, col] = Tile.UNKNOWN
    return explain_loss(last.board, last.decision, clicks, Board(tiles))[0].value


MOST_TILES = 8
"""How many tiles of a board are named; the others are counted."""

WORDS_FOR = {
    "x0": "left edge of the board",
    "y0": "top edge of the board",
    "tile_w": "width of a tile",
    "tile_h": "height of a tile",
    "cols": "columns",
    "mines_left": "mines left",
    "survival": "chance to survive",
    "win": "chance to win",
    "blame": "cause of the loss",
}
"""The names of recorded values in sentences; others keep their own names."""

CUT_OFF = "its line"
"""The difference in a line that a crash cut off."""

PIXELS, CHANCES = ("x0", "y0", "tile_w", "tile_h"), ("survival", "win")

TILE_WORDS = {
    text: str(tile) if tile in range(9) else TILE_NAMES.get(tile, "unknown")
    for tile, text in TEXT_OF_TILE.items()
}
"""The names of tiles in sentences, by their text on a board."""


class TileDifference(NamedTuple):
    """A tile that two boards show differently, each as text."""

    cell: Cell
    before: str
    now: str


@dataclass(frozen=True)
class Difference:
    """One difference: the step (counted from 1), what differs in it, and both values.

    ``place`` names the step for people, such as ``turn 2``.
    """

    step: int
    what: str
    recorded: Any
    now: Any
    place: str = field(default="", compare=False)

    def to_json(self) -> dict[str, Any]:
        """Describe it as ``replay --json`` prints it."""
        values = {"step": self.step, "what": self.what, "recorded": self.recorded, "now": self.now}
        return values | {"text": " ".join(self.sentences())}

    def sentences(self) -> list[str]:
        """Describe it in one sentence, or in one for each of the first tiles that differ."""
        start = self.place[:1].upper() + self.place[1:]
        if self.what == CUT_OFF:
            return [f"{start} is cut short, and left out."]
        if self.what == "board" and self.tiles:
            return list(self._tile_sentences(start))
        if self.what == "moves" and sorted(self.recorded) == sorted(self.now or []):
            return [f"{start}, moves: the same in another order."]
        recorded, now = self._values()
        what = "" if self.what == "the result" else f", {WORDS_FOR.get(self.what, self.what)}"
        return [f"{start}{what}: recorded {recorded}, now {now}."]

    @property
    def tiles(self) -> tuple[TileDifference, ...]:
        """The tiles that differ between two boards of the same size."""
        return different_tiles(self.recorded, self.now) if self.what == "board" else ()

    def _tile_sentences(self, start: str) -> Iterator[str]:
        for one in self.tiles[:MOST_TILES]:
            before, now = (TILE_WORDS.get(text, text) for text in (one.before, one.now))
            yield f"{start}, {one.cell.place}: recorded {before}, now {now}."
        if (more := len(self.tiles) - MOST_TILES) > 0:
            yield f"{start}: {counted(more, 'more tile')} {'differs' if more == 1 else 'differ'}."

    def _values(self) -> tuple[str, str]:
        """Write both values for people."""
        if self.what == "moves":
            return (
                _moves_text(self.recorded, without=self.now),
                _moves_text(self.now or [], without=self.recorded),
            )
        return _text(self.what, self.recorded), _text(self.what, self.now)


def different_tiles(before: Sequence[str], now: Sequence[str]) -> tuple[TileDifference, ...]:
    """Return the tiles that differ; none for boards of different sizes."""
    if [len(row) for row in before] != [len(row) for row in now or ()]:
        return ()
    return tuple(
        TileDifference(Cell(row, col), old, new)
        for row, rows in enumerate(zip(before, now, strict=True))
        for col, (old, new) in enumerate(zip(*rows, strict=True))
        if old != new
    )


def place_of(step: lines.Line, *, games: int) -> str:
    """Name a step for people, with its game if there are several."""
    match step:
        case lines.TurnLine(game, number):
            return f"game {game}, turn {number}" if games > 1 else f"turn {number}"
        case lines.EndLine(by_error=False, game=game):
            return f"the end of game {game}" if games > 1 else "the end of the game"
        case lines.PlaceLine():
            return "the board on the screen"
    return "a line"


def _text(what: str, value: Any) -> str:
    """Write a value with its unit."""
    if value is None or value == []:
        return "unknown"
    if what == "board":
        return f"{counted(len(value), 'row')} of {counted(max(map(len, value)), 'tile')}"
    if what in PIXELS and isinstance(value, int | float):
        return f"{value:g} px"
    if what in CHANCES and isinstance(value, int | float):
        return percent(value)
    return str(value)


def _moves_text(moves: Sequence[Sequence[Any]], *, without: Sequence[Sequence[Any]] | None) -> str:
    """Name the first move that is missing in the other decision, and count the rest."""
    if not moves:
        return "no move"
    own = [move for move in moves if move not in (without or ())]
    if not own:
        return "no other move"
    action, row, col = own[0]
    more = f" and {len(own) - 1} more" if len(own) > 1 else ""
    return f"{action} {Cell(row, col).place}{more}"


def is_game_end(step: lines.Line) -> TypeGuard[lines.EndLine]:
    """Whether a step says how a game ended."""
    return isinstance(step, lines.EndLine) and not step.by_error
