"""Extras are named as the README installs them, in every message and on every page."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

from bot.doctor import EXTRAS, check_extras
from solver import extras
from solver.errors import MissingExtra
from solver.extras import ROOT, install_command

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NAMES = set(PROJECT["optional-dependencies"])
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
INSTALLS = re.compile(r"(\S*)pip install -e '?\.\[([\w,]+)\]'?")


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


def test_a_checkout_is_installed_as_in_the_readme(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    assert install_command("plots") == f"{sys.executable} -m pip install -e '.[plots]'"
    monkeypatch.chdir(tmp_path)
    assert install_command("plots") == f"{sys.executable} -m pip install -e '{ROOT}[plots]'"
    assert str(MissingExtra("Charts need", "plots")) == (
        f"Charts need the extra 'plots': run {install_command('plots')}."
    )


def test_a_wheel_names_the_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(extras, "ROOT", tmp_path)
    assert "pip install 'matplotlib" in install_command("plots")
    assert "minebot" not in install_command("plots").partition("pip install")[2]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_installs_known_extras_with_the_pip_of_the_environment(page: Path) -> None:
    for pip, names in INSTALLS.findall(page.read_text("utf-8")):
        assert pip.endswith(".venv/bin/")
        assert set(names.split(",")) <= NAMES
