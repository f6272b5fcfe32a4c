"""Where sessions are kept when nobody names a place: the user's data folder."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from platformdirs import user_data_path


def sessions_folder() -> Path:
    """Return the folder of all sessions recorded without a place; it may not exist yet."""
    return user_data_path("minebot", appauthor=False) / "sessions"


def trouble_file() -> Path:
    """Return the file that keeps the last failure; it may not exist."""
    return user_data_path("minebot", appauthor=False) / "trouble.zip"


def new_session_folder(now: datetime) -> Path:
    """Return a folder for a new session, named after its time; it does not exist yet."""
    stem = now.strftime("%Y%m%d-%H%M%S")
    folder = sessions_folder() / stem
    number = 1
    while folder.exists():
        number += 1
        folder = sessions_folder() / f"{stem}-{number}"
    return folder
