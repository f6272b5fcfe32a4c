"""The pictures of the gate: labelled screenshots, games of simulated windows, boards by chance.

Each is named by the columns ``picture``, ``change`` and ``seed`` of ``fixtures/gate/answers.csv``:

* a path below ``fixtures/`` without its ending, which may be changed: ``scale 0.8``,
  ``brighter 20``, a name of `SHIFTS`, ``jpeg 75``, ``crop 3`` (to the board and so many pixels
  around it), ``pointer`` (over a tile drawn by the seed), ``cover 0.3`` (so much of each side, at a
  place drawn by it), ``cut left 0.5`` (the picture ends half a tile inside the board),
  ``bar left 0.5`` (a bar at the edge of the picture covers half a tile), ``panel left 2`` (a panel
  in the page covers two tiles);
* ``window SKIN``: a whole game on a simulated desktop, seen after every click;
* ``drawn STAGE``: a board in a random theme, at a random moment of a game, by the seed;
* ``sketch NAME``: a board in a theme that no program here has, see `tests.calibration.sketches`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from solver.board import Board, Cell, Tile
from solver.game import Game, Rule, Status
from tests.calibration.screens import Screen, with_pointer
from tests.calibration.sketches import moments
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

    ``opened`` and ``flagged`` were clicked before it. The calibration must have the place and the
    program of ``screen``.
    """

    frame: Frame
    board: Board
    status: Status
    opened: Sequence[Cell] = ()
    flagged: Sequence[Cell] = ()
    screen: Screen | None = None


def frames_of(picture: str, change: str, seed: int) -> Iterator[Shown]:
    """Yield the pictures of one game, one after another."""
    kind, _, which = picture.partition(" ")
    if kind == "window":
        yield from _window(which, seed)
    elif kind == "sketch":
        for one in moments(which):
            yield Shown(one.frame, one.board, one.status, one.opened, one.flagged)
    elif kind == "drawn":
        game = _moment(np.random.default_rng(seed), which)
        frame = draw(game.board, np.random.default_rng(seed + 1))
        yield Shown(frame, game.board, game.status)
    else:
        screen = Screen.load(ROOT / f"{picture}.json")
        frame = changed(screen, change, seed) if change else screen.frame()
        same = change.partition(" ")[0] in ("", "brighter", "inverted") and not screen.cover
        yield Shown(frame, screen.board, Status(screen.status), screen=screen if same else None)


def changed(screen: Screen, change: str, seed: int) -> Frame:
    """Return a screenshot as something else would have taken it, or as something lies over it."""
    rng, pixels = np.random.default_rng(seed), screen.frame().pixels
    how, _, amount = change.partition(" ")
    x0, y0, x1, y1 = screen.grid.bounds
    if how in ("scale", "brighter"):
        factor, light = (float(amount), 0) if how == "scale" else (1.0, int(amount))
        return screen.varied(scale=factor, brighter=light)[0]
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


def _window(skin: str, seed: int) -> Iterator[Shown]:
    """Play one game: mostly safe cells, and a mine at the end if the seed is odd."""
    rng = np.random.default_rng(seed)
    desk = FaultyDesktop(rows=9, cols=9, mines=10, rule=Rule.ZERO, seed=seed, skin=skin)

    def shown(*opened: Cell) -> Shown:
        desk.clock.sleep(3)
        return Shown(desk.grab(), Board(desk.truth_tiles(), 10), desk.game.status, opened)

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


