"""Commands of minebot as a person runs them: in a process of their own, on a desk."""

import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.live.session import DeskError, wait_until

ROOT = Path(__file__).resolve().parents[2]
RUN_BOT = [sys.executable, str(ROOT / "run_bot.py")]


def run_bot(*words, env=None, limit_s=300, check=False, stdin=""):
    command = [*RUN_BOT, *map(str, words)]
    return subprocess.run(
        command, env=env, cwd=ROOT, input=stdin, capture_output=True, text=True, timeout=limit_s,
        check=check,
    )  # fmt: skip


def lines_of(out):
    """Return the JSON objects of a command's standard output."""
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


class Bot:
    """A command under way in the window of a program, and what is pressed meanwhile.

    Its end as a block, or `close`, ends the command.
    """

    def __init__(self, running, *words, start=RUN_BOT):
        self.running, self.desk = running, running.desk
        self.ledger = running.desk.ledger(running.window, running.process)
        folder = Path(tempfile.mkdtemp(dir=self.desk.home))
        self._out, self._err = folder / "out", folder / "err"
        with self._out.open("w") as out, self._err.open("w") as err:
            self.process = subprocess.Popen(
                [*start, *map(str, words)], env=self.desk.env | {"PYTHONFAULTHANDLER": "1"},
                cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            )  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End the command and what records the presses."""
        self.process.kill()
        self.process.wait()
        self.ledger.close()

    out = property(lambda self: self._out.read_text())
    err = property(lambda self: self._err.read_text())

    def wait_clicks(self, count, limit_s=150):
        goal = len(self.ledger.presses) + count

        def received():
            assert self.process.poll() is None, self.out + self.err
            return len(self.ledger.presses) >= goal

        wait_until(received, limit_s, f"{count} clicks")

    def clicks_after(self, moment):
        return sum(press.button > 0 and press.at > moment for press in self.ledger.presses)

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def wait(self, limit_s=60):
        """Wait for the end; return the exit code and what it said."""
        try:
            code = self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)  # Python then prints where it is
            self.process.wait(10)
            raise DeskError(f"it did not end: {self.out}{self.err}") from None
        return code, self.out + self.err
