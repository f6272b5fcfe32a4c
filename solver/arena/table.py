"""Play every agent on the papers' boards under both first-click rules; add the papers' figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solver.arena.boards import BoardSet, Size
from solver.arena.engine import Workers
from solver.arena.paper_figures import figures_for
from solver.arena.tournament import Match, Standing, play_match, standing
from solver.game import Rule


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
