"""Charts for a report: PNG or SVG by the file's ending. The only matplotlib import.

Every series keeps its colour, marker and name over all charts; intervals are bands or whiskers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from solver.arena.statistics import Estimate
from solver.arena.sweep import Point, Sweep
from solver.arena.table import Line
from solver.errors import MissingExtra

_MARKERS = "os^Dv<>PX*"
_MANY = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#000000"),
    *("#8c564b", "#7f7f7f", "#bcbd22", "#17becf", "#9467bd", "#2ca02c", "#aec7e8"),
)
"""Okabe and Ito's seven colours, told apart by the colour-blind too, and then some."""


def check_plot_path(path: Path) -> None:
    """Find out before a long run whether a chart can be drawn at all.

    Raises `MissingExtra` without matplotlib or for a file that is neither PNG nor SVG.
    """
    _pyplot()
    if path.suffix.lower() not in (".png", ".svg"):
        raise MissingExtra(f"Charts are written as .png or .svg, not {path.suffix or path.name!r}.")


def plot_sweep(sweep: Sweep, points: Sequence[Point], path: Path) -> None:
    """Draw score and win rate against mine density, one line an agent."""
    plt = _pyplot()
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
        f"{sweep.rows}x{sweep.cols}, {sweep.runs} boards a density, same boards for all, 95 %"
    )
    _save(figure, path)


def plot_table(lines: Sequence[Line], path: Path) -> None:
    """Draw win rate, board opened before a loss, and strength against time, a row a board."""
    plt = _pyplot()
    settings = list(dict.fromkeys((line.size, line.rule) for line in lines))
    agents = list(dict.fromkeys(line.standing.agent for line in lines))
    height = max(3.0, 0.26 * len(agents) + 1.0)
    figure, grid = plt.subplots(
        len(settings), 3, figsize=(15, height * len(settings)), squeeze=False, layout="constrained"
    )
    for row, (size, rule) in zip(grid, settings, strict=True):
        own = [line for line in lines if (line.size, line.rule) == (size, rule)]
        _bars(row[0], own, agents)
        _before_loss(row[1], own, agents)
        _strength_against_time(row[2], own, agents)
        row[0].set_title(f"{size}, first click {rule.value}", loc="left", fontsize=10)
    _save(figure, path)


def _bars(axes: Any, lines: Sequence[Line], agents: Sequence[str]) -> None:
    rates = [line.standing.win_rate for line in lines]
    places = range(len(lines))
    axes.barh(places, [r.value for r in rates], color=_colours(lines, agents), height=0.7)
    _whiskers(axes, rates, places)
    axes.set_yticks(places, [line.standing.agent for line in lines], fontsize=8)
    axes.invert_yaxis()
    axes.set(xlabel="games won (95 %)", xlim=(0, 1))


def _before_loss(axes: Any, lines: Sequence[Line], agents: Sequence[str]) -> None:
    shares = [line.standing.opened_before_loss or 0.0 for line in lines]
    places = range(len(lines))
    axes.barh(places, shares, color=_colours(lines, agents), height=0.7)
    axes.set_yticks(places, [""] * len(lines))
    axes.invert_yaxis()
    axes.set(xlabel="board opened before a loss", xlim=(0, 1))


def _strength_against_time(axes: Any, lines: Sequence[Line], agents: Sequence[str]) -> None:
    for line in lines:
        index = agents.index(line.standing.agent)
        axes.plot(
            line.standing.ms_per_game,
            line.standing.win_rate.value,
            _MARKERS[index % len(_MARKERS)],
            color=_MANY[index % len(_MANY)],
            label=line.standing.agent,
        )
    axes.set(xlabel="ms a game", ylabel="games won", xscale="log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("{x:g}")
    axes.tick_params(axis="x", which="both", labelsize=8)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _colours(lines: Sequence[Line], agents: Sequence[str]) -> list[str]:
    return [_MANY[agents.index(line.standing.agent) % len(_MANY)] for line in lines]


def _whiskers(axes: Any, rates: Sequence[Estimate], places: Sequence[int]) -> None:
    below = [rate.value - rate.low for rate in rates]
    above = [rate.high - rate.value for rate in rates]
    axes.errorbar(
        [rate.value for rate in rates], places, xerr=(below, above), fmt="none", ecolor="#333333"
    )


def _line(
    axes: Any, xs: Sequence[float], values: Sequence[Estimate], name: str, index: int
) -> None:
    colour = _MANY[index % len(_MANY)]
    marker = _MARKERS[index % len(_MARKERS)]
    axes.plot(xs, [v.value for v in values], marker=marker, color=colour, label=name, ms=4)
    low, high = [v.low for v in values], [v.high for v in values]
    axes.fill_between(xs, low, high, color=colour, alpha=0.15, lw=0)


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=150)
    _pyplot().close(figure)


def _pyplot() -> Any:
    try:
        import matplotlib  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("Charts need the extra: pip install 'minebot[plots]'.") from error
    matplotlib.use("agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    return plt
