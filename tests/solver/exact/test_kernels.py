"""The cache of compiled code: known to be there or not, and dropped when the sources change."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver import kernels
from solver.agents import make
from solver.analysis import analyse, number_chances, sample_layouts
from solver.board import Board


def test_every_file_with_kernels_is_watched() -> None:
    package = Path(kernels.__file__).parent
    compiled = {path.name for path in package.glob("*.py") if "@kernel" in path.read_text()}
    assert compiled - {"kernels.py"} <= set(kernels.SOURCES)
    assert all((package / name).exists() for name in kernels.SOURCES)


def test_numba_stands_behind_one_module() -> None:
    package = Path(kernels.__file__).parent
    users = [path.name for path in package.rglob("*.py") if "import numba" in path.read_text()]
    assert users == ["kernels.py"]


def test_stale_code_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_cache_directory", lambda: tmp_path)
    (tmp_path / "kernels.digest").write_text("made from other sources")
    stale = tmp_path / "guess.decide-1.py311.nbi"
    stale.touch()
    other = tmp_path / "board.cpython-311.pyc"
    other.touch()
    kernels.drop_stale_cache()
    assert not stale.exists()
    assert other.exists()
    assert not kernels.is_cached()
    stale.touch()
    kernels.drop_stale_cache()
    assert stale.exists()
    assert kernels.is_cached()


def test_warm_up_loads_what_the_agents_use() -> None:
    kernels.warm_up()
    assert kernels.is_cached()
    assert kernels.warm_up() < 1.0


POSITIONS = [
    ("#####\n#1###\n#3###\n#####", 5),
    ("1##\n###", 2),
    ("1##\n###", None),
    ("#1#1#\n#####", 2),
    ("#1##\n####\n##2#", 4),
]


def answers() -> list[Any]:
    """Ask all there is to ask of a few positions."""
    found = []
    for text, mines in POSITIONS:
        board = Board.from_text(text, mines)
        known, decision = analyse(board), make("deep").decide(board)
        covered = next(cell for cell in board.cells() if board.covered[cell])
        risks = known.probabilities[board.covered].tolist()
        foretold = number_chances(board, covered).tolist()
        worlds = sample_layouts(board, 3, seed=5).astype(int).ravel().tolist()
        cells = [list(move.cell) for move in decision.moves]
        found.append([risks, foretold, worlds, cells, [decision.survival, decision.win or -1.0]])
    return found


def test_kernels_mean_the_same_as_the_python_they_are_written_in() -> None:
    """The same answers with and without compiling, but for rounding."""
    program = f"import json; from {__name__} import answers; print(json.dumps(answers()))"
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    for plain, compiled in zip(json.loads(run.stdout), answers(), strict=True):
        for expected, answer in zip(plain, compiled, strict=True):
            np.testing.assert_allclose(answer, expected, atol=1e-12)
