"""The smiley above a board is found, read and learned, and checks the status of the board."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.calibration import Calibration, calibrate
from calibration.classify.recognise import recognise
from calibration.errors import StatusUnclear
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.indicators.smiley import Smiley, find_smiley
from calibration.reader import read
from calibration.theme import LEARNED, builtin_themes
from solver.board import Cell, Tile
from solver.game import Rule, Status
from tests.calibration.screens import FIXTURES, Screen, labelled
from tests.simulated import FaultyDesktop

SCREENS = labelled(FIXTURES)
PROGRAMS_WITH_SMILEY = ("xdemineur", "winemine")

PLAYING = FIXTURES / "xdemineur/16x16_mid.json"
LOST = FIXTURES / "xdemineur/30x16b_lostw.json"


WITH_SMILEY = [screen for screen in SCREENS if screen.program in PROGRAMS_WITH_SMILEY]


@pytest.mark.parametrize("brighter", [0, 10, -10])
@pytest.mark.parametrize("screen", WITH_SMILEY, ids=[screen.name for screen in WITH_SMILEY])
def test_a_known_smiley_shows_the_status(screen: Screen, brighter: int) -> None:
    frame, grid = screen.varied(brighter=brighter)
    theme = next(one for one in builtin_themes() if one.name.startswith(screen.program))
    smiley = Smiley.of(theme.smileys).found(frame, grid)
    assert smiley.status(frame) is Status(screen.status)


def test_a_board_and_a_smiley_that_disagree_are_an_error() -> None:
    lost, playing = Screen.load(LOST), Screen.load(PLAYING)
    frame = with_smiley_of(lost, playing)
    calibration = Calibration(lost.grid, recognise(frame, lost.grid).theme, lost.board.mines)
    with pytest.raises(StatusUnclear, match="board says lost"):
        read(frame, calibration)


def with_smiley_of(screen: Screen, other: Screen) -> Frame:
    """Return the frame of one screen with the smiley of the other."""
    frame, there = screen.frame(), other.frame()
    to, source = (
        find_smiley(f, s.grid, yellow=False) for f, s in ((frame, screen), (there, other))
    )
    assert to is not None
    assert source is not None
    pixels = frame.pixels.copy()
    pixels[to.y0 : to.y1, to.x0 : to.x1] = there.pixels[
        source.y0 : source.y1, source.x0 : source.x1
    ]
    return Frame(pixels)


@pytest.mark.parametrize("scale", [1.25, 1.5])
@pytest.mark.parametrize("name", ["xdemineur/16x16_mid", "winemine/wm_beg_mid"])
def test_a_program_is_known_by_its_smiley_when_it_is_enlarged(name: str, scale: float) -> None:
    screen = Screen.load(FIXTURES / f"{name}.json")
    assert calibrate(screen.varied(scale=scale)[0]).theme.program == screen.program


@pytest.mark.parametrize("name", ["xdemineur/16x16_mid", "winemine/wm_beg_mid"])
def test_the_tiles_of_a_program_without_its_smiley_are_those_of_another(name: str) -> None:
    """A page with the same tiles may not require flags, or starts a new game elsewhere."""
    screen = Screen.load(FIXTURES / f"{name}.json")
    frame = screen.frame()
    assert calibrate(frame).theme.program == screen.program
    box = find_smiley(frame, screen.grid, yellow=False)
    assert box is not None
    pixels = frame.pixels.copy()
    pixels[box.y0 - 2 : box.y1 + 2, box.x0 - 2 : box.x1 + 2] = pixels[box.y0 - 3, box.x0 - 3]
    bare = Frame(pixels)
    found = calibrate(bare)
    assert found.theme.program == LEARNED
    assert (read(bare, found).board.tiles == screen.board.tiles).all()


def desk_in(status: Status | None = None) -> tuple[FaultyDesktop, Frame]:
    """Return a simulated window with a smiley, its game played to the ``status``, and a frame."""
    desk = FaultyDesktop(
        rows=9, cols=9, mines=10, rule=Rule.ZERO, seed=3, skin="classic", windows=()
    )
    if status is not None:
        desk.click(desk.cell_point(Cell(4, 4)))
        mines = desk.game.mines
        assert mines is not None
        for cell in desk.game.board.cells():
            if mines[cell] == (status is Status.LOST):
                desk.click(desk.cell_point(cell))
        desk.clock.sleep(3)
    return desk, desk.grab()


def test_a_smiley_is_learned_and_used_from_its_second_picture_on() -> None:
    desk, fresh = desk_in()
    _, lost = desk_in(Status.LOST)
    smiley = Smiley().found(fresh, desk.truth_grid())
    smiley = smiley.learning(fresh, Status.PLAYING)
    assert smiley.status(fresh) is None
    smiley = smiley.learning(lost, Status.LOST)
    assert smiley.status(fresh) is Status.PLAYING
    assert smiley.status(lost) is Status.LOST
    _, won = desk_in(Status.WON)
    assert smiley.status(won) is None
    assert not smiley.is_known(won)
    same = smiley.learning(fresh, Status.WON)
    assert same.status(fresh) is same.status(lost) is None, "it never changes"
    assert same.is_known(fresh, Status.PLAYING)
    assert not same.is_known(lost, Status.PLAYING)


def test_a_counter_that_disappears_at_the_end_shows_the_status() -> None:
    fresh, lost = (
        Screen.load(FIXTURES / f"sgt-mines/30x16_t20_{name}.json") for name in ("fresh", "lostw")
    )
    found = calibrate(fresh.frame())
    assert found.counter is not None
    reading = read(lost.frame(), replace(found, grid=lost.grid))
    assert reading.status is Status.LOST
    # A mine has exploded, but the text still counts.
    exploded = next(cell for cell in lost.board.cells() if lost.board[cell] == Tile.EXPLODED)
    pixels = fresh.frame().pixels.copy()
    to, source = fresh.grid.box(exploded), lost.grid.box(exploded)
    pixels[to.y0 : to.y1, to.x0 : to.x1] = lost.frame().pixels[
        source.y0 : source.y1, source.x0 : source.x1
    ]
    with pytest.raises(StatusUnclear, match="beside it says playing"):
        read(Frame(pixels), found)


@pytest.mark.parametrize("sunglasses", [False, True])
def test_sunglasses_are_distinguished_from_eyes(sunglasses: bool) -> None:
    pixels = np.full((160, 120, 3), 200, np.uint8)
    cv2.circle(pixels, (60, 24), 15, (250, 220, 40), -1, cv2.LINE_AA)
    for x in (54, 66):
        cv2.circle(pixels, (x, 21), 5 if sunglasses else 2, (20, 20, 20), -1, cv2.LINE_AA)
    if sunglasses:
        cv2.rectangle(pixels, (49, 18), (71, 20), (20, 20, 20), -1)
    cv2.ellipse(pixels, (60, 27), (7, 6), 0, 20, 160, (20, 20, 20), 1, cv2.LINE_AA)
    frame = Frame(pixels)
    smiley = Smiley().found(frame, Grid(20, 60, 20, 20, 4, 4))
    assert smiley.box is not None
    assert smiley.wears_sunglasses(frame) is sunglasses
