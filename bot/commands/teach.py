"""``minebot teach``: name the tiles that the bot doubts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands.declaring import argument, option
from bot.commands.shared import Files, Screenshot
from bot.errors import UsageError
from bot.plain_text import plain
from bot.terminal.output import note
from solver.counting import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.text import Text

    from calibration.calibration import Calibration
    from calibration.errors import CalibrationError
    from calibration.frame import Frame
    from calibration.theme import Theme
    from solver.board import Cell


@dataclass(frozen=True, kw_only=True)
class Teach(Screenshot, Files):
    """Show the tiles of a screenshot, or of the screen, that cannot be read, one by one, and ask
    what they are. The answers become a theme among your data, which read and play try from then on.

    Answers: a number 0 to 8, # hidden, F flag, ? question mark, * mine, X exploded mine, W wrong
    flag; Enter leaves a tile out.

    examples:
      minebot teach screen.png
      minebot teach --screen --name mygame     the tiles in doubt on the screen now
    """

    image: Path | None = argument("a screenshot", "IMAGE", count="?")
    name: str | None = option("name of the theme (default: look-1, look-2 and so on)", "NAME")
    pictures: Path | None = option(
        "save the pictures of the tiles in doubt in this folder, too", "DIR"
    )


ZOOM = 6
"""How much larger the pictures of tiles are saved."""

WIDEST = 40
"""Most characters in a line of a tile that the terminal shows."""


def run(args: Teach) -> int:
    """Read the picture; ask about every tile in doubt, and keep the answers as a theme."""
    from bot.commands.pictures import calibrated, shots_of
    from bot.record.themes import keep_theme, new_name
    from calibration.classify.by_theme.making import theme_of_tiles
    from calibration.errors import BoardCovered, UnreadableTiles
    from calibration.reader import Reader
    from calibration.reading import Reading
    from calibration.theme import LEARNED

    images = () if args.image is None else (args.image,)
    (shot,) = shots_of(images, screen=args.screen)
    frame = shot.frame
    calibration = calibrated(frame, args)
    found, _ = Reader(calibration).read(frame)
    if isinstance(found, Reading):
        note("Every tile of this board can be read: there is nothing to teach.")
        return 0
    if not isinstance(found, UnreadableTiles | BoardCovered):
        raise found
    answers = ask(found.tiles, args.pictures, found.rivals, replace=args.force)
    if not answers:
        raise UsageError("No tile was named, so nothing is kept.")
    name = args.name or calibration.theme.name.partition("/")[2] or new_name()
    known = calibration.theme if calibration.theme.program == LEARNED else None
    tiles = tiles_named(calibration, answers, found.labels)
    theme = theme_of_tiles(frame, calibration.grid, tiles, f"{LEARNED}/{name}", known)
    doubted, trouble = doubted_with(theme, frame, answers, args)
    if len(doubted) == len(answers):
        raise UsageError(_without_effect(tiles, answers, found.tiles))
    note(f"The theme {name!r} is kept in {keep_theme(theme)}; read and play try it from now on.")
    if doubted:
        named = counted(len(answers), "named tile")
        note(
            f"Of {named} {len(doubted)} cannot be read with it either: "
            f"{'; '.join(cell.place for cell in doubted)}."
        )
    elif trouble is not None:
        note(f"The named tiles are read with it. Of this picture is said: {trouble}")
    return 0


def doubted_with(
    theme: Theme, frame: Frame, answers: Mapping[Cell, int], args: Teach
) -> tuple[list[Cell], CalibrationError | None]:
    """Return the named tiles that the new theme reads differently, or not at all.

    The second value is why the board cannot be read as a whole; None if it can.
    """
    from bot.commands.pictures import near_of, themes_of
    from calibration.calibration import calibrate
    from calibration.errors import CalibrationError, StatusUnclear, Unreadable
    from calibration.reader import Reader
    from calibration.theme import builtin_themes

    themes = (theme, *(themes_of(None) or builtin_themes()))
    try:
        calibration = calibrate(frame, near=near_of(args), mines=args.mines, themes=themes)
    except CalibrationError as error:
        return list(answers), error
    found, _ = Reader(calibration).read(frame)
    read: NDArray[np.int8] | None
    if isinstance(found, Unreadable):
        shown = found.board if isinstance(found, StatusUnclear) else None
        trouble, read = found, found.labels if shown is None else shown.tiles
    else:
        trouble, read = None, found.board.tiles
    if read is None:
        return list(answers), trouble
    rows, cols = read.shape
    inside = {cell for cell in answers if cell.row < rows and cell.col < cols}
    doubted = [cell for cell in answers if cell not in inside or read[cell] != answers[cell]]
    return doubted, trouble


def _without_effect(
    tiles: NDArray[np.int8], answers: Mapping[Cell, int], doubtful: Collection[Cell]
) -> str:
    """Say that the answers change no reading; print the board if they complete it."""
    from bot.terminal.board_text import board_text
    from bot.terminal.console import console
    from solver.board import Board

    useless = "With these answers none of the named tiles is read, so nothing is kept"
    if len(answers) < len(doubtful):
        return f"{useless}: name more of the tiles in doubt, or take a clearer screenshot."
    console().print(board_text(Board(tiles), letters=True), end="\n\n")
    return (
        f"{useless}: take a screenshot of another moment of the game. Above is the board with your "
        "answers, which 'minebot solve FILE' reads as text."
    )


def tiles_named(
    calibration: Calibration, answers: Mapping[Cell, int], read: NDArray[np.int8] | None
) -> NDArray[np.int8]:
    """Return the named tiles, with those that were ``read`` for sure; `UNREAD` elsewhere.

    With the named tiles alone the theme would hardly fit the board that they are on.
    """
    import numpy as np

    from calibration.rules import UNREAD

    grid = calibration.grid
    tiles = np.full((grid.rows, grid.cols), UNREAD, np.int8) if read is None else read.copy()
    for cell, tile in answers.items():
        tiles[cell] = tile
    return tiles


def ask(
    tiles: Mapping[Cell, NDArray[Any]],
    folder: Path | None = None,
    rivals: NDArray[np.int8] | None = None,
    *,
    replace: bool = False,
) -> dict[Cell, int]:
    """Show each tile and ask what it is; tiles that look alike once.

    A terminal shows its picture; with ``folder``, it is saved there too. ``rivals`` are the two
    likeliest tiles of each cell. An end of the input ends the questions.
    """
    import numpy as np

    from bot.terminal.console import console
    from bot.terminal.pictures import save_picture
    from calibration.rules import UNREAD

    answers: dict[Cell, int] = {}
    asked: list[tuple[NDArray[Any], int | None]] = []
    for cell, picture in tiles.items():
        like = next((answer for other, answer in asked if np.array_equal(other, picture)), UNREAD)
        if like == UNREAD:
            if console().is_terminal:
                console().print(in_blocks(picture))
            if folder is not None:
                large = np.repeat(np.repeat(picture, ZOOM, axis=0), ZOOM, axis=1)
                name = f"row-{cell.row + 1}-column-{cell.col + 1}.png"
                save_picture(large, folder / name, replace=replace)
            try:
                like = _answer(_question(cell, rivals))
            except EOFError:
                break
            asked.append((picture, like))
        if like is not None:
            answers[cell] = like
    return answers


def in_blocks(picture: NDArray[np.uint8]) -> Text:
    """Draw a picture with two pixels a character, one above the other, at most `WIDEST` wide."""
    import cv2
    from rich.color import Color
    from rich.style import Style
    from rich.text import Text

    height, width = picture.shape[:2]
    scale = min(1.0, WIDEST / width)
    size = (max(1, round(width * scale)), max(2, 2 * round(height * scale / 2)))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    text = Text()
    for above, below in zip(small[::2], small[1::2], strict=True):
        for top, bottom in zip(above.tolist(), below.tolist(), strict=True):
            text.append("▀", Style(color=Color.from_rgb(*top), bgcolor=Color.from_rgb(*bottom)))
        text.append("\n")
    return text


def _question(cell: Cell, rivals: NDArray[np.int8] | None) -> str:
    """Ask about a cell, with what it may be."""
    from calibration.classify.refusals import TILE_NAMES

    may_be = "" if rivals is None else " or ".join(TILE_NAMES[tile[cell]] for tile in rivals)
    return f"{cell.place.capitalize()}{may_be and f', perhaps {may_be}'}: "


def _answer(question: str) -> int | None:
    from bot.terminal.console import console
    from solver.board import TILE_OF_TEXT

    while True:
        text = input(plain(question)).strip()
        if not text:
            return None
        if text.upper() in TILE_OF_TEXT:
            return int(TILE_OF_TEXT[text.upper()])
        console().print("Answer 0 to 8, #, F, ?, *, X or W; or Enter alone.")
