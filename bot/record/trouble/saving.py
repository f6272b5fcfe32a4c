"""Save what led to a failure: frames of the board's place, events, versions, the error.

Frames that show something else in the place of the window, once it is gone, are left out: what
else was on the screen is not kept.
"""

from __future__ import annotations

import io
import json
import platform
import sys
import traceback
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.desktop.ports import Monitor
from bot.record.trouble.covers import BoardLooks
from bot.record.trouble.moments import Moment
from bot.record.trouble.ring import Kept
from bot.version import LIBRARIES
from calibration.points import PixelBox
from solver.files import write_file

DETAILS, EVENTS = "trouble.json", "events.jsonl"
"""The files of a report beside its pictures."""

OTHER_BORDER = 0.6
"""Share of the pixels around the board that differ where another window shows in its place. A
dialog over the board leaves more of them as they were."""

COVERED_ERRORS = ("WindowCovered", "BoardCovered", "WindowGone")
"""Failures that do not depend on the content of what covered the board. Unreadable tiles are the
subject of other reports."""

MOST_TRACE = 20_000
"""Letters of a traceback; one of errors that follow from each other may have many more."""


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
    frames: Iterable[Kept[Moment]],
    events: Iterable[Mapping[str, Any]],
) -> None:
    """Write everything to one file, in place of an earlier one. Raises `OSError`."""
    archive, shown, every = io.BytesIO(), list[dict[str, Any]](), list(frames)
    of_window = list(of_the_window(every))
    looks = BoardLooks(of_window) if details["error"] in COVERED_ERRORS else None
    with zipfile.ZipFile(archive, "w") as file:
        for number, kept in enumerate(of_window, start=1):
            name = f"{number:02d}.png"
            bgr = cv2.cvtColor(kept.frame.pixels, cv2.COLOR_RGB2BGR)
            file.writestr(name, np.asarray(cv2.imencode(".png", bgr)[1]).tobytes())
            shown.append(
                {
                    "frame": name,
                    "at_s": round(kept.note.at_s, 3),
                    "origin": list(kept.frame.origin),
                    "scale": kept.frame.scale,
                    "shown": _as_lists(kept.note.shown(kept.frame)),
                    "covers": _as_lists(looks.covers(kept)) if looks else [],
                }
            )
        left_out = len(every) - len(of_window)
        known = {**details, "frames": shown, "frames_left_out": left_out}
        file.writestr(DETAILS, _without_home(known))
        file.writestr(EVENTS, "".join(f"{_without_home(event)}\n" for event in events))
    write_file(path, archive.getvalue(), replace=True, mode=0o600)


def of_the_window(frames: Iterable[Kept[Moment]]) -> Iterator[Kept[Moment]]:
    """Leave out the frames around whose board all looks unlike the first frame of that place.

    The first frame of another place must have the colours of those before it.
    """
    first: dict[Any, NDArray[np.uint8]] = {}
    for kept in frames:
        frame, border = kept.frame, kept.note.border(kept.frame)
        place = (frame.origin, frame.pixels.shape, kept.note.calibration.grid)
        if place not in first:
            known = np.concatenate([_codes(one) for one in first.values()]) if first else None
            alike = known is None or np.isin(_codes(border), known)
        else:
            alike = (first[place] == border).all(axis=1)
        if not border.size or np.mean(alike) > 1 - OTHER_BORDER:
            first.setdefault(place, border)
            yield kept


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
    """Write JSON in which the user's folder, and so mostly their name, is ``~``."""
    text = json.dumps(data, ensure_ascii=False, default=str)
    home = json.dumps(str(Path.home()), ensure_ascii=False)[1:-1]
    return text.replace(home, "~") if len(home) > 1 else text
