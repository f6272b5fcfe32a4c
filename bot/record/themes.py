"""Themes learned in play, kept among the user's data: one TOML file each.

They are offered to calibration like the built-in ones: a theme that does not fit the tiles is not
used. The look of a program without a theme is kept once play has confirmed it, with its habits: how
the next game starts, and whether all mines are to be flagged.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import tomli_w
from platformdirs import user_data_path

from bot.errors import CannotWrite, UsageError
from bot.events import BoardFound, Decided, Event, GameOver, GameResult, Outcome, Turn
from bot.outputs import write_output
from bot.tracking.places import calibration_in_region
from calibration.calibration import Calibration
from calibration.classify.by_theme.making import theme_of_tiles
from calibration.classify.by_theme.matching import labels_from_theme
from calibration.classify.clusters import cluster_tiles
from calibration.errors import BadCalibration
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.reading import Reading
from calibration.rules import only_mines_left
from calibration.theme import LEARNED, NAME, ProgramProfile, Theme, builtin_themes, load_themes
from solver.agents.base import Action
from solver.board import Board
from solver.counting import no_such

MOST_KEPT = 20
"""Themes kept of their own accord; beyond, the one that was not changed for longest goes."""

OWN_NAME = re.compile(r"look-\d+")


def themes_folder() -> Path:
    """Return the folder of learned themes; it may not exist yet."""
    return user_data_path("minebot", appauthor=False) / "themes"


def kept_themes(note: Callable[[str], None] = lambda _: None) -> tuple[Theme, ...]:
    """Return the themes in the folder; ``note`` is called for files that cannot be read."""
    themes: list[Theme] = []
    for path in sorted(themes_folder().glob("*.toml")):
        try:
            themes += load_themes(path)
        except BadCalibration as error:
            note(f"Left out: {error}")
    return tuple(themes)


def theme_file(name: str) -> Path:
    """Return the file of a learned theme. Raises `UsageError` for an invalid name."""
    plain = name.removeprefix(f"{LEARNED}/")
    if not NAME.fullmatch(plain):
        raise UsageError(f"A theme cannot be called {name!r}: use letters, digits and hyphens.")
    return themes_folder() / f"{plain}.toml"


def kept_theme(name: str) -> Theme:
    """Return a learned theme.

    Raises `UsageError` for an unknown name, `BadCalibration` if its file is damaged.
    """
    return load_themes(_kept_file(name))[0]


def _kept_file(name: str) -> Path:
    """Return the file of a learned theme. Raises `UsageError` for an unknown name."""
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
    """Remove a learned theme. Raises `UsageError` for an unknown name."""
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


LEAST_KINDS = 3
"""Kinds of numbers that a game must have shown before its look is worth keeping."""

LEAST_KNOWN = 0.5
"""Share of a board's numbers that a kept theme must name if it is to be completed."""


