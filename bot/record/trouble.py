"""Keep the last frames and events of a run in memory, and save them if the run fails.

They are kept as in a recording: events as its lines, frames as PNG. Each frame shows the region of
the board. Nothing is saved if a run ends well or a person ends it; losing a game by a fault of the
program counts as a failure.

`make_report` makes one file to send: pictures of the board, decisions, versions, the error.
Everything around the board, or over it, is painted over: its shape is evidence, its content is
private.
"""

from __future__ import annotations

import io
import json
import platform
import sys
import time
import traceback
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.desktop.ports import Clock, Monitor, Screen
from bot.errors import BadSession, CannotWrite, NoDesktop, StoppedByUser, UsageError
from bot.events import Blame, BoardFound, Event, GameOver, Stopped, Thinking
from bot.outputs import trouble_file
from bot.record.lines import event_json
from bot.record.session import png_of
from bot.tracking.places import calibration_in_region
from bot.version import LIBRARIES
from calibration import Calibration, Frame, PixelBox, Reader, Reading, ScreenPoint, SeveralGrids
from solver.board import Cell
from solver.counting import counted
from solver.errors import BadMineTotal
from solver.files import ARCHIVE_BYTES, parse_json, read_file, unpacked, write_file

MOST_EVENTS = 500
"""How many events are kept: those of about ten expert games."""

MOST_FRAMES = 60

KEPT_EVERY_S = 0.1
"""Least time between two frames that are kept: encoding one as PNG takes 6 ms."""

OWN_FAULTS = {Blame.MISREAD, Blame.MISCLICK, Blame.SOLVER_FAULT, Blame.UNKNOWN}
"""The blames of a lost game that are neither luck nor an agent's choice."""

NO_TROUBLE = (
    StoppedByUser, UsageError, BadMineTotal, SeveralGrids, NoDesktop, CannotWrite, BrokenPipeError
)  # fmt: skip
"""Errors that the program did not cause: the user ended the run, or must change the command or
close one of two games; the disk is full; the reader of the output is gone."""

KEPT = "What led to it is kept: 'minebot report' makes a file of it to send."


class GameLostByFault(Exception):
    """A game was lost by a fault of the program itself; never raised, only kept."""


class FilmedScreen:
    """A screen whose pictures of the board's region are shown to ``film``; others are not."""

    def __init__(self, screen: Screen, film: Callable[[Frame], None]) -> None:
        self._screen, self._film = screen, film

    def grab(self, box: PixelBox | None = None) -> Frame:
        """Grab the whole screen, or ``box`` of it."""
        frame = self._screen.grab(box)
        if box is not None:
            self._film(frame)
        return frame

    def monitors(self) -> tuple[Monitor, ...]:
        """Return where the monitors lie."""
        return self._screen.monitors()


