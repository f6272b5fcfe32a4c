"""Figures that the papers publish, to show beside the figures of our agents.

Each figure names the board it was measured on. If the player is not one of our agents (a learned
player, or a figure that a paper quotes), ``agent`` is None and ``player`` says whose figure it is.
"""

from __future__ import annotations

from dataclasses import dataclass

_THESIS = "thesis, table 5.1"
_QUOTED = "quoted in the thesis, figure 3.3"
_NEURAL = "quoted in the thesis, 3.2.1"


@dataclass(frozen=True)
class Figure:
    """A published figure. ``win_rate`` and ``opened_before_loss`` are shares, ``board`` a size."""

    board: str
    player: str
    source: str
    agent: str | None = None
    win_rate: float | None = None
    opened_before_loss: float | None = None
    guesses: float | None = None
    games: int | None = None


def _thesis(
    board: str,
    gac: float,
    three: float,
    learned: float,
    before: float,
    asked: float,
    before_learned: float,
) -> tuple[Figure, ...]:
    return (
        Figure(board, "first method", _THESIS, "gac", gac, games=1000),
        Figure(
            board, "three methods", f"{_THESIS}, 5.3", "contradiction", three, before, games=1000
        ),
        Figure(
            board,
            "three methods and a learned model",
            f"{_THESIS}, 5.2, 5.3",
            "csp-dqn",
            learned,
            before_learned,
            asked,
            1000,
        ),
    )


FIGURES = (
    *_thesis("9x9x10", 0.25, 0.57, 0.90, 0.14, 2.4, 0.37),
    *_thesis("16x16x40", 0.10, 0.38, 0.72, 0.17, 2.3, 0.38),
    *_thesis("16x30x85", 0.01, 0.20, 0.47, 0.20, 1.8, 0.38),
    Figure("16x30x99", "Tank without endgame tactics", "article", "tank-no-endgame", 0.20),
    Figure("16x30x99", "Tank with both endgame tactics", "article", "tank", 0.50),
    Figure("9x9x9", "periphery", "README", "periphery", 0.88, games=100),
    Figure("16x16x40", "periphery", "README", "periphery", 0.77, games=100),
    Figure("16x30x99", "periphery", "README", "periphery", 0.41, games=100),
    Figure("9x9x10", "Stanford, logic", _QUOTED, "straightforward", 0.69, 0.83, games=1000),
    Figure("16x16x40", "Stanford, logic", _QUOTED, "straightforward", 0.37, 0.65, games=1000),
    Figure("24x24x99", "Stanford, logic", _QUOTED, "straightforward", 0.09, 0.49, games=100),
    Figure("9x9x10", "Stanford, CSP", _QUOTED, None, 0.77, 0.99, games=30),
    Figure("16x16x40", "Stanford, CSP", _QUOTED, None, 0.60, 0.31, games=10),
    Figure("24x24x99", "Stanford, CSP", _QUOTED, None, 0.00, 0.07, games=10),
    Figure("9x9x10", "Stanford, both", _QUOTED, None, 0.95, 0.97, games=1000),
    Figure("16x16x40", "Stanford, both", _QUOTED, None, 0.84, 0.81, games=50),
    Figure("24x24x99", "Stanford, both", _QUOTED, None, 0.70, 0.90, games=30),
    Figure("9x9x10", "neural network (Sajjad)", _NEURAL, None, 0.91),
    Figure("16x16x40", "neural network (Sajjad)", _NEURAL, None, 0.72),
    Figure("16x30x99", "neural network (Sajjad)", _NEURAL, None, 0.21),
)


def figures_for(board: str, agent: str) -> list[Figure]:
    """List the papers' figures for one of our agents on one board."""
    return [figure for figure in FIGURES if (figure.board, figure.agent) == (board, agent)]


def others_on(board: str) -> list[Figure]:
    """List the papers' figures for players that are not among our agents."""
    return [figure for figure in FIGURES if figure.board == board and figure.agent is None]
