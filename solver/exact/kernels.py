"""The only module that imports numba: compiled functions, kept on disk.

`kernel` compiles a function on its first call and stores the machine code in the folder that
`cache` names. One that is stored already is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.registry import CPUDispatcher

from solver.exact import cache

Function = TypeVar("Function", bound=Callable[..., Any])


class _SharedCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """Compiled code on disk, to which several processes may add at once."""

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store one compiled signature: numba reads the index, adds to it and replaces it."""
        with cache.saving():
            super().save_overload(sig, data)


def kernel(function: Function) -> Function:
    """Compile a function over arrays on its first call, and store it on disk.

    A kernel that Python calls lets go of Python's lock, so that threads may run several at once.
    """
    compiled = numba.njit(error_model="numpy", nogil=True)(function)
    if isinstance(compiled, CPUDispatcher):  # a plain function with NUMBA_DISABLE_JIT
        with _cache_folder():
            compiled._cache = _SharedCache(function)
    return cast(Function, compiled)


def kernels_of(*modules: ModuleType) -> set[str]:
    """Return the names of the kernels that modules define."""
    return {
        value.py_func.__qualname__
        for module in modules
        for value in vars(module).values()
        if isinstance(value, CPUDispatcher) and value.py_func.__module__ == module.__name__
    }


@contextmanager
def watching(on_kernel: Callable[[str], None]) -> Iterator[None]:
    """Call ``on_kernel`` with the name of each function that is compiled, as it begins."""
    with event.install_listener("numba:compile", _Listener(on_kernel)):
        yield


class _Listener(event.Listener):  # type: ignore[misc]
    def __init__(self, on_kernel: Callable[[str], None]) -> None:
        self._on_kernel = on_kernel

    def on_start(self, event: Any) -> None:
        self._on_kernel(event.data["dispatcher"].py_func.__qualname__)

    def on_end(self, event: Any) -> None:
        """Do nothing: what comes next is announced by its own start."""


@contextmanager
def _cache_folder() -> Iterator[None]:
    """Have numba keep the code of a function in our folder; it asks when the cache is made."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache.folder())
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before
