"""Ctrl-C at any moment: it waits for compiled code, and never crashes the interpreter."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from bot.interrupts import interrupts_raised, raise_in
from bot.record.session import Session
from solver.analysis import field_of
from solver.board import Board
from solver.search.game_state import begin_state, study_state
from tests.bench import interrupts

if sys.platform == "win32":
    pytest.skip("there are no timer signals on Windows", allow_module_level=True)

RUN_BOT = Path(__file__).parents[2] / "run_bot.py"

ROUNDS = 2000
"""Without the deferral, one signal in about four during a kernel crashed the interpreter."""


@pytest.fixture
def alarm() -> Iterator[list[str]]:
    """Raise KeyboardInterrupt at each SIGALRM; list the modules that the signals interrupted."""
    modules = []

    def handle(number: int, frame: FrameType | None) -> None:
        assert frame is not None
        modules.append(str(frame.f_globals.get("__name__")))
        raise_in(frame, KeyboardInterrupt())

    old, traced = signal.signal(signal.SIGALRM, handle), sys.gettrace()
    yield modules
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, old)
    sys.settrace(traced)


def interrupted_call(board: Board, delay_s: float) -> None:
    """Call kernels that build named tuples until the signal comes."""
    signal.setitimer(signal.ITIMER_REAL, delay_s)
    while True:
        study_state(begin_state(field_of(board), board.cols, 6))


def test_a_signal_during_a_kernel_raises_after_it(alarm: list[str]) -> None:
    board = Board.from_text("########\n##11####\n##1.1###\n##111###\n########", 6)
    study_state(begin_state(field_of(board), board.cols, 6))
    moments = random.Random(15)
    for _ in range(ROUNDS):
        with pytest.raises(KeyboardInterrupt):
            interrupted_call(board, moments.uniform(1e-5, 2e-4))
    assert "numba.core.serialize" in alarm, "the moments that used to crash were among them"


COMPILING = """
import _thread, random, threading, time
import numba
from bot.interrupts import interrupts_raised

def compile_for(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        numba.njit(lambda number: number + 1)(1)

moments = random.Random(4)
compile_for(1)
for _ in range(20):
    person = threading.Timer(moments.uniform(0.05, 0.3), _thread.interrupt_main)
    try:
        with interrupts_raised():
            person.start()
            compile_for(20)
    except KeyboardInterrupt:
        continue
    raise SystemExit("Ctrl-C was lost")
"""
"""Compiles functions while a person presses Ctrl-C; in a process of its own, for numba may be left
with a half-compiled function."""


def test_ctrl_c_while_llvm_compiles_is_not_lost() -> None:
    """LLVM calls Python while it compiles, and ignores exceptions there."""
    ended = subprocess.run(
        [sys.executable, "-c", COMPILING],
        cwd=RUN_BOT.parent,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr


def test_ctrl_c_as_a_loop_ends_in_fragile_code_is_not_lost() -> None:
    """Python drops what a trace function raises for the exception that ends a loop."""
    iterator: dict[str, Any] = {"__name__": "llvmlite.binding", "signal": signal}
    exec(
        "class Last:\n"
        "    def __iter__(self):\n"
        "        return self\n"
        "    def __next__(self):\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "        raise StopIteration\n",
        iterator,
    )

    def loop() -> None:
        for _ in iterator["Last"]():
            pass

    with interrupts_raised(), pytest.raises(KeyboardInterrupt):
        loop()


def test_ctrl_c_outside_fragile_code_raises_at_once() -> None:
    def wait() -> None:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the line after the signal is not reached")

    with interrupts_raised(), pytest.raises(KeyboardInterrupt):
        wait()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_in_a_destructor_is_not_lost(capfd: pytest.CaptureFixture[str]) -> None:
    class Fragile:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    def forget() -> None:
        Fragile()
        time.sleep(0.5)
        raise AssertionError("the signal was lost")

    hook = sys.unraisablehook
    with interrupts_raised(), pytest.raises(KeyboardInterrupt):
        forget()
    assert sys.unraisablehook is hook
    assert capfd.readouterr().err == ""


def test_an_import_is_finished_before_ctrl_c_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "interrupted_import.py").write_text(
        "import signal\nsignal.raise_signal(signal.SIGINT)\nWHOLE = True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def load() -> None:
        import interrupted_import  # type: ignore[import-not-found]  # noqa: F401

        raise AssertionError("the line after the import is not reached")

    with interrupts_raised(), pytest.raises(KeyboardInterrupt):
        load()
    assert sys.modules.pop("interrupted_import").WHOLE


COMMANDS = {
    "bench": ("bench", "--agent", "deep", "--games", "100000"),
    "play": ("play", "--screen", "sim", "--games", "100000", "--json", "--record", "session"),
    "arena": ("arena", "table", "--agents", "tank,deep", "--games", "100000"),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_interrupted_at_any_moment_ends_with_exit_code_5(
    command: str, tmp_path: Path
) -> None:
    process = subprocess.Popen(
        [sys.executable, RUN_BOT, *COMMANDS[command]],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(random.Random(command).uniform(1.0, 6.0))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 5, err
    assert "Traceback" not in err
    if (tmp_path / "session").exists():
        assert Session.load(tmp_path / "session").header["agent"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("share", [0.1, 0.7])
@pytest.mark.parametrize("name", interrupts.COMMANDS)
def test_a_command_ends_in_order_at_a_signal(name: str, share: float, tmp_path: Path) -> None:
    tally = interrupts.Tally()
    interrupts.interrupt(name, share * interrupts.COMMANDS[name][1], tmp_path / "session", tally)
    assert tally.wrong == 0, tally


READING = """
def read():
    try:
        while not alarm:
            pass
    except BaseException as error:
        raise RuntimeError("an error of its own") from error
"""


def test_a_signal_while_words_are_read_is_told_as_a_stop(alarm: list[str]) -> None:
    module: dict[str, Any] = {"__name__": "rapidocr.main", "alarm": alarm}
    exec(READING, module)

    def look() -> None:
        module["read"]()

    signal.setitimer(signal.ITIMER_REAL, 0.05)
    with pytest.raises(KeyboardInterrupt):
        look()
    assert alarm == ["rapidocr.main"]
