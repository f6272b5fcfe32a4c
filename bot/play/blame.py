"""Why a game was lost, found from its last turn and the board that shows the mines."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bot.desktop.ports import Button
from bot.events import Blame, Click
from calibration.rules import mines_in
from solver.agents.base import Decision
from solver.analysis import analyse
from solver.board import Board, Cell, Tile, count_neighbours
from solver.counting import counted, percent
from solver.errors import CannotAnalyse

MINE_TILES = (Tile.MINE, Tile.EXPLODED)
MAY_BE_MINES = (Tile.FLAG, Tile.HIDDEN, Tile.QUESTION, Tile.UNKNOWN)


def explain_loss(
    board: Board, decision: Decision, clicks: Iterable[Click], final: Board
) -> tuple[Blame, str]:
    """Return why a game was lost, and one sentence that explains it.

    ``board`` is the board read before the last turn, with the mine total that was assumed;
    ``final`` is the lost board, on which tiles in doubt are unknown: they speak against nothing. If
    a program shows only the exploded mine, the numbers cannot be checked, and it is unknown whether
    one was misread or the solver was wrong.
    """
    final = _without_marks_of_mines(board, final)
    wrong = misread_cell(board, final)
    if wrong is not None:
        return (
            Blame.MISREAD,
            f"{_describe(wrong)} was read as {board[wrong]}, which the mines contradict.",
        )
    opened = {click.cell for click in clicks if click.button is not Button.RIGHT}
    if not opened or _fell_elsewhere(board, final, opened):
        exploded = [cell for cell in final.cells() if final[cell] == Tile.EXPLODED]
        if exploded or not opened:
            where = _describe(exploded[0]) if exploded else "A cell"
            return Blame.MISCLICK, f"{where} exploded, but the bot did not mean to open it."
        return (
            Blame.MISCLICK,
            "No cell that the bot meant to open is a mine: a click opened another cell, perhaps "
            "because the board moved.",
        )
    if board.covered.all():
        return Blame.BAD_LUCK, "The first click hit a mine: this program does not keep it free."
    if not decision.certain:
        if safe := certainly_safe(board):
            return Blame.MISTAKE, f"{_describe(safe[0])} was certainly safe."
        return Blame.BAD_LUCK, f"The guess had a risk of {percent(1 - decision.survival)}."
    total = int(mines_in(final.tiles).sum())
    if board.mines is not None and total > board.mines:
        return (
            Blame.MISREAD,
            f"The mine total was taken to be {board.mines}, but the program shows "
            f"{counted(total, 'mine')}.",
        )
    hit = any(final[cell] in MINE_TILES for cell in _reached(opened, board))
    if not (hit and _shows_all_mines(board, final)):
        return (
            Blame.UNKNOWN,
            "A cell that was called safe was a mine; the lost board does not show enough to tell "
            "whether a number was misread.",
        )
    return Blame.SOLVER_FAULT, "A cell that the solver called safe was a mine."


def _without_marks_of_mines(board: Board, final: Board) -> Board:
    """Return the lost board with those wrong flags unknown that were no flags before.

    A program may cross out its mines: what was no flag can be no wrong one.
    """
    if board.tiles.shape != final.tiles.shape:
        return final
    crossed = (final.tiles == Tile.WRONG_FLAG) & (board.tiles != Tile.FLAG)
    return Board(np.where(crossed, np.int8(Tile.UNKNOWN), final.tiles), final.mines)


def _reached(opened: set[Cell], board: Board) -> set[Cell]:
    """Return the covered cells that clicks on ``opened`` were to open, by chords too."""
    chords = (near for cell in opened if board[cell] > 0 for near in board.neighbours(cell))
    return {cell for cell in (*opened, *chords) if not board[cell] >= 0}


def _fell_elsewhere(board: Board, final: Board, opened: set[Cell]) -> bool:
    """Whether no cell that was to be opened can be the mine that ended the game.

    An exploded mine beside all of them shows it. A program may draw all mines like the one that
    exploded, or each in another colour: then one of the cells must be none of the mines in sight.
    """
    tiles, mined = final.tiles, mines_in(final.tiles)
    if board.tiles.shape != tiles.shape or not mined.any():
        return False
    reached = _reached(opened, board)
    if any(mined[cell] or tiles[cell] == Tile.UNKNOWN for cell in reached):
        return False
    left = [cell for cell in reached if tiles[cell] < 0]
    if (tiles == Tile.EXPLODED).any() and (not left or _shows_all_mines(board, final)):
        return True
    # Mines may be shown one after another, and the one that was clicked be covered still.
    numbers, marked_mines = tiles >= 0, mined | (tiles == Tile.FLAG)
    exact = bool((tiles == count_neighbours(marked_mines))[numbers].all())
    beside = count_neighbours(numbers) > 0
    all_shown = board.mines == int(marked_mines.sum())
    return exact and all(all_shown or beside[cell] for cell in left)


def certainly_safe(board: Board) -> tuple[Cell, ...]:
    """Return the cells that an agent could have opened without a risk."""
    try:
        return analyse(board).safe
    except CannotAnalyse:
        return ()


def _shows_all_mines(board: Board, final: Board) -> bool:
    """Whether every number of ``board`` has as many mines and flags around it on ``final``."""
    return board.tiles.shape == final.tiles.shape and all(
        board[cell]
        == sum(final[near] in (*MINE_TILES, Tile.FLAG) for near in board.neighbours(cell))
        for cell in board.cells()
        if board[cell] >= 0
    )


def misread_cell(board: Board, final: Board) -> Cell | None:
    """Find an open number of ``board`` that the mines on ``final`` contradict; None without one.

    Around a number, ``final`` may show fewer mines than it says, because flags on mines stay
    flags. But it cannot show more, and mines, flags and covered cells together cannot be fewer.
    A tile in doubt may be anything.
    """
    if board.tiles.shape != final.tiles.shape:
        return None
    for cell in board.cells():
        if board[cell] < 0:
            continue
        around = [final[near] for near in board.neighbours(cell)]
        mines = sum(tile in MINE_TILES for tile in around)
        possible = mines + sum(tile in MAY_BE_MINES for tile in around)
        stays = final[cell] in (board[cell], *MINE_TILES, Tile.UNKNOWN)
        if not (mines <= board[cell] <= possible and stays):
            return cell
    return None


def _describe(cell: Cell) -> str:
    return f"Row {cell.row + 1}, column {cell.col + 1}"
