"""Why a game was lost: told from the last turn and the board that shows the mines."""

from __future__ import annotations

from collections.abc import Iterable

from bot.ports import Button
from bot.turn import Blame, Click
from solver.agents.base import Decision
from solver.board import Board, Cell, Tile

MINED = (Tile.MINE, Tile.EXPLODED)


def attribute(
    board: Board, decision: Decision, clicks: Iterable[Click], final: Board
) -> tuple[Blame, str]:
    """Say why a game was lost, with one sentence for people.

    ``board`` is what was read before the last turn, with the mine total believed in;
    ``final`` the lost board. Programs that show only the exploded mine leave the numbers
    unchecked; then a wrong number cannot be told from a wrong conclusion.
    """
    wrong = misread_cell(board, final)
    if wrong is not None:
        return Blame.MISREAD, f"{_name(wrong)} was read as {board[wrong]}, which cannot be."
    exploded = [cell for cell in final.cells() if final[cell] == Tile.EXPLODED]
    opened = {click.cell for click in clicks if click.button is not Button.RIGHT}
    stray = [cell for cell in exploded if not _caused(cell, opened, board)]
    if not opened or stray:
        where = _name(stray[0]) if stray else "A cell"
        return Blame.MISCLICK, f"{where} exploded, which the bot did not mean to open."
    if board.covered.all():
        return Blame.BAD_LUCK, "The first click hit: this program does not spare it."
    if not decision.certain:
        return Blame.BAD_LUCK, f"The guess had a risk of {1 - decision.survival:.1%}."
    total = int((final.tiles == Tile.MINE).sum() + (final.tiles == Tile.EXPLODED).sum())
    if board.mines is not None and total > board.mines:
        return (
            Blame.MISREAD,
            f"The mine total was taken to be {board.mines}, but {total} are shown.",
        )
    return Blame.SOLVER_FAULT, "A cell called safe was a mine."


def misread_cell(board: Board, final: Board) -> Cell | None:
    """Find an open number of ``board`` that the mines shown on ``final`` contradict.

    A number may have more mines around it than are shown (flags on mines stay flags), but
    never fewer than the mines shown, and never more than mines, flags and closed cells.
    """
    if board.tiles.shape != final.tiles.shape:
        return None
    for cell in board.cells():
        if board[cell] < 0:
            continue
        around = [final[near] for near in board.neighbours(cell)]
        mines = sum(tile in MINED for tile in around)
        possible = mines + sum(tile in (Tile.FLAG, Tile.HIDDEN, Tile.QUESTION) for tile in around)
        if not mines <= board[cell] <= possible or final[cell] not in (board[cell], *MINED):
            return cell
    return None


def _caused(cell: Cell, opened: set[Cell], board: Board) -> bool:
    """Whether a click on one of ``opened`` can have set off ``cell``: itself or by a chord."""
    return cell in opened or any(
        near in opened and board[near] > 0 for near in board.neighbours(cell)
    )


def _name(cell: Cell) -> str:
    return f"Row {cell.row + 1}, column {cell.col + 1}"
