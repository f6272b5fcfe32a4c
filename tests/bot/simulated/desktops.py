"""Small simulated desktops, and games played on them."""

from __future__ import annotations

import numpy as np

from solver.board import Cell
from solver.game import Rule, Status
from tests.simulated import FaultyDesktop


def desktop(**changes: object) -> FaultyDesktop:
    settings: dict[str, object] = {
        "rows": 9,
        "cols": 9,
        "mines": 10,
        "rule": Rule.ZERO,
        "screen_size": (800, 600),
        "windows": (),
        **changes,
    }
    return FaultyDesktop(**settings)  # type: ignore[arg-type]


def settle(desk: FaultyDesktop) -> None:
    desk.clock.sleep(1.0)
    desk.grab()


def open_cell(desk: FaultyDesktop, row: int, col: int) -> None:
    desk.click(desk.cell_point(Cell(row, col)))
    settle(desk)


def win(desk: FaultyDesktop) -> None:
    open_cell(desk, 4, 4)
    assert desk.game.mines is not None
    for row, col in np.argwhere(~desk.game.mines).tolist():
        if desk.game.status is Status.PLAYING:
            desk.click(desk.cell_point(Cell(row, col)))


def lose(desk: FaultyDesktop) -> None:
    open_cell(desk, 4, 4)
    assert desk.game.mines is not None
    row, col = np.argwhere(desk.game.mines)[0].tolist()
    desk.click(desk.cell_point(Cell(row, col)))