class TroubleWatcher:
    """An observer that keeps the last frames and events; `watching` saves them when a run fails.

    A game that is lost by a fault of the program is saved at once.

    ``header`` is that of a recording; ``note`` is called with a sentence about how to get a report.
    Play uses the ``screen`` of this watcher, so that it sees the frames.
    """

    def __init__(
        self,
        screen: Screen,
        clock: Clock,
        header: Mapping[str, Any],
        note: Callable[[str], None],
    ) -> None:
        self._clock, self._header, self._note_person = clock, header, note
        self._began = clock.now()
        self._film: deque[FilmedFrame] = deque(maxlen=MOST_FRAMES)
        self._events: deque[dict[str, Any]] = deque(maxlen=MOST_EVENTS)
        self._place: tuple[Frame, Calibration] | None = None
        self._kept_at = 0.0
        self._latest: tuple[Frame, float] | None = None
        self._last: Frame | None = None
        self.screen = FilmedScreen(screen, self._take)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Save the frames and events if the block raises an error that is the program's fault."""
        try:
            yield
        except NO_TROUBLE:
            raise
        except Exception as error:
            with suppress(OSError):
                self._save(error)
                error.add_note(KEPT)  # it is shown after the error
            raise

    def _take(self, frame: Frame) -> None:
        """Keep a frame unless it equals the last one; of several quick ones keep the last."""
        if self._place is None:
            return
        self._latest = frame, self._now()
        now = time.monotonic()  # the clock of a simulated desktop stops while an agent thinks
        if now - self._kept_at >= KEPT_EVERY_S:
            self._kept_at = now
            self._keep_latest()

    def _keep_latest(self) -> None:
        if self._latest is not None and self._place is not None:
            frame, at_s = self._latest
            if frame != self._last:
                self._film.append(FilmedFrame(at_s, png_of(frame), frame.origin, *self._place))
            self._last, self._latest = frame, None

    def __call__(self, event: Event) -> None:
        """Keep an event; save everything if the program is to blame for a loss.

        `watching` saves an error that stops play, with its traceback.
        """
        if isinstance(event, Thinking | Stopped):
            return
        entry = {"at_s": round(self._now(), 3), **event_json(event)}
        if isinstance(event, BoardFound):
            frame = event.frame
            spot = Frame(np.zeros((1, 1, 3), np.uint8), frame.origin, frame.scale)
            self._place = spot, event.calibration
            entry |= {"screen": [frame.width, frame.height], "scale": frame.scale}
        self._events.append(entry)
        if isinstance(event, GameOver) and event.result.blame in OWN_FAULTS:
            lost = f"Lost by {event.result.blame.value}: {event.result.why}"
            with suppress(OSError):
                self._save(GameLostByFault(lost))
                self._note_person(KEPT)

    def _now(self) -> float:
        return self._clock.now() - self._began

    def _save(self, error: Exception) -> None:
        """Save what led to an error: frames, events, the machine. Raises `OSError`."""
        self._keep_latest()
        monitors: tuple[Monitor, ...] = ()
        with suppress(Exception):  # the screen may be what failed
            monitors = self.screen.monitors()
        details = details_of(error, self._header, monitors)
        save_trouble(trouble_file(), details, self._film, self._events)


DETAILS, EVENTS = "trouble.json", "events.jsonl"
"""The files of a report apart from its pictures."""

OTHER_BORDER = 0.6
"""If this share of the pixels around the board differs, another window is in its place. A dialog
over the board changes fewer."""

COVERED_ERRORS = ("WindowCovered", "BoardCovered", "WindowGone")
"""Failures that do not depend on the content of what covered the board. Unreadable tiles are the
subject of other reports."""

MOST_TRACE = 20_000
"""Largest number of characters of a traceback; chained errors may have many more."""


def details_of(
    error: Exception, header: Mapping[str, Any], monitors: Sequence[Monitor]
) -> dict[str, Any]:
    """Describe a failure, the run, the program and the screens."""
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "error": type(error).__name__,
        "message": " ".join(str(error).split()),
        "traceback": "".join(traceback.format_exception(error))[-MOST_TRACE:],
        "run": dict(header),
        "system": f"{platform.system()} {platform.release()}, Python {sys.version.split()[0]}",
        "versions": {name: _version(name) for name in LIBRARIES},
        "monitors": [list(monitor) for monitor in monitors],
    }


def save_trouble(
    path: Path,
    details: Mapping[str, Any],
    film: Sequence[FilmedFrame],
    events: Iterable[Mapping[str, Any]],
) -> None:
    """Write everything to one file, in place of an earlier one. Raises `OSError`."""
    archive, shown = io.BytesIO(), list[dict[str, Any]]()
    covered = details["error"] in COVERED_ERRORS
    with zipfile.ZipFile(archive, "w") as file:
        for number, (moment, frame) in enumerate(of_the_window(film), start=1):
            name = f"{number:02d}.png"
            file.writestr(name, moment.png)
            shown.append(
                {
                    "frame": name,
                    "at_s": round(moment.at_s, 3),
                    "origin": list(frame.origin),
                    "scale": frame.scale,
                    "shown": _as_lists(moment.shown(frame)),
                    "covers": _as_lists(moment.covers(frame)) if covered else [],
                }
            )
        known = {**details, "frames": shown, "frames_left_out": len(film) - len(shown)}
        file.writestr(DETAILS, _without_home(known))
        file.writestr(EVENTS, "".join(f"{_without_home(event)}\n" for event in events))
    write_file(path, archive.getvalue(), replace=True, mode=0o600)


