"""Commands of minebot on Windows' Python answer as they do on Linux.

Wine's own limits: NumPy 2.0 is used (2.1 calls a function that Wine 8.0 lacks), and the console has
no codes of a terminal.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.version import __version__
from solver.extras import DISTRIBUTION, quote, quote_program
from tests.calibration.screens import FIXTURES, PICTURES
from tests.live.windows.wine import Answer, Windows

pytestmark = [pytest.mark.timeout(1500), pytest.mark.by_hand]

ROOT = Path(__file__).parents[3]
BOARD = "1##\n###\n###\n"
X11_WORDS = ("DISPLAY", "X11", "X server", "X display")


def on_linux(*words: str | Path, stdin: str = "") -> Answer:
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


def test_the_wheel_says_its_version(windows: Windows) -> None:
    assert windows.minebot("--version").out == f"minebot {__version__}\n"
    said = windows.run(
        "-c",
        "import bot, importlib.metadata as m; "
        f"print(bot.__version__, m.version('{DISTRIBUTION}'), bot.__file__)",
    )
    own, installed, file = said.out.split(None, 2)
    assert own == installed == __version__
    assert "site-packages" in file


def test_doctor_names_scale_awareness_buttons_and_keys(windows: Windows) -> None:
    said = windows.minebot("doctor", "--json")
    checks = {line["check"]: line for line in said.lines}
    assert said.code == 0, said
    assert checks["scale"]["message"] == "The scale of each monitor: 100%."
    assert checks["dpi awareness"]["message"].startswith("DPI awareness: per monitor")
    assert checks["buttons"]["message"].startswith("The left button")
    assert checks["keys"]["verdict"] == checks["pointer"]["verdict"] == "ok"
    assert checks["session"]["message"] == "Windows."
    assert "rights" not in checks
    assert f'-m pip install "{DISTRIBUTION}[manual]"' in checks["manual"]["message"]
    assert not [word for word in X11_WORDS if word in said.out]


def test_the_awareness_is_set_before_any_library_sets_its_own(windows: Windows) -> None:
    """Wine starts each process aware of every monitor, so that only the order can be seen here."""
    script = (
        "import ctypes, bot.desktop.native as native\n"
        "calls, set_own = [], native.set_dpi_awareness\n"
        "def noting(library, name):\n"
        "    call = getattr(library, name)\n"
        "    setattr(library, name, lambda *words: (calls.append(name), call(*words))[1])\n"
        "noting(ctypes.windll.user32, 'SetProcessDPIAware')\n"
        "noting(ctypes.windll.shcore, 'SetProcessDpiAwareness')\n"
        "native.set_dpi_awareness = lambda: (calls.append('minebot'), set_own())\n"
        "native.open_desktop()\n"
        "print(*calls)\n"
    )
    said = windows.run("-c", script)
    first, *others = said.out.split()
    assert first == "minebot", said
    assert {"SetProcessDPIAware", "SetProcessDpiAwareness"} <= set(others)


@pytest.mark.parametrize("lines", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_solve_counts_as_on_linux(windows: Windows, lines: str) -> None:
    words = ("solve", "-", "--mines", "3", "--json")
    answer = windows.minebot(*words, stdin=BOARD.replace("\n", lines).encode())
    assert answer.code == 0
    assert same(answer.lines, on_linux(*words, stdin=BOARD).lines), answer


def test_all_golden_screens_are_read_as_on_linux(windows: Windows) -> None:
    pictures = [path for path in sorted(FIXTURES.rglob("*")) if path.suffix in PICTURES]
    assert len(pictures) >= 69
    here = on_linux("read", *pictures, "--json")
    there = windows.minebot("read", *pictures, "--json", limit_s=800)
    assert there.code == here.code
    differing = [
        path.name
        for path, one, other in zip(pictures, there.lines, here.lines, strict=True)
        if not same(one, other)
    ]
    assert differing == []


def test_a_simulated_game_is_played_as_on_linux(windows: Windows) -> None:
    words = ("play", "--screen", "sim", "--size", "beginner", "--seed", "2", "--json")
    answer = windows.minebot(*words)
    here = on_linux(*words)
    assert (answer.code, here.code) == (0, 0), (answer, here)
    (game, _), (expected, _) = answer.lines, here.lines
    assert same(game, expected), (game, expected)
    assert game["result"] == "won"


def in_cmd(windows: Windows, folder: Path, *lines: str, limit_s: float = 600) -> list[str]:
    """Run lines in cmd.exe; return what they print."""
    batch = folder / "lines.bat"
    batch.write_text("\r\n".join(["@echo off", *lines, ""]), "utf-8", newline="")
    said = windows.wine("cmd", "/c", windows.path(batch), limit_s=limit_s, cwd=folder)
    return said.out.splitlines()


def test_cmd_takes_commands_as_they_are_quoted(windows: Windows, tmp_path: Path) -> None:
    program = tmp_path / "my programs (1)" / "show.bat"
    program.parent.mkdir()
    program.write_text("@echo off\r\necho got %~1\r\n", newline="")
    command = quote_program(windows.path(program), windows=True)
    word = quote("textual<9,>=1.0", windows=True)
    python = quote_program(windows.path(windows.python), windows=True)
    script = quote("import sys; print('got', sys.argv[1])", windows=True)
    said = in_cmd(windows, tmp_path, f"call {command} plain", f"{python} -c {script} {word}")
    assert said == ["got plain", "got textual<9,>=1.0"]
    assert not (tmp_path / "9").exists()


def test_nul_is_no_terminal(windows: Windows, tmp_path: Path) -> None:
    python = windows.path(windows.python)
    script = "import sys; from bot.streams import is_terminal; print(is_terminal(sys.stdin))"
    said = in_cmd(
        windows,
        tmp_path,
        f'{python} -c "{script}" <NUL',
        f"{python} -m bot play --screen sim --step <NUL 2>&1",
        "echo %errorlevel%",
    )
    assert said[0] == "False", said
    assert "standard input must be a terminal" in said[1]
    assert said[2] == "2"


def test_names_with_wildcards_folders_and_names_that_are_too_long(
    windows: Windows, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(BOARD)
    (tmp_path / "b.txt").write_text(BOARD)
    said = windows.minebot("solve", "*.txt", "--mines", "3", "--json", cwd=tmp_path)
    assert (said.code, len(said.lines)) == (0, 2), said
    said = windows.minebot("read", "*.webp", cwd=tmp_path)
    assert (said.code, said.err) == (2, "No file matches *.webp.\n")
    said = windows.minebot("read", ".", cwd=tmp_path)
    assert said.code == on_linux("read", tmp_path).code
    assert "it is a folder" in said.err.lower()
    long = "x" * 300 + ".json"
    words = ("bench", "--size", "4x4x2", "--games", "1", "--results")
    said = windows.minebot(*words, long, cwd=tmp_path)
    assert said.code == on_linux(*words, tmp_path / long).code == 2, said


@pytest.mark.parametrize("encoding", ["cp437", "cp1252"])
def test_output_is_legible_in_old_encodings(windows: Windows, encoding: str) -> None:
    done = subprocess.run(
        ["wine", str(windows.python), "-m", "bot", "solve", "-", "--mines", "3"],
        env=windows.env | {"PYTHONIOENCODING": encoding},
        cwd=windows.home,
        input=BOARD.encode(),
        capture_output=True,
        timeout=600,
        check=False,
    )
    said, expected = (
        done.stdout.decode(encoding),
        on_linux("solve", "-", "--mines", "3", stdin=BOARD),
    )
    assert done.returncode == 0
    untimed = [re.sub(r"[\d.]+ ms", "", text).split() for text in (said, expected.out)]
    assert untimed[0] == untimed[1]


def test_the_unit_tests_of_what_systems_differ_in_pass(windows: Windows, tmp_path: Path) -> None:
    """All of them take a quarter of an hour: ``python -m tests.bench.windows units``."""
    from tests.bench.windows import unit_tests

    said = unit_tests(windows, tmp_path, "tests/bot/desktop", "tests/solver/test_files.py")
    assert said.code == 0, said.out[-3000:]
