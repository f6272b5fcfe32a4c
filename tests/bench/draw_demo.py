"""Draw the moving pictures of the README.

    python -m tests.bench.draw_demo docs/demo.webp              a game in the simulated window
    python -m tests.bench.draw_demo docs/watch.webp --overlay   a person's game beside ``watch``

The second one is filmed: on an X server of its own a script plays the page of these tests in
Chromium, while ``minebot watch --overlay`` draws on it.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
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
from tests.bench.overlay_games import on
from tests.bench.series import parser
from tests.live.desk import Desk, open_camera
from tests.live.hinted import CleanDesk
from tests.live.person import Person, Watch
from tests.simulated import FaultyDesktop

ROWS, COLS, MINES, SEED = 16, 16, 40, 5
"""A game that the agent wins with a guess."""

WIDTH_PX = 720
HINTS_MS, CLICK_MS, END_MS = 900, 90, 2500
CLICKS_A_PICTURE, MOST_TURNS = 3, 100
CERTAIN_SAFE, CERTAIN_MINE = (0, 150, 60), (200, 30, 30)

LOOK, CLICKS, PAUSE_S = "flat", 14, 0.7
FRAME_S, LONGEST_MS = 0.1, 700


def main() -> None:
    """Write the picture to the file that is named."""
    arguments = parser(__doc__, overlay=False)
    arguments.add_argument("file", type=Path)
    options = arguments.parse_args()
    shown = [*(filmed_game() if options.overlay else drawn_game())]
    pictures = [Image.fromarray(fitted(picture)) for picture, _ in shown]
    pictures[0].save(
        options.file,
        save_all=True,
        append_images=pictures[1:],
        duration=[ms for _, ms in shown],
        loop=0,
        quality=70,
        method=3,
    )
    print(f"{options.file}: {len(pictures)} pictures, {options.file.stat().st_size / 1e3:.0f} kB")


def fitted(picture: Picture) -> Picture:
    """Make a picture at most `WIDTH_PX` wide."""
    if picture.shape[1] <= WIDTH_PX:
        return picture
    size = (WIDTH_PX, round(picture.shape[0] * WIDTH_PX / picture.shape[1]))
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA)


def drawn_game() -> Iterator[tuple[Picture, int]]:
    """Play a game; yield each picture, and how long it is shown in milliseconds."""
    desk = FaultyDesktop(rows=ROWS, cols=COLS, mines=MINES, seed=SEED, scale=1.8)
    x0, y0, x1, y1 = map(round, desk.truth_grid().bounds)
    shown = np.s_[max(0, y0 - 150) : y1 + 90, max(0, x0 - 220) : x1 + 220]
    agent = make_agent("deep")
    for _ in range(MOST_TURNS):
        if desk.game.status is not Status.PLAYING:
            break
        board = desk.game.board
        decision = agent.decide(board)
        if board.open.any():
            yield with_hints(desk, board, decision)[shown], HINTS_MS
        for number, move in enumerate(decision.moves, start=1):
            desk.click(desk.cell_point(move.cell))
            desk.clock.sleep(0.3)
            if number % CLICKS_A_PICTURE == 0 or number == len(decision.moves):
                yield desk.grab().pixels[shown], CLICK_MS
    yield desk.grab().pixels[shown], END_MS


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


def filmed_game() -> Iterator[tuple[Picture, int]]:
    """Film a game that a script plays beside ``watch --overlay``; yield as `drawn_game` does."""
    with (
        Desk() as desk,
        on(desk, LOOK, "intermediate") as (running, _),
        tempfile.TemporaryDirectory() as folder,
        closing(CleanDesk(desk, running.window)) as clean,
        closing(Watch(running, Path(folder, "session"), "--overlay", "--mines", "40")) as watch,
    ):
        person = Person(running._replace(desk=clean), SEED)
        with ThreadPoolExecutor() as camera:
            over = threading.Event()
            filmed = camera.submit(record, desk, running.window, over)
            for _ in range(CLICKS):
                person.click_well()
                time.sleep(PAUSE_S)
            over.set()
        watch.interrupt()
        watch.end()
    film = filmed.result()
    for (at, picture), (until, _) in pairwise(film):
        yield picture, min(LONGEST_MS, round(1000 * (until - at)))
    yield film[-1][1], END_MS


def record(desk: Desk, window: int, over: threading.Event) -> list[tuple[float, Picture]]:
    """Grab a window with hints and pointer until ``over``; return each new picture and its time."""
    left, top, width, height = desk.geometry(window)
    area = {"left": left, "top": top, "width": width, "height": height}
    film: list[tuple[float, Picture]] = []
    with open_camera(desk.env["DISPLAY"], with_cursor=True) as camera:
        while not over.wait(FRAME_S):
            shot = camera.grab(area)
            picture = np.frombuffer(shot.rgb, np.uint8).reshape(height, width, 3)
            if not film or not np.array_equal(film[-1][1], picture):
                film.append((time.monotonic(), picture))
    return film


if __name__ == "__main__":
    main()
