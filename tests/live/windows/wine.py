"""Windows' own Python under Wine: set up once, asked for commands, and for games in a window."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import NamedTuple

from tests.live.command import lines_of, run_bot
from tests.live.session import x_server

HERE = Path(__file__).parent
PACKAGES = (
    "wine wine64 libtcl8.6 libtk8.6 xvfb libxcomposite1 libxcursor1 libxi6 libxinerama1 libxrandr2"
)
STANDARD = {"beginner": (9, 9, 10, 0), "intermediate": (16, 16, 40, 1), "expert": (16, 30, 99, 2)}
"""Rows, columns, mines, and winemine's number of each level."""

WINEMINE_KEY = r"HKEY_CURRENT_USER\Software\Microsoft\WinMine"
"""Where winemine keeps the size of its board and the best times."""

DESKTOP = "1100x800"

PLAY = ["play", "--screen", "real", "--json", "--record", "session"]

TRIES = 3  # how often a program is run that Wine's server kills


def missing_tools():
    """List what has to be installed first; empty if all is there."""
    missing = [tool for tool in ("wine", "wineserver", "Xvfb") if shutil.which(tool) is None]
    if not Path("/usr/share/tcltk/tk8.6").exists():
        missing.append("Tk's scripts")
    return missing if sys.version_info[:2] == (3, 11) else [*missing, "Python 3.11"]


class Answer(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    lines = property(lambda self: lines_of(self.out))


@dataclass(frozen=True)
class Windows:
    """Windows' Python in a folder, on an X display of its own."""

    home: Path
    display: str

    @property
    def env(self):
        return os.environ | {
            "DISPLAY": self.display,
            "WINEPREFIX": str(self.home / "wine"),
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": "mscoree=;mshtml=",
            "PYTHONDONTWRITEBYTECODE": "",
            "CI": "",
        }

    @property
    def python(self):
        return self.home / "python" / "python.exe"

    def path(self, path):
        """Return a path of this machine as Windows names it."""
        return "Z:" + str(path.resolve()).replace("/", "\\")

    def wine(self, *words, cwd=None, **options):
        return _run(["wine", *words], cwd=cwd or self.home, env=self.env, **options)

    def run(self, *words, env=None, **options):
        """Run Windows' Python; paths among the words are named as Windows does."""
        named = [self.path(word) if isinstance(word, Path) else word for word in words]
        options = {"cwd": self.home, "limit_s": 600} | options
        return _run(["wine", str(self.python), *named], env=self.env | (env or {}), **options)

    def minebot(self, *words, **options):
        return self.run("-m", "bot", *words, **options)

    def set_numbers(self, key, **values):
        """Write values of a key into the registry."""
        lines = [f"[{key}]", *(f'"{name}"=dword:{one:08x}' for name, one in values.items()), ""]
        file = self.home / "values.reg"
        text = "\r\n".join(["Windows Registry Editor Version 5.00", "", *lines])
        file.write_text(text, "utf-8", newline="")
        self.wine("regedit", "/S", self.path(file))

    def set_dpi(self, dpi):
        """Choose the scaling of the screen for what starts from now on."""
        self.set_numbers(r"HKEY_CURRENT_USER\Control Panel\Desktop", LogPixels=dpi)
        self.close()

    def close(self):
        subprocess.run(["wineserver", "-k"], env=self.env, check=False)
        subprocess.run(["wineserver", "-w"], env=self.env, check=False, timeout=60)

    def stage(self, place, plan, *, desktop=DESKTOP):
        """Let the bot play a program as `stage.py` does; return the outcome.

        ``results`` of it are the ends of games that the bot reported, ``ends`` those that the
        window showed, ``stray`` the presses beside the board. ``desktop`` is the size of a desktop
        of Wine's own, None for windows on the X server's.
        """
        place.mkdir(parents=True, exist_ok=True)
        file = place / "plan.json"
        plan = {"limit_s": 300, "bot": PLAY} | plan
        file.write_text(json.dumps(plan), "utf-8")
        # Streams that cmd.exe opens: those of this machine are not always handed on by a desktop.
        words = " ".join(f'"{self.path(one)}"' for one in (self.python, HERE / "stage.py", file))
        batch, log = place / "stage.bat", place / "stage.log"
        batch.write_text(f'@{words} <NUL >"{self.path(log)}" 2>&1\r\n', "utf-8", newline="")
        within = ["explorer", f"/desktop={place.name},{desktop}"] if desktop else []
        command = [*within, "cmd", "/c", self.path(batch)]
        self.wine(*command, limit_s=2 * plan["limit_s"] + 120, cwd=place, tries=1)
        outcome_file = place / "outcome.json"
        if not outcome_file.exists():
            raise AssertionError(f"the stage ended: {log.read_text('utf-8', 'replace')}")
        outcome = {"presses": [], "signs": []} | json.loads(outcome_file.read_text("utf-8"))
        for name in ("out", "err"):
            text = place / f"bot.{name}"
            outcome[name] = text.read_text("utf-8", "replace") if text.exists() else ""
        lines = [line for line in lines_of(outcome["out"]) if "game" in line]
        outcome["results"] = [line["result"] for line in lines if "result" in line]
        outcome["ends"] = [said for _, said in outcome["signs"] if said in ("won", "lost")]
        outcome["stray"] = beside_the_board(place / "session", outcome["presses"])
        return outcome

    def play_winemine(self, place, level, *options, desktop=DESKTOP, **plan):
        names = ("Height", "Width", "Mines", "Difficulty")
        size = dict(zip(names, STANDARD[level], strict=True))
        self.set_numbers(WINEMINE_KEY, **size, Xpos=100, Ypos=60)
        own = {"program": ["winemine.exe"], "title": "WineMine", "bot": [*PLAY, *options]}
        return self.stage(place, own | plan, desktop=desktop)


def _run(command, *, stdin=b"", limit_s=300, tries=TRIES, encoding="utf-8", **options):
    """Run a program of Windows, which reads and writes through pipes, as Wine needs it.

    Only its own end is waited for, not that of the pipes: services of Wine that it starts hold them
    open, and on a busy machine some of them never end. And Wine's server kills a program that takes
    longer than a second to go after its end, as happens on a busy machine, too. Then its exit code
    is lost, and it is run again.
    """
    for _ in range(tries):
        code, *printed = _run_once(command, stdin, limit_s, options)
        if code != -signal.SIGKILL:
            break
    return Answer(code, *(one.decode(encoding, "replace").replace("\r\n", "\n") for one in printed))


def _run_once(command, given, limit_s, options):
    """Return the exit code and all that was printed until half a second after the end."""
    pipe, end, before = subprocess.PIPE, time.monotonic() + limit_s, None
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, **options) as program:
        try:
            while time.monotonic() < end:
                try:
                    printed = program.communicate(given, timeout=0.5)
                    return program.returncode, *printed
                except subprocess.TimeoutExpired as waited:
                    printed = waited.output or b"", waited.stderr or b""
                    if program.poll() is not None and printed == before:
                        return program.returncode, *printed
                    before, given = printed, None
            raise subprocess.TimeoutExpired(command, limit_s)
        finally:
            program.kill()


