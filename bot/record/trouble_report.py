"""One file of the last failure, to send: pictures of the board, decisions, versions, the error.

What lies around the board, or over it, is painted over: its shape is evidence, its content is
private. A tile belongs to the board if it looks like some tile of a frame that can be read.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bot.errors import BadSession, UsageError
from bot.record.trouble import DETAILS, EVENTS
from solver.bounds import ARCHIVE_BYTES
from solver.counting import counted
from solver.files import parse_json, read_file, unpacked

SUMMARY = "report.txt"

NO_BOARD_SEEN = (
    "No board was found, so there is no picture in it: add one of the game's window yourself."
)
"""What a report without pictures says of them."""

PAINT = 128
"""The grey of what is painted over."""


@dataclass(frozen=True)
class TroubleReport:
    """A file to send, and a summary of it."""

    data: bytes
    frames: int
    error: str
    message: str


def make_report(kept: Path, *, whole_window: bool) -> TroubleReport:
    """Make a report of the failure that is kept in a file.

    Around the board and its counter all is painted over, unless it is to show the ``whole_window``
    as far as it was looked at. Raises `UsageError` if no run has failed, `BadSession` for a file
    that is damaged.
    """
    if not kept.is_file():
        raise UsageError("No run of play or watch has stopped in trouble: there is no report.")
    try:
        with zipfile.ZipFile(io.BytesIO(read_file(kept, ARCHIVE_BYTES))) as file:
            details = parse_json(unpacked(file, file.getinfo(DETAILS)))
            archive = io.BytesIO()
            with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as report:
                # The first bytes show a later run that this file may be replaced.
                report.writestr(SUMMARY, _summary(details, whole_window), zipfile.ZIP_STORED)
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
    """Say in a few lines what the report holds, for those who look before they send it."""
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
    """Return a picture of which ``shown`` is left, and of each of the ``covers`` one colour."""
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        raise ValueError("it is not a picture")
    painted: NDArray[np.uint8] = np.full(picture.shape, PAINT, np.uint8)
    for x0, y0, x1, y1 in shown:
        painted[y0:y1, x0:x1] = picture[y0:y1, x0:x1]
    for x0, y0, x1, y1 in covers:
        painted[y0:y1, x0:x1] = picture[y0:y1, x0:x1].mean(axis=(0, 1))
    return bytes(np.asarray(cv2.imencode(".png", painted)[1]).tobytes())
