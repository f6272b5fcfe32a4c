"""Themes are data: they round-trip, old files still load, a garbled one is refused."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.calibration import calibrate
from calibration.classify.decode import MARGIN
from calibration.classify.recognise import recognise
from calibration.errors import BadCalibration
from calibration.frame import Frame
from calibration.theme import (
    LEARNED,
    Theme,
    builtin_themes,
    themes_of_file,
)
from solver.board import Cell, Tile
from tests.calibration.screens import FIXTURES, Screen, labelled

Ink = tuple[int, int, int]
SCREENS = labelled(FIXTURES)
DESCRIBED = {theme.program for theme in builtin_themes()}
PLAYED = [
    screen
    for screen in SCREENS
    if screen.program in DESCRIBED and screen.status == "playing" and (screen.board.tiles > 0).any()
]


def test_every_builtin_theme_round_trips_and_has_the_appearances_of_play() -> None:
    themes = builtin_themes()
    assert {theme.name.split("/")[0] for theme in themes} == {
        "xdemineur",
        "gnome-mines",
        "kmines",
        "sgt-mines",
        "winemine",
    }
    for theme in themes:
        assert Theme.from_data(theme.to_data()) == theme
        assert {0, 1, 2, 3, int(Tile.HIDDEN), int(Tile.FLAG)} <= {
            one.tile for one in theme.appearances
        }
        assert theme.profile.new_game


@pytest.mark.parametrize(
    "text",
    [
        "program =",
        '[[theme]]\nname = "a"\n[[theme.appearance]]\ntile = "Q"\nbackground = "#000000"',
        '[[theme]]\nname = "a"\n[[theme.appearance]]\ntile = "1"\nbackground = "blue"',
        '[[theme]]\nname = "a"\n[theme.profile]\nnew_gam = "f2"',
        '[[theme]]\nname = "a"\n[theme.profile]\nsettle_ms = "slow"',
        '[[theme]]\nname = "a"\n[theme.profile]\nsmiley = [1]',
        '[[theme]]\nname = "a"\n[theme.profile]\nfirst_click = "kind"',
        '[[theme]]\nname = "a"\nprofile = 5',
        *[
            '[[theme]]\nname = "a"\n[[theme.appearance]]\ntile = "1"\nbackground = "#000000"\n'
            f'ink = "#00d000"\nshape = ["..9...", "..9...", "..9...", "..9...", "..9...", {row}]'
            for row in ('"..x9.."', '"..9."', '"..9...."', '"..-9.."', "5")
        ],
        'theme = ["a"]',
        '[[skin]]\nname = "a"',
    ],
)
def test_garbled_files_are_refused(text: str) -> None:
    with pytest.raises(BadCalibration):
        themes_of_file(text)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("screen", PLAYED, ids=lambda screen: screen.name)
def test_a_picture_on_a_tile_is_no_flag_if_the_theme_knows_the_flag(screen: Screen) -> None:
    rng, frame = np.random.default_rng(7), screen.frame()
    near = [
        cell
        for cell in screen.board.cells()
        if screen.board.tiles[cell] == Tile.HIDDEN
        and any(screen.board.tiles[beside] > 0 for beside in screen.board.neighbours(Cell(*cell)))
    ]
    for cell in (near[0], near[len(near) // 2], near[-1]):
        box = screen.grid.box(Cell(*cell))
        pixels = frame.pixels.copy()
        part = pixels[box.y0 + 2 : box.y1 - 2, box.x0 + 2 : box.x1 - 2]
        noise = rng.integers(0, 256, (5, 5, 3)).astype(np.uint8)
        part[:] = cv2.resize(noise, part.shape[1::-1], interpolation=cv2.INTER_CUBIC)
        seen = recognise(Frame(pixels), screen.grid)
        assert seen.theme.program == screen.program
        assert seen.tiles[cell] == Tile.HIDDEN or seen.confidence[cell] < MARGIN


GREEN, GREY, BLACK = (0, 128, 0), (186, 189, 182), (0, 0, 0)


@pytest.mark.parametrize(
    ("count", "pitch", "side", "page", "colour", "edge", "program"),
    [
        # Its profile would report a win without checking whether the mines must be flagged.
        (10, 35, 34, 255, GREEN, BLACK, LEARNED),
        # At scale 2 tiles of gnome-mines have 102 pixels, and edges as thin as at scale 1.
        (8, 102, 95, 246, GREY, GREY, "gnome-mines"),
    ],
    ids=["flat tiles in the green of winemine", "large tiles of gnome-mines look flat"],
)
def test_of_which_program_flat_tiles_are(
    count: int, pitch: int, side: int, page: int, colour: Ink, edge: Ink, program: str
) -> None:
    pixels = np.full((2 * 60 + count * pitch, 2 * 60 + count * pitch, 3), page, np.uint8)
    for x, y in np.ndindex(count, count):
        at = 60 + pitch * x, 70 + pitch * y
        cv2.rectangle(pixels, at, (at[0] + side, at[1] + side), colour, -1)
        cv2.rectangle(pixels, at, (at[0] + side, at[1] + side), edge, 1)
    found = calibrate(Frame(pixels))
    assert (found.grid.rows, found.grid.cols) == (count, count)
    assert found.theme.program == program
