"""The pictures of the gate: labelled screenshots, games of simulated windows, boards by chance.

Each is named by the columns ``picture``, ``change`` and ``seed`` of ``fixtures/gate/answers.csv``:

* a path below ``fixtures/`` without its ending, which may be changed: ``scale 0.8``, ``shrink 11``
  (to so many pixels a tile),
  ``brighter 20``, a name of `SHIFTS`, ``jpeg 75``, ``crop 3`` (to the board and so many pixels
  around it), ``pointer`` (over a tile drawn by the seed), ``cover 0.3`` (so much of each side, at a
  place drawn by it), ``cut left 0.5`` (the picture ends half a tile inside the board),
  ``bar left 0.5`` (a bar at the edge of the picture covers half a tile), ``panel left 2`` (a panel
  in the page covers two tiles);
* ``window SKIN``: a whole game on a simulated desktop, seen after every click, in tiles of the
  usual size or of that of ``tile 40``;
* ``drawn STAGE``: a board in a random theme, at a random moment of a game, by the seed; its tiles
  have the size of ``tile 22.5`` or ``tile 40x30``;
* ``sketch NAME``: a board in a theme that no program here has, see `tests.calibration.sketches`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from solver.board import Board, Cell
from solver.game import Game, Rule, Status
from tests.calibration.screens import Screen, with_pointer
from tests.calibration.sketches import INKS, drawn, moments
from tests.simulated import FaultyDesktop

ROOT = Path(__file__).parents[2] / "fixtures"

Pixels = NDArray[np.uint8]
Values = NDArray[np.float64]


SHIFTS: dict[str, Callable[[Values], Values] | list[tuple[float, float, float]]] = {
    "inverted": lambda x: 1 - x,
    "negative": lambda x: 1 - x,
    "tone 0.7": lambda x: x**0.7,
    "tone 1.5": lambda x: x**1.5,
    "projector": lambda x: 0.24 + 0.65 * x,
    "tone of HDR": lambda x: 1.25 * x / (x + 0.25),
    "night light": [(1, 0, 0), (0, 0.82, 0), (0, 0, 0.55)],
    "strong night light": [(1, 0, 0), (0, 0.65, 0), (0, 0, 0.3)],
    "no colours": [(0.299, 0.587, 0.114)] * 3,
    "deuteranopia": [(0.625, 0.375, 0), (0.7, 0.3, 0), (0, 0.3, 0.7)],
}
"""Screens whose colours something shifts: a tone curve, or how the channels of a pixel are mixed.
All pixels change alike: tiles that differ still differ, though no theme fits. ``inverted`` is a
scheme of themes, so that the program must be known, too; ``negative`` is read only."""


@dataclass(frozen=True)
class Shown:
    """One frame and what it shows.

    ``opened`` and ``flagged`` were clicked before it. The calibration must have the place, and of a
    ``screen`` the program and the total.
    """

    frame: Frame
    board: Board
    status: Status
    grid: Grid | None = None
    opened: Sequence[Cell] = ()
    flagged: Sequence[Cell] = ()
    screen: Screen | None = None


def frames_of(picture: str, change: str, seed: int) -> Iterator[Shown]:
    """Yield the pictures of one game, one after another."""
    kind, _, which = picture.partition(" ")
    if kind == "window":
        yield from _window(which, seed, change)
    elif kind == "sketch":
        for one in moments(which):
            yield Shown(one.frame, one.board, one.status, one.grid, one.opened, one.flagged)
    elif kind == "drawn":
        game = _moment(np.random.default_rng(seed), which)
        frame, grid = draw(game.board, np.random.default_rng(seed + 1), change)
        yield Shown(frame, game.board, game.status, grid)
    else:
        screen = Screen.load(ROOT / f"{picture}.json")
        frame = changed(screen, change, seed) if change else screen.frame()
        kept = ("", "brighter", "inverted", "pointer")
        same = change.partition(" ")[0] in kept and not screen.cover
        shown = Shown(frame, screen.board, Status(screen.status))
        yield replace(shown, grid=screen.grid, screen=screen) if same else shown


def changed(screen: Screen, change: str, seed: int) -> Frame:
    """Return a screenshot as something else would have taken it, or as something lies over it."""
    rng, pixels = np.random.default_rng(seed), screen.frame().pixels
    how, _, amount = change.partition(" ")
    x0, y0, x1, y1 = screen.grid.bounds
    if how in ("scale", "brighter"):
        factor, light = (float(amount), 0) if how == "scale" else (1.0, int(amount))
        return screen.varied(scale=factor, brighter=light)[0]
    if how == "shrink":
        share = int(amount) / screen.grid.tile_w
        small = cv2.resize(pixels, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        return Frame(np.asarray(small, np.uint8))
    if change in SHIFTS:
        values, old = SHIFTS[change], pixels / 255
        new = values(old) if callable(values) else old @ np.array(values).T
        return Frame(np.asarray(np.rint(255 * np.clip(new, 0, 1)), np.uint8))
    if how == "jpeg":
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(amount)]
        packed = cv2.imencode(".jpg", pixels[..., ::-1], quality)[1]
        unpacked = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
        return Frame(np.ascontiguousarray(unpacked[..., ::-1]))
    if how == "crop":
        around = int(amount)
        box = np.s_[max(0, y0 - around) : y1 + around, max(0, x0 - around) : x1 + around]
        return Frame(np.ascontiguousarray(pixels[box]))
    if how == "pointer":
        cell = Cell(int(rng.integers(screen.grid.rows)), int(rng.integers(screen.grid.cols)))
        return with_pointer(screen, cell)
    if how in ("cut", "bar", "panel"):
        return Frame(_ended(screen, how, *amount.split()))
    assert how == "cover", change
    width, height = (round(float(amount) * side) for side in (x1 - x0, y1 - y0))
    x, y = int(rng.integers(x0, x1 - width)), int(rng.integers(y0, y1 - height))
    covered = pixels.copy()
    cv2.rectangle(covered, (x, y), (x + width, y + height), (250, 250, 240), cv2.FILLED)
    cv2.rectangle(covered, (x, y), (x + width, y + height), (90, 90, 90), 2)
    cv2.putText(covered, "Saved", (x + 9, y + height // 2 + 9), 2, 0.8, (20, 20, 20), 1, 16)
    return Frame(covered)


def _ended(screen: Screen, how: str, side: str, tiles: str) -> Pixels:
    """Return a picture whose edge, or something in it, hides so many tiles of a side."""
    pixels, (x0, y0, x1, y1) = screen.frame().pixels.copy(), screen.grid.bounds
    across = side in ("left", "right")
    start, end = (x0, x1) if across else (y0, y1)
    pitch = screen.grid.tile_w if across else screen.grid.tile_h
    hidden, beyond = round(float(tiles) * pitch), round(pitch)
    beyond = beyond if how == "panel" else max(pixels.shape)
    part = slice(end - hidden, end + beyond)
    if side in ("left", "top"):
        part = slice(max(0, start - beyond), start + hidden)
    if how == "cut":
        return np.ascontiguousarray(np.delete(pixels, part, int(across)))
    (pixels.swapaxes(0, 1) if across else pixels)[part] = (40, 90, 160)
    return pixels


def _window(skin: str, seed: int, size: str) -> Iterator[Shown]:
    """Play one game: mostly safe cells, and a mine at the end if the seed is odd."""
    rng = np.random.default_rng(seed)
    side = int(size.removeprefix("tile ")) if size else None
    desk = FaultyDesktop(
        rows=9, cols=9, mines=10, rule=Rule.ZERO, seed=seed, skin=skin, tile_px=side
    )

    def shown(*opened: Cell) -> Shown:
        desk.clock.sleep(3)
        board, grid = Board(desk.truth_tiles(), 10), desk.truth_grid()
        return Shown(desk.grab(), board, desk.game.status, grid, opened)

    yield shown()
    cell = Cell(*map(int, rng.integers(2, 7, 2)))
    while desk.game.status is Status.PLAYING:
        desk.click(desk.cell_point(cell))
        yield shown(cell)
        mines = desk.game.mines
        assert mines is not None
        hidden = desk.game.board.hidden_cells()
        lose = seed % 2 and len(hidden) < 25
        cells = [near for near in hidden if mines[near] == bool(lose)]
        cell = cells[int(rng.integers(len(cells)))] if cells else cell


def _moment(rng: np.random.Generator, stage: str) -> Game:
    """Play a game to a stage: ``fresh``, ``play``, ``won`` or ``lost``."""
    rows, cols = int(rng.integers(8, 17)), int(rng.integers(8, 25))
    mines = round(rows * cols * rng.uniform(0.12, 0.21))
    game = Game.random(rows, cols, mines, rule=Rule.ZERO, seed=int(rng.integers(2**31)))
    if stage == "fresh":
        return game
    game.open(Cell(rows // 2, cols // 2))
    truth = game.mines
    assert truth is not None
    least = 0 if stage == "won" else rng.uniform(0.2, 0.6) * (rows * cols - mines)
    while game.status is Status.PLAYING and game.board.covered.sum() - mines > least:
        safe = [cell for cell in game.board.hidden_cells() if not truth[cell]]
        game.open(safe[int(rng.integers(len(safe)))])
    flags = rng.random() < 0.5 and stage != "won"
    hit = [cell for cell in game.board.hidden_cells() if truth[cell]]
    for cell in hit[1::3] if flags else ():
        game.flag(cell)
    if stage == "lost":
        game.open(hit[0])
    return game


def draw(board: Board, rng: np.random.Generator, size: str = "") -> tuple[Frame, Grid]:
    """Draw a board in a random theme, with words below it."""
    side, gap = int(rng.integers(18, 45)), int(rng.integers(0, 4))
    given = [float(one) for one in size.removeprefix("tile ").split("x") if one] or [side]
    tile, side = [given[0], given[-1]], round(min(given))
    page, hidden = (int(rng.integers(60, 256)) for _ in range(2))
    opened = int(np.clip(hidden + rng.choice([-1, 1]) * rng.integers(40, 90), 0, 255))
    tint = rng.uniform(0.85, 1.0, 3)
    top, left = int(rng.integers(60, 120)), int(rng.integers(30, 90))
    lines, bevel = page + (60 if page < 128 else -60), rng.random() < 0.5
    dark = (20, 20, 30) if opened > 128 else (240, 240, 230)
    usual = rng.random() < 0.6 and opened > 150

    def tinted(grey: float) -> tuple[int, ...]:
        return tuple(np.clip(np.rint(grey * tint), 0, 255).astype(int).tolist())

    edges = [tinted(hidden + 45), tinted(0.6 * hidden), max(1, side // 10)]
    style = {
        "tile": tile, "inner": [one - (gap or 1 - bevel) for one in tile], "margin": [left, top],
        "page": (page,) * 3, "between": (lines,) * 3, "frame": 2, "words": "Minesweeper",
        "hidden": tinted(hidden), "opened": tinted(opened), "bevel": edges if bevel else [],
        "ink": INKS if usual else [dark] * 8, "scale": side / 36, "thick": max(1, side // 14),
    }  # fmt: skip
    return drawn(list(board.text_rows()), style)


@cache
def names(folder: str) -> tuple[str, ...]:
    """List the labelled screenshots of boards in a folder, as the table names them."""
    found = []
    for label in sorted((ROOT / folder).rglob("*.json")):
        if '"state"' in label.read_text("utf-8"):
            found.append(label.relative_to(ROOT).with_suffix("").as_posix())
    return tuple(found)
