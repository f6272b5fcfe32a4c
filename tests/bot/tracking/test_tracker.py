"""The tracker follows a board on the screen; which boards belong to one game."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bot
from bot.errors import WindowCovered, WindowGone, WindowTrouble
from bot.tracking.follow import Found, Lost, Wanted, follow, moved_copy
from bot.tracking.game import check_same_game, still_opening
from bot.tracking.places import cut_as_before, is_moved, same_lattice
from bot.tracking.recovery import may_lie_over, stopping_error
from bot.tracking.tracker import BoardTracker
from calibration.classify.refusals import unreadable_error
from calibration.errors import (
    BoardCovered,
    CalibrationError,
    NoGrid,
    UnreadableGrid,
    UnreadableTiles,
)
from calibration.frame import Frame
from calibration.grid import Grid, PixelBox
from solver.board import Board, Cell, Tile
from solver.game import Status
from tests.bot.fake_ports import FakePorts
from tests.calibration import sketches
from tests.calibration.reading import desktop, opened

BOARD = Grid(404.4, 179.8, 31.0, 31.0, 9, 9)


@pytest.mark.parametrize(
    ("found", "same"),
    [
        (Grid(404.9, 179.8 + 5 * 31, 30.9, 31.0, 4, 9), True),  # a piece of it
        (Grid(253.1, 147.3, 31.0, 31.0, 11, 20), True),  # more than it
        (BOARD, False),
        (Grid(390.0, 164.0, 31.0, 31.0, 16, 16), False),  # other lines
        (Grid(404.4, 179.8, 20.0, 20.0, 16, 16), False),  # smaller tiles
        (Grid(404.4 + 31 * 20, 179.8, 31.0, 31.0, 16, 16), False),  # beside it
    ],
)
def test_a_grid_of_another_size_may_lie_on_the_lines_of_a_board(found: Grid, same: bool) -> None:
    assert same_lattice(found, BOARD) is same


def flat_board(rows: list[str]) -> Frame:
    """Draw a board of plain tiles with lines between them on a white page."""
    grounds = {"page": "#ffffff", "between": "#141414", "hidden": "#808080", "opened": "#d0d0d0"}
    size = {"tile": [30, 30], "inner": [29, 29], "frame": 1, "margin": [160, 160], "scale": 0.7}
    return sketches.drawn(rows, {**grounds, **size})[0]


OPENED = flat_board(["0001######", "1112######", "######1###", *["#" * 10] * 7])


class Followed(FakePorts):
    """A screen with a board that is followed, as it was ``found`` and read."""

    def __init__(self) -> None:
        super().__init__(picture=OPENED)
        self.tracker = BoardTracker(self)
        self.tracker.find()
        self.found = self.tracker.target.on_screen
        self.board = self.read()

    def read(self) -> Board:
        return self.tracker.read(self.tracker.grab_region()).board


@pytest.fixture
def screen() -> Followed:
    return Followed()


@pytest.mark.parametrize(("border_changed", "kind"), [(0.1, WindowCovered), (1.0, WindowGone)])
@pytest.mark.parametrize("trouble", [NoGrid("no board"), UnreadableGrid("a grid", BOARD)])
def test_a_board_that_is_not_found_again_is_covered_or_gone(
    screen: Followed, trouble: CalibrationError, border_changed: float, kind: type[WindowTrouble]
) -> None:
    """A dialog over a dimmed page may leave a grid on the screen, but not the one in play."""
    tracker = screen.tracker
    pixels, (x0, y0, x1, y1) = OPENED.pixels.copy(), tracker.target.board_box
    pixels[y0 : y0 + round(border_changed * (y1 - y0)), x0:x1] = (90, 20, 160)
    screen.picture = Frame(pixels)
    assert isinstance(stopping_error(tracker, trouble), kind)


@pytest.mark.parametrize("likeliest", [None, 1, Tile.HIDDEN])
def test_open_cells_that_are_drawn_over_a_picture_are_not_said_to_be_covered(
    screen: Followed, likeliest: int | None
) -> None:
    """Zeros touch open cells only; what lies over a board touches others, too."""
    doubtful, grid = np.zeros((10, 10), np.bool_), screen.found.grid
    doubtful[:4, :5] = True
    guesses = () if likeliest is None else ((np.full((10, 10), likeliest, np.int8),) * 2,)
    trouble = unreadable_error(OPENED, grid, doubtful, np.where(doubtful, 0.1, 1.0), *guesses)
    said = str(stopping_error(screen.tracker, trouble))
    assert "(20 tiles in one patch cannot be read with confidence" in said
    assert ("or its open cells are drawn in a way that is not known" in said) is (likeliest == 1)
    assert said.count("lies over the board and stays there") == 1


def test_one_or_two_tiles_in_doubt_are_no_dialog() -> None:
    """The key that closes a dialog of gnome-mines leaves its board where there is none."""
    picture = np.zeros((4, 4, 3), np.uint8)
    few, more = ({Cell(0, col): picture for col in range(count)} for count in (2, 3))
    assert not may_lie_over(UnreadableTiles("in doubt", few))
    assert may_lie_over(UnreadableTiles("in doubt", more))
    assert may_lie_over(BoardCovered("covered", few))


def test_a_dimmed_board_of_a_game_under_way_is_covered_and_one_that_is_lit_again_is_not(
    screen: Followed,
) -> None:
    screen.picture = Frame((OPENED.pixels * 0.45).astype(np.uint8))
    with pytest.raises(BoardCovered, match="dimmed"):
        screen.read()
    screen.picture = OPENED
    assert screen.read() == screen.board


def test_a_board_found_again_a_part_of_a_pixel_off_is_cut_as_before(screen: Followed) -> None:
    found = screen.found
    for x, y, same in ((30.25, -7.3, True), (0.0, 0.6, False)):
        moved = replace(found, grid=found.grid.moved(x, y))
        grid = cut_as_before(moved, found.grid).grid
        assert is_moved(grid, found.grid) is same
        assert (grid == found.grid.moved(30, -7)) is same


@pytest.mark.parametrize(("painted", "by"), [(True, (5, -4)), (False, (6, 0))])
def test_a_grid_found_beside_tiles_that_did_not_change_is_wrong(
    screen: Followed, painted: bool, by: tuple[int, int]
) -> None:
    """Open tiles that are larger than hidden ones, or a repaint, may shift the lines found."""
    pixels, found = OPENED.pixels.copy(), screen.found
    if painted:
        pixels[240:300, 130:190] = (200, 120, 40)
    moved = replace(found, grid=found.grid.moved(*by))
    reported = follow(screen.tracker.current, Frame(pixels), moved, screen.board)
    assert isinstance(reported, Found)
    assert not reported.is_other
    assert reported.now.target.on_screen.grid == found.grid
    if not painted:
        assert reported.said == ""
        assert reported.now.target.on_screen == found
        assert reported.now.target.border_intact(screen.tracker.grab_board())


def test_a_board_of_another_size_is_not_the_one_in_play(screen: Followed) -> None:
    tracker, found = screen.tracker, screen.found
    smaller = replace(found, grid=found.grid.part(Cell(0, 0), Cell(7, 8)))
    now = tracker.current
    for after, kind in ((screen.board, NoGrid), (None, BoardCovered)):
        reported = follow(now, OPENED, smaller, after)
        assert isinstance(reported, Lost)
        assert isinstance(reported.why, kind)
    assert tracker.current is now


def test_a_picture_of_the_screen_without_a_board_is_searched_once(screen: Followed) -> None:
    empty = Frame(np.full_like(OPENED.pixels, 90))
    errors = []
    for _ in range(2):
        with pytest.raises(NoGrid) as caught:
            screen.tracker.look_for(empty)
        errors.append(caught.value)
    assert errors[0] is errors[1]


def test_a_moved_board_that_no_fresh_look_can_read_is_known_by_its_last_picture(
    screen: Followed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(*_: object, **how: object) -> None:
        raise NoGrid("none that can be read")

    monkeypatch.setattr("bot.tracking.follow.calibrate", search)
    moved = Frame(np.roll(OPENED.pixels, (3, 7), axis=(0, 1)))
    assert screen.tracker.look_for(moved).grid == screen.found.grid.moved(7, 3)


def test_columns_that_widen_in_a_game_move_those_beside_them(screen: Followed) -> None:
    """A page whose table made room for its digits was taken for covered."""
    tracker = screen.tracker
    rows = ["0001######", "11121111##", "######1###", *["#" * 10] * 7]
    grid, pixels = tracker.target.on_screen.grid, flat_board(rows).pixels
    for column in range(7, 2, -1):
        inside = round(grid.x_lines[column] + 3)
        pixels = np.insert(pixels, [inside] * 2, pixels[:, inside : inside + 1], axis=1)
    screen.picture = Frame(np.ascontiguousarray(pixels[:, : OPENED.width]))
    with pytest.raises(CalibrationError):
        screen.read()
    found = tracker.look_for(screen.picture)
    unplayed = Board.from_text("\n".join(["#" * 10] * 10))
    reported = follow(tracker.current, screen.picture, found, unplayed)
    assert isinstance(reported, Found)
    assert reported.now.target.on_screen.grid == grid, "no number confirms the new grid"
    reported = follow(tracker.current, screen.picture, found, screen.board)
    assert isinstance(reported, Found)
    tracker.followed = reported.now
    assert str(screen.read()).splitlines() == rows


def test_a_nudge_passes_over_the_border_of_the_board(screen: Followed) -> None:
    """A program hears of no movement outside its window: kmines left its message on its board."""
    tracker = screen.tracker
    (x, y), parking = tracker.target.border_point, tracker.target.parking_point
    box, board = tracker.target.board_box, tracker.target.on_screen.grid.bounds
    assert parking == tracker.target.parking_point
    assert box.x0 <= x < box.x1
    assert box.y0 <= y < box.y1
    assert not (board.x0 <= x < board.x1 and board.y0 <= y < board.y1), "on no tile"


@pytest.mark.slow
def test_the_smiley_of_a_window_that_moved_is_known_as_before() -> None:
    """A page with lives moved, its face was unknown then, and a mine that took a life ended it."""
    desk = desktop("classic")
    opened(desk)
    tracker = BoardTracker(desk, Wanted(themes=()))
    tracker.find()
    frame = tracker.grab_region()
    tracker.read(frame)
    tracker.learn_smiley(frame, Status.PLAYING)
    desk.move_window(30, 20)
    tracker.find()
    moved = tracker.grab_region()
    # Its place is known before it is seen: a window that has just moved may be without it.
    assert tracker.memory.reader.smiley.is_known(moved, Status.PLAYING)
    tracker.read(moved)
    assert tracker.memory.reader.smiley.is_known(moved, Status.PLAYING)


def test_an_open_number_may_not_be_covered_or_change() -> None:
    before = Board.from_text("1#\n##")
    check_same_game(before, Board.from_text("12\n#F"))
    for after in ("##\n##", "2#\n##", "F#\n##", "1#"):
        with pytest.raises(Exception, match=r"[Ss]tart (minebot )?again"):
            check_same_game(before, Board.from_text(after))


def test_beside_a_zero_with_hidden_neighbours_cells_are_still_being_opened() -> None:
    assert still_opening(Board.from_text("0#\n11"))
    assert not still_opening(Board.from_text("01#\n011"))
    assert not still_opening(Board.from_text("0F\n11"))


def test_only_the_tracker_grabs_the_screen_of_play_and_of_watch() -> None:
    """`CleanScreen` is a screen itself, and measures how light it is below the hints."""
    grabbing = {
        f"{folder}/{path.name}"
        for folder in ("play", "tracking", "watch")
        for path in (Path(bot.__file__).parent / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "grab"
    }
    assert grabbing == {"tracking/tracker.py", "watch/hints.py"}


# ---- a board that moved is found by its last picture ---------------------------------------------


BEFORE, GRID = Frame(np.full((420, 460, 3), 60, np.uint8)), Grid(62.4, 51.7, 30, 30, 9, 9)

SEEN_OPEN = np.zeros((9, 9), np.bool_)

SEEN_OPEN[:5, :6] = True


def painted(frame: Frame, grid: Grid, seed: int = 1, changed: int = 0) -> Frame:
    """Draw a board: open tiles that all differ, equal hidden ones, some of them ``changed``."""
    pixels, rng = frame.pixels.copy(), np.random.default_rng(seed)
    for row, col in np.ndindex(9, 9):
        x0, y0, x1, y1 = grid.box(Cell(row, col))
        tile = pixels[y0 + 1 : y1 - 1, x0 + 1 : x1 - 1]
        tile[:] = rng.integers(180, 220, 3) if SEEN_OPEN[row, col] else (90, 120, 160)
    for row, col in np.argwhere(~SEEN_OPEN)[:changed].tolist():
        box: PixelBox = grid.box(Cell(row, col))
        pixels[box.y0 : box.y1, box.x0 : box.x1] = 200
    return Frame(pixels)


@pytest.mark.parametrize("by", [(0, 0), (37, -12), (-30, 30), (200, 161)])
@pytest.mark.parametrize("changed", [0, 20])
def test_a_board_is_found_where_it_moved_to(by: tuple[int, int], changed: int) -> None:
    screen = Frame(np.full((700, 900, 3), 60, np.uint8))
    now = painted(screen, GRID.moved(*by), changed=changed)
    assert moved_copy(painted(BEFORE, GRID), GRID, SEEN_OPEN, now) == GRID.moved(*by)


def test_other_numbers_or_too_many_changes_are_another_board() -> None:
    before = painted(BEFORE, GRID)
    assert moved_copy(before, GRID, SEEN_OPEN, painted(BEFORE, GRID.moved(9, 5), seed=2)) is None
    few = np.zeros_like(SEEN_OPEN)
    few[0, :3] = True
    assert moved_copy(before, GRID, few, painted(BEFORE, GRID.moved(9, 5))) is not None
    assert moved_copy(before, GRID, few, painted(BEFORE, GRID.moved(9, 5), changed=9)) is None


def test_a_screen_smaller_than_the_board_holds_no_copy() -> None:
    small = Frame(np.zeros((200, 900, 3), np.uint8))
    assert moved_copy(painted(BEFORE, GRID), GRID, SEEN_OPEN, small) is None
