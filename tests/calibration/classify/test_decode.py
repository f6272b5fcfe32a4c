"""Joint decoding on drawn boards: what pictures leave open, the rules tell."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.classify.clusters import cluster_tiles
from calibration.classify.decoding.decode import _Search, decode
from calibration.classify.decoding.decoding import MARGIN, Decoding
from calibration.classify.decoding.labelling_score import LabellingScore
from calibration.classify.decoding.labels import COLUMN_OF, LABELS
from calibration.classify.decoding.looks import BEVEL_SLACKS, find_looks
from calibration.classify.recognise import label_clusters
from calibration.classify.witnesses import hear_witnesses
from calibration.frame import Frame
from calibration.rules import UNREAD
from solver.board import Tile
from tests.calibration.classify.drawing import NO_THEME, PLAYED, TILE_PX, drawn, tiles

FLAGGED = """
0001F1111
0001122F1
000113F31
0112F3F31
02F3122F1
02F200222
0111001F1
000000122
00000001F
"""


def test_a_digit_taken_for_a_flag_makes_no_hidden_tiles_of_all_flags() -> None:
    """Flags on open tiles, and no other hidden tile: two labels have to change at once."""
    frame, grid = drawn(FLAGGED, covered=(225, 225, 225))
    clusters = cluster_tiles(frame, grid)
    evidence = np.sum(list(hear_witnesses(clusters).values()), axis=0)
    for cell, flag, hidden, other in (((0, 4), 3.6, -2.5, -6.0), ((2, 7), 12.5, -4.0, -1.4)):
        cluster = clusters.of_tile[cell]
        evidence[cluster] = -6.0
        for tile, score in ((Tile.FLAG, flag), (Tile.HIDDEN, hidden), (UNREAD, other)):
            evidence[cluster, COLUMN_OF[tile]] = score
    found = decode(clusters, evidence.astype(np.float32), at_rest=True)
    assert (found.labels[clusters.of_tile[tiles(FLAGGED) == Tile.FLAG]] == Tile.FLAG).all()


def test_many_open_tiles_of_another_colour_than_those_with_digits_are_unlikely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are hidden, though a program leaves some of them beside its zeros."""
    frame, grid = drawn(PLAYED, covered=(110, 200, 60))
    clusters = cluster_tiles(frame, grid)
    evidence = np.sum(list(hear_witnesses(clusters).values()), axis=0)
    looks = find_looks(clusters, evidence, BEVEL_SLACKS[0])
    score = LabellingScore(clusters, looks, evidence, at_rest=True)
    shown = [
        tiles(PLAYED)[looks.of_cluster[clusters.of_tile] == k][0] for k in range(len(looks.sizes))
    ]
    true = np.array([COLUMN_OF[int(tile)] for tile in shown])
    both = np.stack([true, np.where(true == COLUMN_OF[Tile.HIDDEN], COLUMN_OF[0], true)])
    with_cost = score(both)
    monkeypatch.setattr("calibration.classify.decoding.labelling_score.UNCARRIED", 0.0)
    assert (score(both) - with_cost).tolist() == pytest.approx([0.0, 10.0])


def test_the_rim_may_be_all_that_tells_open_tiles_of_a_dark_theme() -> None:
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
    clusters = cluster_tiles(Frame(pixels), grid)
    decoding = label_clusters(clusters, NO_THEME)
    assert np.array_equal(decoding.labels[clusters.of_tile], tiles(PLAYED))
    assert (decoding.certainty >= MARGIN).all()


CORNER = """
002###
013###
01####
01####
22####
######
"""


@pytest.mark.parametrize(("ahead", "read"), [(2.5, 3), (20.0, 2)])
def test_a_faint_digit_is_the_one_that_the_numbers_around_allow(ahead: float, read: int) -> None:
    frame, grid = drawn(CORNER)
    clusters = cluster_tiles(frame, grid)
    evidence = np.sum(list(hear_witnesses(clusters, None).values()), axis=0)
    three = clusters.of_tile[1, 2]
    evidence[three] = -30.0
    evidence[three, [COLUMN_OF[3], COLUMN_OF[2]]] = 0.0, ahead
    assert decode(clusters, evidence).labels[three] == read


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


BANGS = """
###F10000
####20000
###F10000
####20000
###F10000
"""


def test_a_mark_that_is_nearly_a_digit_stands_on_a_colour_of_its_own() -> None:
    """An exclamation mark is taken for a 1, and with it the zeros for hidden tiles."""
    frame, grid = drawn(BANGS.replace("F", "#"), numbered=(90, 110, 180), ink=(255, 255, 255))
    pixels = frame.pixels.copy()
    for row, col in np.argwhere(tiles(BANGS) == Tile.FLAG):
        x, y = (int(lines[k]) for lines, k in ((grid.x_lines, col), (grid.y_lines, row)))
        cv2.rectangle(pixels, (x + 2, y + 2), (x + 29, y + 29), (150, 150, 60), -1)
        cv2.putText(pixels, "1", (x + 10, y + 22), 2, 0.7, (255, 255, 255), 2, cv2.LINE_AA)
    clusters = cluster_tiles(Frame(pixels), grid)
    evidence = np.sum(list(hear_witnesses(clusters).values()), axis=0)
    flags = np.unique(clusters.of_tile[tiles(BANGS) == Tile.FLAG])
    evidence[flags, COLUMN_OF[Tile.FLAG]] = evidence[flags, COLUMN_OF[1]] - 7.0
    found = decode(clusters, evidence.astype(np.float32), at_rest=True)
    assert (found.labels[clusters.of_tile] == tiles(BANGS)).all()


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
    evidence = np.sum(list(hear_witnesses(clusters).values()), axis=0)
    assert 50 < len(find_looks(clusters, evidence, BEVEL_SLACKS[0]).sizes) <= 80
    searched: list[_Search] = []
    run = _Search.run

    def counted(search: _Search) -> Decoding:
        searched.append(search)
        return run(search)

    monkeypatch.setattr(_Search, "run", counted)
    decode(clusters, evidence, at_rest=True)
    assert len(searched) == 1
