"""The only door to numba: compiled functions, their cache on disk, and how long they take to make.

Compiled code is cached beside the sources. numba does not notice when a *called* function in
another file changes, so the cache carries a digest of all kernel sources and is dropped when it
no longer fits.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

SOURCES: Final = (
    "arrays.py",
    "constraints.py",
    "components.py",
    "lattice.py",
    "shares.py",
    "probability.py",
    "worlds.py",
    "play.py",
    "layouts.py",
    "memo.py",
    "few.py",
    "endgame.py",
    "value.py",
    "lookahead.py",
    "guess.py",
    "rollouts.py",
)
"""Files that hold compiled functions (this one holds none that others call)."""


def kernel(function: Function) -> Function:
    """Compile a function over arrays on its first call, cached on disk."""
    return cast(Function, numba.njit(cache=True, error_model="numpy")(function))


def is_cached() -> bool:
    """Whether the compiled kernels lie on disk, so that the first answer comes at once."""
    directory = _cache_directory()
    stamp = directory / "kernels.digest"
    return (
        stamp.is_file()
        and stamp.read_text() == _digest()
        and any(directory.glob("guess.decide-*.nbi"))
    )


def warm_up() -> float:
    """Load every kernel the agents use, or compile them; return the seconds it took.

    Compiling happens once for an installation and takes the better part of a minute: ask
    `is_cached` first and say so.
    """
    start = time.perf_counter()
    from solver.agents import make  # noqa: PLC0415  agents stand on the kernels
    from solver.board import Board  # noqa: PLC0415

    make("deep").decide(Board.from_text("#####\n#1###\n#3###\n#####", 5))
    return time.perf_counter() - start


def drop_stale_cache() -> None:
    """Throw away compiled code made from other sources than the ones here."""
    directory, digest = _cache_directory(), _digest()
    stamp = directory / "kernels.digest"
    try:
        if stamp.is_file() and stamp.read_text() == digest:
            return
        for name in SOURCES:
            for suffix in ("nbi", "nbc"):
                for path in directory.glob(f"{Path(name).stem}.*.{suffix}"):
                    path.unlink(missing_ok=True)
        directory.mkdir(parents=True, exist_ok=True)
        stamp.write_text(digest)
    except OSError:
        return  # a read-only install: numba then keeps its cache elsewhere, made from it alone


def _cache_directory() -> Path:
    """Where numba keeps the compiled code of this package."""
    cached = getattr(_probe, "stats", None)
    return Path(cached.cache_path) if cached is not None else Path(__file__).parent / "__pycache__"


def _digest() -> str:
    package = Path(__file__).parent
    text = b"".join((package / name).read_bytes() for name in SOURCES if (package / name).exists())
    return hashlib.sha256(text + os.fsencode(numba.__version__)).hexdigest()


@kernel
def _probe(value: int) -> int:
    """Do nothing; its cache path tells where the cache is."""
    return value


drop_stale_cache()
