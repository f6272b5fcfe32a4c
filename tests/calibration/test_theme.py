"""Themes are data: they round-trip, and a garbled one is refused with a sentence."""

import cv2
import numpy as np
import pytest

from calibration.errors import BadCalibration
from calibration.frame import Frame
from calibration.learn import MARGIN, recognise
from calibration.theme import (
    Colour,
    Handling,
    Look,
    Theme,
    builtin_themes,
    themes_of_file,
    without_program,
)
from solver.board import Cell, Tile
from tests.calibration.screens import FIXTURES, labelled

SCREENS = labelled(FIXTURES)
DESCRIBED = {theme.program for theme in builtin_themes()}
PLAYED = [
    screen
    for screen in SCREENS
    if screen.program in DESCRIBED and screen.status == "playing" and (screen.board.tiles > 0).any()
]


def test_every_builtin_theme_round_trips_and_has_the_looks_of_play():
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
        assert {0, 1, 2, 3, int(Tile.HIDDEN), int(Tile.FLAG)} <= {look.tile for look in theme.looks}
        assert theme.handling.new_game


def test_one_programs_themes_can_be_left_out():
    names = [theme.name for theme in without_program(builtin_themes(), "kmines")]
    assert names
    assert not any(name.startswith("kmines/") for name in names)


def test_handling_round_trips():
    handling = Handling(new_game="face", face=(0.5, -1.5), close_won=("escape",), hover=False)
    assert Handling.from_data(handling.to_data()) == handling


def test_look_round_trips():
    look = Look(3, Colour(1, 2, 250), Colour(255, 0, 0), (60, -60), ("......",) * 6)
    assert Look.from_data(look.to_data()) == look


@pytest.mark.parametrize(
    "text",
    [
        "program =",
        '[[skin]]\nname = "a"\n[[skin.look]]\ntile = "Q"\nface = "#000000"',
        '[[skin]]\nname = "a"\n[[skin.look]]\ntile = "1"\nface = "blue"',
        '[[skin]]\nname = "a"\n[skin.handling]\nnew_gam = "f2"',
    ],
)
def test_garbled_files_are_refused(text):
    with pytest.raises(BadCalibration):
        themes_of_file(text)


@pytest.mark.parametrize(
    ("program", "brighter"),
    [
        ("xdemineur", -10),
        ("gnome-mines", -10),
        ("gnome-mines", 10),
        ("kmines", -10),
        ("kmines", 10),
        ("sgt-mines", -10),
        ("winemine", 10),
    ],
)
def test_a_fresh_board_lighter_or_darker_keeps_its_programs_theme(program, brighter):
    screen = next(s for s in SCREENS if s.program == program and s.name.endswith("fresh"))
    frame, grid = screen.varied(brighter=brighter)
    assert recognise(frame, grid).theme.program == program


@pytest.mark.parametrize(
    "screen",
    [s for s in SCREENS if s.program in DESCRIBED and "fresh" not in s.name],
    ids=lambda screen: screen.name,
)
@pytest.mark.parametrize("brighter", [-10, 10])
def test_a_board_in_play_lighter_or_darker_keeps_its_theme(screen, brighter):
    frame, grid = screen.varied(brighter=brighter)
    assert recognise(frame, grid).theme.name == f"{screen.program}/{screen.theme}"


@pytest.mark.parametrize("screen", SCREENS[::3], ids=lambda screen: screen.name)
@pytest.mark.parametrize("brighter", [-10, 10])
def test_a_look_nobody_described_is_not_taken_for_a_known_one_lighter_or_darker(screen, brighter):
    frame, grid = screen.varied(brighter=brighter)
    strangers = without_program(builtin_themes(), screen.program)
    assert recognise(frame, grid, themes=strangers).theme.name == "learned"


@pytest.mark.parametrize("screen", PLAYED, ids=lambda screen: screen.name)
def test_a_picture_on_a_tile_is_no_flag_of_a_program_whose_flag_is_known(screen):
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
        few = rng.integers(0, 256, (5, 5, 3)).astype(np.uint8)
        part[:] = cv2.resize(few, part.shape[1::-1], interpolation=cv2.INTER_CUBIC)
        seen = recognise(Frame(pixels), screen.grid)
        assert seen.theme.program == screen.program
        assert seen.tiles[cell] == Tile.HIDDEN or seen.confidence[cell] < MARGIN
