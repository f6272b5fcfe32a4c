"""How plausible a grid of drawn tiles is as a board, and which tiles stay in doubt."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.classify.clusters import MOST_CLUSTERS, cluster_tiles
from calibration.classify.decode import MARGIN
from calibration.classify.recognise import (
    is_of_another_program,
    label_clusters,
    recognise,
    shown_mines,
)
from calibration.frame import Frame
from calibration.grid import Grid
from calibration.rules import UNREAD, confirmed_mines, mines_in
from calibration.theme import LEARNED, Theme
from solver.board import Cell, Tile
from tests.calibration.drawing import NO_THEME, PLAYED, TILE_PX, drawn, tiles
from tests.calibration.sketches import moments


@pytest.mark.parametrize(
    ("text", "plausibility", "has_numbers"),
    [
        ("##### ##### ##### #####", 0.5, False),
        ("##### #!### ##### #####", 0.5 * 0.95**2, False),
        ("##### #!### ###!# !####", 0.5 * 0.85**2, False),  # 15 % unread
        ("!#### #!### ###!# !####", 0.0, False),
        (PLAYED, 1.0, True),
        (PLAYED.replace("#", "!", 1), 47 / 48, True),
        (PLAYED.replace("20000", "20008", 1), 1 - 4 / 28, True),  # one of 28 cannot be right
        # Many cells with the same number are as well the edge of a window.
        ("###### 111111 ######", 1.0, True),
        ("####### 1111111 #######", 0.0, False),
        ("######## 11111112 ########", 1.0, True),
        ("####### 1111111 0000000", 1.0, True),
        # Of ten open tiles one may contradict the others.
        ("##### 11111 00008", 0.6, True),
        ("#### 1111 0008", 0.0, True),
        # Four numbers, two ones and no more large ones than small ones show a board.
        ("1#### ##### ##1## ##### ####2", 1.0, False),
        ("1#### ##### #22## ##### ####2", 1.0, False),
        ("1#### ##### #22## ##### ####1", 1.0, True),
        ("1#### ##### #33## ##### ####1", 1.0, True),
        ("1#### ##### #33## ###3# ####1", 1.0, False),
        ("11!! 22!# !!!! ####", 0.0, True),
        ("11!! 22!! !!!! !!!#", 0.0, False),  # most cells are not tiles of the game
        # Marks without an open tile, with too few numbers, or far from any.
        ("FFF## ##### #####", 0.5, False),
        ("FFFF# ##### #####", 0.0, False),
        ("FFF1 F1## FF#1", 1.0, False),
        ("FFFF1 FF1## F#F##", 0.0, False),
        ("FFF# F8F# FFF# ###1", 1.0, False),  # half of them are marks
        ("FFF# F8F# FFFF ###1", 0.0, False),
        ("FFF1 F8F# FFFF ###1", 1.0, False),
        ("F#F### ###### F#F### ###### #####1 ###110 ###100", 1.0, True),
        ("F#F#F# ###### F#F### ###### #####1 ###110 ###100", 0.0, True),
        ("F#F#F#F ####### F#F#111 ####1F1 ####111 ####### F11FF## 111221#", 1.0, True),
    ],
)
def test_how_plausible_a_board_is(text: str, plausibility: float, has_numbers: bool) -> None:
    seen = recognise(*drawn(text), themes=())
    assert seen.plausibility == pytest.approx(plausibility, abs=1e-9)
    assert seen.has_numbers is has_numbers
    assert seen.theme.program == LEARNED
    if plausibility == 1:
        assert np.array_equal(seen.tiles, tiles(text))
        assert (seen.confidence >= MARGIN).all()
    assert np.array_equal(seen.unread, seen.confidence < MARGIN)
    assert (
        seen.unread.mean() == pytest.approx(text.count("!") / seen.tiles.size) or plausibility == 0
    )


@pytest.mark.parametrize("text", ["FFFF# ##### #####", "FFFFF F#### ##### ##### #####"])
def test_raised_flags_may_be_set_before_the_first_click(text: str) -> None:
    seen = recognise(*drawn(text, raised=True), themes=())
    assert seen.plausibility == 0.5
    assert np.array_equal(seen.tiles, tiles(text))
    assert (seen.confidence >= MARGIN).all()


def test_raised_marks_that_only_resemble_flags_are_in_doubt() -> None:
    frame, grid = drawn("##### ##### #####", raised=True)
    pixels = frame.pixels.copy()
    for col in range(4):
        x0, y0, _, _ = grid.box(Cell(1, col))
        pixels[y0 + 6 : y0 + 26, x0 + 9 : x0 + 12] = (220, 20, 20)
    seen = recognise(Frame(pixels), grid, themes=())
    assert seen.tiles[1].tolist() == [Tile.FLAG] * 4 + [Tile.HIDDEN]
    assert seen.plausibility == 0
    assert not (seen.confidence >= MARGIN).any()


@pytest.mark.parametrize(
    ("covered", "settled"), [([(0, 1)], True), ([(0, 1), (0, 7)], True), ([(0, 1), (3, 2)], False)]
)
def test_what_lies_over_tiles_of_a_finished_board_hides_none_that_the_rules_settle(
    covered: list[tuple[int, int]], settled: bool
) -> None:
    (one,) = moments("lost")
    pixels, rng = one.frame.pixels.copy(), np.random.default_rng(3)
    for cell in covered:
        x0, y0, x1, y1 = one.grid.box(Cell(*cell))
        tile = pixels[y0 + 2 : y1 - 2, x0 + 2 : x1 - 2]
        blobs = rng.integers(0, 256, (4, 4, 3)).astype(np.uint8)
        tile[:] = cv2.resize(blobs, tile.shape[1::-1], interpolation=cv2.INTER_CUBIC)
    clusters = cluster_tiles(Frame(pixels), one.grid)
    decoding = label_clusters(clusters, NO_THEME)
    sure = (decoding.certainty >= MARGIN)[clusters.of_tile]
    assert sure.all() == settled
    if settled:
        assert np.array_equal(decoding.labels[clusters.of_tile], one.board.tiles)
    else:
        assert not any(sure[cell] for cell in covered)


def test_what_is_learned_of_a_board_is_how_each_kind_of_tile_looks() -> None:
    seen = recognise(*drawn(PLAYED), themes=())
    assert {one.tile for one in seen.theme.appearances} == {-2, -1, 0, 1, 2, 3}
    assert seen.different == 6
    assert (seen.rivals != seen.tiles).all()


def test_the_network_reads_only_boards_in_play_of_unknown_programs() -> None:
    """It takes tiles apart that differ by one step of brightness; the cues take them for equal."""

    def different(text: str, *themes: Theme) -> int:
        frame, grid = drawn(text)
        high, wide = (side // TILE_PX for side in frame.pixels.shape[:2])
        steps = np.random.default_rng(5).integers(-1, 2, (high, wide)).astype(np.uint8)
        shaded = frame.pixels + np.kron(steps, np.ones((TILE_PX, TILE_PX), np.uint8))[..., None]
        return recognise(Frame(shaded), grid, themes=themes).different

    learned = recognise(*drawn(PLAYED), themes=()).theme.appearances
    assert different(PLAYED) == 9
    assert different(PLAYED, Theme("page/plain", learned)) == 6
    assert different("##### ##### #####") == 1


def test_noise_is_no_board_and_its_cells_are_not_read() -> None:
    side, px = 34, 8
    noise = np.random.default_rng(0).integers(0, 256, (side * px, side * px, 3), np.uint8)
    for cells in (side, 20):
        seen = recognise(Frame(noise), Grid(0.0, 0.0, px, px, cells, cells), themes=())
        assert seen.plausibility == 0.0
        assert not seen.has_numbers
        assert seen.unread.all()
        assert not (seen.confidence >= MARGIN).any()
        assert seen.different == (MOST_CLUSTERS if cells == side else 400)


def test_mines_are_shown_by_a_theme_or_by_the_numbers_around() -> None:
    (one,) = moments("lost")
    clusters, board = cluster_tiles(one.frame, one.grid), one.board.tiles
    confirmed = shown_mines(clusters, NO_THEME)
    assert np.array_equal(confirmed, confirmed_mines(board))
    learned = recognise(one.frame, one.grid, themes=()).theme
    shown = shown_mines(clusters, Theme("page/plain", learned.appearances))
    assert np.array_equal(shown, np.where(mines_in(board), board, UNREAD))


def test_a_theme_that_names_none_of_the_numbers_is_that_of_another_program() -> None:
    """It was chosen on a fresh board whose hidden tiles look as those of its program."""
    frame, grid = drawn(PLAYED)
    learned = recognise(frame, grid, themes=()).theme.appearances
    assert not is_of_another_program(frame, grid, Theme("page/plain", learned))
    hidden = tuple(one for one in learned if one.tile == Tile.HIDDEN)
    assert is_of_another_program(frame, grid, Theme("page/plain", hidden))
    clusters = cluster_tiles(frame, grid)
    decoding = label_clusters(clusters, Theme("page/plain", hidden))
    assert np.array_equal(decoding.labels[clusters.of_tile], tiles(PLAYED))
