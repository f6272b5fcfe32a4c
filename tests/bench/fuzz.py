"""Spoil inputs of every kind by chance, run them, and judge what the program did.

    python -m tests.bench.fuzz [--count 20000] [--seed 0] [--only KIND,KIND] [--keep DIR]

Each input is run in a fork of this process, with limits of time, memory and open files, in a folder
of its own. It is judged by: a documented exit code, one sentence for an error, no traceback, no
code for a terminal in what is printed, no board reported that the picture does not show, no file
changed, nothing written but what was asked for, no process left. Inputs that fail are kept in DIR;
``--first`` is the number of the first input. The exit code is 1 if any input failed.
"""

import contextlib
import io
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import tomli_w
from PIL import Image

from bot.cli import main as minebot
from bot.commands.themes import theme_text
from bot.options import PlayOptions
from bot.play.player import Player
from bot.record.session import LINES_FILE, Recorder
from calibration.theme import builtin_themes
from solver.agents import make_agent
from solver.board import Cell
from solver.learning.weights import SHIPPED
from tests.bench.series import parser
from tests.simulated import FaultyDesktop

HANG_S, STILL_S = 10.0, 120.0
"""What takes more time of the processor counts as a hang, and so does what stands still for longer
than the second: on a busy machine a run may wait for its turn."""

MOST_MB = 1500
LIMITS = {
    resource.RLIMIT_NOFILE: 200,
    resource.RLIMIT_FSIZE: 50_000_000,
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_CPU: 60,
}
"""Open files, bytes of a file that is written, no picture of the memory after a crash, seconds."""

COMMANDS = """
picture        read FILE --json
picture        read FILE --json
picture        read FILE --json
picture        read FILE --json
picture        advise FILE --agent tank --heatmap out.png
picture        read FILE --overlay out
session        stats FOLDER
session        stats FOLDER --csv out.csv --json
session        review FOLDER -o out.html
session        replay FOLDER
theme          read SHOWN --theme FILE --json
theme          themes --json
theme          themes
theme          play --screen sim --size 8x8x6 --agent tank --quiet --theme FILE
calibration    read SHOWN --calibration FILE --json
calibration    advise SHOWN --calibration FILE --agent tank
configuration  --config FILE solve BOARD
board          solve FILE --agent tank
board          solve FILE --mines 4 --agent tank --json
lines          solve --lines FILE --agent tank
boards         bench --boards FILE --agent basic --games 1 --no-estimate
results        bench --games 2 --size 9x9x10 --agent basic --no-estimate --results FILE
weights        solve BOARD --mines 3 --agent STEM:weights=FILE
recipe         train another --recipe FILE
"""
"""Commands that read a file of each kind; one that begins with ``out`` may be written."""

LINES = [line.split(None, 1) for line in COMMANDS.strip().splitlines()]
FREQUENT, OFTEN = ("picture", "session"), ("theme", "calibration", "lines", "board")
WEIGHTS = {kind: 5 if kind in FREQUENT else 3 if kind in OFTEN else 2 for kind, _ in LINES}

CODES = {"replay": (0, 1, 2, 3, 4), "play": (0, 2, 3, 4, 6)}
"""Exit codes of commands with others than 0, 2, 3 and 4."""

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
SENTENCE = re.compile(r"\S.*[.?)]'?")

ENCODINGS: dict[str, list[dict[str, Any]]] = {
    "PNG": [{}],
    "JPEG": [
        *({"quality": 90}, {"quality": 80, "progressive": True}),
        {"quality": 80, "restart_marker_rows": 1},
    ],
    "WEBP": [{"lossless": True}, {"quality": 90}],
    "BMP": [{}],
    "GIF": [{}],
    "TIFF": [{}, {"compression": "tiff_lzw"}, {"compression": "tiff_deflate"}],
    "PPM": [{}],
}
ROOM_PX = 120
"""What a picture shows around its board: a whole screen would take ten times as long to read."""

PLAIN = ("BMP", "PPM", "TIFF")
"""Without compression any bytes are a picture, and a spoiled one may truly show another board."""

MODES = ("RGB", "L", "P", "RGBA", "CMYK")

