"""Draw desktops with a board whose grid is known exactly, and with other things on them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid

Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]

PITCH = 24
"""Pixels of a tile of `bevelled_board`."""

STYLES = ("bevel", "lines", "gaps", "flat", "checkerboard", "dark", "soft")


@dataclass(frozen=True)
class Desktop:
    """A picture with one board, and the grid of that board."""

    grid: Grid
    frame: Frame


def desktop(
    style: str,
    rows: int,
    cols: int,
    tile: float | tuple[float, float] = 24.0,
    *,
    at: tuple[float, float] = (300, 200),
    size: tuple[int, int] = (1280, 900),
    opened: float = 0.3,
    seed: int = 0,
    decoys: bool = True,
) -> Desktop:
    """Draw a desktop with a board; ``tile`` is the pitch, or a pair of pitches (x, y)."""
    rng = np.random.default_rng(seed)
    pixels = _wallpaper(rng, size)
    if decoys:
        _text_window(pixels, rng, (20, size[1] - 160), (260, 140))
        _keypad(pixels, (size[0] - 260, 20))
    pitch = (tile, tile) if isinstance(tile, int | float) else tile
    grid = Grid(float(at[0]), float(at[1]), float(pitch[0]), float(pitch[1]), rows, cols)
    draw_board(pixels, grid, style, rng, opened)
    return Desktop(grid, Frame(pixels))


def draw_board(
    pixels: Pixels, grid: Grid, style: str, rng: np.random.Generator, opened: float = 0.3
) -> None:
    """Draw a window with a board: hidden tiles, and areas of open tiles with numbers."""
    x = np.round(grid.x_lines).astype(int)
    y = np.round(grid.y_lines).astype(int)
    background, hidden, shown = _colours(style)
    title = (max(0, y[0] - 52), max(0, x[0] - 18))
    pixels[title[0] : y[-1] + 22, title[1] : x[-1] + 18] = background
    pixels[title[0] : title[0] + 22, title[1] : x[-1] + 18] = (60, 90, 150)
    noise = cv2.GaussianBlur(rng.random((grid.rows, grid.cols)), (0, 0), 1.5)
    is_open = noise <= np.quantile(noise, opened) if opened else np.zeros_like(noise, bool)
    for row in range(grid.rows):
        for col in range(grid.cols):
            tile = pixels[y[row] : y[row + 1], x[col] : x[col + 1]]
            odd = (row + col) % 2
            colour = shown if is_open[row, col] else hidden
            _draw_tile(tile, style, colour, not is_open[row, col], odd)
            if is_open[row, col] and rng.random() < 0.6:
                _digit(tile, rng)


def _colours(style: str) -> tuple[Colour, Colour, Colour]:
    dark = style in ("dark", "soft")
    background = (38, 40, 46) if dark else (236, 236, 233)
    hidden = (70, 74, 82) if dark else (186, 189, 182)
    shown = (50, 53, 59) if dark else (222, 222, 220)
    if style == "checkerboard":
        hidden, shown = (170, 215, 81), (229, 194, 159)
    return background, hidden, shown


def _draw_tile(tile: Pixels, style: str, colour: Colour, hidden: bool, odd: int) -> None:
    tile[:] = colour
    height, width = tile.shape[:2]
    if style == "bevel":
        edge = max(1, round(0.1 * width)) if hidden else 1
        light_edge, dark_edge = (
            ((255, 255, 255), (128, 128, 128)) if hidden else ((150,) * 3, colour)
        )
        tile[:edge], tile[:, :edge] = light_edge, light_edge
        if hidden:
            tile[height - edge :], tile[:, width - edge :] = dark_edge, dark_edge
    elif style in ("lines", "dark"):
        line = (40, 40, 40) if style == "lines" else (24, 25, 29)
        tile[:1], tile[:, :1] = line, line
    elif style == "gaps":
        gap = max(1, round(0.05 * width))
        inner = tile[gap : height - gap, gap : width - gap].copy()
        tile[:] = (246, 245, 244)
        tile[gap : height - gap, gap : width - gap] = inner
        for corner in ((gap, gap), (gap, -gap - 1), (-gap - 1, gap), (-gap - 1, -gap - 1)):
            tile[corner] = (246, 245, 244)
    elif style == "checkerboard":
        tile[:] = np.array(colour, np.int16) - (8 if odd else 0)
    elif style == "flat":
        tile[:1] = np.array(colour, np.int16) - 14
        tile[:, :1] = np.array(colour, np.int16) - 14
    elif style == "soft":
        tile[0], tile[-1] = 46, 46
        tile[:, 0], tile[:, -1] = 46, 46
        tile[1], tile[-2] = (np.array(colour) + 46) // 2, (np.array(colour) + 46) // 2


def _digit(tile: Pixels, rng: np.random.Generator) -> None:
    height, width = tile.shape[:2]
    number = int(rng.integers(1, 5))
    ink = [(0, 0, 255), (0, 128, 0), (255, 0, 0), (0, 0, 128)][number - 1]
    scale = 0.7 * height / 24
    at = (round(0.3 * width), round(0.78 * height))
    cv2.putText(tile, str(number), at, cv2.FONT_HERSHEY_SIMPLEX, scale, ink, 1, cv2.LINE_AA)


def _wallpaper(rng: np.random.Generator, size: tuple[int, int]) -> Pixels:
    small = rng.integers(0, 255, (8, 10, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_CUBIC), np.uint8)


def _text_window(
    pixels: Pixels, rng: np.random.Generator, at: tuple[int, int], size: tuple[int, int]
) -> None:
    x, y = at
    pixels[y : y + size[1], x : x + size[0]] = 252
    for line in range(y + 16, y + size[1], 16):
        text = "".join(rng.choice(list("abcdefghiklmnoprstu 0123456789"), 24))
        cv2.putText(pixels, text, (x + 4, line), cv2.FONT_HERSHEY_PLAIN, 0.9, (0, 0, 0), 1)


def _keypad(pixels: Pixels, at: tuple[int, int]) -> None:
    x, y = at
    pixels[y : y + 200, x : x + 240] = (225, 225, 225)
    for row in range(4):
        for col in range(4):
            corner = (x + 8 + 58 * col, y + 8 + 48 * row)
            cv2.rectangle(pixels, corner, (corner[0] + 50, corner[1] + 40), (120, 120, 120), 1)
            cv2.putText(
                pixels,
                "7",
                (corner[0] + 18, corner[1] + 28),
                cv2.FONT_HERSHEY_SIMPLEX,
                0.7,
                (0,) * 3,
            )


def bevelled_board(rows: int, cols: int, margin: int) -> Pixels:
    """Draw a board of bevelled tiles with a window frame of ``margin`` pixels around it."""
    board = np.full((rows * PITCH, cols * PITCH, 3), 190, dtype=np.uint8)
    for edge in range(3):
        board[edge::PITCH] = board[:, edge::PITCH] = 250
        board[PITCH - 1 - edge :: PITCH] = board[:, PITCH - 1 - edge :: PITCH] = 120
    return np.pad(board, ((margin, margin), (margin, margin), (0, 0)), constant_values=100)


def flat_board(rows: list[str]) -> Frame:
    """Draw a board of plain tiles with lines between them on a white page."""
    pixels = np.full((620, 640, 3), 255, np.uint8)
    pixels[119 : 120 + 30 * len(rows), 99 : 100 + 30 * len(rows[0])] = 20
    inks = {"1": (0, 0, 255), "2": (0, 128, 0), "3": (255, 0, 0), "4": (0, 0, 128)}
    for row, line in enumerate(rows):
        for col, tile in enumerate(line):
            cell = pixels[120 + 30 * row : 149 + 30 * row, 100 + 30 * col : 129 + 30 * col]
            cell[:] = 128 if tile == "#" else 208
            if tile in inks:
                cv2.putText(cell, tile, (8, 22), 0, 0.7, inks[tile], 2, cv2.LINE_AA)
    return Frame(pixels)
