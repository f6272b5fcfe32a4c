"""Sentences, tables and JSON lines for what was found: moves, risks, reasons, tiles, errors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table
from rich.text import Text

from bot.events import Blame, GameResult
from bot.failures import sentence_for
from calibration.grid import Grid
from solver import Analysis, Decision, Move
from solver.board import TEXT_OF_TILE, Board, Cell
from solver.counting import counted, percent
from solver.difficulty import Difficulty, efficiency_text
from solver.guesses import Candidate, compare_guesses, describe_cells, guess_words
from solver.proof import Proof, prove
from solver.proof import explain as say_proof

if TYPE_CHECKING:  # the reader loads OpenCV, which moves and risks do without
    from calibration.classify.explain import Explanation, Influence


def decision_line(decision: Decision, board: Board) -> str:
    """Describe a decision: its first move, how many follow, the chances of a guess, the reason.

    >>> from solver import Board, Cell
    >>> from solver.agents.base import Move
    >>> guess = Decision((Move(Cell(0, 1)),), "the least risk", survival=0.75, win=0.5)
    >>> decision_line(guess, Board.from_text("1#"))
    'Guess at row 1, column 2 (75.0 % to survive, 50.0 % to win): the least risk'
    """
    if not decision.moves:
        return f"No move: {decision.reason}"
    first, *others = decision.moves
    more = f" and {len(others)} more" if others else ""
    if decision.certain:
        return f"{first.words(board)}{more}: {decision.reason}"
    win = "" if decision.win is None else f", {percent(decision.win)} to win"
    chances = f"{percent(decision.survival)} to survive{win}"
    return f"Guess at {first.cell.place}{more} ({chances}): {decision.reason}"


def result_line(result: GameResult) -> str:
    """Say how a game ended."""
    why = f" {result.why}" if result.why else ""
    blame = f" ({result.blame.value})" if result.blame else ""
    them = "it" if result.guesses == 1 else "them"
    chance = f"; the chance to survive {them} was {percent(result.chance)}"
    # If the only guess hit a mine, the reason gives its risk.
    one_guess = result.guesses == 1 and result.blame is Blame.BAD_LUCK and "risk" in result.why
    efficiency = efficiency_text(result.bv, result.clicks, result.seconds)
    return (
        f"Game {result.game}: {result.outcome.value}{blame} after {result.seconds:.1f} s, "
        f"{counted(result.clicks, 'click')}, {counted(result.guesses, 'guess', 'guesses')}"
        f"{chance if result.guesses and not one_guess else ''}.{why}"
        f"{' ' if efficiency else ''}{efficiency}"
    )


def fitting_text(log10: float) -> str:
    """Say how many layouts fit, given as a decimal logarithm; a large one as a power of ten."""
    count = f"{round(10**log10):,}" if log10 < 6 else f"10^{log10:.1f}"
    return "1 layout fits" if count == "1" else f"{count} layouts fit"


@dataclass(frozen=True)
class Why:
    """Why one cell is certain, or that it is not.

    ``proof`` is None for a cell that is not certain; ``text`` is one sentence in both cases.
    """

    cell: Cell
    proof: Proof | None
    text: str


def candidates_of(
    board: Board, analysis: Analysis, decision: Decision, count: int
) -> tuple[Candidate, ...]:
    """Return the ``count`` best cells to open, the agent's among them, best first.

    Where cells are certainly safe, these are the candidates; on an untouched board, the agent's
    cell and others by risk. Neither has an estimated win chance.
    """
    if not analysis.safe and board.open.any():
        also = [move.cell for move in decision.moves]
        if not board.covered.any():
            return ()
        return compare_guesses(board, count=count, also=also)[:count]
    cells = list(analysis.safe)
    if not cells:
        cells = [move.cell for move in decision.moves]
        by_risk = np.argsort(analysis.probabilities, axis=None, kind="stable")
        cells += [Cell(*divmod(int(at), board.cols)) for at in by_risk[: count + 1]]
    return describe_cells(board, list(dict.fromkeys(cells))[:count])


def why_certain(board: Board, analysis: Analysis, cell: Cell) -> Why:
    """Prove a covered cell, or say that it is not certain. Raises `BadCell`."""
    proof = prove(board, cell)
    if proof is not None:
        claim = "a mine" if proof.mine else "safe"
        sentence = f"{_capital(cell.place)} is certainly {claim}: {_lower(say_proof(board, proof))}"
        return Why(cell, proof, sentence)
    risk = percent(float(analysis.probabilities[cell]))
    return Why(cell, None, f"{_capital(cell.place)} is not certain: its risk is {risk}.")


def explanation_json(candidates: tuple[Candidate, ...] | None, why: Why | None) -> dict[str, Any]:
    """Describe what was explained: the keys ``candidates`` and ``why``, each only if asked for."""
    keys: dict[str, Any] = {}
    if candidates is not None:
        keys["candidates"] = [candidate_json(one) for one in candidates]
    if why is not None:
        keys["why"] = why_json(why)
    return keys


def candidate_json(candidate: Candidate) -> dict[str, Any]:
    """Describe a candidate; ``numbers`` are the chances that it shows 0 to 8."""
    return {
        "cell": list(candidate.cell),
        "survival": candidate.survival,
        "win": candidate.win,
        "opens_area": candidate.opens_area,
        "safe_after": candidate.safe_after,
        "numbers": list(candidate.numbers),
    }


def why_json(why: Why) -> dict[str, Any]:
    """Describe a proof; ``mine`` is null for a cell that is not certain."""
    proof = why.proof
    return {
        "cell": list(why.cell),
        "mine": None if proof is None else proof.mine,
        "numbers": [] if proof is None else [list(cell) for cell in proof.numbers],
        "uses_total": proof is not None and proof.uses_total,
        "text": why.text,
    }


def candidates_table(candidates: tuple[Candidate, ...]) -> Table:
    """Return a table of the candidates, with the numbers that each may show."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("cell", no_wrap=True)
    for title in ("survives", "wins", "opens\narea", "safe\nafter"):
        table.add_column(Text(title), justify="right", no_wrap=True)
    table.add_column("may show")
    for one in candidates:
        table.add_row(
            one.cell.place,
            percent(one.survival),
            "–" if one.win is None else percent(one.win),
            percent(one.opens_area),
            f"{one.safe_after:.1f}",
            numbers_text(one, 3),
        )
    return table


