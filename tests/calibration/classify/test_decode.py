"""Joint decoding on drawn boards: what pictures leave open, the rules show."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.classify.clusters import cluster_tiles
from calibration.classify.decode import MARGIN, Decoding, _Search, decode
from calibration.classify.looks import BEVEL_SLACK, find_looks
from calibration.classify.recognise import label_clusters, recognise
from calibration.classify.witnesses import hear_witnesses
from calibration.frame import Frame
from calibration.labels import COLUMN_OF, LABELS
from solver.board import Tile
from tests.calibration.classify.drawing import NO_THEME, PLAYED, TILE_PX, drawn, tiles


def test_the_rim_may_be_all_that_shows_open_tiles_of_a_dark_theme() -> None:
    blue, rim, lighter_rim = (14, 17, 54), (40, 44, 100), (64, 64, 140)
    frame, grid = drawn(PLAYED, ink=(120, 210, 250), covered=blue, opened=blue)
    pixels = frame.pixels.copy()
    pixels[(pixels == 250).all(axis=2)] = (22, 25, 44)
    for (row, col), tile in np.ndenumerate(tiles(PLAYED)):
        left, top = (col + 1) * TILE_PX + 2, (row + 1) * TILE_PX + 2
        right, bottom = left + TILE_PX - 5, top + TILE_PX - 5
        cv2.rectangle(pixels, (left, top), (right, bottom), rim, 1)
        if tile >= 0:
            cv2.line(pixels, (left, bottom), (right, bottom), lighter_rim, 1)
    found = recognise(Frame(pixels), grid)
    assert np.array_equal(found.tiles, tiles(PLAYED))
    assert (found.confidence >= MARGIN).all()


def test_a_label_is_as_certain_as_its_own_chance() -> None:
    chances = np.zeros((1, len(LABELS)))
    chances[0, [COLUMN_OF[1], COLUMN_OF[Tile.EXPLODED]]] = 0.3, 0.7
    none = np.zeros(1, np.bool_)
    decoding = Decoding(np.array([1], np.int8), chances, 0.0, none, none)
    assert decoding.certainty[0] == 0.3
    assert decoding.rivals[0] == Tile.EXPLODED


def test_what_is_given_stays() -> None:
    clusters = cluster_tiles(*drawn(PLAYED))
    given = np.full(len(clusters.sizes), -7, np.int8)
    two = int(clusters.of_tile[4, 2])
    given[two] = 2
    assert label_clusters(clusters.giving(given), NO_THEME).labels[two] == 2


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
    testimony = np.sum(list(hear_witnesses(clusters).values()), axis=0)
    assert 50 < len(find_looks(clusters, testimony, BEVEL_SLACK).sizes) <= 80
    searched: list[_Search] = []
    run = _Search.run

    def counted(search: _Search) -> Decoding:
        searched.append(search)
        return run(search)

    monkeypatch.setattr(_Search, "run", counted)
    decode(clusters, testimony, at_rest=True)
    assert len(searched) == 1
