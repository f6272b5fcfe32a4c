"""The network that names tiles: its file, its inputs, boards of any size."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from calibration.classify import tile_network
from calibration.classify.tile_network import TILE_NETWORK_FILE
from calibration.errors import BadNetwork
from calibration.labels import LABELS
from calibration.read.board import groups_of
from calibration.read.network import (
    NETWORK_FILE,
    channels_of,
    cut_views,
    fresh_channels,
    load_network,
    rate_tiles,
)
from solver.board import count_neighbours
from tests.calibration.drawing import PLAYED, drawn, tiles


def test_cells_beside_a_board_are_no_tiles_of_it() -> None:
    frame, grid = drawn(PLAYED)
    room = 3 * int(grid.tile_w)
    pixels = np.pad(frame.pixels, ((room, room), (room, room), (0, 0)), constant_values=240)
    wider = grid.moved(room, room).widened(2, 2, 2, 2)
    groups = np.arange(wider.rows * wider.cols).reshape(wider.rows, wider.cols)
    _, is_tile = rate_tiles(cut_views(pixels, wider), groups)
    inside = np.zeros(is_tile.shape, np.bool_)
    inside[2:-2, 2:-2] = True
    assert (is_tile[inside] > 0).mean() > 0.9
    assert (is_tile[~inside] < 0).mean() > 0.9


@pytest.mark.slow
def test_a_large_board_is_named_in_parts_that_see_what_is_around_them() -> None:
    mines = np.random.default_rng(4).random((50, 90)) < 0.13
    shown = np.where(mines, "#", count_neighbours(mines).astype(str))
    text = "\n".join("".join(row) for row in shown)
    frame, grid = drawn(text)
    cut = cut_views(frame.pixels, grid)
    groups = groups_of(cut.views).reshape(grid.rows, grid.cols)
    logits, is_tile = rate_tiles(cut, groups)
    assert (LABELS[logits.argmax(axis=2)] == tiles(text)).mean() > 0.999
    assert (is_tile > 0).mean() > 0.999


FILES = [(load_network, NETWORK_FILE), (tile_network.load_network, TILE_NETWORK_FILE)]
DAMAGES: list[Callable[[bytes], bytes]] = [
    lambda data: b"",
    lambda data: b"no weights",
    lambda data: data[:1000],
    lambda data: gzip.compress(b"no network"),
    lambda data: data[:2000] + bytes(400) + data[2400:],
    lambda data: data[:-4] + b"\0\0\0\0",
]


@pytest.mark.parametrize(("load", "file"), FILES, ids=["board", "tiles"])
def test_damaged_or_missing_weights_are_one_sentence(
    tmp_path: Path, load: Callable[[Path], object], file: Path
) -> None:
    for number, damage in enumerate(DAMAGES):
        path = tmp_path / f"{number}.onnx.gz"
        path.write_bytes(damage(file.read_bytes()))
        with pytest.raises(BadNetwork, match=r"cannot be read.*Install minebot again"):
            load(path)
    with pytest.raises(BadNetwork, match="Install minebot again"):
        load(tmp_path / "none.onnx.gz")


def test_the_weights_are_at_most_a_million_and_four_megabytes() -> None:
    assert TILE_NETWORK_FILE.stat().st_size <= 100_000
    onnx = pytest.importorskip("onnx")
    data = gzip.decompress(NETWORK_FILE.read_bytes())
    model = onnx.load_from_string(data)
    weights = sum(int(np.prod(one.dims)) for one in model.graph.initializer)
    assert weights <= 1_000_000
    assert len(data) <= 4_000_000


def test_a_tile_of_the_fresh_board_is_no_distance_away() -> None:
    rng = np.random.default_rng(2)
    fresh = rng.integers(0, 256, (9, 24, 24, 3), np.uint8)
    views = fresh[::-1].copy()
    found = fresh_channels(views, fresh)
    assert (found[:, 0] == 1).all()
    assert found[4, 1] == 0  # the middle one lies where it was
    assert (found[:, 2] == 0).all()  # the others lie elsewhere
    assert (found[[0, 8], 1] > 1).all()
    assert not fresh_channels(views, None).any()


def test_clicks_are_known_only_where_they_are_given() -> None:
    frame, grid = drawn(PLAYED)
    cut = cut_views(frame.pixels, grid)
    opened = np.zeros((grid.rows, grid.cols), np.bool_)
    opened[0, 6] = True
    assert not channels_of(cut, None, None).any()
    channels = channels_of(cut, None, opened)
    assert channels[..., 3].all()
    assert np.argwhere(channels[..., 4]).tolist() == [[0, 6]]
