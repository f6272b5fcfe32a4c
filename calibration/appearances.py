"""How tiles and smileys look: the entries of a theme, in numbers that hold at any size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.errors import BadCalibration
from solver.board import TEXT_OF_TILE, TILE_OF_TEXT
from solver.game import Status

SMILEY_SIDE = 12
"""Rows and columns of a picture of a smiley; each value is one of 16 levels of grey."""

SHAPE_SIDE = 6
"""Rows and columns of the shape of a glyph."""

_WRONG_ENTRIES = (LookupError, ValueError, TypeError, AttributeError, OverflowError)
"""Errors that a missing or wrong entry raises."""


class Colour(NamedTuple):
    """Red, green, blue, 0 to 255. Its text is ``#rrggbb``."""

    red: int
    green: int
    blue: int

    @classmethod
    def from_text(cls, text: str) -> Colour:
        """Read ``#rrggbb``. Raises `ValueError` for anything else."""
        if len(text) != 7 or text[0] != "#":
            raise ValueError(f"{text!r} is not a colour of the form #rrggbb")
        return cls(int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16))

    def shifted(self, step: int) -> Colour:
        """Return the colour lighter by ``step`` in each channel, within 0 to 255."""
        return Colour(*(min(255, max(0, value + step)) for value in self))

    def __str__(self) -> str:
        return f"#{self.red:02x}{self.green:02x}{self.blue:02x}"


@dataclass(frozen=True)
class Appearance:
    """How one kind of tile looks, in numbers that hold at any size.

    ``tile`` is a number 0-8 or a `Tile`. ``background`` is the colour inside the border, ``ink``
    the mean colour of the glyph, None for an empty tile. ``bevel`` says how much lighter than
    the background the top-left border is, and the bottom-right one: about ``(60, -60)`` for a
    raised tile, ``(0, 0)`` for a flat one. ``shape`` draws the glyph in its own box, six rows of
    six characters from ``.`` (no ink) over ``1`` to ``9`` (all ink); it is empty without a glyph.
    """

    tile: int
    background: Colour
    ink: Colour | None = None
    bevel: tuple[int, int] = (0, 0)
    shape: tuple[str, ...] = ()

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Appearance:
        """Build an appearance from a TOML table. Raises `BadCalibration`."""
        try:
            bevel = data.get("bevel", [0, 0])
            shape = tuple(data.get("shape", ()))
            if shape and not is_shape(shape):
                raise ValueError(
                    f"its shape is not {SHAPE_SIDE} rows of {SHAPE_SIDE} signs, . or 1 to 9"
                )
            return cls(
                tile=TILE_OF_TEXT[data["tile"]],
                background=Colour.from_text(data["background"]),
                ink=Colour.from_text(data["ink"]) if "ink" in data else None,
                bevel=(int(bevel[0]), int(bevel[1])),
                shape=shape,
            )
        except _WRONG_ENTRIES as error:
            raise BadCalibration(f"An appearance of the theme cannot be read: {error}.") from error

    def to_data(self) -> dict[str, Any]:
        """Return a table for TOML; `from_data` reads it back."""
        data: dict[str, Any] = {
            "tile": TEXT_OF_TILE[self.tile],
            "background": str(self.background),
        }
        if self.ink is not None:
            data["ink"] = str(self.ink)
        data["bevel"] = list(self.bevel)
        if self.shape:
            data["shape"] = list(self.shape)
        return data


def is_shape(rows: Iterable[Any]) -> bool:
    """Whether ``rows`` draw a glyph: six rows of six characters from ``.`` to ``9``."""
    rows = list(rows)
    return len(rows) == SHAPE_SIDE and all(
        isinstance(row, str) and len(row) == SHAPE_SIDE and set(row) <= set(".123456789")
        for row in rows
    )


class SmileyAppearance(NamedTuple):
    """A picture of a smiley, `SMILEY_SIDE` rows of hexadecimal digits, and the status it shows."""

    status: Status
    picture: tuple[str, ...]

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> SmileyAppearance:
        """Build it from a TOML table. Raises `BadCalibration`."""
        try:
            appearance = cls(Status(data["status"]), tuple(data["picture"]))
            if levels_of(appearance.picture).shape != (SMILEY_SIDE, SMILEY_SIDE):
                raise ValueError(f"its picture is not {SMILEY_SIDE} by {SMILEY_SIDE}")
        except _WRONG_ENTRIES as error:
            raise BadCalibration(f"A smiley of the theme cannot be read: {error}.") from error
        return appearance

    def to_data(self) -> dict[str, Any]:
        """Return a table for TOML; `from_data` reads it back."""
        return {"status": self.status.value, "picture": list(self.picture)}


def levels_of(rows: Iterable[str]) -> NDArray[np.float32]:
    """Read a picture of a smiley, one hexadecimal digit a pixel, as grey levels 0 to 15."""
    return np.array([[int(char, 16) for char in row] for row in rows], dtype=np.float32)
