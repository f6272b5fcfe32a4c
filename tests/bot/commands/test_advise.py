"""The command `advise`: the best move on a screenshot, and why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bot.terminal.pictures import save_picture
from calibration.images import load_image
from solver.board import Cell
from tests.bot.command_line import Capture, complaint, run, said
from tests.simulated import FaultyDesktop


@pytest.mark.slow
def test_advise_says_a_move_and_draws_the_risks(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "heat.png"
    code, (advice,), _ = run(capsys, "advise", screenshot, "--heatmap", picture, "--agent", "tank")
    assert code == 0
    assert advice["move"]["cell"] in advice["safe"]
    assert picture.stat().st_size > 1000


@pytest.mark.slow
def test_a_picture_that_gives_no_advice_is_an_object_or_a_sentence(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty.png"
    empty.touch()
    code, (trouble,), _ = run(capsys, "advise", empty)
    assert (code, trouble["error"]) == (2, "BadImage")
    code, (trouble,), _ = run(capsys, "advise", screenshot, "--mines", "72")
    assert (code, trouble["error"]) == (4, "InconsistentBoard")
    assert complaint(capsys, "read", empty) == (
        2,
        f"{empty} is empty: save the screenshot again.\n",
    )


def test_the_picture_of_the_risks_does_not_overwrite_the_screenshot(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "screen.png"
    copy.write_bytes(screenshot.read_bytes())
    code, message = complaint(capsys, "advise", copy, "--heatmap", copy)
    assert (code, copy.read_bytes()) == (2, screenshot.read_bytes())
    assert "would overwrite" in message


@pytest.mark.slow
def test_advise_explains_and_lists_certain_cells(
    capsys: Capture, screenshot: Path, tmp_path: Path
) -> None:
    _, (answer,), _ = run(capsys, "advise", screenshot, "--agent", "tank")
    row, col = answer["safe"][0]
    picture = tmp_path / "heat.png"
    code, text = said(
        capsys, "advise", screenshot, "--agent", "tank", "--why", f"{row + 1},{col + 1}",
        "--candidates", "2", "--heatmap", picture,
    )  # fmt: skip
    assert code == 0
    assert f"Certainly safe ({len(answer['safe'])}): row {row + 1}: column" in text
    assert f"Certainly mines ({len(answer['mines'])}): " in text
    assert f"Row {row + 1}, column {col + 1} is certainly safe: " in text
    assert picture.stat().st_size > 1000


@pytest.mark.slow
@pytest.mark.parametrize("end", ["won", "lost"])
def test_advise_says_that_a_game_is_over(capsys: Capture, tmp_path: Path, end: str) -> None:
    desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=5, skin="classic")
    desk.click(desk.cell_point(Cell(4, 4)))
    mines = desk.game.mines
    for cell in desk.game.board.cells():
        if bool(mines[cell]) == (end == "lost") and desk.game.status.value == "playing":
            desk.click(desk.cell_point(cell))
            desk.clock.sleep(0.2)
    desk.clock.sleep(2)
    path = tmp_path / "over.png"
    save_picture(desk.grab().pixels, path)
    code, text = said(capsys, "advise", path, "--agent", "tank", "--mines", "10")
    assert code == 0
    assert f"This game is {end}" in text


@pytest.mark.slow
def test_the_heat_map_of_a_lost_game_shows_no_moves(tmp_path: Path, capsys: Capture) -> None:
    desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=5)
    desk.click(desk.cell_point(Cell(4, 4)))
    desk.clock.sleep(1)
    game = desk.game
    assert game.mines is not None
    desk.click(desk.cell_point(Cell(*map(int, np.argwhere(game.mines)[0]))))
    desk.clock.sleep(1)
    shot, heat = tmp_path / "lost.png", tmp_path / "heat.png"
    save_picture(desk.grab().pixels, shot)
    code, said_too = said(capsys, "advise", shot, "--heatmap", heat)
    assert code == 0
    assert "This game is lost" in said_too
    pixels = load_image(heat).pixels.reshape(-1, 3).astype(int)
    ring = np.array((0, 60, 255))  # the colour of moves
    assert not (np.abs(pixels - ring).sum(axis=1) < 6).any(), "no move is ringed"
