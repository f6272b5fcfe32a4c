"""Choose where a session is recorded."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from bot.record.storage import new_session_folder
from bot.terminal.output import note


def record_folder(record: Path | bool | None) -> Path | None:
    """Return the folder to record in, None where nobody asked for a recording.

    Names the folder to the person where they did not name it themselves.
    """
    if record is None or isinstance(record, Path):
        return record
    folder = new_session_folder(datetime.now())
    note(f"Recording in {folder}; 'minebot review' makes a page of it.")
    return folder
