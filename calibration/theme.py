"""What a program's tiles look like, and how it wants to be handled.

A theme is data: a few numbers a look, and the program's manners. The built-in ones lie in
``themes/*.toml``, one file a program with one ``[[skin]]`` a colour scheme. They spare the
learning and tell the manners; a window without one is read all the same, because
`calibration.learn.recognise` builds a theme from the frame.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from calibration.errors import BadCalibration
from calibration.face import FaceLook
from solver.board import TEXT_OF_TILE, TILE_OF_TEXT

LEARNED = "learned"
"""Name of a theme learned from a frame, of a program nobody described."""


class Colour(NamedTuple):
    """Red, green, blue, 0 to 255. Its text is ``#rrggbb``."""

    red: int
    green: int
    blue: int

    @classmethod
    def from_text(cls, text: str) -> Colour:
        """Read ``#rrggbb``. Raises `ValueError` for anything else."""
        if len(text) != 7 or text[0] != "#":
            raise ValueError(f"{text!r} is no colour of the form #rrggbb")
        return cls(int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16))

    def shifted(self, step: int) -> Colour:
        """Return it lighter by ``step`` in each channel, as far as that goes."""
        return Colour(*(min(255, max(0, value + step)) for value in self))

    def __str__(self) -> str:
        return f"#{self.red:02x}{self.green:02x}{self.blue:02x}"


@dataclass(frozen=True)
class Look:
    """How one kind of tile looks, in figures that hold at any size.

    ``tile`` is a number 0-8 or a `Tile`; ``face`` the colour of the ground inside the border;
    ``ink`` the mean colour of what is drawn on it, None for an empty tile. ``rim`` says how
    much lighter than the face the top-left border is, and the bottom-right one (a raised bevel
    is about ``(60, -60)``, a flat tile ``(0, 0)``). ``shape`` draws the ink in its own box,
    six rows of six ninths (``.`` none, ``9`` full); empty where there is no ink.
    """

    tile: int
    face: Colour
    ink: Colour | None = None
    rim: tuple[int, int] = (0, 0)
    shape: tuple[str, ...] = ()

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Look:
        """Build a look from a TOML table. Raises `BadCalibration`."""
        try:
            rim = data.get("rim", [0, 0])
            return cls(
                tile=TILE_OF_TEXT[data["tile"]],
                face=Colour.from_text(data["face"]),
                ink=Colour.from_text(data["ink"]) if "ink" in data else None,
                rim=(int(rim[0]), int(rim[1])),
                shape=tuple(data.get("shape", ())),
            )
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise BadCalibration(f"A look of the theme cannot be read: {error}.") from error

    def to_data(self) -> dict[str, Any]:
        """Return a table for TOML; `from_data` reads it back."""
        data: dict[str, Any] = {"tile": TEXT_OF_TILE[self.tile], "face": str(self.face)}
        if self.ink is not None:
            data["ink"] = str(self.ink)
        data["rim"] = list(self.rim)
        if self.shape:
            data["shape"] = list(self.shape)
        return data


@dataclass(frozen=True)
class Handling:
    """How a program wants to be handled. The defaults fit a program nobody knows.

    ``new_game`` is a key or chord of keys such as ``f2`` or ``ctrl+n``, or ``face`` for a click
    on the face; None where it is unknown. ``face`` is where that face lies: ``x`` as a share of
    the board's width, ``y`` in tiles above (negative) or below the board's top edge.
    ``close_won`` and ``close_lost`` are keys that close the dialog a program opens over the
    board; ``settle_ms`` about how long it takes to repaint after a click; ``hover`` whether a
    tile changes under the pointer; ``flags_to_win`` whether a game is only won when all mines
    are flagged; ``first_click`` what the first click is spared, ``none``,
    ``safe`` or ``zero``; ``counter`` where the mine counter stands: ``above-left``,
    ``above-right``, ``below``, ``right``, or empty where unknown; ``counter_ends`` whether it
    gives way to other words when a game is over.
    """

    new_game: str | None = None
    face: tuple[float, float] | None = None
    close_won: tuple[str, ...] = ()
    close_lost: tuple[str, ...] = ()
    settle_ms: int = 150
    hover: bool = True
    flags_to_win: bool = False
    first_click: str = "none"
    counter: str = ""
    counter_ends: bool = False

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Handling:
        """Build it from a TOML table. Raises `BadCalibration` for an unknown key."""
        known = dict(data)
        for key in ("face", "close_won", "close_lost"):
            if key in known:
                known[key] = tuple(known[key])
        try:
            return cls(**known)
        except TypeError as error:
            raise BadCalibration(f"The theme's handling cannot be read: {error}.") from error

    def to_data(self) -> dict[str, Any]:
        """Return a table for TOML; `from_data` reads it back."""
        data = {key: value for key, value in asdict(self).items() if value is not None}
        return {key: list(v) if isinstance(v, tuple) else v for key, v in data.items()}


@dataclass(frozen=True)
class Theme:
    """Looks and manners under a name: ``program/skin``, or ``learned``.

    ``faces`` are the pictures of the face above the board, where the program has one.
    """

    name: str
    looks: tuple[Look, ...]
    handling: Handling = field(default_factory=Handling)
    faces: tuple[FaceLook, ...] = ()

    @property
    def program(self) -> str:
        """The program it belongs to."""
        return self.name.split("/")[0]

    def shifted(self, step: int) -> Theme:
        """Return the same theme with all colours of its tiles lighter by ``step``."""
        looks = tuple(
            replace(look, face=look.face.shifted(step), ink=look.ink and look.ink.shifted(step))
            for look in self.looks
        )
        return replace(self, looks=looks)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Theme:
        """Build a theme from its TOML table. Raises `BadCalibration`."""
        if not isinstance(data.get("name"), str):
            raise BadCalibration("The theme has no name.")
        return cls(
            data["name"],
            tuple(Look.from_data(look) for look in data.get("look", ())),
            Handling.from_data(data.get("handling", {})),
            tuple(FaceLook.from_data(face) for face in data.get("face", ())),
        )

    def to_data(self) -> dict[str, Any]:
        """Return a table for TOML; `from_data` reads it back."""
        return {
            "name": self.name,
            "handling": self.handling.to_data(),
            "look": [look.to_data() for look in self.looks],
            "face": [face.to_data() for face in self.faces],
        }


def themes_of_file(text: str) -> tuple[Theme, ...]:
    """Read a theme file: a program's handling and its skins. Raises `BadCalibration`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadCalibration(f"The theme file is no TOML: {error}.") from error
    handling = data.get("handling", {})
    return tuple(
        Theme.from_data({**skin, "name": f"{data.get('program')}/{skin.get('name')}"})
        if "handling" in skin
        else Theme.from_data(
            {**skin, "handling": handling, "name": f"{data.get('program')}/{skin.get('name')}"}
        )
        for skin in data.get("skin", ())
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
    """Return the built-in themes of that name or of that program; none for an unknown one."""
    return tuple(t for t in builtin_themes() if name in (t.name, t.name.split("/")[0]))


def without_program(themes: Iterable[Theme], program: str) -> tuple[Theme, ...]:
    """Return the themes that are not of ``program``."""
    return tuple(theme for theme in themes if theme.program != program)
