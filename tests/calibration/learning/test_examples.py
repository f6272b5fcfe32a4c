"""Examples for the board model."""

import numpy as np
import pytest

from calibration.learning import examples
from calibration.learning.examples import LABELS, NOT_TOLD, different, distances, index_of
from solver.board import Tile
from tests.calibration.learning.drawing import characters


def drawn(seed, count=2):
    return examples.examples(np.random.default_rng(seed), characters(), 7, 9, count)


@pytest.mark.parametrize("seed", range(6))
def test_a_seed_gives_one_example(seed):
    for one, other in zip(drawn(seed), drawn(seed), strict=True):
        for name in ("views", "channels", "before", "known", "labels"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
        assert (one.status, one.is_board) == (other.status, other.is_board)
    assert not np.array_equal(drawn(seed)[0].views, drawn(seed + 100)[0].views)


@pytest.mark.slow
def test_each_channel_is_told_sometimes_and_not_always():
    shown = [one for seed in range(40) for one in drawn(seed)]
    for told in (
        [one.channels[0, 0, 0] == 1 for one in shown],
        [one.channels[0, 0, 3] == 1 for one in shown],
        [(one.before != NOT_TOLD).any() for one in shown],
        [(one.known != NOT_TOLD).any() for one in shown],
        [one.is_board for one in shown],
    ):
        assert 0 < sum(told) < len(told)


def test_labels_have_an_index_each():
    assert [LABELS[k] for k in index_of(np.array(LABELS, np.int8))] == list(LABELS)
    assert {int(label) for label in LABELS} == {*range(9), *(int(tile) for tile in Tile)}


def test_distances_are_those_to_the_same_place_and_to_any():
    fresh = np.zeros((2, 2, 24, 24, 3), np.uint8)
    fresh[1, 1] = 100
    views = np.zeros_like(fresh)
    views[0, 0] = 100
    seen = distances(views, fresh)
    hundred = np.log1p(100) / 3
    assert seen[..., 0] == pytest.approx(np.array([[hundred, 0], [0, hundred]]))
    assert seen[..., 1] == pytest.approx(np.zeros((2, 2)))


def test_different_pictures_are_kept_once():
    views = np.zeros((2, 3, 24, 24, 3), np.uint8)
    views[0, 1], views[1, 2] = 7, 7
    pictures, which = different(views)
    assert len(pictures) == 2
    assert np.array_equal(pictures[which], views)
