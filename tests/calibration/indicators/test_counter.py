"""Mine counters drawn with known numbers are read; clocks and other things are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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

Display = tuple[str | Pixels, int]
Line = tuple[str, int, int]
Counted = tuple[int, int] | None
"""The mines that are left, and their total."""

FRESH = Board.from_text("\n".join(["#" * 9] * 9))
FLAGGED = Board.from_text("\n".join(["FF1" + "#" * 6] + ["#" * 9] * 8))

SEGMENTS = {
    "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg", "5": "acdfg",
    "6": "acdefg", "7": "abc", "8": "abcdefg", "9": "abcdfg", "-": "g",
}  # fmt: skip
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX)
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


def desk_showing(
    board: Board = FRESH,
    displays: Sequence[Display] = (),
    lines: Sequence[Line] = (),
    font: int = 0,
    *,
    y: int = 160,
) -> tuple[Pixels, Grid]:
    """Return a desktop with displays above a board, and with texts; and the grid of the board."""
    desk = np.full((700, 1000, 3), 192, dtype=np.uint8)
    for shown, x in displays:
        panel = draw_display(shown) if isinstance(shown, str) else shown
        desk[y : y + panel.shape[0], x : x + panel.shape[1]] = panel
    for text, x, at in lines:
        cv2.putText(desk, text, (x, at), font, 0.7, (20, 20, 20), 1, cv2.LINE_AA)
    return desk, Grid(200.0, 220.0, 24.0, 24.0, board.rows, board.cols)


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
    desk, _ = desk_showing(displays=[(panel, 20)])
    assert [*map(int, find_displays(desk[100:300, :400]).values())] == [value]


def test_a_smiley_and_a_wallpaper_are_no_display() -> None:
    desk = np.full((120, 400, 3), 192, dtype=np.uint8)
    cv2.circle(desk, (60, 60), 20, (255, 255, 0), -1)
    cv2.circle(desk, (60, 60), 20, (0, 0, 0), 2)
    desk[:, 150:350] = np.random.default_rng(1).integers(0, 256, (120, 200, 3), dtype=np.uint8)
    assert find_displays(desk) == {}


OPENED = Board.from_text(
    "\n".join(["FF1" + "0" * 6, "#21" + "0" * 6, "11" + "0" * 7] + ["0" * 9] * 6)
)
"""A board that allows two or three mines, wherever the flags stand."""


def counted(
    board: Board,
    displays: Sequence[Display] = (),
    lines: Sequence[Line] = (),
    *,
    font: int = 0,
    side: str = "",
    mines: int | None = None,
) -> Counted:
    desk, grid = desk_showing(board, displays, lines, font)
    counter = find_counter(Frame(desk), grid, board, side=side, mines=mines)
    return None if counter is None else (counter.mines_left, counter.total)


@pytest.mark.parametrize("font", FONTS)
@pytest.mark.parametrize(
    "text",
    ["Mines: 12", "UXB: 12", "0/12", "12 mines left", "Bombs 12", "Flags: 12", "Flags: 0/12"],
)
def test_a_total_in_words_is_read(text: str, font: int) -> None:
    assert counted(FRESH, lines=[(text, 240, 190)], font=font) == (12, 12)


@pytest.mark.parametrize("font", FONTS)
@pytest.mark.parametrize(
    "text",
    [
        "Time: 12", "Score: 12", "Level 12", "High scores", "00:12", "12x12", "12 %", "1.2",
        "Moves 12", "Flags: 0", "12:30", "Best time 12",
    ],
)  # fmt: skip
def test_a_number_of_something_else_is_no_total(text: str, font: int) -> None:
    assert counted(FRESH, lines=[(text, 240, 190)], font=font) is None


SCORES = [("High scores", 240, 480), ("1. Ann 12", 240, 510), ("2. Bob 15", 240, 540),
          ("3. Eve 21", 240, 570)]  # fmt: skip
SIXTY_FOUR = Board.from_text("\n".join(["#" * 8] * 8))
BEGUN = Board.from_text("\n".join(["1" + "#" * 11] + ["#" * 12] * 10))
FEW_LEFT = Board.from_text(
    "\n".join(["F1000001#", "110000011", *["000000000"] * 5, "110000011", "#1000001#"])
)
EXPERT = Board.from_text("\n".join(["F1" + "#" * 28] + ["#" * 30] * 15))


@pytest.mark.parametrize(
    ("board", "lines", "found"),
    [
        (FRESH, SCORES, None),
        # A number alone is a total if it is the usual one, or stands beside a clock.
        (FRESH, [("10", 240, 190)], (10, 10)),
        (FRESH, [("12", 240, 190)], None),
        (FRESH, [("12", 240, 190), ("0", 360, 190)], (12, 12)),
        # With flags a text may count what is left, or all.
        (FLAGGED, [("Mines left: 10", 240, 190)], (10, 12)),
        (FLAGGED, [("Mines: 8", 240, 190)], (8, 10)),
        (FLAGGED, [("Mines: 10", 240, 190)], (8, 10)),
        (FLAGGED, [("Mines: 13", 240, 190)], None),
        (FLAGGED, [("2/12", 240, 190)], (10, 12)),
        (FLAGGED, [("10/12", 240, 190)], (10, 12)),
        (FLAGGED, [("3/12", 240, 190)], None),
        (FLAGGED, [("Flags: 2", 240, 190)], None),
        (FLAGGED, [("Flags: 10", 240, 190)], (10, 12)),
        (FLAGGED, [("3/15", 480, 300)], None),  # it must name the flags on the board
        (FLAGGED, [("2/15", 480, 300)], (13, 15)),
        # Words above a number say what it is.
        (FRESH, [("Mines", 220, 160), ("12", 230, 190), ("Time", 350, 160), ("15", 360, 190)],
         (12, 12)),
        (FRESH, [("Score", 220, 160), ("12", 230, 190), ("Time", 350, 160), ("15", 360, 190)],
         None),
        # Words that disagree are not trusted, nor is a total that the board excludes.
        (FRESH, [("9 mines", 240, 130), ("40 mines", 240, 160), ("20 mines", 240, 190)], None),
        *[(OPENED, [(text, 240, 190)], None) for text in ("Mines: 12", "UXB: 10", "2/12", "10")],
        (OPENED, [("Mines left: 1", 240, 190)], None),  # three mines are too few
    ],
)  # fmt: skip
def test_which_text_is_the_counter(board: Board, lines: list[Line], found: Counted) -> None:
    assert counted(board, lines=lines) == found


@pytest.mark.parametrize(
    ("board", "displays", "asked", "found"),
    [
        # It stands on either side of the clock; where the board does not decide, it is not known.
        (FLAGGED, [("008", 205), ("042", 330)], {}, (8, 10)),
        (FLAGGED, [("042", 205), ("008", 330)], {}, (8, 10)),
        (FEW_LEFT, [("003", 205), ("022", 330)], {}, (3, 4)),
        (BEGUN, [("020", 205), ("031", 380)], {}, None),
        (BEGUN, [("020", 205), ("031", 380)], {"mines": 31}, (31, 31)),
        (FRESH, [("010", 205), ("000", 330)], {"mines": 12}, None),
        (EXPERT, [("059", 205), ("072", 600)], {}, None),
        (EXPERT, [("059", 205), ("072", 600)], {"side": "above-left"}, (59, 60)),
        (EXPERT, [("059", 205), ("072", 600)], {"side": "above-right"}, (72, 73)),
        # A few seconds may be the last time of a page without a counter.
        (FRESH, [("002", 205), ("000", 330)], {}, None),
        (FRESH, [("006", 205), ("000", 330)], {}, (6, 6)),
        (FRESH, [("050", 205), ("000", 330)], {}, (50, 50)),
        # Numbers of another window do not count beside two displays.
        (SIXTY_FOUR, [("020", 205), ("000", 330)],
         {"lines": [("7", 290, 200), ("12", 420, 120)]}, (20, 20)),
    ],
)  # fmt: skip
def test_which_display_is_the_counter(
    board: Board, displays: list[Display], asked: dict[str, Any], found: Counted
) -> None:
    assert counted(board, displays, **asked) == found


@pytest.mark.parametrize("scale", [0.7, 1.0, 1.6])
@pytest.mark.parametrize("dithered", [False, True])
def test_scaled_and_dithered_displays_are_read(scale: float, dithered: bool) -> None:
    panel = draw_display("027", height=30, unlit=(120, 0, 0) if dithered else None)
    if dithered:
        dim = (panel == (120, 0, 0)).all(axis=2)
        chess = np.indices(dim.shape).sum(axis=0) % 2 == 0
        panel[dim & chess] = 0
    panel = np.asarray(cv2.resize(panel, None, fx=scale, fy=scale), np.uint8)
    desk, _ = desk_showing(displays=[(panel, 20)])
    assert [*find_displays(desk[100:300, :400]).values()] == ["027"]


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


@pytest.mark.slow
@pytest.mark.parametrize("side", ["", "below"])
def test_text_cut_off_by_the_searched_area_is_never_another_number(side: str) -> None:
    found = [counted(FLAGGED, lines=[("2/15", x, 470)], side=side) for x in range(400, 800, 3)]
    assert {*found} == {(13, 15), None}
    assert found.count((13, 15)) > 60


def test_a_known_place_is_read_again_after_the_window_moved() -> None:
    desk, grid = desk_showing(FRESH, [("010", 205), ("000", 330)])
    counter = find_counter(Frame(desk), grid, FRESH)
    assert counter is not None
    desk, _ = desk_showing(FLAGGED, [("008", 205 + 31)], y=160 - 17)
    again = read_counter(Frame(desk), grid.moved(31, -17), FLAGGED, counter.place)
    assert again is not None
    assert (again.mines_left, again.total) == (8, 10)
    blank, _ = desk_showing(FLAGGED)
    assert read_counter(Frame(blank), grid, FLAGGED, counter.place) is None


def test_a_board_at_the_screen_edge_has_no_room_for_a_counter() -> None:
    desk = np.full((300, 300, 3), 192, dtype=np.uint8)
    assert find_counter(Frame(desk), Grid(0.0, 0.0, 30.0, 30.0, 9, 9), FRESH) is None
