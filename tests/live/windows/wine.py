"""Windows' own Python under Wine: set up once, asked for commands, and for games in a window."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PACKAGES = (
    "wine wine64 libtcl8.6 libtk8.6 xvfb libxcomposite1 libxcursor1 libxi6 libxinerama1 libxrandr2"
)
TOOLS = ("wine", "wineserver", "Xvfb")

STANDARD = {"beginner": (9, 9, 10, 0), "intermediate": (16, 16, 40, 1), "expert": (16, 30, 99, 2)}
"""Rows, columns, mines, and winemine's number of each level."""

WINEMINE = ("winemine.exe",), "WineMine"
"""How a program is started, and the title of its window."""

WINEMINE_KEY = r"HKEY_CURRENT_USER\Software\Microsoft\WinMine"
"""Where winemine keeps the size of its board and the best times."""

DESKTOP = "1100x800"

TRIES = 3
"""How often a program is run that Wine's server kills."""


def missing_tools() -> list[str]:
    """List what has to be installed first; empty if all is there."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if not Path("/usr/share/tcltk/tk8.6").exists():
        missing.append("Tk's scripts")
    return missing if sys.version_info[:2] == (3, 11) else [*missing, "Python 3.11"]


def folder() -> Path:
    """Return where Windows' Python is kept between runs."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("MINEBOT_WINDOWS") or Path(cache, "minebot-windows"))


@dataclass(frozen=True)
class Answer:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The JSON objects of standard output."""
        return [json.loads(line) for line in self.out.splitlines() if line.startswith("{")]


@dataclass(frozen=True)
class Windows:
    """Windows' Python in a folder, on an X display of its own."""

    home: Path
    display: str

    @property
    def env(self) -> dict[str, str]:
        """The environment of all Wine processes."""
        return os.environ | {
            "DISPLAY": self.display,
            "WINEPREFIX": str(self.home / "wine"),
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": "mscoree=;mshtml=",
            "PYTHONDONTWRITEBYTECODE": "",
            "CI": "",
        }

    @property
    def python(self) -> Path:
        """Windows' Python."""
        return self.home / "python" / "python.exe"

    def path(self, path: Path) -> str:
        """Return a path of this machine as Windows names it."""
        return "Z:" + str(path.resolve()).replace("/", "\\")

    def wine(
        self, *words: str, limit_s: float = 300, cwd: Path | None = None, tries: int = TRIES
    ) -> Answer:
        """Run a program of Windows."""
        return _run(["wine", *words], b"", limit_s, tries, env=self.env, cwd=cwd or self.home)

    def run(
        self,
        *words: str | Path,
        limit_s: float = 600,
        cwd: Path | None = None,
        stdin: bytes = b"",
        env: dict[str, str] | None = None,
        encoding: str = "utf-8",
    ) -> Answer:
        """Run Windows' Python; paths among the words are named as Windows does."""
        named = [self.path(word) if isinstance(word, Path) else word for word in words]
        command = ["wine", str(self.python), *named]
        own = self.env | (env or {})
        place = cwd or self.home
        return _run(command, stdin, limit_s, TRIES, encoding=encoding, env=own, cwd=place)

    def minebot(self, *words: str | Path, **options: Any) -> Answer:
        """Run a command of minebot."""
        return self.run("-m", "bot", *words, **options)

    def set_value(self, key: str, kind: str, **values: Any) -> None:
        """Write values of a key into the registry."""
        lines = [f"[{key}]", *(f'"{name}"={_value(kind, one)}' for name, one in values.items())]
        file = self.home / "values.reg"
        text = "\r\n".join(["Windows Registry Editor Version 5.00", "", *lines, ""])
        file.write_text(text, "utf-8", newline="")
        self.wine("regedit", "/S", self.path(file))

    def set_size(self, level: str) -> None:
        """Choose the board of the next winemine."""
        rows, cols, mines, number = STANDARD[level]
        self.set_value(
            WINEMINE_KEY,
            "dword",
            Width=cols,
            Height=rows,
            Mines=mines,
            Difficulty=number,
            Xpos=100,
            Ypos=60,
        )

    def set_dpi(self, dpi: int) -> None:
        """Choose the scaling of the screen for what starts from now on."""
        self.set_value(r"HKEY_CURRENT_USER\Control Panel\Desktop", "dword", LogPixels=dpi)
        self.close()

    def close(self) -> None:
        """End all Windows programs."""
        subprocess.run(["wineserver", "-k"], env=self.env, check=False)
        subprocess.run(["wineserver", "-w"], env=self.env, check=False, timeout=60)

    def stage(
        self, place: Path, plan: dict[str, Any], *, desktop: str | None = DESKTOP
    ) -> dict[str, Any]:
        """Let the bot play a program as `stage.py` does; return the outcome.

        ``desktop`` is the size of a desktop of Wine's own, None for windows on the X server's.
        """
        place.mkdir(parents=True, exist_ok=True)
        file = place / "plan.json"
        plan = {"limit_s": 300} | plan
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
        outcome: dict[str, Any] = json.loads(outcome_file.read_text("utf-8"))
        for name in ("out", "err"):
            text = place / f"bot.{name}"
            outcome[name] = text.read_text("utf-8", "replace") if text.exists() else ""
        return outcome


