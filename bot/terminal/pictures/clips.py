"""A recorded game as a clip: a picture a turn with the moves on it, as GIF or MP4."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
from PIL import Image

from bot.errors import BadSession, CannotWrite, UsageError
from bot.record.mistakes import JudgedGame, JudgedTurn
from bot.record.pages.pictures import Line
from bot.record.places import grid_in
from bot.record.session import Session
from bot.simulated.render import MineWindow
from bot.simulated.skins import skin_named
from bot.terminal.pictures.canvas import BLACK, GREY, WHITE, Canvas, Picture, wrap, write
from bot.terminal.risks import Colour
from calibration.frame import Frame
from calibration.grid import Grid
from solver.board import Board, Tile
from solver.counting import percent
from solver.files import MARK

TURN_S, GUESS_S, END_S = 0.5, 1.2, 3.0
"""How long a turn of the bot is shown, a guess, and the end."""

SHORTEST_S, LONGEST_S = 0.1, 1.5
"""How long a turn of a person is shown, whose times the game tells."""

MP4_FPS = 10
CLIP_WIDTH_PX = {".gif": 720, ".mp4": 1280}

DRAWN_TILE_PX = 24
"""Side of a tile of a game without frames, which is drawn."""

CERTAIN: Colour = (0, 60, 255)
GUESSED: Colour = (255, 120, 0)
WRONG: Colour = (230, 30, 60)


@dataclass(frozen=True)
class Shot:
    """A picture of a clip, and how long it is shown."""

    picture: Picture
    seconds: float


def check_kind(path: Path, kind: str) -> None:
    """Raise `UsageError` unless a file is named as a clip of its kind, ``.gif`` or ``.mp4``."""
    if path.suffix.lower() != kind:
        raise UsageError(f"The name of a clip ends in {kind} here, unlike {path}.")


def make_clip(session: Session, judged: JudgedGame, kind: str) -> bytes:
    """Return a game as a file of a kind, ``.gif`` or ``.mp4``. Raises `CannotWrite`."""
    shots = draw_shots(session, judged, widest_px=CLIP_WIDTH_PX[kind])
    encode: Callable[[Iterator[Shot]], bytes] = _gif if kind == ".gif" else _mp4
    return encode(shots)


def draw_shots(session: Session, judged: JudgedGame, *, widest_px: int) -> Iterator[Shot]:
    """Draw a picture for each turn and one for the end, all of one size with even sides."""
    size: tuple[int, int] | None = None
    for picture, seconds in _drawn_turns(session, judged):
        if size is None:
            scale = min(1.0, widest_px / picture.shape[1])
            size = _even(scale * picture.shape[1]), _even(scale * picture.shape[0])
        small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
        yield Shot(np.asarray(small, np.uint8), seconds)


def _drawn_turns(session: Session, judged: JudgedGame) -> Iterator[tuple[Picture, float]]:
    turns = judged.turns
    for number, (turn, later) in enumerate(zip(turns, [*turns[1:], None], strict=True), start=1):
        canvas = _canvas(session, turn.turn.step, turn.turn.place, turn.turn.board)
        colour = WRONG if turn.mistakes else GUESSED if turn.guess else CERTAIN
        for move in turn.turn.decision.moves:
            canvas.ring(move.cell, colour)
        told = f"turn {number} of {len(turns)}"
        yield _with_words(canvas.pixels, told, _words(turn)), _seconds(turn, later)
    game = judged.game
    last = turns[-1].turn
    step, place = (last.step, last.place) if game.end is None else (game.end, game.place)
    canvas = _canvas(session, step, place, game.final or last.board)
    yield _with_words(canvas.pixels, game.result, judged.cause or game.ending), END_S


def _words(judged: JudgedTurn) -> str:
    """Say the move of a turn, what it risks, and what was wrong with it."""
    turn = judged.turn
    if not turn.decision.moves:
        return turn.decision.reason
    more = len(turn.decision.moves) - 1
    told = turn.decision.moves[0].words(turn.board) + (f" and {more} more" if more else "")
    if judged.guess:
        told += f", survives {percent(judged.survival)}"
    return told + (f" - {judged.mistakes[0].kind.value}" if judged.mistakes else "")


def _seconds(judged: JudgedTurn, later: JudgedTurn | None) -> float:
    """Return how long a turn is shown: until the next click of a person, whose times are known."""
    now, then = judged.turn.at_s, None if later is None else later.turn.at_s
    if now is None or then is None:
        return GUESS_S if judged.guess else TURN_S
    return min(LONGEST_S, max(SHORTEST_S, then - now))


def _canvas(session: Session, step: Line, place: Line | None, board: Board) -> Canvas:
    """Return the board of a step to draw on: from its frame or, without one, drawn."""
    if "frame" in step and place is not None:
        try:
            frame = session.frame(step)
            grid = grid_in(frame, place)
            if _lies_on(frame, grid):
                return Canvas(frame, grid, margin_tiles=0.5)
        except BadSession:
            pass  # the frame is lost: its board is known
    return Canvas(*_draw_board(board), margin_tiles=0.2)


def _draw_board(board: Board) -> tuple[Frame, Grid]:
    """Draw a board as the simulated window shows it."""
    window = MineWindow(skin_named("classic"), board.rows, board.cols, pitch=DRAWN_TILE_PX)
    tiles = {cell: int(board[cell]) for cell in board.cells()}
    window.paint_tiles(
        (cell, int(Tile.HIDDEN) if tile == Tile.UNKNOWN else tile) for cell, tile in tiles.items()
    )
    return Frame(window.picture), window.grid


def _lies_on(frame: Frame, grid: Grid) -> bool:
    x0, y0, x1, y1 = grid.bounds
    return min(x0, y0) >= 0 and x1 <= frame.width and y1 <= frame.height


def _with_words(picture: Picture, left: str, told: str) -> Picture:
    """Return the picture with words below it: beside each other, or on three lines if narrow."""
    width = picture.shape[1]
    text_px = max(12, round(width / 70))
    narrow = width < 60 * text_px
    step = round(1.7 * text_px)
    band = np.full(((3 if narrow else 1) * step + text_px, width, 3), WHITE, np.uint8)
    write(band, left, (text_px, step), text_px, GREY)
    lines = wrap(told, width - 2 * text_px, text_px)[:2] if narrow else [told]
    x, first = (text_px, 2) if narrow else (11 * text_px, 1)
    for row, line in enumerate(lines, start=first):
        write(band, line, (x, row * step), text_px, BLACK)
    return np.vstack([picture, band])


def _even(length: float) -> int:
    """Return a length for a video, whose sides are even."""
    return max(2, round(length / 2) * 2)


def _gif(shots: Iterator[Shot]) -> bytes:
    """Write an animated GIF that repeats."""
    images, durations = list[Image.Image](), list[int]()
    for shot in shots:
        images.append(Image.fromarray(shot.picture).quantize(128, dither=Image.Dither.NONE))
        durations.append(round(1e3 * shot.seconds))
    file = io.BytesIO()
    images[0].save(
        file,
        format="GIF",
        save_all=True,
        append_images=images[1:],
        duration=durations,
        loop=0,
        comment=MARK.encode(),
    )
    return file.getvalue()


def _mp4(shots: Iterator[Shot]) -> bytes:
    """Write a video in MPEG-4, which players and video sites take and OpenCV writes everywhere.

    In VP9, which browsers show too, an expert game took OpenCV two minutes and not two seconds. It
    writes to a named file only.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "clip.mp4"
        writer: cv2.VideoWriter | None = None
        for shot in shots:
            if writer is None:
                size = (shot.picture.shape[1], shot.picture.shape[0])
                code = cv2.VideoWriter.fourcc(*"mp4v")
                writer = cv2.VideoWriter(str(file), code, float(MP4_FPS), size)
                if not writer.isOpened():
                    raise CannotWrite("OpenCV can write no MP4 here: write a .gif instead.")
            bgr = cv2.cvtColor(shot.picture, cv2.COLOR_RGB2BGR)
            for _ in range(max(1, round(MP4_FPS * shot.seconds))):
                writer.write(bgr)
        if writer is not None:
            writer.release()
        return with_mark(file.read_bytes())


def with_mark(mp4: bytes) -> bytes:
    """Add a comment behind the first box: it tells a later run that the file may be replaced.

    What lies behind it moves, so that the table of places, a box ``stco``, is changed too.
    """
    comment = struct.pack(">I4s", 8 + len(MARK), b"free") + MARK.encode()
    first = int.from_bytes(mp4[:4], "big")
    data = bytearray(mp4)
    table = data.find(b"stco") + 8  # its name, its version and flags
    (count,) = struct.unpack_from(">I", data, table)
    for at in range(table + 4, table + 4 + 4 * count, 4):
        struct.pack_into(">I", data, at, struct.unpack_from(">I", data, at)[0] + len(comment))
    return bytes(data[:first]) + comment + bytes(data[first:])
