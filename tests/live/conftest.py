"""A desk for each live test, and the rule for machines without the programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

from tests.live.desk import TOOLS, Desk, which

PACKAGES = "xvfb openbox xdotool x11-utils dbus-x11"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all of these as live."""
    for item in items:
        if "/live/" in str(item.path):
            item.add_marker(pytest.mark.live)


def require(*commands: str, packages: str = "") -> None:
    """Skip where a command is missing, saying what to install; in CI that is a failure."""
    missing = [command for command in (*TOOLS, *commands) if which(command) is None]
    if sys.platform != "linux":
        missing = missing or ["an X server"]
    if not missing:
        return
    reason = f"needs {', '.join(missing)}: apt install {PACKAGES} {packages}".rstrip()
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def desk() -> Iterator[Desk]:
    """Give a desktop of its own to a test."""
    require()
    with Desk() as own:
        yield own
