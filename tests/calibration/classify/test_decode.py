"""Joint decoding on drawn boards: what pictures leave open, the rules show."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.classify.clusters import cluster_tiles
from calibration.classify.cues import cue_tables
from calibration.classify.decode import Decoding, _Search, decode
from calibration.classify.kinds import BEVEL_SLACK, find_kinds
from calibration.frame import Frame
from tests.calibration.classify.drawing import drawn


def test_of_what_has_many_looks_no_finer_ones_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page plays fireworks over a won board: each frame took four decodings, 11 s in all."""
    frame, grid = drawn("\n".join(["#" * 9] * 8))
    pixels, random = frame.pixels.copy(), np.random.default_rng(1)
    pixels[:] = 0
    for _ in range(70):
        ends = random.integers(0, min(pixels.shape[:2]), (2, 2)).tolist()
        colour = random.integers(60, 255, 3).tolist()
        cv2.line(pixels, ends[0], ends[1], colour, 3, cv2.LINE_AA)
    clusters = cluster_tiles(Frame(pixels), grid)
    cue_sum = np.sum(list(cue_tables(clusters).values()), axis=0)
    assert 50 < len(find_kinds(clusters, cue_sum, BEVEL_SLACK).sizes) <= 80
    searched: list[_Search] = []
    run = _Search.run

    def counted(search: _Search) -> Decoding:
        searched.append(search)
        return run(search)

    monkeypatch.setattr(_Search, "run", counted)
    decode(clusters, cue_sum, at_rest=True)
    assert len(searched) == 1
