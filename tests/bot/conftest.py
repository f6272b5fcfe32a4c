"""Fixtures of several folders, and no test depends on the settings or data of the user."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.terminal.pictures import save_picture
from solver.board import Cell
from tests.simulated import FaultyDesktop

KEPT = Path(__file__).with_name("kept")
"""What commands and views showed, as texts."""


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
def screenshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A half-played board on a simulated desktop."""
    desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=5)
    desk.click(desk.cell_point(Cell(4, 4)))
    desk.clock.sleep(1)
    path = tmp_path_factory.mktemp("screens") / "half-played.png"
    save_picture(desk.grab().pixels, path)
    return path


@pytest.fixture
def compare(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the one that is kept by this name; ``--update`` keeps it."""

    def compare_with(name: str, text: str) -> None:
        file = KEPT / f"{name}.txt"
        if request.config.getoption("--update"):
            file.write_text(text, "utf-8", newline="\n")
        kept = file.read_text("utf-8")
        assert text == kept, "if the difference is meant, keep it: pytest tests/bot --update"

    return compare_with


@pytest.fixture
def certain(tmp_path: Path) -> Path:
    """A board on which every hidden cell is certain, with two mines."""
    path = tmp_path / "certain.txt"
    path.write_text("###\n121\n000\n")
    return path
