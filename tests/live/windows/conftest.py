"""Windows' own Python, set up once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.conftest import _skip
from tests.live.windows.wine import PACKAGES, Windows, display, missing_tools, set_up


@pytest.fixture(scope="session")
def windows() -> Iterator[Windows]:
    """Give Windows' Python with this checkout's wheel; the test is skipped without Wine."""
    missing = missing_tools()
    if missing:
        _skip(f"needs {', '.join(missing)}: apt install {PACKAGES}; and Python 3.11")
    home = set_up()
    with display() as name:
        windows = Windows(home, name)
        yield windows
        windows.close()
