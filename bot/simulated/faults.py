"""Faults that the simulated desktop can be told to have."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Faults:
    """Faults of a desktop; by default it has none.

    ``drop_every`` and ``double_every``: every nth click is lost, or arrives twice (0: none).
    ``repaint_s``: every change shows so many seconds later. ``hover``: a hidden tile becomes
    lighter under the pointer. ``counter_error`` is added to the number on the mine counter;
    with ``counter_absent`` there is no mine counter.
    """

    drop_every: int = 0
    double_every: int = 0
    repaint_s: float = 0.0
    hover: bool = False
    counter_error: int = 0
    counter_absent: bool = False

    def deliveries(self, number: int) -> int:
        """Return how many times click ``number``, counted from 1, reaches the window."""
        if self.drop_every and number % self.drop_every == 0:
            return 0
        return 2 if self.double_every and number % self.double_every == 0 else 1
