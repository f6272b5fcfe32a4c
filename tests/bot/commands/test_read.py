"""The command `read`: boards of screenshots, and calibrations that are saved."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from bot.cli import main
from bot.desktop.ports import Monitor
from bot.terminal.pictures import save_picture
from calibration.calibration import Calibration
from calibration.errors import UnreadableTiles
from calibration.frame import Frame
from calibration.grid import Grid, ScreenPoint
from calibration.images import load_image
from calibration.reader import Reader
from calibration.theme import LEARNED, Theme
from solver.board import Board, Cell, Tile
from tests.bot.command_line import Capture, complaint, run, said
from tests.calibration.drawing import drawn, tiles
from tests.simulated import FaultyDesktop


@pytest.mark.slow
def test_help_says_what_the_cues_and_their_figures_are(capsys: Capture, screenshot: Path) -> None:
    found = run(capsys, "read", screenshot, "--explain")[1][0]["explain"]
    reported = said(capsys, "read", "--help")[1]
    assert "log-likelihood" in reported
    assert [name for name in found[0]["witnesses"] if f"'{name}'" not in reported] == []


@pytest.mark.slow
def test_read_explains_tiles(capsys: Capture, screenshot: Path) -> None:
    code, (answer,), _ = run(capsys, "read", screenshot, "--explain")
    board = answer["board"]
    assert code == 0
    assert sum(len(one["cells"]) for one in answer["explain"]) == sum(map(len, board))
    for one in answer["explain"]:
        assert {board[row][col].replace(".", "0") for row, col in one["cells"]} == {
            one["tile"].replace(".", "0")
        }
        assert one["rival"] != one["tile"]
    row, col = answer["explain"][0]["cells"][0]
    main(["read", str(screenshot), "--explain", f"{row + 1},{col + 1}"])
    assert f"Row {row + 1}, column {col + 1}" in capsys.readouterr().out
    row, col = next(one["cells"][-1] for one in answer["explain"] if len(one["cells"]) > 2)
    code, (asked,), _ = run(capsys, "read", screenshot, "--explain", f"{row + 1},{col + 1}")
    assert asked["explain"][0]["cells"][0] == [row, col]
    assert asked["explain"][0].keys() >= {"excluded", "alone", "without"}
    main(["read", str(screenshot), "--explain", f"{row + 1},{col + 1}"])
    out = capsys.readouterr().out
    assert f"Row {row + 1}, column {col + 1} and " in out
    assert "    the numbers around exclude: " in out
    code, message = complaint(capsys, "read", screenshot, "--explain", "10,1")
    assert (code, "no row 10, column 1" in message) == (2, True)
    code, message = complaint(capsys, "read", screenshot, "--explain", "3;7")
    assert code == 2
    assert "ROW,COL" in message


def test_read_describes_the_board(capsys: Capture, screenshot: Path, tmp_path: Path) -> None:
    code, (answer,), _ = run(capsys, "read", screenshot, "--overlay", tmp_path / "drawn")
    assert code == 0
    assert answer["image"] == str(screenshot)
    assert (answer["rows"], answer["cols"]) == (9, 9)
    assert len(answer["board"]) == 9
    assert answer["status"] == "playing"
    assert answer["mines_left"] in (10, None)
    assert 0.5 <= answer["confidence"] <= 1
    assert answer["ms"].keys() == {"calibrate", "read"}
    assert answer["grid"].keys() == {"x0", "y0", "tile_w", "tile_h"}
    assert (tmp_path / "drawn" / "half-played.png").stat().st_size > 1000


@pytest.mark.slow
def test_read_does_not_overwrite_a_picture(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.png").write_bytes(screenshot.read_bytes())
    first, second = tmp_path / "one" / "same.png", tmp_path / "two" / "same.png"
    code, message = complaint(capsys, "read", first, "--overlay", first.parent)
    assert (code, first.read_bytes()) == (2, screenshot.read_bytes())
    assert "would overwrite" in message
    code, message = complaint(capsys, "read", first, "--save-calibration", first)
    assert (code, first.read_bytes()) == (2, screenshot.read_bytes())
    assert "picture" not in message
    code, message = complaint(capsys, "read", first, second, "--overlay", tmp_path / "drawn")
    assert code == 2
    assert "have one name" in message
    assert main(["read", *[str(first)] * 2, "--overlay", str(tmp_path / "drawn")]) == 0
    capsys.readouterr()
    code, message = complaint(capsys, "read", first, "--overlay", second)
    assert (code, f"{second} is a file, not a folder" in message) == (2, True)


@pytest.mark.slow
def test_a_mine_total_that_does_not_fit_one_board_leaves_the_others(
    capsys: Capture, screenshot: Path
) -> None:
    code, lines, _ = run(capsys, "read", screenshot, screenshot, "--mines", "9999")
    assert code == 2
    assert [line["error"] for line in lines] == ["BadMineTotal"] * 2


@pytest.mark.slow
def test_read_goes_on_after_an_error_and_returns_its_code(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty.png"
    save_picture(np.full((600, 800, 3), 90, np.uint8), empty)
    text = tmp_path / "text.png"
    text.write_text("no picture")
    code, lines, _ = run(capsys, "read", empty, text, screenshot)
    assert code == 3
    assert [line.get("error") for line in lines] == ["NoGrid", "BadImage", None]
    assert all(line["message"].endswith(".") for line in lines[:2])


@pytest.mark.slow
def test_a_total_that_the_numbers_contradict_is_reported(capsys: Capture, screenshot: Path) -> None:
    code, (line,), reported = run(capsys, "read", screenshot, "--mines", "0")
    assert (code, line["mines"]) == (0, 0)
    assert reported.startswith(f"{screenshot}: No layout of 0 mines fits")
    assert run(capsys, "read", screenshot, "--mines", "10")[2] == ""


@pytest.mark.slow
def test_a_tile_that_one_board_lacks_leaves_the_others(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    big = tmp_path / "big.png"
    save_picture(FaultyDesktop(rows=16, cols=16, mines=40, seed=5).grab().pixels, big)
    code, lines, _ = run(capsys, "read", screenshot, big, "--explain", "16,16")
    assert code == 2
    assert [line.get("error") for line in lines] == ["UsageError", None]
    assert lines[0]["image"] == str(screenshot)
    assert lines[1]["explain"]
    code, text = said(capsys, "read", screenshot, "--explain", "16,16")
    assert (code, f"{screenshot}: There is no row 16" in text) == (2, True)


@pytest.mark.slow
def test_a_tile_that_is_not_there_does_not_hide_that_the_board_cannot_be_read(
    capsys: Capture, screenshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(*_: object, **__: object) -> None:
        raise UnreadableTiles("One tile is in doubt.", {})

    monkeypatch.setattr(Reader, "read", unreadable)
    code, (line,), reported = run(capsys, "read", screenshot, "--explain", "16,16")
    assert (code, line["error"]) == (4, "UnreadableTiles")
    assert "There is no row 16" in reported
    code, text = said(capsys, "read", screenshot, "--explain", "16,16")
    assert (code, "One tile is in doubt." in text) == (4, True)


@pytest.mark.slow
def test_a_calibration_is_saved_and_used_again(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    saved = tmp_path / "board.toml"
    _, (first,), _ = run(capsys, "read", screenshot, "--save-calibration", saved)
    code, (second,), _ = run(capsys, "read", screenshot, "--calibration", saved)
    assert code == 0
    assert first["board"] == second["board"]
    assert all(math.isclose(first["grid"][key], second["grid"][key]) for key in first["grid"])


@pytest.mark.slow
def test_a_saved_calibration_takes_a_mine_total_but_no_other_theme(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.toml"
    run(capsys, "read", screenshot, "--save-calibration", saved)
    known = ("read", screenshot, "--calibration", saved)
    assert run(capsys, *known, "--mines", "11")[1][0]["mines"] == 11
    code, (line,), _ = run(capsys, *known, "--theme", "winemine")
    assert (code, line["error"]) == (2, "UsageError")


@pytest.mark.slow
def test_nothing_is_read_where_a_calibration_finds_no_board(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    saved, elsewhere = tmp_path / "board.toml", tmp_path / "elsewhere.png"
    run(capsys, "read", screenshot, "--save-calibration", saved)
    pixels = load_image(screenshot).pixels
    save_picture(np.roll(pixels, (-200, 300), axis=(0, 1)), elsewhere)
    code, (line,), _ = run(capsys, "read", elsewhere, "--calibration", saved)
    assert code in (3, 4)
    assert "board" not in line
    plain = tmp_path / "plain.png"
    save_picture(np.full((1080, 1920, 3), 90, np.uint8), plain)
    code, (line,), _ = run(capsys, "read", plain, "--calibration", saved)
    assert (code, line["error"]) == (3, "NoGrid")


@pytest.fixture
def desktop(monkeypatch: pytest.MonkeyPatch) -> FaultyDesktop:
    """The desktop of this session: a simulated one with a half-played board."""
    desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=5)
    desk.click(desk.cell_point(Cell(4, 4)))
    desk.clock.sleep(1)
    monkeypatch.setattr("bot.desktop.routes.open_desktop", lambda *_: desk.ports)
    return desk


def test_too_many_kinds_of_tiles_are_no_reason_to_leave_out_the_next_picture(
    capsys: Capture, tmp_path: Path
) -> None:
    side, px, rim = 34, 20, 40
    cells = np.full((side, side, px, px, 3), 200, np.uint8)
    cells[..., 0, :, :] = cells[..., 0, :] = 255
    cells[..., -1, :, :] = cells[..., -1, :] = 90
    cells[..., 5:15, 5:15, :] = np.random.default_rng(0).integers(
        0, 256, (side, side, 10, 10, 3), np.uint8
    )
    picture = cells.swapaxes(1, 2).reshape(side * px, side * px, 3)
    noise = np.pad(picture, ((rim, rim), (rim, rim), (0, 0)), constant_values=230)
    files = [tmp_path / "one.png", tmp_path / "two.png"]
    for file in files:
        save_picture(noise, file)
    saved = tmp_path / "saved.toml"
    saved.write_text(Calibration(Grid(rim, rim, px, px, side, side), Theme(LEARNED, ())).to_toml())
    code, lines, _ = run(capsys, "read", *files, "--calibration", saved, "--explain")
    assert code == 4
    assert [line["image"] for line in lines] == [str(file) for file in files]


@pytest.mark.slow
def test_the_screen_is_read_as_a_file_is(
    capsys: Capture, desktop: FaultyDesktop, tmp_path: Path
) -> None:
    file = tmp_path / "shot.png"
    save_picture(desktop.grab().pixels, file)
    for words in (("read",), ("advise", "--near", "300,300", "--candidates", "2")):
        code, (answer,), _ = run(capsys, *words, "--screen")
        assert code == 0
        _, (same,), _ = run(capsys, *words, file)
        times = ("ms", "image")
        assert {name: one for name, one in answer.items() if name not in times} == {
            name: one for name, one in same.items() if name not in times
        }
    assert main(["read", "--screen", "--overlay", str(tmp_path)]) == 0
    assert (tmp_path / "screen.png").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("read", "--near", "foo"),
        ("read", "--near", "1,2,3"),
        ("read", "--theme", "winmine"),
        ("read", "--calibration", "missing.toml"),
        ("read", "shot.png"),
        ("advise", "--near", "foo"),
        ("advise", "--agent", "dep"),
        ("advise", "--calibration", "missing.toml"),
    ],
    ids=" ".join,
)
def test_bad_options_are_refused_before_the_screen_is_opened(
    words: tuple[str, ...], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.desktop.routes.open_desktop", lambda *_: pytest.fail("opened"))
    assert complaint(capsys, *words, "--screen")[0] == 2


def test_a_point_of_the_screen_is_in_units_of_the_mouse(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two pixels a unit, and beside a monitor at negative coordinates."""
    desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=5, pixel_ratio=2)
    shown = replace(desk.grab(), origin=ScreenPoint(-400, 100))
    monkeypatch.setattr(desk, "grab", lambda *_: shown)
    monkeypatch.setattr(desk, "monitors", lambda: (Monitor(-400, 100, 560, 640),))
    monkeypatch.setattr("bot.desktop.routes.open_desktop", lambda *_: desk.ports)
    assert run(capsys, "read", "--screen", "--near=-300,300")[0] == 0
    code, sentence = complaint(capsys, "read", "--screen", "--near=-401,300")
    assert (code, "is on no monitor" in sentence) == (2, True)


