"""Time the parts of a turn (grab, read, decide, send, wait) and whole games.

    python tests/bench/bench_turn.py --games 10             # the simulated desktop, 1920x1080
    python tests/bench/bench_turn.py --real --games 10      # the window on this display

The simulated desktop paints in the same process; the clock stands still while it does. The wait
for the program's repaint is counted apart. Measured on two cores with a load of 3: 31 ms a turn on
xdemineur (8 to 66, deciles; 2.4 ms to grab, 2.0 to read, 3.1 a click), 13 ms on the simulated
desktop; a won expert game on xdemineur took 1.2 s (1.2 to 1.4). With a load of 6 it is 48 ms.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from bot.desktop.native import RealClock, open_desktop
from bot.desktop.ports import Button, Desktop, Window
from bot.events import Event, GameOver, GameResult, Played, Turn
from bot.options import PlayOptions, first_click_rule, parse_new_game
from bot.play.player import Player
from bot.simulated import NEW_GAME_KEYS, SimulatedDesktop
from calibration.frame import Frame
from calibration.grid import PixelBox, ScreenPoint
from solver.agents import make_agent

Result = TypeVar("Result")

OWN = ("grab", "read", "decide", "send")
SHARES = (*OWN, "own", "wait")


class Stopwatch:
    """Keeps the timings of all turns and the length of all games."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.games: list[GameResult] = []

    def __call__(self, event: Event) -> None:
        match event:
            case Played(turn):
                self.turns.append(turn)
            case GameOver(result):
                self.games.append(result)


class UntimedDesktop:
    """A simulated desktop whose own work takes no time on the clock that the player sees.

    The clock runs like the computer's, but stands still inside the desktop's methods.
    """

    def __init__(self, desktop: SimulatedDesktop) -> None:
        self._desktop = desktop
        self._untimed_s = 0.0
        desktop.clock = self
        desktop._timeline.clock = self
        self.ports = Desktop(self, self, self, self, self.window_at)

    def now(self) -> float:
        return time.perf_counter() - self._untimed_s

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def grab(self, box: PixelBox | None = None) -> Frame:
        return self._untimed(lambda: self._desktop.grab(box))

    def monitors(self) -> Any:
        return self._desktop.monitors()

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        return self._untimed(lambda: self._desktop.click(point, button, hold_s, into))

    def move(self, point: ScreenPoint) -> None:
        self._untimed(lambda: self._desktop.move(point))

    def position(self) -> ScreenPoint:
        return self._untimed(self._desktop.position)

    def press(self, keys: str, into: int | None = None) -> bool:
        return self._untimed(lambda: self._desktop.press(keys, into))

    def window_at(self, point: ScreenPoint) -> Window:
        return self._untimed(lambda: self._desktop.window_at(point))

    def _untimed(self, action: Callable[[], Result]) -> Result:
        begun = time.perf_counter()
        try:
            return action()
        finally:
            self._untimed_s += time.perf_counter() - begun


def main() -> None:
    """Play and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--real", action="store_true", help="play the window on this display")
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--agent", default="tank")
    parser.add_argument("--new-game", type=parse_new_game, help="key or X,Y (default: the theme's)")
    args = parser.parse_args()
    watch = Stopwatch()
    agent = make_agent(args.agent)
    options = PlayOptions(games=args.games, new_game=args.new_game)
    if args.real:
        desktop = open_desktop()
        assert isinstance(desktop.clock, RealClock)
    else:
        desktop = UntimedDesktop(SimulatedDesktop(seed=1)).ports
        options = replace(options, new_game=NEW_GAME_KEYS[0])
    Player(
        desktop,
        agent,
        options=options,
        observer=watch,
        choose_agent=lambda found: make_agent(args.agent, rule=first_click_rule(found.theme)),
    ).play()
    report(watch)


def report(watch: Stopwatch) -> None:
    """Print medians and spreads."""
    print(f"{len(watch.turns)} turns in {len(watch.games)} games, milliseconds a turn")
    print(f"{'':8}{'median':>9}{'10 %':>9}{'90 %':>9}{'worst':>9}")
    for share in SHARES:
        parts = OWN if share == "own" else (share,)
        times = [sum(getattr(turn.timings, f"{part}_ms") for part in parts) for turn in watch.turns]
        print(f"{share:8}" + "".join(f"{figure:9.2f}" for figure in spread(times)))
    clicks = np.array([len(turn.clicks) for turn in watch.turns])
    sent = np.array([turn.timings.send_ms for turn in watch.turns])
    print(f"{sent.sum() / max(1, clicks.sum()):.2f} ms a click, {clicks.mean():.1f} clicks a turn")
    print(f"\n{'games':8}{'median':>9}{'10 %':>9}{'90 %':>9}{'worst':>9}  seconds")
    by_end: dict[str, list[float]] = defaultdict(list)
    for game in watch.games:
        by_end[game.outcome.value].append(game.seconds)
    for end, seconds in by_end.items():
        print(f"{end:8}" + "".join(f"{figure:9.2f}" for figure in spread(seconds)))


def spread(values: list[float]) -> tuple[float, float, float, float]:
    """Return median, both deciles and the maximum."""
    array = np.array(values or [0.0])
    low, middle, high = np.percentile(array, (10, 50, 90))
    return float(middle), float(low), float(high), float(array.max())


if __name__ == "__main__":
    main()
