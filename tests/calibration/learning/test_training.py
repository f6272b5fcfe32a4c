"""How the network is trained: sheets of themes, boards by indexing, painted scenes, one step."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from calibration.labels import FLAG, HIDDEN, OTHER, ZERO, columns_of
from calibration.learning import glyphs
from calibration.learning.boards import MOST_SPECIAL, TILES, boards_of, scenes
from calibration.learning.happenings import moment
from calibration.learning.sheets import (
    EndlessSheets,
    Sheet,
    drawn_sheet,
    has_free_licence,
    load_sets,
)

CHARACTERS = glyphs.characters()


def grey_sheet() -> Sheet:
    """Return a sheet on which each label is a grey of its own, ten steps from the next."""
    pictures = np.empty((OTHER, 2, 20, 20, 3), np.uint8)
    pictures[:] = (20 + 10 * np.arange(OTHER, dtype=np.uint8)).reshape(-1, 1, 1, 1, 1)
    return Sheet(pictures, np.ones(OTHER, np.bool_))


def sheets(count: int = 6) -> EndlessSheets:
    rng = np.random.default_rng(3)
    return EndlessSheets({}, [drawn_sheet(rng, CHARACTERS, 16 + 4 * k) for k in range(count)])


def test_each_cell_of_an_indexed_board_names_a_tile_with_its_label() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        moments = [moment(rng, 7, 9) for _ in range(3)]
        batch = boards_of(rng, grey_sheet(), moments, CHARACTERS)
        assert batch.views.shape[0] == TILES
        assert batch.which.max() < TILES
        named = batch.of_tile[batch.which]
        assert (named == batch.labels).all()
        changed = sum(
            int((columns_of(now.tiles) != labels).sum())
            for now, labels in zip(moments, batch.labels, strict=True)
        )
        assert changed <= MOST_SPECIAL * len(moments)  # tiles that something covers


def test_cells_beyond_a_painted_board_are_no_tiles() -> None:
    rng = np.random.default_rng(5)
    batch = scenes(rng, CHARACTERS, sheets(), 9, 10, 12)
    whole = batch.tiles.reshape(12, -1).all(axis=1)
    assert 0 < whole.sum() < 12
    assert (batch.labels[batch.tiles == 0] == OTHER).all()
    for real in batch.tiles:
        if real.any():
            rows, cols = np.flatnonzero(real.any(axis=1)), np.flatnonzero(real.any(axis=0))
            assert real[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1].all()


def test_any_theme_keeps_the_labels_it_has() -> None:
    source, rng = sheets(), np.random.default_rng(6)
    for _ in range(40):
        sheet = source.any(rng, CHARACTERS)
        assert sheet.has[[HIDDEN, ZERO]].all()
        assert sheet.pictures.shape[1:3] == (2, sheet.side)
        assert sheet.pictures.dtype == np.uint8


def published(folder: Path, licence: str) -> Path:
    """Write a published tile set of plain colours, as a folder with its index."""
    theme = folder / "one"
    theme.mkdir(parents=True)
    for place, name in enumerate(("hidden", *"01234", "flag")):
        Image.new("RGB", (16, 16), (10 * place, 0, 0)).save(theme / f"{name}.png")
    with (folder / "index.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("look", "repo", "licence"), ("one", "a/b", licence)])
    return folder


def test_a_published_set_is_read_and_lacks_what_it_does_not_show(tmp_path: Path) -> None:
    ((sheet,),) = load_sets([published(tmp_path / "sets", "MIT")]).values()
    assert sheet.side == 16
    assert np.flatnonzero(~sheet.has).tolist() == [*range(ZERO + 5, FLAG), *range(FLAG + 1, OTHER)]


@pytest.mark.parametrize(("licence", "free"), [("MIT", True), ("none stated", False)])
def test_sets_without_a_licence_are_not_trained_on(
    tmp_path: Path, licence: str, free: bool
) -> None:
    sets = load_sets([published(tmp_path / "sets", licence)], allowed=has_free_licence)
    assert bool(sets) is free


@pytest.mark.by_hand
@pytest.mark.filterwarnings("ignore")
def test_training_goes_on_where_it_stopped_and_writes_a_network(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from calibration.learning.train import Training, train_reader
    from calibration.read.network import INPUTS, load_network

    sets = [published(tmp_path / "sets", "MIT")]
    how = {"minutes": 0.02, "seed": 1, "bank": 4}
    path = train_reader(tmp_path, sets, **how)
    lines = (tmp_path / "curve.csv").read_text().splitlines()
    again = Training(tmp_path, sets, **how)
    assert again.step > 0
    assert lines[0].startswith("minutes,step,")
    assert lines[-1].split(",")[1] == str(again.step)
    import gzip

    (tmp_path / "reader.onnx.gz").write_bytes(gzip.compress(path.read_bytes()))
    session = load_network(tmp_path / "reader.onnx.gz")
    assert [one.name for one in session.get_inputs()] == INPUTS
