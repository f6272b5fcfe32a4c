"""Where compiled code lies on disk, what of it is complete, and which process compiles now.

numba notices when a file changes, but not when a function changes that a compiled one *calls*. So
the code lies in a folder named after a digest of all kernel sources: other sources, other folder.
Nothing in such a folder ever goes stale, and two versions of the program cannot mix.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

SOURCES: Final = tuple(
    path
    for folder in ("exact", "search", "thinking", "learning")
    for path in sorted((Path(__file__).parents[1] / folder).rglob("*.py"))
)
"""The files of the folders that hold compiled functions."""

LIMIT_S: Final = 600.0
"""Longest wait for another process that compiles; after it, this one compiles for itself."""

POLL_S: Final = 0.05

_log = logging.getLogger(__name__)


class Part(Enum):
    """Kernels that are needed together, so that play can begin before all are compiled."""

    ANALYSIS = "analysis"
    """Probabilities and certain cells: all that `tank` needs to play a window."""

    GUESSES = "guesses"
    """What `deep` needs to choose a guess."""

    GAMES = "games"
    """Whole games of `tank` inside the kernels, for benches."""

    THINKING = "thinking"
    """Roll-outs: what `deep` needs to think longer about a guess."""

    LEARNED = "learned"
    """What the dense networks see of a board, and the boards on which agents train."""


@cache
def folder() -> Path:
    """Return the folder of the compiled code of these very sources.

    It lies in ``NUMBA_CACHE_DIR`` where that is set, else beside the sources, else, in a read-only
    installation, in the user's cache or among the temporary files.
    """
    package = Path(__file__).parents[1]
    text = b"".join(source.name.encode() + source.read_bytes() for source in SOURCES)
    maker = f"{version('numba')} {sys.implementation.cache_tag}"
    digest = hashlib.sha256(text + maker.encode()).hexdigest()[:16]
    place = hashlib.sha256(os.fsencode(package)).hexdigest()[:8]
    return _base(package) / f"kernels-{place}-{digest}"


def _base(package: Path) -> Path:
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    for base in (package / "__pycache__", home / "minebot"):
        with suppress(OSError):
            base.mkdir(parents=True, exist_ok=True)
        if os.access(base, os.W_OK):
            return base
    return Path(tempfile.gettempdir())


def is_compiled(part: Part) -> bool:
    """Whether all kernels of a part lie on disk, so that they load at once."""
    return os.path.exists(_stamp(part))


def is_being_compiled(part: Part) -> bool:
    """Whether a process, this one or another, compiles a part now."""
    with _try_lock(part.value) as mine:
        return not mine


@contextmanager
def compiling(part: Part, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the right to compile a part; on leaving without an error it counts as compiled.

    While another process holds that right, call ``on_wait`` once and wait for it. When it is
    done, what it compiled loads from disk.
    """
    deadline = time.monotonic() + LIMIT_S
    told = False
    while True:
        with _try_lock(part.value) as mine:
            if mine or time.monotonic() > deadline:
                yield
                _complete(part)
                return
        if not told:
            on_wait()
            told = True
        time.sleep(POLL_S)


def wait_for(part: Part) -> None:
    """Wait while another process compiles a part, and log a warning that says so.

    Returns at once where nobody does: a kernel that is called before it is compiled compiles then.
    """
    if is_compiled(part) or not is_being_compiled(part):
        return
    _log.warning("Waiting for the solver's %s to be compiled.", part.value)
    deadline = time.monotonic() + LIMIT_S
    while is_being_compiled(part) and time.monotonic() < deadline:
        time.sleep(POLL_S)


@contextmanager
def saving() -> Iterator[None]:
    """Keep other processes from writing to the folder: an index is read, changed and replaced."""
    deadline = time.monotonic() + LIMIT_S
    while True:
        with _try_lock("saving") as mine:
            if mine or time.monotonic() > deadline:
                yield
                return
        time.sleep(POLL_S / 10)


def _stamp(part: Part) -> str:
    """Return the file that notes a part as compiled. A string: every guess asks for it."""
    return f"{folder()}{os.sep}{part.value}.compiled"


def _complete(part: Part) -> None:
    """Note a part as compiled; drop the code of other versions of this installation."""
    try:
        Path(_stamp(part)).touch()
        installation = folder().name.rpartition("-")[0]
        for other in folder().parent.glob(f"{installation}-*"):
            if other != folder():
                shutil.rmtree(other, ignore_errors=True)
    except OSError as error:
        _log.warning("The compiled solver cannot be kept: %s", error)


@contextmanager
def _try_lock(name: str) -> Iterator[bool]:
    """Hold a lock file if no process does; yield whether it is held.

    The system frees it when the process ends, however that happens.
    """
    try:
        folder().mkdir(parents=True, exist_ok=True)
        file = (folder() / f"{name}.lock").open("ab")
    except OSError:  # nowhere to write: there is nothing to share either
        yield True
        return
    with file:
        try:
            _lock(file.fileno())
        except OSError:
            yield False
            return
        yield True


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        os.lseek(file, 0, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
