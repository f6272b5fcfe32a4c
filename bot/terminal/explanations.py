"""Explain a position: the best cells to open side by side, and why a cell is certain.

`solve`, `advise` and manual play use it. People count rows and columns from 1, JSON from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.table import Table

from solver.agents.base import Decision
from solver.analysis import Analysis
from solver.board import Board, Cell
from solver.counting import percent
from solver.guesses import Candidate, compare_guesses, describe_cells, guess_words, what_it_opens
from solver.proof import Proof, prove
from solver.proof import explain as say_proof


@dataclass(frozen=True)
class Why:
    """Why one cell is certain, or that it is not.

    ``proof`` is None for a cell that is not certain; ``text`` is one sentence in both cases.
    """

    cell: Cell
    proof: Proof | None
    text: str


@dataclass(frozen=True)
class Explanation:
    """What a person asked to be explained; None for what nobody asked for."""

    candidates: tuple[Candidate, ...] | None = None
    why: Why | None = None

    @property
    def proof(self) -> Proof | None:
        """The proof to highlight, if there is one."""
        return None if self.why is None else self.why.proof


def explain_position(
    board: Board,
    analysis: Analysis,
    decision: Decision,
    *,
    count: int | None = None,
    cell: Cell | None = None,
) -> Explanation:
    """Compare the ``count`` best cells to open, and prove ``cell`` if it is certain.

    Raises `BadCell` for a cell that is open or not on the board.
    """
    return Explanation(
        None if count is None else candidates_of(board, analysis, decision, count),
        None if cell is None else why_certain(board, analysis, cell),
    )


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


def explanation_json(explanation: Explanation) -> dict[str, Any]:
    """Describe an explanation: the keys ``candidates`` and ``why``, each only if asked for."""
    keys: dict[str, Any] = {}
    if explanation.candidates is not None:
        keys["candidates"] = [candidate_json(one) for one in explanation.candidates]
    if explanation.why is not None:
        keys["why"] = why_json(explanation.why)
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
    table.add_column("\ncell", no_wrap=True)
    for title in ("\nsurvives", "\nwins", "opens\narea", "safe\nafter"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("\nmay show")
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


def candidate_line(candidate: Candidate) -> str:
    """Say a candidate in one line."""
    win = "" if candidate.win is None else f", wins {percent(candidate.win)}"
    survives = f"survives {percent(candidate.survival)}"
    return f"{_capital(candidate.cell.place)}: {survives}{win}, {what_it_opens(candidate)}"


def numbers_text(candidate: Candidate, most: int = 4) -> str:
    """Write the likeliest numbers that a candidate may show: ``2 (31 %), 1 (22 %)``."""
    likely = sorted(enumerate(candidate.numbers), key=lambda item: -item[1])
    shown = [(number, chance) for number, chance in likely if chance >= 0.005][:most]
    return ", ".join(f"{number} ({100 * chance:.0f} %)" for number, chance in sorted(shown))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
