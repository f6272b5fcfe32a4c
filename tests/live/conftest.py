"""A desk for each live test, which is skipped on machines without the programs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import NoReturn

import pytest

from bot.desktop.routes import WAYLAND_LIBRARIES
from tests.live import gnome, sway
from tests.live.desk import TOOLS, Desk
from tests.live.session import which

PACKAGES = "xvfb openbox xdotool x11-utils dbus-x11"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder as live. In CI, one that fails runs once more."""
    for item in items:
        if "/live/" in str(item.path):
            item.add_marker(pytest.mark.live)
            if os.environ.get("CI"):
                # On a busy machine another program may stand still for a second. Both runs are
                # reported, and a test that needed the second one is a defect to look into.
                item.add_marker(pytest.mark.flaky(reruns=1))


def require(*commands: str, packages: str = "") -> None:
    """Skip the test if a command is missing, and say what to install; in CI, fail instead."""
    missing = [command for command in (*TOOLS, *commands) if which(command) is None]
    if sys.platform != "linux":
        missing = missing or ["an X server"]
    if not missing:
        return
    _skip(f"needs {', '.join(missing)}: apt install {PACKAGES} {packages}".rstrip())


def _skip(reason: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def require_chromium(*, emoji: bool = False) -> None:
    """Do the same for Chromium and, if a page shows ``emoji``, for a font of them."""
    packages = "chromium fonts-noto-color-emoji" if emoji else "chromium"
    require("chromium", packages=packages)
    fonts = ["fc-list", ":lang=und-zsye", "family"]
    if emoji and not subprocess.run(fonts, capture_output=True, check=True).stdout.strip():
        _skip(f"needs a font of emoji: apt install {packages}")


def require_sway(*commands: str, packages: str = "") -> None:
    """Do the same for a desk with sway, and for the libraries of the extra ``wayland``."""
    missing = [command for command in (*sway.TOOLS, *commands) if which(command) is None]
    _skip_without(missing, f"{sway.PACKAGES} {packages}")


def require_gnome(*commands: str, packages: str = "") -> None:
    """Do the same for a GNOME desk with its portals."""
    missing = [command for command in commands if which(command) is None]
    _skip_without([*gnome.missing_tools(), *missing], f"{gnome.PACKAGES} {packages}")


def _skip_without(missing: list[str], packages: str) -> None:
    missing += [name for name in WAYLAND_LIBRARIES if find_spec(name) is None]
    if not missing:
        return
    _skip(f"needs {', '.join(missing)}: apt install {packages}; pip install -e '.[wayland]'")


@pytest.fixture
def desk() -> Iterator[Desk]:
    """Give the test a desk of its own."""
    require()
    with Desk() as own:
        yield own
