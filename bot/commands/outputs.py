"""The files that a command writes at its end: checked first, and troubles told in one sentence.

Folders that are missing are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bot.errors import CannotWrite, UsageError


def check_writable(path: Path) -> None:
    """Make the folder of a file; raise `UsageError` if the file cannot be written.

    No file is left behind.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        existed = path.exists()
        with path.open("ab"):
            pass
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written ({error.strerror}): name another place."
        ) from error
    if not existed:
        with suppress(OSError):
            path.unlink()


def check_chart(path: Path) -> None:
    """Raise `UsageError` or `MissingExtra` if a chart cannot be drawn or written."""
    from solver.arena.plots import check_plot_path  # noqa: PLC0415  an extra: matplotlib

    check_plot_path(path)
    check_writable(path)


def check_picture_path(path: Path) -> None:
    """Raise `UsageError` unless a picture can be written to ``path``, a .png file."""
    if path.suffix.lower() != ".png":
        raise UsageError(f"Pictures are written as .png, not {path.suffix or path.name!r}.")
    check_writable(path)


def check_not_an_input(path: Path, inputs: Iterable[Path]) -> None:
    """Raise `UsageError` if writing to ``path`` would overwrite one of the files that are read."""
    for one in inputs:
        if path.exists() and one.exists() and path.samefile(one):
            raise UsageError(f"{path} would overwrite the picture that is read: choose another.")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a full or vanished disk within the block into `CannotWrite`."""
    try:
        yield
    except OSError as error:
        raise CannotWrite(
            f"{path} could not be written ({error.strerror}): make room and run again."
        ) from error
