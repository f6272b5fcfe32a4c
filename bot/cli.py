"""The command line."""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``minebot`` and return its exit code."""
    raise NotImplementedError
