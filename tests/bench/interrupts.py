"""Interrupt a command at any moment and check how it ends: `tests/bot/test_interrupts.py` does so.

A command gets one SIGINT, as Ctrl-C sends it: while Python loads, while the solver counts, while it
writes. It must end with exit code 5, without a crash and without a traceback, and a recording must
replay without a difference up to its last whole step. A signal before the program's first line, or
after its end, says nothing. POSIX only: `manual` runs in a pseudo-terminal.
"""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from bot.errors import BadSession
from bot.record.replay import replay
from bot.record.session import LINES_FILE, Session

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "fixtures" / "screens" / "sgt-mines" / "sg_exp_big_mid.webp"

STOPPED = 5  # the exit code of a command stopped by the user
CRASH = re.compile("Traceback|Fatal Python error")
PROGRAM = str(ROOT / "bot" / "__main__.py")
"""What Python writes when it ends by an exception, and what is named if that was in the program."""

PATIENCE_S = 120  # seconds after which a command that has not ended counts as hanging
COMMANDS = {
    "play": (["play", "--screen", "sim", "--size", "expert", "--games", "20", "--quiet"], 8.0),
    "bench": (["bench", "--agent", "deep", "--size", "expert", "--games", "100000"], 6.0),
    "arena": (["arena", "sweep", "--dim", "10", "--games", "100000"], 6.0),
    "manual": (["manual", "--size", "expert"], 4.0),
    "read": (["read", str(PICTURE)], 1.5),
}
"""The commands, and the seconds after their start within which the signal comes."""


def interrupted(name, moment, session):
    """Start a command, send it SIGINT after ``moment`` seconds, and say what is wrong with it."""
    words = [*COMMANDS[name][0], *(["--record", str(session)] if name == "play" else [])]
    ours, theirs = pty.openpty()
    data = str(session.parent / "data")
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "run_bot.py"), *words], cwd=ROOT, start_new_session=True,
        stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "XDG_DATA_HOME": data},
    )  # fmt: skip
    os.close(theirs)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(read_all, ours)
        time.sleep(moment)
        ended = process.poll() is not None
        process.send_signal(signal.SIGINT)
        try:
            code = process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # what it left holds the terminal open
    printed = read.result()
    before_first_line = CRASH.search(printed) is not None or not printed.strip()
    if ended or (code != STOPPED and PROGRAM not in printed and before_first_line):
        return []
    problems = []
    # A command that was about to end by itself may do so.
    if code not in (STOPPED, 0) or CRASH.search(printed):
        problems.append(f"exit {code}: {printed[-2000:]}")
    if (session / LINES_FILE).exists() and not replays(session):
        problems.append("its recording does not replay")
    return problems


def read_all(terminal):
    """Read what processes write to a pseudo-terminal, until its other end is closed."""
    parts = []
    with suppress(OSError):
        while part := os.read(terminal, 65536):
            parts.append(part)
    os.close(terminal)
    return b"".join(parts).decode("utf-8", "replace")


def replays(folder):
    """Whether a recording replays without a difference, but for a last line that was cut short."""
    try:
        session = Session.load(folder)
        found = sum(1 for _ in replay(session))
    except BadSession:
        return (folder / LINES_FILE).stat().st_size == 0  # stopped before the first line
    return found <= int(session.cut_off)