def best_line(board: Board, candidates: tuple[Candidate, ...]) -> str:
    """Say why the first candidate is the best; nothing of a cell that is certainly safe."""
    best, *rivals = candidates
    if best.survival == 1.0 or not board.open.any():
        return ""
    words = guess_words(board, best, rivals)
    subject = "it " if words.startswith("opens") else ""
    return f"{_capital(best.cell.place)} is the best: {subject}{words}."


def numbers_text(candidate: Candidate, most: int = 4) -> str:
    """Write the likeliest numbers that a candidate may show: ``2 (31 %), 1 (22 %)``."""
    likely = sorted(enumerate(candidate.numbers), key=lambda item: -item[1])
    shown = [(number, chance) for number, chance in likely if chance >= 0.005][:most]
    return ", ".join(f"{number} ({100 * chance:.0f} %)" for number, chance in sorted(shown))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def tiles_lines(explanations: Iterable[Explanation]) -> list[str]:
    """Describe each appearance in a few lines."""
    from calibration.classify.refusals import TILE_NAMES  # noqa: PLC0415

    lines = []
    for one in explanations:
        first = f"Row {one.cells[0].row + 1}, column {one.cells[0].col + 1}" if one.cells else "-"
        more = f" and {len(one.cells) - 1} like it" if len(one.cells) > 1 else ""
        chance, rival = one.chances.get(one.label, 0.0), one.chances.get(one.rival, 0.0)
        doubted = "" if one.confidence else "; not believed"
        lines.append(
            f"{first}{more}: {TILE_NAMES[one.label]} ({chance:.3f}{doubted}), "
            f"else {TILE_NAMES[one.rival]} ({rival:.3f})"
        )
        for name, said in one.cues.items():
            words = ", ".join(f"{TILE_NAMES[tile]} {value:+.1f}" for tile, value in said.items())
            lines.append(f"    {name}: {words}")
        if one.influence is not None:
            lines += [f"    {line}" for line in _influence_lines(one.influence, one.label)]
    return lines


