"""The face above a board: found, understood, learned, and heard as a second sign."""

import json
from dataclasses import replace

import pytest

from bot.simulated import SimulatedDesktop
from calibration.calibrate import Calibration, calibrate
from calibration.errors import BadCalibration, StatusUnclear
from calibration.face import SAME, Face, FaceLook, find_face, picture, picture_text
from calibration.frame import Frame
from calibration.learn import recognise
from calibration.reader import Reader
from calibration.theme import Theme, builtin_themes
from solver.board import Cell, Tile
from solver.game import Rule, Status
from tests.calibration.screens import FIXTURES, Screen, labelled

SCREENS = labelled(FIXTURES)
FACED = ("xdemineur", "winemine")

PLAYING = FIXTURES / "xdemineur/16x16_mid.json"
LOST = FIXTURES / "xdemineur/30x16b_lostw.json"


@pytest.mark.parametrize("screen", SCREENS, ids=[screen.name for screen in SCREENS])
def test_a_face_is_found_where_there_is_one(screen):
    found = find_face(screen.frame(), screen.grid, yellow=screen.program not in FACED)
    assert (found is not None) == (screen.program in FACED)


FACES = [screen for screen in SCREENS if screen.program in FACED]


@pytest.mark.parametrize("brighter", [0, 10, -10])
@pytest.mark.parametrize("screen", FACES, ids=[screen.name for screen in FACES])
def test_a_known_face_says_how_the_game_stands(screen, brighter):
    frame, grid = screen.varied(brighter=brighter)
    theme = next(one for one in builtin_themes() if one.name.startswith(screen.program))
    face = Face(theme.faces)
    face.find(frame, grid)
    assert face.says(frame) is Status(screen.status)


def test_a_board_and_a_face_that_disagree_are_doubted():
    lost, playing = Screen.load(LOST), Screen.load(PLAYING)
    frame = with_face(lost, playing)
    calibration = Calibration(lost.grid, recognise(frame, lost.grid).theme, lost.board.mines)
    with pytest.raises(StatusUnclear, match="board says lost"):
        Reader(calibration).read(frame)


def with_face(screen, other):
    """The frame of one screen with the face of the other."""
    frame, there = screen.frame(), other.frame()
    to, source = (find_face(f, s.grid, yellow=False) for f, s in ((frame, screen), (there, other)))
    pixels = frame.pixels.copy()
    pixels[to.y0 : to.y1, to.x0 : to.x1] = there.pixels[
        source.y0 : source.y1, source.x0 : source.x1
    ]
    return Frame(pixels)


def test_all_open_is_still_play_where_the_mines_must_be_flagged():
    screen = Screen.load(FIXTURES / "xdemineur/12x9_won.json")
    frame = with_face(screen, Screen.load(PLAYING))
    calibration = Calibration(screen.grid, recognise(frame, screen.grid).theme, screen.board.mines)
    # Its flags are covered again by hidden tiles: what is left to do is to flag them.
    pixels = frame.pixels.copy()
    fresh = Screen.load(FIXTURES / "xdemineur/12x9_early.json")
    tiles = fresh.frame().pixels
    hidden = next(cell for cell in fresh.board.cells() if fresh.board[cell] == Tile.HIDDEN)
    source = fresh.grid.box(hidden)
    for cell in screen.board.cells():
        if screen.board[cell] == Tile.FLAG:
            box = screen.grid.box(cell)
            pixels[box.y0 : box.y1, box.x0 : box.x1] = tiles[
                source.y0 : source.y0 + box.y1 - box.y0, source.x0 : source.x0 + box.x1 - box.x0
            ]
    assert Reader(calibration).read(Frame(pixels)).status is Status.PLAYING


def desk_in(status=None):
    """A simulated window with a face; the game is played to the ``status``."""
    desk = SimulatedDesktop(
        rows=9, cols=9, mines=10, rule=Rule.ZERO, seed=3, look="classic", windows=()
    )
    if status is not None:
        desk.click(desk.cell_point(Cell(4, 4)))
        mines = desk.game.mines
        for cell in desk.game.board.cells():
            if mines[cell] == (status is Status.LOST):
                desk.click(desk.cell_point(cell))
        desk.clock.sleep(3)
    return desk, desk.grab()


def test_a_face_is_learned_and_speaks_from_its_second_picture_on():
    desk, fresh = desk_in()
    _, lost = desk_in(Status.LOST)
    face = Face()
    face.find(fresh, desk.truth_grid())
    face.learn(fresh, Status.PLAYING)
    assert face.says(fresh) is None
    face.learn(lost, Status.LOST)
    assert face.says(fresh) is Status.PLAYING
    assert face.says(lost) is Status.LOST
    _, won = desk_in(Status.WON)
    assert face.says(won) is None
    assert not face.familiar(won)


def test_a_face_that_differs_in_the_eyes_alone_is_not_taken_for_one_learned():
    desk, playing = desk_in()
    _, won = desk_in(Status.WON)
    face = Face()
    face.find(playing, desk.truth_grid())
    face.learn(playing, Status.PLAYING)
    face.learn(won, Status.WON)
    box = face.box
    side = box.x1 - box.x0
    pixels = playing.pixels.copy()
    pixels[box.y0 + side // 3 :, box.x0 + side // 3 :][: side // 8, : side // 3] = 0
    dead = Frame(pixels)
    off = picture(dead, box) - picture(playing, box)
    assert abs(off - off.mean()).mean() < SAME
    assert face.says(playing) is Status.PLAYING
    assert face.says(dead) is None


def test_a_face_that_never_changes_says_nothing():
    desk, fresh = desk_in()
    _, lost = desk_in(Status.LOST)
    face = Face()
    face.find(fresh, desk.truth_grid())
    face.learn(fresh, Status.PLAYING)
    face.learn(fresh, Status.WON)
    face.learn(lost, Status.LOST)
    assert face.says(fresh) is face.says(lost) is None
    assert face.familiar(fresh)


def test_the_text_that_gives_way_at_the_end_is_a_sign():
    fresh, lost = (
        Screen.load(FIXTURES / f"sgt-mines/30x16_t20_{name}.json") for name in ("fresh", "lostw")
    )
    found = calibrate(fresh.frame())
    assert found.counter is not None
    reading = Reader(replace(found, grid=lost.grid)).read(lost.frame())
    assert reading.status is Status.LOST
    # A mine has exploded, and the text goes on counting.
    exploded = next(cell for cell in lost.board.cells() if lost.board[cell] == Tile.EXPLODED)
    pixels = fresh.frame().pixels.copy()
    to, source = fresh.grid.box(exploded), lost.grid.box(exploded)
    pixels[to.y0 : to.y1, to.x0 : to.x1] = lost.frame().pixels[
        source.y0 : source.y1, source.x0 : source.x1
    ]
    with pytest.raises(StatusUnclear, match="beside it says playing"):
        Reader(found).read(Frame(pixels))


def test_faces_of_a_theme_are_written_and_read_back():
    for theme in builtin_themes():
        assert Theme.from_data(theme.to_data()) == theme
    desk, frame = desk_in()
    look = FaceLook(Status.WON, picture_text(picture(frame, find_face(frame, desk.truth_grid()))))
    assert FaceLook.from_data(json.loads(json.dumps(look.to_data()))) == look
    with pytest.raises(BadCalibration, match="12 by 12"):
        FaceLook.from_data({"status": "won", "picture": ["0f"]})
