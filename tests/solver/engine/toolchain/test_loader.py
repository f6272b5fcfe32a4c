"""The loader compiles a missing or stale library, and reports in one sentence if it cannot."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from solver.extras import DISTRIBUTION, quote
from tests.solver.engine.toolchain.small_checkout import libraries, load, make_checkout, start

AGAIN = """
from pathlib import Path
from solver.engine import library as loader
first = loader.library()
source = Path(loader.__file__).with_name("work.c")
source.write_text(source.read_text("utf-8") + "int more(void);")
loader.library.cache_clear()
second = loader.library()
print(first.engine_sources().decode(), second.engine_sources().decode())
"""


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    return make_checkout(tmp_path)


def change(engine: Path) -> None:
    source = engine / "work.c"
    source.write_text(source.read_text("utf-8") + "int more(void);\n")


def install(engine: Path, root: Path) -> Path:
    """Make of a checkout what a wheel installs: no sources, the library if it is there."""
    copied = root / "solver" / "engine"
    hidden = shutil.ignore_patterns("toolchain", "*.[ch]", "__pycache__")
    shutil.copytree(engine.parent, root / "solver", ignore=hidden)
    return copied


def test_a_fresh_checkout_compiles_its_library_once(engine: Path) -> None:
    first = load(engine)
    version, path = first.split()
    assert libraries(engine) == [Path(path)]
    assert f"_engine-{version}" == Path(path).stem
    assert load(engine, PATH="") == first


@pytest.mark.parametrize("changed", ["work.c", "engine.h", "toolchain/compiler.py"])
def test_a_stale_library_is_replaced(engine: Path, changed: str) -> None:
    first = load(engine)
    source = engine / changed
    source.write_text(source.read_text("utf-8") + "\n")
    second = load(engine)
    assert second != first
    assert libraries(engine) == [Path(second.split()[1])]


def test_a_loaded_library_still_works_when_it_is_replaced(engine: Path) -> None:
    first, second = load(engine, AGAIN).split()
    assert first != second
    assert len(libraries(engine)) == 1


def test_two_processes_may_compile_at_once(engine: Path) -> None:
    processes = [start(engine) for _ in range(4)]
    said = {process.communicate(timeout=120)[0] for process in processes}
    assert len(said) == 1
    assert "NoEngine" not in said.pop()
    assert len(libraries(engine)) == 1


def test_without_a_compiler_a_missing_or_stale_library_is_named(engine: Path) -> None:
    said = load(engine, PATH="")
    assert said.startswith("NoEngine: The engine is not compiled, and no C compiler was found; run")
    assert f" -e {quote(str(engine.parents[1]))}, which brings a compiler along" in said
    assert "missing-compiler" in load(engine, CC="missing-compiler")
    load(engine)
    change(engine)
    said = load(engine, PATH="")
    assert "The engine is older than its sources, and no C compiler was found; run " in said
    assert len(libraries(engine)) == 1


def test_an_error_in_the_sources_is_named(engine: Path) -> None:
    (engine / "work.c").write_text("int engine_sources(void) { return none; }\n")
    said = load(engine)
    assert "error:" in said
    assert "none" in said
    assert libraries(engine) == []


def test_an_installation_without_a_library_is_named(engine: Path, tmp_path: Path) -> None:
    installed = install(engine, tmp_path / "installed")
    said = load(installed)
    assert said.startswith(f"NoEngine: The engine's library is missing in {installed}; ")
    assert f" --force-reinstall --no-deps {DISTRIBUTION}." in said


def test_an_installed_library_is_loaded_and_an_invalid_one_named(
    engine: Path, tmp_path: Path
) -> None:
    version = load(engine).split()[0]
    installed = install(engine, tmp_path / "installed")
    assert load(installed) == f"{version} {libraries(installed)[0]}"
    libraries(installed)[0].write_text("no library")
    said = load(installed)
    assert said.startswith("NoEngine: The engine's library cannot be loaded (")
    assert f" --force-reinstall --no-deps {DISTRIBUTION}." in said


def test_another_library_can_be_chosen_if_its_version_is_the_same(
    engine: Path, tmp_path: Path
) -> None:
    version, path = load(engine).split()
    other = shutil.copy(path, tmp_path / "other.so")
    assert load(engine, MINEBOT_ENGINE=str(other)) == f"{version} {other}"
    change(engine)
    said = load(engine, MINEBOT_ENGINE=str(other))
    assert said.startswith(f"NoEngine: {other} is the engine of another version of minebot; run ")
    (engine / "work.c").write_text("int nothing(void) { return 0; }\n")
    load(engine, f"from solver.engine.toolchain.compiler import main; main({str(other)!r})")
    assert "is the engine of another version" in load(engine, MINEBOT_ENGINE=str(other))
