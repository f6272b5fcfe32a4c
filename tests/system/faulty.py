"""Desktops that misbehave.

Whatever happens, no tile is misread, nothing but tiles and the new-game control is clicked, and
no wrong result is reported. A click takes 25 ms here, longer than the bot trusts a picture, so
that the desktop can change between any two clicks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from solver.game import Rule
from tests.simulated import Faults, FaultyDesktop

CLICK_S = 0.025


def desktop(faults: Faults | None = None, **changes: Any) -> FaultyDesktop:
    settings: dict[str, Any] = {
        "rows": 16,
        "cols": 16,
        "mines": 40,
        "rule": Rule.ZERO,
        "seed": 5,
        "skin": "classic",
        "scale": 1.5,
        "click_s": CLICK_S,
        **changes,
    }
    return FaultyDesktop(faults=faults, **settings)


def after(click: int, event: Callable[[FaultyDesktop], None]) -> dict[str, Any]:
    return {"after_click": {click: event}}
