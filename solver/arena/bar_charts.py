"""Draw win rates as sorted bars with labels: a page per rule for the table, or one for a match.

Every board is a row of three panels with the same agents, so no legend is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from solver.arena.boards import Size
from solver.arena.plots import pyplot, save_figure
from solver.arena.table import TableRow
from solver.arena.tournament import Match, Standing
from solver.counting import counted
from solver.game import Rule

_BAR, _SECOND, _TIME, _WHISKER = "#4c8cbf", "#c9a15a", "#5a5a5a", "#1a1a1a"
_ROW_IN, _HEAD_IN = 0.24, 0.95
"""Height of a bar, and of the space above and below the bars of a board, in inches."""


def plot_table(lines: Sequence[TableRow], path: str | Path, *, replace: bool = False) -> list[Path]:
    """Draw one page for each first-click rule; return the files.

    With several rules, the rule is added to the name of the file: ``table-safe.png``.
    """
    path = Path(path)
    rules = list(dict.fromkeys(line.rule for line in lines))
    pages = []
    for rule in rules:
        page = path if len(rules) == 1 else path.with_stem(f"{path.stem}-{rule.value}")
        own = [line for line in lines if line.rule is rule]
        boards = {
            size: [line.standing for line in own if line.size == size]
            for size in dict.fromkeys(line.size for line in own)
        }
        _draw_page(boards, rule, page, replace=replace)
        pages.append(page)
    return pages


def plot_match(
    match: Match, standings: Sequence[Standing], path: str | Path, *, replace: bool = False
) -> None:
    """Draw the win rates of one match, with the estimates of multiplied survival chances."""
    _draw_page({match.boards.size: list(standings)}, match.boards.rule, Path(path), replace=replace)


def _draw_page(
    boards: dict[Size, list[Standing]], rule: Rule, path: Path, *, replace: bool
) -> None:
    """Draw a row of panels for each board, its agents sorted by their win rate."""
    plt = pyplot()
    heights = [_HEAD_IN + _ROW_IN * len(standings) for standings in boards.values()]
    figure, grid = plt.subplots(
        len(boards),
        3,
        figsize=(13, sum(heights) + 0.5),
        squeeze=False,
        layout="constrained",
        gridspec_kw={"height_ratios": heights, "width_ratios": (3, 2, 2)},
    )
    for row, (size, standings) in zip(grid, boards.items(), strict=True):
        ordered = sorted(standings, key=lambda one: -one.win_rate.value)
        _win_rates(row[0], ordered)
        _opened_before_loss(row[1], ordered)
        _times(row[2], ordered)
        row[0].set_title(f"{size}: games won", loc="left", fontsize=10, fontweight="bold")
        row[1].set_title("open before a loss", loc="left", fontsize=10)
        row[2].set_title("ms a game, logarithmic", loc="left", fontsize=10)
    games = max(one.games for standings in boards.values() for one in standings)
    figure.suptitle(
        f"First click {rule.value}, {counted(games, 'game')} a board and agent, 95 % intervals",
        fontsize=11,
        x=0.01,
        ha="left",
    )
    save_figure(figure, path, replace=replace)


def _win_rates(axes: Any, standings: Sequence[Standing]) -> None:
    """Draw the win rates with their intervals, and estimates as diamonds."""
    places = range(len(standings))
    rates = [one.win_rate for one in standings]
    axes.barh(places, [rate.value for rate in rates], color=_BAR, height=0.72)
    below = [rate.value - rate.low for rate in rates]
    above = [rate.high - rate.value for rate in rates]
    axes.errorbar(
        [rate.value for rate in rates], places, xerr=(below, above), fmt="none", ecolor=_WHISKER
    )
    for place, one in zip(places, standings, strict=True):
        label = f"{100 * one.win_rate.value:.1f} %"
        end = one.win_rate.high
        if one.chance is not None:
            axes.plot([one.chance.value], [place], "D", ms=4, color="#d04a02")
            label += f"   estimated {100 * one.chance.value:.1f} %"
            end = max(end, one.chance.value)
        _label(axes, end, place, label)
    _finish(axes, [one.agent for one in standings], percent=True)


def _opened_before_loss(axes: Any, standings: Sequence[Standing]) -> None:
    for place, one in enumerate(standings):
        share = one.opened_before_loss
        if share is None:
            _label(axes, 0.0, place, "no loss")
        else:
            axes.barh([place], [share], color=_SECOND, height=0.72)
            _label(axes, share, place, f"{100 * share:.0f} %")
    _finish(axes, [""] * len(standings), percent=True)


def _times(axes: Any, standings: Sequence[Standing]) -> None:
    """Draw the time of a game as a dot on a logarithmic axis without minor ticks."""
    times = [max(1e-3, one.ms_per_game) for one in standings]
    axes.set_xscale("log")
    for place, ms in enumerate(times):
        axes.plot([min(times) / 2, ms], [place, place], color="#cccccc", lw=1, zorder=1)
        axes.plot([ms], [place], "o", ms=5, color=_TIME, zorder=2)
        text = f"{ms:.0f}" if ms >= 10 else f"{ms:.2g}"
        axes.annotate(text, (ms, place), (7, 0), textcoords="offset points", va="center", size=8)
    _finish(axes, [""] * len(standings), percent=False)
    low, high = min(times) / 2, max(times) * 6
    axes.set_xlim(low, high)
    powers = [10.0**n for n in range(-3, 9) if low <= 10.0**n <= high]
    axes.set_xticks(powers, [f"{power:g}" for power in powers], fontsize=8)
    axes.minorticks_off()


def _label(axes: Any, x: float, place: int, text: str) -> None:
    axes.annotate(text, (x, place), (5, 0), textcoords="offset points", va="center", size=8)


def _finish(axes: Any, names: Sequence[str], *, percent: bool) -> None:
    """Label the bars, best on top; hide the lines that do not help."""
    axes.set_yticks(range(len(names)), names, fontsize=9)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    if percent:
        axes.set_xlim(0, 1.4)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1.0], ["0", "25", "50", "75", "100 %"], fontsize=8)
