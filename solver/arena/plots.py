"""Draw charts for a report, as PNG or SVG by the file's ending. The only import of matplotlib.

Each series has the same colour, marker and name in all charts; intervals are bands or whiskers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from solver.arena.statistics import Estimate
from solver.arena.sweep import Sweep, SweepPoint
from solver.counting import counted
from solver.errors import MissingExtra, SolverError
from solver.files import fill_file

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
