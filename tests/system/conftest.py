"""What the games on the simulated desktop leave out."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read no words beside a board: these desktops show none there, and it takes time."""
    monkeypatch.setattr("calibration.reader.read_words", lambda *_: None)
