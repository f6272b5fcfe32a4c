"""What can go wrong on a desktop, switchable: a plan that the simulated desktop follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.simulated.desktop import SimulatedDesktop


@dataclass(frozen=True)
class Faults:
    """A plan of faults. The default plan is a faultless desktop.

    ``drop_every`` and ``double_every``: each nth click is lost, or arrives twice (0: none).
    ``repaint_s``: seconds added before any change shows. ``hover``: a hidden tile lightens
    under the pointer. ``counter_error`` is added to the shown number of mines;
    ``counter_absent`` leaves the counter out. ``after_click`` maps the number of a click, counted
    from 1, to what befalls the desktop right after it: any method of the desktop, as in
    ``{5: lambda desktop: desktop.move_window(60, 25)}``.
    """

    drop_every: int = 0
    double_every: int = 0
    repaint_s: float = 0.0
    hover: bool = False
    counter_error: int = 0
    counter_absent: bool = False
    after_click: Mapping[int, Callable[[SimulatedDesktop], None]] = field(default_factory=dict)

    def deliveries(self, number: int) -> int:
        """Return how many times click ``number`` reaches the window."""
        if self.drop_every and number % self.drop_every == 0:
            return 0
        return 2 if self.double_every and number % self.double_every == 0 else 1
