"""The reader from frame to frame: what it keeps, what it learns, what it refuses."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from bot.simulated import SKINS, SimulatedDesktop
from calibration.calibrate import Calibration, calibrate
from calibration.classify.recognise import label_clusters, recognise
from calibration.errors import (
    BoardCovered,
    CalibrationError,
    ImpossibleBoard,
    StatusUnclear,
    Unreadable,
    UnreadableTiles,
)
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.points import PixelBox
from calibration.reader import Reader
from calibration.rules import UNREAD
from calibration.theme import LEARNED, Theme, builtin_themes
from solver.analysis import analyse
from solver.board import Board, Cell, Tile, count_neighbours
from solver.game import Rule, Status
from tests.calibration.desktops import flat_board
from tests.calibration.screens import FIXTURES, Screen, labelled

NO_THEME = Theme("learned", ())


def desktop(skin: str, *, tile_px: int | None = None, seed: int = 3) -> SimulatedDesktop:
    return SimulatedDesktop(
        rows=9, cols=9, mines=10, rule=Rule.ZERO, seed=seed, skin=skin, tile_px=tile_px, windows=()
    )


def opened(desk: SimulatedDesktop, row: int = 4, col: int = 4) -> Frame:
    desk.click(desk.cell_point(Cell(row, col)))
    desk.clock.sleep(3)
    return desk.grab()


def reader_of(desk: SimulatedDesktop) -> Reader:
    return Reader(Calibration(desk.truth_grid(), NO_THEME, 10))


def painted(frame: Frame, box: PixelBox, colour: Any) -> Frame:
    pixels = frame.pixels.copy()
    pixels[box.y0 : box.y1, box.x0 : box.x1] = colour
    return Frame(pixels)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("skin", SKINS)
@pytest.mark.parametrize("tile_px", [16, 24, 40, 60])
def test_a_game_in_a_skin_without_a_theme(skin: str, tile_px: int) -> None:
    desk = desktop(skin, tile_px=tile_px)
    reader = reader_of(desk)
    assert (reader.read(desk.grab()).board.tiles == desk.truth_tiles()).all()
    frame = opened(desk)
    assert (reader.read(frame).board.tiles == desk.truth_tiles()).all()
    assert desk.game.mines is not None
    free = np.argwhere(~desk.game.mines)
    for row, col in free[::3].tolist():
        frame = opened(desk, row, col)
        assert (reader.read(frame).board.tiles == desk.truth_tiles()).all()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("skin", SKINS)
def test_flags_on_a_won_board_without_a_hidden_tile_left(skin: str) -> None:
    desk = SimulatedDesktop(rows=16, cols=16, mines=40, rule=Rule.ZERO, seed=5, skin=skin)
    reader = reader_of(desk)
    reader.read(desk.grab())
    reader.read(opened(desk, 8, 8))
    assert desk.game.mines is not None
    for row, col in np.argwhere(~desk.game.mines).tolist():
        desk.click(desk.cell_point(Cell(row, col)))
    desk.clock.sleep(3)
    reading = reader.read(desk.grab())
    assert (reading.board.tiles == desk.truth_tiles()).all()
    assert (desk.truth_tiles() == Tile.FLAG).sum() == 40


def test_the_same_frame_is_read_the_same_again() -> None:
    desk = desktop("flat")
    reader, frame = reader_of(desk), opened(desk)
    assert reader.read(frame).board == reader.read(frame).board


def test_a_cover_over_the_board_is_noticed() -> None:
    desk = desktop("classic")
    reader, frame = reader_of(desk), opened(desk)
    reader.read(frame)
    grid = desk.truth_grid()
    first, last = grid.box(Cell(2, 2)), grid.box(Cell(6, 6))
    box = first._replace(x0=first.x0 + 5, y0=first.y0 + 5, x1=last.x1 - 5, y1=last.y1 - 5)
    rng = np.random.default_rng(1)
    noise = rng.integers(0, 256, (box.y1 - box.y0, box.x1 - box.x0, 3), dtype=np.uint8)
    with pytest.raises(BoardCovered) as caught:
        reader.read(painted(frame, box, noise))
    assert caught.value.tiles


def test_an_open_number_never_changes() -> None:
    desk = desktop("flat")
    reader, frame = reader_of(desk), opened(desk)
    board = reader.read(frame).board
    rows, cols = np.nonzero(board.tiles == 1)
    source = desk.truth_grid().box(Cell(int(rows[0]), int(cols[0])))
    rows, cols = np.nonzero(board.tiles == 2)
    target = desk.truth_grid().box(Cell(int(rows[0]), int(cols[0])))
    one = frame.pixels[source.y0 : source.y1, source.x0 : source.x1]
    with pytest.raises(ImpossibleBoard):
        reader.read(painted(frame, target, one))


def test_a_new_game_may_cover_open_cells() -> None:
    desk = desktop("flat")
    fresh = desk.grab()
    reader = reader_of(desk)
    reader.read(opened(desk))
    assert (reader.read(fresh).board.tiles == -1).all()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_noise_is_no_board(seed: int) -> None:
    desk = desktop("flat")
    rng = np.random.default_rng(seed)
    frame = desk.grab()
    noise = Frame(rng.integers(0, 256, frame.pixels.shape, dtype=np.uint8))
    assert recognise(noise, desk.truth_grid()).plausibility < 0.4
    with pytest.raises(Unreadable):
        reader_of(desk).read(noise)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("skin", SKINS)
def test_nothing_wrong_is_learned_from_a_half_painted_window(skin: str) -> None:
    desk = desktop(skin)
    fresh = desk.grab()
    opened(desk)
    whole = desk.grab()
    tiles, grid = desk.truth_tiles(), desk.truth_grid()
    zeros = [Cell(int(row), int(col)) for row, col in np.argwhere(tiles == 0)]
    pixels = fresh.pixels.copy()
    for box in (grid.box(cell) for cell in zeros):
        pixels[box.y0 : box.y1, box.x0 : box.x1] = whole.pixels[box.y0 : box.y1, box.x0 : box.x1]
    reader = reader_of(desk)
    for frame in (fresh, Frame(pixels)):
        with contextlib.suppress(Unreadable):
            reader.read(frame)
    assert np.array_equal(reader.read(whole).board.tiles, tiles)


def test_a_frame_that_cannot_be_read_does_not_clear_the_cache(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = desktop("classic")
    fresh = desk.grab()
    reader = reader_of(desk)
    frame = opened(desk)
    reader.read(frame)
    noise = np.random.default_rng(1).integers(0, 255, (40, 60, 3))
    box = desk.truth_grid().box(Cell(4, 4))
    with pytest.raises(Unreadable):
        reader.read(painted(frame, PixelBox(box.x0, box.y0, box.x0 + 60, box.y0 + 40), noise))

    def label(*_: object) -> None:
        raise AssertionError("labelled again")

    monkeypatch.setattr("calibration.reader.label_clusters", label)
    assert (reader.read(fresh, same_game=False).board.tiles == Tile.HIDDEN).all()


def test_a_reader_that_forgets_labels_all_tiles_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = desktop("flat")
    reader, frame = reader_of(desk), opened(desk)
    board = reader.read(frame).board
    asked: list[int] = []

    def label(*given: Any) -> Any:
        asked.append(1)
        return label_clusters(*given)

    monkeypatch.setattr("calibration.reader.label_clusters", label)
    assert reader.read(frame).board == board
    assert not asked
    reader.forget()
    assert reader.read(frame).board == board
    assert asked


def test_tiles_of_a_known_program_below_another_smiley_do_not_tell_a_win() -> None:
    """Xdemineur wants all mines flagged first; a page with its tiles may not."""
    early, won = (
        next(one for one in labelled(FIXTURES) if one.program == "xdemineur" and one.name == name)
        for name in ("12x9_early", "12x9_won")
    )
    pixels = early.frame().pixels.copy()
    row, col = np.argwhere(early.board.tiles == Tile.HIDDEN)[0]
    x0, y0 = round(early.grid.x_lines[col]), round(early.grid.y_lines[row])
    hidden = pixels[y0 : y0 + 21, x0 : x0 + 21].copy()
    (x0, y0, x1, y1), (x, y, right, bottom) = early.grid.bounds, won.grid.bounds
    pixels[y0:y1, x0:x1] = won.frame().pixels[y:bottom, x:right]
    for row, col in np.argwhere(won.board.tiles == Tile.FLAG):
        x, y = round(early.grid.x_lines[col]), round(early.grid.y_lines[row])
        pixels[y : y + 21, x : x + 21] = hidden
    calibration = Calibration(early.grid, recognise(early.frame(), early.grid).theme)
    assert Reader(calibration).read(Frame(pixels)).status is Status.PLAYING
    middle = (x0 + x1) // 2
    pixels[y0 - 60 : y0 - 4, middle - 30 : middle + 30] = pixels[y0 - 8, middle - 30]
    with pytest.raises(StatusUnclear, match="what stands above"):
        Reader(calibration).read(Frame(pixels))


def shaded(frame: Frame, grid: Grid, cell: Cell, step: int) -> Frame:
    """Make one tile lighter or darker by ``step``, as programs do under the pointer."""
    box = grid.box(cell)
    tile = frame.pixels[box.y0 : box.y1, box.x0 : box.x1].astype(np.int16) + step
    return painted(frame, box, np.clip(tile, 0, 255).astype(np.uint8))


def hidden_beside_numbers(board: Board) -> Cell:
    """Return a hidden cell, one beside a number if there is any."""
    cells = [cell for cell in board.cells() if board[cell] == Tile.HIDDEN]
    return max(cells, key=lambda cell: any(board[near] > 0 for near in board.neighbours(cell)))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("skin", SKINS)
@pytest.mark.parametrize("clicked", [False, True])
@pytest.mark.parametrize("step", [-35, 20, 35])
def test_a_tile_that_changes_its_shade_did_not_explode(skin: str, clicked: bool, step: int) -> None:
    desk = desktop(skin)
    reader = reader_of(desk)
    frame = desk.grab()
    board = reader.read(frame).board
    if clicked:
        frame = opened(desk)
        board = reader.read(frame).board
    cell = hidden_beside_numbers(board)
    with contextlib.suppress(Unreadable):
        reading = reader.read(shaded(frame, desk.truth_grid(), cell, step))
        assert reading.board == board
        assert reading.status is Status.PLAYING


def test_a_lost_board_may_darken_all_tiles_that_stay_hidden() -> None:
    desk = desktop("flat")
    reader, truth = reader_of(desk), desk.truth_grid()
    reader.read(desk.grab())
    board = reader.read(opened(desk)).board
    mine = analyse(board).mines[0]
    lost = opened(desk, *mine)
    over = desk.game.board
    hidden = [cell for cell in over.cells() if over[cell] == Tile.HIDDEN]
    assert hidden
    for cell in hidden:
        lost = shaded(lost, truth, cell, -50)
    reading = reader.read(lost)
    assert reading.status is Status.LOST
    assert reading.board == over


@pytest.mark.parametrize("step", [-25, 25])
@pytest.mark.parametrize(
    "name", ["gm_bgc_exp_fresh", "gm_bgc_int_mid", "medium_classic_fresh", "medium_classic_mid"]
)
def test_a_tile_of_a_known_program_under_the_pointer_did_not_explode(name: str, step: int) -> None:
    screen = next(one for one in labelled(FIXTURES / "gnome-mines") if one.name == name)
    frame = screen.frame()
    reader = Reader(Calibration(screen.grid, recognise(frame, screen.grid).theme))
    board = reader.read(frame).board
    with contextlib.suppress(Unreadable):
        cell = hidden_beside_numbers(board)
        reading = reader.read(shaded(frame, screen.grid, cell, step))
        assert reading.board == board
        assert reading.status is Status.PLAYING


FINISHED = [
    (screen, theme)
    for screen in labelled(FIXTURES) + labelled(FIXTURES, covered=True)
    for theme in builtin_themes()
    if theme.name == f"{screen.program}/{screen.theme}" and screen.status != "playing"
]


@pytest.mark.parametrize(
    ("screen", "theme"), [pytest.param(*case, id=case[0].name) for case in FINISHED]
)
def test_mines_are_told_beside_what_covers_a_finished_board(screen: Screen, theme: Theme) -> None:
    """And nothing else is taken for a mine, nor is any told of a board that was won."""
    shown = Reader(Calibration(screen.grid, theme)).shown_mines(screen.frame())
    seen = shown != UNREAD
    assert (shown == screen.board.tiles)[seen].all()
    assert seen.any() == (screen.status == "lost")


LOST = [case for case in FINISHED if case[0].status == "lost"]


@pytest.mark.parametrize(
    ("screen", "theme"), [pytest.param(*case, id=case[0].name) for case in LOST]
)
def test_of_a_look_that_was_learned_only_mines_that_numbers_confirm_are_told(
    screen: Screen, theme: Theme
) -> None:
    kept = replace(theme, name=f"{LEARNED}/look-1")
    shown = Reader(Calibration(screen.grid, kept)).shown_mines(screen.frame())
    seen = shown != UNREAD
    assert np.isin(screen.board.tiles, (Tile.MINE, Tile.EXPLODED))[seen].all()
    numbers = count_neighbours(screen.board.tiles > 0)
    assert (numbers[seen] >= 2).all()


KEYCAPS = [
    "001###### 001###### 111###### ######### ######### ######### ######### ######### #########",
    "000000000 111110000 ####31000 #####1000 ##2221000 ##1000000 ##2221011 #####112# #########",
    "010000000 #21110000 ##2#10000 ####31111 ######### ######### ######### ######### #########",
]


@pytest.mark.parametrize("text", KEYCAPS)
def test_digits_on_keys_of_their_own_are_read_or_refused(text: str) -> None:
    """Each tile is a raised square on the page, grey or black, or blue with a white digit."""
    pixels = np.full((460, 400, 3), (255, 251, 232), np.uint8)
    board = Board.from_text(text.replace(" ", "\n"))
    for cell in board.cells():
        _key(pixels, (29 + 36 * cell.col, 70 + 36 * cell.row), int(board[cell]))
    frame = Frame(pixels)
    try:
        found = calibrate(frame)
        read = Reader(found).read(frame).board
    except CalibrationError:
        return
    assert read.text_rows() == board.text_rows()


def _key(pixels: Any, at: tuple[int, int], tile: int) -> None:
    """Draw a raised square of 25 pixels."""
    (x, y), side = at, 25
    face = {Tile.HIDDEN: (224, 224, 224), 0: (66, 66, 66)}.get(tile, (125, 168, 190))
    light, dark = (np.clip(np.array(face) * share, 0, 255) for share in (1.12, 0.55))
    pixels[y : y + side, x : x + side] = dark
    pixels[y : y + side - 2, x : x + side - 2] = light
    pixels[y + 2 : y + side - 2, x + 2 : x + side - 2] = face
    if tile > 0:
        place, white = (x + 6, y + 19), (250, 250, 250)
        cv2.putText(pixels, str(tile), place, cv2.FONT_HERSHEY_SIMPLEX, 0.6, white, 2, cv2.LINE_AA)


FRESH = ["#" * 10] * 10


@pytest.mark.parametrize("opened", [(208, 208, 208), (90, 170, 90)], ids=["grey", "green"])
def test_a_single_grey_tile_that_was_clicked_is_an_opening(opened: tuple[int, int, int]) -> None:
    """An exploded mine may be a plain tile, too, but hardly a grey one."""
    frame = flat_board(FRESH)
    reader = Reader(calibrate(frame))
    reader.read(frame)
    reader.expect_opening([Cell(0, 0)])
    opened_one = flat_board(["0" + "#" * 9, *FRESH[1:]], opened)
    if opened == (208, 208, 208):
        assert reader.read(opened_one).board[Cell(0, 0)] == 0
    else:
        with pytest.raises(UnreadableTiles):
            reader.read(opened_one)


def test_an_opening_of_nothing_but_zeros_is_read_among_numbers() -> None:
    """Some programs open only zeros around a zero; a first click may have opened a number."""
    fresh = flat_board(FRESH)
    reader = Reader(calibrate(fresh))
    reader.read(fresh)
    rows = ["1" + "#" * 9, *FRESH[1:]]
    assert reader.read(flat_board(rows)).board.text_rows() == rows
    reader.expect_opening([Cell(9, 9)])
    rows[6:] = ["#" * 8 + "00", "#" * 7 + "000", "#" * 6 + "0000", "#" * 8 + "00"]
    assert reader.read(flat_board(rows)).board.text_rows() == rows
    rows[6] = "#" * 7 + "100"
    assert reader.read(flat_board(rows)).board.text_rows() == rows


def test_an_opening_that_looked_like_mines_is_read_once_it_rests() -> None:
    """Zeros as dark as the page around the board may pass for mines, until nothing more appears."""
    fresh = _dark_page(FRESH)
    reader = Reader(calibrate(fresh))
    rows = ["2" + "#" * 9, *FRESH[1:]]
    for frame in (fresh, _dark_page(rows)):
        reader.read(frame)
    rows[2:5] = ["#" * 7 + "000", "#" * 6 + "0000", "00##00####"]
    rows[5:] = ["0000" + "#" * 6] * 2 + ["000" + "#" * 7] * 3
    opened = _dark_page(rows)
    with pytest.raises(StatusUnclear):
        reader.read(opened)
    reader.expect_opening([Cell(9, 0)])
    assert reader.read(opened).board.text_rows() == rows


def _dark_page(rows: list[str]) -> Frame:
    """Draw grey tiles of 40 px with red lines on a dark page, the colour of zeros."""
    pixels = np.full((500, 520, 3), (13, 20, 26), np.uint8)
    pixels[40:443, 60:463] = (255, 0, 0)
    for row, line in enumerate(rows):
        for col, char in enumerate(line):
            cell = pixels[43 + 40 * row : 80 + 40 * row, 63 + 40 * col : 100 + 40 * col]
            cell[:] = {"#": (147, 157, 161), "0": (13, 20, 26)}.get(char, (70, 200, 50))
            if char.isdigit() and char != "0":
                cv2.putText(cell, char, (10, 27), 0, 0.7, (255, 255, 255), 2, cv2.LINE_AA)
    return Frame(pixels)


@pytest.mark.parametrize("drawn", ["X", "M", "o"])
def test_what_appears_on_a_flagged_tile_is_a_flag(drawn: str) -> None:
    """Some pages draw a cross for a flag, which elsewhere crosses out wrong ones."""
    rows = ["00001#####", "0000112###", "000000112#", "0000000011", *["0" * 10] * 6]
    fresh, played = _dark_page(FRESH), _dark_page(rows)
    pixels = played.pixels.copy()
    cv2.putText(pixels, drawn, (272, 68), 0, 0.6, (250, 250, 250), 2, cv2.LINE_AA)
    marked = Frame(pixels)
    reader = Reader(calibrate(fresh))
    for frame in (fresh, played):
        reader.read(frame)
    with pytest.raises(UnreadableTiles):
        reader.read(marked)
    reader.expect_flags([Cell(0, 5)])
    assert reader.read(marked).board[Cell(0, 5)] == Tile.FLAG
    assert reader.read(played).board[Cell(0, 5)] == Tile.HIDDEN


def test_written_zeros_need_no_open_tiles_around_them() -> None:
    rows = ["#0##0###1#", "####0#####", "#0###0#0##", "#11###0###", "11######1#"]
    rows += ["######00##", "#######00#", "0###0###00", "##########", "##########"]
    frame = flat_board(rows, zeros=True)
    assert Reader(calibrate(frame)).read(frame).board.text_rows() == rows


@pytest.mark.parametrize("wrong", [False, True], ids=["mines", "a wrong flag"])
def test_crosses_that_the_numbers_count_are_mines(wrong: bool) -> None:
    """Beside one that they do not count, the crosses are wrong flags."""
    mines = np.zeros((8, 8), np.bool_)
    mines[[0, 2, 3, 5, 6], [3, 1, 6, 5, 0]] = True
    shown = count_neighbours(mines).astype(str)
    shown[mines], shown[0, 3] = "W", "X"
    if wrong:
        shown[7, 3] = "W"
    board = recognise(flat_board(["".join(row) for row in shown]), Grid(99.5, 119.5, 30, 30, 8, 8))
    crosses = board.tiles[shown == "W"]
    assert set(crosses.tolist()) == ({Tile.WRONG_FLAG} if wrong else {Tile.MINE})


def test_a_single_written_zero_is_read_after_the_first_click() -> None:
    reader = Reader(calibrate(flat_board(FRESH)))
    rows = ["0" + "#" * 9, *FRESH[1:]]
    for shown in (FRESH, rows):
        assert reader.read(flat_board(shown, zeros=True)).board.text_rows() == shown


@pytest.mark.parametrize("before", [FRESH, ["1" + "#" * 9, *FRESH[1:]]], ids=["fresh", "a number"])
def test_a_strange_drawing_on_the_cell_that_was_clicked_is_no_mine(before: list[str]) -> None:
    """It may be a 0 in an unusual font; a mine would be believed, and the game told lost."""
    fresh, seen = flat_board(FRESH), flat_board(before)
    reader = Reader(calibrate(fresh))
    reader.read(fresh)
    reader.read(seen)
    with pytest.raises(UnreadableTiles):
        reader.read(flat_board([before[0], *FRESH[1:9], "#" * 9 + "O"]))


@pytest.mark.parametrize("marked", ["tinted", "cross"])
def test_what_marks_a_tile_of_a_fresh_board_leaves_it_hidden(marked: str) -> None:
    """The cursor of the keys, or a hint where to start."""
    pixels = raised_board().pixels.copy()
    cell = pixels[122:152, 102:132]
    if marked == "tinted":
        cell[:] = (0.5 * cell + 0.5 * np.array((255, 160, 0))).astype(np.uint8)
    else:
        for ends in (((9, 9), (20, 20)), ((9, 20), (20, 9))):
            cv2.line(cell, *ends, (0, 130, 0), 3, cv2.LINE_AA)
    frame = Frame(pixels)
    assert Reader(calibrate(frame)).read(frame).board.text_rows() == ["#" * 9] * 9


@pytest.mark.parametrize("light", [60, 24, 18])
def test_a_faint_bevel_tells_hidden_tiles_from_open_ones(light: int) -> None:
    """Both are of one grey; there are more zeros than hidden tiles."""
    rows = [
        "##200000",
        "##200000",
        "##210000",
        "###21000",
        "####1011",
        "##21101#",
        "#3100011",
        "#2000000",
    ]
    pixels = np.full((400, 420, 3), 238, np.uint8)
    pixels[79:321, 99:341] = 140
    for row, line in enumerate(rows):
        for col, tile in enumerate(line):
            cell = pixels[80 + 30 * row : 109 + 30 * row, 100 + 30 * col : 129 + 30 * col]
            cell[:] = 192
            if tile == "#":
                cell[:3] = cell[:, :3] = min(255, 192 + light)
            elif tile > "0":
                inks = {"1": (0, 0, 255), "2": (0, 128, 0), "3": (255, 0, 0)}
                cv2.putText(cell, tile, (8, 22), 0, 0.7, inks[tile], 2, cv2.LINE_AA)
    frame = Frame(pixels)
    assert Reader(calibrate(frame)).read(frame).board.text_rows() == rows


def raised_board() -> Frame:
    """Draw nine by nine raised grey tiles of 30 px on a teal page."""
    pixels = np.full((500, 520, 3), (0, 128, 128), np.uint8)
    for y in range(122, 122 + 270, 30):
        for x in range(102, 102 + 270, 30):
            pixels[y : y + 30, x : x + 30] = 120
            pixels[y : y + 27, x : x + 27] = 250
            pixels[y + 3 : y + 27, x + 3 : x + 27] = 192
    return Frame(pixels)


def test_blank_zeros_around_which_nothing_opens_are_read_on() -> None:
    """Some programs open only the cell that was clicked, and leave a zero blank."""
    fresh = flat_board(FRESH)
    reader = Reader(calibrate(fresh))
    reader.read(fresh)
    reader.expect_opening([Cell(0, 0)])
    for rows in (["0" + "#" * 9, *FRESH[1:]], ["00" + "#" * 8, "11" + "#" * 8, *FRESH[2:]]):
        assert reader.read(flat_board(rows)).board.text_rows() == rows


def test_a_dense_board_is_read_if_it_was_seen_fresh() -> None:
    """High numbers without any zero look like a misreading; such a page opens a number at first."""
    rows = ["1#3", "235#5", "#2##4433", "2434#3", "#3#324", "####12", "###33333", "###4##3"]
    opened = [row.ljust(15, "#") for row in rows] + ["#" * 15] * 7
    frame, dense = flat_board(["#" * 15] * 15), flat_board(opened)
    reader = Reader(calibrate(frame))
    reader.read(frame)
    assert list(reader.read(dense).board.text_rows()) == opened