def of_the_window(film: Iterable[FilmedFrame]) -> Iterator[tuple[FilmedFrame, Frame]]:
    """Leave out frames with another window: the surroundings differ from the first frame there.

    The first frame at a new place must have the colours of the earlier ones.
    """
    first: dict[Any, NDArray[np.uint8]] = {}
    for moment in film:
        frame = moment.frame
        border = moment.border(frame)
        place = (frame.origin, frame.pixels.shape, moment.calibration.grid)
        if place not in first:
            known = np.concatenate([_codes(one) for one in first.values()]) if first else None
            alike = known is None or np.isin(_codes(border), known)
        else:
            alike = (first[place] == border).all(axis=1)
        if not border.size or np.mean(alike) > 1 - OTHER_BORDER:
            first.setdefault(place, border)
            yield moment, frame


def _as_lists(boxes: Iterable[PixelBox]) -> list[list[int]]:
    return [list(map(int, box)) for box in boxes]


def _codes(pixels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return one number for the colour of each pixel."""
    return np.asarray(pixels.astype(np.int64) @ np.array([65536, 256, 1]))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _without_home(data: Mapping[str, Any]) -> str:
    """Write JSON in which the user's folder, which usually contains their name, is ``~``."""
    text = json.dumps(data, ensure_ascii=False, default=str)
    home = json.dumps(str(Path.home()), ensure_ascii=False)[1:-1]
    return text.replace(home, "~") if len(home) > 1 else text


@dataclass(frozen=True, eq=False)
class FilmedFrame:
    """A frame as PNG, when it was grabbed, in seconds of the run, and where the board was then.

    ``origin`` is that of the frame; ``screen`` has the origin and the scale of the whole screen's.
    """

    at_s: float
    png: bytes
    origin: ScreenPoint
    screen: Frame
    calibration: Calibration

    @property
    def frame(self) -> Frame:
        """The frame."""
        return Frame(_pixels(self.png)[:, :, ::-1], self.origin, self.screen.scale)

    def in_frame(self, frame: Frame) -> Calibration:
        """Return the calibration in pixels of a frame."""
        return calibration_in_region(self.calibration, self.screen, frame)

    def shown(self, frame: Frame) -> list[PixelBox]:
        """Return the boxes of a frame that show the board, with half a tile, and its counter."""
        counter, grid = self.calibration.counter, self.in_frame(frame).grid
        boxes = [_grown(grid.bounds, round(max(grid.tile_w, grid.tile_h) / 2))]
        if counter is not None:
            x, y = round(grid.x0), round(grid.y0)  # the counter's box is relative to this corner
            x0, y0, x1, y1 = counter.box
            boxes.append(PixelBox(x0 + x, y0 + y, x1 + x, y1 + y))
        cut = (
            PixelBox(max(0, x0), max(0, y0), min(frame.width, x1), min(frame.height, y1))
            for x0, y0, x1, y1 in boxes
        )
        return [box for box in cut if box.x0 < box.x1 and box.y0 < box.y1]

    def covers(self, frame: Frame) -> Iterator[PixelBox]:
        """Yield the pieces of a covered board; each becomes one colour and unreadable.

        Each tile is a piece, together with the margin next to it if it is at an edge of the board.
        """
        grid = self.in_frame(frame).grid
        if isinstance(Reader(self.in_frame(frame)).read(frame)[0], Reading):
            return
        whole, *counter = self.shown(frame)
        yield from counter
        for row, col in np.ndindex(grid.rows, grid.cols):
            x0, y0, x1, y1 = grid.box(Cell(row, col))
            yield PixelBox(
                whole.x0 if col == 0 else x0,
                whole.y0 if row == 0 else y0,
                whole.x1 if col == grid.cols - 1 else x1,
                whole.y1 if row == grid.rows - 1 else y1,
            )

    def border(self, frame: Frame) -> NDArray[np.uint8]:
        """Return the pixels of half a tile around the board, one a row."""
        grid = self.in_frame(frame).grid
        x0, y0, x1, y1 = (max(0, side) for side in grid.bounds)
        box = self.shown(frame)[0]
        around = np.zeros((frame.height, frame.width), bool)
        around[box.y0 : box.y1, box.x0 : box.x1] = True
        around[y0:y1, x0:x1] = False
        return frame.pixels[around]


def _grown(box: PixelBox, by: int) -> PixelBox:
    return PixelBox(box.x0 - by, box.y0 - by, box.x1 + by, box.y1 + by)


def _pixels(png: bytes) -> NDArray[np.uint8]:
    """Decode a picture, blue first. Raises `ValueError`."""
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        raise ValueError("it is not a picture")
    return np.asarray(picture, np.uint8)


SUMMARY = "report.txt"

NO_BOARD_SEEN = (
    "No board was found, so there is no picture in it: add one of the game's window yourself."
)
"""The sentence of a report without pictures."""

PAINT = 128
"""The grey that covers painted parts."""


@dataclass(frozen=True)
class TroubleReport:
    """A file to send, and a summary of it."""

    data: bytes
    frames: int
    error: str
    message: str


def make_report(kept: Path, *, whole_window: bool) -> TroubleReport:
    """Make a report of the failure that is kept in a file.

    Everything around the board and its counter is painted over, unless ``whole_window`` asks for
    the whole region. Raises `UsageError` if no run has failed, `BadSession` for a file that is
    damaged.
    """
    if not kept.is_file():
        raise UsageError("No run of play or watch has stopped in trouble: there is no report.")
    try:
        with zipfile.ZipFile(io.BytesIO(read_file(kept, ARCHIVE_BYTES))) as file:
            details = parse_json(unpacked(file, file.getinfo(DETAILS)))
            archive = io.BytesIO()
            with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as report:
                report.writestr(SUMMARY, _summary(details, whole_window))
                report.writestr(DETAILS, json.dumps(details, ensure_ascii=False, indent=1))
                report.writestr(EVENTS, unpacked(file, file.getinfo(EVENTS)))
                for one in details["frames"]:
                    png = unpacked(file, file.getinfo(one["frame"]))
                    painted = png if whole_window else _painted_over(png, **one)
                    report.writestr(one["frame"], painted)
        return TroubleReport(
            archive.getvalue(), len(details["frames"]), details["error"], details["message"]
        )
    except (KeyError, OSError, TypeError, ValueError, zipfile.BadZipFile, cv2.error) as error:
        raise BadSession(f"{kept} is damaged: delete it, and let the failure happen again.") from (
            error
        )


def _summary(details: Mapping[str, Any], whole_window: bool) -> str:
    """Describe the report in a few lines, for people who check it before they send it."""
    return (
        f"Made by minebot {details['run'].get('minebot', '')}, {details['when']}.\n\n"
        f"{details['error']}: {details['message']}\n\n"
        f"{details['system']}; monitors {details['monitors']}.\n"
        f"{_of_pictures(details, whole_window)}\n"
        f"{EVENTS} holds what was read, decided and clicked; {DETAILS} the rest.\n"
    )


def _of_pictures(details: Mapping[str, Any], whole_window: bool) -> str:
    frames, left_out = details["frames"], details["frames_left_out"]
    if not frames:
        return NO_BOARD_SEEN
    around = "as it was" if whole_window else "painted over"
    text = f"{counted(len(frames), 'picture')} of the place of the board; what lies around it is "
    text += f"{around}."
    flat = not whole_window and any(one["covers"] for one in frames)
    text += (
        " Of what lay over the board only the shape is left."
        if flat
        else " If something lay over the board, it shows."
    )
    if left_out:
        text += f" Left out: {counted(left_out, 'picture')} that showed something else there."
    return text


def _painted_over(
    png: bytes, shown: Sequence[Sequence[int]], covers: Sequence[Sequence[int]], **_: Any
) -> bytes:
    """Return a picture with only ``shown`` left, and each of the ``covers`` in one colour."""
    picture = _pixels(png)
    painted: NDArray[np.uint8] = np.full(picture.shape, PAINT, np.uint8)
    for x0, y0, x1, y1 in shown:
        painted[y0:y1, x0:x1] = picture[y0:y1, x0:x1]
    for x0, y0, x1, y1 in covers:
        painted[y0:y1, x0:x1] = picture[y0:y1, x0:x1].mean(axis=(0, 1))
    return bytes(np.asarray(cv2.imencode(".png", painted)[1]).tobytes())
