"""The chart of recorded games: wins beside the wins that were to be expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from solver.arena.charts import pyplot, save_figure


def draw_wins(rows: Sequence[Mapping[str, Any]], path: Path, *, replace: bool = False) -> None:
    """Draw a bar a group: its win rate with the 95 % interval, and the expected rate as a mark.

    Raises `BadResults` where the file cannot be written, `MissingExtra` without matplotlib.
    """
    plt = pyplot()
    played = [row for row in rows if row["win_rate"] is not None]
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.45 * max(1, len(played))), layout="constrained")
    places = range(len(played))
    rates = [row["win_rate"] for row in played]
    below = [row["win_rate"] - row["ci95"][0] for row in played]
    above = [row["ci95"][1] - row["win_rate"] for row in played]
    expected = [row["expected_wins"] / (row["wins"] + row["losses"]) for row in played]
    axes.barh(places, rates, height=0.6, color="#4c78a8", label="games won (95 %)")
    axes.errorbar(rates, places, xerr=(below, above), fmt="none", ecolor="#333333", capsize=3)
    label = "expected from the chances survived"
    axes.plot(expected, places, "D", color="#e45756", label=label, clip_on=False, zorder=3)
    for place, row in zip(places, played, strict=True):
        label = f"{row['wins']} of {row['wins'] + row['losses']}"
        axes.annotate(label, (1, place), (8, 0), textcoords="offset points", va="center")
    axes.set_yticks(places, [f"{row['program']} {row['size']}, {row['agent']}" for row in played])
    axes.invert_yaxis()
    axes.set(xlim=(0, 1))
    axes.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(frameon=False, loc="outside lower center", ncols=2)
    save_figure(figure, path, replace=replace)
