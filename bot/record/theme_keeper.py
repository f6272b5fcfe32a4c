"""Keep the look of a program that no theme describes, once play has confirmed it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from bot.errors import CannotWrite, UsageError
from bot.events import GameResult, Outcome, SilentObserver, Turn
from bot.outputs import write_output
from bot.record.themes import drop_oldest, keep_theme, kept_themes, new_name, theme_text
from bot.tracking.places import calibration_in_region
from calibration.calibration import Calibration
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.read.by_theme.making import theme_of_tiles
from calibration.read.by_theme.matching import labels_from_theme
from calibration.read.recognise import cluster_board
from calibration.reading import Reading
from calibration.theme import LEARNED, Theme
from solver.board import Board

LEAST_KINDS = 3
"""Kinds of numbers that a game must have shown before its look is worth keeping."""

LEAST_KNOWN = 0.5
"""Share of a board's numbers that a kept theme must name if it is to be completed."""


class ThemeKeeper(SilentObserver):
    """An observer that writes what a learned look is like, after each game played to its end.

    Play has confirmed it then: each number fitted the mines, each click opened what it was meant
    to. ``name`` names the theme, ``path`` its file, which takes the place of another file only with
    ``replace``; without them a theme is named and kept among the user's data, or one that was kept
    before is completed. A look that a built-in theme describes is kept only if it was asked for.

    What was asked for and cannot be written stops play with `CannotWrite` or `UsageError`; else a
    note says why nothing is kept.
    """

    def __init__(
        self,
        tell: Callable[[str], None],
        *,
        name: str | None = None,
        path: Path | None = None,
        replace: bool = False,
    ) -> None:
        self._tell = tell
        self._asked = name is not None or path is not None
        self._name, self._path, self._replace = name, path, replace
        self._screen: Frame | None = None
        self._calibration: Calibration | None = None
        self._best: tuple[Frame, Grid, Board] | None = None

    def calibrated(self, frame: Frame, calibration: Calibration) -> None:
        """Note where the board is."""
        self._screen, self._calibration = frame, calibration

    def decided(self, turn: Turn) -> None:
        """Keep the frame with the most kinds of numbers."""
        if self._screen is None or self._calibration is None:
            return
        board = turn.reading.board
        if self._best is None or _kinds(board) >= _kinds(self._best[2]):
            grid = calibration_in_region(self._calibration, self._screen, turn.frame).grid
            self._best = turn.frame, grid, board

    def game_over(self, result: GameResult, frame: Frame, reading: Reading | None) -> None:
        """Write the theme of a game that was played to its end."""
        best, self._best = self._best, None
        if best is None or self._calibration is None or result.outcome is Outcome.STOPPED:
            return
        known = self._calibration.theme
        if _kinds(best[2]) < LEAST_KINDS or not (known.program == LEARNED or self._asked):
            return
        self._keep(best, known)

    def _keep(self, best: tuple[Frame, Grid, Board], known: Theme) -> None:
        frame, grid, board = best
        if self._name is None:
            known = _kept_theme_of(frame, grid, board) or known
            self._name = known.name.partition("/")[2] or new_name()
        base = known if known.name == f"{LEARNED}/{self._name}" else None
        theme = theme_of_tiles(
            frame, grid, board.tiles.astype(np.int8), f"{LEARNED}/{self._name}", base
        )
        if base is not None and theme == base:
            return
        try:
            path = self._written(theme)
        except (CannotWrite, UsageError) as error:
            if self._asked:
                raise
            self._tell(str(error))
            return
        drop_oldest()
        self._tell(f"The look of this program is kept as the theme {self._name!r} in {path}.")

    def _written(self, theme: Theme) -> Path:
        """Write the theme; after the first game, over the file of this run."""
        if self._path is None:
            return keep_theme(theme)
        write_output(self._path, theme_text(theme), replace=self._replace)
        self._replace = True
        return self._path


def _kept_theme_of(frame: Frame, grid: Grid, board: Board) -> Theme | None:
    """Return the kept theme with the digits of a board; a fresh one, at the start, has none."""
    clusters, numbers = cluster_board(frame, grid), board.tiles > 0
    for theme in kept_themes():
        labels = labels_from_theme(clusters, theme)[clusters.of_tile][numbers]
        same, other = (labels == board.tiles[numbers]).sum(), (labels > 0).sum()
        if same == other and same >= LEAST_KNOWN * numbers.sum():
            return theme
    return None


def _kinds(board: Board) -> int:
    """Count the kinds of numbers that a board shows."""
    return len(set(board.tiles[board.tiles > 0].tolist()))
