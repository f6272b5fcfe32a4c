"""Which drawings are alike, and which are each looked at."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.classify.clusters import cluster_tiles
from calibration.classify.decoding.decoding import MARGIN
from calibration.classify.decoding.labelling_score import LabellingScore
from calibration.classify.decoding.labels import (
    EXPLODED,
    FLAG,
    HIDDEN,
    LABELS,
    MINE,
    WRONG_FLAG,
)
from calibration.classify.decoding.looks import (
    BEVEL_SLACKS,
    ONE_SHAPE,
    find_looks,
    shapes_alike,
)
from calibration.classify.features import extract_features
from calibration.classify.recognise import recognise
from calibration.frame import Frame
from calibration.tiles import SIDE
from solver.board import Cell, Tile
from tests.calibration.classify.drawing import TILE_PX, drawn, tiles


def test_digits_on_filled_squares_are_each_looked_at() -> None:
    """The squares hide how little a 1 differs from a 2: each is named by its own picture."""
    frame, grid = drawn("11223300\n11223300\n00000000")
    pixels = frame.pixels.copy()
    for row, col in np.ndindex(2, 6):
        x, y = (col + 1) * TILE_PX, (row + 1) * TILE_PX
        pixels[y + 6 : y + TILE_PX - 6, x + 6 : x + TILE_PX - 6] = (90, 150, 190)
        place = (x + 11, y + TILE_PX - 11)
        cv2.putText(pixels, str(1 + col // 2), place, 0, 0.4, (255,) * 3, 1, cv2.LINE_AA)
    clusters = cluster_tiles(Frame(pixels), grid)
    first = clusters.of_tile[0, :6:2]
    assert clusters.framed[first].all()
    for index, cluster in enumerate(first):
        alone = clusters.scores_of([Cell(0, 2 * index)])[0]
        assert np.allclose(clusters.network_scores[cluster], alone, atol=1e-4)


@pytest.mark.parametrize("at", [(3, 3), (8, 7), (11, 11)])
def test_keys_with_different_digits_are_different_drawings(at: tuple[int, int]) -> None:
    """In the middle of a tile or in its corner: what is inside of them tells, not their edges."""
    frame, grid = drawn("11224400\n11224400\n00000000")
    pixels = frame.pixels.copy()
    for row, col in np.ndindex(2, 6):
        x, y = (col + 1) * TILE_PX + at[0], (row + 1) * TILE_PX + at[1]
        pixels[y - at[1] + 2 : y - at[1] + 29, x - at[0] + 2 : x - at[0] + 29] = 225
        key = pixels[y : y + 18, x : x + 18]
        key[:] = 120, 165, 190
        key[-3:] = key[:, -3:] = 70, 115, 140
        cv2.putText(key, "124"[col // 2], (4, 13), 0, 0.35, (240,) * 3, 1, cv2.LINE_AA)
    clusters = cluster_tiles(Frame(pixels), grid)
    looks = find_looks(clusters, np.zeros((len(clusters.sizes), len(LABELS)), np.float32), 30.0)
    drawings = looks.drawing[looks.of_cluster[clusters.of_tile[0, :6:2]]]
    assert len(set(drawings.tolist())) == 3


def test_a_glyph_on_a_gradient_has_one_shape_whichever_colour_is_commonest() -> None:
    """Of a badge that darkens downwards, half had passed for ink: now the top, now the bottom."""
    shade = np.linspace(146, 78, SIDE)
    badge = np.stack([shade, shade * 0.02, shade * 0.3], axis=1).astype(np.uint8)
    pictures = np.tile(badge[:, None], (2, 1, SIDE, 1)).reshape(2, SIDE, SIDE, 3)
    pictures[0, 2:7], pictures[1, -7:-2] = pictures[0, 4], pictures[1, -5]
    for picture in pictures:
        picture[8:10, 8:16] = picture[8:17, 11:13] = (220, 200, 210)
    one, other = extract_features(pictures).silhouette
    assert np.corrcoef(one.ravel(), other.ravel())[0, 1] > 0.9


@pytest.mark.parametrize(
    ("ground", "soft"),
    [([4, 5, 11, 12, 18, 19], []), ([4, 11, 12, 13], [6, 7, 14, 15, 17, 18])],
    ids=["sharp", "with soft edges"],
)
def test_a_bold_digit_stands_on_the_colour_of_the_empty_tiles(
    ground: list[int], soft: list[int]
) -> None:
    """More pixels around the middle of a tile had its colour, so that ink and ground changed."""
    pictures = np.full((2, SIDE, SIDE, 3), 185, np.uint8)
    pictures[1, 1:-1, 1:-1] = 0, 130, 0
    pictures[1, ground], pictures[1, soft] = 185, (60, 145, 60)
    found = extract_features(pictures)
    assert np.allclose(found.background_colour, 185)
    assert np.abs(found.ink_colour[1] - (0, 130, 0)).max() < (40 if soft else 15)


def test_raised_tiles_with_and_without_a_flag_are_different_drawings() -> None:
    """Their wide bevel is most of what is drawn: only their middles differ."""
    frame, grid = drawn("#F#F\n####\n####")
    pixels = frame.pixels.copy()
    for row, col in np.ndindex(3, 4):
        x, y = (col + 1) * TILE_PX, (row + 1) * TILE_PX
        tile = pixels[y : y + TILE_PX, x : x + TILE_PX]
        tile[:] = 130
        corners = np.array([(0, 0), (TILE_PX - 2, 0), (0, TILE_PX - 2)], np.int32)
        cv2.fillPoly(tile, [corners], (255, 255, 255))
        tile[9:23, 9:23] = 211
        if row == 0 and col % 2:
            tile[10:14, 15:18], tile[18:20, 13:19] = (250, 20, 20), 0
    clusters = cluster_tiles(Frame(pixels), grid)
    looks = find_looks(clusters, np.zeros((len(clusters.sizes), len(LABELS)), np.float32), 30.0)
    plain, flagged = looks.of_cluster[clusters.of_tile[0, :2]]
    assert plain != flagged


def test_a_tiny_star_is_one_drawing_on_a_light_and_on_a_dark_background() -> None:
    """Its faintest pixels differ clearly from the light background only."""
    star = np.zeros((SIDE, SIDE, 1))
    star[6:11, 10:15, 0] = np.array(
        [
            [0.00, 0.06, 0.23, 0.00, 0.00],
            [0.32, 0.26, 0.42, 0.44, 0.03],
            [0.17, 0.67, 0.81, 0.44, 0.01],
            [0.30, 0.25, 0.43, 0.40, 0.03],
            [0.00, 0.04, 0.15, 0.00, 0.00],
        ]
    )
    grounds = np.array([(146, 223, 144), (119, 190, 119)])[:, None, None]
    features = extract_features((grounds * (1 - star)).astype(np.uint8))
    assert shapes_alike(features, np.arange(2), 0).min() >= ONE_SHAPE


def test_one_drawing_is_no_mine_here_and_a_wrong_flag_there() -> None:
    """On red, the cross of all mines is the one that exploded."""
    frame, grid = drawn("####\n####\n####")
    pixels = frame.pixels.copy()
    for cell, ground in ((Cell(0, 1), None), (Cell(2, 2), (250, 10, 10))):
        box = grid.box(cell)
        tile = pixels[box.y0 : box.y1, box.x0 : box.x1]
        if ground:
            tile[2:-2, 2:-2] = ground
        for ends in (((11, 11), (21, 21)), ((21, 11), (11, 21))):
            cv2.line(tile, *ends, (255, 255, 255), 3, cv2.LINE_AA)
    clusters = cluster_tiles(Frame(pixels), grid)
    evidence = np.zeros((len(clusters.sizes), len(LABELS)), np.float32)
    looks = find_looks(clusters, evidence, BEVEL_SLACKS[0])
    several = np.full((3, len(looks.sizes)), HIDDEN)
    several[:, looks.of_cluster[clusters.of_tile[0, 1]]] = MINE, MINE, FLAG
    several[:, looks.of_cluster[clusters.of_tile[2, 2]]] = WRONG_FLAG, EXPLODED, WRONG_FLAG
    score = LabellingScore(clusters, looks, evidence, at_rest=True)
    assert score._split_drawings(several).tolist() == [1, 0, 0]


DARK_ZEROS = """
##########
##########
##########
##########
1112FF####
0001222###
2210002###
FF10002F##
2210123###
00001FF###
"""


def test_flags_beside_zeros_tell_which_ground_is_open() -> None:
    """Numbers stand on the ground of hidden tiles there, and flags on that of zeros."""
    text = DARK_ZEROS
    frame, grid = drawn(text, covered=(195,) * 3, opened=(127,) * 3, numbered=(195,) * 3)
    pixels = frame.pixels.copy()
    for row, col in np.argwhere(tiles(text) == Tile.FLAG):
        box = grid.box(Cell(int(row), int(col)))
        part = pixels[box.y0 : box.y1, box.x0 : box.x1]
        part[(part == 195).all(axis=2)] = 127
    seen = recognise(Frame(pixels), grid, themes=())
    assert np.array_equal(seen.tiles, tiles(text))
    assert (seen.confidence >= MARGIN).all()
