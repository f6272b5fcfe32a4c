"""Windows' own Python, set up once for all tests of this folder."""

import pytest

from tests.live.conftest import skip
from tests.live.windows.wine import (
    PACKAGES,
    NotFetched,
    Windows,
    display,
    held,
    missing_tools,
    set_up,
)


@pytest.fixture(scope="session")
def windows():
    """Give Windows' Python with this checkout's wheel.

    Without Wine, or without the package index when it is first made, the test is skipped; in CI it
    fails, and says why.
    """
    missing = missing_tools()
    if missing:
        skip(f"needs {', '.join(missing)}: apt install {PACKAGES}; and Python 3.11")
    with held(), display() as name:
        try:
            windows = Windows(set_up(), name)
        except NotFetched as error:
            skip(str(error))
        yield windows
        windows.close()
