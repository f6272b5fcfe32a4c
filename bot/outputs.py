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
    if path.parent.exists() and not path.parent.is_dir():
        raise UsageError(
            f"{path} cannot be written: {path.parent} is a file, not a folder; name another place."
        )
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


def check_output(
    csv: Path | None,
    plot: Path | None,
    results: Path | None = None,
    *,
    inputs: Iterable[Path] = (),
) -> None:
    """Check before a long run whether its results can be saved.

    ``results`` are read and continued, so that they are inputs too. Raises `UsageError` or
    `MissingExtra`.
    """
    if plot is not None:
        check_chart(plot)
    for path in filter(None, (csv, results)):
        check_writable(path)
    inputs = tuple(inputs)
    for path in filter(None, (csv, plot)):
        check_not_an_input(path, (*inputs, results) if results else inputs)
    if results is not None:
        check_not_an_input(results, inputs)


def check_picture_path(path: Path) -> None:
    """Raise `UsageError` unless a picture can be written to ``path``, a .png file."""
    if path.suffix.lower() != ".png":
        raise UsageError(f"Pictures are written as .png, not {path.suffix or path.name!r}.")
    check_writable(path)


def check_not_an_input(path: Path, inputs: Iterable[Path]) -> None:
    """Raise `UsageError` if writing to ``path`` would overwrite one of the files that are read."""
    if not path.exists():
        return
    for one in inputs:
        if one.exists() and path.samefile(one):
            raise UsageError(f"{path} would overwrite a file that is read: name another place.")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a full or vanished disk within the block into `CannotWrite`."""
    try:
        yield
    except OSError as error:
        raise CannotWrite(
            f"{path} could not be written ({error.strerror}): make room and run again."
        ) from error
