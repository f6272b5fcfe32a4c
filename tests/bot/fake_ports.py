"""All ports of a desktop in one fake: it keeps what is done to it, and its clock never waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from bot.desktop.ports import Button, Desktop, Monitor, Window
from bot.simulated.screen import FakeClock, Timeline
from calibration.frame import Frame
from calibration.grid import PixelBox, ScreenPoint


class Press(NamedTuple):
    """A press of a button: when, where, which one, and for how long."""

    at_s: float
    point: ScreenPoint
    button: Button
    hold_s: float


class EventfulClock(FakeClock):
    """A clock at whose times something happens."""

    def __init__(self) -> None:
        super().__init__()
        self.waits, timeline = list[float](), Timeline(self)
        self.later, self._advance = timeline.later, timeline.advance

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        super().sleep(seconds)
        self._advance()


class FakePorts:
    """A desktop with one monitor that shows a ``picture``, if something is to look at it.

    ``window`` lies everywhere, and shows the board unless it ``hides_board``; ``focus`` is the
    number of the one that gets the keys, and a key of ``dialogs`` the one that has such a dialog.
    The system says nothing of what is None. A person holds the ``held`` keys. No words are read.
    """

    def __init__(self, width: int = 1920, height: int = 1080, picture: Frame | None = None) -> None:
        self.picture = picture
        if picture is not None:
            width, height = picture.width, picture.height
        self.clock, self.at = EventfulClock(), ScreenPoint(width // 2, height // 2)
        self.screens: tuple[Monitor, ...] = (Monitor(0, 0, width, height),)
        self.window: Window | None = None
        self.focus: int | None = None
        self.dialogs, self.held = dict[int, int](), tuple[str, ...]()
        self.hides_board = False
        self.asked: list[tuple[Window, Frame]] = []
        self.presses: list[Press] = []
        self.moves: list[tuple[float, ScreenPoint]] = []
        self.keys: list[str] = []
        self.on_press: Callable[[], None] = lambda: None
        self.on_move: Callable[[], None] = lambda: None

    @property
    def ports(self) -> Desktop:
        return Desktop(
            self, self, self, self.clock, lambda point: self.window, lambda: self.held,
            focused=lambda: self.focus, dialog_of=self.dialogs.get, shows=self._shows,
            lines_in=lambda frame, box: [],
        )  # fmt: skip

    def _shows(self, window: Window, picture: Frame) -> bool:
        self.asked.append((window, picture))
        return not self.hides_board

    def grab(self, box: PixelBox | None = None) -> Frame:
        assert self.picture is not None, "nothing looks at this screen"
        x0, y0, x1, y1 = box or (0, 0, self.picture.width, self.picture.height)
        return Frame(self.picture.pixels[y0:y1, x0:x1], ScreenPoint(x0, y0))

    def monitors(self) -> tuple[Monitor, ...]:
        return self.screens

    def click(
        self,
        point: ScreenPoint,
        button: Button = Button.LEFT,
        hold_s: float = 0.0,
        into: Window | None = None,
    ) -> bool:
        self.at = point
        if into not in (None, self.window):
            return False
        self.presses.append(Press(self.clock.now(), point, button, hold_s))
        self.clock.sleep(hold_s)
        self.on_press()
        return True

    def move(self, point: ScreenPoint) -> None:
        self.moves.append((self.clock.now(), point))
        self.at = point
        self.on_move()

    def position(self) -> ScreenPoint:
        return self.at

    def press(self, keys: str, into: int | None = None) -> bool:
        if into not in (None, self.focus):
            return False
        self.keys.append(keys)
        return True
