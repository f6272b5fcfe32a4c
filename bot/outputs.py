"""The files that a command writes: checked before the work, written completely; the user's data.

Missing folders are made. An existing file is replaced only with ``--force``; errors are reported in
one sentence.
"""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import combinations, count
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from bot.errors import CannotWrite, UsageError
from solver.files import FULL, check_place, create, open_file, write_file

FORMULAS = tuple("=+-@\t\r")
"""Leading characters that make a spreadsheet evaluate a cell as a formula."""

RESULTS_START = b'{"minebot": "results"'
"""The first characters of a file of results."""


def check_writable(path: Path, *, replace: bool = False) -> None:
    """Make the folder of a file; raise `UsageError` if the file cannot be written.

    An existing file can be written only with ``replace``. No file is left behind.
    """
    if path.parent.exists() and not path.parent.is_dir():
        raise UsageError(
            f"{path} cannot be written: {path.parent} is a file, not a folder; name another place."
        )
    with writing(path):
        check_place(path, replace=replace)
        if path.is_char_device():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        trial = path.with_name(f".{secrets.token_hex(8)}.part")
        with open(create(trial), "wb"):
            pass
        trial.unlink()


def check_chart(path: Path, *, replace: bool) -> None:
    """Raise `UsageError` or `MissingExtra` if a chart cannot be drawn or written."""
    from solver.arena.charts import check_plot_path  # noqa: PLC0415  an extra: matplotlib

    check_plot_path(path)
    check_writable(path, replace=replace)


def check_output(
    table: Path | None,
    plot: Path | None,
    *results: Path | None,
    replace: bool,
    inputs: Iterable[Path] = (),
) -> None:
    """Check before a long run whether its results can be saved.

    ``results`` are read and continued, so they are inputs, too. Raises `UsageError` or
    `MissingExtra`.
    """
    inputs, continued = tuple(inputs), tuple(filter(None, results))
    new = tuple(filter(None, (table, plot)))
    for path in new:
        check_not_an_input(path, (*inputs, *continued))
    _check_all_differ((*new, *continued))
    for path in continued:
        check_not_an_input(path, inputs)
        check_results(path)
    if plot is not None:
        check_chart(plot, replace=replace)
    if table is not None:
        check_writable(table, replace=replace)


def _check_all_differ(paths: Sequence[Path]) -> None:
    for one, another in combinations(paths, 2):
        if one.resolve() == another.resolve():
            raise UsageError(f"{one} is named for two outputs: give each its own file.")


def check_results(path: Path) -> None:
    """Raise `UsageError` unless ``path`` is new, or holds results, which are continued."""
    with writing(path):
        if path.is_file() and path.stat().st_size and not _holds_results(path):
            raise UsageError(f"{path} holds no results of minebot: name another file.")
    check_writable(path, replace=True)


def _holds_results(path: Path) -> bool:
    with open_file(path) as file:
        return file.read(len(RESULTS_START)) == RESULTS_START


def check_picture_path(path: Path, *, replace: bool) -> None:
    """Raise `UsageError` unless a picture can be written to ``path``, a .png file."""
    if path.suffix.lower() != ".png":
        raise UsageError(f"Pictures are written as .png, not {path.suffix or path.name!r}.")
    check_writable(path, replace=replace)


def check_not_an_input(path: Path, inputs: Iterable[Path]) -> None:
    """Raise `UsageError` if writing to ``path`` would overwrite one of the files that are read."""
    if not path.exists():
        return
    for one in inputs:
        if one.exists() and path.samefile(one):
            raise UsageError(f"{path} would overwrite a file that is read: name another place.")


def write_output(path: Path, data: bytes | str, *, replace: bool = False) -> None:
    """Write a file completely or not at all. Raises what `writing` raises."""
    with writing(path):
        write_file(path, data, replace=replace)


def write_table(path: Path, rows: Sequence[Mapping[str, Any]], *, replace: bool) -> None:
    """Write rows of the same keys as CSV. Raises what `writing` raises."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _as_text(value) for key, value in row.items()} for row in rows)
    write_output(path, text.getvalue(), replace=replace)


def _as_text(value: Any) -> Any:
    """Escape text, such as a recorded name, that a spreadsheet would evaluate as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULAS) else value


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an `OSError` within the block into one of two errors.

    `CannotWrite` if the disk is full or gone, `UsageError` if the place cannot be used.
    """
    try:
        yield
    except FileExistsError as error:
        raise UsageError(
            f"{path} exists already: name another file, or replace it with --force."
        ) from error
    except OSError as error:
        if error.errno in FULL:
            raise CannotWrite(
                f"{path} could not be written ({error.strerror}): make room and run again."
            ) from error
        raise UsageError(
            f"{path} cannot be written ({error.strerror}): name another place."
        ) from error


def sessions_folder() -> Path:
    """Return the default folder of recorded sessions; it may not exist yet."""
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