def _run(
    command: Sequence[str],
    given: bytes,
    limit_s: float,
    tries: int,
    *,
    encoding: str = "utf-8",
    **options: Any,
) -> Answer:
    """Run a program of Windows, which reads and writes through pipes, as Wine needs it.

    Only its own end is waited for, not that of the pipes: services of Wine that it starts hold them
    open, and on a busy machine some of them never end. And Wine's server kills a program that takes
    longer than a second to go after its end, as happens on a busy machine, too. Then its exit code
    is lost, and it is run again.
    """
    for _ in range(tries):
        answer = _run_once(command, given, limit_s, encoding, options)
        if answer.code != -signal.SIGKILL:
            break
    return answer


def _run_once(
    command: Sequence[str], given: bytes, limit_s: float, encoding: str, options: dict[str, Any]
) -> Answer:
    pipe = subprocess.PIPE
    program = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, **options)
    assert program.stdin is not None
    assert program.stdout is not None
    assert program.stderr is not None
    printed = [_Reader(stream, encoding) for stream in (program.stdout, program.stderr)]
    try:
        with suppress(BrokenPipeError), program.stdin:
            program.stdin.write(given)
        program.wait(limit_s)
    finally:
        program.kill()
        program.wait()
    return Answer(program.returncode, *(reader.text() for reader in printed))


class _Reader:
    """Reads a pipe in a thread of its own, which closes it at its end."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream, self._read, self._encoding = stream, bytearray(), encoding
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with self._stream:
            while part := os.read(self._stream.fileno(), 65536):
                self._read += part

    def text(self) -> str:
        """Decode what the program printed, which has ended."""
        while True:
            before = len(self._read)
            self._thread.join(0.5)
            if not self._thread.is_alive() or len(self._read) == before:
                return self._read.decode(self._encoding, "replace").replace("\r\n", "\n")


def _value(kind: str, value: Any) -> str:
    return f"dword:{value:08x}" if kind == "dword" else json.dumps(value)


class NotFetched(Exception):
    """The package index does not give what Windows' Python is made of."""


UNAVAILABLE = 69
"""The exit code of `setup.sh` then."""


