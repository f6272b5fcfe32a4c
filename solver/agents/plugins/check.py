"""What a plug-in's decision must be: a `Decision` that can be carried out on the board."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from solver.agents.base import Action, Decision, Move
from solver.board import Board, Cell, Tile
from solver.counting import counted
from solver.errors import AgentFailed

MOST_LETTERS = 1000
"""Letters of a reason that are kept."""

GIVES_UP = "gives up: "
"""Start of the reason in a decision of `solver.agents.give_up`."""


def checked(name: str, board: Board, answer: Any) -> Decision:
    """Return the answer as a decision that can be carried out on ``board``.

    Raises `AgentFailed`, with one sentence that names the agent, for anything that makes no sense.
    """
    if not isinstance(answer, Decision):
        raise AgentFailed(f"The agent {name} returned {_short(answer)} and not a Decision.")
    if not isinstance(answer.moves, tuple | list):
        raise AgentFailed(f"The agent {name} returned {_short(answer.moves)} as its moves.")
    moves = tuple(_checked_move(name, board, move) for move in answer.moves)
    if not moves:
        _check_no_moves(name, board, answer)
    if len({move.cell for move in moves}) < len(moves):
        raise AgentFailed(f"The agent {name} names a cell twice in one decision.")
    survival = _chance(name, "survival", answer.survival)
    win = None if answer.win is None else _chance(name, "win", answer.win)
    reason = " ".join(str(answer.reason).split())[:MOST_LETTERS]
    return Decision(moves, "".join(filter(str.isprintable, reason)), survival, win)


def _checked_move(name: str, board: Board, move: Any) -> Move:
    """Return a move of plain values. Raises `AgentFailed`."""
    try:
        (row, col), action = move
    except (TypeError, ValueError):
        raise AgentFailed(f"The agent {name} returned {_short(move)} as a move.") from None
    if not (isinstance(row, Integral) and isinstance(col, Integral) and isinstance(action, Action)):
        raise AgentFailed(f"The agent {name} returned {_short(move)} as a move.")
    cell = Cell(int(row), int(col))
    place = f"row {cell.row}, column {cell.col} (counted from 0)"
    if not (0 <= cell.row < board.rows and 0 <= cell.col < board.cols):
        raise AgentFailed(
            f"The agent {name} chose {place}, which is not on the {board.rows}x{board.cols} board."
        )
    if action is Action.CHORD and board[cell] <= 0:
        raise AgentFailed(
            f"The agent {name} wants a chord on {place}, which is not an open number."
        )
    if action is not Action.CHORD and not Tile.QUESTION <= board[cell] <= Tile.HIDDEN:
        raise AgentFailed(
            f"The agent {name} wants to {action.value} {place}, which is not covered."
        )
    return Move(cell, action)


def _check_no_moves(name: str, board: Board, answer: Decision) -> None:
    """Let a decision without moves pass where nothing is left to open, or if it gives up."""
    mines = board.mines
    if mines is not None:
        mines -= int(((board.tiles == Tile.MINE) | (board.tiles == Tile.EXPLODED)).sum())
    covered = int(board.covered.sum())
    gives_up = answer.survival == 0.0 and str(answer.reason).startswith(GIVES_UP)
    if covered and covered != mines and not gives_up:
        raise AgentFailed(
            f"The agent {name} makes no move while "
            f"{counted(covered, 'cell is covered', 'cells are covered')}; "
            "an agent that stops returns solver.agents.give_up(why)."
        )


def _chance(name: str, what: str, value: Any) -> float:
    if isinstance(value, Real) and 0.0 <= float(value) <= 1.0:
        return float(value)
    raise AgentFailed(
        f"The agent {name} gives {_short(value)} as its {what}, which is not a chance."
    )


def _short(value: Any) -> str:
    """Write a value on one line, cut where it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
