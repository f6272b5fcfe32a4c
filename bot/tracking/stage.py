"""What play and watch work on: one board on one screen.

Only the tracker of a stage grabs the screen, for play and for watch: every other part asks the
tracker, which keeps the last frame.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.desktop.ports import Clock
from bot.events import Observer
from bot.mouse.guard import MouseGuard
from bot.options import Limits
from bot.tracking.tracker import BoardTracker


@dataclass(frozen=True)
class Stage:
    """A board that is followed, the clock, and who is called with the events."""

    tracker: BoardTracker
    clock: Clock
    observer: Observer


@dataclass(frozen=True)
class PlayStage(Stage):
    """A stage on which the bot plays: with a guarded mouse, and limits of waiting."""

    guard: MouseGuard
    limits: Limits
