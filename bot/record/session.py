"""Recorded sessions: what was grabbed, read, decided and clicked, step by step.

A session is a folder with ``session.jsonl``, which holds a header and one JSON line a step, and
with the frames as PNG files. The folder is made at the first turn, so that a start without a game
leaves nothing, and by one process alone: if another one was faster, the name gets a ``-2``. A frame
is written before the line that names it, and every line is flushed, so that a crash loses nothing;
an incomplete last line is ignored when a session is read. Lines name files within the folder only,
so that a session can be moved and sent. It may be edited by hand or damaged in transfer: each line
is checked when it is loaded.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import cv2
import numpy as np

from bot.errors import BadSession, CannotWrite, UsageError
from bot.events import Click, GameResult, SilentObserver, Timings, Turn
from bot.outputs import numbered
from bot.tracking.places import ALIGN
from calibration.calibration import Calibration
from calibration.errors import BadImage
from calibration.frame import Frame
from calibration.grid import SMALLEST_TILE_PX, Grid
from calibration.images import load_image
from calibration.points import FARTHEST_PX, ScreenPoint
from calibration.reading import Reading
from solver.agents.base import Action, Decision, Move
from solver.board import MAX_SIDE, Cell
from solver.bounds import SESSION_BYTES
from solver.errors import BadBoardText
from solver.files import create, parse_json, read_file
from solver.game import Rule

LINES_FILE = "session.jsonl"

VERSION = 1


def files_of(folder: Path) -> tuple[Path, ...]:
    """Return the files that make up a recording: its lines and its frames."""
    return (folder / LINES_FILE, *folder.glob("*.png"))


class Recorder(SilentObserver):
    """An observer that writes a session.

    ``header`` is what a replay needs to know: agent, seed, options. Raises `UsageError` if the
    folder cannot be written, or holds anything: no file is ever removed or written over. ``begun``
    says whether there is a recording, and ``folder`` where it is.
    """

    def __init__(self, folder: str | Path, header: Mapping[str, Any]) -> None:
        folder = Path(folder)
        self.folder = folder
        self._lines: BinaryIO | None = None
        self._before: list[tuple[str, bytes]] = []
        self._frames = 0
        self._in_turn = self._failed = False
        self._after_turn: list[tuple[Frame, Calibration]] = []
        check_free(folder)
        self._was_there = folder.exists()
        try:
            _try_to_write(folder)
        except OSError as error:
            raise UsageError(
                f"{folder} cannot be written ({error.strerror}): record to another folder."
            ) from error
        started = datetime.now(UTC).isoformat(timespec="seconds")
        self._write("session", version=VERSION, started=started, **header)

    @property
    def begun(self) -> bool:
        """Whether a turn was played, so that the folder holds a session."""
        return self._lines is not None

    def close(self) -> None:
        """Close the file."""
        if self._lines is not None:
            with suppress(OSError):  # a failure to write was reported already
                self._lines.close()

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Write the frame of the whole screen and where the board is on it.

        If the board was found again during a turn, this is written after the turn, because it
        holds from the next turn on.
        """
        if self._in_turn:
            self._after_turn.append((frame, calibration))
        else:
            place = calibration_json(calibration)
            self._write("calibrated", **self._save_frame(frame), calibration=place)

    def decided(self, turn: Turn) -> None:
        """Write nothing yet: the turn is written when it has been played."""
        self._in_turn = True

    def played(self, turn: Turn) -> None:
        """Write a turn; with the first one the session begins."""
        if not self.begun:
            self._begin()
        self._write_turn(turn)
        self._in_turn = False
        while self._after_turn:
            self.calibrated(*self._after_turn.pop(0))

    def _write_turn(self, turn: Turn) -> None:
        self._write(
            "turn",
            game=turn.game,
            turn=turn.number,
            **self._save_frame(turn.frame),
            **reading_json(turn.reading),
            decision=decision_json(turn.decision),
            clicks=[click_json(click) for click in turn.clicks],
            retry=turn.retry,
            chance=turn.chance,
            ms=timings_json(turn.timings),
        )

    def noticed(self, note: str) -> None:
        """Write a note."""
        self._write("noticed", note=note)

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Write how a game ended, with its last frame."""
        self._write(
            "game",
            **result_json(result),
            **self._save_frame(frame),
            **(reading_json(reading) | unsure_json(reading) if reading else {}),
        )

    def stopped(
        self, error: Exception, frame: Frame | None, result: GameResult | None = None
    ) -> None:
        """Write why play stopped, with the last frame, and what was played of the last game."""
        self._write(
            "stopped",
            **(result_json(result) if result else {}),
            error=type(error).__name__,
            message=str(error),
            **(self._save_frame(frame) if frame else {}),
        )

    def _save_frame(self, frame: Frame) -> dict[str, Any]:
        self._frames += 1
        name = f"{self._frames:05d}.png"
        bgr = cv2.cvtColor(frame.pixels, cv2.COLOR_RGB2BGR)
        # OpenCV's default compression writes the region of an expert board (1192 x 900) in 6 ms, to
        # 100 KB. Level 1 makes it smaller, 30 KB, but takes 17 ms.
        _, data = cv2.imencode(".png", bgr)
        self._put(name, np.asarray(data).tobytes())
        return {"frame": name, "origin": list(frame.origin), "scale": frame.scale}

    def _write(self, kind: str, **data: Any) -> None:
        line = json.dumps({"kind": kind, **data}, ensure_ascii=False) + "\n"
        self._put(LINES_FILE, line.encode("utf-8"))

    def _begin(self) -> None:
        """Make the folder, and write what came before."""
        with self._failure_reported():
            self.folder, lines = _make_folder(self.folder, was_there=self._was_there)
            self._lines = open(lines, "wb")  # noqa: SIM115
        before, self._before = self._before, []
        for name, data in before:
            self._put(name, data)

    def _put(self, name: str, data: bytes) -> None:
        """Write a frame, or a line, at once; before the first turn, keep it."""
        if self._failed:
            return
        if self._lines is None:
            self._before.append((name, data))
            return
        with self._failure_reported():
            if name == LINES_FILE:
                self._lines.write(data)
                self._lines.flush()
            else:
                with open(create(self.folder / name), "wb") as file:
                    file.write(data)

    @contextmanager
    def _failure_reported(self) -> Iterator[None]:
        """Raise `CannotWrite` if the disk is full or gone; write nothing more then."""
        try:
            yield
        except OSError as error:
            self._failed = True
            raise CannotWrite(
                f"The recording in {self.folder} cannot go on ({error.strerror}); what was "
                "written until then can be used."
            ) from error


def check_free(folder: Path) -> None:
    """Raise `UsageError` unless a folder is missing or empty."""
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link, which is not followed: name the folder itself.")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, not a folder: record to another place.")
    if (folder / LINES_FILE).exists():
        raise UsageError(f"{folder} already holds a session: record to another folder.")
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} holds other files: record to a folder that is new or empty.")


def _make_folder(folder: Path, *, was_there: bool) -> tuple[Path, int]:
    """Make a folder and its file of lines, which no other process has made; return both.

    Where another process was faster, the name gets a number. Raises `OSError`.
    """
    for one in numbered(folder):
        with suppress(FileExistsError):
            one.mkdir(parents=True, exist_ok=was_there and one == folder)
            return one, create(one / LINES_FILE)
    raise AssertionError("numbers have no end")


def _try_to_write(folder: Path) -> None:
    """Make a file in a folder, or where the folder will be made, and remove it.

    Raises `OSError`.
    """
    place = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    trial = place / f".{secrets.token_hex(8)}.part"
    os.close(create(trial))
    trial.unlink()


@dataclass(frozen=True)
class Session:
    """A session that was read back: its header and its steps, one for each line.

    ``cut_off`` says whether an incomplete last line was left out.
    """

    folder: Path
    header: Mapping[str, Any]
    steps: tuple[Mapping[str, Any], ...]
    cut_off: bool = False

    @property
    def has_turns(self) -> bool:
        """Whether anything was played in it."""
        return any(step["kind"] == "turn" for step in self.steps)

    @classmethod
    def load(cls, folder: str | Path) -> Session:
        """Read a session. Raises `BadSession`."""
        folder = Path(folder)
        try:
            whole, cut_off = _whole_lines(
                read_file(folder / LINES_FILE, SESSION_BYTES, links=False)
            )
            text = whole.decode("utf-8")
        except OSError as error:
            raise BadSession(
                f"{folder} holds no session ({LINES_FILE}: {error.strerror}): name a folder that "
                "was given to 'minebot play --record'."
            ) from error
        except UnicodeDecodeError as error:
            raise BadSession(
                f"{folder / LINES_FILE} is not text: the session is damaged, so record another one."
            ) from error
        if not text.strip():
            raise BadSession(
                f"{folder / LINES_FILE} is empty, or breaks off before its first line ends: "
                "nothing was recorded."
            )
        header, *steps = _lines(text, folder / LINES_FILE)
        if header.get("kind") != "session" or header.get("version") != VERSION:
            raise BadSession(
                f"{folder / LINES_FILE} is not a session of version {VERSION}: read it with the "
                "version of minebot that wrote it."
            )
        for number, line in enumerate((header, *steps), start=1):
            if trouble := trouble_of(line):
                raise BadSession(
                    f"Line {number} of {folder / LINES_FILE} {trouble}: the session is damaged."
                )
        return cls(folder, header, tuple(steps), cut_off=cut_off)

    def frame(self, step: Mapping[str, Any]) -> Frame:
        """Load the frame of a step. Raises `BadSession`."""
        try:
            name = Path(str(step["frame"])).name
            pixels = load_image(self.folder / name, links=False).pixels
            return Frame(pixels, ScreenPoint(*step["origin"]), float(step["scale"]))
        except KeyError as error:
            raise BadSession(f"A step of the session lacks {error}.") from error
        except (BadImage, TypeError, ValueError) as error:
            raise BadSession(f"A frame of the session cannot be read: {error}") from error


def _whole_lines(data: bytes) -> tuple[bytes, bool]:
    """Leave out a last line that a crash cut short; return the rest, and whether one was cut."""
    whole, _, last = data.rpartition(b"\n")
    try:
        parse_json(last or b"{}")
    except ValueError:  # also bytes that are not text
        return whole, True
    return (data if last else whole), False


def _lines(text: str, file: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of ``file`` as JSON objects. Raises `BadSession`."""
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            data = parse_json(line)
        except ValueError as error:
            raise BadSession(f"Line {number} of {file} is damaged: {error}.") from error
        if not isinstance(data, dict):
            raise BadSession(f"Line {number} of {file} is damaged: it is not a JSON object.")
        yield data


