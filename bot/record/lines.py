"""The format of a recording: every event as JSON, and every line of a session as a value.

`event_json` describes an event for all uses: as a line of a recording, in ``play --events``, and in
a report of a failure. `line_of` reads such a line back. A recording may be edited by hand or
damaged in transfer, so each entry is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from bot import events
from calibration import LEARNED, Calibration, Reading
from calibration.grid import FARTHEST_PX, SMALLEST_TILE_PX, Grid, ScreenPoint
from solver import Action, Decision, Move, Rule
from solver.board import MAX_SIDE, Board, Cell


def event_json(event: events.Event) -> dict[str, Any]:
    """Describe an event as JSON without its frame; ``kind`` is its kind."""
    match event:
        case events.BoardFound(_, calibration):
            return {"kind": "calibrated", "calibration": calibration_json(calibration)}
        case events.Thinking(done, most):
            return {"kind": "thinking", "done": done, "most": most}
        case events.Decided(turn):
            return {
                "kind": "decision",
                "game": turn.game,
                "turn": turn.number,
                **reading_json(turn.reading),
                "decision": decision_json(turn.decision),
                "retry": turn.retry,
                "chance": turn.chance,
            }
        case events.Played(turn):
            return {
                "kind": "turn",
                "game": turn.game,
                "turn": turn.number,
                "clicks": [click_json(click) for click in turn.clicks],
                "ms": timings_json(turn.timings),
            }
        case events.Noticed(note):
            return {"kind": "noticed", "note": note}
        case events.GameOver(result, _, reading):
            read = reading_json(reading) | unsure_json(reading) if reading else {}
            return {"kind": "game", **result_json(result), **read}
        case events.Stopped(error, _, result):
            played = result_json(result) if result else {}
            failure = {"error": type(error).__name__, "message": str(error)}
            return {"kind": "stopped", **played, **failure}


def calibration_json(calibration: Calibration) -> dict[str, Any]:
    """Describe a calibration as JSON."""
    return place_json(calibration.grid, calibration.theme.name, calibration.mines)


def place_json(grid: Grid, theme: str, mines: int | None) -> dict[str, Any]:
    """Describe where a board lies and what it looks like, in pixels of the frame."""
    sizes = {"x0": grid.x0, "y0": grid.y0, "tile_w": grid.tile_w, "tile_h": grid.tile_h}
    return {**sizes, "rows": grid.rows, "cols": grid.cols, "theme": theme, "mines": mines}


def reading_json(reading: Reading) -> dict[str, Any]:
    """Describe a reading as JSON, with the mine total that was assumed."""
    return {
        "board": reading.board.text_rows(),
        "mines": reading.board.mines,
        "status": reading.status.value,
        "mines_left": reading.mines_left,
        "confidence": round(reading.confidence, 4),
    }


def unsure_json(reading: Reading) -> dict[str, Any]:
    """List the tiles in doubt of a last board: they do not show why the game was lost."""
    unsure = np.argwhere(reading.sure_board.unknown & ~reading.board.unknown).tolist()
    return {"unsure": unsure} if unsure else {}


def decision_json(decision: Decision) -> dict[str, Any]:
    """Describe a decision as JSON; `decision_of` reads it back."""
    return {
        "moves": [[move.action.value, *move.cell] for move in decision.moves],
        "reason": decision.reason,
        "survival": decision.survival,
        "win": decision.win,
    }


def timings_json(timings: events.Timings) -> dict[str, float]:
    """Describe how long the parts of a turn took, in milliseconds."""
    return {name: round(getattr(timings, f"{name}_ms"), 3) for name in TIMES}


def click_json(click: events.Click) -> dict[str, Any]:
    """Describe a click as JSON."""
    return {
        "cell": list(click.cell),
        "point": list(click.point),
        "button": click.button.value,
    }


def result_json(result: events.GameResult) -> dict[str, Any]:
    """Describe a game as `play --json` prints it."""
    line: dict[str, Any] = {
        "game": result.game,
        "result": result.outcome.value,
        "turns": result.turns,
        "clicks": result.clicks,
        "guesses": result.guesses,
        "seconds": round(result.seconds, 3),
        "chance": result.chance,
    }
    if result.blame is not None:
        line["blame"] = result.blame.value
    if result.why:
        line["why"] = result.why
    if result.why_over:
        line["why_over"] = result.why_over
    return line


TIMES = ("grab", "read", "decide", "send", "wait")
"""The parts of a turn."""

A_PERSON = "a person"
"""The player of a recording that names no agent."""


@dataclass(frozen=True)
class Header:
    """The first line of a recording: who played, and with which options."""

    started: str = ""
    simulated: bool = False
    agent: str = A_PERSON
    seed: int | None = None
    rule: Rule | None = None
    program: str = ""
    mines: int | None = None
    theme: str | None = None


@dataclass(frozen=True)
class FrameRef:
    """A recorded frame: the name of its file, and its place on the screen."""

    name: str
    origin: ScreenPoint
    scale: float


@dataclass(frozen=True)
class PlaceLine:
    """Where a board was found: its ``grid`` is in pixels of the ``frame`` of the whole screen."""

    frame: FrameRef
    grid: Grid
    theme: str = LEARNED
    mines: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Describe the place as `calibration_json` does."""
        return place_json(self.grid, self.theme, self.mines)