class ThemeKeeper:
    """An observer that writes what a learned look is like, after each game played to its end.

    Play has confirmed it then: each number fitted the mines, each click opened what it was meant
    to. ``name`` names the theme, ``path`` its file, which takes the place of another file only with
    ``replace``; without them a theme is named and kept among the user's data, or one that was kept
    before is completed. A look that a built-in theme describes is kept only if it was asked for.

    ``new_game`` is the control that the person named for the next game, if any. It is kept once a
    game has begun with it, if a file may name it (`calibration.theme.KEYS_OF_FILES`).

    What was asked for and cannot be written stops play with `CannotWrite` or `UsageError`; else a
    note says why nothing is kept.
    """

    def __init__(
        self,
        note: Callable[[str], None],
        *,
        name: str | None = None,
        path: Path | None = None,
        replace: bool = False,
        new_game: str | None = None,
    ) -> None:
        self._note = note
        self._asked = name is not None or path is not None
        self._name, self._path, self._replace = name, path, replace
        self._new_game = new_game
        self._habits = ProgramProfile()
        self._only_flags = False
        self._kept: set[Path] = set()
        self._screen: Frame | None = None
        self._calibration: Calibration | None = None
        self._best: tuple[Frame, Grid, Board] | None = None

    def __call__(self, event: Event) -> None:
        """Note where the board is, keep the best frame, and write the theme after a game."""
        match event:
            case BoardFound(frame, calibration):
                self._screen, self._calibration = frame, calibration
            case Decided(turn):
                self._decided(turn)
            case GameOver(result, _, reading):
                self._game_over(result, reading)

    def _decided(self, turn: Turn) -> None:
        """Keep the frame with the most kinds of numbers, and whether only flags are to be set."""
        flags = all(move.action is Action.FLAG for move in turn.decision.moves)
        before = turn.reading.board
        self._only_flags = flags and only_mines_left(before.tiles, before.mines)
        if self._screen is None or self._calibration is None:
            return
        if self._best is None or _kinds(before) >= _kinds(self._best[2]):
            grid = calibration_in_region(self._calibration, self._screen, turn.frame).grid
            self._best = turn.frame, grid, before

    def _game_over(self, result: GameResult, reading: Reading | None) -> None:
        """Write the theme of a game that was played to its end."""
        best, self._best = self._best, None
        self._note_habits(result, reading)
        if best is None or self._calibration is None or result.outcome is Outcome.STOPPED:
            return
        known = self._calibration.theme
        if _kinds(best[2]) < LEAST_KINDS or not (known.program == LEARNED or self._asked):
            return
        self._keep(best, known)

    def _note_habits(self, result: GameResult, reading: Reading | None) -> None:
        """Note what a game shows of the program: flags that ended it, a key that started it."""
        won = result.outcome is Outcome.WON
        if won and self._only_flags and reading is not None and reading.board.flags:
            self._habits = replace(self._habits, flags_to_win=True)
        if result.game > 1 and self._new_game is not None:
            with suppress(BadCalibration):
                named = ProgramProfile.from_data({"new_game": self._new_game})
                self._habits = replace(self._habits, new_game=named.new_game)

    def _keep(self, best: tuple[Frame, Grid, Board], known: Theme) -> None:
        frame, grid, board = best
        if self._name is None:
            known = _kept_theme_of(frame, grid, board) or known
            self._name = known.name.partition("/")[2] or new_name()
        base = known if known.name == f"{LEARNED}/{self._name}" else None
        theme = theme_of_tiles(
            frame, grid, board.tiles.astype(np.int8), f"{LEARNED}/{self._name}", base
        )
        theme = replace(theme, profile=self._with_habits(known.profile), smileys=known.smileys)
        if base is not None and theme == base:
            return
        try:
            path = self._written(theme)
        except (CannotWrite, UsageError) as error:
            if self._asked:
                raise
            self._note(str(error))
            return
        drop_oldest()
        if path not in self._kept:
            self._note(f"The look of this program is kept as the theme {self._name!r} in {path}.")
        self._kept.add(path)

    def _with_habits(self, known: ProgramProfile) -> ProgramProfile:
        """Return a profile with the habits that play has seen; the others stay as they were."""
        return replace(
            known,
            new_game=self._habits.new_game or known.new_game,
            flags_to_win=self._habits.flags_to_win or known.flags_to_win,
        )

    def _written(self, theme: Theme) -> Path:
        """Write the theme; after the first game, over the file of this run."""
        if self._path is None:
            return keep_theme(theme)
        write_output(self._path, theme_text(theme), replace=self._replace)
        self._replace = True
        return self._path


def _kept_theme_of(frame: Frame, grid: Grid, board: Board) -> Theme | None:
    """Return the kept theme with the digits of a board; a fresh one, at the start, has none."""
    clusters, numbers = cluster_tiles(frame, grid), board.tiles > 0
    for theme in kept_themes():
        labels = labels_from_theme(clusters, theme)[clusters.of_tile][numbers]
        same, other = (labels == board.tiles[numbers]).sum(), (labels > 0).sum()
        if same == other and same >= LEAST_KNOWN * numbers.sum():
            return theme
    return None


def _kinds(board: Board) -> int:
    """Count the kinds of numbers that a board shows."""
    return len(set(board.tiles[board.tiles > 0].tolist()))
