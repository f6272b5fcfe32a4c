"""Windows' own Python, set up once for all tests of this folder."""

import pytest

from tests.live.conftest import skip
from tests.live.windows.wine import PACKAGES, NotFetched, missing_tools, opened_windows


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