def draw(board: Board, rng: np.random.Generator) -> Frame:
    """Draw a board in a random theme, on a page with a heading."""
    side, gap = int(rng.integers(18, 45)), int(rng.integers(0, 4))
    page, hidden = (int(rng.integers(60, 256)) for _ in range(2))
    opened = int(np.clip(hidden + rng.choice([-1, 1]) * rng.integers(40, 90), 0, 255))
    tint = rng.uniform(0.85, 1.0, 3)
    top, left = int(rng.integers(60, 120)), int(rng.integers(30, 90))
    shape = (2 * top + board.rows * side, 2 * left + board.cols * side, 3)
    pixels = np.full(shape, page, np.uint8)
    cv2.putText(pixels, "Minesweeper", (left, top - 25), 2, 0.9, (255 - page,) * 3, 1, 16)
    frame = page + (60 if page < 128 else -60)
    box = (left - 2, top - 2), (left + board.cols * side + 1, top + board.rows * side + 1)
    cv2.rectangle(pixels, *box, (frame,) * 3, cv2.FILLED)
    bevel = rng.random() < 0.5
    inks = _inks(rng, opened)
    for cell in board.cells():
        x, y = left + cell.col * side, top + cell.row * side
        tile = pixels[y + gap : y + side, x + gap : x + side]
        shown = board[cell]
        colour = (opened if shown >= 0 or shown == Tile.MINE else hidden) * tint
        tile[:] = (255, 60, 60) if shown == Tile.EXPLODED else colour
        if bevel and shown in (Tile.HIDDEN, Tile.FLAG, Tile.WRONG_FLAG):
            edge = max(1, side // 10)
            tile[:edge], tile[:, :edge] = np.clip(colour + 45, 0, 255), np.clip(colour + 45, 0, 255)
            tile[-edge:], tile[:, -edge:] = colour * 0.6, colour * 0.6
        elif gap == 0:
            tile[:1], tile[:, :1] = frame, frame
        _draw_symbol(tile, shown, inks)
    return Frame(pixels)


def _inks(rng: np.random.Generator, ground: int) -> list[tuple[int, int, int]]:
    """Draw the colours of the numbers: the usual ones, or one for all."""
    usual = [(0, 0, 255), (0, 128, 0), (255, 0, 0), (0, 0, 128), (128, 0, 0), (0, 128, 128)]
    dark = (20, 20, 30) if ground > 128 else (240, 240, 230)
    return [*usual, dark, (110, 110, 110)] if rng.random() < 0.6 and ground > 150 else [dark] * 8


def _draw_symbol(tile: Pixels, shown: int, inks: list[tuple[int, int, int]]) -> None:
    """Draw a number, a flag, a wrong flag or a mine into the middle of a tile."""
    height, width = tile.shape[:2]
    x, y, size = width // 2, height // 2, min(height, width)
    if shown > 0:
        scale, thick = size / 36, max(1, size // 14)
        (wide, high), _ = cv2.getTextSize(str(shown), 2, scale, thick)
        place = x - wide // 2, y + high // 2
        cv2.putText(tile, str(shown), place, 2, scale, inks[shown - 1], thick, 16)
    if shown in (Tile.FLAG, Tile.WRONG_FLAG):
        cloth = np.array([(-0.15, -0.3), (0.25, -0.12), (-0.15, 0.05)]) * size + (x, y)
        cv2.fillPoly(tile, [np.rint(cloth).astype(np.int32)], (220, 20, 20), cv2.LINE_AA)
        foot = round(x - 0.15 * size)
        cv2.line(tile, (foot, round(y - 0.3 * size)), (foot, round(y + 0.3 * size)), (20,) * 3, 2)
    if shown in (Tile.MINE, Tile.EXPLODED):
        cv2.circle(tile, (x, y), round(0.24 * size), (15, 15, 15), -1, cv2.LINE_AA)
        for dx, dy in ((0.36, 0), (0, 0.36), (0.25, 0.25), (0.25, -0.25)):
            one = round(x - dx * size), round(y - dy * size)
            other = round(x + dx * size), round(y + dy * size)
            cv2.line(tile, one, other, (15, 15, 15), max(1, size // 16), cv2.LINE_AA)
    if shown == Tile.WRONG_FLAG:
        reach = round(0.3 * size)
        for sign in (-1, 1):
            one, other = (x - reach, y - sign * reach), (x + reach, y + sign * reach)
            cv2.line(tile, one, other, (10, 10, 10), max(2, size // 12), cv2.LINE_AA)


@cache
def names(folder: str) -> tuple[str, ...]:
    """List the labelled screenshots of boards in a folder, as the table names them."""
    found = []
    for label in sorted((ROOT / folder).rglob("*.json")):
        if '"state"' in label.read_text("utf-8"):
            found.append(label.relative_to(ROOT).with_suffix("").as_posix())
    return tuple(found)
