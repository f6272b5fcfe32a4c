"""`minebot watch --overlay` draws right hints on real programs, and never reads its own marks."""

import time
from contextlib import ExitStack, closing

import pytest

from calibration.images import load_image
from solver.board import Cell
from tests.live.conftest import open_game, require
from tests.live.hinted import CleanDesk, any_marks, marked, should_be_marked
from tests.live.person import Person, Watch, compare
from tests.live.session import DeskError, wait_until

CASES = [("xdemineur", ()), ("gnome-mines", ("picom", "--backend", "xrender", "--shadow"))]
CLICKS = 8

LOOKS = 12  # pictures on which the right marks must be: those that flicker are missing on some


def wait_marks(desk, grid, board):
    """Wait until just the marks that a board should have are on the screen, and stay there."""
    right, seen = should_be_marked(board), dict[Cell, str]()

    def are_right():
        nonlocal seen
        seen = marked(desk.grab(), grid)
        return seen == right

    try:
        wait_until(are_right, 30, "the right marks")
        for _ in range(LOOKS):
            time.sleep(0.05)
            if not are_right():
                raise DeskError("the marks did not stay")
    except DeskError as error:
        wrong = {c: (seen.get(c), right.get(c)) for c in dict(seen.items() ^ right.items())}
        raise AssertionError(f"{error}; seen and right: {wrong}") from None


@pytest.mark.parametrize(("name", "compositor"), CASES)
def test_the_marks_are_right_after_every_move_and_are_in_no_frame(name, compositor, desk, session):
    if compositor:
        require(compositor[0], packages="picom")
        desk.start(compositor)
    running = open_game(desk, name, "intermediate")
    with ExitStack() as stack:
        clean = stack.enter_context(closing(CleanDesk(desk, running.window)))
        person = Person(running._replace(desk=clean), seed=5)
        grid = person.grid
        watch = stack.enter_context(Watch(running, session, "--overlay", "--mines", "40"))
        board = None
        for _ in range(CLICKS):
            if (after := person.click_well()) is None:
                break
            board = after
            wait_marks(desk, grid, board)
        assert board is not None
        # Something that lies over the board has no marks on it; the window is followed.
        left, top, width, height = desk.geometry(running.window)
        place = f"{width // 2}x{height // 2}+{left}+{top}"
        cover = desk.start(["xmessage", "-geometry", place, "in the way"])
        over = desk.geometry(desk.wait_window("xmessage"))
        wait_until(lambda: not any_marks(cut(desk.grab(), over)), 5, "the marks on it to go")
        cover.terminate()
        wait_marks(desk, grid, board)
        desk.move_window(running.window, left + 60, top + 40)
        moved = desk.geometry(running.window)
        wait_marks(desk, grid.moved(moved[0] - left, moved[1] - top), board)
        assert not any_marks(cut(clean.grab(), moved)), "the program does not have these colours"
        watch.interrupt()
        code, said, reviews = watch.end()
    assert code == 0, said
    assert compare(person, reviews) == ([], [])
    assert sum(review["turns"] for review in reviews) == len(person.clicks)
    frames = sorted(session.glob("*.png"))
    assert len(frames) > len(person.clicks)
    assert [frame.name for frame in frames if any_marks(load_image(frame).pixels)] == []


def cut(picture, geometry):
    left, top, width, height = geometry
    return picture[top : top + height, left : left + width]
