"""Extras are named as the README installs them, in every message and on every page."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.doctor import EXTRAS, check_extras
from solver import extras
from solver.errors import MissingExtra
from solver.extras import DISTRIBUTION, ROOT, install_command, pip_command, quote, quote_program

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NAMES = set(PROJECT["optional-dependencies"])
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
INSTALLS = re.compile(r'(\S*)pip install -e "\.\[([\w,]+)\]"')
TOOLS = ("hatchling", "ziglang", "torch")
INSTALLED = re.compile(
    r"(?:pipx run|pipx install|uv tool install|uvx --from|pip install) +(?![-.])([^\s`]+)"
)
"""What a page has pip, pipx or uv fetch from the index."""


def raised_in(package: str) -> set[str]:
    """Return the extras that the code of a package says are missing."""
    found = set()
    for path in (ROOT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingExtra":
                found.add(ast.literal_eval(node.args[1]))
    return found


@pytest.mark.slow
def test_every_message_names_an_extra_of_the_project() -> None:
    named = raised_in("bot") | raised_in("solver") | raised_in("calibration")
    assert {"manual", "plots", "dask", "learn", "replays"} <= named <= NAMES


def test_doctor_looks_for_every_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(EXTRAS) == NAMES - {"dev"}
    monkeypatch.setattr("bot.doctor.find_spec", lambda name: None)
    for check in check_extras():
        assert check.message.endswith(install_command(check.name))


def test_a_message_says_how_this_project_is_installed_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    start = f"{quote_program(sys.executable)} -m pip install"
    monkeypatch.chdir(ROOT)
    assert install_command("plots") == f'{start} -e ".[plots]"'
    monkeypatch.chdir(tmp_path)
    assert install_command("plots") == f"{start} -e {quote(f'{ROOT}[plots]')}"
    assert str(MissingExtra("Charts need", "plots")) == (
        f"Charts need the extra 'plots': run {install_command('plots')}."
    )
    monkeypatch.setattr(extras, "ROOT", tmp_path)  # a wheel, without pip
    assert install_command("plots") == f'{start} "{DISTRIBUTION}[plots]"'
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "executable", "/opt/tool/bin/python")
    said = pip_command(f"{DISTRIBUTION}[plots]", windows=False)
    assert said == f'uv pip install --python /opt/tool/bin/python "{DISTRIBUTION}[plots]"'


@pytest.mark.parametrize(
    ("quoted", "word", "expected"),
    [
        (quote_program, r"C:\Python311\python.exe", r"C:\Python311\python.exe"),
        (quote_program, r"C:\Program Files\py.exe", r'C:\"Program Files"\py.exe'),
        (quote_program, r"C:\users\Jörg & Co (1)\py.exe", r'C:\users\"Jörg & Co (1)"\py.exe'),
        (quote_program, r"\\server\my share\py.exe", r'\\server\"my share"\py.exe'),
        (quote, "textual<9,>=1.0", '"textual<9,>=1.0"'),  # which cmd would redirect
        (quote, ".[manual]", '".[manual]"'),
    ],
)
def test_cmd_and_powershell_take_quoted_words(
    quoted: Callable[..., str], word: str, expected: str
) -> None:
    assert quoted(word, windows=True) == expected


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no sh")
def test_sh_takes_a_quoted_word_as_it_is() -> None:
    words = ["textual<9,>=1.0", 'it\'s $HOME `id` \\ "quoted"']
    words += ["~", "a b", "", "*", "雷(1)&;|", "\\"]
    script = " ".join(("printf '%s\\n'", *(quote(word, windows=False) for word in words)))
    assert subprocess.check_output(["sh", "-c", script]).decode().splitlines() == words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_installs_this_project_its_extras_and_tools_it_is_built_with(page: Path) -> None:
    for pip, names in INSTALLS.findall(page.read_text("utf-8")):
        assert pip.endswith(".venv/bin/")
        assert set(names.split(",")) <= NAMES
    for fetched in INSTALLED.findall(page.read_text("utf-8")):
        name, _, rest = fetched.strip('";').partition("[")
        assert name in {DISTRIBUTION, *TOOLS}
        assert set(filter(None, rest.strip("]").split(","))) <= NAMES
