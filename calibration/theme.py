"""How the tiles of a program look, and how the program behaves.

A theme is data: a few numbers for each appearance, which hold at any size, and the profile of the
program. The built-in themes are in ``themes/*.toml``: a file for each program, a ``[[theme]]`` for
each colour scheme. With a theme nothing has to be learned and the program's behaviour is known. A
window without one can be read as well: `calibration.classify.recognise.recognise` builds a theme
from the frame.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib import resources
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.errors import BadCalibration
from solver.board import TEXT_OF_TILE, TILE_OF_TEXT
from solver.files import TOML_BYTES, parse_toml, read_text
from solver.game import Rule, Status

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


LEARNED = "learned"
"""Name of a theme learned from a frame: no theme describes the program."""

SMILEY = "smiley"
"""What a profile calls a click on the smiley, in place of a key."""

KEYS_OF_FILES = (
    *("f2", "f3", "n", "r", "space", "enter", "return", "escape", "esc"),
    *("ctrl+n", "ctrl+r"),
)
"""All keys that a theme or a calibration may name: they start games and close dialogs. None closes
a window or belongs to the desktop, because anyone may have written the file."""

SMILEY_REACH = 4.0
"""How far above a board a smiley may be, in tiles: the reach in which one is searched."""

MOST_SETTLE_MS = 5000
"""Longest time that a program may be said to need for repainting."""

NAME = re.compile(r"\w[\w .+-]{0,79}")
"""A name of a program or of a theme."""


@dataclass(frozen=True)
class ProgramProfile:
    """How a program behaves. The defaults fit an unknown program.

    - ``new_game``: what starts a new game: a key or keys such as ``f2`` or ``ctrl+n``, or
      ``smiley`` for a click on the smiley; None if unknown.
    - ``smiley``: where the smiley is: ``x`` as a share of the board's width, ``y`` in tiles
      below the top edge of the board (negative: above it).
    - ``close_won``, ``close_lost``: keys that close the dialog that the program opens over the
      board after a won or a lost game.
    - ``settle_ms``: about how long the program takes to repaint after a click.
    - ``flags_to_win``: whether a game is won only when all mines are flagged.
    - ``first_click``: the first-click rule: ``none``, ``safe`` or ``zero``.
    - ``counter_side``: where the mine counter is: ``above-left``, ``above-right``, ``below``,
      ``right``, or empty if unknown.
    - ``counter_only_in_play``: whether another text takes its place when a game is over.
    """

    new_game: str | None = None
    smiley: tuple[float, float] | None = None
    close_won: tuple[str, ...] = ()
    close_lost: tuple[str, ...] = ()
    settle_ms: int = 150
    flags_to_win: bool = False
    first_click: str = "none"
    counter_side: str = ""
    counter_only_in_play: bool = False

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ProgramProfile:
        """Build it from a TOML table. Raises `BadCalibration` for an unknown or wrong entry."""
        for key, value in data.items():
            if key not in PROFILE_VALUES:
                raise BadCalibration(f"The profile of the theme has an unknown entry {key!r}.")
            if not PROFILE_VALUES[key](value):
                raise BadCalibration(f"The profile of the theme has a wrong {key}: {value!r}.")
        if data.get("new_game", SMILEY) != SMILEY:
            _check_key(data["new_game"])
        for key in (*data.get("close_won", ()), *data.get("close_lost", ())):
            _check_key(key)
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in data.items()
        }
        return cls(**values)

    def to_data(self) -> dict[str, Any]:
        """Return a table for TOML; `from_data` reads it back."""
        data = {key: value for key, value in asdict(self).items() if value is not None}
        return {key: list(v) if isinstance(v, tuple) else v for key, v in data.items()}


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and isfinite(value)  # type: ignore[arg-type]


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _is_smiley_place(value: object) -> bool:
    """Whether a smiley lies above its board: only the user may ask for clicks elsewhere."""
    if not (isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))):
        return False
    across, tiles = value
    return bool(0 <= across <= 1 and -SMILEY_REACH <= tiles <= 0)


def _check_key(key: object) -> None:
    """Raise `BadCalibration` for a key that a file must not name."""
    names = (name.strip().lower() for name in str(key).split("+"))
    if not isinstance(key, str) or "+".join(names) not in KEYS_OF_FILES:
        raise BadCalibration(
            f"The profile of the theme asks for the key {key!r}, which no file may have pressed: "
            f"only {', '.join(KEYS_OF_FILES)}. Name another key yourself, with --new-game or "
            "--close."
        )


PROFILE_VALUES: Mapping[str, Callable[[Any], bool]] = {
    "new_game": lambda value: isinstance(value, str),
    "smiley": _is_smiley_place,
    "close_won": lambda value: isinstance(value, list),
    "close_lost": lambda value: isinstance(value, list),
    "settle_ms": lambda value: _is_number(value) and 0 <= value <= MOST_SETTLE_MS,
    "flags_to_win": _is_bool,
    "first_click": lambda value: value in [rule.value for rule in Rule],
    "counter_side": lambda value: value in ("", "above-left", "above-right", "below", "right"),
    "counter_only_in_play": _is_bool,
}
"""Checks, for each entry of a profile, whether a value is valid."""


@dataclass(frozen=True)
class Theme:
    """The appearances and the profile of a program, under a name.

    ``name`` is ``program/scheme``, or ``learned``. ``smileys`` are the pictures of the smiley
    above the board, if the program has one.
    """

    name: str
    appearances: tuple[Appearance, ...]
    profile: ProgramProfile = field(default_factory=ProgramProfile)
    smileys: tuple[SmileyAppearance, ...] = ()

    @property
    def program(self) -> str:
        """The program that the theme describes; `LEARNED` for an unknown one."""
        return self.name.split("/")[0]

    def shifted(self, step: int) -> Theme:
        """Return the theme with all colours of its tiles lighter by ``step``."""
        appearances = tuple(
            replace(
                one, background=one.background.shifted(step), ink=one.ink and one.ink.shifted(step)
            )
            for one in self.appearances
        )
        return replace(self, appearances=appearances)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Theme:
        """Build a theme from its TOML table. Raises `BadCalibration`."""
        if not isinstance(data, Mapping) or not isinstance(data.get("name"), str):
            raise BadCalibration("The theme has no name.")
        if not all(map(NAME.fullmatch, data["name"].split("/", 1))):
            raise BadCalibration(
                f"A theme cannot be called {data['name'][:80]!r}: use letters, digits and hyphens."
            )
        if not isinstance(data.get("profile", {}), Mapping):
            raise BadCalibration("The profile of the theme is not a table.")
        return cls(
            data["name"],
            tuple(Appearance.from_data(one) for one in _tables(data, "appearance")),
            ProgramProfile.from_data(data.get("profile", {})),
            tuple(SmileyAppearance.from_data(one) for one in _tables(data, "smiley")),
        )

    def to_data(self) -> dict[str, Any]:
        """Return a table for TOML; `from_data` reads it back."""
        return {
            "name": self.name,
            "profile": self.profile.to_data(),
            "appearance": [one.to_data() for one in self.appearances],
            "smiley": [one.to_data() for one in self.smileys],
        }


def _tables(data: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the tables of this name in a theme. Raises `BadCalibration`."""
    tables = data.get(name, [])
    if not (isinstance(tables, list) and all(isinstance(one, Mapping) for one in tables)):
        raise BadCalibration(f"The entry {name!r} of the theme must hold tables.")
    return tables