Check: TypeAlias = Callable[[Any], bool]

Entries: TypeAlias = Mapping[str, "Check | Entries"]

ROUNDED = 1e-9
"""Rounding error of a chance that was computed from others."""

MOST = 1e12
"""No figure of a game is larger."""

TIMES = ("grab", "read", "decide", "send", "wait")
"""The parts of a turn."""


def calibration_json(calibration: Calibration) -> dict[str, Any]:
    """Describe a calibration as JSON."""
    grid = calibration.grid
    return {
        "x0": grid.x0,
        "y0": grid.y0,
        "tile_w": grid.tile_w,
        "tile_h": grid.tile_h,
        "rows": grid.rows,
        "cols": grid.cols,
        "theme": calibration.theme.name,
        "mines": calibration.mines,
    }


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
    """Name the tiles of a last board that are in doubt: they say nothing of why it was lost."""
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


def decision_of(data: Mapping[str, Any]) -> Decision:
    """Read a decision written by `decision_json`. Raises `BadSession`."""
    try:
        moves = tuple(Move(Cell(row, col), Action(action)) for action, row, col in data["moves"])
        return Decision(moves, data["reason"], data["survival"], data["win"])
    except (KeyError, TypeError, ValueError, BadBoardText) as error:
        raise BadSession(f"A decision of the session cannot be read: {error}.") from error


