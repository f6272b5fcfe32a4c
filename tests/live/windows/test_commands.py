"""Commands of minebot on Windows' Python answer as they do on Linux.

Wine's own limits: NumPy 2.0 is used (2.1 calls a function that Wine 8.0 lacks), and the console has
no codes of a terminal.
"""

import re

import pytest

from bot.version import __version__
from solver.extras import DISTRIBUTION, quote, quote_program
from tests.calibration.screens import FIXTURES, PICTURES
from tests.live.windows.wine import on_linux, read_otherwise, same

pytestmark = pytest.mark.timeout(1500)

BOARD = "1##\n###\n###\n"
X11_WORDS = ("DISPLAY", "X11", "X server", "X display")


def test_the_wheel_says_its_version(windows):
    assert windows.minebot("--version").out == f"minebot {__version__}\n"
    versions = f"print(bot.__version__, m.version('{DISTRIBUTION}'), bot.__file__)"
    said = windows.run("-c", f"import bot, importlib.metadata as m; {versions}")
    own, installed, file = said.out.split(None, 2)
    assert own == installed == __version__
    assert "site-packages" in file


def test_doctor_names_scale_awareness_buttons_and_keys(windows):
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


SWAPPED_AND_HELD = """
import ctypes, subprocess, sys
user32 = ctypes.windll.user32
user32.SwapMouseButton(True)
user32.keybd_event(0x10, 0, 0, 0)
try:
    subprocess.run([sys.executable, "-m", "bot", "doctor", "--json"])
finally:
    user32.keybd_event(0x10, 0, 2, 0)
    user32.SwapMouseButton(False)
"""


def test_doctor_names_swapped_buttons_and_a_held_key(windows):
    said = windows.run("-c", SWAPPED_AND_HELD)
    checks = {line["check"]: line for line in said.lines}
    assert checks["buttons"]["message"].startswith("The right button"), said
    assert checks["keys"]["message"].startswith("Held down: Shift."), said


AWARENESS = """
import ctypes, bot.desktop.native as native
calls, set_own = [], native.set_dpi_awareness
def noting(library, name):
    call = getattr(library, name)
    setattr(library, name, lambda *words: (calls.append(name), call(*words))[1])
noting(ctypes.windll.user32, 'SetProcessDPIAware')
noting(ctypes.windll.shcore, 'SetProcessDpiAwareness')
native.set_dpi_awareness = lambda: (calls.append('minebot'), set_own())
native.open_desktop()
print(*calls)
"""


def test_the_awareness_is_set_before_any_library_sets_its_own(windows):
    """Wine starts each process aware of every monitor, so that only the order can be seen here."""
    said = windows.run("-c", AWARENESS)
    first, *others = said.out.split()
    assert first == "minebot", said
    assert {"SetProcessDPIAware", "SetProcessDpiAwareness"} <= set(others)


@pytest.mark.parametrize("lines", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_solve_counts_as_on_linux(windows, lines):
    words = ("solve", "-", "--mines", "3", "--json")
    answer = windows.minebot(*words, stdin=BOARD.replace("\n", lines).encode())
    assert answer.code == 0
    assert same(answer.lines, on_linux(*words, stdin=BOARD).lines), answer


@pytest.mark.parametrize("encoding", ["cp437", "cp1252"])
def test_output_is_legible_in_old_encodings(windows, encoding):
    words, env = ("solve", "-", "--mines", "3"), {"PYTHONIOENCODING": encoding}
    said = windows.minebot(*words, stdin=BOARD.encode(), env=env, encoding=encoding)
    assert said.code == 0
    outs = said.out, on_linux(*words, stdin=BOARD).out
    here, there = (re.sub(r"[\d.]+ ms", "", out).split() for out in outs)
    assert here == there


def test_golden_screens_of_each_program_are_read_as_on_linux(windows):
    """All of them: ``python -m tests.bench.windows screens``."""
    pictures = [
        path
        for folder in sorted(FIXTURES.iterdir())
        for path in [one for one in sorted(folder.rglob("*")) if one.suffix in PICTURES][:1]
    ]
    assert len(pictures) >= 9
    assert read_otherwise(windows, pictures) == []


def test_a_simulated_game_is_played_as_on_linux(windows):
    words = ("play", "--screen", "sim", "--size", "beginner", "--seed", "2", "--json")
    answer = windows.minebot(*words)
    here = on_linux(*words)
    assert (answer.code, here.code) == (0, 0), (answer, here)
    (game, _), (expected, _) = answer.lines, here.lines
    assert same(game, expected), (game, expected)
    assert game["result"] == "won"


def in_cmd(windows, folder, *lines):
    """Run lines in cmd.exe; return what they print."""
    batch = folder / "lines.bat"
    batch.write_text("\r\n".join(["@echo off", *lines, ""]), "utf-8", newline="")
    return windows.wine("cmd", "/c", windows.path(batch), limit_s=600, cwd=folder).out.splitlines()


def test_cmd_takes_commands_as_they_are_quoted(windows, tmp_path):
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


def test_nul_is_no_terminal(windows, tmp_path):
    python = windows.path(windows.python)
    script = "import sys; from bot.streams import is_terminal; print(is_terminal(sys.stdin))"
    steps = f"{python} -m bot play --screen sim --step <NUL 2>&1"
    said = in_cmd(windows, tmp_path, f'{python} -c "{script}" <NUL', steps, "echo %errorlevel%")
    assert said[0] == "False", said
    assert "standard input must be a terminal" in said[1]
    assert said[2] == "2"


def test_names_with_wildcards_folders_and_names_that_are_too_long(windows, tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(BOARD)
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


def test_the_unit_tests_of_what_systems_differ_in_pass(windows, tmp_path):
    """All of them take a quarter of an hour: ``python -m tests.bench.windows units``."""
    from tests.bench.windows import unit_tests

    said = unit_tests(windows, tmp_path, "tests/bot/desktop", "tests/solver/test_files.py")
    assert said.code == 0, said.out[-3000:]
