"""Draw the moving picture of the README: a game in the simulated window, with the hints over it.

.venv/bin/python -m tests.bench.draw_demo docs/demo.webp
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from bot.terminal.board_text import frontier, heat
from bot.terminal.pictures import Canvas, Picture
from solver.agents import Decision, make_agent
from solver.analysis import analyse_likely
from solver.board import Board, Cell
from solver.game import Status
from tests.simulated import FaultyDesktop

ROWS, COLS, MINES, SEED = 16, 16, 40, 5
"""A game that the agent wins with a guess."""

WIDTH_PX = 720
HINTS_MS, CLICK_MS, END_MS = 900, 90, 2500
CLICKS_A_PICTURE, MOST_TURNS = 3, 100
CERTAIN_SAFE, CERTAIN_MINE = (0, 150, 60), (200, 30, 30)


def main() -> None:
    """Write the picture to the file that is named."""
    path = Path(sys.argv[1])
    pictures, times = [], []
    desk = FaultyDesktop(rows=ROWS, cols=COLS, mines=MINES, seed=SEED, scale=1.8)
    x0, y0, x1, y1 = map(round, desk.truth_grid().bounds)
    shown = np.s_[max(0, y0 - 150) : y1 + 90, max(0, x0 - 220) : x1 + 220]
    for whole, ms in drawn_game(desk):
        picture = whole[shown]
        height = round(picture.shape[0] * WIDTH_PX / picture.shape[1])
        small = cv2.resize(picture, (WIDTH_PX, height), interpolation=cv2.INTER_AREA)
        pictures.append(Image.fromarray(small))
        times.append(ms)
    pictures[0].save(
        path,
        save_all=True,
        append_images=pictures[1:],
        duration=times,
        loop=0,
        quality=70,
        method=3,
    )
    print(f"{path}: {len(pictures)} pictures, {path.stat().st_size / 1e3:.0f} kB")


def drawn_game(desk: FaultyDesktop) -> Iterator[tuple[Picture, int]]:
    """Play a game; yield each picture, and how long it is shown in milliseconds."""
    agent = make_agent("deep")
    for _ in range(MOST_TURNS):
        if desk.game.status is not Status.PLAYING:
            break
        board = desk.game.board
        decision = agent.decide(board)
        if board.open.any():
            yield with_hints(desk, board, decision), HINTS_MS
        for number, move in enumerate(decision.moves, start=1):
            desk.click(desk.cell_point(move.cell))
            desk.clock.sleep(0.3)
            if number % CLICKS_A_PICTURE == 0 or number == len(decision.moves):
                yield desk.grab().pixels, CLICK_MS
    yield desk.grab().pixels, END_MS


def with_hints(desk: FaultyDesktop, board: Board, decision: Decision) -> Picture:
    """Draw what is certain and all risks beside numbers over the window, as watch does."""
    frame, grid = desk.grab(), desk.truth_grid()
    canvas = Canvas(frame, grid, margin_tiles=0.0)
    analysis = analyse_likely(board)
    for row, col in np.argwhere(frontier(board)).tolist():
        cell = Cell(row, col)
        risk = float(analysis.probabilities[cell])
        colour = {0.0: CERTAIN_SAFE, 1.0: CERTAIN_MINE}.get(risk, heat(risk))
        canvas.tint(cell, colour, 0.6)
    for move in decision.moves:
        canvas.ring(move.cell, (0, 60, 255) if decision.certain else (255, 120, 0))
    picture, box = frame.pixels.copy(), canvas.box
    size = (box.x1 - box.x0, box.y1 - box.y0)
    picture[box.y0 : box.y1, box.x0 : box.x1] = cv2.resize(canvas.pixels, size)
    return picture


if __name__ == "__main__":
    main()
