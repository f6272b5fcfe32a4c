"""Small simulated desktops, and games played on them."""

from __future__ import annotations

import numpy as np

from bot.simulated import SimulatedDesktop
from solver.board import Cell
from solver.game import Rule, Status


def desktop(**changes: object) -> SimulatedDesktop:
    settings: dict[str, object] = {
        "rows": 9,
        "cols": 9,
        "mines": 10,
        "rule": Rule.ZERO,
        "screen_size": (800, 600),
        "windows": (),
        **changes,
    }
    return SimulatedDesktop(**settings)  # type: ignore[arg-type]


def settle(desk: SimulatedDesktop) -> None:
    desk.clock.sleep(1.0)
    desk.grab()


def open_cell(desk: SimulatedDesktop, row: int, col: int) -> None:
    desk.click(desk.cell_point(Cell(row, col)))
    settle(desk)


def win(desk: SimulatedDesktop) -> None:
    open_cell(desk, 4, 4)
    assert desk.game.mines is not None
    for row, col in np.argwhere(~desk.game.mines).tolist():
        if desk.game.status is Status.PLAYING:
            desk.click(desk.cell_point(Cell(row, col)))


def lose(desk: SimulatedDesktop) -> None:
    open_cell(desk, 4, 4)
    assert desk.game.mines is not None
    row, col = np.argwhere(desk.game.mines)[0].tolist()
    desk.click(desk.cell_point(Cell(row, col)))
