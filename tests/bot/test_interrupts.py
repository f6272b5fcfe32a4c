"""Ctrl-C at any moment: it waits for an import under way, and is never lost."""

from __future__ import annotations

import os
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

if sys.platform == "win32":
    pytest.skip("Windows sends no SIGINT to one process", allow_module_level=True)

from tests.bench import interrupts

RUN_BOT = Path(__file__).parents[2] / "run_bot.py"


@pytest.fixture
def alarm() -> Iterator[list[str]]:
    """Raise KeyboardInterrupt at each SIGALRM; list the modules that the signals interrupted."""
    modules = []

    def handle(number: int, frame: FrameType | None) -> None:
        assert frame is not None
        modules.append(str(frame.f_globals.get("__name__")))
        raise_in(frame, KeyboardInterrupt(), number)

    old = signal.signal(signal.SIGALRM, handle)
    yield modules
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, old)


def wait_for_signal() -> None:
    """Wait until the signal that could not raise is sent again."""
    time.sleep(60)
    raise AssertionError("the signal was lost")


def test_ctrl_c_as_a_loop_ends_in_an_import_is_not_lost() -> None:
    iterator: dict[str, Any] = {"__name__": "importlib.abc", "signal": signal}
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
        wait_for_signal()

    with interrupts_raised(), pytest.raises(KeyboardInterrupt):
        loop()


def test_ctrl_c_outside_imports_raises_at_once() -> None:
    def wait() -> None:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the line after the signal is not reached")

    with interrupts_raised(), pytest.raises(KeyboardInterrupt):
        wait()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.slow
def test_ctrl_c_in_a_destructor_is_not_lost(capfd: pytest.CaptureFixture[str]) -> None:
    class Fragile:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    def forget() -> None:
        Fragile()
        wait_for_signal()

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

        wait_for_signal()

    with interrupts_raised(), pytest.raises(KeyboardInterrupt):
        load()
    assert sys.modules.pop("interrupted_import").WHOLE


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("moment_s", [0.7, 3.0])
def test_ctrl_c_leaves_no_worker_behind(moment_s: float) -> None:
    """The terminal sends it to all processes: to those that start, and to those that play."""
    words = ("bench", "--agent", "tank", "--games", "1000000", "--jobs", "2")
    process = subprocess.Popen(
        [sys.executable, RUN_BOT, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(moment_s)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 5, err
    assert err == "Stopped at your request.\n"
    limit = time.monotonic() + 60
    while group_lives(process.pid):
        assert time.monotonic() < limit, "a worker lives on"
        time.sleep(0.02)


def group_lives(group: int) -> bool:
    """Whether a process group has a process."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("share", [0.1, 0.7])
@pytest.mark.parametrize("name", interrupts.COMMANDS)
def test_a_command_ends_in_order_at_a_signal(name: str, share: float, tmp_path: Path) -> None:
    moment = share * interrupts.COMMANDS[name][1]
    assert interrupts.interrupted(name, moment, tmp_path / "session") == []


READING = """
def read():
    try:
        while not alarm:
            pass
    except BaseException as error:
        raise RuntimeError("an error of its own") from error
"""


def test_a_signal_while_words_are_read_is_reported_as_a_stop(alarm: list[str]) -> None:
    module: dict[str, Any] = {"__name__": "rapidocr.main", "alarm": alarm}
    exec(READING, module)

    def look() -> None:
        module["read"]()
        wait_for_signal()

    signal.setitimer(signal.ITIMER_REAL, 0.05)
    with pytest.raises(KeyboardInterrupt):
        look()
    assert alarm[0] == "rapidocr.main"
