"""``minebot doctor``: check whether this machine can run the bot."""

from __future__ import annotations

from dataclasses import dataclass

from bot.usage.shared import Json


@dataclass(frozen=True, kw_only=True)
class Doctor(Json):
    """Check the display, screenshots, the pointer, libraries and your configuration, and look for a
    game on the screen: its program, size and mines, and how the next one starts. The exit code is 1
    if a problem prevents play on the real screen. The simulated window (play --screen sim) needs no
    display.
    """
