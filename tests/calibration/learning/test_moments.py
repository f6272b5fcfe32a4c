"""Games at the moments that boards are drawn at."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calibration.learning.happenings import STAGES, DrawnGame, moment
from solver.board import Tile
from solver.game import Status

seeds = st.integers(0, 2**32 - 1)


def around(cell, shape):
    row, col = cell
    return [
        (r, c)
        for r in range(max(0, row - 1), min(shape[0], row + 2))
        for c in range(max(0, col - 1), min(shape[1], col + 2))
        if (r, c) != cell
    ]


@given(seeds)
def test_a_click_opens_the_region_and_no_mine(seed):
    game = DrawnGame(np.random.default_rng(seed), 6, 6)
    game.start()
    game.play(0.5)
    assert not (game.open & (game.mines == 1)).any()
    for cell in np.argwhere(game.open & (game.numbers == 0)):
        assert all(game.open[near] for near in around(tuple(cell), (6, 6)))


@given(seeds, st.sampled_from(sorted(STAGES)))
def test_a_moment_shows_its_stage(seed, stage):
    shown = moment(np.random.default_rng(seed), 8, 9, stage)
    status = {"won": Status.WON, "lost": Status.LOST}.get(stage, Status.PLAYING)
    assert shown.status is status
    assert shown.tiles.shape == shown.before.shape == shown.opened.shape == (8, 9)
    ended = np.isin(shown.tiles, (Tile.MINE, Tile.EXPLODED, Tile.WRONG_FLAG))
    if stage == "fresh":
        assert (shown.tiles == Tile.HIDDEN).all()
    if stage == "playing":
        assert not ended.any()
        assert (shown.tiles[shown.before >= 0] >= 0).all()
    if stage == "lost":
        assert ended.any()
    if stage == "won":
        assert not np.isin(shown.tiles, (Tile.EXPLODED, Tile.WRONG_FLAG)).any()


def test_numbers_up_to_seven_are_seen():
    rng = np.random.default_rng(3)
    seen = np.unique(np.concatenate([moment(rng, 12, 12).tiles.ravel() for _ in range(60)]))
    assert set(seen.tolist()) >= {*range(8), *(int(tile) for tile in Tile if tile != Tile.UNKNOWN)}
