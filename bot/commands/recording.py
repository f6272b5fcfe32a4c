"""Define ``--record [DIR]``: where a session is recorded."""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path

from bot.record.storage import new_session_folder, sessions_folder
from bot.terminal.output import note


def add_record(parser: argparse.ArgumentParser) -> None:
    """Add ``--record``; its value is None, a folder, or True for the user's data folder."""
    parser.add_argument(
        "--record",
        metavar="DIR",
        type=Path,
        nargs="?",
        const=True,
        help="record the session in the folder DIR (without DIR: in a new folder among your data, "
        f"{sessions_folder()})".replace("%", "%%"),
    )


def record_folder(record: Path | bool | None) -> Path | None:
    """Return the folder to record in, None where nobody asked for a recording.

    Names the folder to the person where they did not name it themselves.
    """
    if record is None or isinstance(record, Path):
        return record
    folder = new_session_folder(datetime.now())
    note(f"Recording in {folder}; 'minebot review' makes a page of it.")
    return folder
