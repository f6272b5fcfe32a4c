"""Labelled screenshots: a picture, and beside it a JSON file that says what it shows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import Frame
from calibration.grid import Grid, PixelBox
from calibration.images import load_image
from calibration.theme import Theme
from solver.board import Board, Cell

FIXTURES = Path(__file__).parents[2] / "fixtures" / "screens"
PICTURES = (".webp", ".png")


@dataclass(frozen=True)
class Screen:
    """One labelled screenshot; ``grid`` and ``board`` are what it really shows."""

    name: str
    picture: Path
    program: str
    theme: str
    grid: Grid
    board: Board
    status: str
    mines_left: int | None
    cover: PixelBox | None

    @classmethod
    def load(cls, label: Path) -> Screen:
        data = json.loads(label.read_text("utf-8"))
        grid = data["grid"]
        board = Board.from_text("\n".join(data["state"]), data["mines"])
        return cls(
            label.stem,
            next(label.with_suffix(kind) for kind in PICTURES if label.with_suffix(kind).exists()),
            data["clone"],
            data["theme"],
            Grid(grid["x0"], grid["y0"], grid["tile_w"], grid["tile_h"], board.rows, board.cols),
            board,
            data["status"],
            _mines_left(data),
            _cover(data),
        )

    def frame(self) -> Frame:
        return load_image(self.picture)

    def varied(self, *, scale: float = 1.0, brighter: int = 0) -> tuple[Frame, Grid]:
        """Return the frame scaled bilinearly and brightened, and its true grid."""
        pixels = self.frame().pixels
        height, width = pixels.shape[:2]
        if scale != 1.0:
            large = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR)
            pixels = np.asarray(large, np.uint8)
        if brighter:
            pixels = np.clip(pixels.astype(np.int16) + brighter, 0, 255).astype(np.uint8)
        right, down = pixels.shape[1] / width, pixels.shape[0] / height
        grid = replace(
            self.grid,
            x0=self.grid.x0 * right,
            y0=self.grid.y0 * down,
            tile_w=self.grid.tile_w * right,
            tile_h=self.grid.tile_h * down,
        )
        return Frame(pixels), grid


def labelled(folder: Path, *, covered: bool = False) -> list[Screen]:
    """Load the labelled screenshots of boards under a folder."""
    labels = sorted(folder.rglob("*.json"))
    return [
        Screen.load(label)
        for label in labels
        if ("covered" in label.relative_to(folder).parts) == covered
        and "state" in json.loads(label.read_text("utf-8"))
    ]


def screen_named(part: str) -> Screen:
    """Return the first labelled screenshot whose name holds ``part``."""
    return next(screen for screen in labelled(FIXTURES) if part in screen.name)


def first_beside(first: Screen, second: Screen) -> NDArray[np.uint8]:
    """Return the pixels of the second screen with the first one's board, at its place, on them."""
    pixels = second.frame().pixels.copy()
    x0, y0, x1, y1 = first.grid.bounds
    box = np.s_[y0 - 90 : y1 + 30, x0 - 30 : x1 + 30]
    pixels[box] = first.frame().pixels[box]
    return pixels


POINTER = np.array([(0, 0), (0, 14), (4, 11), (6, 16), (8, 15), (6, 10), (10, 10)])
"""The outline of a mouse pointer, ``(x, y)`` in pixels."""


def with_pointer(screen: Screen, cell: Cell, frame: Frame | None = None) -> Frame:
    """Draw a mouse pointer over most of one tile."""
    pixels = (frame or screen.frame()).pixels.copy()
    box = screen.grid.box(cell)
    at = np.array([box.x0, box.y0]) + 0.15 * screen.grid.tile_w
    outline = np.rint(at + POINTER * screen.grid.tile_w / 20).astype(np.int32)
    cv2.fillPoly(pixels, [outline], (255, 255, 255), lineType=cv2.LINE_AA)
    cv2.polylines(pixels, [outline], True, (0, 0, 0), lineType=cv2.LINE_AA)
    return Frame(pixels)


def _mines_left(data: dict[str, Any]) -> int | None:
    """Return what a counter shows: the mine total minus all flags, wrong ones included."""
    if (data.get("counter") or {}).get("value") is None:
        return None
    flags: int = sum(row.count("F") + row.count("W") for row in data["state"])
    return int(data["mines"]) - flags


def _cover(data: dict[str, Any]) -> PixelBox | None:
    box = data.get("occluded_by_dialog")
    if box is None and "occluded_by" in data:
        box = [data["occluded_by"][key] for key in ("x", "y", "w", "h")]
    if box is None:
        return None
    x, y, width, height = (round(value) for value in box)
    return PixelBox(x, y, x + width, y + height)


def without_program(themes: Iterable[Theme], program: str) -> tuple[Theme, ...]:
    """Return the themes of all other programs."""
    return tuple(theme for theme in themes if theme.program != program)