def test_a_screen_without_a_board_shows_what_helps_there(
    capsys: Capture, desktop: FaultyDesktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    blank = Frame(np.full((300, 300, 3), 90, np.uint8))
    monkeypatch.setattr(desktop, "grab", lambda *_: blank)
    for command in ("read", "advise"):
        code, sentence = complaint(capsys, command, "--screen")
        assert code == 3
        assert "Bring its window to the front" in sentence


@pytest.mark.slow
def test_a_board_that_is_printed_can_be_solved(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    """As in ``minebot read shot.png | minebot solve - --mines 10``."""
    _, (seen,), _ = run(capsys, "read", screenshot)
    for words in (("read", screenshot), ("advise", screenshot, "--candidates", "3")):
        assert main([str(word) for word in words]) == 0
        (tmp_path / "printed.txt").write_text(capsys.readouterr().out)
        printed = Board.from_text((tmp_path / "printed.txt").read_text())
        assert printed.text_rows() == seen["board"]


ALL_OPEN = (
    "0111112*1 13*21*211 *3*211100 122221100 002*3*111 112*4222* *213*22*3 *302*22*3 *2011112*"
)


def test_a_board_is_printed_even_if_it_does_not_show_who_won(
    capsys: Capture, tmp_path: Path
) -> None:
    """Some programs show the mines after a win, some open every cell after a loss."""
    frame, grid = drawn(ALL_OPEN)
    pixels = frame.pixels.copy()
    for row, col in np.argwhere(tiles(ALL_OPEN) == Tile.MINE).tolist():
        centre = grid.centre(Cell(row, col))
        cv2.circle(pixels, (round(centre.x), round(centre.y)), 8, (20, 20, 20), -1)
    picture = tmp_path / "end.png"
    save_picture(pixels, picture)
    code, (line,), _ = run(capsys, "read", picture)
    assert (code, line["error"], line["board"]) == (4, "StatusUnclear", ALL_OPEN.split())
    assert main(["read", str(picture)]) == 4
    printed = capsys.readouterr()
    assert Board.from_text(printed.out).text_rows() == ALL_OPEN.split()
    assert "won or lost" in printed.err
