"""Why a game was lost, found from its last turn and the board that shows the mines."""

from __future__ import annotations

from collections.abc import Iterable

from bot.desktop.ports import Button
from bot.events import Blame, Click
from solver.agents.base import Decision
from solver.analysis import analyse
from solver.board import Board, Cell, Tile
from solver.counting import counted, percent
from solver.errors import CannotAnalyse

MINE_TILES = (Tile.MINE, Tile.EXPLODED)


def explain_loss(
    board: Board, decision: Decision, clicks: Iterable[Click], final: Board
) -> tuple[Blame, str]:
    """Return why a game was lost, and one sentence that explains it.

    ``board`` is the board read before the last turn, with the mine total that was assumed;
    ``final`` is the lost board. If a program shows only the exploded mine, the numbers cannot be
    checked, and it is unknown whether one was misread or the solver was wrong.
    """
    wrong = misread_cell(board, final)
    if wrong is not None:
        return (
            Blame.MISREAD,
            f"{_describe(wrong)} was read as {board[wrong]}, which the mines contradict.",
        )
    exploded = [cell for cell in final.cells() if final[cell] == Tile.EXPLODED]
    opened = {click.cell for click in clicks if click.button is not Button.RIGHT}
    # A program may draw all mines like the one that exploded, or each in another colour.
    meant = any(_may_have_exploded(cell, opened, board) for cell in exploded)
    meant |= any(final[cell] == Tile.MINE for cell in opened)
    # Or it shows one after another, and the one that was clicked is still covered.
    covered = any(final[cell] == Tile.HIDDEN for cell in opened)
    meant |= covered and not _shows_all_mines(board, final)
    if not opened or (exploded and not meant):
        where = _describe(exploded[0]) if exploded else "A cell"
        return Blame.MISCLICK, f"{where} exploded, but the bot did not mean to open it."
    if board.covered.all():
        return Blame.BAD_LUCK, "The first click hit a mine: this program does not keep it free."
    if not decision.certain:
        if safe := certainly_safe(board):
            return Blame.MISTAKE, f"{_describe(safe[0])} was certainly safe."
        return Blame.BAD_LUCK, f"The guess had a risk of {percent(1 - decision.survival)}."
    total = int((final.tiles == Tile.MINE).sum() + (final.tiles == Tile.EXPLODED).sum())
    if board.mines is not None and total > board.mines:
        return (
            Blame.MISREAD,
            f"The mine total was taken to be {board.mines}, but the program shows "
            f"{counted(total, 'mine')}.",
        )
    if not _shows_all_mines(board, final):
        return (
            Blame.UNKNOWN,
            "A cell that was called safe was a mine; the lost board does not show enough to tell "
            "whether a number was misread.",
        )
    return Blame.SOLVER_FAULT, "A cell that the solver called safe was a mine."


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
    """
    if board.tiles.shape != final.tiles.shape:
        return None
    for cell in board.cells():
        if board[cell] < 0:
            continue
        around = [final[near] for near in board.neighbours(cell)]
        mines = sum(tile in MINE_TILES for tile in around)
        possible = mines + sum(tile in (Tile.FLAG, Tile.HIDDEN, Tile.QUESTION) for tile in around)
        if not mines <= board[cell] <= possible or final[cell] not in (board[cell], *MINE_TILES):
            return cell
    return None


def _may_have_exploded(cell: Cell, opened: set[Cell], board: Board) -> bool:
    """Whether a click on one of ``opened``, or a chord on it, can have exploded ``cell``."""
    return cell in opened or any(
        near in opened and board[near] > 0 for near in board.neighbours(cell)
    )


def _describe(cell: Cell) -> str:
    return f"Row {cell.row + 1}, column {cell.col + 1}"
