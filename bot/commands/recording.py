"""Choose where a session is recorded, and which one is meant when nobody names it."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from bot.errors import BadSession
from bot.record.session import LINES_FILE, Recorder, Session
from bot.record.storage import new_session_folder, sessions_folder
from bot.terminal.output import note


def record_folder(record: Path | bool | None) -> Path | None:
    """Return the folder to record in, None where nobody asked for a recording."""
    if record is None or isinstance(record, Path):
        return record
    return new_session_folder(datetime.now())


def note_recording(recorder: Recorder | None, record: Path | bool | None) -> None:
    """Say where a session lies and what to type for its page, if there is one."""
    if recorder is None or record is None or not recorder.begun:
        return
    named = f" {typed(record)}" if isinstance(record, Path) else ""
    note(f"Recorded in {recorder.folder}; 'minebot review{named}' makes a page of it.")


def typed(path: Path) -> str:
    """Write a path as a shell of any system takes it."""
    return f'"{path}"' if " " in str(path) else str(path)


def last_session() -> Path:
    """Return the session recorded last among the user's data. Raises `BadSession`."""
    found = sorted(sessions_folder().glob(f"*/{LINES_FILE}"), key=lambda file: file.stat().st_mtime)
    for file in reversed(found):
        with suppress(BadSession):
            if Session.load(file.parent).has_turns:
                return file.parent
    raise BadSession(
        f"{sessions_folder()} holds no recorded game: record one with 'minebot play --record', or "
        "name the folder of a session."
    )