def _influence_lines(influence: Influence, label: int) -> list[str]:
    """Say what the rules exclude, what the tile looks like alone, and which cue decides."""
    from calibration.classify.refusals import TILE_NAMES  # noqa: PLC0415

    excluded = ", ".join(TILE_NAMES[tile] for tile in influence.excluded)
    lines = [f"the numbers around exclude: {excluded or 'nothing'}"]
    if influence.alone != label:
        lines.append(f"by its picture alone: {TILE_NAMES[influence.alone]}; the board decides")
    lines += [f"without '{name}': {TILE_NAMES[other]}" for name, other in influence.without.items()]
    if not influence.without:
        lines.append("no single cue decides: without any one of them it is read alike")
    return lines


def tiles_json(explanations: Iterable[Explanation]) -> dict[str, Any]:
    """Describe the explanations under the key ``explain``; empty without any."""
    found = [
        {
            "cells": [list(cell) for cell in one.cells],
            "tile": TEXT_OF_TILE[one.label],
            "rival": TEXT_OF_TILE[one.rival],
            "confidence": round(one.confidence, 4),
            "chances": _rounded(one.chances),
            "witnesses": {name: _rounded(said) for name, said in one.cues.items()},
            **_influence_json(one.influence),
        }
        for one in explanations
    ]
    return {"explain": found} if found else {}


def _influence_json(influence: Influence | None) -> dict[str, Any]:
    """Describe what made a tile be read so; empty unless a single tile was asked for."""
    if influence is None:
        return {}
    return {
        "excluded": [TEXT_OF_TILE[tile] for tile in influence.excluded],
        "alone": TEXT_OF_TILE[influence.alone],
        "without": {name: TEXT_OF_TILE[tile] for name, tile in influence.without.items()},
    }


def _rounded(values: Mapping[int, float]) -> dict[str, float]:
    return {TEXT_OF_TILE[tile]: round(value, 3) for tile, value in values.items()}


def error_json(error: Exception, *, live: bool = False) -> dict[str, str]:
    """Describe an error: its class and its message, with what helps (see `bot.failures`)."""
    message = " ".join(sentence_for(error, live=live).split())
    return {"error": type(error).__name__, "message": message}


def analysis_json(
    analysis: Analysis,
    decision: Decision,
    ms: float,
    over: str = "",
    difficulty: Difficulty | None = None,
) -> dict[str, Any]:
    """Describe an analysis and the first move of a decision, as `solve` and `advise` print them.

    ``over`` says that the game is over; then there is nothing to open. The ``difficulty`` of a
    board that shows all its mines is added.
    """
    return {
        "probabilities": [
            [None if math.isnan(p) else p for p in row] for row in analysis.probabilities.tolist()
        ],
        "safe": [] if over else [list(cell) for cell in analysis.safe],
        "mines": [list(cell) for cell in analysis.mines],
        "move": None if over else move_json(decision),
        "over": over or None,
        "solutions_log10": analysis.solutions_log10,
        "exact": analysis.exact,
        "ms": ms,
        **({} if difficulty is None else {"difficulty": difficulty.to_json()}),
    }


def move_json(decision: Decision) -> dict[str, Any] | None:
    """Describe the first move of a decision; None if there is none."""
    if not decision.moves:
        return None
    return {
        **_click_json(decision.moves[0]),
        "reason": decision.reason,
        "survival": decision.survival,
        "win": decision.win,
    }


def moves_json(decision: Decision) -> dict[str, Any]:
    """Describe a decision: its first move as `analysis_json` does, and all its moves."""
    moves = [_click_json(move) for move in decision.moves]
    return {"move": move_json(decision), "moves": moves}


def _click_json(move: Move) -> dict[str, Any]:
    return {"cell": list(move.cell), "action": move.action.value}


def grid_json(grid: Grid) -> dict[str, float]:
    """Describe where a grid lies in its frame, in pixels."""
    return {"x0": grid.x0, "y0": grid.y0, "tile_w": grid.tile_w, "tile_h": grid.tile_h}
