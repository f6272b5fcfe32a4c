"""The files that a command writes: checked first, written whole, and troubles told in one sentence.

Folders that are missing are made. What may be replaced says `solver.files.check_place`.
"""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bot.errors import CannotWrite, UsageError
from solver.board import Board
from solver.errors import SolverError
from solver.files import FULL, Own, check_place, create, has_mark, write_file

FORMULAS = tuple("=+-@\t\r")
"""How a cell begins that a spreadsheet reckons."""


def is_table(start: bytes) -> bool:
    """Whether a file that begins so is a CSV table of this program: one has a column of agents."""
    return b"agent" in start.partition(b"\n")[0].strip().split(b",")


def is_results(start: bytes) -> bool:
    """Whether a file that begins so holds results of games."""
    return start.startswith(b'{"minebot": "results"')


def is_board(start: bytes) -> bool:
    """Whether a file that begins so is a board as text, as this program writes it."""
    try:
        text = start.decode("utf-8")
        return f"{Board.from_text(text)}\n" == text
    except (SolverError, UnicodeDecodeError):
        return False


def check_writable(path: Path, own: Own = has_mark) -> None:
    """Make the folder of a file; raise `UsageError` if the file cannot be written.

    ``own`` tells which file may be replaced. No file is left behind.
    """
    if path.parent.exists() and not path.parent.is_dir():
        raise UsageError(
            f"{path} cannot be written: {path.parent} is a file, not a folder; name another place."
        )
    with writing(path):
        check_place(path, own)
        if path.is_char_device():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        trial = path.with_name(f".{secrets.token_hex(8)}.part")
        with open(create(trial), "wb"):
            pass
        trial.unlink()


def check_chart(path: Path) -> None:
    """Raise `UsageError` or `MissingExtra` if a chart cannot be drawn or written."""
    from solver.arena.plots import check_plot_path  # noqa: PLC0415  an extra: matplotlib

    check_plot_path(path)
    check_writable(path)


def check_output(
    table: Path | None,
    plot: Path | None,
    results: Path | None = None,
    *,
    inputs: Iterable[Path] = (),
) -> None:
    """Check before a long run whether its results can be saved.

    ``results`` are read and continued, so that they are inputs too. Raises `UsageError` or
    `MissingExtra`.
    """
    inputs = tuple(inputs)
    for path in filter(None, (table, plot)):
        check_not_an_input(path, (*inputs, results) if results else inputs)
    if results is not None:
        check_not_an_input(results, inputs)
        check_writable(results, is_results)
    if plot is not None:
        check_chart(plot)
    if table is not None:
        check_writable(table, is_table)


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


def write_output(path: Path, data: bytes | str, own: Own = has_mark) -> None:
    """Write a file whole or not at all. Raises what `writing` raises."""
    with writing(path):
        write_file(path, data, own=own)


def write_table(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows of the same keys as CSV. Raises what `writing` raises."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _as_text(value) for key, value in row.items()} for row in rows)
    write_output(path, text.getvalue(), own=is_table)


def _as_text(value: Any) -> Any:
    """Keep a spreadsheet from taking text, such as a recorded name, for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULAS) else value


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an `OSError` within the block into one of two errors.

    `CannotWrite` for a disk that is full or gone, `UsageError` for a place that cannot be used.
    """
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise CannotWrite(
                f"{path} could not be written ({error.strerror}): make room and run again."
            ) from error
        raise UsageError(
            f"{path} cannot be written ({error.strerror}): name another place."
        ) from error
