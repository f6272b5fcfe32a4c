"""Where sessions are kept by default: the user's data folder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import count
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
    named = numbered(sessions_folder() / now.strftime("%Y%m%d-%H%M%S"))
    return next(folder for folder in named if not folder.exists())


def numbered(folder: Path) -> Iterator[Path]:
    """Yield a folder's path, then the same with ``-2``, ``-3`` and so on after its name."""
    yield folder
    for number in count(2):
        yield folder.with_name(f"{folder.name}-{number}")
