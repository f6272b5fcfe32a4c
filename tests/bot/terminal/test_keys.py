"""Play steered with keys: pause, one turn, speed, an early end; the terminal restored."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from bot.errors import StoppedByUser
from bot.terminal.keys import KeyControl, open_keys

ROOT = Path(__file__).parents[3]


class Script:
    """Keys that are pressed at certain times ("p0 p7"), and a clock that only waits move."""

    def __init__(self, keys: str = "", *, step: bool = False) -> None:
        self.now = 0.0
        self._keys = [(float(key[1:]), key[0]) for key in keys.split()]
        self.control = KeyControl(self.read, step=step)

    def read(self) -> str:
        return self._keys.pop(0)[1] if self._keys and self._keys[0][0] <= self.now else ""

    def wait(self, seconds: float) -> None:
        self.now += seconds
        if self.now > 100:
            raise StoppedByUser("the kill switch")

    def do(self, *steps: str | float) -> float:
        """Take turns, make clicks after a pause, and wait; return the time."""
        for step in steps:
            if step == "turn":
                self.control.before_turn(self.wait)
            elif step == "wait":
                self.wait(0.5)
            else:
                self.control.before_click(float(step), self.wait)
        return self.now


@pytest.mark.parametrize(
    ("keys", "steps", "at_s"),
    [
        # Without keys play keeps its pace; without pauses it gets some when it is slowed down.
        ("", ["turn", 0.3], 0.3),
        ("+0", [1.0], 0.5),
        ("-0", [1.0], 2.0),
        ("-0", [0.0], 0.1),
        # A pause holds before a turn and between two clicks until the key comes again.
        ("p0 p7", ["turn"], 7.0),
        ("p0 p7 p7.5 p9", ["turn", "wait", 0.0], 9.0),
    ],
)
def test_keys_steer_the_pace(keys: str, steps: list[str | float], at_s: float) -> None:
    script = Script(keys)
    assert script.do(*steps) == pytest.approx(at_s, abs=0.05)
    assert not script.control.paused


def test_the_kill_switch_ends_a_pause() -> None:
    with pytest.raises(StoppedByUser):
        Script("p0").do("turn")


def test_s_plays_exactly_one_turn() -> None:
    script = Script("s5 p20", step=True)
    assert script.do("turn") == pytest.approx(5.0, abs=0.1)
    assert script.do(1.0, 1.0) == pytest.approx(7.0, abs=0.2)
    assert script.do("turn") == pytest.approx(20.0, abs=0.1)


def test_q_asks_for_no_further_game_and_takes_it_back() -> None:
    script = Script("q0 q1")
    script.do("turn")
    assert script.control.stop_after_game
    script.do("wait", "wait", "turn")
    assert not script.control.stop_after_game


def test_every_key_that_means_something_is_reported() -> None:
    script, reported = Script("x0 ?0 q0 +0"), []
    script.control.on_change = lambda: reported.append(script.control.help)
    script.do("turn")
    assert len(reported) == 3


def test_no_keys_are_read_where_standard_input_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Path(os.devnull).open(encoding="ascii") as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        with open_keys() as read:
            assert read is None


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("ending", ["pass", "raise SystemExit(3)", "raise ValueError", "suspend"])
def test_keys_come_at_once_and_the_terminal_is_restored(ending: str) -> None:
    import pty
    import termios

    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    script = f"""
        import os, signal, sys, time
        from bot.terminal.keys import open_keys
        with open_keys() as read:
            print("ready", flush=True)
            keys = ""
            while len(keys) < 2:
                keys += read()
                time.sleep(0.01)
            print(keys, flush=True)
            if {ending!r} == "suspend":
                os.kill(os.getpid(), signal.SIGTSTP)
                print("again", flush=True)
            else:
                {ending if ending != "suspend" else "pass"}
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    assert not termios.tcgetattr(slave)[3] & termios.ICANON
    os.write(master, b"\x1b[Ap?")  # the arrow key is dropped as a whole
    assert child.stdout.readline() == "p?\n"
    if ending == "suspend":
        os.waitpid(child.pid, os.WUNTRACED)
        assert termios.tcgetattr(slave)[3] == before[3]
        child.send_signal(signal.SIGCONT)
        assert child.stdout.readline() == "again\n"
    child.wait(timeout=60)
    child.stdout.close()
    assert termios.tcgetattr(slave)[3] == before[3]
    os.close(master)
    os.close(slave)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_that_is_closed_is_no_failure_of_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its end would be kept as the last failure, and replace the evidence of a real one."""
    import pty

    master, slave = pty.openpty()
    with os.fdopen(slave, encoding="ascii") as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        with open_keys() as read:
            assert read is not None
            os.close(master)
            os.kill(os.getpid(), signal.SIGCONT)
            assert read() == ""
