"""The status of a game, told from its board and from what stands beside it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibration.errors import StatusUnclear
from calibration.frame import Frame
from calibration.indicators.smiley import Smiley
from calibration.indicators.words import Said
from calibration.rules import Tiles, shows_win_or_loss, signs_of_loss, status_of
from calibration.theme import LEARNED, Theme
from solver.board import Board, Tile
from solver.game import Status


def told_status(
    frame: Frame,
    board: Board,
    theme: Theme,
    smiley: Smiley,
    words: Callable[[], Said | None],
    lives: Callable[[], bool],
    *,
    counted: bool,
    before: Tiles | None,
) -> Status:
    """Tell the status of the game on ``board``, which was read from ``frame``.

    If every safe cell is open, the board says that the game is won. A learned smiley may still
    show a game in play: the program wants all mines flagged first, or its smiley came to show the
    wrong status after many quick clicks (minegauler). Then trust the board. ``counted`` says that
    the mine counter was read, and ``before`` is the last board of this game that showed no
    mine, None if there was none. Then ``words`` is asked what the window says if the board does not
    tell enough, and ``lives`` whether it counts lives if a lone mine is shown, or no cell is left;
    both take a second.

    Raises `StatusUnclear` if the two disagree in any other way, or if an unknown program shows too
    little.
    """
    tiles = board.tiles
    status = status_of(tiles, board.mines)
    unmarked = np.isin(tiles, (Tile.HIDDEN, Tile.QUESTION))
    all_safe_open = status is Status.WON and bool(unmarked.any())
    if all_safe_open and theme.profile.flags_to_win:
        if theme.smileys and not smiley.is_known(frame):
            raise StatusUnclear(
                "All that is free is open. Whether that is a win cannot be told: the tiles are "
                f"those of {theme.program}, but not what stands above them."
            )
        status = Status.PLAYING
    in_play = theme.profile.counter_only_in_play and counted
    shown = Status.PLAYING if in_play else smiley.status(frame)
    if status is Status.LOST and theme.program == LEARNED and shown is None:
        return _loss(frame, board, smiley, words, lives, before)
    still_smiles = smiley.learns and (shown, status) == (Status.PLAYING, Status.WON)
    if shown not in (None, status) and not still_smiles:
        raise _disagree(status, shown)
    return status


def _disagree(board: Status, window: Status) -> StatusUnclear:
    return StatusUnclear(
        f"The board says {board.value}, but the window says {window.value}: wait until the window "
        "no longer changes, and try again."
    )


def _loss(
    frame: Frame,
    board: Board,
    smiley: Smiley,
    words: Callable[[], Said | None],
    lives: Callable[[], bool],
    before: Tiles | None,
) -> Status:
    """Tell whether a board that shows mines, of an unknown program, is lost: mostly it is.

    Raises `StatusUnclear` if that is not certain. A lone mine on a board that was not seen before
    may have taken one of several lives, which a face above it may tell, but how a sad one looks is
    not known. On 53 pages four games were lost so, without a face, and three, with one, went on.
    """
    tiles = board.tiles
    unclear, signs = before is None and shows_win_or_loss(tiles), signs_of_loss(tiles, before)
    finished = not (tiles == Tile.HIDDEN).any()
    lone = before is None and np.isin(tiles, (Tile.MINE, Tile.EXPLODED)).sum() == 1
    if before is None and (lone or finished) and lives():
        raise StatusUnclear(
            "A mine exploded, but lives are counted there: the game may not be lost.",
            board,
            may_change=True,
        )
    may_be_won, may_go_on = unclear or (lone and finished), lone and smiley.box is not None
    asked = before is None and (may_be_won or may_go_on or finished or signs < 2)
    said = words() if asked else None
    if said is not None and may_be_won:
        return said.status
    if said is not None and finished and said.status is Status.WON:
        raise _disagree(Status.LOST, said.status)
    if may_be_won and smiley.wears_sunglasses(frame):
        return Status.WON
    told_lost = said is not None and said.status is Status.LOST
    if signs + told_lost < 2:
        raise StatusUnclear(
            "The game seems lost, but only one sign of that is seen: wait until the window "
            "no longer changes, and try again.",
            board,
            may_change=True,
        )
    if unclear:
        raise StatusUnclear(
            "The game is over, but the board does not tell whether it is won or lost: all "
            "mines are shown, and no cell is left to open. Start a new game.",
            board,
        )
    if (may_be_won or may_go_on) and not told_lost:
        raise StatusUnclear(
            "One mine is shown, but no word says that the game is over: with a life less it may go "
            "on, or be won. Start a new game, or play on until it ends.",
            board,
            may_change=True,
        )
    return Status.LOST
