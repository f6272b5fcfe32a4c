"""Painted boards: the labels agree with what is drawn, and a seed gives one picture."""

import numpy as np
import pytest

from calibration.learning import drawn_theme
from calibration.learning.happenings import HAPPENINGS, Scene, let
from calibration.learning.painter import EFFECTS, Display, Manner, Painter, apart
from solver.board import Board, Tile
from tests.calibration.learning.drawing import characters

SIDE = 20

BOARD = Board.from_text("1111F#\n1##2?#\n12210#\n001345\n00###F\n000678").tiles.astype(np.int8)


def painter(seed, style=None, manner=Manner()):  # noqa: B008
    return Painter(np.random.default_rng(seed), characters(), SIDE, style, manner)


@pytest.mark.parametrize("style", drawn_theme.GROUND_STYLES, ids=lambda style: style.name)
@pytest.mark.parametrize("seed", range(4))
def test_tiles_look_alike_exactly_if_they_show_the_same(style, seed):
    drawn = painter(seed, style)
    tiles = apart(drawn.paint(BOARD), SIDE)
    for cell, tile in np.ndenumerate(BOARD):
        assert np.array_equal(tiles[cell], drawn.drawn(int(tile), sum(cell)))
    pictures = {int(tile): drawn.drawn(int(tile), 0) for tile in np.unique(BOARD) if tile >= -1}
    for one, picture in pictures.items():
        for other in set(pictures) - {one}:
            assert not np.array_equal(picture, pictures[other]), (one, other)


def test_a_shade_may_lie_on_covered_tiles_only():
    manner = Manner(shade=0.6, on_covered=True, way=0.7)
    before, after = (apart(painter(5, drawn_theme.GROUND_STYLES[0], how).paint(BOARD), SIDE)
                     for how in (Manner(), manner))  # fmt: skip
    is_open = BOARD >= 0
    assert np.array_equal(before[is_open], after[is_open])
    assert not np.array_equal(before[~is_open], after[~is_open])


def scene(seed):
    drawn = painter(seed, drawn_theme.GROUND_STYLES[0])
    return Scene(np.random.default_rng(seed), drawn, drawn.paint(BOARD), BOARD.copy())


@pytest.mark.parametrize("kind", HAPPENINGS)
def test_what_happens_changes_the_picture_and_keeps_labels_true(kind):
    changed = 0
    for seed in range(12):
        here = scene(seed)
        before = here.board.copy()
        let(here, kind)
        changed += not np.array_equal(before, here.board)
        off = here.labels != BOARD
        assert (here.labels[off] == Tile.UNKNOWN).all()
        same = (apart(before, SIDE) == apart(here.board, SIDE)).all(axis=(2, 3, 4))
        assert not (off & same).any(), "what is untouched stays known"
    assert changed >= 6


@pytest.mark.parametrize("effect", EFFECTS)
def test_screens_show_a_picture_in_one_way(effect):
    picture = painter(2, drawn_theme.GROUND_STYLES[0]).paint(BOARD)
    changed = 0
    for seed in range(8):
        screen = Display(np.random.default_rng(seed), SIDE, effects=[effect])
        (shown, scale), (again, _) = screen.show(picture), screen.show(picture)
        assert np.array_equal(shown, again)
        assert shown.dtype == np.uint8
        assert scale[0] == pytest.approx(shown.shape[1] / picture.shape[1])
        changed += shown.shape != picture.shape or not np.array_equal(shown, picture)
    assert changed >= 6
