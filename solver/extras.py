"""How the packages of an extra are installed, as the README does it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The checkout or, where a wheel was installed, the folder of all packages."""


def install_command(extra: str) -> str:
    """Return the command that installs an extra for the Python that runs.

    From a checkout it is that of the README. A wheel names the packages: on the package index
    another project has this one's name.
    """
    if (ROOT / "pyproject.toml").exists():
        place = "." if Path.cwd() == ROOT else ROOT
        wanted = f"-e '{place}[{extra}]'"
    else:
        wanted = " ".join(f"'{one}'" for one in _packages(extra))
    return f"{sys.executable} -m pip install {wanted}"


def _packages(extra: str) -> list[str]:
    from importlib.metadata import requires  # noqa: PLC0415  takes a while, and is rarely needed

    each = (one.partition(";") for one in requires("minebot") or ())
    return [name.strip() for name, _, when in each if re.search(rf"extra == .{extra}\b", when)]
