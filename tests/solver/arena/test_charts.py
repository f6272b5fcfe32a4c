"""Charts of win rates: what stands on their axes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from solver.arena import charts
from solver.arena.boards import BoardSet, Size
from solver.arena.matches import Match, PlayedGame, standing
from solver.game import Rule


def test_the_times_have_a_logarithmic_axis_with_its_name_and_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    drawn: list[Any] = []
    monkeypatch.setattr(charts, "save_figure", lambda figure, path, **_: drawn.append(figure))
    match = Match(BoardSet(Size(9, 9, 10), Rule.SAFE), ("fast", "slow"), 1)
    games = {"fast": 0.002, "slow": 0.3}
    standings = [
        standing(name, [PlayedGame(True, False, 0, 1.0, seconds)])
        for name, seconds in games.items()
    ]
    charts.plot_match(match, standings, tmp_path / "rates.png")
    times = drawn[0].axes[2]
    assert times.get_title(loc="left") == "ms a game, logarithmic"
    assert [label.get_text() for label in times.get_xticklabels()] == ["1", "10", "100", "1000"]
