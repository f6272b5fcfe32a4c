"""The compiled library: found and loaded."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path


@cache
def library() -> ctypes.CDLL:
    """Load the compiled engine."""
    return ctypes.CDLL(str(next(Path(__file__).parent.glob("_engine.*"))))
