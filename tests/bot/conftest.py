"""Fixtures of several folders, and no test depends on the settings or data of the user."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from bot.cli import main
from bot.desktop.ports import Desktop
from bot.terminal.pictures import save_picture
from calibration.calibration import calibrate
from solver.board import Cell, Tile
from solver.game import Status
from tests.bot.command_line import PLAY
from tests.calibration.drawing import drawn, tiles
from tests.simulated import FaultyDesktop

KEPT = Path(__file__).with_name("kept")
"""What commands and views showed, as texts."""

FIGURE = re.compile(r"(?<![\w.])-?\d+\.\d{4,}(?:e[-+]\d+)?")


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test empty folders for configuration and data; return the one above them."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setattr(
        "bot.commands.parsing.user_config_path", lambda name, **_: home / "config" / name
    )
    monkeypatch.setattr("bot.outputs.user_data_path", lambda name, **_: home / "data" / name)
    return home


@pytest.fixture(scope="session")
def screens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of screenshots: a half-played board, finished ones, and those that are refused."""
    folder = tmp_path_factory.mktemp("screens")
    desk = half_played()
    half = desk.grab().pixels
    x0, y0, x1, y1 = calibrate(desk.grab()).grid.bounds
    covered = half.copy()
    covered[y0 + 30 : (y0 + y1) // 2 + 20, x0 + 30 : (x0 + x1) // 2 + 30] = (200, 40, 120)
    frame, grid = drawn(ALL_OPEN)
    unclear = frame.pixels.copy()
    for row, col in np.argwhere(tiles(ALL_OPEN) == Tile.MINE).tolist():
        centre = grid.centre(Cell(row, col))
        cv2.circle(unclear, (round(centre.x), round(centre.y)), 8, (20, 20, 20), -1)
    pictures = {
        "half-played": half,
        "moved": np.roll(half, (-200, 300), axis=(0, 1)),
        "cut-off": half[:, : (x0 + x1) // 2],
        "covered": covered,
        "two-boards": np.concatenate([half, half], axis=1),
        "blank": np.full((1080, 1920, 3), 90, np.uint8),
        "large": FaultyDesktop(rows=16, cols=16, mines=40, seed=5).grab().pixels,
        "won": finished(lost=False).grab().pixels,
        "lost": finished(lost=True).grab().pixels,
        "all-open": unclear,
    }
    for name, pixels in pictures.items():
        save_picture(pixels, folder / f"{name}.png")
    return folder


ALL_OPEN = (
    "0111112*1 13*21*211 *3*211100 122221100 002*3*111 112*4222* *213*22*3 *302*22*3 *2011112*"
)
"""Some programs show the mines after a win, some open every cell after a loss."""


def half_played(**looks: Any) -> FaultyDesktop:
    """A desktop on which the middle of a beginner board was opened."""
    desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=5, **looks)
    desk.click(desk.cell_point(Cell(4, 4)))
    desk.clock.sleep(1)
    return desk


def finished(*, lost: bool) -> FaultyDesktop:
    """A desktop with a game at its end."""
    desk = half_played()
    mines = desk.game.mines
    assert mines is not None
    for cell in desk.game.board.cells():
        if bool(mines[cell]) == lost and desk.game.status is Status.PLAYING:
            desk.click(desk.cell_point(cell))
            desk.clock.sleep(0.2)
    desk.clock.sleep(2)
    return desk


@pytest.fixture(scope="session")
def screenshot(screens: Path) -> Path:
    """A half-played board on a simulated desktop."""
    return screens / "half-played.png"


@pytest.fixture
def on_screen(monkeypatch: pytest.MonkeyPatch) -> Callable[[FaultyDesktop | None], None]:
    """Have the commands find a simulated desktop as the real one; with None none may be opened."""

    def show(desk: FaultyDesktop | None) -> None:
        def open_desktop(*_: object) -> Desktop:
            assert desk is not None, "the screen was opened"
            return desk.ports

        monkeypatch.setattr("bot.desktop.routes.open_desktop", open_desktop)

    return show


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of two games of the simulated window, of which no test changes a file."""
    folder = tmp_path_factory.mktemp("recorded") / "session"
    words = [*PLAY, "--games", "2", "--seed", "2", "--json", "--record", str(folder)]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main(words) == 0
    return folder


@pytest.fixture
def compare(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the one that is kept by this name; ``--update`` keeps it.

    Figures have four digits: the last ones differ between processors.
    """

    def compare_with(name: str, text: str) -> None:
        file = KEPT / f"{name}.txt"
        text = FIGURE.sub(lambda figure: f"{float(figure[0]):.4g}", text)
        if request.config.getoption("--update"):
            file.write_text(text, "utf-8", newline="\n")
        kept = file.read_text("utf-8")
        assert text == kept, "if the difference is meant, keep it: pytest tests/bot --update"

    return compare_with
