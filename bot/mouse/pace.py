"""How fast to click: as fast as the program answers, at an even pace, or like a person."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from bot.errors import UsageError

HUMAN_CLICK_S = 0.35
HUMAN_THINK_S = 1.2
HUMAN_SPREAD = 0.4
"""Median pauses before a certain click and before a guess; spread of their logarithm."""


@dataclass(frozen=True)
class Pace:
    """The pause before each click; ``human`` varies it, and makes it longer before a guess."""

    seconds: float = 0.0
    human: bool = False
    rng: random.Random = field(default_factory=lambda: random.Random(0), compare=False)

    @classmethod
    def from_text(cls, text: str) -> Pace:
        """Read ``human`` or a number of seconds. Raises `UsageError` for anything else."""
        if text == "human":
            return cls(human=True)
        try:
            seconds = float(text)
        except ValueError:
            seconds = math.nan
        if not 0 <= seconds <= 60:
            raise UsageError(f"{text!r} is not a pace: say 'human', or 0 to 60 seconds a click.")
        return cls(seconds)

    def pause_s(self, *, guess: bool) -> float:
        """Return the pause before the next click."""
        if not self.human:
            return self.seconds
        median = HUMAN_THINK_S if guess else HUMAN_CLICK_S
        return median * math.exp(self.rng.gauss(0, HUMAN_SPREAD))
