"""The kernels are compiled part by part, once, by one process at a time, and never in play."""

import importlib.util
import logging
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from solver import warm_up
from solver.agents import make_agent
from solver.analysis import field_of
from solver.arena.boards import BoardSet, Size
from solver.arena.games import play_game, play_in_kernels
from solver.board import Board, Cell
from solver.exact import cache
from solver.exact.cache import Part
from solver.exact.kernels import watching
from solver.game import Rule
from solver.search.guess import decide
from solver.search.limit import Limit
from solver.search.value_net import load_net

PATIENCE_S = 60.0

THREE_KERNELS = """
from solver.exact.kernels import kernel

@kernel
def plus_one(number):
    return number + 1

@kernel
def doubled(number):
    return 2 * plus_one(number)

@kernel
def halved(number):
    return number / 2
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for compiled code."""
    empty = tmp_path / "kernels-here-now"
    monkeypatch.setattr(cache, "folder", lambda: empty)
    return empty


def three_kernels(path: Path) -> ModuleType:
    """Import a module anew, as another process would."""
    file = path / "three_kernels.py"
    if not file.exists():
        file.write_text(THREE_KERNELS)
    spec = importlib.util.spec_from_file_location("three_kernels", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wait_until(condition: threading.Event) -> None:
    assert condition.wait(PATIENCE_S)


def test_an_interrupted_compilation_goes_on_where_it_stopped(folder: Path, tmp_path: Path) -> None:
    def interrupt(name: str) -> None:
        if name == "halved":
            signal.raise_signal(signal.SIGINT)

    def compile_all(on_kernel: Callable[[str], None]) -> None:
        kernels = three_kernels(tmp_path)
        with cache.compiling(Part.ANALYSIS), watching(on_kernel):
            assert kernels.doubled(3) == 8
            assert kernels.halved(3) == 1.5

    with pytest.raises(KeyboardInterrupt):
        compile_all(interrupt)
    assert not cache.is_compiled(Part.ANALYSIS)
    assert not cache.is_being_compiled(Part.ANALYSIS)
    compiled: list[str] = []
    compile_all(compiled.append)
    assert compiled == ["halved"]
    assert cache.is_compiled(Part.ANALYSIS)


def test_processes_that_start_at_once_share_what_they_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "three_kernels.py").write_text(THREE_KERNELS)
    program = (
        "import sys; from three_kernels import doubled, halved;"
        "from solver.exact.kernels import watching\n"
        "names = []\n"
        "with watching(names.append):\n"
        "    for number in map(eval, sys.argv[1:]):\n"
        "        assert doubled(number) == 2 * number + 2 and halved(number) == number / 2\n"
        "print(len(names))"
    )
    root = str(Path(warm_up.__file__).parents[1])
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{root}")

    def start(*numbers: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", program, *numbers]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    at_once = [start("3", "3.5"), start("2.5", "5")]  # each first compiles what the other does last
    assert [process.wait(PATIENCE_S) for process in at_once] == [0, 0]
    for process in at_once:
        process.communicate()
    out, _ = start("7", "7.5").communicate(timeout=PATIENCE_S)
    assert out == "0\n"


def test_a_part_is_compiled_by_one_process_while_others_wait(folder: Path) -> None:
    begun, finish, waits = threading.Event(), threading.Event(), threading.Event()
    order: list[str] = []

    def first() -> None:
        with cache.compiling(Part.GUESSES):
            begun.set()
            wait_until(finish)
            order.append("first")

    def second() -> None:
        with cache.compiling(Part.GUESSES, waits.set):
            order.append("second")

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    threads[0].start()
    wait_until(begun)
    threads[1].start()
    wait_until(waits)
    assert cache.is_being_compiled(Part.GUESSES)
    assert not cache.is_compiled(Part.GUESSES)
    finish.set()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert order == ["first", "second"]
    assert cache.is_compiled(Part.GUESSES)


def test_a_guess_waits_for_the_process_that_compiles_it_and_says_so(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    board = Board.from_text("#####\n#1###\n#3###\n#####", 5)
    position = (field_of(board), board.cols, 5, load_net(), Limit())
    at_once = decide(*position)
    guesses: list[object] = []
    waiting = threading.Thread(target=lambda: guesses.append(decide(*position)))
    with caplog.at_level(logging.WARNING), cache.compiling(Part.GUESSES):
        waiting.start()
        deadline = time.monotonic() + PATIENCE_S
        while not caplog.records and time.monotonic() < deadline:
            time.sleep(0.01)
        assert "Waiting for the solver's guesses to be compiled." in caplog.messages
        assert not guesses
    waiting.join(PATIENCE_S)
    assert guesses == [at_once]


def test_another_version_of_the_sources_is_dropped_when_this_one_is_compiled(folder: Path) -> None:
    old, other = (folder.parent / name for name in ("kernels-here-before", "kernels-there-now"))
    for path in (old, other):
        path.mkdir()
    with cache.compiling(Part.ANALYSIS):
        assert old.exists()
    assert not old.exists()
    assert other.exists(), "of another installation"


@pytest.mark.parametrize("part", Part)
def test_every_kernel_of_a_part_is_stored(part: Part) -> None:
    warm_up.compile_part(part)
    assert cache.is_compiled(part)
    stored = {path.name.split(".")[1].split("-")[0] for path in cache.folder().rglob("*.nbi")}
    assert warm_up.kernels_of(part) <= stored


def test_nothing_compiles_in_play_once_all_parts_are_compiled() -> None:
    for part in Part:
        warm_up.compile_part(part)
    compiled: list[str] = []
    boards = BoardSet(Size(16, 16, 45), Rule.ZERO, seed="no surprise")
    small = BoardSet(Size(4, 4, 4), Rule.SAFE, seed="no surprise")
    with watching(compiled.append):
        for number in range(12):
            for name in ("tank", "deep", *["deep:think=low"] * (number < 2)):
                play_game(make_agent(name), boards.game(number))
            play_game(make_agent("deep"), small.game(number))
            dice = random.Random(number)
            play_in_kernels(make_agent("tank"), boards.game(number), first=Cell(5, 5), rng=dice)  # type: ignore[arg-type]
    assert compiled == []


def test_a_drawn_board_is_the_field_of_that_board() -> None:
    board = Board.from_text("#1#\n203", 2)
    np.testing.assert_array_equal(warm_up._field("#1#", "203"), field_of(board))
