"""Interrupt commands at random moments and check how they end.

    python -m tests.bench.interrupts [COUNT] [--seed S]

COUNT interrupts (200) are shared among `play`, `bench`, `arena`, `manual` and `read`. Each command
gets one SIGINT, as Ctrl-C sends it, at a random moment after its start: while Python loads, while
the solver counts, while it writes. It must end with exit code 5, without a crash and without a
traceback, and a recording must replay without a difference up to its last whole step. One line a
command: interrupts, those outside of the program (after it had ended by itself, or while Python
itself started, before its first line), exits other than 5, tracebacks and crashes, recordings that
do not replay, and seconds from the signal to the end of the process: median, worst, and how many
took more than 0.2 s. An import under way is finished first. Exit code 1 if anything but a time is
wrong. POSIX only: `manual` runs in a pseudo-terminal.
"""

from __future__ import annotations

import argparse
import os
import pty
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bot.errors import BadSession
from bot.record.replay import replay
from bot.record.session import LINES_FILE, Session

ROOT = Path(__file__).resolve().parents[2]
RUN_BOT = [sys.executable, str(ROOT / "run_bot.py")]
PICTURE = ROOT / "fixtures" / "screens" / "sgt-mines" / "sg_exp_big_mid.webp"

STOPPED, SOON_S = 5, 0.2
"""The exit code of a command stopped by the user, and the seconds after which it should end."""

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
"""What a terminal takes for colours and movements."""

CRASH = re.compile("Traceback|Fatal Python error")
PROGRAM = str(ROOT / "bot" / "__main__.py")
"""What Python writes when it ends by an exception, and what is named if that was in the program."""

PATIENCE_S = 120
"""Seconds after which a command that has not ended counts as hanging."""

COMMANDS = {
    "play": (["play", "--screen", "sim", "--size", "expert", "--games", "20", "--quiet"], 8.0),
    "bench": (["bench", "--agent", "deep", "--size", "expert", "--games", "100000"], 6.0),
    "arena": (["arena", "sweep", "--dim", "10", "--games", "100000"], 6.0),
    "manual": (["manual", "--size", "expert"], 4.0),
    "read": (["read", str(PICTURE)], 1.5),
}
"""The commands, and the seconds after their start within which the signal comes."""


@dataclass
class Tally:
    """What happened to the interrupts of one command."""

    sent: int = 0
    outside: int = 0
    other_codes: list[int] = field(default_factory=list)
    tracebacks: int = 0
    unreadable: int = 0
    seconds: list[float] = field(default_factory=list)

    @property
    def wrong(self) -> int:
        """The number of things that must not happen."""
        return len(self.other_codes) + self.tracebacks + self.unreadable


def main() -> int:
    """Interrupt commands and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    # Started in the background by a shell, this process ignores SIGINT, and so would its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = random.Random(args.seed)
    tallies = {name: Tally() for name in COMMANDS}
    for number in range(args.count):
        name = list(COMMANDS)[number % len(COMMANDS)]
        moment = rng.uniform(0.0, COMMANDS[name][1])
        with tempfile.TemporaryDirectory(prefix="minebot-interrupts-") as folder:
            interrupt(name, moment, Path(folder) / "session", tallies[name])
    print("command   sent  outside  other exits  tracebacks  unreadable  s: median  worst  late")
    for name, tally in tallies.items():
        seconds = tally.seconds or [0.0]
        print(
            f"{name:8} {tally.sent:5} {tally.outside:8} {len(tally.other_codes):12} "
            f"{tally.tracebacks:11} {tally.unreadable:11} {median(seconds):10.2f} "
            f"{max(seconds):6.2f} {sum(one > SOON_S for one in seconds):5}",
            flush=True,
        )
    return 1 if any(tally.wrong for tally in tallies.values()) else 0


def interrupt(name: str, moment: float, session: Path, tally: Tally) -> None:
    """Start a command, send it SIGINT after ``moment`` seconds, and count what happens."""
    words = list(COMMANDS[name][0])
    if name == "play":
        words += ["--record", str(session)]
    process, output = start(words, data=session.parent / "data")
    time.sleep(moment)
    ended = process.poll() is not None
    sent_at = time.monotonic()
    process.send_signal(signal.SIGINT)
    tally.sent += 1
    try:
        code = process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        code = process.wait()
    took = time.monotonic() - sent_at
    printed = output.text()
    before_first_line = CRASH.search(printed) is not None or not printed.strip()
    if ended or (code != STOPPED and PROGRAM not in printed and before_first_line):
        tally.outside += 1
        return
    tally.seconds.append(took)
    problems = []
    # A command that was about to end by itself may do so.
    if code not in (STOPPED, 0):
        tally.other_codes.append(code)
        problems.append(f"exit {code}")
    if CRASH.search(printed):
        tally.tracebacks += 1
        problems.append("a traceback")
    if (session / LINES_FILE).exists() and not replays(session):
        tally.unreadable += 1
        problems.append("its recording does not replay")
    if problems:
        last = " | ".join(ESCAPES.sub("", printed).strip().splitlines()[-12:])
        print(f"{name} after {moment:.3f} s: {', '.join(problems)}: {last}", flush=True)


class Output(threading.Thread):
    """Reads all that a process writes to a pseudo-terminal."""

    def __init__(self, terminal: int) -> None:
        super().__init__(daemon=True)
        self._terminal = terminal
        self._parts: list[bytes] = []
        self.start()

    def run(self) -> None:
        """Read until the other end is closed."""
        try:
            while part := os.read(self._terminal, 65536):
                self._parts.append(part)
        except OSError:
            return

    def text(self) -> str:
        """Wait for the end and return everything."""
        self.join(5)
        os.close(self._terminal)
        return b"".join(self._parts).decode("utf-8", "replace")


def start(words: list[str], *, data: Path) -> tuple[subprocess.Popen[bytes], Output]:
    """Start the program in a pseudo-terminal and with a data folder of its own."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*RUN_BOT, *words],
        cwd=ROOT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "XDG_DATA_HOME": str(data)},
        start_new_session=True,
    )
    os.close(theirs)
    return process, Output(ours)


def replays(folder: Path) -> bool:
    """Whether a recording replays without a difference, but for a last line that was cut short."""
    try:
        session = Session.load(folder)
        found = sum(1 for _ in replay(session))
    except BadSession:
        return (folder / LINES_FILE).stat().st_size == 0  # stopped before the first line
    return found <= int(session.cut_off)


if __name__ == "__main__":
    sys.exit(main())
