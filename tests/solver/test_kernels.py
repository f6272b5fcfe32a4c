"""The cache of compiled code: known to be there or not, and dropped when the sources change."""

from pathlib import Path

import pytest

from solver import kernels


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
