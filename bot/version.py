"""Find the version of the installed package."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def program_version() -> str:
    """Return the installed version; ``unknown`` if the package is not installed."""
    try:
        return version("minebot")
    except PackageNotFoundError:
        return "unknown"