def themes_of_file(text: str) -> tuple[Theme, ...]:
    """Read a theme file: the profile of a program and its themes.

    The profile holds for every theme that has none of its own. Raises `BadCalibration`.
    """
    try:
        data = parse_toml(text)
    except ValueError as error:
        raise BadCalibration(f"The theme file is not TOML: {error}.") from error
    if unknown := data.keys() - {"program", "profile", "theme"}:
        raise BadCalibration(f"The theme file has an unknown entry {min(unknown)!r}.")
    program, profile, themes = data.get("program"), data.get("profile", {}), data.get("theme", [])
    if not (isinstance(themes, list) and all(isinstance(theme, Mapping) for theme in themes)):
        raise BadCalibration("Its themes must be tables: each begins with [[theme]].")
    return tuple(
        Theme.from_data({"profile": profile, **theme, "name": f"{program}/{theme.get('name')}"})
        for theme in themes
    )


@cache
def builtin_themes() -> tuple[Theme, ...]:
    """Read the themes that come with the package."""
    folder = resources.files("calibration") / "themes"
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".toml")), key=str)
    return tuple(
        theme for entry in files for theme in themes_of_file(entry.read_text(encoding="utf-8"))
    )


def themes_named(name: str) -> tuple[Theme, ...]:
    """Return the built-in themes of this name or of this program; none for an unknown name.

    A name that ends in ``.toml`` is a file, read by `load_themes`. Raises `BadCalibration`.
    """
    if name.endswith(".toml"):
        return load_themes(name)
    return tuple(t for t in builtin_themes() if name in (t.name, t.name.split("/")[0]))


def load_themes(path: str | Path) -> tuple[Theme, ...]:
    """Read a theme file of one's own. Raises `BadCalibration`, naming the file."""
    try:
        themes = themes_of_file(read_text(path, TOML_BYTES))
    except OSError as error:
        raise BadCalibration(f"The theme file {path} cannot be read: {error.strerror}.") from error
    except BadCalibration as error:
        raise BadCalibration(f"{path} cannot be read as a theme file: {error}") from error
    if not themes:
        raise BadCalibration(f"The theme file {path} holds no [[theme]].")
    return themes