def timings_json(timings: Timings) -> dict[str, float]:
    """Describe how long the parts of a turn took, in milliseconds."""
    return {name: round(getattr(timings, f"{name}_ms"), 3) for name in TIMES}


def click_json(click: Click) -> dict[str, Any]:
    """Describe a click as JSON."""
    return {
        "cell": list(click.cell),
        "point": list(click.point),
        "button": click.button.value,
    }


def result_json(result: GameResult) -> dict[str, Any]:
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


def _is_place(value: Any) -> bool:
    return is_number(value) and abs(value) <= FARTHEST_PX


def _is_pitch(value: Any) -> bool:
    return _is_place(value) and value >= SMALLEST_TILE_PX


def _is_scale(value: Any) -> bool:
    return is_number(value) and 0.1 <= value <= 16


def _is_side(value: Any) -> bool:
    return _is_whole(value) and 1 <= value <= MAX_SIDE


def _may_lack(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _list_of(check: Check, length: int | None = None) -> Check:
    return lambda value: (
        isinstance(value, list) and length in (None, len(value)) and all(map(check, value))
    )


def _is_move(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 3
        and _is_text(value[0])
        and all(map(_is_whole, value[1:]))
    )


def _is_click(value: Any) -> bool:
    return isinstance(value, Mapping) and wrong_entry(value, CLICK, NEEDED["click"]) is None


CLICK: Entries = {
    "cell": _list_of(_is_whole, 2),
    "point": _list_of(_is_place, 2),
    "button": _is_text,
    "at_s": is_number,
}

AGENT: Entries = {
    "name": _is_text,
    "seed": _may_lack(_is_count),
    "rule": _may_lack(lambda value: value in [rule.value for rule in Rule]),
}


def _is_agent(value: Any) -> bool:
    """Whether this may describe the agent; anything but a table is ignored."""
    return not isinstance(value, Mapping) or wrong_entry(value, AGENT) is None


HEADER: Entries = {
    "agent": _is_agent,
    "program": _is_text,
    "options": {"mines": _may_lack(_is_whole), "theme": _may_lack(_is_text)},
}

FRAME: Entries = {"frame": _is_text, "origin": _list_of(_is_place, 2), "scale": _is_scale}

READING: Entries = {
    "board": _list_of(_is_text),
    "mines": _may_lack(_is_whole),
    "status": _is_text,
    "mines_left": _may_lack(_is_whole),
    "confidence": _is_chance,
}

CALIBRATION: Entries = {
    **dict.fromkeys(("x0", "y0"), _is_place),
    **dict.fromkeys(("tile_w", "tile_h"), _is_pitch),
    **dict.fromkeys(("rows", "cols"), _is_side),
    "theme": _is_text,
    "mines": _may_lack(_is_whole),
}

DECISION: Entries = {
    "moves": _list_of(_is_move),
    "reason": _is_text,
    "survival": _may_lack(_is_chance),
    "win": _may_lack(_is_chance),
}

RESULT: Entries = {
    **dict.fromkeys(("turns", "clicks", "guesses"), _is_count),
    "seconds": is_number,
    "chance": _is_chance,
    "result": lambda value: value in ("won", "lost", "stopped"),
}

LINES: Mapping[str, Entries] = {
    "calibrated": {**FRAME, "calibration": CALIBRATION},
    "turn": {
        **FRAME,
        **READING,
        "game": _is_whole,
        "turn": _is_whole,
        "decision": DECISION,
        "clicks": _list_of(_is_click),
        "retry": _is_bool,
        "chance": _may_lack(_is_chance),
        "ms": dict.fromkeys(TIMES, is_number),
    },
    "noticed": {"note": _is_text},
    "game": {
        **FRAME,
        **READING,
        "game": _is_whole,
        **RESULT,
        "unsure": _list_of(_list_of(_is_count, 2)),
        "blame": _is_text,
        "why": _is_text,
        "why_over": _is_text,
    },
    "stopped": {**FRAME, **RESULT, "game": _is_whole, "error": _is_text, "message": _is_text},
}
"""What each kind of line holds. Other entries, and lines of other kinds, are not looked at."""

NEEDED = {
    "calibrated": ("frame", "origin", "scale", "calibration"),
    "turn": ("game", "turn", "board", "decision", "clicks"),
    "click": ("cell", "point", "button"),
    "noticed": ("note",),
    "game": ("game", "result"),
    "calibration": ("x0", "y0", "tile_w", "tile_h", "rows", "cols"),
    "decision": ("moves", "reason", "survival", "win"),
    "ms": TIMES,
}
"""What a kind of line, or a table in one, cannot do without."""


def trouble_of(line: Mapping[str, Any]) -> str | None:
    """Say what is wrong with a line of a session; None if it can be used."""
    kind = line.get("kind")
    if kind == "session":
        return wrong_entry(line, HEADER)
    if not isinstance(kind, str):
        return "has no kind"
    return wrong_entry(line, LINES.get(kind, {}), NEEDED.get(kind, ()))


def wrong_entry(
    line: Mapping[str, Any], entries: Entries, needed: Collection[str] = (), within: str = ""
) -> str | None:
    """Say which entry is missing or wrong; None if all of them are right."""
    for name in needed:
        if name not in line:
            return f"lacks {within}{name}"
    for name, check in entries.items():
        if name not in line:
            continue
        value = line[name]
        if isinstance(check, Mapping):
            if not isinstance(value, Mapping):
                return f"has a wrong {within}{name}"
            found = wrong_entry(value, check, NEEDED.get(name, ()), f"{within}{name}.")
            if found is not None:
                return found
        elif not check(value):
            return f"has a wrong {within}{name}"
    return None


def grid_in(frame: Frame, place: Mapping[str, Any]) -> Grid:
    """Return the grid of ``place``, a line with the board's position, in pixels of ``frame``.

    A frame of play shows a part of the screen, a multiple of `ALIGN` pixels away from its corner.
    """
    grid = place["calibration"]
    shift_x, shift_y = (
        ALIGN * round((mine - its) * frame.scale / ALIGN)
        for mine, its in zip(frame.origin, place["origin"], strict=True)
    )
    return Grid(
        grid["x0"] - shift_x,
        grid["y0"] - shift_y,
        grid["tile_w"],
        grid["tile_h"],
        rows=grid["rows"],
        cols=grid["cols"],
    )
