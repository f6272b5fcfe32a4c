"""A checkout with an engine of one short C file, so that compiling it takes a moment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SOLVER = Path(__file__).parents[4] / "solver"

ENGINE = """
#include "engine.h"
const char *engine_sources(void) { return SOURCES; }
"""

LOAD = """
from solver.engine.library import library
from solver.errors import NoEngine
try:
    loaded = library()
except NoEngine as error:
    print("NoEngine:", error)
else:
    print(loaded.engine_sources().decode(), loaded._name)
"""


def make_checkout(root: Path) -> Path:
    """Lay out the loader, the toolchain and the short engine; return the engine's folder."""
    engine = root / "solver" / "engine"
    shutil.copytree(SOLVER / "engine" / "toolchain", engine / "toolchain")
    for package in (root / "solver", engine):
        (package / "__init__.py").touch()
    for name in ("errors.py", "extras.py"):
        shutil.copy(SOLVER / name, root / "solver")
    for name in ("library.py", "engine.h"):
        shutil.copy(SOLVER / "engine" / name, engine)
    (engine / "work.c").write_text(ENGINE)
    return engine


def start(engine: Path, program: str = LOAD, **variables: str) -> subprocess.Popen[str]:
    """Start a Python that knows this checkout and no installed package."""
    hidden = {"CC", "LD_PRELOAD", "PYTHONPATH", "MINEBOT_ENGINE"}
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.Popen(
        [sys.executable, "-S", "-c", program],
        cwd=engine.parents[1],
        env=kept | variables,
        stdout=subprocess.PIPE,
        text=True,
    )


def load(engine: Path, program: str = LOAD, **variables: str) -> str:
    """Load the library in a Python of its own; return what that prints."""
    process = start(engine, program, **variables)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return said.strip()


def libraries(engine: Path) -> list[Path]:
    """Return the compiled libraries, and what compiling may have left behind."""
    return sorted(engine.glob("_engine-*"))