@dataclass(frozen=True)
class RecordedClick:
    """A click: ``at_s`` are seconds since the start of the game, if the file has them."""

    cell: Cell
    point: ScreenPoint
    button: str
    at_s: float | None = None


@dataclass(frozen=True)
class TurnLine:
    """A turn: the board before it, the decision, and the clicks."""

    game: int
    number: int
    board: Board
    decision: Decision
    clicks: tuple[RecordedClick, ...] = ()
    frame: FrameRef | None = None
    status: str | None = None
    mines_left: int | None = None
    retry: bool = False
    timings: events.Timings | None = None


@dataclass(frozen=True)
class NoteLine:
    """A sentence about something unusual."""

    note: str


@dataclass(frozen=True)
class EndLine:
    """How a game ended or, with ``by_error``, why play stopped.

    Figures that are not recorded are None; ``unsure`` are the doubtful tiles of the last board.
    """

    by_error: bool = False
    game: int | None = None
    result: str = "stopped"
    turns: int | None = None
    clicks: int | None = None
    guesses: int | None = None
    seconds: float | None = None
    chance: float | None = None
    board: Board | None = None
    status: str | None = None
    mines_left: int | None = None
    unsure: tuple[Cell, ...] = ()
    frame: FrameRef | None = None
    blame: str | None = None
    why: str = ""
    why_over: str = ""
    message: str = ""


@dataclass(frozen=True)
class OtherLine:
    """A line of a kind that this version does not know."""

    kind: str


Line: TypeAlias = PlaceLine | TurnLine | NoteLine | EndLine | OtherLine
"""A line of a recording, after its header."""


ROUNDED = 1e-9
"""Rounding error of a chance that was computed from others."""

MOST = 1e12
"""No figure of a game is larger."""


def header_of(data: Mapping[str, Any]) -> Header:
    """Read the first line of a recording. Raises `WrongEntry`."""
    entries = _Entries(data)
    agent, options = data.get("agent"), entries.table("options") or _Entries({})
    player = _Entries(agent if isinstance(agent, Mapping) else {}, "agent.")
    rule = player.get("rule", lambda value: value in [rule.value for rule in Rule])
    started, name = data.get("started"), player.get("name", _is_text)
    return Header(
        started=started if isinstance(started, str) else "",
        simulated=bool(data.get("simulated")),
        agent=A_PERSON if name is None else name,
        seed=player.get("seed", _is_count),
        rule=None if rule is None else Rule(rule),
        program=entries.get("program", _is_text) or "",
        mines=options.get("mines", _is_whole),
        theme=options.get("theme", _is_text),
    )


def line_of(data: Mapping[str, Any]) -> Line:
    """Read a line that follows the header.

    Raises `WrongEntry`; a `ValueError` or a `SolverError` for an impossible board.
    """
    entries, kind = _Entries(data), data.get("kind")
    match kind:
        case "calibrated":
            return entries.place()
        case "turn":
            return entries.turn()
        case "noticed":
            return NoteLine(entries.need("note", _is_text))
        case "game" | "stopped":
            return entries.end(by_error=kind == "stopped")
        case str():
            return OtherLine(kind)
    raise WrongEntry("has no kind")


class WrongEntry(ValueError):
    """An entry of a line is missing or wrong."""


