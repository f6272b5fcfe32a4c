"""Fixtures that several folders of tests use."""

from __future__ import annotations

import os

# Before NumPy and JAX are loaded. Matrices are small, as in `bot.__main__`, and JAX compiles more
# than it calculates: without both, the tests of `solver` took twice the processor time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "true")

import gc
import hashlib
import random
import signal
import time
from collections import Counter
from collections.abc import Generator, Iterator, Sequence

import hypothesis
import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from bot.tracking import follow
from calibration.calibration import Calibration, calibrate
from calibration.frame import Frame
from calibration.grid import PixelPoint
from calibration.theme import Theme
from tests.simulated import FaultyProgram
from tests.simulated.screen import free_screenshots


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="keep what commands and views print today"
    )


def pytest_configure() -> None:
    """Heed Ctrl-C in tests that a shell started in the background, which has them ignore it.

    No property fails because the machine is busy.
    """
    hypothesis.settings.register_profile("minebot", deadline=None)
    hypothesis.settings.load_profile("minebot")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


MOST_DRAWN = 24
"""Cases of a product of parameters that are drawn to be slow tests."""

SHORT_S = 0.1
"""A test that takes less time plays no game."""


class OneProcessForLiveTests(LoadScopeScheduling):
    """Share the tests out one by one, but give those that play real programs to one process.

    Those under Wine, which share one Windows, have a process of their own.
    """

    def _split_scope(self, nodeid: str) -> str:
        folders = ("tests/live/windows/", "tests/live/")
        return next((folder for folder in folders if nodeid.startswith(folder)), nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Choose how ``pytest -n`` shares the tests out."""
    return OneProcessForLiveTests(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the cases of a test with ``sampled(every)`` as slow, but for every nth one.

    Of a product of parameters at most `MOST_DRAWN` cases are slow, the same ones each time, and the
    others are `exhaustive`.
    """
    cases: Counter[str] = Counter()
    further: dict[str, list[pytest.Item]] = {}
    for item in items:
        marker = item.get_closest_marker("sampled")
        if marker is None:
            continue
        test = item.nodeid.partition("[")[0]
        if cases[test] % marker.args[0]:
            further.setdefault(test, []).append(item)
        cases[test] += 1
    for test, others in further.items():
        product = len([*others[0].iter_markers("parametrize")]) > 1
        drawn = others
        if product and len(others) > MOST_DRAWN:
            drawn = random.Random(test).sample(others, MOST_DRAWN)
        chosen = {*map(id, drawn)}
        for item in others:
            item.add_marker("slow" if id(item) in chosen else "exhaustive")


def pytest_collection_finish() -> None:
    """Leave what is loaded by now out of every later search for garbage."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Free what a test that played a game leaves."""
    started = time.perf_counter()
    result = yield
    if time.perf_counter() - started > SHORT_S:
        free_screenshots()
    return result


@pytest.fixture(autouse=True, scope="session")
def shared_calibrations() -> Iterator[None]:
    """Calibrate each picture of play once.

    Many tests start from the same desktop: the first calibration of a 1920x1080 screen takes 0.1 s.
    What is kept is frozen.
    """
    known: dict[tuple[object, ...], Calibration] = {}

    def calibrate_once(
        frame: Frame,
        *,
        near: PixelPoint | None = None,
        mines: int | None = None,
        themes: Sequence[Theme] | None = None,
    ) -> Calibration:
        if themes is not None:
            return calibrate(frame, near=near, mines=mines, themes=themes)
        pixels = hashlib.blake2b(frame.pixels.tobytes()).digest()
        key = (pixels, frame.pixels.shape, frame.origin, frame.scale, near, mines)
        if key not in known:
            known[key] = calibrate(frame, near=near, mines=mines)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(follow, "calibrate", calibrate_once)
        yield


@pytest.fixture
def pressed_keys(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the keys that the simulated program receives."""
    received: list[str] = []
    press = FaultyProgram.press

    def receive(program: FaultyProgram, keys: str) -> None:
        received.append(keys)
        press(program, keys)

    monkeypatch.setattr(FaultyProgram, "press", receive)
    return received
