"""Find, check and load the compiled library.

A checkout compiles it again when its sources have changed. The environment variable MINEBOT_ENGINE
selects another library, such as one with sanitizers.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path

from solver.errors import NoEngine
from solver.extras import DISTRIBUTION, pip_command

FOLDER = Path(__file__).parent
COMPILED = "_engine-*.*"


@cache
def library() -> ctypes.CDLL:
    """Load the compiled engine, once. Raises `NoEngine`.

    A checkout whose library is missing or older than its sources compiles it first, which takes a
    few seconds.
    """
    expected = compiled() if (FOLDER / "engine.h").exists() else installed()
    chosen = Path(os.environ.get("MINEBOT_ENGINE") or expected)
    try:
        loaded = ctypes.CDLL(str(chosen))
    except OSError as error:
        raise NoEngine(f"The engine's library cannot be loaded ({error}); {remedy()}.") from None
    if version_of(loaded) != version_in_name(expected):
        raise NoEngine(f"{chosen} is the engine of another version of minebot; {remedy()}.")
    return loaded


def compiled() -> Path:
    """Return the library of a checkout's sources; compile it if it is not there."""
    # Not part of an installed wheel.
    from solver.engine.toolchain.sources import library_name  # noqa: PLC0415

    path = FOLDER / library_name()
    if not path.exists():
        from solver.engine.toolchain.compiler import CannotCompile, compile_checkout  # noqa: PLC0415

        try:
            compile_checkout()
        except CannotCompile as error:
            raise NoEngine(f"{state()}, and {error}; {remedy()}.") from None
        except OSError as error:
            raise NoEngine(f"{state()}, and {FOLDER} is not writable ({error.strerror}).") from None
    return path


def state() -> str:
    """Return why a checkout cannot load its library, as the beginning of a sentence."""
    if any(FOLDER.glob(COMPILED)):
        return "The engine is older than its sources"
    return "The engine is not compiled"


def installed() -> Path:
    """Return the library that came with a wheel."""
    found = next(FOLDER.glob(COMPILED), None)
    if found is None:
        raise NoEngine(f"The engine's library is missing in {FOLDER}; {remedy()}.")
    return found


def version_in_name(path: Path) -> str:
    """Return the checksum of the sources in a library's name."""
    return path.stem.removeprefix("_engine-")


def version_of(loaded: ctypes.CDLL) -> str:
    """Return the checksum of the sources that a library was made of, "" if it has none."""
    try:
        entry = loaded.engine_sources
    except AttributeError:
        return ""
    entry.restype = ctypes.c_char_p
    checksum: bytes = entry()
    return checksum.decode()


def remedy() -> str:
    """Return the command that puts a fitting library in place, as the end of a sentence."""
    if (FOLDER / "engine.h").exists():
        return f"run {pip_command('-e', str(FOLDER.parents[1]))}, which brings a compiler along"
    return f"run {pip_command('--force-reinstall', '--no-deps', DISTRIBUTION)}"