class _Entries:
    """Reads the entries of a line, or of a table ``within`` it, and checks each.

    Unknown entries are ignored.
    """

    def __init__(self, data: Mapping[str, Any], within: str = "") -> None:
        self._data, self._within = data, within

    def need(self, name: str, check: Callable[[Any], bool]) -> Any:
        """Return an entry that a line must have."""
        if name not in self._data:
            raise WrongEntry(f"lacks {self._within}{name}")
        value = self._data[name]
        if not check(value):
            raise WrongEntry(f"has a wrong {self._within}{name}")
        return value

    def get(self, name: str, check: Callable[[Any], bool]) -> Any:
        """Return an entry, None if there is none."""
        return None if self._data.get(name) is None else self.need(name, check)

    def text(self, name: str) -> str:
        """Return a text, empty if there is none."""
        return self.get(name, _is_text) or ""

    def table(self, name: str) -> _Entries | None:
        """Return the entries of a table, None if there is none."""
        if name not in self._data:
            return None
        return _Entries(self.need(name, _is_table), f"{self._within}{name}.")

    def frame(self) -> FrameRef | None:
        """Return the frame of a line, None if it has none."""
        name, is_origin = self.get("frame", _is_text), _list_of(_is_place, 2)
        read = self.get if name is None else self.need
        origin, scale = read("origin", is_origin), read("scale", _is_scale)
        return None if name is None else FrameRef(name, ScreenPoint(*origin), float(scale))

    def board(self) -> Board:
        """Return the board of a line."""
        rows = self.need("board", _list_of(_is_text))
        return Board.from_text("\n".join(rows), self.get("mines", _is_whole))

    def place(self) -> PlaceLine:
        """Read where a board was found."""
        self.need("frame", _is_text)
        frame, found = self.frame(), _Entries(self.need("calibration", _is_table), "calibration.")
        assert frame is not None
        x0, y0 = (found.need(name, _is_place) for name in ("x0", "y0"))
        tile_w, tile_h = (found.need(name, _is_pitch) for name in ("tile_w", "tile_h"))
        rows, cols = (found.need(name, _is_side) for name in ("rows", "cols"))
        theme = found.get("theme", _is_text)
        return PlaceLine(
            frame,
            Grid(x0, y0, tile_w, tile_h, rows=rows, cols=cols),
            LEARNED if theme is None else theme,
            found.get("mines", _is_whole),
        )

    def turn(self) -> TurnLine:
        """Read a turn, whose moves must lie on its board."""
        game, number = (self.need(name, _is_whole) for name in ("game", "turn"))
        board = self.board()
        decision = _Entries(self.need("decision", _is_table), "decision.").decision()
        for move in decision.moves:
            if not (0 <= move.cell.row < board.rows and 0 <= move.cell.col < board.cols):
                raise ValueError(f"{move.cell.place} lies outside of the board")
        clicks = self.need("clicks", _list_of(_is_table))
        ms = self.table("ms")
        self.get("confidence", _is_chance)
        self.get("chance", _is_chance)
        return TurnLine(
            game,
            number,
            board,
            decision,
            tuple(_Entries(click, "clicks.").click() for click in clicks),
            self.frame(),
            self.get("status", _is_text),
            self.get("mines_left", _is_whole),
            bool(self.get("retry", _is_bool)),
            None if ms is None else events.Timings(*(ms.need(name, is_number) for name in TIMES)),
        )

    def decision(self) -> Decision:
        """Read a decision, as `decision_json` writes it."""
        moves = tuple(
            Move(Cell(row, col), Action(action))
            for action, row, col in self.need("moves", _list_of(_is_move))
        )
        survival = self.need("survival", _or_none(_is_chance))
        return Decision(
            moves, self.need("reason", _is_text), survival, self.need("win", _or_none(_is_chance))
        )

    def click(self) -> RecordedClick:
        """Read a click."""
        return RecordedClick(
            Cell(*self.need("cell", _list_of(_is_whole, 2))),
            ScreenPoint(*self.need("point", _list_of(_is_place, 2))),
            self.need("button", _is_text),
            self.get("at_s", is_number),
        )

    def end(self, *, by_error: bool) -> EndLine:
        """Read the end of a game, or of play."""
        if not by_error:
            self.need("game", _is_whole)
            self.need("result", _is_result)
        self.get("confidence", _is_chance)
        self.get("error", _is_text)
        return EndLine(
            by_error,
            self.get("game", _is_whole),
            self.get("result", _is_result) or "stopped",
            self.get("turns", _is_count),
            self.get("clicks", _is_count),
            self.get("guesses", _is_count),
            self.get("seconds", is_number),
            self.get("chance", _is_chance),
            self.board() if "board" in self._data else None,
            self.get("status", _is_text),
            self.get("mines_left", _is_whole),
            tuple(Cell(*one) for one in self.get("unsure", _list_of(_list_of(_is_count, 2))) or ()),
            self.frame(),
            self.get("blame", _is_text),
            self.text("why"),
            self.text("why_over"),
            self.text("message"),
        )


def is_number(value: Any) -> bool:
    """Whether a value is a finite number, small enough for sums."""
    return type(value) in (int, float) and abs(value) <= MOST


def _is_whole(value: Any) -> bool:
    return type(value) is int and abs(value) <= MOST


def _is_count(value: Any) -> bool:
    return _is_whole(value) and value >= 0


def _is_chance(value: Any) -> bool:
    return is_number(value) and -ROUNDED <= value <= 1 + ROUNDED


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_place(value: Any) -> bool:
    return is_number(value) and abs(value) <= FARTHEST_PX


def _is_pitch(value: Any) -> bool:
    return _is_place(value) and value >= SMALLEST_TILE_PX


def _is_scale(value: Any) -> bool:
    return is_number(value) and 0.1 <= value <= 16


def _is_side(value: Any) -> bool:
    return _is_whole(value) and 1 <= value <= MAX_SIDE


def _is_result(value: Any) -> bool:
    return value in ("won", "lost", "stopped")


ACTIONS = frozenset(action.value for action in Action)


def _is_move(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 3
        and value[0] in ACTIONS
        and all(map(_is_whole, value[1:]))
    )


def _or_none(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or check(value)


def _list_of(check: Callable[[Any], bool], length: int | None = None) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, list) and length in (None, len(value)) and all(map(check, value))
    )
