"""Themes learned in play, kept among the user's data: one TOML file each.

They are offered to calibration like the built-in ones. What is seen decides: a theme that does not
fit the tiles is not used.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import tomli_w
from platformdirs import user_data_path

from bot.errors import UsageError
from bot.outputs import write_output
from calibration.errors import BadCalibration
from calibration.theme import LEARNED, NAME, Theme, builtin_themes, load_themes
from solver.counting import no_such

MOST_KEPT = 20
"""Themes kept of their own accord; beyond, the one that was not changed for longest goes."""

OWN_NAME = re.compile(r"look-\d+")


def themes_folder() -> Path:
    """Return the folder of learned themes; it may not exist yet."""
    return user_data_path("minebot", appauthor=False) / "themes"


def kept_themes(tell: Callable[[str], None] = lambda _: None) -> tuple[Theme, ...]:
    """Return the themes in the folder; ``tell`` is called for files that cannot be read."""
    themes: list[Theme] = []
    for path in sorted(themes_folder().glob("*.toml")):
        try:
            themes += load_themes(path)
        except BadCalibration as error:
            tell(f"Left out: {error}")
    return tuple(themes)


def theme_file(name: str) -> Path:
    """Return the file of a learned theme. Raises `UsageError` for an invalid name."""
    plain = name.removeprefix(f"{LEARNED}/")
    if not NAME.fullmatch(plain):
        raise UsageError(f"A theme cannot be called {name!r}: use letters, digits and hyphens.")
    return themes_folder() / f"{plain}.toml"


def kept_theme(name: str) -> Theme:
    """Return a learned theme.

    Raises `UsageError` if there is none of this name, `BadCalibration` if its file is damaged.
    """
    return load_themes(_kept_file(name))[0]


def _kept_file(name: str) -> Path:
    """Return the file of a learned theme. Raises `UsageError` if there is none of this name."""
    path = theme_file(name)
    if not path.exists():
        names = [theme.name.partition("/")[2] for theme in kept_themes()]
        raise UsageError(no_such("learned theme", name, names or ["none yet"]))
    return path


def theme_called(name: str) -> Theme:
    """Return a learned or built-in theme. Raises `UsageError` unless there is exactly one.

    The program alone will do for one that has a single theme. Raises `BadCalibration` if the file
    of a learned one is damaged.
    """
    themes = (*kept_themes(), *builtin_themes())
    found = [one for one in themes if name in (one.name, one.name.removeprefix(f"{LEARNED}/"))]
    found = found or [one for one in themes if name == one.program]
    if len(found) == 1:
        return found[0]
    if not found and name.removeprefix(f"{LEARNED}/") in _stems():
        return kept_theme(name)
    names = [one.name for one in found or themes]
    if found:
        raise UsageError(f"{name} has several themes, name one of them: {', '.join(names)}.")
    raise UsageError(no_such("theme", name, names))


def _stems() -> set[str]:
    """Return the names of the files of learned themes, damaged ones included."""
    return {path.stem for path in themes_folder().glob("*.toml")}


def new_name() -> str:
    """Return a name that no learned theme has: ``look-1``, ``look-2`` and so on."""
    number = 1
    while theme_file(f"look-{number}").exists():
        number += 1
    return f"look-{number}"


def keep_theme(theme: Theme) -> Path:
    """Write a theme to its file in the folder, in place of an older one.

    Raises `UsageError` or `CannotWrite`.
    """
    path = theme_file(theme.name)
    write_output(path, theme_text(theme), replace=True)
    return path


def theme_text(theme: Theme) -> str:
    """Return the text of a theme file that holds this theme."""
    program, _, name = theme.name.partition("/")
    data = replace(theme, name=name or program).to_data()
    text = tomli_w.dumps({"program": program if name else LEARNED, "theme": [data]})
    return f"# A theme of minebot\n{text}"


def forget_theme(name: str) -> None:
    """Remove a learned theme. Raises `UsageError` if there is none of this name."""
    if any(name in (one.name, one.program) for one in builtin_themes()):
        raise UsageError(
            f"The theme {name} is part of minebot: only themes that play has learned are forgotten."
        )
    _kept_file(name).unlink()


def drop_oldest() -> None:
    """Remove the oldest of the themes that got their name of their own accord, beyond a limit."""
    own = [path for path in themes_folder().glob("*.toml") if OWN_NAME.fullmatch(path.stem)]
    for path in sorted(own, key=lambda path: path.stat().st_mtime)[:-MOST_KEPT]:
        path.unlink()
