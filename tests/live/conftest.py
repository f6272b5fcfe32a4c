"""A desk for each live test, which is skipped on machines without the programs."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from bot.desktop.routes import WAYLAND_LIBRARIES
from tests.live.desk import Desk
from tests.live.programs import PROGRAMS, start
from tests.live.session import WaylandSession, which
from tests.live.windows.wine import PACKAGES, NotFetched, missing_tools, opened_windows


def pytest_collection_modifyitems(items):
    """Mark all tests of this folder as live. In CI, one that fails runs once more."""
    for item in items:
        if "/live/" in str(item.path):
            item.add_marker(pytest.mark.live)
            if os.environ.get("CI"):
                # On a busy machine another program may stand still for a second. Both runs are
                # reported, and a test that needed the second one is a defect to look into.
                item.add_marker(pytest.mark.flaky(reruns=1))


def skip(reason):
    """Skip the test; in CI, let it fail instead."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def require(*commands, packages="", on=Desk):
    """Skip the test if a command is missing, or what its desk needs, and say what to install."""
    missing = [command for command in (*on.TOOLS, *commands) if which(command) is None]
    if sys.platform != "linux":
        missing = missing or ["an X server"]
    more = ""
    if issubclass(on, WaylandSession):
        missing += [name for name in WAYLAND_LIBRARIES if find_spec(name) is None]
        more = "; pip install -e '.[wayland]'"
    if missing:
        skip(f"needs {', '.join(missing)}: apt install {on.PACKAGES} {packages}".rstrip() + more)


def require_chromium(*, emoji=False):
    """Do the same for Chromium and, if a page shows ``emoji``, for a font of them."""
    packages = "chromium chromium-driver" + " fonts-noto-color-emoji" * emoji
    require("chromium", "chromedriver", packages=packages)
    fonts = ["fc-list", ":lang=und-zsye", "family"]
    if emoji and not subprocess.run(fonts, capture_output=True, check=True).stdout.strip():
        skip(f"needs a font of emoji: apt install {packages}")


def open_game(desk, name, size="beginner", theme=None, *, at=(160, 90)):
    program = PROGRAMS[name]
    require(program.name, packages=program.package, on=type(desk))
    return start(desk, program, program.sizes[size], theme, at=at)


@pytest.fixture
def session(tmp_path):
    return tmp_path / "session"


@pytest.fixture
def desk():
    """Give the test a desk of its own."""
    require()
    with Desk() as own:
        yield own


@pytest.fixture(scope="session")
def windows():
    """Give Windows' Python with this checkout's wheel.

    Without Wine, or without the package index when it is first made, the test is skipped; in CI it
    fails, and says why.
    """
    if missing := missing_tools():
        skip(f"needs {', '.join(missing)}: apt install {PACKAGES}; and Python 3.11")
    try:
        with opened_windows() as opened:
            yield opened
    except NotFetched as error:
        skip(str(error))
