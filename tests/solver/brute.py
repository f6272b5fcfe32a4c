"""Slow readable twins of the engine: every layout of a small board, one after the other."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.board import Board, Tile

POSITIONS = Path(__file__).parents[2] / "fixtures" / "positions" / "expert.jsonl"


def expert_positions() -> list[tuple[Board, dict[str, Any]]]:
    """Load the boards of expert games, with what another program counted of each."""
    lines = map(json.loads, POSITIONS.read_text("utf-8").splitlines())
    return [(Board.from_text("\n".join(one["board"]), one["mines"]), one) for one in lines]


def layouts(board: Board) -> list[NDArray[np.bool_]]:
    """List all layouts that fit the numbers, the shown mines and the total.

    A mine may lie on an unknown cell, too.
    """
    covered = np.argwhere(board.covered | board.unknown)
    choices = list(product((False, True), repeat=len(covered)))
    shown = np.isin(board.tiles, (Tile.MINE, Tile.EXPLODED))
    mined = np.repeat(shown[None], len(choices), axis=0)
    mined[:, covered[:, 0], covered[:, 1]] = choices
    fits = np.full(len(choices), True)
    if board.mines is not None:
        fits &= mined.sum(axis=(1, 2)) == board.mines
    for cell in board.cells():
        if board.open[cell]:
            around = sum(
                mined[:, near.row, near.col].astype(int) for near in board.neighbours(cell)
            )
            fits &= board[cell] == around
    return list(mined[fits])


def shows(board: Board, mined: NDArray[np.bool_]) -> bool:
    """Whether every open number counts the mines around it."""
    return all(
        board[cell] == sum(mined[near] for near in board.neighbours(cell))
        for cell in board.cells()
        if board.open[cell]
    )


def random_board(rng: random.Random, *, most_covered: int = 14) -> Board:
    """Draw a board part open, at times with a wrong number, a flag, a shown mine or no total."""
    while True:
        rows, cols = rng.choice([(1, 9), (1, 14), (2, 6), (3, 4), (3, 5), (4, 4), (4, 6), (5, 5)])
        mined = np.array([rng.random() < rng.random() for _ in range(rows * cols)])
        if rng.random() < 0.05:
            mined[:] = rng.random() < 0.5
        mined = mined.reshape(rows, cols)
        blank = Board(np.full((rows, cols), Tile.HIDDEN))
        tiles = np.full((rows, cols), Tile.HIDDEN, np.int8)
        share = rng.random()
        for cell in blank.cells():
            if mined[cell]:
                if rng.random() < 0.1:
                    tiles[cell] = rng.choice([Tile.MINE, Tile.EXPLODED, Tile.FLAG])
            elif rng.random() < share:
                tiles[cell] = sum(mined[near] for near in blank.neighbours(cell))
            elif rng.random() < 0.1:
                tiles[cell] = rng.choice([Tile.WRONG_FLAG, Tile.QUESTION, Tile.FLAG])
        if rng.random() < 0.1:
            tiles[rng.randrange(rows), rng.randrange(cols)] = rng.randrange(9)
        total = None if rng.random() < 0.3 else int(mined.sum())
        if total is not None and rng.random() < 0.1:
            total = rng.randrange(rows * cols + 1)
        board = Board(tiles, total)
        if board.covered.sum() <= most_covered:
            return board


def best_wins(fitting: list[NDArray[np.bool_]], opened: frozenset[tuple[int, int]]) -> int:
    """Return in how many of the layouts the best line of play wins; tries everything."""
    shape = fitting[0].shape
    blank = Board(np.full(shape, Tile.HIDDEN))
    if len(opened) == shape[0] * shape[1] - fitting[0].sum():
        return len(fitting)
    best = 0
    for cell in blank.cells():
        if cell in opened:
            continue
        kept: dict[int, list[NDArray[np.bool_]]] = {}
        for mined in fitting:
            if not mined[cell]:
                number = sum(mined[near] for near in blank.neighbours(cell))
                kept.setdefault(number, []).append(mined)
        best = max(best, sum(best_wins(part, opened | {cell}) for part in kept.values()))
        if kept and sum(map(len, kept.values())) == len(fitting):
            break  # a free cell costs nothing: no need to try another first
    return best
