"""Recorded sessions: what was seen, read, decided and clicked, step by step.

A session is a folder: ``session.jsonl`` with a header and one JSON line a step, and the frames
as PNG beside it. A frame is written before the line that names it and every line is flushed,
so that a crash loses nothing written; a last line cut short is passed over when reading.
Only file names within the folder are kept: a session can be moved and sent to others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bot.errors import BadSession, UsageError
from bot.turn import Click, GameResult, Turn
from calibration.calibrate import Calibration
from calibration.errors import BadImage
from calibration.frame import Frame, ScreenPoint
from calibration.pictures import load_image
from calibration.reader import Reading
from solver.agents.base import Action, Decision, Move
from solver.board import Cell
from solver.errors import BadBoardText

LINES = "session.jsonl"
VERSION = 1


class Recorder:
    """A watcher that writes a session.

    ``header`` is what a replay needs to know: agent, seed, options. Raises `UsageError` when
    the folder already holds a session or cannot be written.
    """

    def __init__(self, folder: Path, header: Mapping[str, Any]) -> None:
        self._folder = folder
        self._frames = 0
        self._in_turn = False
        self._after_turn: list[tuple[Frame, Calibration]] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lines = (folder / LINES).open("x", encoding="utf-8")
        except FileExistsError as error:
            raise UsageError(
                f"{folder} already holds a session: record to another folder."
            ) from error
        except OSError as error:
            raise UsageError(
                f"{folder} cannot be written ({error.strerror}): record to another folder."
            ) from error
        started = datetime.now(UTC).isoformat(timespec="seconds")
        self._write("session", version=VERSION, started=started, **header)

    def close(self) -> None:
        """Close the file; every line is on its way to the disk already."""
        self._lines.close()

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Write the whole screen and where the board is on it.

        Found while a turn waits for its answer, it holds from the next turn on.
        """
        if self._in_turn:
            self._after_turn.append((frame, calibration))
        else:
            place = calibration_json(calibration)
            self._write("calibrated", **self._picture(frame), calibration=place)

    def decided(self, turn: Turn) -> None:
        """Write nothing: the turn is written when it is played."""
        self._in_turn = True

    def played(self, turn: Turn) -> None:
        """Write a turn."""
        self._write_turn(turn)
        self._in_turn = False
        while self._after_turn:
            self.calibrated(*self._after_turn.pop(0))

    def _write_turn(self, turn: Turn) -> None:
        timings = turn.timings
        self._write(
            "turn",
            game=turn.game,
            turn=turn.number,
            **self._picture(turn.frame),
            **reading_json(turn.reading),
            decision=decision_json(turn.decision),
            clicks=[click_json(click) for click in turn.clicks],
            retry=turn.retry,
            chance=turn.chance,
            ms={
                name: round(getattr(timings, f"{name}_ms"), 3)
                for name in ("grab", "read", "decide", "send", "wait")
            },
        )

    def noticed(self, note: str) -> None:
        """Write a note."""
        self._write("noticed", note=note)

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Write how a game ended, with its last picture."""
        self._write(
            "game",
            **result_json(result),
            **self._picture(frame),
            **(reading_json(reading) if reading else {}),
        )

    def stopped(self, error: Exception, frame: Frame | None) -> None:
        """Write why play ended, with the last picture."""
        self._write(
            "stopped",
            error=type(error).__name__,
            message=str(error),
            **(self._picture(frame) if frame else {}),
        )

    def _picture(self, frame: Frame) -> dict[str, Any]:
        self._frames += 1
        name = f"{self._frames:05d}.png"
        bgr = cv2.cvtColor(frame.pixels, cv2.COLOR_RGB2BGR)
        # OpenCV's default takes 6 ms for the region of an expert board (1192 x 900) and writes
        # 100 KB; level 1 takes 17 ms for 30 KB.
        _, data = cv2.imencode(".png", bgr)
        (self._folder / name).write_bytes(np.asarray(data).tobytes())
        return {"frame": name, "origin": list(frame.origin), "scale": frame.scale}

    def _write(self, kind: str, **data: Any) -> None:
        self._lines.write(json.dumps({"kind": kind, **data}, ensure_ascii=False) + "\n")
        self._lines.flush()


@dataclass(frozen=True)
class Session:
    """A session read back: its header and its steps, each a line as it was written."""

    folder: Path
    header: Mapping[str, Any]
    steps: tuple[Mapping[str, Any], ...]

    @classmethod
    def load(cls, folder: Path) -> Session:
        """Read a session. Raises `BadSession`."""
        try:
            text = (folder / LINES).read_text(encoding="utf-8")
        except OSError as error:
            raise BadSession(
                f"{folder} holds no session ({LINES}: {error.strerror}); name a folder that was "
                "given to 'minebot play --record'."
            ) from error
        except UnicodeDecodeError as error:
            raise BadSession(f"{folder / LINES} is no text: the session is damaged.") from error
        header, *steps = list(_lines(text)) or [{}]
        if header.get("kind") != "session" or header.get("version") != VERSION:
            raise BadSession(
                f"{folder / LINES} does not begin as a session of version {VERSION} does: it was "
                "written by another program, or by another version of this one."
            )
        return cls(folder, header, tuple(steps))

    def frame(self, step: Mapping[str, Any]) -> Frame:
        """Load the frame of a step. Raises `BadSession`."""
        try:
            name = Path(str(step["frame"])).name
            pixels = load_image(self.folder / name).pixels
            return Frame(pixels, ScreenPoint(*step["origin"]), float(step["scale"]))
        except (BadImage, KeyError, TypeError, ValueError) as error:
            raise BadSession(f"A frame of the session cannot be read: {error}") from error


def _lines(text: str) -> Iterator[dict[str, Any]]:
    """Read the lines; the last one may have been cut short by a crash."""
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        try:
            data = json.loads(line)
        except ValueError as error:
            if number == len(lines):
                return
            raise BadSession(f"Line {number} of the session cannot be read: {error}.") from error
        if not isinstance(data, dict):
            raise BadSession(f"Line {number} of the session is no object.")
        yield data


def calibration_json(calibration: Calibration) -> dict[str, Any]:
    """Describe a calibration."""
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
    """Describe a reading, with the mine total believed in."""
    return {
        "board": reading.board.text_rows(),
        "mines": reading.board.mines,
        "status": reading.status.value,
        "mines_left": reading.mines_left,
        "confidence": round(reading.confidence, 4),
    }


def decision_json(decision: Decision) -> dict[str, Any]:
    """Describe a decision; `decision_of` reads it back."""
    return {
        "moves": [[move.action.value, *move.cell] for move in decision.moves],
        "reason": decision.reason,
        "survival": decision.survival,
        "win": decision.win,
    }


def decision_of(data: Mapping[str, Any]) -> Decision:
    """Read a decision. Raises `BadSession`."""
    try:
        moves = tuple(Move(Cell(row, col), Action(action)) for action, row, col in data["moves"])
        return Decision(moves, data["reason"], data["survival"], data["win"])
    except (KeyError, TypeError, ValueError, BadBoardText) as error:
        raise BadSession(f"A decision of the session cannot be read: {error}.") from error


def click_json(click: Click) -> dict[str, Any]:
    """Describe a click."""
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
    return line
