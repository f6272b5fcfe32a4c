"""The compiled functions: all are known to the cache, and mean what their Python means."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from solver import warm_up
from solver.agents import make_agent
from solver.analysis import analyse, number_chances, sample_layouts
from solver.board import Board
from solver.exact import cache, kernels


def test_every_file_with_kernels_is_watched() -> None:
    package = Path(kernels.__file__).parents[1]
    compiled = {path for path in package.rglob("*.py") if "@kernel" in path.read_text()}
    assert len(compiled) > 10
    assert compiled <= set(cache.SOURCES)


def test_every_module_with_kernels_belongs_to_a_part() -> None:
    named = {name for modules in warm_up.MODULES.values() for name in modules}
    package = Path(kernels.__file__).parents[1]
    compiled = {
        ".".join(path.relative_to(package).with_suffix("").parts)
        for path in cache.SOURCES
        if "\n@kernel\n" in path.read_text()
    }
    assert compiled == named


def test_numba_stands_behind_one_module() -> None:
    package = Path(kernels.__file__).parents[1]
    users = [path.name for path in package.rglob("*.py") if "import numba" in path.read_text()]
    assert users == ["kernels.py"]


POSITIONS = [
    ("#####\n#1###\n#3###\n#####", 5),
    ("1##\n###", 2),
    ("1##\n###", None),
    ("#1#1#\n#####", 2),
    ("#1##\n####\n##2#", 4),
]


def answers() -> list[Any]:
    """Collect all that can be asked of each position."""
    found = []
    for text, mines in POSITIONS:
        board = Board.from_text(text, mines)
        known, decision = analyse(board), make_agent("deep").decide(board)
        covered = next(cell for cell in board.cells() if board.covered[cell])
        risks = known.probabilities[board.covered].tolist()
        foretold = number_chances(board, covered).tolist()
        layouts = sample_layouts(board, 3, seed=5).astype(int).ravel().tolist()
        cells = [list(move.cell) for move in decision.moves]
        found.append([risks, foretold, layouts, cells, [decision.survival, decision.win or -1.0]])
    return found


def test_kernels_mean_the_same_as_the_python_they_are_written_in() -> None:
    """The same answers with and without compiling, but for rounding."""
    program = f"import json; from {__name__} import answers; print(json.dumps(answers()))"
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    for plain, compiled in zip(json.loads(run.stdout), answers(), strict=True):
        for expected, answer in zip(plain, compiled, strict=True):
            np.testing.assert_allclose(answer, expected, atol=1e-12)
