"""The build hook: a wheel holds the library; pip asks for a compiler only where there is none."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from solver.engine.toolchain.compiler import ZIG
from solver.engine.toolchain.sources import checksum, library_name

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a wheel is made of, without what git ignores."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, copy)
    ignored = shutil.ignore_patterns("__pycache__", "_engine-*")
    for name in ("bot", "calibration", "solver"):
        shutil.copytree(ROOT / name, copy / name, ignore=ignored)
    return copy


def run(checkout: Path, *words: str, **variables: str) -> str:
    """Run Python in a checkout; return what it prints."""
    command, environment = [sys.executable, *words], os.environ | variables
    done = subprocess.run(
        command, cwd=checkout, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout.strip()


@pytest.mark.slow
def test_a_wheel_holds_the_library_and_no_sources(checkout: Path, tmp_path: Path) -> None:
    run(checkout, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    (wheel,) = tmp_path.glob("*.whl")
    assert "-py3-none-" in wheel.name
    assert not wheel.stem.endswith("-any")
    with zipfile.ZipFile(wheel) as archive:
        engine = {name for name in archive.namelist() if name.startswith("solver/engine/")}
        library = f"solver/engine/{library_name()}"
        assert library in engine
        assert not [name for name in engine if name.endswith((".c", ".h")) or "toolchain" in name]
        loaded = ctypes.CDLL(archive.extract(library, tmp_path))
    loaded.engine_sources.restype = ctypes.c_char_p
    assert loaded.engine_sources().decode() == checksum()
    assert not list((checkout / "solver" / "engine").glob("_engine-*"))


@pytest.mark.slow
def test_an_editable_installation_compiles_beside_the_sources(checkout: Path) -> None:
    run(checkout, "-m", "hatchling", "build", "-t", "wheel:editable", "--hooks-only")
    engine = checkout / "solver" / "engine"
    assert [path.name for path in engine.glob("_engine-*")] == [library_name()]
    (engine / library_name()).unlink()


@pytest.mark.parametrize(("variables", "asked"), [({}, []), ({"PATH": "", "CC": ""}, [ZIG])])
def test_pip_asks_for_a_compiler_where_none_is(
    checkout: Path, variables: dict[str, str], asked: list[str]
) -> None:
    ask = "from hatchling.build import get_requires_for_build_wheel as f; print(f())"
    assert run(checkout, "-c", ask, **variables) == str(asked)


@pytest.mark.slow
def test_a_source_distribution_holds_what_compiles_it(checkout: Path, tmp_path: Path) -> None:
    run(checkout, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path))
    (archive,) = tmp_path.glob("*.tar.gz")
    shutil.unpack_archive(archive, tmp_path, filter="data")
    (unpacked,) = (path for path in tmp_path.iterdir() if path.is_dir())
    engine = Path("solver", "engine")
    for kind in ("*.[ch]", "toolchain/*.py"):
        expected = sorted(path.name for path in (ROOT / engine).glob(kind))
        assert sorted(path.name for path in (unpacked / engine).glob(kind)) == expected
