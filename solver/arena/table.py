"""Play every agent on the papers' boards under both first-click rules; add the papers' figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solver.arena.boards import BoardSet, Size
from solver.arena.matches import Match, Standing, play_match, standing
from solver.arena.runs import Workers
from solver.game import Rule

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


@dataclass(frozen=True)
class TableRow:
    """The standing of one agent on boards of one size under one first-click rule."""

    size: Size
    rule: Rule
    standing: Standing


def play_table(
    sizes: Iterable[Size],
    rules: Iterable[Rule],
    agents: tuple[str, ...],
    games: int,
    *,
    seed: int = 0,
    folder: str | Path | None = None,
    workers: Workers | None = None,
    watch: Callable[[str], Callable[[int, int], None]] = lambda label: lambda done, total: None,
) -> list[TableRow]:
    """Play all agents on the same boards of each size and rule.

    Results are kept in ``folder``, one file for each size and rule. ``watch`` is called with a
    label when each of them starts, and returns a progress callback. Agents choose their own first
    cell.
    """
    lines = []
    rules = tuple(rules)
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
    for size in sizes:
        for rule in rules:
            match = Match(
                BoardSet(size, rule, seed=seed), agents, games, seed=seed, with_chance=False
            )
            path = None if folder is None else _results_file(Path(folder), size, rule)
            on_done = watch(f"{size} {rule.value}")
            played = play_match(match, path=path, workers=workers, on_done=on_done)
            lines += [TableRow(size, rule, standing(agent, own)) for agent, own in played.items()]
    return lines


def results_files(folder: Path, sizes: Iterable[Size], rules: Iterable[Rule]) -> list[Path]:
    """Return the files in which `play_table` keeps its results."""
    rules = tuple(rules)
    return [_results_file(folder, size, rule) for size in sizes for rule in rules]


def _results_file(folder: Path, size: Size, rule: Rule) -> Path:
    return folder / f"{size}-{rule.value}.jsonl"


def as_record(line: TableRow, seed: int) -> dict[str, Any]:
    """Return a row as plain values for JSON, with the papers' own figures."""
    sums = line.standing
    return {
        "agent": sums.agent,
        "rows": line.size.rows,
        "cols": line.size.cols,
        "mines": line.size.mines,
        "first": line.rule.value,
        "games": sums.games,
        "wins": sums.wins,
        "win_rate": sums.win_rate.value,
        "ci95": list(sums.win_rate.ci95),
        "opened_before_loss": sums.opened_before_loss,
        "guesses_per_game": sums.guesses_per_game,
        "ms_per_game": sums.ms_per_game,
        "gave_up": sums.gave_up,
        "seed": seed,
        "papers": [
            {
                "source": figure.source,
                "win_rate": figure.win_rate,
                "opened_before_loss": figure.opened_before_loss,
                "games": figure.games,
            }
            for figure in figures_for(str(line.size), sums.agent)
        ],
    }


def as_cells(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record as CSV cells: an interval as two cells, the papers' figures as text."""
    cells: dict[str, Any] = {}
    for key, value in record.items():
        if key.endswith("ci95"):
            cells[f"{key}_low"], cells[f"{key}_high"] = value
        elif key == "papers":
            cells[key] = "; ".join(f"{100 * p['win_rate']:.0f} % ({p['source']})" for p in value)
        else:
            cells[key] = value
    return cells
