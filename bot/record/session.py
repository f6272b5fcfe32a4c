"""Recorded sessions: frames, readings, decisions and clicks, step by step.

A session is a folder with the frames as PNG files and with ``session.jsonl``, which has a header
and a JSON line for each step. The folder is made at the first turn, so that a start without a game
leaves nothing. Each process makes its own: if the name exists already, it gets a ``-2``. A frame is
written before the line that names it, and every line is flushed, so that a crash loses nothing; an
incomplete last line is ignored when a session is read. Lines only name files within the folder, so
that a session can be moved and sent. It may be edited by hand or damaged in transfer, so each line
is checked when it is loaded.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import cv2
import numpy as np

from bot.errors import BadSession, CannotWrite, UsageError
from bot.events import BoardFound, Decided, Event, GameOver, Noticed, Played, Stopped, Turn
from bot.outputs import numbered
from bot.record.lines import (
    FrameRef,
    Header,
    Line,
    PlaceLine,
    TurnLine,
    WrongEntry,
    event_json,
    header_of,
    line_of,
)
from bot.tracking.places import ALIGN
from calibration import Frame, Grid, load_image
from calibration.errors import BadImage
from solver.errors import SolverError
from solver.files import SESSION_BYTES, create, parse_json, read_file

LINES_FILE = "session.jsonl"

VERSION = 1

T = TypeVar("T")


def files_of(folder: Path) -> tuple[Path, ...]:
    """Return the files that make up a recording: its lines and its frames."""
    return (folder / LINES_FILE, *folder.glob("*.png"))


def png_of(frame: Frame) -> bytes:
    """Return a frame as a PNG file."""
    # OpenCV's default compression writes the region of an expert board (1192 x 900) in 6 ms, to
    # 100 KB. Level 1 makes it smaller, 30 KB, but takes 17 ms.
    _, data = cv2.imencode(".png", cv2.cvtColor(frame.pixels, cv2.COLOR_RGB2BGR))
    return np.asarray(data).tobytes()


class Recorder:
    """An observer that writes a session.

    ``header`` has what a replay needs: agent, seed, options. Raises `UsageError` if the folder
    cannot be written or is not empty: no file is ever removed or overwritten. ``begun`` says
    whether there is a recording, and ``folder`` where it is.
    """

    def __init__(self, folder: str | Path, header: Mapping[str, Any]) -> None:
        folder = Path(folder)
        self.folder = folder
        self._lines: BinaryIO | None = None
        self._before: list[tuple[str, bytes]] = []
        self._frames = 0
        self._in_turn = self._failed = False
        self._after_turn: list[BoardFound] = []
        check_folder(folder)
        self._was_there = folder.exists()
        started = datetime.now(UTC).isoformat(timespec="seconds")
        self._write({"kind": "session", "version": VERSION, "started": started, **header})

    @property
    def begun(self) -> bool:
        """Whether a turn was played, so that the folder holds a session."""
        return self._lines is not None

    def close(self) -> None:
        """Close the file."""
        if self._lines is not None:
            with suppress(OSError):  # a failure to write was reported already
                self._lines.close()

    def __call__(self, event: Event) -> None:
        """Write an event; a turn is written when it has been played.

        If the board was found again during a turn, this is written after the turn, because it
        applies from the next turn on.
        """
        match event:
            case BoardFound():
                if self._in_turn:
                    self._after_turn.append(event)
                else:
                    self._write(event_json(event), event.frame)
            case Decided():
                self._in_turn = True
            case Played(turn):
                self._write_turn(turn)
            case Noticed():
                self._write(event_json(event))
            case GameOver() | Stopped():
                self._write(event_json(event), event.frame)

    def _write_turn(self, turn: Turn) -> None:
        """Write a turn, and boards found during it; the first turn begins the session."""
        if not self.begun:
            self._begin()
        self._write(event_json(Decided(turn)) | event_json(Played(turn)), turn.frame)
        self._in_turn = False
        while self._after_turn:
            self(self._after_turn.pop(0))

    def _save_frame(self, frame: Frame) -> dict[str, Any]:
        self._frames += 1
        name = f"{self._frames:05d}.png"
        self._put(name, png_of(frame))
        return {"frame": name, "origin": list(frame.origin), "scale": frame.scale}

    def _write(self, line: Mapping[str, Any], frame: Frame | None = None) -> None:
        """Write a line; the ``frame`` that it names is written first."""
        named = {**line, **self._save_frame(frame)} if frame else line
        self._put(LINES_FILE, f"{json.dumps(named, ensure_ascii=False)}\n".encode())

    def _begin(self) -> None:
        """Make the folder, and write the events before the first turn."""
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
        """Raise `CannotWrite` if the disk is full or gone, and write nothing more from then on."""
        try:
            yield
        except OSError as error:
            self._failed = True
            raise CannotWrite(
                f"The recording in {self.folder} cannot go on ({error.strerror}); what was "
                "written until then can be used."
            ) from error


def check_folder(folder: Path) -> None:
    """Raise `UsageError` unless a session can be recorded in a folder that is new or empty."""
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link, which is not followed: name the folder itself.")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, not a folder: record to another place.")
    if (folder / LINES_FILE).exists():
        raise UsageError(f"{folder} already holds a session: record to another folder.")
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} holds other files: record to a folder that is new or empty.")
    try:
        _try_to_write(folder)
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be written ({error.strerror}): record to another folder."
        ) from error


def _make_folder(folder: Path, *, was_there: bool) -> tuple[Path, int]:
    """Make a new folder and its file of lines; return both.

    If another process has made the folder, the name gets a number. Raises `OSError`.
    """
    for one in numbered(folder):
        with suppress(FileExistsError):
            one.mkdir(parents=True, exist_ok=was_there and one == folder)
            return one, create(one / LINES_FILE)
    raise AssertionError("numbers have no end")


def _try_to_write(folder: Path) -> None:
    """Make a file in a folder, or the first missing part of its path, and remove it.

    Only an attempt shows whether a name is too long: Windows calls such a folder missing. Raises
    `OSError`.
    """
    folder = folder.absolute()
    place = next(one for one in (folder, *folder.parents) if one.exists())
    if place == folder:
        trial = folder / f".{secrets.token_hex(8)}.part"
        os.close(create(trial))
        trial.unlink()
    else:
        trial = place / folder.relative_to(place).parts[0]
        trial.mkdir()
        trial.rmdir()


@dataclass(frozen=True)
class Session:
    """A session that was read back: its header and its steps, one for each line.

    ``cut_off`` says whether an incomplete last line was left out.
    """

    folder: Path
    header: Header
    steps: tuple[Line, ...]
    cut_off: bool = False

    @property
    def has_turns(self) -> bool:
        """Whether anything was played in it."""
        return any(isinstance(step, TurnLine) for step in self.steps)

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
        first, *lines = _lines(text, folder / LINES_FILE)
        if first.get("kind") != "session" or first.get("version") != VERSION:
            raise BadSession(
                f"{folder / LINES_FILE} is not a session of version {VERSION}: read it with the "
                "version of minebot that wrote it."
            )
        header = _read(header_of, first, f"Line 1 of {folder / LINES_FILE}")
        steps = (
            _read(line_of, line, f"Line {number} of {folder / LINES_FILE}")
            for number, line in enumerate(lines, start=2)
        )
        return cls(folder, header, tuple(steps), cut_off=cut_off)

    def frame(self, frame: FrameRef | None) -> Frame:
        """Load a frame. Raises `BadSession`, also for a step that has none."""
        if frame is None:
            raise BadSession("A step of the session lacks its frame.")
        try:
            pixels = load_image(self.folder / Path(frame.name).name, links=False).pixels
            return Frame(pixels, frame.origin, frame.scale)
        except (BadImage, TypeError, ValueError) as error:
            raise BadSession(f"A frame of the session cannot be read: {error}") from error


def _read(read: Callable[[Mapping[str, Any]], T], line: Mapping[str, Any], name: str) -> T:
    """Return the value of a line. Raises `BadSession` that begins with the line's ``name``."""
    try:
        return read(line)
    except WrongEntry as error:
        raise BadSession(f"{name} {error}: the session is damaged.") from error
    except (ValueError, SolverError) as error:
        raise BadSession(f"{name} cannot be read: {str(error).rstrip('.')}.") from error


def _whole_lines(data: bytes) -> tuple[bytes, bool]:
    """Remove an incomplete last line; return the rest, and whether there was one."""
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


def grid_in(frame: Frame, place: PlaceLine) -> Grid:
    """Return the grid of a board's ``place`` in pixels of ``frame``.

    A frame of play shows a part of the screen, a multiple of `ALIGN` pixels away from its corner.
    """
    shift_x, shift_y = (
        ALIGN * round((mine - its) * frame.scale / ALIGN)
        for mine, its in zip(frame.origin, place.frame.origin, strict=True)
    )
    return replace(place.grid, x0=place.grid.x0 - shift_x, y0=place.grid.y0 - shift_y)