NASTY: tuple[Any, ...] = (
    *(None, True, [], {}, "", -1, 0, 1.5, -1e300, 1e308, 2**63, 10**309, [[[[]]]]),
    *("\x1b]0;PWN\x07\x1b[2J", "[/x][red]", "\u202e\u2028", "\ud800", "x" * 5000, "\x00"),
    *("{{7*7}}", "../../../etc/passwd", "/dev/zero", "/tmp", "gift.py:A", "alt+f4", "ctrl+w"),
    *("<script>", "=cmd|'/c calc'!A1", "$\\frac", "NaN", "deep:think=high"),
    "risk-net:weights=/dev/zero",
)
PIECES = (
    *(b"\x00", b"\xff\xd9", b"\xff\xda", b"\x1b[2J", b"[" * 2000, b"{" * 50, b'"', b"\\ud800"),
    *(b"9" * 400, b"-1", b"1e999", b"NaN", b"\r\n", b"\xed\xa0\x80", b"a." * 300, b"[[", b"#"),
)
TEXTS = {
    "configuration": ['[common]\nagent = "tank"\nseed = 1\n[solve]\nmines = 3\n'],
    "board": ["##1\n###\n121\n", "#F?\n11*\n.8X\n"],
    "lines": [
        '{"board": ["##1", "###"], "mines": 3}\n{"board": ["1#", "11"], "why": [0, 1]}\n'
        '{"board": ["####", "1221"], "mines": null, "candidates": 2}\n',
        '{"board": ["##########", "1112211111"], "mines": 4, "candidates": 3}\n',
    ],
    "boards": [
        json.dumps(
            {"rows": 9, "cols": 9, "mines": 10, "rule": "safe", "first": [0, 0]}
            | {"boards": [{"order": [*range(81)]}, {"order": [*range(81)][::-1]}]}
        )
    ],
}


class Seed(NamedTuple):
    """A good input: the file to spoil, alone in its folder, and the board it shows.

    ``board`` is empty where a spoiled file may show another one.
    """

    file: Path
    board: tuple[str, ...] = ()


@dataclass
class Ended:
    code: int
    seconds: float
    megabytes: float
    out: str
    err: str
    faults: list[str] = field(default_factory=list)


