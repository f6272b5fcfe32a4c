"""Boards in themes that no program here has, sketched in ``fixtures/gate/sketches.toml``.

A sketch is a table of that file, by its name, over the values of the one that ``like`` names:

* ``frames``: the board in one moment after another. Rows stand side by side; ``#`` is left out at
  their ends, and rows of nothing else at the end of the board. After them may follow ``@1,2`` and
  ``!1,2``, cells that were opened and flagged by a click before, and ``=won`` or ``=lost``;
* ``size``: rows and columns; ``tile`` and ``inner``: width and height of a cell, and of what is
  drawn of it; ``page``, ``between``, ``hidden``, ``opened``, ``numbered``: colours of grounds;
* ``bevel``, ``raised``: colours and width of light and dark edges of hidden tiles, and of others;
  ``chess``, ``slope``: by how much every other tile, and each row below the first, is darker;
  ``hues``: how the hue of hidden tiles changes by row and column; ``frame``: pixels around it;
  ``round``: tiles are discs;
* ``ink``, ``font``, ``scale``, ``thick``, ``place``: the digits; ``zeros``: they are written, too;
* ``paint``: for a letter, the letter of what it shows, then one mark after another;
* ``over``: drawings over the last frame, each at a place in tiles; ``words`` below every frame.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid
from solver.board import Board, Cell
from solver.game import Status

FILE = Path(__file__).parents[2] / "fixtures" / "gate" / "sketches.toml"

INKS = ["#0000ff", "#008000", "#ff0000", "#000080", "#800000", "#008080", "#000000", "#808080"]
DEFAULTS = {
    "tile": [32, 32], "inner": [28, 28], "page": "#fafafa", "between": "#fafafa", "frame": 0,
    "hidden": "#96aabe", "opened": "#e1e1e1", "bevel": [], "raised": [], "chess": 0,
    "slope": 0, "hues": [], "round": False,
    "ink": INKS, "font": 0, "scale": 0.75, "thick": 2, "place": [0.5, 0.5], "zeros": False,
    "paint": {}, "over": [], "words": "", "margin": [100, 100],
}  # fmt: skip
USUAL = {
    "F": ["F", "flag #dc1414"],
    "*": ["*", "bomb #141414"],
    "X": ["X", "fill #ff3c3c", "bomb #141414"],
    "?": ["?", "text ? #141414 0.6"],
    "!": ["~", "noise #000000"],
    "W": ["W", "flag #dc1414", "cross #0a0a0a"],
}
Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]
Style = Mapping[str, Any]


class Moment(NamedTuple):
    """A frame of a sketched board, and the clicks before it."""

    frame: Frame
    grid: Grid
    board: Board
    status: Status
    opened: list[Cell]
    flagged: list[Cell]


def sketches() -> dict[str, dict[str, Any]]:
    return tomllib.loads(FILE.read_text("utf-8"))


def moments(name: str) -> Iterator[Moment]:
    """Yield the frames of a sketch."""
    known = sketches()
    style: dict[str, Any] = known[name]
    while "like" in style:
        style = {**known[style["like"]], **{key: style[key] for key in style if key != "like"}}
    style = {**DEFAULTS, **style}
    for number, text in enumerate(style["frames"], 1):
        letters, opened, flagged, status = _parsed(text, *style["size"])
        last = number == len(style["frames"])
        frame, grid = drawn(letters, style, style["over"] if last else [])
        paint = {**USUAL, **style["paint"]}
        shown = ["".join(paint.get(letter, [letter])[0] for letter in row) for row in letters]
        board = Board.from_text("\n".join(shown))
        yield Moment(frame, grid, board, status, opened, flagged)


def _parsed(text: str, rows: int, cols: int) -> tuple[list[str], list[Cell], list[Cell], Status]:
    words = text.split()
    clicked = [[Cell(*map(int, word[1:].split(","))) for word in words if word[0] == sign]
               for sign in "@!"]  # fmt: skip
    status = next((Status(word[1:]) for word in words if word[0] == "="), Status.PLAYING)
    board = [word.ljust(cols, "#") for word in words if word[0] not in "@!="]
    return board + ["#" * cols] * (rows - len(board)), clicked[0], clicked[1], status


def _colour(of: str | Colour) -> Colour:
    red, green, blue = bytes.fromhex(of[1:]) if isinstance(of, str) else of
    return red, green, blue


def drawn(letters: Sequence[str], style: Style, over: Sequence[str] = ()) -> tuple[Frame, Grid]:
    """Draw one frame on its page: rows of letters in a style, whose usual values may be left out.

    Lines of tiles that are not of whole pixels are rounded.
    """
    style = {**DEFAULTS, **style}
    (wide, high), (left, top) = style["tile"], style["margin"]
    rows, cols, frame = len(letters), len(letters[0]), style["frame"]
    x_lines, y_lines = (
        np.rint(start + step * np.arange(count + 1)).astype(int).tolist()
        for start, step, count in ((left, wide, cols), (top, high, rows))
    )
    shape = (y_lines[-1] + round(top), x_lines[-1] + round(left), 3)
    pixels = np.full(shape, _colour(style["page"]), np.uint8)
    bed = np.s_[y_lines[0] - frame : y_lines[-1] + frame, x_lines[0] - frame : x_lines[-1] + frame]
    pixels[bed] = _colour(style["between"])
    broad, tall = map(round, style["inner"])
    for row, line in enumerate(letters):
        for col, letter in enumerate(line):
            y = (y_lines[row] + y_lines[row + 1] - tall) // 2
            x = (x_lines[col] + x_lines[col + 1] - broad) // 2
            _draw_tile(pixels[y : y + tall, x : x + broad], letter, style, row, col)
    for mark in over:
        x, y, width, height, *how = mark.split()
        x0, y0 = round(left + float(x) * wide), round(top + float(y) * high)
        x1, y1 = round(x0 + float(width) * wide), round(y0 + float(height) * high)
        _mark(pixels[y0:y1, x0:x1], how)
    if style["words"]:
        colour = (235 if pixels[0, 0].mean() < 128 else 20,) * 3
        place = round(left), y_lines[-1] + 45
        cv2.putText(pixels, style["words"], place, 2, 0.9, colour, 1, cv2.LINE_AA)
    return Frame(pixels), Grid(left, top, wide, high, rows, cols)


def _draw_tile(tile: Pixels, letter: str, style: Style, row: int, col: int) -> None:
    shows, *marks = {**USUAL, **style["paint"]}.get(letter, [letter])
    ground = "numbered" if shows in "12345678" and "numbered" in style else "opened"
    hidden = not (shows in "012345678*X" and letter not in style.get("on_hidden", ""))
    around = tile.copy()
    tile[:] = _colour(style["hidden" if hidden else ground])
    if hidden and style["hues"]:
        hue = (row * style["hues"][0] + col * style["hues"][1]) % 180
        tile[:] = cv2.cvtColor(np.full((1, 1, 3), (hue, 150, 210), np.uint8), cv2.COLOR_HSV2RGB)
    darker = style["chess"] * ((row + col) % 2) + style["slope"] * row * hidden
    tile[:] = np.clip(tile - np.int16(darker), 0, 255)
    edges = style["bevel" if hidden else "raised"]
    if edges:
        light, shade, width = edges
        tile[-width:], tile[:, -width:] = _colour(shade), _colour(shade)
        tile[:width], tile[:, :width] = _colour(light), _colour(light)
    if style["round"]:
        high, wide = tile.shape[:2]
        disc = np.zeros((high, wide), np.uint8)
        middle = [8 * wide - 8, 8 * high - 8]  # in sixteenths of a pixel
        cv2.ellipse(disc, middle, middle, 0, 0, 360, 255, -1, cv2.LINE_AA, 4)
        share = disc[..., None] / 255
        tile[:] = np.rint(share * tile + (1 - share) * around)
    if letter in "12345678" or (letter == "0" and style["zeros"]):
        inks = style["ink"]
        ink = inks[max(0, int(letter) - 1)] if isinstance(inks, list) else inks
        _write(tile, letter, ink, style)
    for mark in marks:
        _mark(tile, mark.split(), (3, row, col))


def _write(tile: Pixels, text: str, ink: str | Colour, style: Style) -> None:
    font, scale, thick = style["font"], style["scale"], style["thick"]
    (wide, high), _ = cv2.getTextSize(text, font, scale, thick)
    x, y = (part * side for part, side in zip(style["place"], tile.shape[1::-1], strict=True))
    at = round(x - wide / 2), round(y + high / 2)
    cv2.putText(tile, text, at, font, scale, _colour(ink), thick, cv2.LINE_AA)


def _mark(tile: Pixels, how: list[str], seed: Sequence[int] = ()) -> None:
    """Draw one mark over all of a tile: its kind, its colour, and a number."""
    kind, *rest = how
    text = rest.pop(0) if kind == "text" else ""
    colour, size = _colour(rest[0]), float(rest[1]) if len(rest) > 1 else 0.0
    high, wide = tile.shape[:2]
    middle, side = (wide // 2, high // 2), min(wide, high)
    if kind == "fill":
        tile[:] = colour
    elif kind == "frame":
        cv2.rectangle(tile, (0, 0), (wide - 1, high - 1), colour, int(size or 2))
    elif kind == "disc":
        cv2.circle(tile, middle, round((size or 0.3) * side), colour, -1, cv2.LINE_AA)
    elif kind == "cross":
        for slope in (-1, 1):
            _stroke(tile, (0.28, slope * 0.28), colour, 3)
    elif kind == "text":
        style = {"font": 0, "scale": size or 0.7, "thick": 2, "place": (0.5, 0.5)}
        _write(tile, text, rest[0], style)
    elif kind == "noise":
        blobs = np.random.default_rng(seed).integers(0, 256, (4, 4, 3)).astype(np.uint8)
        tile[:] = cv2.resize(blobs, (wide, high), interpolation=cv2.INTER_CUBIC)
    elif kind == "flag":
        cloth = np.array([(-0.2, -0.32), (0.25, -0.15), (-0.2, 0.02)]) * (size or 1) * side + middle
        cv2.fillPoly(tile, [np.rint(cloth).astype(np.int32)], colour, cv2.LINE_AA)
        left = round(middle[0] - 0.2 * side)
        tile[round(0.18 * side) : round(0.82 * side), left : left + 2] = 20
    else:
        assert kind == "bomb", kind
        cv2.circle(tile, middle, round(0.25 * side), colour, -1, cv2.LINE_AA)
        for reach in ((0.38, 0), (0, 0.38), (0.27, 0.27), (0.27, -0.27)):
            _stroke(tile, reach, colour, 2)


def _stroke(tile: Pixels, reach: tuple[float, float], colour: Colour, thick: int) -> None:
    """Draw a line through the middle of a tile."""
    middle, away = np.array(tile.shape[1::-1]) // 2, np.array(reach) * min(tile.shape[:2])
    one, other = (np.rint(middle + sign * away).astype(int).tolist() for sign in (-1, 1))
    cv2.line(tile, one, other, colour, thick, cv2.LINE_AA)


Pitch = float | tuple[float, float]

LIGHT_PAGE = {"page": "#ececed", "hidden": "#babdb6", "opened": "#dededc"}
DARK_PAGE = {"page": "#26282e", "hidden": "#464a52", "opened": "#32353b", "frame": 1}
STYLES: dict[str, dict[str, Any]] = {
    "bevel": {**LIGHT_PAGE, "raised": ["#969696", "#dededc", 1]},
    "lines": {**LIGHT_PAGE, "between": "#282828", "frame": 1},
    "gaps": {**LIGHT_PAGE, "between": "#f6f5f4"},
    "flat": {**LIGHT_PAGE, "between": "#acafa8", "frame": 1},
    "checkerboard": {**LIGHT_PAGE, "hidden": "#aad751", "opened": "#e5c29f", "chess": 8},
    "dark": {**DARK_PAGE, "between": "#18191d"},
    "soft": {**DARK_PAGE, "between": "#2e2e2e"},
}
"""Looks of `half_open`, which no program has."""


def half_open(
    style: str, rows: int, cols: int, tile: Pitch, opened: float, at: tuple[float, float] = (60, 60)
) -> tuple[Frame, Grid]:
    """Draw a board in one of `STYLES`, so much of it open."""
    rng, shape = np.random.default_rng(rows), (rows, cols)
    letters = np.where(rng.random(shape) < opened, rng.integers(0, 5, shape).astype("U1"), "#")
    pitch = tile if isinstance(tile, tuple) else (tile, tile)
    edge = max(1, round(0.1 * min(pitch)))
    gap = {"bevel": 0, "checkerboard": 0, "gaps": 2 * max(1, round(0.05 * min(pitch))), "soft": 2}
    look: dict[str, Any] = {
        "tile": pitch,
        "inner": [side - gap.get(style, 1) for side in pitch],
        "margin": at,
    }
    if style == "bevel":
        look["bevel"] = ["#ffffff", "#808080", edge]
    return drawn(["".join(row) for row in letters], {**STYLES[style], **look})
