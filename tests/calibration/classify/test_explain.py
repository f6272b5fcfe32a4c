"""Why a tile was read so: witnesses and the rival."""

from __future__ import annotations

import pytest

from calibration.classify.explain import explain
from tests.calibration.classify.drawing import NO_THEME, PLAYED, drawn, tiles


def test_an_explanation_names_witnesses_and_the_rival() -> None:
    frame, grid = drawn(PLAYED)
    found = explain(frame, grid, NO_THEME)
    assert sum(len(one.cells) for one in found) == grid.rows * grid.cols
    board = tiles(PLAYED)
    for one in found:
        assert {int(board[cell]) for cell in one.cells} == {one.label}
        assert one.rival != one.label
        assert one.chances[one.label] > one.chances[one.rival]
        assert sum(one.chances.values()) == pytest.approx(1, abs=0.1)
    ones = next(one for one in found if one.label == 1)
    assert max(ones.witnesses["network"], key=ones.witnesses["network"].__getitem__) == 1
