"""What a replay finds different, in sentences: at which turn, on which tile, before and now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from calibration.read.refusals import TILE_NAMES
from solver.board import TEXT_OF_TILE, Cell
from solver.counting import counted, percent

MOST_TILES = 8
"""Tiles of one board that are named one by one; the others are counted."""

WORDS_FOR = {
    "x0": "left edge of the board",
    "y0": "top edge of the board",
    "tile_w": "width of a tile",
    "tile_h": "height of a tile",
    "cols": "columns",
    "mines_left": "mines left",
    "survival": "chance to survive",
    "win": "chance to win",
    "blame": "cause of the loss",
}
"""What sentences call a recorded value; others go by their own names."""

CUT_OFF = "its line"
"""What differs in a line that a crash cut short."""

PIXELS, CHANCES = ("x0", "y0", "tile_w", "tile_h"), ("survival", "win")

TILE_WORDS = {
    text: str(tile) if tile in range(9) else TILE_NAMES.get(tile, "unknown")
    for tile, text in TEXT_OF_TILE.items()
}
"""What sentences call a tile that a board shows as this text."""


class TileDifference(NamedTuple):
    """A tile that two boards show differently, each as text."""

    cell: Cell
    before: str
    now: str


@dataclass(frozen=True)
class Difference:
    """One difference: the step (counted from 1), what differs in it, and both values.

    ``place`` names the step as a person does, such as ``turn 2``.
    """

    step: int
    what: str
    recorded: Any
    now: Any
    place: str = field(default="", compare=False)

    def to_json(self) -> dict[str, Any]:
        """Describe it as ``replay --json`` prints it."""
        values = {"step": self.step, "what": self.what, "recorded": self.recorded, "now": self.now}
        return values | {"text": " ".join(self.sentences())}

    def sentences(self) -> list[str]:
        """Say it: one sentence, or one for each of the first tiles that differ."""
        start = self.place[:1].upper() + self.place[1:]
        if self.what == CUT_OFF:
            return [f"{start} is cut short, and left out."]
        if self.what == "board" and self.tiles:
            return list(self._tile_sentences(start))
        if self.what == "moves" and sorted(self.recorded) == sorted(self.now or []):
            return [f"{start}, moves: the same in another order."]
        recorded, now = self._values()
        what = "" if self.what == "the result" else f", {WORDS_FOR.get(self.what, self.what)}"
        return [f"{start}{what}: recorded {recorded}, now {now}."]

    @property
    def tiles(self) -> tuple[TileDifference, ...]:
        """The tiles that differ, where two boards of one size do."""
        return different_tiles(self.recorded, self.now) if self.what == "board" else ()

    def _tile_sentences(self, start: str) -> Iterator[str]:
        for one in self.tiles[:MOST_TILES]:
            before, now = tile_words(one.before), tile_words(one.now)
            yield f"{start}, {one.cell.place}: recorded {before}, now {now}."
        if (more := len(self.tiles) - MOST_TILES) > 0:
            yield f"{start}: {counted(more, 'more tile')} {'differs' if more == 1 else 'differ'}."

    def _values(self) -> tuple[str, str]:
        """Write both values as a person reads them."""
        if self.what == "moves":
            return (
                _moves_text(self.recorded, without=self.now),
                _moves_text(self.now or [], without=self.recorded),
            )
        return _text(self.what, self.recorded), _text(self.what, self.now)


def tile_words(text: str) -> str:
    """Name a tile that a board shows as this text."""
    return TILE_WORDS.get(text, text)


def different_tiles(before: Sequence[str], now: Sequence[str]) -> tuple[TileDifference, ...]:
    """Return the tiles that differ; none for boards of different sizes."""
    if [len(row) for row in before] != [len(row) for row in now or ()]:
        return ()
    return tuple(
        TileDifference(Cell(row, col), old, new)
        for row, rows in enumerate(zip(before, now, strict=True))
        for col, (old, new) in enumerate(zip(*rows, strict=True))
        if old != new
    )


def place_of(step: Mapping[str, Any], *, games: int) -> str:
    """Name a step as a person does; its game only where there are several."""
    game = f"game {step['game']}" if games > 1 and "game" in step else ""
    if step["kind"] == "turn":
        return f"{game}, turn {step['turn']}" if game else f"turn {step['turn']}"
    if step["kind"] == "game":
        return f"the end of {game or 'the game'}"
    return "the board on the screen" if step["kind"] == "calibrated" else "a line"


def _text(what: str, value: Any) -> str:
    """Write a value with its unit."""
    if value is None or value == []:
        return "unknown"
    if what == "board":
        return f"{counted(len(value), 'row')} of {counted(max(map(len, value)), 'tile')}"
    if what in PIXELS and isinstance(value, int | float):
        return f"{value:g} px"
    if what in CHANCES and isinstance(value, int | float):
        return percent(value)
    return str(value)


def _moves_text(moves: Sequence[Sequence[Any]], *, without: Sequence[Sequence[Any]] | None) -> str:
    """Name the first of the moves that the other decision lacks, and count the rest."""
    if not moves:
        return "no move"
    own = [move for move in moves if move not in (without or ())]
    if not own:
        return "no other move"
    action, row, col = own[0]
    more = f" and {len(own) - 1} more" if len(own) > 1 else ""
    return f"{action} {Cell(row, col).place}{more}"