@contextmanager
def held() -> Iterator[None]:
    """Keep the folder from other checkouts meanwhile: they would replace the wheel, or end Wine."""
    import fcntl  # tests are collected on Windows, too

    folder().mkdir(parents=True, exist_ok=True)
    with open(folder() / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def set_up() -> Path:
    """Set Windows' Python up in a folder that is `held`, with this checkout's wheel; return it.

    Raises `NotFetched` without the package index.
    """
    home = folder()
    own = {"PYTHON": sys._base_executable, "DISPLAY": "", "MINEBOT_WINDOWS_HELD": "1"}  # type: ignore[attr-defined]
    done = subprocess.run(
        ["bash", str(HERE / "setup.sh"), str(home)],
        env=os.environ | own,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    said = f"Windows' Python was not set up: {done.stdout}{done.stderr}"
    if done.returncode == UNAVAILABLE:
        raise NotFetched(said)
    assert done.returncode == 0, said
    return home


def on_linux(*words: str | Path, stdin: str = "") -> Answer:
    """Run a command of minebot on this machine."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "run_bot.py"), *map(str, words)],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def same(one: Any, other: Any) -> bool:
    """Whether two answers are equal, numbers to 1e-9; how long it took, and paths, are left out."""
    if isinstance(one, dict) and isinstance(other, dict):
        kept = [
            {key: value for key, value in each.items() if key not in ("ms", "image", "seconds")}
            for each in (one, other)
        ]
        return kept[0].keys() == kept[1].keys() and all(
            same(kept[0][key], kept[1][key]) for key in kept[0]
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-9 * max(1.0, abs(one))
    return bool(one == other)


def read_otherwise(windows: Windows, pictures: Sequence[Path]) -> list[str]:
    """Return the names of the pictures that Windows reads differently than this machine."""
    here = on_linux("read", *pictures, "--json")
    there = windows.minebot("read", *pictures, "--json", limit_s=120 + 30 * len(pictures))
    assert there.code == here.code, there.err
    lines = zip(pictures, there.lines, here.lines, strict=True)
    return [path.name for path, one, other in lines if not same(one, other)]


@contextmanager
def display(width: int = 1600, height: int = 1000) -> Iterator[str]:
    """Start an X server of its own; yield its name."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24"]
    server = subprocess.Popen(
        [*command, "-nolisten", "tcp"], pass_fds=[write], stderr=subprocess.DEVNULL
    )
    os.close(write)
    try:
        with os.fdopen(read) as names:
            yield f":{names.readline().strip()}"
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(20)


def results_of(outcome: dict[str, Any]) -> list[str]:
    """Return how the bot says that each game ended."""
    lines = [json.loads(line) for line in outcome["out"].splitlines() if line.startswith("{")]
    return [line["result"] for line in lines if "game" in line and "result" in line]


def ends_of(outcome: dict[str, Any]) -> list[str]:
    """Return how the window showed that each game ended."""
    return [said for _, said in outcome["signs"] if said in ("won", "lost")]


def contradicted(reported: Sequence[str], shown: Sequence[str]) -> bool:
    """Whether what the window showed differs from what was reported; an end may be missed."""
    left = iter(reported)
    return not all(end in left for end in shown)


def beside_the_board(session: Path, presses: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """Return the presses that lie on no tile of the board that was recorded."""
    lines = (session / "session.jsonl").read_text("utf-8").splitlines()
    steps = [json.loads(line) for line in lines]
    boards = []
    for step in steps:
        if step["kind"] == "calibrated":
            grid = step["calibration"]
            origin = step.get("origin", (0, 0))
            boards.append((grid, origin))
    stray = []
    for press in presses:
        _, x, y, _ = press
        if not any(_within(grid, x - left, y - top) for grid, (left, top) in boards):
            stray.append(press)
    return stray


def _within(grid: dict[str, Any], x: float, y: float) -> bool:
    return (
        grid["x0"] <= x < grid["x0"] + grid["cols"] * grid["tile_w"]
        and grid["y0"] <= y < grid["y0"] + grid["rows"] * grid["tile_h"]
    )


def on_display(windows: Windows, name: str) -> Windows:
    """Return the same Windows on another X display; its programs are ended first."""
    windows.close()
    return replace(windows, display=name)