class Seeds:
    """Good inputs of every kind, written below a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.kinds: dict[str, list[Seed]] = {kind: [] for kind in (*WEIGHTS, "shown")}
        self.shown = self._add("shown", "one", "shown.png")
        self._pictures(*self._screenshot())
        for number in range(3):
            self._session(number)
        for theme in builtin_themes()[:6]:
            file = self._add("theme", theme.name.replace("/", "-"), "input.toml")
            file.write_text(theme_text(theme), encoding="utf-8")
        file = self._add("calibration", "one", "input.toml")
        run_quietly(f"read {self.shown} --save-calibration {file}")
        for kind, texts in TEXTS.items():
            for number, text in enumerate(texts):
                self._add(kind, str(number)).write_text(text, encoding="utf-8")
        file = self._add("results", "one")
        run_quietly(dict(LINES)["results"].replace("FILE", str(file)))
        for kind, ending in (("weights", "npz"), ("recipe", "toml")):
            for name in ("risk-net", "csp-dqn"):
                shipped = SHIPPED / f"{name}.{ending}"
                shutil.copyfile(shipped, self._add(kind, name, shipped.name))

    def _add(self, kind, name, file="input", board=()):
        """Return where the next input of a kind is to be written."""
        path = self.folder / kind / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        self.kinds[kind].append(Seed(path, board))
        return path

    def _screenshot(self):
        """Draw a picture; return it, and the rows of the board that it shows."""
        desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=5, windows=())
        desk.click(desk.cell_point(Cell(4, 4)))
        desk.clock.sleep(1)
        (left, top), (right, bottom) = (desk.cell_point(Cell(*at)) for at in ((0, 0), (8, 8)))
        around = (left - ROOM_PX, top - ROOM_PX, right + ROOM_PX, bottom + ROOM_PX)
        Image.fromarray(desk.grab().pixels).crop(around).save(self.shown)
        self.shown.with_name("board.txt").write_text("##1\n###\n121\n")
        read = json.loads(run_quietly(f"read {self.shown} --json"))
        return Image.open(self.shown).copy(), tuple(read["board"])

    def _pictures(self, picture, board):
        for name, ways in ENCODINGS.items():
            for number, way in enumerate(ways):
                for mode in MODES:
                    shown = () if name in PLAIN and not way else board
                    file = self._add("picture", f"{name}-{number}-{mode}", board=shown)
                    try:
                        picture.convert(mode).save(file, name, **way)
                    except (OSError, ValueError, KeyError):  # a format lacks the mode
                        self.kinds["picture"].pop()

    def _session(self, number):
        """Record a game; its lines are one input, its first picture another."""
        file = self._add("session", f"s{number}", LINES_FILE)
        agent = {"name": "tank", "seed": 0, "rule": "safe"}
        header = {"agent": agent, "options": {"mines": 10, "theme": None}}
        desk = FaultyDesktop(rows=9, cols=9, mines=10, seed=number, windows=())
        options = PlayOptions(games=1, mines=10, new_game="f2")
        with contextlib.closing(Recorder(file.parent, header)) as recorder:
            Player(desk.ports, make_agent("tank"), options=options, observer=recorder).play()
        self._add("session", f"s{number}", min(file.parent.glob("*.png")).name)


def run_quietly(words):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        minebot(words.split())
    return out.getvalue()


def mutated(data, name, rng):
    """Spoil a file once or a few times: its bytes, or the values it holds."""
    if rng.random() < 0.5:
        if name.endswith(".toml"):
            spoiled = _spoil_value(tomllib.loads(data.decode("utf-8")), rng)
            with contextlib.suppress(TypeError, AttributeError):  # TOML has no null
                return tomli_w.dumps(spoiled).encode("utf-8", "replace")
            return _spoil(data, rng)
        if name == LINES_FILE or data[:1] == b"{":
            lines = data.decode("utf-8").splitlines()
            at = rng.randrange(len(lines))
            lines[at] = json.dumps(_spoil_value(json.loads(lines[at]), rng))
            return "\n".join([*lines, ""]).encode("utf-8", "replace")
        if name.endswith(".npz"):
            return data[: rng.randrange(len(data))] if rng.random() < 0.3 else _spoil(data, rng)
    for _ in range(rng.choice((1, 1, 1, 2, 5, 20))):
        data = _spoil(data, rng)
    return data


def _spoil(data, rng):
    at = rng.randrange(len(data) + 1)
    end = min(len(data), at + rng.choice((1, 2, 16, 300)))
    ways: list[Callable[[], bytes]] = [
        lambda: data[:at],
        lambda: data[:at] + b"\xff\xd9",
        lambda: data[:at] + data[end:],
        lambda: data[:end] + data[at:],
        lambda: data[:at] + rng.choice(PIECES) + data[at:],
        lambda: data[:at] + rng.randbytes(end - at) + data[end:],
        # Headers are short, and most of what a decoder trusts stands there.
        lambda: _flipped(data, min(len(data), 64), rng),
        lambda: _flipped(data, len(data), rng),
    ]
    return rng.choice(ways)()


def _flipped(data, within, rng):
    spoiled = bytearray(data)
    if spoiled:
        spoiled[rng.randrange(within)] ^= 1 << rng.randrange(8)
    return bytes(spoiled)


def _spoil_value(value, rng):
    """Change, drop or repeat something at any depth."""
    inner: list[Any] = list(value) if isinstance(value, dict | list) else []
    if not inner or rng.random() < 0.15:
        return rng.choice(NASTY)
    key = rng.choice(inner) if isinstance(value, dict) else rng.randrange(len(value))
    changed = dict(value) if isinstance(value, dict) else list(value)
    if rng.random() < 0.15:
        del changed[key]
    else:
        changed[key] = _spoil_value(value[key], rng)
    return changed


def run_words(words, place, home):
    """Run a command in a fork of this process, in ``place``."""
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        _run_child(words, place, home)
    while not (done := os.wait4(pid, os.WNOHANG))[0]:
        if time.monotonic() > start + STILL_S:
            os.killpg(pid, signal.SIGKILL)
        time.sleep(0.002)
    _, status, usage = done
    code, seconds = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
    texts = [(place / name).read_bytes().decode("utf-8", "replace") for name in ("OUT", "ERR")]
    ended = Ended(code, seconds, usage.ru_maxrss / 1024, *texts)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
        ended.faults.append("a process was left")
    return ended


def _run_child(words, place, home):
    """Run the command and end this process; nothing of the caller's goes on in it."""
    code = 99
    try:
        os.setpgid(0, 0)
        os.chdir(place)
        os.environ.update(HOME=str(home), XDG_DATA_HOME=str(home), XDG_CONFIG_HOME=str(home))
        for number, name in ((1, "OUT"), (2, "ERR")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8")
        sys.stderr = os.fdopen(2, "w", encoding="utf-8")
        for limit, most in LIMITS.items():
            resource.setrlimit(limit, (most, most))
        code = minebot(list(words))
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def faults_of(words, seed, ended):
    """Say what was wrong with a run, without its files."""
    command = words[0]
    lines = ended.err.splitlines()
    silent = ended.code and not (lines or '"error"' in ended.out or command == "replay")
    wrong = False
    if seed.board and ended.code == 0 and "--json" in words:
        wrong = tuple(json.loads(ended.out.splitlines()[-1])["board"]) != seed.board
    found = {
        f"exit code {ended.code}": ended.code not in CODES.get(command, (0, 2, 3, 4)),
        "traceback": "Traceback" in ended.err + ended.out or "Unexpected " in ended.err,
        "hang": ended.seconds > HANG_S or ended.code == -signal.SIGKILL,
        "memory": ended.megabytes > MOST_MB,
        "code for a terminal": CONTROL.search(ended.out + ended.err),
        "no sentence": silent,
        "no plain sentence": not all(map(SENTENCE.fullmatch, lines)),
        "wrong board": wrong,
    }
    return ended.faults + [fault for fault, is_there in found.items() if is_there]


def state_of(*folders):
    """Return what every file below some folders holds."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return {path: blake2b(path.read_bytes()).digest() for path in files}


def run_one(seeds, number, rng, kinds, keep):
    """Make an input, run it and judge it; return its kind, and how it ended with its faults."""
    kind = rng.choices(kinds, [WEIGHTS[kind] for kind in kinds])[0]
    seed = rng.choice(seeds.kinds[kind])
    with tempfile.TemporaryDirectory() as name:
        given, place, home = (Path(name) / part for part in ("given", "place", "home"))
        shutil.copytree(seed.file.parent, given)
        place.mkdir()
        home.mkdir()
        file = given / seed.file.name
        file.write_bytes(mutated(file.read_bytes(), file.name, rng))
        board = seeds.shown.with_name("board.txt")
        named = {"FILE": file, "FOLDER": given, "SHOWN": seeds.shown, "BOARD": board}
        command = rng.choice([words for one, words in LINES if one == kind])
        command = command.replace("STEM", file.stem)
        words = re.sub("[A-Z]{4,}", lambda found: str(named[found[0]]), command).split()
        before = state_of(given, home)
        ended = run_words(words, place, home)
        ended.faults = faults_of(words, seed, ended)
        if kind != "results" and state_of(given, home) != before:
            ended.faults.append("a file was changed")
        asked = {part for word in words for part in (word, word.partition(".")[0])}
        written = {path.name for path in place.iterdir()} - {"OUT", "ERR"}
        if not all(one in asked and one.startswith("out") for one in written):
            ended.faults.append("a file was written")
        if ended.faults and keep is not None:
            shutil.copytree(given, keep / f"{number:05d}-{kind}", dirs_exist_ok=True)
            (keep / f"{number:05d}.txt").write_text(
                f"{' '.join(words)}\n{ended.faults}\nexit {ended.code}, {ended.seconds:.1f} s, "
                f"{ended.megabytes:.0f} MB\n{ended.err}\n{ended.out[:3000]}\n"
            )
    return kind, ended


def main():
    defaults = {"count": 20_000, "seed": 0, "only": ",".join(WEIGHTS), "keep": Path, "first": 0}
    args = parser(__doc__, **defaults).parse_args()
    if args.keep is not None:
        args.keep.mkdir(parents=True, exist_ok=True)
    counts, runs = defaultdict(Counter), defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        os.environ |= {"HOME": name, "XDG_DATA_HOME": name, "XDG_CONFIG_HOME": name}
        seeds = Seeds(Path(name) / "seeds")
        for number in range(args.first, args.first + args.count):
            rng = Random(f"{args.seed}/{number}")
            kind, ended = run_one(seeds, number, rng, args.only.split(","), args.keep)
            counts[kind].update([f"exit {ended.code}", *ended.faults, "inputs"])
            runs[kind].append(ended)
            if ended.faults:
                said = ended.err.strip()[:200]
                print(f"{number} {kind}: {', '.join(ended.faults)}: {said}", flush=True)
            ended.out = ended.err = ""
    for kind, found in sorted(counts.items()):
        text = ", ".join(f"{what} {n}" for what, n in sorted(found.items()))
        most = [max(getattr(one, what) for one in runs[kind]) for what in ("seconds", "megabytes")]
        print(f"{kind:14} {text}; at most {most[0]:.1f} s, {most[1]:.0f} MB")
    failed = sum(bool(one.faults) for some in runs.values() for one in some)
    print(f"{args.count} inputs, {failed} failed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
