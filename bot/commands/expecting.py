"""Compare what `read` reads with the labels of ``--expect``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.errors import UsageError
from bot.record.replaying.differences import different_tiles, tile_words
from calibration.reading import Reading
from solver.board import Board
from solver.bounds import SESSION_BYTES
from solver.errors import SolverError
from solver.files import parse_json, read_text

MOST_TOLD = 20
"""Tiles of one picture that are named one by one; the others are counted."""


@dataclass(frozen=True)
class Label:
    """What one picture shows: its board as text and, where they are told, its status and error."""

    board: tuple[str, ...] | None
    status: str | None = None
    error: str | None = None


@dataclass(frozen=True)
class Mismatch:
    """One thing that was read otherwise than expected: a tile, the board, its status, an error."""

    what: str
    expected: str
    read: str
    cell: tuple[int, int] | None = None

    def to_json(self) -> dict[str, Any]:
        """Describe it as ``read --json`` prints it; only a tile has a cell."""
        return {
            "what": self.what,
            "cell": None if self.cell is None else list(self.cell),
            "expected": self.expected,
            "read": self.read,
        }

    def __str__(self) -> str:
        if self.cell is None:
            return f"{self.what}: expected {self.expected}, read {self.read}"
        row, col = self.cell
        expected, read = tile_words(self.expected), tile_words(self.read)
        return f"row {row + 1}, column {col + 1}: expected {expected}, read {read}"


def load_labels(place: Path, images: Sequence[Path]) -> dict[Path, Label]:
    """Read the label of every image, from one file or from ``place/NAME.json`` for NAME.png.

    A file holds what ``read --json`` prints: an object a line, or one object for one image. Raises
    `UsageError` for a file that cannot be read, and for an image without a label.
    """
    if place.is_dir():
        return {image: _only(place / f"{image.stem}.json", image) for image in images}
    labels = _objects(place)
    if len(images) == 1 and len(labels) == 1 and "image" not in labels[0]:
        return {images[0]: _label(labels[0], place)}
    by_path = {str(one.get("image")): one for one in labels}
    by_name = {Path(str(one.get("image"))).name: one for one in labels}
    found = {}
    for image in images:
        label = by_path.get(str(image)) or by_name.get(image.name)
        if label is None:
            raise UsageError(f"{place} has no label for {image}: 'read --json' writes one.")
        found[image] = _label(label, place)
    return found


def mismatches(label: Label, reading: Reading) -> list[Mismatch]:
    """Compare a reading with its label."""
    if label.board is None:
        return [Mismatch("result", label.error or "an error", "a board")]
    read = reading.board.text_rows()
    found = [
        Mismatch("tile", one.before, one.now, one.cell)
        for one in different_tiles(label.board, read)
    ]
    if not found and list(label.board) != read:
        found.append(Mismatch("board", _size(label.board), _size(tuple(read))))
    if label.status not in (None, reading.status.value):
        found.append(Mismatch("status", str(label.status), reading.status.value))
    return found


def _only(file: Path, image: Path) -> Label:
    """Read the one label of a file."""
    if not file.is_file():
        raise UsageError(f"{file} is missing: it should hold the label of {image}.")
    labels = _objects(file)
    if len(labels) != 1:
        raise UsageError(f"{file} holds {len(labels)} labels; one is expected.")
    return _label(labels[0], file)


def _objects(file: Path) -> list[Mapping[str, Any]]:
    """Read a JSON object, or one a line. Raises `UsageError`."""
    try:
        text = read_text(file, SESSION_BYTES)
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror}).") from error
    try:
        found = [parse_json(text)]
    except ValueError:
        found = _lines(text, file)
    if not all(isinstance(one, Mapping) for one in found):
        raise UsageError(f"{file} holds no labels: it needs a JSON object for each picture.")
    return found


def _lines(text: str, file: Path) -> list[Any]:
    try:
        return [parse_json(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        raise UsageError(f"{file} is no JSON, and not JSON line by line: {error}.") from error


def _label(data: Mapping[str, Any], file: Path) -> Label:
    """Check a label. Raises `UsageError`."""
    board, status, error = (data.get(name) for name in ("board", "status", "error"))
    if board is None and isinstance(error, str):
        return Label(None, error=error)
    try:
        rows = Board.from_text("\n".join(board or ())).text_rows()
    except (TypeError, SolverError) as trouble:
        raise UsageError(
            f"{file} has a label without a board that can be read: 'board' must hold a text a row."
        ) from trouble
    return Label(tuple(rows), None if status is None else str(status))


def _size(board: tuple[str, ...]) -> str:
    return f"{len(board)}x{len(board[0])} tiles"
