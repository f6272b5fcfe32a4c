"""The commands `read` and `advise`: what their transcripts do not show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bot.cli import main
from bot.desktop.ports import Monitor
from bot.terminal.pictures import save_picture
from calibration.calibration import Calibration
from calibration.grid import Grid, ScreenPoint
from calibration.images import load_image
from calibration.theme import LEARNED, Theme
from tests.bot.command_line import Capture, complaint, run, said
from tests.bot.conftest import half_played
from tests.simulated import FaultyDesktop

Show = Callable[[FaultyDesktop | None], None]

MOVE_COLOUR = (0, 60, 255)


@pytest.mark.slow
def test_every_tile_is_explained_once_and_help_names_the_cues(
    capsys: Capture, screenshot: Path
) -> None:
    _, (answer,), _ = run(capsys, "read", screenshot, "--explain")
    board = [row.replace(".", "0") for row in answer["board"]]
    cells = [tuple(cell) for one in answer["explain"] for cell in one["cells"]]
    assert sorted(cells) == [(row, col) for row in range(9) for col in range(9)]
    reported = said(capsys, "read", "--help")[1]
    assert "log-likelihood" in reported
    for one in answer["explain"]:
        assert {board[row][col] for row, col in one["cells"]} == {one["tile"].replace(".", "0")}
        assert one["rival"] != one["tile"]
        assert [name for name in one["witnesses"] if f"'{name}'" not in reported] == []
    row, col = answer["explain"][0]["cells"][-1]
    _, (asked,), _ = run(capsys, "read", screenshot, "--explain", f"{row + 1},{col + 1}")
    assert asked["explain"][0]["cells"][0] == [row, col], "the one that was asked for is first"


def test_too_many_kinds_of_tiles_are_no_reason_to_leave_out_the_next_picture(
    capsys: Capture, tmp_path: Path
) -> None:
    side, px, rim = 34, 20, 40
    cells = np.full((side, side, px, px, 3), 200, np.uint8)
    cells[..., 0, :, :] = cells[..., 0, :] = 255
    cells[..., -1, :, :] = cells[..., -1, :] = 90
    random = np.random.default_rng(0)
    cells[..., 5:15, 5:15, :] = random.integers(0, 256, (side, side, 10, 10, 3), np.uint8)
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
@pytest.mark.parametrize("end", ["won", "lost"])
def test_the_heat_map_of_a_finished_game_shows_no_moves(
    end: str, screens: Path, tmp_path: Path, capsys: Capture
) -> None:
    heat = tmp_path / "heat.png"
    for shot, moves in ((screens / f"{end}.png", False), (screens / "half-played.png", True)):
        assert said(capsys, "advise", shot, "--agent", "tank", "--heatmap", heat, "--force")[0] == 0
        pixels = load_image(heat).pixels.reshape(-1, 3).astype(int)
        ringed = (np.abs(pixels - MOVE_COLOUR).sum(axis=1) < 6).any()
        assert ringed == moves


# ---- the screen ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_screen_is_read_as_a_file_is(
    capsys: Capture, on_screen: Show, screenshot: Path, tmp_path: Path
) -> None:
    on_screen(half_played())
    for words in (("read",), ("advise", "--near", "300,300", "--candidates", "2")):
        answers = [run(capsys, *words, one)[:2] for one in ("--screen", screenshot)]
        for code, (answer,) in answers:
            assert code == 0
            answer.pop("image", None), answer.pop("ms")
        assert answers[0] == answers[1]
    assert main(["read", "--screen", "--overlay", str(tmp_path)]) == 0
    assert (tmp_path / "screen.png").exists()


def test_a_point_of_the_screen_is_in_units_of_the_mouse(
    capsys: Capture, on_screen: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two pixels a unit, and beside a monitor at negative coordinates."""
    desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=5, pixel_ratio=2)
    shown = replace(desk.grab(), origin=ScreenPoint(-400, 100))
    monkeypatch.setattr(desk, "grab", lambda *_: shown)
    monkeypatch.setattr(desk, "monitors", lambda: (Monitor(-400, 100, 560, 640),))
    on_screen(desk)
    assert run(capsys, "read", "--screen", "--near=-300,300")[0] == 0
    code, sentence = complaint(capsys, "read", "--screen", "--near=-401,300")
    assert (code, "is on no monitor" in sentence) == (2, True)


@pytest.mark.parametrize("command", ["read", "advise"])
def test_a_screen_without_a_board_shows_what_helps_there(
    command: str, capsys: Capture, on_screen: Show
) -> None:
    desk = FaultyDesktop(rows=9, cols=9, mines=10, windows=())
    desk.minimise()
    on_screen(desk)
    code, sentence = complaint(capsys, command, "--screen")
    assert (code, "Bring its window to the front" in sentence) == (3, True)
