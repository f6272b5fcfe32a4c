"""The script that made the shipped judge still records, fits, and writes what the engine reads."""

from pathlib import Path

import numpy as np
import pytest

from solver.arena.boards import BoardSet, Size
from solver.engine.calls import FOLDER
from solver.game import Rule

pytest.importorskip("optax", reason="needs the extra 'learn'")


@pytest.mark.slow
def test_a_judge_is_fitted_to_recorded_guesses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from solver.arena import judge

    data, found = tmp_path / "data.npz", tmp_path / "judge.npz"
    judge.record(BoardSet(Size(16, 16, 50), Rule.SAFE, seed=1), 30, data)
    positions = judge.Positions([data])
    monkeypatch.setattr(judge, "BATCH", 4)
    layers = judge.fit(positions, positions.weight >= 0, epochs=60)
    rated, there = judge.rate(layers, positions.seen), positions.there > 0
    worth = (positions.halves[0] + positions.halves[1]) / 2
    assert np.corrcoef(judge.centred(rated, positions.there)[there], worth[there])[0, 1] > 0.4
    judge.write(layers, found)
    with np.load(found) as own, np.load(FOLDER / "judge.npz") as shipped:
        assert {name: own[name].shape for name in own} == {
            name: shipped[name].shape for name in shipped
        }
