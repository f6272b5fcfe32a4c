"""Real screenshots must read exactly, with a theme file and without.

Those of ``browser`` show web pages with appearances, fonts and symbols that no theme describes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.classify.decode import MARGIN
from calibration.classify.recognise import Recognition, recognise
from calibration.errors import Unreadable
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.reader import read
from calibration.theme import Theme, builtin_themes
from tests.calibration.screens import FIXTURES, Screen, labelled, without_program

SCREENS = labelled(FIXTURES)
COVERED = labelled(FIXTURES, covered=True)
SUBSET = SCREENS[::3]

# Appearances that cannot be learned from a single frame: a six whose loop is closed by blurring,
# a small question mark beside a flag. They must stay unread and never be read as something else.
UNREAD_WITHOUT_THEME = 2

LEAST_TILE = 12
"""Least side of a tile that must be read, in pixels."""


def name(screen: Screen) -> str:
    return screen.name


def tiles_read(
    frame: Frame, grid: Grid, themes: Sequence[Theme] | None
) -> tuple[Recognition, NDArray[np.bool_]]:
    """Return the recognition, and a mask of the tiles below the margin."""
    seen = recognise(frame, grid, themes=themes)
    doubtful = seen.confidence < MARGIN
    return seen, doubtful


@pytest.mark.sampled(5)
@pytest.mark.parametrize("screen", SCREENS, ids=name)
def test_every_screen_reads_exactly(screen: Screen) -> None:
    theme = recognise(screen.frame(), screen.grid).theme
    reading = read(screen.frame(), Calibration(screen.grid, theme, screen.board.mines))
    assert reading.board == screen.board
    assert reading.status.value == screen.status
    described = screen.program in {known.program for known in builtin_themes()}
    assert theme.name == (f"{screen.program}/{screen.theme}" if described else "learned")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("program", sorted({screen.program for screen in SCREENS}))
def test_a_deleted_theme_file_costs_no_wrong_tile(program: str) -> None:
    themes = without_program(builtin_themes(), program)
    unread = 0
    for screen in (screen for screen in SCREENS if screen.program == program):
        seen, doubtful = tiles_read(screen.frame(), screen.grid, themes)
        assert not ((seen.tiles != screen.board.tiles) & ~doubtful).any(), screen.name
        unread += int(doubtful.sum())
    assert unread <= UNREAD_WITHOUT_THEME


@pytest.mark.slow
@pytest.mark.parametrize(("scale", "brighter"), [(0.8, 0), (1.2, 0), (1, 10), (1, -10)])
def test_scaled_and_brightened_screens(scale: float, brighter: int) -> None:
    tiles = unread = 0
    for screen in SUBSET:
        frame, grid = screen.varied(scale=scale, brighter=brighter)
        if grid.tile_w < LEAST_TILE:
            continue
        seen, doubtful = tiles_read(frame, grid, None)
        assert not ((seen.tiles != screen.board.tiles) & ~doubtful).any(), screen.name
        tiles, unread = tiles + doubtful.size, unread + int(doubtful.sum())
    assert unread <= 0.01 * tiles


@pytest.mark.slow
@pytest.mark.parametrize("screen", SUBSET[::2], ids=name)
def test_a_lossy_picture_is_refused_rather_than_misread(screen: Screen) -> None:
    _, packed = cv2.imencode(
        ".jpg", screen.frame().pixels[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 60]
    )
    unpacked = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
    frame = Frame(np.ascontiguousarray(unpacked[..., ::-1]))
    with contextlib.suppress(Unreadable):
        learned = recognise(frame, screen.grid).theme
        assert read(frame, Calibration(screen.grid, learned)).board.tiles.tolist() == (
            screen.board.tiles.tolist()
        )


@pytest.mark.slow
@pytest.mark.sampled(22)
@pytest.mark.parametrize("screen", COVERED, ids=name)
@pytest.mark.parametrize("known", [True, False], ids=["theme", "no theme"])
def test_a_cover_is_noticed(screen: Screen, known: bool) -> None:
    theme = recognise(screen.frame(), screen.grid).theme if known else Theme("learned", ())
    try:
        reading = read(screen.frame(), Calibration(screen.grid, theme, screen.board.mines))
    except Unreadable:
        return
    assert reading.board == screen.board
