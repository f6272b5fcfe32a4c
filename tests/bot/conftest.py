"""Fixtures of several folders, and no test depends on the settings or data of the user."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.terminal.pictures import save_picture
from solver.board import Cell
from tests.simulated import FaultyDesktop


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test empty folders for configuration and data; return the one above them."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setattr(
        "bot.commands.config.user_config_path", lambda name, **_: home / "config" / name
    )
    monkeypatch.setattr("bot.outputs.user_data_path", lambda name, **_: home / "data" / name)
    return home


def half_played() -> NDArray[np.uint8]:
    """Return a picture of a half-played board on a simulated desktop."""
    desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=5)
    desk.click(desk.cell_point(Cell(4, 4)))
    desk.clock.sleep(1)
    return desk.grab().pixels


@pytest.fixture(scope="session")
def screenshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The picture of a half-played board."""
    path = tmp_path_factory.mktemp("screens") / "half-played.png"
    save_picture(half_played(), path)
    return path


@pytest.fixture
def certain(tmp_path: Path) -> Path:
    """A board on which every hidden cell is certain, with two mines."""
    path = tmp_path / "certain.txt"
    path.write_text("###\n121\n000\n")
    return path
