"""Mine counters drawn with known numbers are read; clocks and other things are not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from calibration.calibration import calibrate
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.indicators.counter import find_counter, read_counter
from calibration.indicators.text import find_displays
from solver.board import Board
from tests.simulated import FaultyDesktop

Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]

SEGMENTS = {
    "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg", "5": "acdfg",
    "6": "acdefg", "7": "abc", "8": "abcdefg", "9": "abcdfg", "-": "g",
}  # fmt: skip
RED, GREEN, AMBER = (255, 0, 0), (0, 255, 0), (255, 190, 0)


def draw_display(
    text: str,
    *,
    height: int = 26,
    colour: Colour = RED,
    background: Colour = (0, 0, 0),
    unlit: Colour | None = None,
) -> Pixels:
    """Draw a seven-segment display, without using the areas that the reader scans."""
    width, thick, gap = round(height * 0.58), max(2, round(height * 0.13)), max(2, height // 9)
    pixels = np.full((height + 6, 4 + len(text) * (width + gap), 3), background, dtype=np.uint8)
    for index, char in enumerate(text):
        left, top, middle = 3 + index * (width + gap), 3, 3 + height // 2
        right, bottom = left + width, top + height
        bars = {
            "a": (left + 1, top, right - 1, top + thick),
            "b": (right - thick, top + 1, right, middle - 1),
            "c": (right - thick, middle + 1, right, bottom - 1),
            "d": (left + 1, bottom - thick, right - 1, bottom),
            "e": (left, middle + 1, left + thick, bottom - 1),
            "f": (left, top + 1, left + thick, middle - 1),
            "g": (left + 1, middle - thick // 2, right - 1, middle - thick // 2 + thick),
        }
        for name, (x0, y0, x1, y1) in bars.items():
            if name in SEGMENTS[char]:
                pixels[y0:y1, x0:x1] = colour
            elif unlit is not None:
                pixels[y0:y1, x0:x1] = unlit
    return pixels


def paste(desk: Pixels, part: Pixels, x: int, y: int) -> None:
    desk[y : y + part.shape[0], x : x + part.shape[1]] = part


def desk_with(board: Board, *, tile: float = 24) -> tuple[Pixels, Grid]:
    """Return a grey desktop with room around a grid for ``board``, and that grid."""
    pixels = np.full((700, 1000, 3), 192, dtype=np.uint8)
    grid = Grid(200.0, 220.0, tile, tile, board.rows, board.cols)
    return pixels, grid


FRESH = Board.from_text("\n".join(["#" * 9] * 9))
FLAGGED = Board.from_text("\n".join(["FF1" + "#" * 6] + ["#" * 9] * 8))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    value=st.integers(-99, 999),
    height=st.integers(14, 60),
    colour=st.sampled_from([RED, GREEN, AMBER]),
    unlit=st.booleans(),
)
def test_every_display_number_is_read(value: int, height: int, colour: Colour, unlit: bool) -> None:
    text = f"{value:03d}"
    red, green, blue = (channel // 5 for channel in colour)
    dim = (red, green, blue) if unlit else None
    panel = draw_display(text, height=height, colour=colour, unlit=dim)
    desk = np.full((120, 400, 3), 192, dtype=np.uint8)
    paste(desk, panel, 20, 20)
    assert [*map(int, find_displays(desk).values())] == [value]


def test_a_smiley_and_a_wallpaper_are_no_display() -> None:
    desk = np.full((120, 400, 3), 192, dtype=np.uint8)
    cv2.circle(desk, (60, 60), 20, (255, 255, 0), -1)
    cv2.circle(desk, (60, 60), 20, (0, 0, 0), 2)
    noise = np.random.default_rng(1).integers(0, 256, (120, 200, 3), dtype=np.uint8)
    paste(desk, noise, 150, 0)
    assert find_displays(desk) == {}


FONTS = {
    "simplex": cv2.FONT_HERSHEY_SIMPLEX,
    "duplex": cv2.FONT_HERSHEY_DUPLEX,
    "complex": cv2.FONT_HERSHEY_COMPLEX,
}
OPENED = Board.from_text(
    "\n".join(["FF1" + "0" * 6, "#21" + "0" * 6, "11" + "0" * 7] + ["0" * 9] * 6)
)
"""A board that allows two or three mines, wherever the flags stand."""


def desk_saying(
    board: Board, *lines: tuple[str, int, int], font: int = FONTS["simplex"], scale: float = 0.7
) -> tuple[Pixels, Grid]:
    """Return a desktop with texts at ``(x, y)``, and the grid of ``board``."""
    desk, grid = desk_with(board)
    for text, x, y in lines:
        cv2.putText(desk, text, (x, y), font, scale, (20, 20, 20), 1, cv2.LINE_AA)
    return desk, grid


def total_said(board: Board, *lines: tuple[str, int, int], **how: object) -> int | None:
    desk, grid = desk_saying(board, *lines, **how)  # type: ignore[arg-type]
    counter = find_counter(Frame(desk), grid, board)
    return None if counter is None else counter.total


@pytest.mark.parametrize("font", [*FONTS])
@pytest.mark.parametrize(
    "text",
    ["Mines: 12", "UXB: 12", "0/12", "12 mines left", "Bombs 12", "Flags: 12", "Flags: 0/12"],
)
def test_a_total_in_words_is_read(text: str, font: str) -> None:
    assert total_said(FRESH, (text, 240, 190), font=FONTS[font]) == 12


@pytest.mark.parametrize("font", [*FONTS])
@pytest.mark.parametrize(
    "text",
    [
        "Time: 12", "Score: 12", "Level 12", "High scores", "00:12", "12x12", "12 %", "1.2",
        "Moves 12", "Flags: 0", "12:30", "Best time 12",
    ],
)  # fmt: skip
def test_a_number_of_something_else_is_no_total(text: str, font: str) -> None:
    assert total_said(FRESH, (text, 240, 190), font=FONTS[font]) is None


def test_a_list_of_high_scores_is_no_total() -> None:
    names = ((1, "Ann", 12), (2, "Bob", 15), (3, "Eve", 21))
    scores = [(f"{place}. {name} {time}", 240, 480 + 30 * place) for place, name, time in names]
    assert total_said(FRESH, ("High scores", 240, 480), *scores) is None


def test_a_number_alone_is_a_total_only_if_it_is_the_usual_one() -> None:
    assert total_said(FRESH, ("10", 240, 190)) == 10
    assert total_said(FRESH, ("12", 240, 190)) is None
    assert total_said(FRESH, ("12", 240, 190), ("0", 360, 190)) == 12, "beside a clock"


@pytest.mark.parametrize(
    ("text", "total"),
    [("Mines left: 10", 12), ("Mines: 8", 10), ("Mines: 10", 10), ("Mines: 13", None),
     ("2/12", 12), ("10/12", 12), ("3/12", None), ("Flags: 2", None), ("Flags: 10", 12)],
)  # fmt: skip
def test_with_flags_a_text_may_count_what_is_left_or_all(text: str, total: int | None) -> None:
    assert total_said(FLAGGED, (text, 240, 190)) == total


def test_words_above_a_number_say_what_it_is() -> None:
    named = [("Mines", 220, 160), ("12", 230, 190), ("Time", 350, 160), ("15", 360, 190)]
    assert total_said(FRESH, *named) == 12
    named[0] = ("Score", 220, 160)
    assert total_said(FRESH, *named) is None


def test_words_that_disagree_are_not_trusted() -> None:
    levels = [("9 mines", 240, 130), ("40 mines", 240, 160), ("20 mines", 240, 190)]
    assert total_said(FRESH, *levels) is None


def test_a_total_that_the_board_excludes_is_never_read() -> None:
    for text in ("Mines: 12", "UXB: 10", "2/12", "10"):
        assert total_said(OPENED, (text, 240, 190)) is None
    assert total_said(OPENED, ("Mines left: 1", 240, 190)) is None, "three mines are too few"


def test_of_two_displays_the_board_excludes_the_clock() -> None:
    open_rows = ["110000011", *["000000000"] * 5, "110000011"]
    board = Board.from_text("\n".join(["F1000001#", *open_rows, "#1000001#"]))
    desk, grid = desk_with(board)
    paste(desk, draw_display("003"), 205, 160)
    paste(desk, draw_display("022"), 330, 160)
    counter = find_counter(Frame(desk), grid, board)
    assert counter is not None
    assert (counter.mines_left, counter.total) == (3, 4)


@pytest.mark.parametrize("scale", [0.7, 1.0, 1.6])
@pytest.mark.parametrize("dithered", [False, True])
def test_scaled_and_dithered_displays_are_read(scale: float, dithered: bool) -> None:
    panel = draw_display("027", height=30, unlit=(120, 0, 0) if dithered else None)
    if dithered:
        dim = (panel == (120, 0, 0)).all(axis=2)
        chess = np.indices(dim.shape).sum(axis=0) % 2 == 0
        panel[dim & chess] = 0
    desk = np.full((160, 400, 3), 192, np.uint8)
    paste(desk, np.asarray(cv2.resize(panel, None, fx=scale, fy=scale), np.uint8), 20, 20)
    assert [*find_displays(desk).values()] == ["027"]


@pytest.mark.parametrize("counter_first", [True, False])
def test_the_counter_is_found_on_either_side_of_the_clock(counter_first: bool) -> None:
    desk, grid = desk_with(FLAGGED)
    for text, x in (("008", 205), ("042", 330)) if counter_first else (("042", 205), ("008", 330)):
        paste(desk, draw_display(text), x, 160)
    counter = find_counter(Frame(desk), grid, FLAGGED)
    assert counter is not None
    assert (counter.mines_left, counter.total) == (8, 10)


def test_numbers_of_another_window_do_not_count_beside_two_displays() -> None:
    board = Board.from_text("\n".join(["#" * 8] * 8))
    desk, grid = desk_saying(board, ("7", 290, 200), ("12", 420, 120))
    paste(desk, draw_display("020"), 205, 160)
    paste(desk, draw_display("000"), 330, 160)
    counter = find_counter(Frame(desk), grid, board)
    assert counter is not None
    assert counter.total == 20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "cols", "mines", "seed"),
    [(8, 8, 20, 2), (8, 8, 20, 17), (16, 30, 99, 5), (16, 30, 99, 10), (16, 30, 99, 11)],
)
def test_the_total_is_read_whatever_other_windows_show(
    rows: int, cols: int, mines: int, seed: int
) -> None:
    """Tables and a calculator are full of numbers; a reader of fonts takes "099" for "899"."""
    desk = FaultyDesktop(rows=rows, cols=cols, mines=mines, seed=seed)
    assert calibrate(desk.grab()).mines == mines


def test_neither_of_two_displays_that_could_be_the_counter_is_trusted() -> None:
    board = Board.from_text("\n".join(["1" + "#" * 11] + ["#" * 12] * 10))
    desk, grid = desk_with(board)
    paste(desk, draw_display("020"), 205, 160)
    paste(desk, draw_display("031"), 380, 160)
    assert find_counter(Frame(desk), grid, board) is None
    known = find_counter(Frame(desk), grid, board, mines=31)
    assert known is not None
    assert known.mines_left == 31


@pytest.mark.parametrize(("shown", "total"), [("002", None), ("006", 6), ("050", 50)])
def test_a_few_seconds_of_the_last_game_are_no_total(shown: str, total: int | None) -> None:
    """A page without a mine counter may show its last time and a clock that begins anew."""
    desk, grid = desk_with(FRESH)
    paste(desk, draw_display(shown), 205, 160)
    paste(desk, draw_display("000"), 330, 160)
    counter = find_counter(Frame(desk), grid, FRESH)
    assert (counter and counter.total) == total


def test_a_display_that_contradicts_the_given_total_is_not_trusted() -> None:
    desk, grid = desk_with(FRESH)
    paste(desk, draw_display("010"), 205, 160)
    paste(desk, draw_display("000"), 330, 160)
    assert find_counter(Frame(desk), grid, FRESH, mines=12) is None


def test_text_must_name_the_flags_on_the_board() -> None:
    desk, grid = desk_with(FLAGGED)
    place = (480, 300)
    cv2.putText(desk, "3/15", place, cv2.FONT_HERSHEY_SIMPLEX, 0.7, (0, 0, 0), 1, cv2.LINE_AA)
    assert find_counter(Frame(desk), grid, FLAGGED) is None
    desk, grid = desk_with(FLAGGED)
    cv2.putText(desk, "2/15", place, cv2.FONT_HERSHEY_SIMPLEX, 0.7, (0, 0, 0), 1, cv2.LINE_AA)
    counter = find_counter(Frame(desk), grid, FLAGGED)
    assert counter is not None
    assert (counter.mines_left, counter.total) == (13, 15)


@pytest.mark.slow
@pytest.mark.parametrize("side", ["", "below"])
def test_text_cut_off_by_the_searched_area_is_never_another_number(side: str) -> None:
    totals = []
    for x in range(400, 800, 3):
        desk, grid = desk_with(FLAGGED)
        at, black = (x, 470), (0, 0, 0)
        cv2.putText(desk, "2/15", at, cv2.FONT_HERSHEY_SIMPLEX, 0.7, black, 1, cv2.LINE_AA)
        counter = find_counter(Frame(desk), grid, FLAGGED, side=side)
        totals.append(None if counter is None else counter.total)
    assert set(totals) == {15, None}
    assert totals.count(15) > 60


def test_a_known_place_is_read_again_after_the_window_moved() -> None:
    desk, grid = desk_with(FRESH)
    paste(desk, draw_display("010"), 205, 160)
    paste(desk, draw_display("000"), 330, 160)
    counter = find_counter(Frame(desk), grid, FRESH)
    assert counter is not None
    desk, _ = desk_with(FLAGGED)
    paste(desk, draw_display("008"), 205 + 31, 160 - 17)
    again = read_counter(Frame(desk), grid.moved(31, -17), FLAGGED, counter.place)
    assert again is not None
    assert (again.mines_left, again.total) == (8, 10)
    blank, _ = desk_with(FLAGGED)
    assert read_counter(Frame(blank), grid, FLAGGED, counter.place) is None


def test_a_board_at_the_screen_edge_has_no_room_for_a_counter() -> None:
    desk = np.full((300, 300, 3), 192, dtype=np.uint8)
    assert find_counter(Frame(desk), Grid(0.0, 0.0, 30.0, 30.0, 9, 9), FRESH) is None


EXPERT = Board.from_text("\n".join(["F1" + "#" * 28] + ["#" * 30] * 15))


@pytest.mark.parametrize(("side", "left"), [("above-left", 59), ("above-right", 72)])
def test_the_side_that_a_theme_names_decides_between_two_displays(side: str, left: int) -> None:
    desk, grid = desk_with(EXPERT)
    paste(desk, draw_display("059"), 205, 160)
    paste(desk, draw_display("072"), 600, 160)
    assert find_counter(Frame(desk), grid, EXPERT) is None
    counter = find_counter(Frame(desk), grid, EXPERT, side=side)
    assert counter is not None
    assert (counter.mines_left, counter.total) == (left, left + 1)
