"""The drawn window: every tile lies where the grid says, all glyphs differ, at any size."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bot.errors import UsageError
from bot.simulated.glyphs import seven_segments
from bot.simulated.paint import Stencil, bevel, solid, text_width
from bot.simulated.render import SKINS, MineWindow, draw_tile, skin_named
from solver.board import Cell, Tile
from solver.game import Status

CODES = (*range(9), *(int(tile) for tile in Tile if tile is not Tile.UNKNOWN))


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """Return the largest difference of a channel, averaged over the pixels."""
    return float(np.abs(one.astype(int) - other.astype(int)).max(axis=2).mean())


@pytest.mark.parametrize("side", [12, 16, 33, 80])
@pytest.mark.parametrize("name", SKINS)
def test_no_two_tiles_look_alike(name: str, side: int) -> None:
    tiles = {code: draw_tile(SKINS[name], code, (side, side)) for code in CODES}
    for one, other in combinations(CODES, 2):
        assert difference(tiles[one], tiles[other]) > 4, (one, other)


@pytest.mark.parametrize("name", SKINS)
def test_the_glyphs_differ_by_shape_alone(name: str) -> None:
    """If all digits have one colour, or for the colour-blind, the shapes must differ."""
    masks = []
    for number in range(1, 9):
        tile = draw_tile(SKINS[name], number, (40, 40)).astype(int)
        ink = np.array(SKINS[name].digits[number - 1])
        masks.append(np.abs(tile - ink).max(axis=2) < 40)
    for one, other in combinations(masks, 2):
        assert (one ^ other).sum() > 0.15 * min(one.sum(), other.sum())


@pytest.mark.parametrize("name", SKINS)
@pytest.mark.parametrize("pitch", [12.0, 20.5, 30.67])
def test_tiles_lie_where_the_grid_says(name: str, pitch: float) -> None:
    shown = MineWindow(SKINS[name], 7, 11, pitch=pitch)
    shown.paint_tiles((Cell(row, col), Tile.HIDDEN) for row in range(7) for col in range(11))
    before = shown.picture.copy()
    box = shown.paint_tiles([(Cell(4, 6), 3)])
    changed = np.argwhere((shown.picture != before).any(axis=2))
    assert box == shown.grid.box(Cell(4, 6))
    assert changed[:, 0].min() >= box.y0
    assert changed[:, 0].max() < box.y1
    assert changed[:, 1].min() >= box.x0
    assert changed[:, 1].max() < box.x1
    assert shown.grid.bounds.x1 <= shown.size[0]
    assert shown.grid.bounds.y1 <= shown.size[1]


def test_checkerboard_shades_alternate() -> None:
    shown = MineWindow(SKINS["checkerboard"], 4, 4, pitch=20)
    shown.paint_tiles((Cell(row, col), Tile.HIDDEN) for row in range(4) for col in range(4))
    middles = [shown.grid.centre(Cell(0, col)) for col in range(3)]
    one, other, third = (shown.picture[int(at.y), int(at.x)].tolist() for at in middles)
    assert one == third != other


@pytest.mark.parametrize("name", SKINS)
def test_counter_timer_and_smiley_change_only_the_header(name: str) -> None:
    shown = MineWindow(SKINS[name], 9, 9, pitch=16)
    for paint in (
        lambda: shown.paint_counter(10, 3),
        lambda: shown.paint_timer(75),
        lambda: shown.paint_new_game(Status.LOST),
    ):
        before = shown.picture.copy()
        box = paint()
        changed = np.argwhere((shown.picture != before).any(axis=2))
        assert len(changed)
        assert changed[:, 0].max() < shown.grid.bounds.y0
        assert (changed >= (box.y0, box.x0)).all()
        assert (changed < (box.y1, box.x1)).all()


def test_the_smiley_shows_how_the_game_stands() -> None:
    shown = MineWindow(SKINS["classic"], 9, 9, pitch=16)
    smileys = []
    for status in Status:
        box = shown.paint_new_game(status)
        smileys.append(shown.picture[box.y0 : box.y1, box.x0 : box.x1].copy())
    assert all(difference(one, other) > 3 for one, other in combinations(smileys, 2))


def test_what_is_drawn_covers_the_area_it_was_given() -> None:
    lit, dark = (seven_segments("069", 60, 40, lit=lit).coverage for lit in (True, False))
    assert min(lit.max(), dark.max()) > 0.5
    assert not ((lit > 0.5) & (dark > 0.5)).any(), "lit and dark segments share no pixel"
    coverage = Stencil(20, 20).box(2.5, 3, 10, 7.25).coverage
    assert coverage.sum() == pytest.approx(7.5 * 4.25, rel=0.06)
    assert coverage[:3].max() == 0
    picture = solid(10, 8, (128, 128, 128))
    bevel(picture, (0, 0, 10, 8), 2, (255, 255, 255), (0, 0, 0))
    assert (picture[0, :9] == 255).all()
    assert (picture[7, 1:] == 0).all()
    assert (picture[4, 4] == 128).all()
    assert text_width("Mines", 20) == pytest.approx(2 * text_width("Mines", 10), rel=0.1)


def test_an_unknown_skin_is_a_usage_error_that_lists_the_known() -> None:
    with pytest.raises(UsageError, match="Known: "):
        skin_named("wrong")
