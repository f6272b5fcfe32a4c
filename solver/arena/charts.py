"""Draw charts as PNG or SVG: sweeps, win rates as sorted bars, and the progress of a training run.

The only import of matplotlib. Each series has the same colour, marker and name in all charts;
intervals are bands or whiskers. In a bar chart every board is a row of three panels with the same
agents, so no legend is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.arena.boards import Size
from solver.arena.matches import Match, Standing
from solver.arena.statistics import Estimate
from solver.arena.sweep import Sweep, SweepPoint
from solver.arena.table import TableRow
from solver.counting import counted
from solver.errors import MissingExtra, SolverError
from solver.files import fill_file
from solver.game import Rule

_MARKERS = "os^Dv<>PX*"
_MANY = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#000000"),
    *("#8c564b", "#7f7f7f", "#bcbd22", "#17becf", "#9467bd", "#2ca02c", "#aec7e8"),
)
"""Okabe and Ito's seven colours for colour-blind readers, then seven more."""


def check_plot_path(path: str | Path) -> None:
    """Check before a long run whether a chart can be drawn.

    Raises `MissingExtra` without matplotlib, `SolverError` for a file that is neither PNG nor SVG.
    """
    pyplot()
    path = Path(path)
    if path.suffix.lower() not in (".png", ".svg"):
        raise SolverError(f"Charts are written as .png or .svg, not {path.suffix or path.name!r}.")


def plot_sweep(
    sweep: Sweep, points: Sequence[SweepPoint], path: str | Path, *, replace: bool = False
) -> None:
    """Draw score and win rate against mine density, one line an agent."""
    plt = pyplot()
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    for index, agent in enumerate(sweep.agents):
        own = [point for point in points if point.agent == agent]
        densities = [point.density for point in own]
        for axes, values in (
            (left, [point.score for point in own]),
            (right, [point.win_rate for point in own]),
        ):
            _line(axes, densities, values, agent, index)
    for axes, title in (
        (left, "mines safely identified / all mines"),
        (right, "share of games without a mine stepped on"),
    ):
        axes.set(xlabel="mine density", ylabel=title, ylim=(-0.02, 1.02))
        axes.grid(alpha=0.3)
    left.legend(frameon=False)
    figure.suptitle(
        f"{sweep.rows}x{sweep.cols}, {counted(sweep.runs, 'board')} a density, "
        "same boards for all, 95 %"
    )
    save_figure(figure, path, replace=replace)


def _line(
    axes: Any, xs: Sequence[float], values: Sequence[Estimate], name: str, index: int
) -> None:
    colour = _MANY[index % len(_MANY)]
    marker = _MARKERS[index % len(_MARKERS)]
    axes.plot(xs, [v.value for v in values], marker=marker, color=colour, label=name, ms=4)
    low, high = [v.low for v in values], [v.high for v in values]
    axes.fill_between(xs, low, high, color=colour, alpha=0.15, lw=0)


def save_figure(figure: Any, path: str | Path, *, replace: bool = False) -> None:
    """Write a figure to ``path``, a .png or .svg file, and close it. Raises `OSError`."""
    kind = Path(path).suffix[1:].lower()
    fill_file(path, lambda file: figure.savefig(file, dpi=150, format=kind), replace=replace)
    pyplot().close(figure)


def pyplot() -> Any:
    """Import matplotlib's pyplot without a window. Raises `MissingExtra`."""
    try:
        import matplotlib  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("Charts need", "plots") from error
    matplotlib.use("agg")
    matplotlib.rcParams["text.parse_math"] = False  # a name may hold any sign
    import matplotlib.pyplot as plt  # noqa: PLC0415

    return plt


# ---- win rates of the table and of a match -------------------------------------------------------


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


# ---- progress of a training run ------------------------------------------------------------------

FEW_POINTS = 30
"""A curve of at most this many points gets markers, because a single point has no line."""


def is_measured(curve: NDArray[Any]) -> bool:
    """Whether a curve has a loss or a score that can be drawn."""
    return bool(np.isfinite(curve[:, 1:]).any())


def plot_curve(
    agent: str, curve: NDArray[Any], measure: str, path: str | Path, *, replace: bool = False
) -> None:
    """Draw loss and ``measure`` over the rounds; ``curve`` has the columns of `training.CURVE`."""
    figure, panels = pyplot().subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
    for axes, values, name, colour in (
        (panels[0], curve[:, 1], "loss", "#0072b2"),
        (panels[1], curve[:, 2], measure, "#e69f00"),
    ):
        axes.set(ylabel=name)
        axes.grid(alpha=0.3)
        if np.isfinite(values).any():
            mark = "o" if len(values) <= FEW_POINTS else ""
            axes.plot(curve[:, 0], values, color=colour, lw=1, marker=mark, ms=4)
        else:
            axes.set(yticks=[])
            axes.text(0.5, 0.5, "not measured yet", ha="center", transform=axes.transAxes)
    if np.isfinite(curve[:, 1]).any():
        panels[0].set_yscale("log")
    panels[1].set_xlabel("round")
    panels[1].set_xlim(left=0)
    panels[1].locator_params(axis="x", integer=True)
    figure.suptitle(f"training of {agent}")
    save_figure(figure, path, replace=replace)
