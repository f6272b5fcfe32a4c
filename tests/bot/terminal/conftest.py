"""The terminal of these tests shows all signs and codes, also on Windows."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def modern_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A classic console of Windows has fewer of both; `test_colours` covers it."""
    monkeypatch.setenv("WT_SESSION", "1")
    monkeypatch.setattr("rich.console.detect_legacy_windows", lambda: False)
