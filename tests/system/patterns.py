"""Pictures that look like Minesweeper but are not: chess, paper, keypads, tables, icons."""

from __future__ import annotations

import random
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

SIZE = (900, 1400)


def _screen(rng: random.Random) -> Pixels:
    return np.full(
        (*SIZE, 3), rng.choice([(48, 104, 128), (236, 236, 236), (30, 30, 34)]), np.uint8
    )


def _write(picture: Pixels, text: str, x: float, y: float, side: int, ink: int) -> None:
    scale = side / 48
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 2)
    place = int(x - width / 2), int(y + height / 2)
    colour = (ink,) * 3
    cv2.putText(picture, text, place, cv2.FONT_HERSHEY_SIMPLEX, scale, colour, 2, cv2.LINE_AA)


def chess(rng: random.Random) -> Pixels:
    """An empty chess board, with rows of men or without."""
    picture, side = _screen(rng), rng.randrange(36, 100)
    men = rng.random() < 0.5
    for row in range(8):
        for col in range(8):
            x, y = 200 + col * side, 40 + row * side
            picture[y : y + side, x : x + side] = (
                (181, 136, 99) if (row + col) % 2 else (240, 217, 181)
            )
            if men and row in (0, 1, 6, 7):
                middle = x + side // 2, y + side // 2
                cv2.circle(picture, middle, side // 3, (20 if row < 2 else 250,) * 3, -1)
    return picture


def paper(rng: random.Random) -> Pixels:
    """Squared paper over the whole screen or in a window."""
    picture, step = _screen(rng), rng.randrange(16, 48)
    x0, y0 = rng.choice([(0, 0), (150, 80)])
    x1, y1 = (SIZE[1], SIZE[0]) if x0 == 0 else (x0 + step * 30 + 1, y0 + step * 16 + 1)
    part = picture[y0:y1, x0:x1]
    part[:] = (246, 246, 240)
    part[::step] = part[:, ::step] = (170, 190, 214)
    return picture


def keypad(rng: random.Random) -> Pixels:
    """The keys of a calculator."""
    picture, side = _screen(rng), rng.randrange(40, 90)
    keys, wide = rng.choice([("789/456*123-0.=+", 4), ("1234567890#*", 3)])
    for place, key in enumerate(keys):
        x, y = 300 + place % wide * side, 200 + place // wide * side
        cv2.rectangle(picture, (x + 2, y + 2), (x + side - 3, y + side - 3), (210, 210, 210), -1)
        _write(picture, key, x + side / 2, y + side / 2, side, 40)
    return picture


def calendar(rng: random.Random) -> Pixels:
    """A month, a cell for each day."""
    picture, side = _screen(rng), rng.randrange(40, 90)
    picture[100 : 101 + 6 * side, 200 : 201 + 7 * side] = 252
    start, boxes = rng.randrange(7), rng.random() < 0.7
    for place in range(42):
        x, y = 200 + place % 7 * side, 100 + place // 7 * side
        if boxes:
            cv2.rectangle(picture, (x, y), (x + side, y + side), (190, 190, 190), 1)
        if 0 <= place - start < 31:
            _write(picture, str(place - start + 1), x + side / 2, y + side / 2, side, 60)
    return picture


def spreadsheet(rng: random.Random) -> Pixels:
    """A table with square or wide cells, some of them filled."""
    picture, high = _screen(rng), rng.randrange(20, 40)
    wide = rng.choice([high, 3 * high])
    cols = min(30, 1100 // wide)
    picture[60 : 61 + 18 * high, 100 : 101 + cols * wide] = 255
    for row in range(18):
        for col in range(cols):
            x, y = 100 + col * wide, 60 + row * high
            cv2.rectangle(picture, (x, y), (x + wide, y + high), (200, 200, 200), 1)
            if rng.random() < 0.15:
                _write(picture, str(rng.randrange(1, 9)), x + wide / 2, y + high / 2, high, 30)
    return picture


def sudoku(rng: random.Random) -> Pixels:
    """A Sudoku with a third of its digits."""
    picture, side = _screen(rng), rng.randrange(36, 90)
    picture[40 : 41 + 9 * side, 200 : 201 + 9 * side] = 255
    for line in range(10):
        thick = 4 if line % 3 == 0 else 1
        at, end = line * side, 9 * side
        cv2.line(picture, (200 + at, 40), (200 + at, 40 + end), (60, 60, 60), thick)
        cv2.line(picture, (200, 40 + at), (200 + end, 40 + at), (60, 60, 60), thick)
    for row in range(9):
        for col in range(9):
            if rng.random() < 0.35:
                digit = str((row * 3 + row // 3 + col) % 9 + 1)
                _write(picture, digit, 200 + (col + 0.5) * side, 40 + (row + 0.5) * side, side, 20)
    return picture


def icons(rng: random.Random) -> Pixels:
    """A desktop or a telephone full of icons, each of its own colour or all folders."""
    picture, side = _screen(rng), rng.randrange(50, 110)
    folders = rng.random() < 0.5
    for row in range(min(6, 800 // side)):
        for col in range(9):
            x, y = 60 + col * side, 40 + row * side
            colour = (90, 150, 230) if folders else tuple(rng.randrange(40, 230) for _ in range(3))
            edge = side // 5
            cv2.rectangle(
                picture, (x + edge, y + edge), (x + side - edge, y + side - edge), colour, -1
            )
    return picture


PATTERNS: dict[str, Callable[[random.Random], Pixels]] = {
    "chess": chess,
    "paper": paper,
    "keypad": keypad,
    "calendar": calendar,
    "spreadsheet": spreadsheet,
    "sudoku": sudoku,
    "icons": icons,
}
