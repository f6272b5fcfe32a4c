"""`minebot watch --overlay` draws right hints on Wayland, and never reads its own marks."""

import pytest

from calibration import Frame, Reader, ScreenPoint, calibrate
from calibration.images import load_image
from solver.board import Cell
from tests.live.conftest import open_game, require
from tests.live.hinted import any_marks, marked, should_be_marked
from tests.live.person import Watch
from tests.live.session import wait_still, wait_until
from tests.live.sway import SCREENS, Screen, SwayDesk

ASIDE = 900, 620
"""Where the pointer rests, in mouse units: without a graphics card it is drawn into the picture."""

CLICKS = 4


def look(desk):
    """Take a picture of the desk at the scale of the bot's own pictures."""
    return Frame(desk.grab_at("", desk.scale).copy(), ScreenPoint(0, 0), desk.scale)


def click(desk, grid, cell):
    """Click a cell as a person does, and take the pointer off the board."""
    x, y = (round(at / desk.scale) for at in grid.centre(cell))
    for words in (f"set {x} {y}", "press button1", "release button1", f"set {ASIDE[0]} {ASIDE[1]}"):
        desk.sway_does("seat * cursor", words)


@pytest.mark.parametrize(
    "screens",
    [(SCREENS[1],), (SCREENS[1.5],), (Screen(1280, 720, left=1280, top=100), Screen(scale=1.5))],
)
def test_the_marks_are_right_and_are_in_no_frame(screens, session):
    require(on=SwayDesk)
    with SwayDesk(*screens) as desk:
        # gnome-mines pauses when the watch ends
        running = open_game(desk, "kmines", "intermediate", at=(60, 100))
        grid = calibrate(look(desk), mines=40).grid

        def marks():
            return marked(look(desk).pixels, grid)

        with Watch(running, session, "--overlay", "--mines", "40") as watch:
            click(desk, grid, Cell(8, 8))
            seen = dict[Cell, str]()
            for number in range(CLICKS):
                wait_until(lambda: marks() not in ({}, seen), 30, f"marks after click {number}")  # noqa: B023
                seen = wait_still(marks, 1.0, 20, every_s=0.2)
                safe = [cell for cell, kind in seen.items() if kind == "safe"]
                if not safe or number == CLICKS - 1:
                    break
                click(desk, grid, safe[0])
            watch.interrupt()
            _, said, (review,) = watch.end()
        wait_until(lambda: not any_marks(look(desk).pixels), 5, "the marks to go")
        frame = look(desk)
    board = Reader(calibrate(frame, mines=40)).read_in_part(frame).board.with_mines(40)
    assert seen == should_be_marked(board)
    assert review["mistakes"] == [], said
    assert review["turns"] == number + 1
    frames = sorted(session.glob("*.png"))
    assert [file.name for file in frames if any_marks(load_image(file).pixels)] == []