class NotFetched(Exception):
    """The package index does not give what Windows' Python is made of."""


UNAVAILABLE = 69  # the exit code of `setup.sh` then


@contextmanager
def opened_windows():
    """Set Windows' Python up in its folder, with this checkout's wheel, on a display of its own.

    The folder is kept from other checkouts meanwhile: they would replace the wheel, or end Wine.
    Raises `NotFetched` without the package index.
    """
    import fcntl  # tests are collected on Windows, too

    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    home = Path(os.environ.get("MINEBOT_WINDOWS") or Path(cache, "minebot-windows"))
    home.mkdir(parents=True, exist_ok=True)
    own = {"PYTHON": sys._base_executable, "DISPLAY": "", "MINEBOT_WINDOWS_HELD": "1"}
    with open(home / "lock", "w") as lock, x_server(screen="1600x1000x24") as display:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            ["bash", str(HERE / "setup.sh"), str(home)], env=os.environ | own,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        said = f"Windows' Python was not set up: {done.stdout}{done.stderr}"
        if done.returncode == UNAVAILABLE:
            raise NotFetched(said)
        assert done.returncode == 0, said
        windows = Windows(home, display)
        try:
            yield windows
        finally:
            windows.close()


def on_linux(*words, stdin=""):
    done = run_bot(*words, stdin=stdin)
    return Answer(done.returncode, done.stdout, done.stderr)


def same(one, other):
    """Whether two answers are equal, numbers to 1e-9; how long it took, and paths, are left out."""
    match one, other:
        case dict(), dict():
            left_out = {"ms", "image", "seconds"}
            return one.keys() - left_out == other.keys() - left_out and all(
                same(one[key], other[key]) for key in one.keys() - left_out
            )
        case list(), list():
            return len(one) == len(other) and all(map(same, one, other))
        case float(), float():
            return isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return bool(one == other)


def read_otherwise(windows, pictures):
    """Return the names of the pictures that Windows reads differently than this machine."""
    here = on_linux("read", *pictures, "--json")
    there = windows.minebot("read", *pictures, "--json", limit_s=120 + 30 * len(pictures))
    assert there.code == here.code, there.err
    lines = zip(pictures, there.lines, here.lines, strict=True)
    return [path.name for path, one, other in lines if not same(one, other)]


def contradicted(reported, shown):
    """Whether what the window showed differs from what was reported; an end may be missed."""
    left = iter(reported)
    return not all(end in left for end in shown)


def beside_the_board(session, presses):
    """Return the presses that lie on no tile of the board that was recorded."""
    file = session / "session.jsonl"
    steps = lines_of(file.read_text("utf-8")) if file.exists() else []
    boards = [
        (step["calibration"], step.get("origin", (0, 0)))
        for step in steps
        if step["kind"] == "calibrated"
    ]

    def is_on(grid, x, y):
        across, down = (x - grid["x0"]) / grid["tile_w"], (y - grid["y0"]) / grid["tile_h"]
        return 0 <= across < grid["cols"] and 0 <= down < grid["rows"]

    def is_beside(press):
        _, x, y, *_ = press
        return not any(is_on(grid, x - left, y - top) for grid, (left, top) in boards)

    return [press for press in presses if is_beside(press)]
