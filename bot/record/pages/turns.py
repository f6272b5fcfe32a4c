"""Describe the turns of a game for the script of its page."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np

from bot.record.games import RecordedTurn
from bot.record.mistakes import JudgedGame, JudgedTurn
from solver.board import Board, Cell
from solver.counting import percent
from solver.proof import explain, prove

MOST_PROOFS = 6
"""Certain cells of a turn whose proofs the page says."""

UNREAD_END_NOTE = "The last board could not be read: this is the board before the last turn."


def describe_turn(judged: JudgedTurn, after: Board | None) -> dict[str, Any]:
    """Describe a turn, but for its picture; ``after`` is the next board, None if not known."""
    turn, board = judged.turn, judged.turn.board
    proofs = _proofs(judged)
    move_cells = [move.cell for move in turn.decision.moves]
    mistakes = "; ".join(map(str, judged.mistakes))
    return {
        "number": turn.number,
        "board": board.text_rows(),
        "risks": _risks(judged),
        "moves": [list(cell) for cell in move_cells],
        "best": [list(one.best) for one in judged.mistakes if one.best],
        "decision": _decision(judged),
        "reason": _reason(judged),
        "proofs": proofs,
        "guess": judged.guess,
        "win": judged.win,
        "mistake": f"Mistake: {mistakes}." if mistakes else None,
        "candidates": [
            {
                "cell": list(one.cell),
                "survival": one.survival,
                "win": one.win,
                "opens": one.opens_area,
                "numbers": [round(chance, 3) for chance in one.numbers],
                "chosen": one.cell in move_cells,
            }
            for one in judged.candidates
        ],
        "clicks": " ".join([_clicks(turn), *_not_sent(turn, after)]),
        # The clock of a simulated window stands still while the bot works, and a person has none.
        "ms": ms if (ms := turn.step.get("ms")) and ms.get("read") else None,
        "notes": list(turn.notes),
        "picture": None,
    }


def describe_final(judged: JudgedGame) -> dict[str, Any]:
    """Describe the end as if it were a turn.

    Where the last board could not be read, that of the last turn stands for it, and a note says so.
    """
    board = judged.game.final
    notes = [] if board is not None else [UNREAD_END_NOTE]
    board = judged.turns[-1].turn.board if board is None else board
    return {
        "final": True,
        "board": board.text_rows(),
        "risks": None,
        "moves": [],
        "best": [],
        "decision": ending(judged),
        "reason": "",
        "proofs": [],
        "guess": False,
        "win": None,
        "mistake": None,
        "candidates": [],
        "clicks": "",
        "ms": None,
        "notes": notes,
        "picture": None,
    }


def _risks(judged: JudgedTurn) -> list[list[float | None]] | None:
    """Return the risks of covered cells, three decimals, None on open cells."""
    if judged.analysis is None:
        return None
    rounded = np.round(judged.analysis.probabilities, 3)
    return [[None if isnan(value) else value for value in row] for row in rounded.tolist()]


def _proofs(judged: JudgedTurn) -> list[dict[str, Any]]:
    """Say why the first certain cells of a turn are certain, or what was better than a risk."""
    board = judged.turn.board
    if judged.analysis is None:
        return []
    better = [one.best for one in judged.mistakes if one.best is not None]
    lines = []
    for cell in better if judged.guess else judged.opened[:MOST_PROOFS]:
        proof = prove(board, cell)
        if proof is not None:
            lines.append(
                {
                    "cell": list(cell),
                    "text": explain(board, proof),
                    "numbers": [list(number) for number in proof.numbers],
                }
            )
    return lines


def _decision(judged: JudgedTurn) -> str:
    """Say a turn's decision in one sentence."""
    decision = judged.turn.decision
    if not decision.moves:
        return f"No move: {decision.reason}."
    first, more = decision.moves[0], len(decision.moves) - 1
    others = f" and {more} more" if more else ""
    chance = f" It survives {percent(judged.survival)} of the time." if judged.guess else ""
    again = " It was sent again." if judged.turn.retry else ""
    return f"{first.words(judged.turn.board)}{others}.{chance}{again}"


def _reason(judged: JudgedTurn) -> str:
    """Say what the player gave as the reason, or what is wrong with the board."""
    if judged.analysis is None:
        return "The board as read cannot be analysed: no layout of mines fits it, or too many do."
    return f"{judged.turn.decision.reason[:1].upper()}{judged.turn.decision.reason[1:]}."


def _clicks(turn: RecordedTurn) -> str:
    if (at_s := turn.at_s) is not None:
        cell, button = turn.clicks[0]
        return f"After {at_s:.2f} s: {cell.place} ({button})."
    if not turn.clicks:
        return "No click was sent by the bot."
    named = "; ".join(f"{cell.place} ({button})" for cell, button in turn.clicks[:8])
    more = f" and {len(turn.clicks) - 8} more" if len(turn.clicks) > 8 else ""
    return f"{len(turn.clicks)} sent: {named}{more}."


def _not_sent(turn: RecordedTurn, after: Board | None) -> list[str]:
    """Say why fewer clicks were sent than there are moves.

    A click is left out where its tile does not look as it was read: another click of the turn has
    opened it, or something lies over it.
    """
    clicked = {cell for cell, _ in turn.clicks}
    left = [move.cell for move in turn.decision.moves if move.cell not in clicked]
    if not turn.clicks or not left or after is None:
        return []
    opened = [cell for cell in left if cell.row < after.rows and cell.col < after.cols]
    opened = [cell for cell in opened if after.open[cell]]
    later = [cell for cell in left if cell not in opened]
    lines = []
    if opened:
        lines.append(f"Not sent: {_named(opened)}, which another click opened too.")
    if later:
        lines.append(f"Left for later: {_named(later)}, which looked changed by then.")
    return lines


def _named(cells: Sequence[Cell]) -> str:
    """Name the first cell, and count the others."""
    return f"{cells[0].place}{f' and {len(cells) - 1} more' if len(cells) > 1 else ''}"


def ending(judged: JudgedGame) -> str:
    """Describe how the game ended, how that was recognised, and why it was lost."""
    game = judged.game
    evidence = f"Recognised by: {game.why_over}" if game.why_over else ""
    return " ".join(filter(None, [game.ending, evidence, judged.cause, *game.notes]))
