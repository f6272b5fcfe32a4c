"""Play without the training stack gives the numbers that training gave."""

import numpy as np
import pytest

from solver.board import Tile
from solver.learning import nets as module
from solver.learning.nets import (
    COVERED,
    OUTSIDE,
    DenseWeights,
    WindowView,
    dense_values,
    middle_values,
    risk_log_odds,
    risk_planes,
    risks_of,
    square_symmetries,
    stuck_values,
)
from solver.learning.weights import dense_weights

ROWS, COLS = 5, 6


def random_tiles(seed: int) -> np.ndarray:
    kinds = np.array([Tile.HIDDEN, Tile.HIDDEN, Tile.FLAG, Tile.MINE, 0, 1, 2, 3], np.int8)
    return np.random.default_rng(seed).choice(kinds, (ROWS, COLS))


def random_net(
    slots: int, codes: int, *, plane: bool, units: int = 19, outputs: int = 1
) -> DenseWeights:
    rng = np.random.default_rng(slots)
    arrays = {
        "inner.kernel": rng.normal(size=(slots * (codes + plane), units)),
        "inner.bias": rng.normal(size=units),
        "out.kernel": rng.normal(size=(units, outputs)),
        "out.bias": rng.normal(size=outputs),
    }
    return dense_weights(arrays, slots, codes)


def plain_value(net: DenseWeights, codes: np.ndarray, plane: np.ndarray, out: int = 0) -> float:
    """Do the same as `dense_values`, as a product with one-hot inputs."""
    slots, count, units = net.table.shape
    hot = np.eye(count)[codes].ravel()
    hidden = hot @ net.table.reshape(slots * count, units) + net.bias
    if net.plane.size:
        hidden = hidden + plane @ net.plane
    return float(np.maximum(hidden, 0) @ net.out[out] + net.out_bias[out])


@pytest.mark.parametrize(("edge", "plane"), [(False, False), (True, True)])
@pytest.mark.parametrize("block", [module.WEIGHTS_A_CALL, 3 * 19 * 10, 1])
def test_the_window_kernel_is_the_product(
    edge: bool, plane: bool, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WEIGHTS_A_CALL", block)
    net = random_net(25, OUTSIDE + edge, plane=plane)
    rng = np.random.default_rng(1)
    codes = rng.integers(0, OUTSIDE + edge, (40, 25)).astype(np.int8)
    planes = rng.random((40, 25 * plane)).astype(np.float32)
    values = dense_values(net, codes, planes)
    plain = [plain_value(net, *pair) for pair in zip(codes, planes, strict=True)]
    assert values[:, 0] == pytest.approx(plain, abs=1e-3)


def test_a_net_refuses_unknown_codes() -> None:
    net, nothing = random_net(9, OUTSIDE, plane=False), np.zeros((7, 0), np.float32)
    codes = np.zeros((7, 9), np.int8)
    for unknown in (-1, OUTSIDE):
        codes[3, 3] = unknown
        with pytest.raises(ValueError, match="codes 0 to 9"):
            dense_values(net, codes, nothing)
    codes[3, 3] = 0
    for bad in (codes[:, :8], codes.astype(np.int64)):
        with pytest.raises(ValueError, match="contiguous array"):
            dense_values(net, bad, nothing)


def test_windows_hold_what_lies_around_each_covered_cell() -> None:
    tiles = random_tiles(4)
    view = WindowView(random_net(25, OUTSIDE + 1, plane=True), tiles[None], 2)
    codes = np.full((ROWS + 4, COLS + 4), OUTSIDE)
    codes[2:-2, 2:-2] = np.where(tiles < 0, COVERED, tiles)
    covered = np.argwhere((tiles == Tile.HIDDEN) | (tiles == Tile.FLAG))
    assert view.cells.tolist() == [row * COLS + col for row, col in covered]
    for own, (row, col) in zip(view.codes, covered, strict=True):
        assert (own.reshape(5, 5) == codes[row : row + 5, col : col + 5]).all()
    view.run(1)
    assert not view.planes.any()
    first = view.values.copy()
    view.run(2)
    middle = (1 + risks_of(first)) / 2
    assert view.planes[:, 12] == pytest.approx(middle)
    risks = np.zeros((ROWS + 4, COLS + 4))
    for (row, col), risk in zip(covered, middle, strict=True):
        risks[row + 2, col + 2] = risk
    for own, (row, col) in zip(view.planes, covered, strict=True):
        assert own.reshape(5, 5) == pytest.approx(risks[row : row + 5, col : col + 5])
    view.run(2, flag_above=0.5)
    assert (view.planes[:, 12] == (risks_of(first) > 0.5)).all()


def test_a_mirrored_board_gets_mirrored_values() -> None:
    net = random_net(25, OUTSIDE + 1, plane=False)
    tiles = random_tiles(6)
    values = []
    for one in (tiles, tiles[:, ::-1]):
        view = WindowView(net, one[None], 2)
        view.run(1, symmetries=True)
        values.append(np.full(tiles.shape, np.nan))
        values[-1].ravel()[view.cells] = view.values
    assert np.allclose(values[0], values[1][:, ::-1], atol=1e-4, equal_nan=True)
    assert len({tuple(turn) for turn in square_symmetries(5)}) == 8


@pytest.mark.slow
def test_convolutions_give_what_the_training_networks_give() -> None:
    from flax import nnx

    from solver.learning.networks import Fitting
    from solver.learning.weights import Recipe

    def values_of(recipe: Recipe, *inputs: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        fit = Fitting(recipe, lambda network, batch: 0.0)
        network = nnx.merge(fit._graph, fit._weights)
        return np.asarray(network(*inputs)), fit.arrays()

    sizes = {"rows": ROWS, "cols": COLS, "mines": 6}
    codes = np.random.default_rng(0).integers(-2, 5, (3, 5, 5)).astype(np.float32)
    for switches in ({}, {"one_hot": True, "all_cells": True}):
        recipe = Recipe("csp-dqn", "stuck", **switches, **sizes)
        expected, arrays = values_of(recipe, codes)
        values = stuck_values(arrays, codes)
        assert values == pytest.approx(expected, abs=1e-4)
        assert middle_values(values).shape == (3, 2)
    planes = risk_planes(random_tiles(1)[None], 6)
    recipe = Recipe("risk-net", "risk", hidden=8, layers=2, **sizes)
    expected, arrays = values_of(recipe, planes)
    assert risk_log_odds(arrays, planes, 2) == pytest.approx(expected, abs=1e-4)
