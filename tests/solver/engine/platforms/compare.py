"""Run the libraries of other platforms here, and compare their answers with those of this Linux:
``python -m tests.solver.engine.platforms.compare WHEEL...``.

A small C program, `answers.c`, is compiled for each platform and loads the library of its wheel:
Windows' under Wine, that of arm64 under QEMU, that of musl with musl's own loader. It answers all
positions of `fixtures/` and plays some of its boards. Moves and results must be equal, chances to
1e-12. Exits with 1 where they are not. Needs ziglang from pip, and from Debian wine64, qemu-user,
libc6-arm64-cross, musl and musl:arm64.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory

from solver.arena.boards import read_boards
from solver.engine.calls import FOLDER, PolicyKind, net_of, policy_of
from solver.engine.library import library
from solver.engine.toolchain.compiler import find_compiler, zig_compiler
from solver.engine.toolchain.sources import ENGINE
from solver.engine.toolchain.wheels import TARGETS
from solver.levels import DEFAULT, LEVELS

FIXTURES = Path(__file__).parents[4] / "fixtures"
PROGRAM = Path(__file__).with_name("answers.c")

WINE = Path("/usr/lib/wine/wine64")

GAMES = 10
"""Boards of each file that are played."""

RUNNERS: dict[str, list[str]] = {
    "x86_64-linux-gnu.2.17": [],
    "x86_64-linux-musl": [],
    "aarch64-linux-gnu.2.17": ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
    "aarch64-linux-musl": ["qemu-aarch64"],
    "x86_64-windows-gnu": [str(WINE)],
}
"""What runs a program of each platform on Linux x86-64."""


def main(wheels: Sequence[str]) -> int:
    """Compare the library of each wheel; return the exit code."""
    code = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        os.environ |= {"WINEPREFIX": str(folder / "wine"), "WINEDEBUG": "-all"}
        expected = answers(find_compiler(), [], Path(library()._name), folder)
        for wheel in map(Path, wheels):
            target = TARGETS[wheel.stem.split("-", 4)[-1]]
            if target not in RUNNERS:
                print(f"{target}: not run, since nothing here runs its programs")
                continue
            compiler = [*zig_compiler(target), *(["-dynamic"] if "linux" in target else [])]
            found = answers(compiler, RUNNERS[target], unpack(wheel, folder), folder)
            differ = differences(expected, found)
            print(f"{target}: {len(found)} answers, {differ} differ")
            code |= differ > 0
            if "windows" in target:  # Wine writes into its folder until its server has ended
                subprocess.run([WINE.with_name("wineserver64"), "-w"], check=True)
    return code


def questions() -> Iterator[str]:
    """Write `deep`, the positions and boards of `fixtures/` as `answers.c` reads them."""
    policy = policy_of(PolicyKind.DEEP, LEVELS[DEFAULT])
    limits = policy.limits
    bounds = (limits.layouts, limits.positions, limits.worlds, limits.late, limits.work)
    yield " ".join(map(str, ("policy", *bounds)))
    for name in ("cell_net", "judge"):
        net, weights = net_of(FOLDER / f"{name}.npz")
        sizes = (net.inputs, net.units, net.units2)
        yield " ".join(map(str, (name, *sizes, *weights.tolist())))
    for line in (FIXTURES / "positions" / "expert.jsonl").read_text("utf-8").splitlines():
        position = json.loads(line)
        rows = position["board"]
        yield f"position {len(rows)} {len(rows[0])} {position['mines']} {''.join(rows)}"
    for file in sorted((FIXTURES / "boards").glob("*.json")):
        boards = read_boards(file)
        first, size = boards.first, boards.size
        assert first is not None
        for number in range(GAMES):
            mines = boards.game(number).lay(first).ravel()
            cells = "".join("*" if mine else "." for mine in mines)
            yield f"game {size.rows} {size.cols} {first.row * size.cols + first.col} {cells}"


def unpack(wheel: Path, folder: Path) -> Path:
    """Take the library out of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.startswith("solver/engine/_engine-"))
        return Path(archive.extract(name, folder / wheel.stem))


def answers(
    compiler: Sequence[str], runner: Sequence[str], library: Path, folder: Path
) -> list[list[str]]:
    """Compile the program, have it load a library, and return the words of each answer."""
    program = folder / "answers.exe"
    build = [*compiler, "-std=c11", "-O2", f"-I{ENGINE}", str(PROGRAM), "-o", str(program)]
    subprocess.run(build, check=True)
    asked = "".join(f"{question}\n" for question in questions())
    command = [*runner, str(program), str(library)]
    done = subprocess.run(command, input=asked, stdout=subprocess.PIPE, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]


def differences(expected: Sequence[Sequence[str]], found: Sequence[Sequence[str]]) -> int:
    """Count the answers that differ: whole numbers must be equal, others to 1e-12."""
    missing = abs(len(expected) - len(found))
    return missing + sum(not same(*pair) for pair in zip(expected, found, strict=False))


def same(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two answers agree."""
    return len(one) == len(other) and all(
        a == b or ("." in a and isclose(float(a), float(b), rel_tol=1e-12, abs_tol=1e-12))
        for a, b in zip(one, other, strict=True)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
