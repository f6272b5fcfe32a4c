"""Commands that install the packages of this project, quoted for the shells of all systems."""

from __future__ import annotations

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

DISTRIBUTION = "minebot-sweeper"
"""The name on the package index, where ``minebot`` is another project; the command is `minebot`."""

ROOT = Path(__file__).parents[1]
"""The checkout or, if a wheel was installed, the folder of all packages."""

UNQUOTED = re.compile(r"[\w.+/:\\-]+")
"""Words that no shell changes. What a path of Windows has, a backslash, is one only there."""


def install_command(extra: str) -> str:
    """Return the command that installs an extra for the Python that runs.

    In a checkout it is the command of the README. A wheel names its own distribution, which is
    installed, so that pip fetches only the packages of the extra.
    """
    if is_checkout():
        place = "." if Path.cwd() == ROOT else ROOT
        return pip_command("-e", f"{place}[{extra}]")
    return pip_command(f"{DISTRIBUTION}[{extra}]")


def is_checkout() -> bool:
    """Whether this is a checkout, not an installed wheel."""
    return (ROOT / "pyproject.toml").exists()


def pip_command(*words: str, windows: bool = os.name == "nt") -> str:
    """Return a command that runs ``pip install`` for the Python that runs.

    An environment that uv made has no pip: uv itself installs there.
    """
    executable = quote_program(sys.executable, windows=windows)
    start = (
        f"{executable} -m pip install"
        if find_spec("pip")
        else f"uv pip install --python {executable}"
    )
    return " ".join((start, *(quote(word, windows=windows) for word in words)))


def quote(word: str, *, windows: bool = os.name == "nt") -> str:
    """Quote an argument for sh or, with ``windows``, for cmd.exe and PowerShell alike.

    cmd.exe knows only double quotes: in single ones ``<`` would still redirect.
    """
    if UNQUOTED.fullmatch(word) and (windows or "\\" not in word):
        return word
    return f'"{word}"' if windows else '"' + re.sub(r'(["$`\\])', r"\\\1", word) + '"'


def quote_program(path: str, *, windows: bool = os.name == "nt") -> str:
    """Quote the program that a command runs.

    PowerShell reads a line that begins with a quote as a text, not as a command, and cmd.exe does
    not know PowerShell's ``&``: for both only the folders with blanks are quoted.
    """
    if not windows:
        return quote(path, windows=False)
    return "\\".join(part and quote(part, windows=True) for part in path.split("\\"))
