"""Spoil inputs of every kind by chance, run them, and judge what the program did.

    python -m tests.bench.fuzz [--count 20000] [--seed 0] [--only KIND,KIND] [--keep DIR] [--json]

Each input is run in a fork of this process, with limits of time, memory and open files, in a folder
of its own. It is judged by: a documented exit code, one sentence for an error, no traceback, no
code for a terminal in what is printed, no board reported that the picture does not show, no file
changed, nothing written but what was asked for, no process left. Inputs that fail are kept in DIR.
The exit code is 1 if any input failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import NoReturn

from bot.cli import main as minebot
from tests.bench.fuzz_inputs import Seed, Seeds, mutated

HANG_S = 10.0
"""What takes more time of the processor counts as a hang, and so does what stands still for longer
than `STILL_S`: on a busy machine a run may wait for its turn."""

STILL_S = 120.0

MOST_MB = 1500
LIMITS = {
    resource.RLIMIT_NOFILE: 200,
    resource.RLIMIT_FSIZE: 50_000_000,
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_CPU: 60,
}
"""Open files, bytes of a file that is written, no picture of the memory after a crash, seconds."""

WEIGHTS = {
    **dict.fromkeys(("picture", "session"), 5),
    **dict.fromkeys(("theme", "calibration", "lines", "board"), 3),
    **dict.fromkeys(("configuration", "boards", "results", "weights", "recipe"), 2),
}
CODE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
SENTENCE = re.compile(r"\S.*[.?)]'?")


@dataclass(frozen=True)
class Case:
    """One input: the words of the command, the codes it may end with, what it may write."""

    words: Sequence[str]
    codes: tuple[int, ...] = (0, 2, 3, 4)
    writes: tuple[str, ...] = ()


@dataclass
class Ended:
    """How a run ended."""

    code: int
    seconds: float
    megabytes: float
    out: str
    err: str
    faults: list[str] = field(default_factory=list)


def case_of(seed: Seed, file: Path, shown: Path, rng: Random) -> Case:
    """Return a command that reads a spoiled file."""
    name, kind = str(file), seed.kind
    board = str(shown.with_name("board.txt"))
    choices: Mapping[str, Sequence[Case]] = {
        "picture": [
            *[Case(["read", name, "--json"])] * 4,
            Case(["advise", name, "--agent", "tank", "--heatmap", "out.png"], writes=("out.png",)),
            Case(["read", name, "--overlay", "out"], writes=("out",)),
        ],
        "session": [
            Case(["stats", str(file.parent)]),
            Case(["stats", str(file.parent), "--csv", "out.csv", "--json"], writes=("out.csv",)),
            Case(["review", str(file.parent), "-o", "out.html"], writes=("out.html", "out")),
            Case(["replay", str(file.parent)], codes=(0, 1, 2, 3, 4)),
        ],
        "theme": [
            Case(["read", str(shown), "--theme", name, "--json"]),
            Case(["themes", "--json"]),
            Case(["themes"]),
            Case(["play", "--screen", "sim", "--size", "8x8x6", "--agent", "tank", "--quiet",
                  "--theme", name], codes=(0, 2, 3, 4, 6)),
        ],
        "calibration": [
            Case(["read", str(shown), "--calibration", name, "--json"]),
            Case(["advise", str(shown), "--calibration", name, "--agent", "tank"]),
        ],
        "configuration": [Case(["--config", name, "solve", board])],
        "board": [
            Case(["solve", name, "--agent", "tank"]),
            Case(["solve", name, "--mines", "4", "--agent", "tank", "--json"]),
        ],
        "lines": [Case(["solve", "--lines", name, "--agent", "tank"])],
        "boards": [
            Case(["bench", "--boards", name, "--agent", "basic", "--games", "1", "--no-estimate"])
        ],
        "results": [
            Case(["bench", "--games", "2", "--size", "9x9x10", "--agent", "basic", "--no-estimate",
                  "--results", name], writes=("input",))
        ],
        "weights": [Case(["solve", board, "--mines", "3",
                          "--agent", f"{file.stem}:weights={name}"])],
        "recipe": [Case(["train", "no-such-recipe", "--recipe", name])],
    }  # fmt: skip
    return rng.choice(choices[kind])


def run_case(case: Case, place: Path, home: Path) -> Ended:
    """Run a command in a fork of this process, in ``place``."""
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        _run_child(case, place, home)
    code, usage = _await(pid, start + STILL_S)
    seconds = usage.ru_utime + usage.ru_stime
    texts = [(place / name).read_bytes().decode("utf-8", "replace") for name in ("OUT", "ERR")]
    ended = Ended(code, seconds, usage.ru_maxrss / 1024, *texts)
    try:
        os.killpg(pid, signal.SIGKILL)
        ended.faults.append("a process was left")
    except ProcessLookupError:
        pass
    return ended


def _run_child(case: Case, place: Path, home: Path) -> NoReturn:
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
        code = minebot(list(case.words))
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _await(pid: int, deadline: float) -> tuple[int, resource.struct_rusage]:
    while True:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status), usage
        if time.monotonic() > deadline:
            os.killpg(pid, signal.SIGKILL)
        time.sleep(0.002)


def judge(case: Case, seed: Seed, ended: Ended) -> list[str]:
    """Say what was wrong with a run, without its files."""
    faults = list(ended.faults)
    if ended.code not in case.codes:
        faults.append(f"exit code {ended.code}")
    if "Traceback" in ended.err + ended.out or "Unexpected " in ended.err:
        faults.append("traceback")
    if ended.seconds > HANG_S or ended.code == -signal.SIGKILL:
        faults.append("hang")
    if ended.megabytes > MOST_MB:
        faults.append("memory")
    if CODE.search(ended.out + ended.err):
        faults.append("code for a terminal")
    lines = ended.err.splitlines()
    if ended.code and not (lines or '"error"' in ended.out or case.words[0] == "replay"):
        faults.append("no sentence")
    if not all(map(SENTENCE.fullmatch, lines)):
        faults.append("no plain sentence")
    if seed.board and ended.code == 0 and "--json" in case.words:
        shown = tuple(json.loads(ended.out.splitlines()[-1])["board"])
        if shown != seed.board:
            faults.append("wrong board")
    return faults


def state_of(folder: Path) -> dict[str, bytes]:
    """Return what every file below a folder holds."""
    return {
        str(path.relative_to(folder)): blake2b(path.read_bytes()).digest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def run_one(seeds: Seeds, number: int, rng: Random, kinds: Sequence[str], keep: Path | None):
    """Make an input, run it and judge it; return its kind, how it ended and its faults."""
    kind = rng.choices(kinds, [WEIGHTS[kind] for kind in kinds])[0]
    seed = rng.choice(seeds.kinds[kind])
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        given, place, home = work / "given", work / "place", work / "home"
        shutil.copytree(seed.folder, given)
        place.mkdir()
        file = given / seed.file
        file.write_bytes(mutated(file.read_bytes(), seed.file, rng))
        home.mkdir()
        shown = seeds.folder / "shown" / "shown.png"
        case = case_of(seed, file, shown, rng)
        before = state_of(given), state_of(home)
        ended = run_case(case, place, home)
        faults = judge(case, seed, ended)
        after = state_of(given), state_of(home)
        if seed.kind != "results" and after != before:
            faults.append("a file was changed")
        found = {path.name for path in place.iterdir()} - {"OUT", "ERR"}
        if found - {*case.writes}:
            faults.append("a file was written")
        if faults and keep is not None:
            shutil.copytree(given, keep / f"{number:05d}-{kind}", dirs_exist_ok=True)
            words = " ".join(case.words)
            (keep / f"{number:05d}.txt").write_text(
                f"{words}\n{faults}\nexit {ended.code}, {ended.seconds:.1f} s, "
                f"{ended.megabytes:.0f} MB\n{ended.err}\n{ended.out[:3000]}\n"
            )
    return kind, ended, faults


def main() -> int:
    """Run the inputs; print a table by kind, and every fault."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default=",".join(WEIGHTS))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    args = parser.parse_args()
    if args.keep is not None:
        args.keep.mkdir(parents=True, exist_ok=True)
    kinds = args.only.split(",")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    worst: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        os.environ |= {"HOME": name, "XDG_DATA_HOME": name, "XDG_CONFIG_HOME": name}
        seeds = Seeds(Path(name) / "seeds")
        (seeds.folder / "shown" / "board.txt").write_text("##1\n###\n121\n")
        for number in range(args.first, args.first + args.count):
            rng = Random(f"{args.seed}/{number}")
            kind, ended, faults = run_one(seeds, number, rng, kinds, args.keep)
            counts[kind].update([f"exit {ended.code}", *faults, "inputs"])
            worst[kind] = [
                max(worst[kind][0], ended.seconds),
                max(worst[kind][1], ended.megabytes),
            ]
            if faults:
                failed += 1
                said = ended.err.strip()[:200]
                print(f"{number} {kind}: {', '.join(faults)}: {said}", flush=True)
    for kind, found in sorted(counts.items()):
        counts = ", ".join(f"{what} {n}" for what, n in sorted(found.items()))
        print(f"{kind:14} {counts}; at most {worst[kind][0]:.1f} s, {worst[kind][1]:.0f} MB")
    print(f"{args.count} inputs, {failed} failed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
