"""A recorded game as an animated GIF: a picture for each turn, with its moves."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from bot.errors import UsageError
from bot.record.games import JudgedGame, JudgedTurn
from bot.record.lines import FrameRef, PlaceLine
from bot.record.pages import FramesOnce, shown_turns
from bot.record.session import Session, grid_in
from bot.simulated.render import MineWindow, skin_named
from bot.terminal.board_text import Colour
from bot.terminal.pictures import BLACK, GREY, WHITE, Canvas, Picture, lies_on, wrap, write
from calibration import Frame, Grid
from solver.board import Board, Tile
from solver.counting import percent

TURN_S, GUESS_S, END_S = 0.5, 1.2, 3.0
"""How long a turn of the bot, a guess, and the end are shown."""

SHORTEST_S, LONGEST_S = 0.1, 1.5
"""How long a turn of a person is shown, if the file has its times."""

WIDEST_PX, HIGHEST_PX = 720, 1000
"""The size of a clip, unless its board is smaller."""

MOST_TURNS = 400
"""Largest number of turns in a clip; while it is written, it takes up to 0.3 GB of memory."""

DRAWN_TILE_PX = 24
"""Side of a tile of a game without frames, which is drawn."""

CERTAIN: Colour = (0, 60, 255)

GUESSED: Colour = (255, 120, 0)

WRONG: Colour = (230, 30, 60)


def check_clip_path(path: Path) -> None:
    """Raise `UsageError` unless a file has the name of a clip."""
    if path.suffix.lower() != ".gif":
        raise UsageError(f"A clip is a .gif file, unlike {path}.")


def make_clip(session: Session, judged: JudgedGame) -> bytes:
    """Return a game as an animated GIF that repeats."""
    images, durations = list[Image.Image](), list[int]()
    for picture, seconds in draw_shots(session, judged, widest_px=WIDEST_PX):
        images.append(Image.fromarray(picture).quantize(128, dither=Image.Dither.NONE))
        durations.append(round(1e3 * seconds))
    file = io.BytesIO()
    images[0].save(
        file,
        format="GIF",
        save_all=True,
        append_images=images[1:],
        duration=durations,
        loop=0,
    )
    return file.getvalue()


def draw_shots(
    session: Session, judged: JudgedGame, *, widest_px: int
) -> Iterator[tuple[Picture, float]]:
    """Draw a picture for each turn and one for the end, all of one size; for so many seconds."""
    size: tuple[int, int] | None = None
    for picture, seconds in _drawn_turns(session, judged):
        if size is None:
            scale = min(1.0, widest_px / picture.shape[1], HIGHEST_PX / picture.shape[0])
            across, down = (max(1, round(scale * side)) for side in picture.shape[1::-1])
            size = across, down
        small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
        yield np.asarray(small, np.uint8), seconds


def _drawn_turns(session: Session, judged: JudgedGame) -> Iterator[tuple[Picture, float]]:
    turns, frames = judged.turns, FramesOnce(session)
    for at in shown_turns(judged, MOST_TURNS):
        turn, later = turns[at], turns[at + 1] if at + 1 < len(turns) else None
        canvas = _canvas(frames, turn.turn.frame, turn.turn.place, turn.turn.board)
        colour = WRONG if turn.mistakes else GUESSED if turn.guess else CERTAIN
        for move in turn.turn.decision.moves:
            canvas.ring(move.cell, colour)
        left = f"turn {at + 1} of {len(turns)}"
        yield _with_words(canvas.pixels, left, _words(turn)), _seconds(turn, later)
    game = judged.game
    last = turns[-1].turn
    frame, place = (last.frame, last.place) if game.end is None else (game.end.frame, game.place)
    canvas = _canvas(frames, frame, place, game.final or last.board)
    yield _with_words(canvas.pixels, game.result, judged.cause or game.ending), END_S


def _words(judged: JudgedTurn) -> str:
    """Describe the move of a turn, its risk, and its mistakes."""
    turn = judged.turn
    if not turn.decision.moves:
        return turn.decision.reason
    more = len(turn.decision.moves) - 1
    words = turn.decision.moves[0].words(turn.board) + (f" and {more} more" if more else "")
    if judged.guess:
        words += f", survives {percent(judged.survival)}"
    return words + (f" - {judged.mistakes[0].kind.value}" if judged.mistakes else "")


def _seconds(judged: JudgedTurn, later: JudgedTurn | None) -> float:
    """Return how long a turn is shown: until the next click of a person, if its time is known."""
    now, then = judged.turn.at_s, None if later is None else later.turn.at_s
    if now is None or then is None:
        return GUESS_S if judged.guess else TURN_S
    return min(LONGEST_S, max(SHORTEST_S, then - now))


def _canvas(
    frames: FramesOnce, named: FrameRef | None, place: PlaceLine | None, board: Board
) -> Canvas:
    """Return a board to draw on: from its frame or, without one, drawn."""
    frame = None if place is None else frames.of(named)
    if frame is not None and place is not None:
        grid = grid_in(frame, place)
        if lies_on(frame, grid):
            return Canvas(frame, grid, margin_tiles=0.5)
    return Canvas(*_draw_board(board), margin_tiles=0.2)


def _draw_board(board: Board) -> tuple[Frame, Grid]:
    """Draw a board as the simulated window shows it."""
    window = MineWindow(skin_named("classic"), board.rows, board.cols, pitch=DRAWN_TILE_PX)
    tiles = {cell: int(board[cell]) for cell in board.cells()}
    window.paint_tiles(
        (cell, int(Tile.HIDDEN) if tile == Tile.UNKNOWN else tile) for cell, tile in tiles.items()
    )
    return Frame(window.picture), window.grid


def _with_words(picture: Picture, left: str, right: str) -> Picture:
    """Return the picture with words below it: on one line, or on three if it is narrow."""
    width = picture.shape[1]
    text_px = max(12, round(width / 70))
    narrow = width < 60 * text_px
    step = round(1.7 * text_px)
    band = np.full(((3 if narrow else 1) * step + text_px, width, 3), WHITE, np.uint8)
    write(band, left, (text_px, step), text_px, GREY)
    lines = wrap(right, width - 2 * text_px, text_px)[:2] if narrow else [right]
    x, first = (text_px, 2) if narrow else (11 * text_px, 1)
    for row, line in enumerate(lines, start=first):
        write(band, line, (x, row * step), text_px, BLACK)
    return np.vstack([picture, band])
